/*
 * The synthetic benchmark, its evidence, and the launch as kbench-collect makes one: the same lines in the same order.
 * What the engine never sees from a real collector must not be here, or a test would prove nothing.
 */
#define _GNU_SOURCE
#include "synthetic_launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "evidence/evidence.h"
#include "record_format.h"

#define CUT_BLOCKS 2            /* that a cut launch still ends: a first one is then still looking for its n */

/* ---- the benchmark ------------------------------------------------------------------------------- */

static int step(struct kb_run *run, const char *stage)
{
	struct kb_synthetic_launch *launch = run->state;
	unsigned at = launch->model->fails_at ? launch->model->fails_at : 1;

	if (!launch->stage || strcmp(launch->stage, stage) || ++launch->calls < at)
		return 0;
	launch->measure.detail = "injected";
	return -EIO;
}

static int setup(struct kb_run *run)
{
	struct kb_synthetic_launch *launch = run->state;

	if (launch->model->granule)
		run->granule = launch->model->granule;
	run->twin = launch->model->twin > 0 ? "a known cost" : NULL;
	return step(run, "setup");
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	return step(run, "before");
}

/* Time passes at the end of each part, where there are points; else all of it at the end. */
static int divided(struct kb_synthetic_launch *launch, uint64_t n)
{
	for (uint64_t i = 0; i < n * launch->model->parts; i++) {
		if (i > 0)
			kb_measure_part(&launch->measure);
		launch->n = n;
		launch->work += launch->model->op / launch->model->parts;
	}
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	struct kb_synthetic_launch *launch = run->state;
	const struct kb_synthetic *model = launch->model;

	if (model->parts > 0)
		return divided(launch, n);

	launch->n = n;
	if (!model->folded && !(model->refutes && (launch->checks + 1) % model->refutes == 0))
		launch->work = (double)n * (kb_synthetic_or(model->op, SYNTHETIC_OP) + model->bend * (double)n);
	return step(run, "op");
}

static int base(struct kb_run *run, uint64_t n)
{
	struct kb_synthetic_launch *launch = run->state;

	launch->n = n;
	if (!launch->model->folded)
		launch->work = (double)n * kb_synthetic_or(launch->model->base, SYNTHETIC_BASE);
	return step(run, "base");
}

static int twin(struct kb_run *run, uint64_t n)
{
	struct kb_synthetic_launch *launch = run->state;

	launch->n = n;
	launch->work = (double)n * launch->model->twin;
	return step(run, "twin");
}

static int check(struct kb_run *run, uint64_t n)
{
	struct kb_synthetic_launch *launch = run->state;

	(void)n;
	if (launch->model->refutes && ++launch->checks % launch->model->refutes == 0)
		launch->measure.observations[launch->measure.at].flags |= KB_FLAG_REFUTED;
	return step(run, "check");
}

static int after(struct kb_run *run, uint64_t n)
{
	(void)n;
	return step(run, "after");
}

static struct kb_bench bench_of(const struct kb_synthetic *model)
{
	struct kb_bench bench = {
		.abi = KB_ABI, .size = sizeof bench, .name = "synthetic.row", .summary = "a known cost", .per = "call",
		.bound = model->bound, .max_n = model->max_n,
		.setup = setup, .before = before, .op = op, .base = model->no_base ? NULL : base, .after = after,
		.check = model->checked || model->refutes ? check : NULL,
		.parts = model->parts, .method = model->paired ? KB_PAIRED : KB_BY_COST, .granule = model->paired, .twin = twin,
		.half_base = model->half_base, .base_does = model->base_works ? "waits" : NULL,
	};

	if (model->proves)
		bench.expect[0] = (struct kb_expect){ KB_SYSCALLS, .per_op = 1, .who = KB_ALL };
	else if (!model->claims_nothing)
		bench.expect[0] = (struct kb_expect){ KB_MINFLT, .per_op = 1, .tolerance = 0.001 };
	return bench;
}

double kb_synthetic_cost(const struct kb_synthetic *model)
{
	double circle = model->no_base ? 0 : kb_synthetic_or(model->base, SYNTHETIC_BASE);

	return kb_synthetic_or(model->op, SYNTHETIC_OP) - circle;
}

/* ---- the probe ----------------------------------------------------------------------------------- */

static void probe_block_begin(void *context, bool warm)
{
	struct kb_synthetic_launch *launch = context;

	launch->warm = warm;
	launch->block_ops = 0;
}

static void probe_before(void *context, enum kb_role role)
{
	struct kb_synthetic_launch *launch = context;

	launch->told = true;
	launch->role = role;
}

static unsigned probe_after(void *context, enum kb_role role, uint64_t n, uint64_t ticks, unsigned *cpu)
{
	struct kb_synthetic_launch *launch = context;
	bool is_base = role == KB_ROLE_BASE;

	(void)ticks;
	*cpu = 0;
	launch->told = false;
	if (!launch->warm && role != KB_ROLE_CLOCK) {
		launch->operations[is_base] += n;
		launch->intervals[is_base]++;
	}
	return launch->flags;
}

