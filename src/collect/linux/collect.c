/* See collect.h. */
#define _GNU_SOURCE
#include "collect/linux/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/common/neighbour.h"
#include "collect/common/options.h"
#include "collect/common/record.h"
#include "collect/linux/barrier.h"
#include "collect/linux/context.h"
#include "evidence/proof.h"
#include "evidence/throttle.h"
#include "evidence/waiting.h"
#include "io.h"
#include "measure/emulation.h"
#include "record_format.h"
#include "stamp.h"

#define PROOF_LIMIT_NS UINT64_C(10000000000)

static struct kb_context context;
static struct kb_collect_options options;
static struct kb_measure measure;
static struct kb_run run;
static struct kb_neighbour neighbour;
static struct kb_barrier barrier;
static struct kb_throttle throttle;
static struct kb_waiting waiting;

/* ---- header -------------------------------------------------------------------------------------- */

static void write_expectations(const struct kb_bench *bench)
{
	char line[256];

	for (int i = 0; i < KB_EXPECT_MAX && bench->expect[i].counter; i++) {
		if (!kb_settings_match(&options.settings, bench->expect[i].when))
			continue;
		kb_expect_format(line, sizeof line, &bench->expect[i]);
		kb_record_line(&context.out, "expect", line);
	}
	/* Of events, too, that this machine may not count: no `e` line answers then. */
	for (int i = 0; i < KB_EVENTS_MAX && bench->events[i].name; i++) {
		const struct kb_event *event = &bench->events[i];

		if (kb_settings_match(&options.settings, event->when))
			kb_record_format(&context.out, "expect", KB_EVENT_PREFIX "%s per_op=%.9g per_sample=0 tolerance=%.9g who=self",
					 event->name, event->per_op, event->tolerance);
	}
}

static void write_header(const struct kb_bench *bench)
{
	const struct kb_clock *clock = &context.clock;

	kb_record_begin(&context.out, kb_output_sink(STDOUT_FILENO));
	kb_collect_header(&context.out, &options);
	/* Parts of the result's name: it is another one than without. */
	if (options.interference)
		kb_record_format(&context.out, "param", "interference=%s", options.interference);
	if (options.copies)
		kb_record_format(&context.out, "param", "copies=%u", options.copies);
	kb_record_format(&context.out, "clock", "%s hz=%llu quantum=%llu cost=%llu ordered=%d ladder=%d", clock->name,
			 (unsigned long long)kb_clock_rate(clock), (unsigned long long)clock->quantum, (unsigned long long)clock->cost,
			 clock->ordered, clock->ladder_ok);
	kb_record_format(&context.out, "env", "arch=%s", KB_ARCH_NAME);
	if (options.forked)
		kb_record_line(&context.out, "note", "one_layout \"all processes are forks of one program\"");
	if (options.emulated)
		kb_record_format(&context.out, "note", "emulated_clock \"W401: %s runs it\"", options.emulated);
	kb_record_format(&context.out, "env", "cpu=%u peer_cpu=%u pid=%d bytes_per_op=%llu checked=%d", options.cpu, options.peer_cpu,
			 (int)getpid(), (unsigned long long)bench->bytes_per_op, bench->check != NULL);
	if (bench->half_base)
		kb_record_line(&context.out, "env", "base=half");
	else if (bench->base_does)
		kb_record_line(&context.out, "env", "base=works");
	if (bench->observe)
		kb_record_line(&context.out, "env", "ticks=observed");
	if (options.copies)
		kb_record_format(&context.out, "env", "copies=%u copy=%u", options.copies, options.copy);
	write_expectations(bench);
	kb_record_modules(&context.out, options.plugin);
}

/* ---- steps --------------------------------------------------------------------------------------- */

static int fail(const char *stage, int error)
{
	if (context.skipped)
		kb_record_note(&context.out, "need_unmet", context.detail);
	kb_record_fail(&context.out, stage, -error, context.detail);
	kb_output_flush();
	return KB_COLLECT_FAILED;
}

