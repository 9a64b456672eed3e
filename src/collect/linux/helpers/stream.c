/*
 * A stream of chunks from the partner. The measuring side asks for n and takes them, so the sample ends when the last
 * byte is here, and what was seen was seen by the side that reports it.
 */
#define _GNU_SOURCE
#include "kbench_channel.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/linux/context.h"
#include "partner/message.h"

static int give(struct kb_channel *c)
{
	return c->give ? c->give(c) : kb_channel_send(c, KB_BACK, c->chunk, c->bytes);
}

static void turn(struct kb_channel *c)
{
	c->chunk = c->memory + c->number % c->chunks * c->bytes;
}

static int take(struct kb_channel *c)
{
	int error;

	turn(c);
	error = c->take ? c->take(c) : kb_channel_receive(c, KB_BACK, c->chunk, c->bytes);
	return error ?: kb_message_holds(c->chunk, c->bytes, c->number) && kb_chunk_sum(c->chunk, c->bytes) == c->sum ? 0 : -EBADMSG;
}

/* A request is read whole: no pipe splits eight bytes. */
static int serve(struct kb_run *run)
{
	struct kb_channel *c = run->state;
	uint64_t n;
	int error = 0;

	close(c->request[1]);
	while (!error && read(c->request[0], &n, sizeof n) == sizeof n) {
		for (; n > 0 && !error; n--) {
			turn(c);
			kb_message_stamp(c->chunk, c->bytes, c->number++);
			error = give(c);
		}
	}
	return error;
}

int kb_stream_start(struct kb_run *run, struct kb_channel *c)
{
	int error;

	c->bytes = run->bytes_per_op = kb_param_number(run, "chunk");
	c->blocks = true;
	c->chunks = c->chunks ? c->chunks : 1;
	c->memory = mmap(
		NULL, c->chunks * c->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (c->memory == MAP_FAILED)
		return kb_fail(run, errno, "no memory for a chunk");
	for (unsigned i = 0; i < c->chunks; i++)
		kb_chunk_fill(c->memory + i * c->bytes, c->bytes);
	c->sum = kb_chunk_sum(c->memory, c->bytes);
	if (c->remote)
		return kb_channel_start_with(run, c, serve);
	if (pipe(c->request))
		return kb_fail(run, errno, "a pipe for requests");
	error = kb_channel_start_with(run, c, serve);
	close(c->request[0]);
	return error;
}

/* A server on another machine is asked over the data, where datagrams begin with the cookie. */
static int ask(struct kb_channel *c, uint64_t wanted)
{
	unsigned char text[sizeof c->cookie + sizeof wanted];

	if (!c->remote)
		return write(c->request[1], &wanted, sizeof wanted) == sizeof wanted ? 0 : errno == EPIPE ? -EPIPE : -EIO;
	memcpy(text, c->cookie, c->head);
	memcpy(text + c->head, &wanted, sizeof wanted);
	return kb_channel_send(c, KB_THERE, text, c->head + sizeof wanted);
}

int kb_stream_op(struct kb_run *run, uint64_t n)
{
	struct kb_channel *c = run->state;
	int error = 0;

	c->first = c->number;

	while (n > 0 && !error) {
		uint64_t wanted = c->window && n > c->window ? c->window : n;

		n -= wanted;
		error = ask(c, wanted);
		for (; wanted > 0 && !error; wanted--) {
			error = take(c);
			c->number += !error;
		}
	}
	kb_count(run, KB_SEEN, c->number - c->first);
	return kb_channel_failed(run, error);
}

int kb_stream_check(struct kb_run *run, uint64_t n)
{
	const struct kb_channel *c = run->state;
	uint64_t last = c->first + n - 1;

	return kb_message_holds(c->chunk, c->bytes, last) ? 0 :
	       kb_fail(run, EILSEQ, "the last chunk is not that of number %llu", (unsigned long long)last);
}

void kb_stream_end(struct kb_run *run)
{
	struct kb_channel *c = run->state;

	if (!c->remote)
		close(c->request[1]);
	kb_channel_end(run);
}
