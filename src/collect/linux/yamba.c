/*
 * Translated Yamba programs as benchmarks. A program's functions return nothing: an error inside one (a value that fits no
 * hole, a param without a value) jumps back here and becomes the failure of the step. The jump is prepared once a
 * sample, by op and base alike, so that it costs both the same.
 */
#define _GNU_SOURCE
#include "collect/linux/context.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code/memory.h"
#include "collect/linux/gate.h"
#include "code/program.h"
#include "kbench_yamba.h"
#include "record_format.h"

static struct {
	struct kb_run *run;
	struct kb_yamba_program *program;
	uint64_t operations;
	bool is_set_up;                         /* teardown() is due, in this process: */
	pid_t process;
	bool timed;                             /* inside a sample */
	const struct kb_yamba_entry *late;      /* composed there; the first one */
	bool told;
	unsigned looked_up[2];                  /* in the first call of benchmark_dummy(), and of benchmark() */
	const struct kb_yamba_entry *looked;    /* the last one */
	char error[600];
} state;

/* Only the thread that runs the program's functions can go back. */
static _Thread_local jmp_buf *way_back;

static void leave(const char *text)
{
	if (!way_back)
		return;
	const char *second = strchr(text, '\n');
	int length = second ? (int)(second - text) : (int)strlen(text);

	/* A record's line is one. */
	snprintf(state.error, sizeof state.error, "%.*s%s%s", length, text, second ? "; " : "",
		second ? second + 1 + strspn(second + 1, " ") : "");
	longjmp(*way_back, 1);
}

static int failed(struct kb_run *run)
{
	way_back = NULL;
	state.timed = false;
	return kb_fail(run, 0, "%s", state.error);
}

static int call(struct kb_run *run, void (*function)(void))
{
	jmp_buf here;

	if (!function)
		return 0;
	if (_setjmp(here))
		return failed(run);
	way_back = &here;
	function();
	way_back = NULL;
	return 0;
}

/* ---- what was seen ------------------------------------------------------------------------------- */

static void on_compose(const struct kb_yamba_entry *entry)
{
	if (state.timed && !state.late)
		state.late = entry;
}

static unsigned *looks;

static void on_look(const struct kb_yamba_entry *entry)
{
	++*looks;
	state.looked = entry;
}

static void on_record(const char *name, double value)
{
	kb_covariate(state.run, name, value);
}

/* Once a process, and inside a sample that is spoilt already. */
static void tell_late(struct kb_run *run)
{
	char words[192];

	snprintf(words, sizeof words, "W402: %.60s.%.60s was composed inside a sample; call it in setup() first",
		state.late->class_name, state.late->name);
	kb_record_note(&run->context->out, "composed_late", words);
	state.told = true;
}

static void tell_looked(struct kb_run *run)
{
	char words[256];

	if (state.looked_up[1] == state.looked_up[0])
		return;
	snprintf(words, sizeof words, "W402: look-ups of composed functions: %u a call of benchmark(), %u of benchmark_dummy(), the last of them "
		"%.50s.%.50s; a nanosecond each", state.looked_up[1], state.looked_up[0], state.looked->class_name, state.looked->name);
	kb_record_note(&run->context->out, "looked_up", words);
}

#define COMPOSED_TOLD 16

static void tell_composed(void *context, const struct kb_program_code *code)
{
	struct kb_record_writer *out = context;
	static unsigned told;
	char line[512], call[400];
	struct kb_text text = kb_text_in(line, sizeof line), words = kb_text_in(call, sizeof call);

	if (told++ >= COMPOSED_TOLD)
		return;
	kb_program_code_words(code, false, &words);
	kb_text_str(&text, "call=");
	kb_text_quoted(&text, call);
	kb_text_str(&text, " bytes=");
	kb_text_u64(&text, kb_program_code_bytes(code));
	kb_record_line(out, "composed", line);
}