static int check_needs(const struct kb_bench *bench)
{
	if ((bench->needs & KB_NEED_ROOT) && geteuid() != 0)
		return kb_skip(&run, "needs root");
	if ((bench->needs & KB_NEED_TWO_CPUS) && options.cpu == options.peer_cpu)
		return kb_skip(&run, "needs two CPUs");
	return 0;
}

static int setup(const struct kb_bench *bench)
{
	int error = kb_pin(options.cpu);

	if (error)
		return kb_fail(&run, -error, "cannot run on CPU %u", options.cpu);
	error = check_needs(bench) ?: bench->setup ? bench->setup(&run) : 0;
	if (run.granule != bench->granule)
		kb_record_format(&context.out, "env", "granule=%llu", (unsigned long long)run.granule);
	if (run.max_n != bench->max_n)
		kb_record_format(&context.out, "env", "max_n=%llu", (unsigned long long)run.max_n);
	if (context.elsewhere)
		kb_record_line(&context.out, "env", context.other_machine ? "partner=machine" : "partner=elsewhere");
	if (run.twin && bench->twin)
		kb_record_format(&context.out, "env", "twin=\"%s\"", run.twin);
	kb_record_line(&context.out, "bound", kb_bound_name(run.bound));
	if (run.bytes_per_op != bench->bytes_per_op)
		kb_record_format(&context.out, "env", "bytes_per_op=%llu", (unsigned long long)run.bytes_per_op);
	if (context.code_hash)
		kb_record_format(&context.out, "env", "code=%08x", context.code_hash);
	return error;
}

static int teardown(const struct kb_bench *bench)
{
	if (bench->teardown)
		bench->teardown(&run);
	return kb_peers_reap(&context);
}

/* Where the process stands on the time line of its run: nothing is computed of it. */
static void write_start(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME, &now) == 0)
		kb_record_format(&context.out, "env", "started_ms=%llu",
				 (unsigned long long)now.tv_sec * 1000 + (unsigned long long)now.tv_nsec / 1000000);
}

static int execute_plan(void)
{
	struct kb_block block;
	struct kb_span line;
	int more;

	while ((more = kb_plan_line(STDIN_FILENO, &line)) > 0) {
		int error = kb_plan_parse(line, &block);

		if (error)
			return error;
		measure.detail = context.detail;
		context.detail[0] = '\0';
		kb_neighbour_block_begin(&neighbour, block.warm);
		if (kb_measure_block(&measure, &block))
			return kb_output_flush() ? -EPIPE : -ECANCELED; /* the fail line is written */
		int wrong = kb_annotations_wrong(&run);

		if (wrong) {
			fail("covariate", wrong);
			return -ECANCELED;
		}
		kb_neighbour_block_end(&neighbour, block.warm);
		if (kb_output_flush())
			return -EPIPE;
	}
	return more;
}

static int finish(void)
{
	int error = kb_record_end(&context.out);

	return error || kb_output_flush() ? KB_COLLECT_FAILED : 0;
}

static int line_up(void *line)
{
	int error = kb_barrier_wait(line);

	if (error)
		kb_fail(&run, -error, error == -ETIME ? "another copy did not come to the line" : "another copy failed");
	return error;
}

/* Before set-up: what it shares is the parent's and its children's. All of it is touched, because no benchmark claims its faults. */
static struct kb_marks *room_for_marks(const struct kb_bench *bench)
{
	struct kb_marks *marks;

