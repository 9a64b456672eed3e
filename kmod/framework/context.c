// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* What authors of kernel benchmarks call: the same functions as in user space, on the process behind kb_run. */
#include <linux/inet.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "framework/window.h"

/* Asking for a parameter that was not declared is a mistake of the author, found by the first run. */
static int index_of(const struct kb_run *run, const char *name)
{
	struct kb_span span = { name, kb_strlen(name) };
	int i = kb_param_index(run->context->settings.bench, span);

	WARN_ONCE(i < 0, "kbench: %s has no parameter %s\n", run->bench->name, name);
	return i;
}

uint64_t kb_param_number(const struct kb_run *run, const char *name)
{
	int i = index_of(run, name);

	return i < 0 ? 0 : run->context->settings.number[i];
}
EXPORT_SYMBOL_GPL(kb_param_number);

const char *kb_param_text(const struct kb_run *run, const char *name)
{
	int i = index_of(run, name);

	return i < 0 ? "" : run->context->settings.text[i];
}
EXPORT_SYMBOL_GPL(kb_param_text);

bool kb_param_is(const struct kb_run *run, const char *name, const char *value)
{
	return kb_streq(kb_param_text(run, name), value);
}
EXPORT_SYMBOL_GPL(kb_param_is);

__be32 kb_param_ip4(const struct kb_run *run, const char *name)
{
	__be32 address = 0;

	/* It was checked when it was set. */
	in4_pton(kb_param_text(run, name), -1, (u8 *)&address, -1, NULL);
	return address;
}
EXPORT_SYMBOL_GPL(kb_param_ip4);

static void say(struct kb_run *run, const char *format, va_list arguments)
{
	vscnprintf(run->context->detail, sizeof run->context->detail, format, arguments);
}

int kb_fail(struct kb_run *run, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(run, format, arguments);
	va_end(arguments);
	return error == 0 ? -KB_NO_ERRNO : -error;
}
EXPORT_SYMBOL_GPL(kb_fail);

int kb_skip(struct kb_run *run, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(run, format, arguments);
	va_end(arguments);
	run->context->skipped = true;
	return -EOPNOTSUPP;
}
EXPORT_SYMBOL_GPL(kb_skip);

void kb_unproven(struct kb_run *run, const char *format, ...)
{
	struct kb_kernel_process *process = kb_worker_of(run)->process;
	char detail[120], line[24 + 2 * sizeof detail];         /* quoted */
	struct kb_text text = kb_text_in(line, sizeof line);
	va_list arguments;

	va_start(arguments, format);
	vscnprintf(detail, sizeof detail, format, arguments);
	va_end(arguments);
	kb_text_str(&text, "expect_unknown ");
	kb_text_quoted(&text, detail);
	kb_record_line(&process->out, "note", line);
}
EXPORT_SYMBOL_GPL(kb_unproven);

void kb_kernel_env(struct kb_run *run, const char *format, ...)
{
	char line[200];
	va_list arguments;

	va_start(arguments, format);
	vscnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	kb_record_line(&kb_worker_of(run)->process->out, "env", line);
}
EXPORT_SYMBOL_GPL(kb_kernel_env);

void kb_count(struct kb_run *run, enum kb_counter counter, uint64_t amount)
{
	if ((unsigned)counter < KB_COUNTERS)
		atomic64_add(amount, &run->context->counts[counter]);
}
EXPORT_SYMBOL_GPL(kb_count);

/* Of the thread whose samples are recorded. */
int kb_refute(struct kb_run *run, const char *text)
{
	struct kb_worker *worker = kb_worker_of(run);
	struct kb_measure *measure = worker->process->measure;

	worker->refuted = true;
	if (worker->index > 0)
		return 0;
	measure->observations[measure->at].flags |= KB_FLAG_REFUTED;
	strscpy(run->context->refuted, text && text[0] ? text : "no reason given", sizeof run->context->refuted);
	return 0;
}
EXPORT_SYMBOL_GPL(kb_refute);

uint64_t kb_now(struct kb_run *run)
{
	(void)run;
	return kb_kernel_end();
}
EXPORT_SYMBOL_GPL(kb_now);

uint64_t kb_ticks(const struct kb_run *run, uint64_t ns)
{
	return mul_u64_u64_div_u64(ns, kb_worker_of(run)->process->clock.hz, 1000000000);
}
EXPORT_SYMBOL_GPL(kb_ticks);

int kb_empty_loop(struct kb_run *run, uint64_t n)
{
	(void)run;
	KB_KERNEL_LOOP(n, (void)0);
	return 0;
}
EXPORT_SYMBOL_GPL(kb_empty_loop);

unsigned kb_kernel_thread(const struct kb_run *run)
{
	return kb_worker_of(run)->index;
}
EXPORT_SYMBOL_GPL(kb_kernel_thread);

unsigned kb_kernel_threads(const struct kb_run *run)
{
	return kb_worker_of(run)->process->threads;
}
EXPORT_SYMBOL_GPL(kb_kernel_threads);

bool kb_kernel_stopping(struct kb_run *run)
{
	return kb_window_may_go_on(kb_worker_of(run)->process) != 0;
}
EXPORT_SYMBOL_GPL(kb_kernel_stopping);

EXPORT_SYMBOL_GPL(kb_rng_seed);
EXPORT_SYMBOL_GPL(kb_rng_next);
EXPORT_SYMBOL_GPL(kb_rng_below);
EXPORT_SYMBOL_GPL(kb_rng_shuffle);
