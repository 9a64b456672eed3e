/*
 * ipc.rpc: a null call as a library of remote procedures makes it: a record mark, a header of six words in network
 * order with a transaction number, a table of procedures on the other side, and a reply that must match the call.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>

#include <kbench_channel.h>

enum { CALL, REPLY, PROGRAM = 0x20004b42, VERSION = 1, WORDS = 6, LAST_FRAGMENT = 1u << 31 };

struct message { uint32_t mark, transaction, type, program, version, procedure, result; };

static struct kb_channel channel = { .bytes = sizeof(struct message), .blocks = true };
static uint32_t transaction;

static int put(enum kb_way way, uint32_t type, uint32_t number, uint32_t procedure, uint32_t result)
{
	struct message m = { htonl(LAST_FRAGMENT | WORDS * 4), htonl(number), htonl(type), htonl(PROGRAM),
		htonl(VERSION), htonl(procedure), htonl(result) };

	return kb_channel_send(&channel, way, &m, sizeof m);
}

/* First the mark, as the length is not known before. */
static int get(enum kb_way way, uint32_t type, struct message *m)
{
	int error = kb_channel_receive(&channel, way, &m->mark, sizeof m->mark);

	if (error)
		return error;
	if (ntohl(m->mark) != (LAST_FRAGMENT | WORDS * 4))
		return -EBADMSG;
	error = kb_channel_receive(&channel, way, &m->transaction, WORDS * 4);
	if (error)
		return error;
	return ntohl(m->type) == type && ntohl(m->program) == PROGRAM && ntohl(m->version) == VERSION ? 0 : -EBADMSG;
}

static uint32_t calls;
/* What the null procedure returns tells which call it was. */
static uint32_t null_procedure(void)
{
	return ++calls;
}

static uint32_t (*const procedures[])(void) = { null_procedure };

static int serve(struct kb_run *run)
{
	struct message call;
	int error;

	(void)run;
	while (!(error = get(KB_THERE, CALL, &call))) {
		uint32_t procedure = ntohl(call.procedure);

		if (procedure >= sizeof procedures / sizeof *procedures)
			return -EBADMSG;
		error = put(KB_BACK, REPLY, ntohl(call.transaction), procedure, procedures[procedure]());
		if (error)
			break;
	}
	return error;
}

static int setup(struct kb_run *run)
{
	bool tcp = kb_param_is(run, "transport", "tcp");
	int error = kb_channel_network(run);
	error = error ? error
		: tcp ? kb_channel_loopback(run, &channel, SOCK_STREAM)
		      : kb_channel_local(run, &channel, SOCK_STREAM);
	return error ? error : kb_channel_start_with(run, &channel, serve);
}

static int op(struct kb_run *run, uint64_t n)
{
	struct message reply;
	int error = 0;

	for (uint64_t i = 0; i < n && !error; i++) {
		error = put(KB_THERE, CALL, ++transaction, 0, 0);
		error = error ? error : get(KB_BACK, REPLY, &reply);
		if (!error && (ntohl(reply.transaction) != transaction || ntohl(reply.result) != transaction))
			error = -EBADMSG;
		kb_count(run, KB_SEEN, !error);
	}
	return kb_channel_failed(run, error);
}

/* A local stream wakes a side for nothing when the other takes what it sent, here in two pieces. */
KB_BENCHMARK(.summary = "null remote procedure call over a Unix or TCP socket", .per = "call", .portability = KB_ASSUMING,
	.assumes = "both sides stay on the CPUs of their placement", .lmbench = "lat_rpc",
	.params = { { "transport", "of calls", KB_CHOICE, "unix,tcp", .choices = "unix,tcp" },
		{ "placement", "of sides", KB_CHOICE, "same-cpu", .choices = "same-cpu,idle-cpu" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SWITCHES, 3, 0, 1.4, KB_ALL, NULL },
		{ KB_SYSCALLS, 6, 0, 0.2, KB_ALL, NULL } },
	.setup = setup, .op = op, .check = kb_network_check, .teardown = kb_channel_end, );
