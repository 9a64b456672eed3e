/* See wire.h. */
#include "partner/wire.h"

#include <string.h>

static const char magic[8] = "KBENCH1\n";

const char *kb_partner_reason(enum kb_partner_status status)
{
	static const char *const reasons[KB_PARTNER_STATUSES] = {
		[KB_PARTNER_OK] = "nothing", [KB_PARTNER_ADDRESS] = "its address is not in --allow",
		[KB_PARTNER_BUSY] = "too many connections (--connections)", [KB_PARTNER_TOKEN] = "wrong token",
		[KB_PARTNER_LATE] = "it did not say in time that it has the token", [KB_PARTNER_REQUEST] = "a request that makes no sense",
		[KB_PARTNER_PORT_TAKEN] = "a port for data is taken by another program", [KB_PARTNER_LOST] = "its data did not come, or ended early",
	};

	return (unsigned)status < KB_PARTNER_STATUSES ? reasons[status] : "an unknown reason";
}

static void put(unsigned char *to, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = (unsigned char)(value >> (56 - 8 * i));
}

static uint64_t get(const unsigned char *from)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value = value << 8 | from[i];
	return value;
}

/* ---- handshake ---------------------------------------------------------------------------------------------- */

void kb_hello_write(unsigned char hello[KB_HELLO_BYTES], enum kb_partner_status status, const unsigned char nonce[KB_NONCE_BYTES])
{
	memcpy(hello, magic, 8);
	put(hello + 8, status);
	memcpy(hello + 16, nonce, KB_NONCE_BYTES);
}

bool kb_hello_read(const unsigned char hello[KB_HELLO_BYTES], enum kb_partner_status *status, unsigned char nonce[KB_NONCE_BYTES])
{
	uint64_t word = get(hello + 8);

	*status = word < KB_PARTNER_STATUSES ? (enum kb_partner_status)word : KB_PARTNER_REQUEST;
	memcpy(nonce, hello + 16, KB_NONCE_BYTES);
	return memcmp(hello, magic, 8) == 0;
}

static void sign(const unsigned char token[KB_TOKEN_BYTES], const char *side, const unsigned char *server, const unsigned char *client,
		 unsigned char code[KB_HASH_BYTES])
{
	struct kb_hash hash;

	kb_hmac_begin(&hash, token, KB_TOKEN_BYTES);
	kb_hash_add(&hash, magic, sizeof magic);
	kb_hash_add(&hash, side, strlen(side));
	kb_hash_add(&hash, server, KB_NONCE_BYTES);
	kb_hash_add(&hash, client, KB_NONCE_BYTES);
	kb_hmac_end(&hash, token, KB_TOKEN_BYTES, code);
}

void kb_proof_write_client(const unsigned char token[KB_TOKEN_BYTES], const unsigned char server[KB_NONCE_BYTES],
			   const unsigned char client[KB_NONCE_BYTES], unsigned char proof[KB_PROOF_BYTES], unsigned char expected[KB_HASH_BYTES])
{
	memcpy(proof, client, KB_NONCE_BYTES);
	sign(token, "client", server, client, proof + KB_NONCE_BYTES);
	sign(token, "server", server, client, expected);
}

enum kb_greeted kb_greeting_take(struct kb_greeting *greeting, const unsigned char token[KB_TOKEN_BYTES], const void *bytes, size_t count,
				 unsigned char welcome[KB_WELCOME_BYTES])
{
	unsigned char code[KB_HASH_BYTES];
	size_t room = KB_PROOF_BYTES - greeting->have;

	count = count < room ? count : room;
	memcpy(greeting->got + greeting->have, bytes, count);
	greeting->have += count;
	if (greeting->have < KB_PROOF_BYTES)
		return KB_GREETED_MORE;
	sign(token, "client", greeting->nonce, greeting->got, code);
	if (!kb_same_bytes(code, greeting->got + KB_NONCE_BYTES, sizeof code)) {
		kb_welcome_write(welcome, KB_PARTNER_TOKEN, NULL);
		return KB_GREETED_WRONG;
	}
	sign(token, "server", greeting->nonce, greeting->got, code);
	kb_welcome_write(welcome, KB_PARTNER_OK, code);
	return KB_GREETED_RIGHT;
}