static void probe_block_end(void *context, struct kb_record_writer *out, uint64_t block)
{
	struct kb_synthetic_launch *launch = context;
	char line[96];

	snprintf(line, sizeof line, "%llu steal=%llu irq=3", (unsigned long long)block,
	         (unsigned long long)launch->model->steal);
	kb_record_line(out, "k", line);
	launch->blocks++;
}

static uint64_t happened(const struct kb_synthetic_launch *launch, uint64_t operations)
{
	return (uint64_t)((double)operations * (1 - launch->model->missing) + 0.5);
}

static void report_event(struct kb_synthetic_launch *launch, const char *counter, double per_op)
{
	struct kb_evidence line = { .who = "self", .operations = launch->operations[0], .samples = launch->intervals[0] };

	line.count = (uint64_t)(per_op * (double)line.operations + 0.5);
	strcpy(line.counter, counter);
	if (per_op > 0)
		kb_record_evidence(&launch->out, &line);
}

static void report(struct kb_synthetic_launch *launch)
{
	const struct kb_expect *expect = &launch->run.bench->expect[0];

	for (unsigned is_base = 0; is_base < 2; is_base++) {
		struct kb_evidence line = {
			.base = is_base,
			.count = is_base ? 0 : happened(launch, launch->operations[0]),
			.operations = launch->operations[is_base],
			.samples = launch->intervals[is_base],
		};

		if (expect->counter != KB_MINFLT || launch->model->unreadable || line.samples == 0)
			continue;
		strcpy(line.counter, kb_counter_name(expect->counter));
		strcpy(line.who, kb_who_name(expect->who));
		kb_record_evidence(&launch->out, &line);
	}
	report_event(launch, "perf:instructions:u", launch->model->events);
	report_event(launch, "perf:asked", launch->model->asked_event ? 3 : 0);
}

/* ---- the launch, as kbench-collect makes it ------------------------------------------------------ */

static int write_text(void *context, const char *bytes, size_t count)
{
	struct kb_synthetic_launch *launch = context;

	if (launch->room - launch->length < count) {
		size_t room = 2 * launch->room + count + 65536;
		char *grown = realloc(launch->text, room);

		if (!grown)
			return -ENOMEM;
		launch->text = grown;
		launch->room = room;
	}
	memcpy(launch->text + launch->length, bytes, count);
	launch->length += count;
	return 0;
}

static void write_header(struct kb_synthetic_launch *launch)
{
	const struct kb_launch_request *request = &launch->request;
	const struct kb_bench *bench = launch->run.bench;
	const struct kb_clock *clock = request->clock;
	const struct kb_expect *expect = &bench->expect[0];

	kb_record_begin(&launch->out, (struct kb_sink){ write_text, launch });
	kb_record_line(&launch->out, "bench", bench->name);
	kb_record_line(&launch->out, "per", bench->per);
	kb_record_format(&launch->out, "method", "%s seed=%llu launch=%u", request->prove ? "proof" : request->method,
			 (unsigned long long)request->seed, request->launch);
	kb_record_format(&launch->out, "clock", "%s hz=%llu quantum=%llu cost=%llu ordered=%d ladder=%d", clock->name,
			 (unsigned long long)clock->hz, (unsigned long long)clock->quantum, (unsigned long long)clock->cost,
			 clock->ordered, clock->ladder_ok);
	kb_record_format(&launch->out, "env", "cpu=0 peer_cpu=1 pid=1 bytes_per_op=0 checked=%d", bench->check != NULL);
	if (bench->half_base)
		kb_record_line(&launch->out, "env", "base=half");
	else if (bench->base_does)
		kb_record_line(&launch->out, "env", "base=works");
	if (launch->model->elsewhere)
		kb_record_line(&launch->out, "env", "partner=elsewhere");
	if (expect->counter)
		kb_record_format(&launch->out, "expect", "%s per_op=%.9g per_sample=%.9g tolerance=%.9g who=%s",
				 kb_counter_name(expect->counter), expect->per_op, expect->per_sample, expect->tolerance,
				 kb_who_name(expect->who));
	if (launch->model->claims_bytes > 0) {
		kb_record_format(&launch->out, "expect", "working_set per_op=%lu per_sample=0 tolerance=1 who=self", launch->model->claims_bytes);
		kb_record_evidence(&launch->out, &(struct kb_evidence){ "working_set", "self", false, launch->model->claims_bytes, 1, 1 });
	}
	if (launch->model->claims_event)
		kb_record_line(&launch->out, "expect", "perf:instructions:u per_op=1 per_sample=0 tolerance=0.001 who=self");
}

static void fail(struct kb_synthetic_launch *launch, const char *stage, int error)
{
	kb_record_fail(&launch->out, stage, -error, launch->measure.detail);
	launch->over = true;
}

