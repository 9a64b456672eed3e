/*
 * The synthetic benchmark, its evidence, and the process as kbench-collect makes one: the same lines in the same order.
 * What the engine never sees from a real collector must not be here, or a test would prove nothing.
 */
#define _GNU_SOURCE
#include "synthetic_process.h"

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
	struct kb_synthetic_process *process = run->state;
	unsigned at = process->model->fails_at ? process->model->fails_at : 1;

	if (!process->stage || strcmp(process->stage, stage) || ++process->calls < at)
		return 0;
	process->measure.detail = "injected";
	return -EIO;
}

static int setup(struct kb_run *run)
{
	struct kb_synthetic_process *process = run->state;

	if (process->model->granule)
		run->granule = process->model->granule;
	run->twin = process->model->twin > 0 ? "a known cost" : NULL;
	return step(run, "setup");
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	return step(run, "before");
}

/* Time passes at the end of each part, where there are points; else all of it at the end. */
static int divided(struct kb_synthetic_process *process, uint64_t n)
{
	for (uint64_t i = 0; i < n * process->model->parts; i++) {
		if (i > 0)
			kb_measure_part(&process->measure);
		process->n = n;
		process->work += process->model->op / process->model->parts;
	}
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	struct kb_synthetic_process *process = run->state;
	const struct kb_synthetic *model = process->model;

	if (model->parts > 0)
		return divided(process, n);

	process->n = n;
	if (!model->folded && !(model->refutes && (process->checks + 1) % model->refutes == 0))
		process->work = (double)(n > model->fewer ? n - model->fewer : 0) * (kb_synthetic_or(model->op, SYNTHETIC_OP) + model->bend * (double)n);
	return step(run, "op");
}

static int base(struct kb_run *run, uint64_t n)
{
	struct kb_synthetic_process *process = run->state;

	process->n = n;
	if (!process->model->folded)
		process->work = (double)n * kb_synthetic_or(process->model->base, SYNTHETIC_BASE);
	return step(run, "base");
}

static int twin(struct kb_run *run, uint64_t n)
{
	struct kb_synthetic_process *process = run->state;

	process->n = n;
	process->work = (double)n * process->model->twin;
	return step(run, "twin");
}

static int check(struct kb_run *run, uint64_t n)
{
	struct kb_synthetic_process *process = run->state;

	(void)n;
	if (process->model->refutes && ++process->checks % process->model->refutes == 0)
		process->measure.observations[process->measure.at].flags |= KB_FLAG_REFUTED;
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
	struct kb_synthetic_process *process = context;

	process->warm = warm;
	process->block_ops = 0;
}

static void probe_before(void *context, enum kb_role role)
{
	struct kb_synthetic_process *process = context;

	process->told = true;
	process->role = role;
}

static unsigned probe_after(void *context, enum kb_role role, uint64_t n, uint64_t ticks, unsigned *cpu)
{
	struct kb_synthetic_process *process = context;
	bool is_base = role == KB_ROLE_BASE;

	(void)ticks;
	*cpu = 0;
	process->told = false;
	if (!process->warm && role != KB_ROLE_CLOCK) {
		process->operations[is_base] += n;
		process->intervals[is_base]++;
	}
	return process->flags;
}

static void probe_block_end(void *context, struct kb_record_writer *out, uint64_t block)
{
	struct kb_synthetic_process *process = context;
	char line[96];

	snprintf(line, sizeof line, "%llu steal=%llu irq=3", (unsigned long long)block,
	         (unsigned long long)process->model->steal);
	kb_record_line(out, "k", line);
	process->blocks++;
}

static uint64_t happened(const struct kb_synthetic_process *process, uint64_t operations)
{
	return (uint64_t)((double)operations * (1 - process->model->missing) + 0.5);
}

static void report_event(struct kb_synthetic_process *process, const char *counter, double per_op)
{
	struct kb_evidence line = { .who = "self", .operations = process->operations[0], .samples = process->intervals[0] };

	line.count = (uint64_t)(per_op * (double)line.operations + 0.5);
	strcpy(line.counter, counter);
	if (per_op > 0)
		kb_record_evidence(&process->out, &line);
}

