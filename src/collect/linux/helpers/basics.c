/* The helpers that kbench.h promises to a benchmark, on Linux. */
#define _GNU_SOURCE
#include "collect/linux/context.h"
#include "kbench_parties.h"
#include "record_format.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int index_of(const struct kb_run *run, const char *name)
{
	int i = kb_param_index(run->bench, (struct kb_span){ name, strlen(name) });

	if (i < 0) { /* an author's mistake that no test run survives */
		char word[80];

		fprintf(stderr, "%s: asks for a parameter '%s' that it does not declare\n", run->bench->name,
			kb_visible_copy(word, sizeof word, name));
		abort();
	}
	return i;
}

uint64_t kb_param_number(const struct kb_run *run, const char *name)
{
	return run->context->options->settings.number[index_of(run, name)];
}

const char *kb_param_text(const struct kb_run *run, const char *name)
{
	return run->context->options->settings.text[index_of(run, name)];
}

bool kb_param_is(const struct kb_run *run, const char *name, const char *value)
{
	return !strcmp(kb_param_text(run, name), value);
}

static void set_detail(struct kb_run *run, const char *format, va_list arguments)
{
	vsnprintf(run->context->detail, sizeof run->context->detail, format, arguments);
}

int kb_fail(struct kb_run *run, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set_detail(run, format, arguments);
	va_end(arguments);
	/* A failure must not look like success because errno was 0. */
	return error > 0 ? -error : -KB_NO_ERRNO;
}

int kb_skip(struct kb_run *run, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set_detail(run, format, arguments);
	va_end(arguments);
	run->context->skipped = true;
	return -EOPNOTSUPP;
}

void kb_unproven(struct kb_run *run, const char *format, ...)
{
	char reason[200];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof reason, format, arguments);
	va_end(arguments);
	kb_record_note(&run->context->out, "expect_unknown", reason);
}

void kb_count(struct kb_run *run, enum kb_counter counter, uint64_t amount)
{
	run->context->probe.own[counter] += amount;
}

void kb_expect(struct kb_run *run, enum kb_counter counter, double per_op, double tolerance)
{
	struct kb_expect expect = { .counter = counter, .per_op = per_op, .tolerance = tolerance, .who = KB_SELF };
	char line[128];

	kb_format(line, sizeof line, "%s per_op=%.9g per_sample=0 tolerance=%.9g who=self", kb_counter_name(counter), per_op, tolerance);
	kb_record_line(&run->context->out, "expect", line);
	kb_linux_probe_expect(&run->context->probe, &expect);
}

void kb_code_hash(struct kb_run *run, uint32_t hash)
{
	run->context->code_hash = hash;
}

int kb_cpu(const struct kb_run *run, unsigned index)
{
	struct kb_context *context = run->context;

	const int own = (int)context->options->cpu, peer = (int)context->options->peer_cpu;

	if (index == 0)
		return own;
	context->elsewhere = true;
	if (index == 1)
		return peer == own ? -1 : peer;
	for (int cpu = 0, seen = 1; cpu < CPU_SETSIZE; cpu++) {
		bool other = CPU_ISSET((size_t)cpu, &context->allowed) && cpu != own && cpu != peer;

		if (other && ++seen == (int)index)
			return cpu;
	}
	return -1;
}

/* A proof measures nothing. */
void kb_part(struct kb_run *run)
{
	if (run->context->measure)
		kb_measure_part(run->context->measure);
}

uint64_t kb_now(struct kb_run *run)
{
	run->context->clock_read = true;
	return run->context->clock.begin();
}

/* Whole seconds apart: the product of nanoseconds and a rate of gigahertz leaves 64 bits after some seconds. */
uint64_t kb_ticks(const struct kb_run *run, uint64_t ns)
{
	run->context->clock_read = true; /* another clock was */
	uint64_t hz = run->context->clock.hz, second = UINT64_C(1000000000);

	return ns / second * hz + ns % second * (hz / 1000) / (second / 1000);
}

int kb_empty_loop(struct kb_run *run, uint64_t n)
{
	uint64_t sum = 0;

	(void)run;
	for (uint64_t i = 0; i < n; i++) {
		kb_keep(i);
		sum += i;
	}
	kb_keep(sum);
	return 0;
}