static void set_up(struct kb_synthetic_launch *launch)
{
	const struct kb_synthetic *model = launch->model;
	bool skips = launch->stage && !strcmp(launch->stage, "skip");
	int error = skips ? -EOPNOTSUPP : launch->run.bench->setup(&launch->run);

	if (launch->run.granule != launch->run.bench->granule)
		kb_record_format(&launch->out, "env", "granule=%llu", (unsigned long long)launch->run.granule);
	if (launch->run.twin)
		kb_record_format(&launch->out, "env", "twin=\"%s\"", launch->run.twin);
	kb_record_line(&launch->out, "bound", kb_bound_name(launch->run.bound));
	if (model->note)
		kb_record_line(&launch->out, "note", model->note);
	if (skips) {
		launch->measure.detail = "needs what is not here";
		kb_record_line(&launch->out, "note", "need_unmet \"needs what is not here\"");
	}
	if (error)
		fail(launch, "setup", error);
}

static void prove(struct kb_synthetic_launch *launch)
{
	uint64_t n = launch->request.prove;
	struct kb_evidence line = { "syscalls", "all", false, happened(launch, n), n, 0 };

	if (launch->model->proof_refused)
		kb_record_line(&launch->out, "note", "expect_unknown \"system calls cannot be counted: refused\"");
	else
		kb_record_evidence(&launch->out, &line);
}

static bool is_bad(const struct kb_synthetic_launch *launch)
{
	return launch->model->bad_launch == launch->request.launch && launch->request.launch > 0;
}

/* ---- the transport ------------------------------------------------------------------------------- */

static int open_launch(void *context, const struct kb_launch_request *request, char error[256])
{
	struct kb_synthetic_machine *machine = context;
	struct kb_synthetic_launch *launch = machine->launch;
	char *text = launch->text;
	size_t room = launch->room;

	(void)error;
	*launch = (struct kb_synthetic_launch){
		.model = machine->model, .machine = machine, .request = *request, .text = text, .room = room,
		.run = { .bench = &machine->bench, .state = launch, .bound = machine->bench.bound, .granule = machine->bench.granule,
		         .seed = request->seed },
		.probe = {
			.context = launch, .block_begin = probe_block_begin, .before = probe_before,
			.after = probe_after, .block_end = probe_block_end,
		},
		.stage = machine->model->fails,
	};
	launch->measure = (struct kb_measure){
		.run = &launch->run, .clock = &machine->clock, .probe = &launch->probe, .out = &launch->out,
		.detail = "",
	};
	launch->marks.most = machine->model->parts;
	launch->measure.marks = machine->model->parts > 0 ? &launch->marks : NULL;
	machine->opened++;
	kb_synthetic_start(launch);
	write_header(launch);
	if (request->prove)
		prove(launch);
	else
		set_up(launch);
	return 0;
}

static int send_line(void *context, const char *line, size_t length)
{
	struct kb_synthetic_machine *machine = context;
	struct kb_synthetic_launch *launch = machine->launch;
	struct kb_block block;

	if (launch->over)
		return -EPIPE;
	machine->plan_hash = kb_crc32(machine->plan_hash, line, length);
	if (kb_plan_parse((struct kb_span){ line, length - 1 }, &block))
		abort(); /* the engine wrote it a moment ago */
	kb_synthetic_turn(launch);
	launch->over = kb_measure_block(&launch->measure, &block) != 0;
	if (is_bad(launch) && launch->model->cut && launch->blocks == CUT_BLOCKS)
		launch->over = true;
	return 0;
}

static bool await_blocks(void *context, uint64_t blocks)
{
	struct kb_synthetic_machine *machine = context;

	return machine->launch->blocks >= blocks;
}

static struct kb_span record_so_far(void *context)
{
	struct kb_synthetic_machine *machine = context;

	return (struct kb_span){ machine->launch->text, machine->launch->length };
}

/* The first digit of an observation's n: the lines stay well-formed, and only the checksum can tell. */
static void garble(struct kb_synthetic_launch *launch)
{
	char *line = memmem(launch->text, launch->length, "\no ", 3);

	if (line)
		line[3] = line[3] == '9' ? '8' : (char)(line[3] + 1);
}

static struct kb_launch_text close_launch(void *context)
{
	struct kb_synthetic_machine *machine = context;
	struct kb_synthetic_launch *launch = machine->launch;
	bool bad = is_bad(launch);
	const char *outcome = bad && launch->model->outcome ? launch->model->outcome : "";

	if (bad && launch->model->cut) {
		launch->length -= 7;
	} else if (!launch->over) {
		report(launch);
		kb_record_end(&launch->out);
	}
	if (bad && launch->model->garbled)
		garble(launch);
	return (struct kb_launch_text){ launch->request.launch, outcome, launch->text, launch->length };
}

void kb_synthetic_open(struct kb_synthetic_machine *machine, const struct kb_synthetic *model)
{
	*machine = (struct kb_synthetic_machine){
		.model = model, .bench = bench_of(model),
		.clock = kb_synthetic_clock(model),
		.transport = { machine, open_launch, send_line, await_blocks, record_so_far, close_launch },
		.launch = calloc(1, sizeof *machine->launch),
	};
	if (!machine->launch)
		abort();
}

void kb_synthetic_close(struct kb_synthetic_machine *machine)
{
	free(machine->launch->text);
	free(machine->launch);
	machine->launch = NULL;
}
