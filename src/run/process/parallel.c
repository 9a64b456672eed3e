/* See parallel.h: the transport. Processes do what they do for one launch; here they are started and ended together. */
#define _GNU_SOURCE
#include "run/process/parallel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/process/process.h"

#define PLACE_BYTES 128u        /* of a copy on the line; the collector refuses a smaller file */

struct kb_gang {
	const struct kb_run_options *options;
	unsigned most;                  /* copies of the row that has most */
	struct kb_run_options *each;    /* options of each copy: its own CPU */
	struct kb_process **processes;
	unsigned copies, opened;        /* of the launch in flight; copies 0: it is a launch of one without a line */
	int line;                       /* descriptor of what copies share */
	char *text;
	size_t length;
	char outcome[320];
};

static struct kb_transport transport_of(struct kb_gang *gang, unsigned copy)
{
	return kb_process_transport(gang->processes[copy]);
}

/* Partners come after the copies, as long as there are CPUs; then a copy has none but its own. */
static void place(const struct kb_run_options *options, unsigned copies, unsigned copy, struct kb_cpus *cpus)
{
	unsigned count = options->copy_cpu_count, partner = copies + copy;

	if (count == 0)
		return;
	cpus->measure = options->copy_cpus[copy % count];
	cpus->other = partner < count ? options->copy_cpus[partner] : cpus->measure;
	cpus->two = cpus->other != cpus->measure;
	cpus->maybe_sibling = cpus->maybe_sibling && cpus->two;
}

static struct kb_launch_text close_all(void *context);

static int open_copies(struct kb_gang *gang, const struct kb_launch_request *request, char error[256])
{
	gang->line = memfd_create("kbench-line", MFD_CLOEXEC);
	int result = gang->line < 0 || ftruncate(gang->line, (off_t)gang->copies * PLACE_BYTES) < 0 ? -errno : 0;

	if (result)
		snprintf(error, 256, "no shared memory for %u copies: %s", gang->copies, strerror(-result));
	for (gang->opened = 0; gang->opened < gang->copies && !result; gang->opened += !result) {
		struct kb_transport transport = transport_of(gang, gang->opened);

		gang->each[gang->opened].cpus = gang->options->cpus;
		if (gang->copies > 1)
			place(gang->options, gang->copies, gang->opened, &gang->each[gang->opened].cpus);
		kb_process_line(gang->processes[gang->opened], gang->line, gang->copies, gang->opened);
		result = transport.open(transport.context, request, error);
	}
	if (result)
		close_all(gang);
	return result;
}

/* A proof counts system calls of one copy alone: under ptrace nothing is side by side. */
static int open_launch(void *context, const struct kb_launch_request *request, char error[256])
{
	struct kb_gang *gang = context;
	struct kb_transport transport = transport_of(gang, 0);

	gang->line = -1;
	gang->copies = request->prove ? 0 : request->row->copies;
	if (gang->copies)
		return open_copies(gang, request, error);
	gang->opened = 1;
	gang->each[0].cpus = gang->options->cpus;
	kb_process_line(gang->processes[0], -1, request->row->copies, 0);
	return transport.open(transport.context, request, error);
}

static int send_line(void *context, const char *line, size_t length)
{
	struct kb_gang *gang = context;
	int result = 0;

	for (unsigned i = 0; i < gang->opened; i++) {
		struct kb_transport transport = transport_of(gang, i);
		int error = transport.send(transport.context, line, length);

		result = result ? result : error;
	}
	return result;
}

static bool await_blocks(void *context, uint64_t blocks)
{
	struct kb_gang *gang = context;
	bool all = true;

	for (unsigned i = 0; i < gang->opened && all; i++) {
		struct kb_transport transport = transport_of(gang, i);

		all = transport.await(transport.context, blocks);
	}
	return all;
}

static struct kb_span record_so_far(void *context)
{
	struct kb_gang *gang = context;
	struct kb_transport transport = transport_of(gang, 0);

	return transport.record(transport.context);
}

/* One behind the other, each with the end of its last line: a cut-off one must not swallow the first line of the next. */
static void append(struct kb_gang *gang, const struct kb_launch_text *text)
{
	char *grown = realloc(gang->text, gang->length + text->length + 2);

	if (!grown)
		return; /* the record is missing then, and the row says so */
	gang->text = grown;
	if (text->length > 0)
		memcpy(grown + gang->length, text->record, text->length);
	gang->length += text->length;
	if (gang->length > 0 && grown[gang->length - 1] != '\n')
		grown[gang->length++] = '\n';
}

/* A copy that died without a word: the others shall not wait for it until their limit. */
static void call_off(struct kb_gang *gang, unsigned copy)
{
	static const uint32_t gone = 1;

	/* Behind the 8 bytes of the round: struct kb_barrier_place. */
	if (gang->line >= 0 && pwrite(gang->line, &gone, sizeof gone, (off_t)copy * PLACE_BYTES + 8) < 0)
		return;
}

static struct kb_launch_text close_all(void *context)
{
	struct kb_gang *gang = context;
	unsigned launch = 0;

	gang->length = 0;
	gang->outcome[0] = '\0';
	for (unsigned i = 0; i < gang->opened; i++) {
		struct kb_transport transport = transport_of(gang, i);
		struct kb_launch_text text = transport.close(transport.context);

		launch = text.launch;
		append(gang, &text);
		if (!text.outcome[0])
			continue;
		call_off(gang, i);
		if (!gang->outcome[0] && gang->copies > 1)
			snprintf(gang->outcome, sizeof gang->outcome, "%s (copy %u of %u)", text.outcome, i + 1, gang->copies);
		else if (!gang->outcome[0])
			snprintf(gang->outcome, sizeof gang->outcome, "%s", text.outcome);
	}
	if (gang->line >= 0)
		close(gang->line);
	gang->line = -1;
	gang->opened = 0;
	return (struct kb_launch_text){ launch, gang->outcome, gang->text, gang->length };
}

struct kb_transport kb_gang_transport(struct kb_gang *gang)
{
	return (struct kb_transport){ gang, open_launch, send_line, await_blocks, record_so_far, close_all };
}

struct kb_gang *kb_gang_new(const struct kb_run_options *options, struct kb_guardian *guardian, const char *scratch)
{
	struct kb_gang *gang = calloc(1, sizeof *gang);
	unsigned most = options->copies ? options->copies : 1;
	bool whole = gang && (gang->each = calloc(most, sizeof *gang->each)) &&
	             (gang->processes = calloc(most, sizeof(struct kb_process *)));

	for (unsigned i = 0; i < most && whole; i++) {
		gang->each[i] = *options;
		gang->processes[i] = kb_process_new(&gang->each[i], guardian, scratch);
		whole = gang->processes[i] != NULL;
		gang->most += whole;
	}
	if (!whole) {
		kb_gang_free(gang);
		return NULL;
	}
	gang->options = options;
	gang->line = -1;
	for (unsigned i = 0; i < most; i++)
		kb_process_with(gang->processes[i], gang->processes, most);
	return gang;
}

void kb_gang_free(struct kb_gang *gang)
{
	for (unsigned i = 0; gang && i < gang->most; i++)
		kb_process_free(gang->processes[i]);
	if (gang) {
		free(gang->processes);
		free(gang->each);
		free(gang->text);
	}
	free(gang);
}
