/*
 * What a benchmark and `kbench serve` on another machine say to each other over the control connection. Pure: bytes in, bytes out. The
 * sockets of the client are in collect/linux/helpers, those of the server in serve.
 *
 *   server   hello: "KBENCH1\n", a status, 32 random bytes
 *   client   proof: 32 random bytes of its own, HMAC(token, "client", both)
 *   server   answer: a status, HMAC(token, "server", both)
 *   client   requests of one size, each followed by an answer of one size:
 *     OPEN    what is served, by messages of how many bytes. The answer has the port for data, and the cookie with which data begins. When
 *             the data has come, a second answer (but of connections, which need none)
 *     ROUND   so many messages, chunks or connections follow, or ends of connections. Answered before the first
 *     COUNT   the answer has all that was counted since OPEN; `resent` since the last ROUND
 *
 * Numbers are of 64 bits, the highest byte first. Whoever closes the control connection ends it all.
 */
#ifndef KB_PARTNER_WIRE_H
#define KB_PARTNER_WIRE_H

#include "types.h"
#include "partner/sha256.h"
#include "partner/token.h"

#define KB_PARTNER_PORT 7353
#define KB_NONCE_BYTES 32
#define KB_HELLO_BYTES (8 + 8 + KB_NONCE_BYTES)
#define KB_PROOF_BYTES (KB_NONCE_BYTES + KB_HASH_BYTES)
#define KB_WELCOME_BYTES (8 + KB_HASH_BYTES)
#define KB_REQUEST_BYTES (6 * 8)
#define KB_ANSWER_BYTES (12 * 8)
#define KB_COOKIE_BYTES 16              /* of a stream; datagrams begin with the first half */
#define KB_DATAGRAM_HEAD 8

#define KB_SERVED_BYTES_MAX (1u << 20)  /* of a message or chunk */
#define KB_SERVED_DATAGRAM_MAX 32768u
#define KB_SERVED_CONNECTIONS_MAX 128u  /* of a round */
#define KB_SERVED_ROUND_MAX (UINT64_C(1) << 40)

/* Why a server does not serve. In words: kb_partner_reason. */
enum kb_partner_status {
	KB_PARTNER_OK, KB_PARTNER_ADDRESS, KB_PARTNER_BUSY, KB_PARTNER_TOKEN, KB_PARTNER_LATE, KB_PARTNER_REQUEST, KB_PARTNER_PORT_TAKEN,
	KB_PARTNER_LOST, KB_PARTNER_STATUSES
};

const char *kb_partner_reason(enum kb_partner_status);

/* ---- handshake ---------------------------------------------------------------------------------------------- */

void kb_hello_write(unsigned char hello[KB_HELLO_BYTES], enum kb_partner_status, const unsigned char nonce[KB_NONCE_BYTES]);

/* False: it is of no kbench serve, or of another version. */
bool kb_hello_read(const unsigned char hello[KB_HELLO_BYTES], enum kb_partner_status *, unsigned char nonce[KB_NONCE_BYTES]);

/* The proof of the client, and the code with which the server will prove that it has the token, too. */
void kb_proof_write_client(const unsigned char token[KB_TOKEN_BYTES], const unsigned char server[KB_NONCE_BYTES],
			   const unsigned char client[KB_NONCE_BYTES], unsigned char proof[KB_PROOF_BYTES], unsigned char expected[KB_HASH_BYTES]);

/* The server's side, which takes the proof as it comes. */
struct kb_greeting {
	unsigned char nonce[KB_NONCE_BYTES], got[KB_PROOF_BYTES];
	size_t have;
};

enum kb_greeted { KB_GREETED_MORE, KB_GREETED_RIGHT, KB_GREETED_WRONG };

/* Takes bytes, at most KB_PROOF_BYTES - have of them. RIGHT and WRONG: welcome is what to answer. */
enum kb_greeted kb_greeting_take(struct kb_greeting *, const unsigned char token[KB_TOKEN_BYTES], const void *bytes, size_t count,
				 unsigned char welcome[KB_WELCOME_BYTES]);

void kb_welcome_write(unsigned char welcome[KB_WELCOME_BYTES], enum kb_partner_status, const unsigned char *code);
enum kb_partner_status kb_welcome_read(const unsigned char welcome[KB_WELCOME_BYTES], const unsigned char expected[KB_HASH_BYTES]);

/* ---- requests ----------------------------------------------------------------------------------------------- */

enum kb_served_kind { KB_ECHO_TCP, KB_ECHO_UDP, KB_STREAM_TCP, KB_STREAM_UDP, KB_ACCEPTS, KB_SERVED_KINDS };
enum kb_request_verb { KB_REQUEST_OPEN = 1, KB_REQUEST_ROUND, KB_REQUEST_COUNT };

struct kb_request {
	enum kb_request_verb verb;
	enum kb_served_kind kind;       /* OPEN */
	uint64_t bytes, buffer;         /* OPEN: of a message; of a socket's buffers, 0: the system's */
	uint64_t n;                     /* ROUND */
	bool ends;                      /* ROUND of KB_ACCEPTS: the connections end, instead of more being made */
};

void kb_request_write(const struct kb_request *, unsigned char bytes[KB_REQUEST_BYTES]);

/* False: there is no such request, or it goes beyond a bound. */
bool kb_request_read(const unsigned char bytes[KB_REQUEST_BYTES], struct kb_request *);

/* What a side counted. */
struct kb_partner_counts {
	uint64_t messages, bytes, connections;
	uint64_t finished, aborted;     /* connections that the other side ended in the usual way, or reset */
	uint64_t ports;                 /* sum of the other side's, of all connections */
	uint64_t resent;                /* segments */
};

struct kb_answer {
	enum kb_partner_status status;
	unsigned port;
	unsigned char cookie[KB_COOKIE_BYTES];
	struct kb_partner_counts counts;
};

void kb_answer_write(const struct kb_answer *, unsigned char bytes[KB_ANSWER_BYTES]);
bool kb_answer_read(const unsigned char bytes[KB_ANSWER_BYTES], struct kb_answer *);

/* Of a stream the client asks for chunks over the data: the cookie's head in datagrams, then how many. */
#define KB_ASK_BYTES 8

#endif
