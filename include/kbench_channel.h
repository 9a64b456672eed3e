/*
 * kbench_channel.h - two sides that hand each other messages: what ping-pong and bandwidth benchmarks share.  A ping-
 * pong passes a numbered message to the partner and awaits the inverted number from it, so a lost, repeated or unread
 * one is seen; KB_SEEN counts answers that were right. A stream is asked for n chunks and the measuring side takes
 * them: KB_SEEN counts chunks whose bytes all arrived, with their number at both ends and their sum. The parameter
 * `placement` says where the partner is: same-cpu, other-cpu, idle-cpu, or one-process: there is none. With the parameter `host`
 * it is `kbench serve` on another machine.
 */
#ifndef KBENCH_CHANNEL_H
#define KBENCH_CHANNEL_H

#include <kbench_parties.h>

#define KB_MESSAGE_MAX (1u << 20)       /* bytes of a message or chunk */

enum kb_way { KB_THERE, KB_BACK };      /* to the partner, from it */

struct kb_channel {
	int end[2][2];          /* of each way: the descriptor that receives, the one that sends */
	uint64_t bytes;         /* of a message or chunk; 0: the parameter `bytes` */
	bool socket;            /* recv and send; else read and write */
	bool datagram;          /* a message comes whole or not at all, and nobody sees the other side leave */
	bool blocks;            /* never spin: placement=other-cpu then sleeps like idle-cpu */
	unsigned window;        /* of a stream: chunks that may be on their way; 0: what flow control allows */

	/* Instead of descriptors. The number tells turns apart; what tells the sides that it is right is shared
	   memory. await returns kb_wait_over() after an interruption; one last pass at the end wakes it. join: the
	   partner's first step. */
	int (*pass)(struct kb_channel *, enum kb_way, uint64_t number);
	int (*await)(struct kb_channel *, enum kb_way, uint64_t number);
	int (*join)(struct kb_channel *);

	/* Of a stream: hand over or take one chunk in c->chunk. */
	int (*give)(struct kb_channel *);
	int (*take)(struct kb_channel *);
	unsigned char *chunk;   /* where the next one is (stamped before give, looked at after take) */
	unsigned char *memory;  /* of `chunks` of them in turn, private to each side */
	unsigned chunks;        /* 0: one */
	uint64_t number;        /* of the next message or chunk */

	bool remote;            /* the partner is on another machine */
	unsigned head;          /* bytes of the cookie with which datagrams to it begin */
	unsigned char cookie[8];

	bool spin, alone;       /* set by start: receive without sleeping; there is no partner */
	int request[2];
	uint64_t sum;
	uint64_t *told;         /* in shared memory: the number of each way, the partner has joined, it is over */
	uint64_t first;         /* number of the sample's first message or chunk */
};

/* An expectation of two sides that sleep, wherever they are. */
#define KB_EXPECT_ASLEEP(counter, per_op, tolerance) \
	{ counter, per_op, 0, tolerance, KB_ALL, "placement=same-cpu" }, \
	{ counter, per_op, 0, tolerance, KB_ALL, "placement=idle-cpu" }

/* setup: the ways are open (and the functions set). Starts the partner; run->state is the channel from now on. */
int kb_channel_start(struct kb_run *, struct kb_channel *);
int kb_channel_op(struct kb_run *, uint64_t n);
int kb_channel_check(struct kb_run *, uint64_t n);      /* the last answer is to the message that n turns lead to */
void kb_channel_end(struct kb_run *);

/* The same for a stream from the partner. The operation is a chunk: sets bytes_per_op. */
int kb_stream_start(struct kb_run *, struct kb_channel *);
int kb_stream_op(struct kb_run *, uint64_t n);
int kb_stream_check(struct kb_run *, uint64_t n);       /* the last chunk has the number that n chunks lead to */
void kb_stream_end(struct kb_run *);

/* The partner serves by a function of the author's own: channel set up as above, -EPIPE is a good end. */
int kb_channel_start_with(struct kb_run *, struct kb_channel *, int (*serve)(struct kb_run *));

/* Exactly count bytes; 0, -EPIPE: the other side left, -ETIMEDOUT: nothing came for seconds, -EMSGSIZE: cut, -errno. */
int kb_channel_send(const struct kb_channel *, enum kb_way, const void *bytes, size_t count);
int kb_channel_receive(const struct kb_channel *, enum kb_way, void *bytes, size_t count);

/* kb_fail in words for what the functions above return; 0 stays 0. */
int kb_channel_failed(struct kb_run *, int error);