static void report(struct kb_synthetic_process *process)
{
	const struct kb_expect *expect = &process->run.bench->expect[0];

	for (unsigned is_base = 0; is_base < 2; is_base++) {
		struct kb_evidence line = {
			.base = is_base,
			.count = is_base ? 0 : happened(process, process->operations[0]),
			.operations = process->operations[is_base],
			.samples = process->intervals[is_base],
		};

		if (expect->counter != KB_MINFLT || process->model->unreadable || line.samples == 0)
			continue;
		strcpy(line.counter, kb_counter_name(expect->counter));
		strcpy(line.who, kb_who_name(expect->who));
		kb_record_evidence(&process->out, &line);
	}
	report_event(process, "perf:instructions:u", process->model->events);
	report_event(process, "perf:asked", process->model->asked_event ? 3 : 0);
}

/* ---- the process, as kbench-collect makes it ------------------------------------------------------ */

static int write_text(void *context, const char *bytes, size_t count)
{
	struct kb_synthetic_process *process = context;

	if (process->room - process->length < count) {
		size_t room = 2 * process->room + count + 65536;
		char *grown = realloc(process->text, room);

		if (!grown)
			return -ENOMEM;
		process->text = grown;
		process->room = room;
	}
	memcpy(process->text + process->length, bytes, count);
	process->length += count;
	return 0;
}

static void write_header(struct kb_synthetic_process *process)
{
	const struct kb_process_request *request = &process->request;
	const struct kb_bench *bench = process->run.bench;
	const struct kb_clock *clock = request->clock;
	const struct kb_expect *expect = &bench->expect[0];

	kb_record_begin(&process->out, (struct kb_sink){ write_text, process });
	kb_record_line(&process->out, "bench", bench->name);
	kb_record_line(&process->out, "per", bench->per);
	kb_record_format(&process->out, "method", "%s seed=%llu launch=%u", request->prove ? "proof" : request->method,
			 (unsigned long long)request->seed, request->process);
	kb_record_format(&process->out, "clock", "%s hz=%llu quantum=%llu cost=%llu ordered=%d ladder=%d", clock->name,
			 (unsigned long long)clock->hz, (unsigned long long)clock->quantum, (unsigned long long)clock->cost,
			 clock->ordered, clock->ladder_ok);
	kb_record_format(&process->out, "env", "cpu=0 peer_cpu=1 pid=1 bytes_per_op=0 checked=%d", bench->check != NULL);
	if (bench->half_base)
		kb_record_line(&process->out, "env", "base=half");
	else if (bench->base_does)
		kb_record_line(&process->out, "env", "base=works");
	if (process->model->elsewhere)
		kb_record_line(&process->out, "env", "partner=elsewhere");
	if (expect->counter)
		kb_record_format(&process->out, "expect", "%s per_op=%.9g per_sample=%.9g tolerance=%.9g who=%s",
				 kb_counter_name(expect->counter), expect->per_op, expect->per_sample, expect->tolerance,
				 kb_who_name(expect->who));
	if (process->model->claims_bytes > 0) {
		kb_record_format(&process->out, "expect", "working_set per_op=%lu per_sample=0 tolerance=1 who=self", process->model->claims_bytes);
		kb_record_evidence(&process->out, &(struct kb_evidence){ "working_set", "self", false, process->model->claims_bytes, 1, 1 });
	}
	if (process->model->claims_event)
		kb_record_line(&process->out, "expect", "perf:instructions:u per_op=1 per_sample=0 tolerance=0.001 who=self");
}

static void fail(struct kb_synthetic_process *process, const char *stage, int error)
{
	kb_record_fail(&process->out, stage, -error, process->measure.detail);
	process->over = true;
}

static void set_up(struct kb_synthetic_process *process)
{
	const struct kb_synthetic *model = process->model;
	bool skips = process->stage && !strcmp(process->stage, "skip");
	int error = skips ? -EOPNOTSUPP : process->run.bench->setup(&process->run);

	if (process->run.granule != process->run.bench->granule)
		kb_record_format(&process->out, "env", "granule=%llu", (unsigned long long)process->run.granule);
	if (process->run.twin)
		kb_record_format(&process->out, "env", "twin=\"%s\"", process->run.twin);
	kb_record_line(&process->out, "bound", kb_bound_name(process->run.bound));
	if (model->note)
		kb_record_line(&process->out, "note", model->note);
	if (skips) {
		process->measure.detail = "needs what is not here";
		kb_record_line(&process->out, "note", "need_unmet \"needs what is not here\"");
	}
	if (error)
		fail(process, "setup", error);
}