/* What tells this program's code from another's, and the params that are no part of the result's name. */
static void describe(struct kb_run *run)
{
	const struct kb_yamba_program *program = state.program;
	char line[512], value[200];

	kb_code_hash(run, kb_program_hash());
	kb_record_format(&run->context->out, "env", "yamba=%s platform=%s code_bytes=%zu align=%llu offset=%llu", program->name,
			 program->platform, kb_program_bytes(), (unsigned long long)(kb_program_settings.align ?: KB_CODE_ALIGN),
			 (unsigned long long)kb_program_settings.offset);
	for (const struct kb_yamba_param *param = program->params; param && param->name; param++) {
		struct kb_text text = kb_text_in(line, sizeof line);

		if (kb_param_index(run->bench, (struct kb_span){ param->name, strlen(param->name) }) >= 0)
			continue;
		kb_program_value(param, value, sizeof value);
		kb_text_str(&text, "param.");
		kb_text_str(&text, param->name);
		kb_text_str(&text, "=");
		kb_text_quoted(&text, value);
		kb_record_line(&run->context->out, "env", line);
	}
}

/* ---- set-up -------------------------------------------------------------------------------------- */

static int set(struct kb_run *run, const char *setting)
{
	char error[256];
	int result = kb_yamba_set(state.program, setting, error, sizeof error);

	return result ? kb_fail(run, 0, "error Y162: %s", error) : 0;
}

/* "default" is what the program says by itself, where that is no plain number. */
static int set_params(struct kb_run *run)
{
	const struct kb_settings *settings = &run->context->options->settings;
	int error = 0;

	for (int i = 0; i < KB_PARAM_MAX && run->bench->params[i].name && !error; i++) {
		char setting[KB_PARAM_VALUE_MAX + 128];

		if (!strcmp(settings->text[i], "default"))
			continue;
		snprintf(setting, sizeof setting, "%s=%s", run->bench->params[i].name, settings->text[i]);
		error = set(run, setting);
	}
	return error;
}

/* KBENCH_YAMBA="yamba.align=128 yamba.offset=16", from kbench yamba run: no params, for they make no result. */
static int set_environment(struct kb_run *run)
{
	const char *given = getenv("KBENCH_YAMBA");
	char buffer[256], *rest = NULL;
	int error = 0;

	if (snprintf(buffer, sizeof buffer, "%s", given ? given : "") >= (int)sizeof buffer)
		return kb_fail(run, 0, "KBENCH_YAMBA is longer than %zu characters", sizeof buffer - 1);
	for (char *word = strtok_r(buffer, " ", &rest); word && !error; word = strtok_r(NULL, " ", &rest))
		error = set(run, word);
	return error;
}

/*
 * One call of each, off the clock, in which every composed function is behind a gate: what it does to its caller is an error before
 * anything is measured. What these calls composed is there when samples begin, and what they recorded belongs to none.
 */
static int call_first(struct kb_run *run, void (*function)(void), unsigned *counter)
{
	int error;

	if (!function)
		return 0;
	error = call(run, state.program->before);
	if (error)
		return error;
	looks = counter;
	kb_program_on_look(state.program, on_look);
	error = call(run, function);
	kb_program_on_look(state.program, NULL);
	return error ?: call(run, state.program->after);
}

static int make_first_calls(struct kb_run *run)
{
	const struct kb_yamba_program *program = state.program;
	const char *kept;
	int error;

	kb_program_on_record(NULL);
	error = call_first(run, program->benchmark, &state.looked_up[1]) ?: call_first(run, program->benchmark_dummy, &state.looked_up[0]);
	kb_program_on_record(on_record);
	kept = kb_gates_open();
	return error ?: kept ? kb_fail(run, 0, "%s", kept) : 0;
}

/* Also when the process fails half-way: a program may have changed the machine. Not by a child that it forked. */
static void teardown_once(void)
{
	bool due = state.is_set_up && state.program->teardown && state.process == getpid();

	state.is_set_up = false;
	if (due)
		state.program->teardown();
}

