/*
 * ipc.http: a page from a server that has only one, over the loopback. Requests are numbered and the page says at both
 * ends which one it answers; status and length are looked at. connection=kept: one for all; new: one for each request,
 * opened and closed inside the measurement, which leaves a time-wait behind in the network of this process.
 */
#include <errno.h>
#include <unistd.h>

#include <kbench_channel.h>

static struct kb_channel channel = { .bytes = 1, .blocks = true };
static uint64_t page_bytes, number;
static uint16_t port;
static int listener, kept = -1;

static int serve(struct kb_run *run)
{
	if (kept >= 0)
		close(kept); /* or it would never see the other side close */
	return kb_http_serve(&channel, listener, page_bytes, kb_param_is(run, "connection", "kept"));
}

static int setup(struct kb_run *run)
{
	int error = kb_channel_network(run);

	page_bytes = kb_param_number(run, "page");
	listener = error ? error : kb_listen(run, &port);
	if (listener < 0)
		return listener;
	if (kb_param_is(run, "connection", "kept") && (kept = kb_connect(port)) < 0)
		return kb_fail(run, -kept, "a connection to the server");
	return kb_channel_start_with(run, &channel, serve);
}

static int get_page(void)
{
	int fd = kept >= 0 ? kept : kb_connect(port), error = fd < 0 ? fd : kb_http_get(fd, ++number, page_bytes);

	if (kept < 0 && fd >= 0)
		close(fd);
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	for (uint64_t i = 0; i < n && !error; i++) {
		error = get_page();
		kb_count(run, KB_SEEN, !error);
	}
	return kb_channel_failed(run, error);
}

/* The last connection tells the server that it is over. */
static void teardown(struct kb_run *run)
{
	kb_channel_end(run);
	close(kept >= 0 ? kept : kb_connect(port));
}

/* Each side sleeps once a page at the least; a new connection wakes the server before the request is there, and
   its end does so again. */
KB_BENCHMARK(
	.summary = "HTTP request to a server of the benchmark over the loopback", .per = "request",
	.portability = KB_ASSUMING, .lmbench = "lat_http, lmhttp, rhttp",
	.assumes = "both sides stay on the CPUs of their placement",
	.params = { { "connection", "of requests", KB_CHOICE, "kept,new", .choices = "kept,new" },
		{ "page", "length", KB_SIZE, "1024", 64, KB_PAGE_MAX, NULL },
		{ "placement", "of sides", KB_CHOICE, "same-cpu", .choices = "same-cpu,idle-cpu" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SWITCHES, 4, 0, 2.5, KB_ALL, NULL } },
	.setup = setup, .op = op, .check = kb_network_check, .teardown = teardown,
);
