/* A token round processes of one CPU; see kbench_channel.h. Everybody holds every pipe, so the end is a token, too. */
#define _GNU_SOURCE
#include "kbench_channel.h"

#include <errno.h>
#include <unistd.h>

struct token { uint64_t left, sum; };   /* hops still to come after this one; what the visits returned */

static int pipes[KB_PEERS_MAX + 1][2];  /* the input of each; the last: of no process, for the base */
static unsigned count, self;
static uint64_t (*visit)(unsigned);

static int put(unsigned to, const struct token *token)
{
	return write(pipes[to][1], token, sizeof *token) == sizeof *token ? 0 : -errno;
}

/* The last hop leads home, from wherever the token is. */
static int pass(struct token token)
{
	return put(token.left == 0 ? 0 : (self + 1) % count, &token);
}

static int get(unsigned from, struct token *token)
{
	unsigned since = kb_wait_begin();
	int error = 0;

	while (!error && read(pipes[from][0], token, sizeof *token) != sizeof *token)
		error = errno == EINTR ? kb_wait_over(since) : -errno;
	if (!error && token->left != UINT64_MAX)
		token->sum += visit(self);
	return error;
}

static int serve(struct kb_run *run)
{
	struct token token;

	(void)run;
	visit(self); /* its memory is touched before the first sample */
	while (!get(self, &token) && token.left-- != UINT64_MAX && !pass(token))
		;
	return 0;
}

int kb_hops_start(struct kb_run *run, unsigned processes, uint64_t (*function)(unsigned self))
{
	int error = 0;

	count = processes;
	visit = function;
	for (unsigned i = 0; i < count && !error; i++)
		error = pipe(pipes[i]) ? -errno : 0;
	if (error || pipe(pipes[KB_PEERS_MAX]))
		return kb_fail(run, errno, "a pipe for each process");
	kb_wait_watch(run);
	for (self = 1; self < count && !error; self++)
		error = kb_peer_start(run, serve, "same-cpu");
	self = 0;
	visit(self);
	return error;
}

int kb_hops_op(struct kb_run *run, uint64_t n, uint64_t *sum)
{
	struct token token = { .left = n - 1 };
	int error = n > 0 ? pass(token) : 0;

	for (bool more = n > 0; more && !error;) {
		error = get(0, &token);
		more = !error && token.left-- > 0;
		error = more ? pass(token) : error;
	}
	*sum = token.sum;
	return kb_channel_failed(run, error);
}

int kb_hops_base(struct kb_run *run, uint64_t n)
{
	struct token token = { 0, 0 };
	int error = 0;

	for (uint64_t i = 0; i < n && !error; i++) {
		error = put(KB_PEERS_MAX, &token);
		error = error ? error : get(KB_PEERS_MAX, &token);
	}
	return kb_channel_failed(run, error);
}

void kb_hops_end(struct kb_run *run)
{
	(void)run;
	kb_wait_unwatch();
	for (unsigned i = 1; i < count; i++)
		put(i, &(struct token){ .left = UINT64_MAX });
}
