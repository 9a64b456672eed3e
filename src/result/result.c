/* See result.h: what every reader of a result asks of it, said once. */
#include "result/result.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "evidence/working_set.h"

/* ---- numbers ------------------------------------------------------------------------------------- */

bool kb_evidence_proves(const struct kb_finding_evidence *found)
{
	/* What the benchmark reports is its author's word, and a working set is touched as well by a hundredth of the operations. */
	if (found->asked || found->own || kb_list_has("seen,absent," KB_WORKING_SET "," KB_HUGE_BYTES, found->counter))
		return false;
	return fabs(found->expected) > fmax(found->tolerance, KB_STRAYS);
}

const char *kb_memory_words(char text[KB_MEMORY_WORDS], double bytes)
{
	const double of[] = { 1, 1024, 1048576, 1073741824 };
	unsigned i = bytes < of[1] ? 0 : bytes < of[2] ? 1 : bytes < of[3] ? 2 : 3;

	snprintf(text, KB_MEMORY_WORDS, "%.4g %s", bytes / of[i], (const char *const[]){ "bytes", "KiB", "MiB", "GiB" }[i]);
	return text;
}

bool kb_core_bound(enum kb_bound bound)
{
	return bound == KB_LATENCY || bound == KB_ISSUE;
}

/* Records and stored results have these names from before. They are the same operations, so they stay comparable. */
void kb_rename_operation(char per[KB_OPERATION_NAME])
{
	static const char *const names[][2] = { { "circle", "iteration" }, { "folder", "directory" }, { "interval", "sample" } };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strcmp(per, names[i][0]) == 0)
			strcpy(per, names[i][1]);
	}
}

const char *kb_row_name_of(char text[KB_ROW_NAME], const char *benchmark, const char *params)
{
	snprintf(text, KB_ROW_NAME, "%s%s%s", benchmark, params[0] ? " " : "", params);
	return text;
}

const char *kb_row_name(char text[KB_ROW_NAME], const struct kb_result *result)
{
	return kb_row_name_of(text, result->benchmark, result->params);
}

/* Clocks that count something of their own: without a known rate their unit is what they count. "cycles" is that of a text which does
   not say more. */
static const struct { const char *clock, *unit; } counters[] = {
	{ "icount", "insn" }, { "rdinstret", "insn" }, { "pmccntr", "cycles" }, { "rdcycle", "cycles" },
	{ "cycles", "cycles" },
};

bool kb_counts_instructions(const char *clock)
{
	return strcmp(kb_tick_unit(clock), "insn") == 0;
}

const char *kb_tick_unit(const char *clock)
{
	for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
		if (strcmp(clock, counters[i].clock) == 0)
			return counters[i].unit;
	}
	return "ticks";
}

const char *kb_time_unit(const struct kb_result *result)
{
	return result->ticks_per_ns > 0 ? "ns" : kb_tick_unit(result->clock);
}

struct kb_estimate kb_time_of(const struct kb_result *result)
{
	return strcmp(kb_time_unit(result), "ns") ? (struct kb_estimate){ .known = false } : result->estimate;
}

const char *kb_headline_name(enum kb_headline headline)
{
	static const char *const names[] = {
		[KB_HEADLINE_OBSERVED] = "observed", [KB_HEADLINE_UNCONTENDED] = "uncontended", [KB_HEADLINE_TYPICAL] = "typical",
	};

	return (unsigned)headline < sizeof names / sizeof *names ? names[headline] : "?";
}

const char *kb_uncontended_by_name(enum kb_uncontended_by by)
{
	return by == KB_BY_PARTS ? "parts" : by == KB_BY_QUARTILE ? "lower-quartile" : "median";
}

const struct kb_estimate *kb_headline(const struct kb_result *result)
{
	return result->estimate_cycles.known ? &result->estimate_cycles : &result->estimate;
}

enum kb_confirmed kb_confirmed_by(const struct kb_result *result)
{
	const struct kb_verdict *verdict = &result->verdict;