static void prove(struct kb_synthetic_process *process)
{
	uint64_t n = process->request.prove;
	struct kb_evidence line = { "syscalls", "all", false, happened(process, n), n, 0 };

	if (process->model->proof_refused)
		kb_record_line(&process->out, "note", "expect_unknown \"system calls cannot be counted: refused\"");
	else
		kb_record_evidence(&process->out, &line);
}

static bool is_bad(const struct kb_synthetic_process *process)
{
	return process->model->bad_process == process->request.process && process->request.process > 0;
}

/* ---- the transport ------------------------------------------------------------------------------- */

static int open_process(void *context, const struct kb_process_request *request, char error[256])
{
	struct kb_synthetic_machine *machine = context;
	struct kb_synthetic_process *process = machine->process;
	char *text = process->text;
	size_t room = process->room;

	(void)error;
	*process = (struct kb_synthetic_process){
		.model = machine->model, .machine = machine, .request = *request, .text = text, .room = room,
		.run = { .bench = &machine->bench, .state = process, .bound = machine->bench.bound, .granule = machine->bench.granule,
		         .seed = request->seed },
		.probe = {
			.context = process, .block_begin = probe_block_begin, .before = probe_before,
			.after = probe_after, .block_end = probe_block_end,
		},
		.stage = machine->model->fails,
	};
	process->measure = (struct kb_measure){
		.run = &process->run, .clock = &machine->clock, .probe = &process->probe, .out = &process->out,
		.detail = "",
	};
	process->marks.most = machine->model->parts;
	process->measure.marks = machine->model->parts > 0 ? &process->marks : NULL;
	machine->opened++;
	kb_synthetic_start(process);
	write_header(process);
	if (request->prove)
		prove(process);
	else
		set_up(process);
	return 0;
}

static int send_line(void *context, const char *line, size_t length)
{
	struct kb_synthetic_machine *machine = context;
	struct kb_synthetic_process *process = machine->process;
	struct kb_block block;

	if (process->over)
		return -EPIPE;
	machine->plan_hash = kb_crc32(machine->plan_hash, line, length);
	if (kb_plan_parse((struct kb_span){ line, length - 1 }, &block))
		abort(); /* the engine wrote it a moment ago */
	kb_synthetic_turn(process);
	process->over = kb_measure_block(&process->measure, &block) != 0;
	if (is_bad(process) && process->model->cut && process->blocks == CUT_BLOCKS)
		process->over = true;
	return 0;
}

static bool await_blocks(void *context, uint64_t blocks)
{
	struct kb_synthetic_machine *machine = context;

	return machine->process->blocks >= blocks;
}

static struct kb_span record_so_far(void *context)
{
	struct kb_synthetic_machine *machine = context;

	return (struct kb_span){ machine->process->text, machine->process->length };
}

/* The first digit of an observation's n: the lines stay well-formed, and only the checksum can tell. */
static void garble(struct kb_synthetic_process *process)
{
	char *line = memmem(process->text, process->length, "\no ", 3);

	if (line)
		line[3] = line[3] == '9' ? '8' : (char)(line[3] + 1);
}

static struct kb_process_text close_process(void *context)
{
	struct kb_synthetic_machine *machine = context;
	struct kb_synthetic_process *process = machine->process;
	bool bad = is_bad(process);
	const char *outcome = bad && process->model->outcome ? process->model->outcome : "";

	if (bad && process->model->cut) {
		process->length -= 7;
	} else if (!process->over) {
		report(process);
		kb_record_end(&process->out);
	}
	if (bad && process->model->garbled)
		garble(process);
	return (struct kb_process_text){ process->request.process, outcome, process->text, process->length };
}

void kb_synthetic_open(struct kb_synthetic_machine *machine, const struct kb_synthetic *model)
{
	*machine = (struct kb_synthetic_machine){
		.model = model, .bench = bench_of(model),
		.clock = kb_synthetic_clock(model),
		.transport = { machine, open_process, send_line, await_blocks, record_so_far, close_process },
		.process = calloc(1, sizeof *machine->process),
	};
	if (!machine->process)
		abort();
}

void kb_synthetic_close(struct kb_synthetic_machine *machine)
{
	free(machine->process->text);
	free(machine->process);
	machine->process = NULL;
}
