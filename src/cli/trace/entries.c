/*
 * kbench trace entries: kernel entries of a command while it runs. They are taken out of the kernel's ring as they come, paired,
 * summed and written at once, so that memory does not grow with their number.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/cli.h"
#include "cli/files.h"
#include "cli/trace/trace.h"
#include "io.h"
#include "record_format.h"
#include "workflow/tracee.h"

#define BATCH 1024u
#define POLL_NS 200000          /* between two readings of the ring: at 10 million raw entries a second it then holds 80 KB */
#define TIMELINE_MAX 100000
#define SLOWDOWN_MAX 100

static int read_size(const char *value, void *place, struct kb_failure *failure)
{
	uint64_t *bytes = place;

	if (kb_parse_size(value, bytes) && *bytes >= 4096 && *bytes <= UINT64_C(1) << 30 && (*bytes & (*bytes - 1)) == 0)
		return 0;
	return kb_refuse_typed(failure, "--buffer '%.40s': must be a power of two from 4K to 1G", value);
}

#define INTO(kind, ...) KB_OPTION(kind, struct kb_trace_entries_request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 'o', "output", "FILE", "write a record, which 'kbench analyze' reads", NULL, INTO(WORD, record) },
	{ 0, "perfetto", "FILE", "write JSON for the viewers of Perfetto and Chrome", NULL, INTO(WORD, chrome) },
	{ 0, "limit", "N", "stop after N entries", NULL, INTO(NUMBER, limit, .least = 1, .most = UINT64_C(1) << 50) },
	{ 0, "timeline", "N", "print the first N entries one by one", NULL, INTO(NUMBER, timeline, .least = 1, .most = TIMELINE_MAX) },
	{ 0, "buffer", "SIZE", "of the ring in the kernel, a power of two", "16M", INTO(READ, ring_bytes, .read = read_size) },
	{ 0, "all", NULL, "of all threads of the machine, not of CMD and its children alone", NULL, INTO(FLAG, everything) },
	{ 0, "slowdown", "N", "measure how much slower CMD is traced, by N more runs with and N without", NULL,
	  INTO(NUMBER, slowdown, .least = 2, .most = SLOWDOWN_MAX) },
	{ 0, "json", NULL, "print kbench-entries/1", NULL, INTO(FLAG, json) },
	{ 0 }
};

/* ---- one run ------------------------------------------------------------------------------------------- */

static void take_entry(struct kb_trace_entries *trace, const struct kb_entry *entry)
{
	char name[64];

	if (kb_entry_sum_add(&trace->sum, entry))
		kb_no_memory(trace->request->command);
	trace->full = trace->request->limit > 0 && trace->sum.entries >= trace->request->limit;
	if (trace->first_count < trace->request->timeline)
		trace->first[trace->first_count++] = *entry;
	if (trace->record_file)
		kb_entries_record_add(&trace->record, entry);
	if (trace->chrome_file) {
		kb_entry_name(entry, name, sizeof name);
		kb_chrome_add(&trace->chrome, entry, name);
	}
}

/* Takes what is in the ring; false if there was nothing. The log that is full takes nothing more, and stops. */
static bool drain(struct kb_trace_entries *trace)
{
	static struct kb_raw_entry raw[BATCH];
	size_t got = kb_entries_take(&trace->entries, raw, BATCH);
	struct kb_entry entry;

	for (size_t i = 0; i < got && !trace->discard; i++) {
		if (!trace->full && kb_pairing_add(trace->pairing, &raw[i], &entry)) {
			take_entry(trace, &entry);
			if (trace->full)
				kb_entries_switch(&trace->entries, false);
		}
	}
	return got > 0;
}

/* Empties the ring, of at most a full one: entries may come as fast as they go, and the command's end or a signal must be seen
   nevertheless. Without a command the limit ends it; a command goes on untraced. */
static bool drained(void *context)
{
	struct kb_trace_entries *trace = context;

	for (uint64_t left = trace->request->ring_bytes / KB_ENTRIES_BYTES(BATCH) + 1; left > 0 && drain(trace); left--)
		;
	return trace->full && !trace->request->argv;
}