void kb_welcome_write(unsigned char welcome[KB_WELCOME_BYTES], enum kb_partner_status status, const unsigned char *code)
{
	put(welcome, status);
	memset(welcome + 8, 0, KB_HASH_BYTES);
	if (code)
		memcpy(welcome + 8, code, KB_HASH_BYTES);
}

enum kb_partner_status kb_welcome_read(const unsigned char welcome[KB_WELCOME_BYTES], const unsigned char expected[KB_HASH_BYTES])
{
	uint64_t status = get(welcome);

	if (status >= KB_PARTNER_STATUSES)
		return KB_PARTNER_REQUEST;
	if (status == KB_PARTNER_OK && !kb_same_bytes(welcome + 8, expected, KB_HASH_BYTES))
		return KB_PARTNER_TOKEN;
	return (enum kb_partner_status)status;
}

/* ---- requests ----------------------------------------------------------------------------------------------- */

void kb_request_write(const struct kb_request *request, unsigned char bytes[KB_REQUEST_BYTES])
{
	put(bytes, request->verb);
	put(bytes + 8, request->kind);
	put(bytes + 16, request->bytes);
	put(bytes + 24, request->buffer);
	put(bytes + 32, request->n);
	put(bytes + 40, request->ends);
}

static bool is_open(const struct kb_request *request)
{
	bool datagrams = request->kind == KB_ECHO_UDP || request->kind == KB_STREAM_UDP, stream = request->kind == KB_STREAM_TCP ||
		request->kind == KB_STREAM_UDP;
	uint64_t most = datagrams ? KB_SERVED_DATAGRAM_MAX : KB_SERVED_BYTES_MAX;

	if (request->kind == KB_ACCEPTS)
		return request->bytes == 0 && request->buffer == 0;
	return request->bytes >= (stream ? 64 : 1) && request->bytes <= most &&
	       (request->buffer == 0 || (request->buffer >= 4096 && request->buffer <= 1 << 26));
}

bool kb_request_read(const unsigned char bytes[KB_REQUEST_BYTES], struct kb_request *request)
{
	uint64_t verb = get(bytes), kind = get(bytes + 8), ends = get(bytes + 40);

	if (verb < KB_REQUEST_OPEN || verb > KB_REQUEST_COUNT || kind >= KB_SERVED_KINDS || ends > 1)
		return false;
	*request = (struct kb_request){
		.verb = (enum kb_request_verb)verb, .kind = (enum kb_served_kind)kind, .bytes = get(bytes + 16), .buffer = get(bytes + 24),
		.n = get(bytes + 32), .ends = ends,
	};
	if (verb == KB_REQUEST_OPEN)
		return is_open(request);
	return verb == KB_REQUEST_COUNT || (request->n >= 1 && request->n <= KB_SERVED_ROUND_MAX);
}

void kb_answer_write(const struct kb_answer *answer, unsigned char bytes[KB_ANSWER_BYTES])
{
	const struct kb_partner_counts *counts = &answer->counts;
	const uint64_t words[] = { counts->messages, counts->bytes, counts->connections, counts->finished, counts->aborted, counts->ports,
				   counts->resent, 0 };

	put(bytes, answer->status);
	put(bytes + 8, answer->port);
	memcpy(bytes + 16, answer->cookie, KB_COOKIE_BYTES);
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		put(bytes + 32 + 8 * i, words[i]);
}

bool kb_answer_read(const unsigned char bytes[KB_ANSWER_BYTES], struct kb_answer *answer)
{
	uint64_t status = get(bytes), port = get(bytes + 8);
	const unsigned char *at = bytes + 32;

	if (status >= KB_PARTNER_STATUSES || port > 65535)
		return false;
	*answer = (struct kb_answer){
		.status = (enum kb_partner_status)status, .port = (unsigned)port,
		.counts = { get(at), get(at + 8), get(at + 16), get(at + 24), get(at + 32), get(at + 40), get(at + 48) },
	};
	memcpy(answer->cookie, bytes + 16, KB_COOKIE_BYTES);
	return true;
}
