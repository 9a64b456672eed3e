/* See parallel.h. Processes do what they do alone; here they are started and ended together. */
#define _GNU_SOURCE
#include "run/process/parallel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lacking.h"

#define PLACE_BYTES 128u        /* of a copy on the line; the collector refuses a smaller file */

struct kb_copies {
	const struct kb_run_options *options;
	struct kb_run_options *each;    /* options of each copy: its own CPU */
	struct kb_process **processes;
	unsigned made;                  /* processes there are */
	unsigned copies, opened;        /* of those in flight; copies 0: it is one without a line */
	int line;                       /* descriptor of what copies share */
	char *text;
	size_t length;
	char outcome[320];
};

/* Partners come after the copies, as long as there are CPUs; then a copy has none but its own. */
static void place(const struct kb_run_options *options, unsigned copies, unsigned copy, struct kb_cpus *cpus)
{
	unsigned count = options->copy_cpu_count, partner = copies + copy;

	*cpus = options->cpus;
	if (copies < 2 || count == 0)
		return;
	cpus->measure = options->copy_cpus[copy % count];
	cpus->other = partner < count ? options->copy_cpus[partner] : cpus->measure;
	cpus->two = cpus->other != cpus->measure;
	cpus->maybe_sibling = cpus->maybe_sibling && cpus->two;
}

static struct kb_process_text close_all(void *context);

/* A proof counts system calls of one copy alone: under ptrace nothing is side by side. */
static int open_all(void *context, const struct kb_process_request *request, char error[256])
{
	struct kb_copies *all = context;
	unsigned processes;
	int result = 0;

	all->copies = request->prove ? 0 : request->row->copies;
	all->line = all->copies ? memfd_create("kbench-line", MFD_CLOEXEC) : -1;
	if (all->copies && (all->line < 0 || ftruncate(all->line, (off_t)all->copies * PLACE_BYTES) < 0)) {
		result = -errno;
		snprintf(error, 256, "no shared memory for %u copies: %s", all->copies, kb_lack(-result));
	}
	processes = all->copies ? all->copies : 1;
	for (all->opened = 0; all->opened < processes && !result; all->opened += !result) {
		place(all->options, all->copies, all->opened, &all->each[all->opened].cpus);
		result = kb_process_open(all->processes[all->opened], request, all->line, all->opened, error);
	}
	if (result)
		close_all(all);
	return result;
}

static int send_line(void *context, const char *line, size_t length)
{
	struct kb_copies *all = context;
	int result = 0;

	for (unsigned i = 0; i < all->opened; i++) {
		int error = kb_process_send(all->processes[i], line, length);

		result = result ? result : error;
	}
	return result;
}

static bool await_blocks(void *context, uint64_t blocks)
{
	struct kb_copies *all = context;
	bool alive = true;

	for (unsigned i = 0; i < all->opened && alive; i++)
		alive = kb_process_await(all->processes[i], blocks);
	return alive;
}

static struct kb_span record_so_far(void *context)
{
	const struct kb_copies *all = context;

	return kb_process_record(all->processes[0]);
}

/* One behind the other, each with the end of its last line: a cut-off one must not swallow the first line of the next. */
static void append(struct kb_copies *all, const struct kb_process_text *text)
{
	char *grown = realloc(all->text, all->length + text->length + 2);

	if (!grown)
		return; /* the record is missing then, and the result says so */
	all->text = grown;
	if (text->length > 0)
		memcpy(grown + all->length, text->record, text->length);
	all->length += text->length;
	if (all->length > 0 && grown[all->length - 1] != '\n')
		grown[all->length++] = '\n';
}

/* A copy that died without a word: the others shall not wait for it until their limit. */
static void call_off(const struct kb_copies *all, unsigned copy)
{
	static const uint32_t gone = 1;

	/* Behind the 8 bytes of the round: struct kb_barrier_place. */
	if (all->line >= 0 && pwrite(all->line, &gone, sizeof gone, (off_t)copy * PLACE_BYTES + 8) < 0)
		return;
}

static struct kb_process_text close_all(void *context)
{
	struct kb_copies *all = context;
	unsigned process = 0;

	all->length = 0;
	all->outcome[0] = '\0';
	for (unsigned i = 0; i < all->opened; i++) {
		struct kb_process_text text = kb_process_close(all->processes[i]);

		process = text.process;
		append(all, &text);
		if (!text.outcome[0])
			continue;
		call_off(all, i);
		if (!all->outcome[0] && all->copies > 1)
			snprintf(all->outcome, sizeof all->outcome, "%s (copy %u of %u)", text.outcome, i + 1, all->copies);
		else if (!all->outcome[0])
			snprintf(all->outcome, sizeof all->outcome, "%s", text.outcome);
	}
	if (all->line >= 0)
		close(all->line);
	all->line = -1;
	all->opened = 0;
	return (struct kb_process_text){ process, all->outcome, all->text, all->length };
}

struct kb_transport kb_copies_transport(struct kb_copies *all)
{
	return (struct kb_transport){ all, open_all, send_line, await_blocks, record_so_far, close_all };
}

struct kb_copies *kb_copies_new(const struct kb_run_options *options, struct kb_machine *machine)
{
	unsigned most = options->copies ? options->copies : 1;
	struct kb_copies *all = calloc(1, sizeof *all);

	if (!all)
		return NULL;
	*all = (struct kb_copies){
		.options = options, .each = calloc(most, sizeof *all->each), .processes = calloc(most, sizeof(struct kb_process *)), .line = -1,
	};
	while (all->each && all->processes && all->made < most) {
		all->each[all->made] = *options;
		all->processes[all->made] = kb_process_new(&all->each[all->made], machine);
		if (!all->processes[all->made])
			break;
		all->made++;
	}
	if (all->made == most)
		return all;
	kb_copies_free(all);
	return NULL;
}

void kb_copies_free(struct kb_copies *all)
{
	for (unsigned i = 0; all && i < all->made; i++)
		kb_process_free(all->processes[i]);
	if (all) {
		free(all->processes);
		free(all->each);
		free(all->text);
	}
	free(all);
}