/* Entries of the command from its exec to its end; without one, until a signal or the limit. */
static void run(struct kb_trace_entries *trace)
{
	struct kb_failure failure;
	struct kb_entry fault;

	trace->command.poll_ns = POLL_NS;
	kb_entries_switch(&trace->entries, true);
	kb_die_if(trace->request->command, kb_tracee_go(&trace->command, &failure), &failure);
	kb_tracee_wait(&trace->command, 0, drained, trace);
	kb_entries_switch(&trace->entries, false);
	while (drain(trace))
		;
	while (!trace->full && kb_pairing_left(trace->pairing, &fault))
		take_entry(trace, &fault);
}

static void open_entries(struct kb_trace_entries *trace, struct kb_tracee *tracee)
{
	bool everything = trace->request->everything, follows;
	int error = kb_entries_open(&trace->entries, trace->request->ring_bytes, everything);

	if (!error)
		kb_entries_add_fault_ends(&trace->entries, everything);
	if (!error && tracee->pid && !everything)
		error = kb_members_add(&trace->entries.members, (uint32_t)tracee->pid);
	if (!error)
		return;
	follows = !everything && strstr(trace->entries.failed, "following") && (error == -ENOENT || error == -ENOTSUP);
	kb_tracee_cancel(tracee);
	kb_die(trace->request->command, KB_EXIT_UNFIT, "%s: %s%s", trace->entries.failed, kb_members_why(error),
	       follows ? "; --all does not need it" : "");
}

/* ---- how much slower ----------------------------------------------------------------------------------- */

/* Wall time of one run in ns. false: a signal cut it short, or it ended otherwise than the first, and took its time for something
   else. */
static bool timed(struct kb_trace_entries *trace, bool traced, double *ns)
{
	struct kb_failure failure;
	struct kb_tracee command;
	uint64_t begin;

	kb_die_if(trace->request->command, kb_tracee_start(&command, trace->request->argv, true, &failure), &failure);
	command.poll_ns = POLL_NS;
	if (traced) {
		open_entries(trace, &command);
		kb_entries_switch(&trace->entries, true);
	}
	begin = kb_wall_ns();
	kb_die_if(trace->request->command, kb_tracee_go(&command, &failure), &failure);
	kb_tracee_wait(&command, 0, traced ? drained : NULL, trace);
	*ns = (double)(kb_wall_ns() - begin);
	if (traced)
		kb_entries_close(&trace->entries);
	trace->command.signal = command.signal;
	trace->changed = !command.signal && command.status != trace->command.status;
	return !command.signal && !trace->changed;
}

/* ---- files --------------------------------------------------------------------------------------------- */

static void begin_files(struct kb_trace_entries *trace)
{
	const struct kb_trace_entries_request *request = trace->request;

	trace->record_file = kb_output_open(request->command, request->record);
	trace->chrome_file = kb_output_open(request->command, request->chrome);
	trace->start_ns = kb_monotonic_ns();
	if (trace->record_file)
		kb_entries_record_begin(&trace->record, (struct kb_sink){ kb_put_to_file, trace->record_file }, trace->start_ns,
					kb_put_kernel_clock);
	if (trace->chrome_file)
		kb_chrome_begin(&trace->chrome, trace->chrome_file, trace->start_ns);
}