static void start(struct kb_run *run, struct kb_yamba_program *program)
{
	state.run = run;
	state.program = program;
	state.operations = 1;
	state.process = getpid();
	kb_yamba_on_error(leave);
	kb_program_on_compose(on_compose);
	kb_program_on_record(on_record);
	atexit(teardown_once);
}

int kb_yamba_setup(struct kb_run *run, struct kb_yamba_program *program)
{
	jmp_buf here;
	int error;

	start(run, program);
	error = set_params(run) ?: set_environment(run);
	if (error)
		return error;
	if (_setjmp(here))
		return failed(run);
	way_back = &here;
	state.is_set_up = true;
	kb_program_check_set(program);
	if (kb_program_lacks(program, state.error, sizeof state.error))
		kb_yamba_give_up(true, state.error);
	kb_gates_shut();
	if (program->setup)
		program->setup();
	kb_yamba_freeze(program);
	if (program->operations)
		state.operations = program->operations();
	way_back = NULL;
	if (state.operations == 0)
		return kb_fail(run, 0, "operations() of %s is 0", program->name);
	run->granule = state.operations;
	error = make_first_calls(run);
	/* Also of one that keeps something from its caller: who lints it finds the line. */
	kb_program_each(tell_composed, &run->context->out);
	if (error)
		return error;
	describe(run);
	tell_looked(run);
	return 0;
}

void kb_yamba_teardown(struct kb_run *run, struct kb_yamba_program *program)
{
	(void)program;
	/* What was measured counts all the same, so that the error is only printed. */
	if (call(run, teardown_once))
		fprintf(stderr, "%s\n", state.error);
}

void kb_yamba_bound(const char *bound)
{
	for (enum kb_bound at = KB_KERNEL; at <= KB_MEMORY; at++) {
		if (!strcmp(bound, kb_bound_name(at))) {
			state.run->bound = at;
			return;
		}
	}
	char text[128];

	snprintf(text, sizeof text, "the bound '%.40s' is none: kernel, latency, issue, memory", bound);
	leave(text);
}

/* ---- samples ----------------------------------------------------------------------------------- */

/* As many calls as make n operations, no more and no fewer. */
static inline int timed_loop(struct kb_run *run, void (*function)(void), uint64_t n)
{
	uint64_t calls = n / state.operations;
	jmp_buf here;

	if (calls * state.operations != n)
		return kb_fail(run, 0, "%llu operations of %s, which does %llu in one go: --initial and --delta must be multiples of that",
			(unsigned long long)n, state.program->name, (unsigned long long)state.operations);
	if (_setjmp(here))
		return failed(run);
	way_back = &here;
	state.timed = true;
	if (function)
		for (uint64_t i = 0; i < calls; i++)
			function();
	state.timed = false;
	way_back = NULL;
	if (state.late && !state.told)
		tell_late(run);
	return 0;
}

int kb_yamba_op(struct kb_run *run, struct kb_yamba_program *program, uint64_t n)
{
	int error = timed_loop(run, program->benchmark, n);

	if (!error)
		kb_count(run, KB_SEEN, n);
	return error;
}

int kb_yamba_base(struct kb_run *run, struct kb_yamba_program *program, uint64_t n)
{
	int error = timed_loop(run, program->benchmark_dummy, n);

	if (!error)
		kb_count(run, KB_SEEN, 0);      /* nothing, but as long as in the operation's sample */
	return error;
}

int kb_yamba_before(struct kb_run *run, struct kb_yamba_program *program, uint64_t n)
{
	(void)n;
	return call(run, program->before);
}

int kb_yamba_after(struct kb_run *run, struct kb_yamba_program *program, uint64_t n)
{
	(void)n;
	return call(run, program->after);
}

static const char *refuted;     /* by the program's check(); NULL: it agrees */

static void check(void)
{
	refuted = state.program->check();
}

int kb_yamba_check(struct kb_run *run, struct kb_yamba_program *program, uint64_t n)
{
	(void)n;
	refuted = NULL;
	return call(run, program->check ? check : NULL) ?: refuted ? kb_refute(run, refuted) : 0;
}