	if (bench->parts < 2 || options.copies)
		return NULL;
	marks = mmap(NULL, sizeof *marks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (marks == MAP_FAILED)
		return NULL;
	marks->most = bench->parts < KB_PARTS_MAX ? bench->parts : KB_PARTS_MAX;
	return marks;
}

/* ---- interference ----------------------------------------------------------------------------------------- */

static int start_neighbour(void)
{
	int error = kb_neighbour_start(&neighbour, options.interference, options.cpu, options.peer_cpu);

	/* Also of a process that is alone, so that both sides of the comparison are judged alike. */
	context.elsewhere = true;
	return !error ? 0 : neighbour.unfit ? kb_skip(&run, "%s", neighbour.why) : kb_fail(&run, -error, "%s", neighbour.why);
}

static int put_line(void *unused, const char *word, const char *text)
{
	(void)unused;
	kb_record_line(&context.out, word, text);
	return 0;
}

static int measure_process(const struct kb_bench *bench)
{
	struct kb_probe hooks = kb_linux_probe_hooks(&context.probe);

	measure = (struct kb_measure){ .run = &run, .clock = &context.clock, .probe = &hooks, .out = &context.out, .annotate = kb_annotations,
	                               .clock_read = &context.clock_read, .marks = room_for_marks(bench) };
	context.measure = &measure;
	int error = options.copies ? kb_barrier_open(&barrier, options.barrier, options.copies, options.copy) : 0;

	if (error)
		return fail("barrier", error);
	if (options.copies) {
		measure.line_up = line_up;
		measure.line = &barrier;
	}
	kb_throttle_open(&throttle, ""); /* both before set-up, whose state nothing may touch after it */
	kb_waiting_open(&waiting);
	error = setup(bench);
	if (error)
		return fail("setup", error);
	write_start();
	kb_output_flush();
	kb_throttle_start(&throttle);
	kb_waiting_start(&waiting);
	error = execute_plan();
	uint64_t throttled = kb_throttle_us(&throttle);
	bool accounted = kb_waiting_end(&waiting);

	if (error == -ECANCELED)
		return KB_COLLECT_FAILED;
	if (error)
		return fail("plan", error);
	kb_lookout_finish(&context.probe.lookout, !options.interference);
	error = options.process == 1 && !options.copies && !options.emulated ? kb_inspect_memory(&run) : 0;
	if (error)
		return fail("op", error);
	error = kb_neighbour_finish(&neighbour, put_line, NULL);
	if (error)
		return fail("interference", kb_fail(&run, -error, "%s", neighbour.why));
	error = teardown(bench);
	if (error)
		return fail("teardown", error);
	kb_linux_probe_report(&context.probe, &context.out);
	kb_lookout_report(&context.probe.lookout, &context.out);
	if (context.probe.own[KB_SWITCHES] > 0)
		kb_record_line(&context.out, "env", "own=switches"); /* what the benchmark said of them is in the sum */
	if (throttled > 0)
		kb_record_format(&context.out, "env", "throttled_us=%llu", (unsigned long long)throttled);
	if (accounted)
		kb_record_format(&context.out, "env", "ran_us=%llu waited_us=%llu", (unsigned long long)waiting.ran_ns / 1000,
				 (unsigned long long)waiting.waited_ns / 1000);
	/* Where the `t` of this copy start, for these are compared with those of the others. */
	if (options.copies)
		kb_record_format(&context.out, "env", "first=%llu", (unsigned long long)measure.first);
	return finish();
}

/* ---- proof --------------------------------------------------------------------------------------- */

/* Runs in the traced child: a process of its own, from set-up to its end. Traced it is slower, and what depends on who runs first may
   fail; where no claim needs the proof, processes that are not traced say whether it does. */
static int traced(void *data, uint64_t n)
{
	const struct kb_bench *bench = data;
	int record = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	/* The record is the tracer's: a crash must not write into it, too. */
	dup2(nowhere, STDOUT_FILENO);
	kb_fault_asked_to(record);
	int error = setup(bench) ?: kb_prove_samples(&run, n) ?: teardown(bench);
	bool claimed = kb_settings_claim(&options.settings, KB_SYSCALLS);

	if (error && context.skipped && !claimed)
		error = 0; /* there is nothing to prove: processes that are not traced say what is missing */
	if (error && claimed) {
		dup2(record, STDOUT_FILENO);
		fail("proof", error);
	}
	kb_peers_kill(&context);
	return error;
}

/* Sandboxes refuse to trace. That matters to those whose claim nothing else can count. */
static int unproven(int error)
{
	if (kb_settings_claim(&options.settings, KB_SYSCALLS))
		kb_record_format(&context.out, "note", "expect_unknown \"system calls cannot be counted: %s\"", strerror(-error));
	return finish();
}

static int prove(const struct kb_bench *bench)
{
	struct kb_proof_request request = {
		.traced = traced, .context = (void *)(uintptr_t)bench, .n = options.prove, .limit_ns = PROOF_LIMIT_NS, .errors = bench->errors,
		.scratch = options.scratch, .cpu = options.cpu,
	};
	struct kb_proof proof;

	kb_output_flush();
	int error = kb_proof_make(&request, &proof);

	if (error)
		return unproven(error);
	bool claimed = kb_settings_claim(&options.settings, KB_SYSCALLS);

	if (claimed && WIFEXITED(proof.status) && WEXITSTATUS(proof.status))
		return KB_COLLECT_FAILED; /* the child wrote why */
	if (proof.status) {
		kb_record_line(&context.out, "note", claimed ? "expect_unknown \"system calls cannot be counted: the tracee crashed\"" :
			       "proof_failed");
		return finish();
	}
	kb_proof_write(&proof, &context.out);
	kb_record_evidence(&context.out, &(struct kb_evidence){ "syscalls", "all", false, proof.op.made, proof.operations, 0 });
	return finish();
}

/* ---- command line -------------------------------------------------------------------------------- */

static int find_bench(struct kb_collect_options *asked, const struct kb_bench *const *list, char error[256])
{
	if (!asked->plugin)
		return kb_collect_find_listed(asked, list, error);
	if (kb_collect_load(asked->plugin, &asked->plugin_bench, error))
		return -EINVAL;
	kb_settings_default(&asked->settings, &asked->plugin_bench);
	return 0;
}

/* name:hz:quantum:cost:ladder:counts:insns:ticks, as the parent measured them. What counts instructions is the architecture's counter,
   read otherwise. */
static int open_clock(struct kb_clock *clock, const char *text)
{
	char name[16];
	unsigned long long hz, quantum, cost, insns, ticks;
	unsigned counts;
	int ladder;

	if (!text)
		return kb_clock_named(clock, NULL);
	if (sscanf(text, "%15[a-z]:%llu:%llu:%llu:%d:%u:%llu:%llu", name, &hz, &quantum, &cost, &ladder, &counts, &insns, &ticks) != 8 ||
	    kb_clock_named(clock, strcmp(name, KB_CLOCK_ICOUNT) ? name : NULL) || counts > KB_COUNTS_EMULATION)
		return kb_collect_complain("bad clock ", text);
	clock->counts = counts;
	clock->insns = insns;
	clock->ticks = ticks;
	kb_clock_in_instructions(clock);
	clock->hz = hz;
	clock->quantum = quantum;
	clock->cost = cost;
	clock->ladder_ok = ladder;
	return 0;
}

int kb_collect_main(int argc, char **argv, const struct kb_bench *const *benches)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (kb_collect_options(argc, argv, find_bench, benches, &options) || open_clock(&context.clock, options.clock))
		return 2;
	if (options.describe)
		return kb_collect_describe(options.plugin);

	const struct kb_bench *bench = options.settings.bench;

	context.options = &options;
	if (!options.scratch[0])
		options.scratch = "/var/tmp";
	kb_settings_open(&run, options.guardian);
	sched_getaffinity(0, sizeof context.allowed, &context.allowed);
	run = (struct kb_run){ .bench = bench, .bound = bench->bound, .bytes_per_op = bench->bytes_per_op,
	                       .granule = bench->granule, .seed = options.seed, .context = &context, .max_n = bench->max_n };
	signal(SIGPIPE, SIG_IGN);
	write_header(bench);
	kb_fault_handlers(&context.out);
	/* Before the counters, which see children that start later. */
	int error = options.interference && !options.prove ? start_neighbour() : 0;

	kb_linux_probe_open(&context.probe, bench, &options.settings, options.cpu);
	for (unsigned i = 0; i < options.event_count && !options.prove; i++)
		kb_events_add(&context.probe.events, &options.events[i]);
	int code = error ? fail("interference", error) : options.prove ? prove(bench) : measure_process(bench);

	if (code)
		kb_barrier_leave(&barrier);
	kb_neighbour_kill(&neighbour);
	kb_peers_kill(&context);
	return code;
}