/* Where a file is not whole, what was seen is shown all the same: the time that it took would be gone with it. */
static void end_files(struct kb_trace_entries *trace)
{
	const struct kb_trace_entries_request *request = trace->request;

	if (trace->record_file)
		trace->unwritten = !kb_output_close(request->command, request->record, trace->record_file,
						    kb_entries_record_end(&trace->record, &trace->counts, trace->lost, trace->full));
	if (trace->chrome_file && trace->command.pid)
		kb_chrome_process(&trace->chrome, (uint32_t)trace->command.pid, request->argv[0]);
	if (trace->chrome_file)
		trace->unwritten |= !kb_output_close(request->command, request->chrome, trace->chrome_file,
						     kb_chrome_end(&trace->chrome, trace->lost));
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static void collect(struct kb_trace_entries *trace)
{
	struct kb_failure failure;
	struct rusage usage;

	kb_die_if(trace->request->command, kb_tracee_start(&trace->command, trace->request->argv, false, &failure), &failure);
	open_entries(trace, &trace->command);
	kb_warn_emulated(trace->request->command);
	begin_files(trace);
	run(trace);
	trace->end_ns = kb_monotonic_ns();
	trace->lost = trace->entries.control->lost;
	trace->unfollowed = kb_members_unfollowed(&trace->entries.members);
	trace->counts = kb_pairing_finish(trace->pairing);
	end_files(trace);
	getrusage(RUSAGE_SELF, &usage);
	trace->peak_kib = (uint64_t)usage.ru_maxrss;
	kb_entries_close(&trace->entries);
}

static int trace_entries(const struct kb_trace_entries_request *request)
{
	struct kb_trace_entries *trace = kb_need_memory(request->command, calloc(1, sizeof *trace));
	int code;

	trace->pairing = kb_need_memory(request->command, kb_pairing_new());
	trace->request = request;
	trace->first = kb_need_memory(request->command, calloc(request->timeline + 1, sizeof *trace->first));
	collect(trace);
	trace->cost = kb_entries_cost();
	if (request->slowdown) {
		/* Pairs, now the one first, now the other. */
		double ratios[SLOWDOWN_MAX], ns[2];
		unsigned pairs = 0;

		trace->discard = true;
		for (; pairs < request->slowdown && !trace->command.signal; pairs++) {
			bool first = pairs % 2 == 0;

			if (!timed(trace, first, &ns[first]) || !timed(trace, !first, &ns[!first]))
				break;
			ratios[pairs] = ns[true] / ns[false];
		}
		trace->pairs = trace->changed ? 0 : pairs;
		trace->slowdown = kb_entries_slowdown(ratios, trace->pairs);
	}
	(request->json ? kb_trace_entries_json : kb_trace_entries_print)(trace);
	code = trace->unwritten ? KB_EXIT_USAGE : kb_tracee_exit(&trace->command);
	kb_entry_sum_free(&trace->sum);
	kb_pairing_free(trace->pairing);
	free(trace->first);
	free(trace);
	return code;
}

static int entries_main(const struct kb_command *command, int argc, char **argv)
{
	struct kb_trace_entries_request request = { .command = command, .ring_bytes = UINT64_C(16) << 20 };

	kb_read_options(command, argc, argv, &request);
	request.argv = optind < argc ? argv + optind : NULL;
	if (!request.argv && !request.everything)
		kb_usage(command, "entries of which command? -- CMD, or --all until a signal");
	if (request.record && request.chrome && strcmp(request.record, request.chrome) == 0)
		kb_usage(command, "--output and --perfetto cannot be one file");
	if (!request.argv && request.slowdown)
		kb_usage(command, "--slowdown goes with a command");
	return trace_entries(&request);
}

const struct kb_command kb_trace_entries_verb = {
	.name = "trace entries",
	.arguments = "[-- CMD [ARGUMENT...]]",
	.summary = "Print system calls, interrupts and page faults of CMD, and how long they took",
	.text = "Of CMD, its threads and its children, and of interrupts that hit them; with --all of everything, without CMD\n"
		"until a signal. What the kernel's ring had no room for is counted and shown as lost; doc/trace-kernel.md.\n",
	.options = options,
	.examples = "  kbench trace entries -- ls /\n"
		    "  kbench trace entries --perfetto ls.json -- ls /\n"
		    "  kbench trace entries --timeline 50 --limit 1000 -- make\n"
		    "  kbench trace entries --slowdown 5 -- tar cf /dev/null .\n",
	.exits = "  0 done; 2 usage, CMD cannot be executed, unwritable output; 3 the kernel refuses; 5 a process cannot be started;\n"
		 "  128+n ended by signal n\n",
	.main = entries_main,
};