/* Opens the ways: two pipes; a pair of connected sockets (type: SOCK_STREAM ...): of this machine, of the loopback with
   TCP_NODELAY. kb_channel_network first: a network of its own where allowed, else that of the machine. */
int kb_channel_pipes(struct kb_run *, struct kb_channel *);
int kb_channel_local(struct kb_run *, struct kb_channel *, int type);
int kb_channel_loopback(struct kb_run *, struct kb_channel *, int type);
int kb_channel_network(struct kb_run *);

/* Both: over the loopback in such a network, or to the machine that the parameter `host` names, for messages or a stream. There before()
   announces how many follow, and the other machine's counts are compared by kb_network_check. */
int kb_channel_open(struct kb_run *, struct kb_channel *, int type, bool stream);
int kb_channel_before(struct kb_run *, uint64_t n);

/* The parameter, first of all. */
#define KB_HOST_PARAM(empties) { "host", "machine of the partner, where kbench serve runs; empty: this one", KB_HOST, "", .choices = empties }

/* `check` of what uses a network: next to nothing was sent twice, dropped or refused in it since kb_channel_network. */
int kb_network_check(struct kb_run *, uint64_t n);

/* A listening socket at a free port of 127.0.0.1. *port in host order. The descriptor, or -errno after kb_fail. */
int kb_listen(struct kb_run *, uint16_t *port);

/* A connection to it, with TCP_NODELAY and blocking. The descriptor, or -errno. */
int kb_connect(uint16_t port);

/* Connections to `listener` from this process itself, by the parameter `part`: connect, close, abort (a reset). setup calls start, the
   others are the descriptor's functions. Or to the machine of the parameter `host`, which accepts: kb_connections_open, for both. */
#define KB_CONNECTIONS_MAX 128
int kb_connections_start(struct kb_run *, int listener);
int kb_connections_open(struct kb_run *);
int kb_connections_before(struct kb_run *, uint64_t n);
int kb_connections_op(struct kb_run *, uint64_t n);
int kb_connections_check(struct kb_run *, uint64_t n);
int kb_connections_after(struct kb_run *, uint64_t n);
void kb_connections_end(struct kb_run *);

/* Whether teardown has begun: for a serve() of the author's own that nothing else ends. */
bool kb_channel_is_over(const struct kb_channel *);

/* A server of one page of `page_bytes`, until a connection closes and it is over (once: until the first closes):
   -EPIPE. The client's side: requests page `number` and looks at what comes; 0 or -errno. */
#define KB_PAGE_MAX 65536u
int kb_http_serve(struct kb_channel *, int listener, uint64_t page_bytes, bool once);
int kb_http_get(int fd, uint64_t number, uint64_t page_bytes);

/* A partner that dies interrupts whatever the measuring side sleeps in, and so does every second. A loop that waits, or
   spins, asks after each interruption: 0 go on, -EPIPE the partner is gone, -ETIMEDOUT seconds have passed since.
   kb_wait_watch before a partner starts, kb_wait_unwatch in teardown; a channel does both. */
void kb_wait_watch(const struct kb_run *);
void kb_wait_unwatch(void);
unsigned kb_wait_begin(void);
int kb_wait_over(unsigned since);

/* Until the process sleeps, seen in /proc so many times in a row, each of which takes microseconds. 0 or -errno. */
int kb_wait_asleep(uint32_t pid, uint64_t looks);

/* A token round processes of one CPU, the caller among them: the operation is a hop from one to the next, the last
   one leads back to the caller. Each calls visit(its number) when it has the token, and the token adds up what it
   returns: *sum. kb_hops_base: the same visits and messages by the caller alone. */
int kb_hops_start(struct kb_run *, unsigned processes, uint64_t (*visit)(unsigned self));
int kb_hops_op(struct kb_run *, uint64_t n, uint64_t *sum);
int kb_hops_base(struct kb_run *, uint64_t n);
void kb_hops_end(struct kb_run *);

/* Tokens by futex between processes: the word, which holds the number, becomes number + 1 and its sleeper is woken; sleeps
   until it is. Each is one system call, of which the second refuses to sleep if the token is there already. */
int kb_futex_pass(uint32_t *word, uint64_t number);
int kb_futex_await(uint32_t *word, uint64_t number);

/* Fills vector registers that no call preserves with a pattern of seed, and tells whether they still hold it. wide:
   as far as the processor has them, else what every program of the architecture may use. false: no such registers. */
bool kb_vector_set(bool wide, uint64_t seed);
bool kb_vector_holds(bool wide, uint64_t seed);

#endif