	if (verdict->status == KB_UNVERIFIED)
		return KB_CONFIRMED_NOT;
	if (verdict->status > KB_UNVERIFIED)
		return kb_verdict_has(verdict, KB_CODE_expect_failed) || kb_verdict_has(verdict, KB_CODE_refuted) ||
		       kb_verdict_has(verdict, KB_CODE_check_failed) ? KB_CONFIRMED_CONTRARY : KB_CONFIRMED_KINDS;
	for (unsigned i = 0; i < result->evidence_count && i < KB_EVIDENCE_MAX; i++) {
		if (result->evidence[i].known && kb_evidence_proves(&result->evidence[i]))
			return KB_CONFIRMED_COUNTS;
	}
	return result->bound == KB_NOTHING ? KB_CONFIRMED_KINDS : KB_CONFIRMED_CHECK;
}

double kb_quality(const struct kb_estimate *e)
{
	return e->known && e->bounded && e->value != 0 ? 100 * (e->high - e->low) / 2 / fabs(e->value) : NAN;
}

bool kb_is_exact(const struct kb_result *result)
{
	bool exact = strcmp(kb_time_unit(result), "insn") == 0 && result->process_cost_count >= 2;

	for (unsigned i = 1; i < result->process_cost_count; i++)
		exact = exact && fabs(result->process_costs[i].cost - result->process_costs[0].cost) < KB_COUNT_ROUNDING;
	return exact;
}

struct kb_estimate kb_rate_of(const struct kb_estimate *cost, double amount)
{
	struct kb_estimate rate = { .known = cost->known && cost->value > 0 };

	if (rate.known)
		rate.value = amount / cost->value;
	rate.bounded = rate.known && cost->bounded && cost->low > 0;
	if (rate.bounded) {
		rate.low = amount / cost->high;
		rate.high = amount / cost->low;
	}
	return rate;
}

/* ---- reasons ------------------------------------------------------------------------------------- */

void kb_verdict_add(struct kb_verdict *verdict, enum kb_reason_code code, const char *format, ...)
{
	enum kb_status status = kb_severity_status(kb_code_severity(code));

	if (kb_verdict_has(verdict, code) || verdict->count == KB_REASONS_MAX)
		return;
	struct kb_reason *reason = &verdict->reasons[verdict->count++];

	*reason = (struct kb_reason){ .code = code };
	if (format) {
		va_list arguments;

		va_start(arguments, format);
		vsnprintf(reason->detail, sizeof reason->detail, format, arguments);
		va_end(arguments);
		kb_make_visible(reason->detail, '?'); /* a detail holds texts of others, and may be cut inside a character */
	}
	if (status > verdict->status)
		verdict->status = status;
}

bool kb_verdict_has(const struct kb_verdict *verdict, enum kb_reason_code code)
{
	for (unsigned i = 0; i < verdict->count; i++) {
		if (verdict->reasons[i].code == code)
			return true;
	}
	return false;
}

const char *kb_reason_name(const struct kb_reason *reason)
{
	return reason->code < KB_CODE_COUNT ? kb_code_name(reason->code) : reason->name;
}

const char *kb_reason_words(const struct kb_reason *reason)
{
	return reason->code < KB_CODE_COUNT ? kb_code_words(reason->code) : reason->words;
}

enum kb_severity kb_reason_severity(const struct kb_reason *reason)
{
	return reason->code < KB_CODE_COUNT ? kb_code_severity(reason->code) : reason->severity;
}

const struct kb_reason *kb_verdict_worst(const struct kb_verdict *verdict)
{
	const struct kb_reason *worst = NULL;

	for (unsigned i = 0; i < verdict->count && i < KB_REASONS_MAX; i++) {
		if (!worst || kb_reason_severity(&verdict->reasons[i]) > kb_reason_severity(worst))
			worst = &verdict->reasons[i];
	}
	return worst;
}

const char *kb_severity_word(enum kb_severity severity)
{
	return severity == KB_NOTE ? "note" : severity == KB_CAUSE ? "cause" : kb_status_name(kb_severity_status(severity));
}
