/*
 * From numbers and evidence to a verdict. Each function judges one thing and adds the reasons it finds; the worst
 * decides. Thresholds are those of the method (doc/method.md); a reason's detail says what was seen.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "evidence/events.h"
#include "evidence/working_set.h"
#include "result/sent.h"
#include "result/summary/kanata.h"
#include "result/summary/summary.h"

#define BASE_SHARE 0.10         /* of the timed loop: more, and what overlaps between op and base decides the difference */
#define BASE_SHARE_KERNEL 0.50  /* a kernel entry drains the pipeline, so there base and operation do not overlap */
#define EMPTY_LOOP_CYCLES 40.0  /* a turn */
#define BYTES_PER_CYCLE 192.0   /* two loads and a store of 64 bytes: the widest cores there are */
#define FEWEST_PROCESSES 3
#define REFUTED_SHARE 0.01      /* of a row's observations, before it is not the claimed operation that was measured */

/* ---- execution ----------------------------------------------------------------------------------- */

static void judge_outcome(struct kb_verdict *verdict, const struct kb_samples *samples)
{
	const char *outcome = samples->outcome;

	if (!strncmp(outcome, "timeout", 7))
		kb_verdict_add(verdict, KB_CODE_timeout, "process %u: %s", samples->process, outcome);
	else if (!strncmp(outcome, "left", 4))
		kb_verdict_add(verdict, KB_CODE_left_behind, "process %u %s", samples->process, outcome);
	else if (!strncmp(outcome, KB_SENT_SHORT, strlen(KB_SENT_SHORT)))
		kb_verdict_add(verdict, KB_CODE_record_truncated, "process %u: %s", samples->process, outcome);
	else if (outcome[0])
		kb_verdict_add(verdict, KB_CODE_crashed, "process %u: %s", samples->process, outcome);
}

static void judge_failure(struct kb_verdict *verdict, const struct kb_samples *samples)
{
	for (unsigned i = 0; i < samples->note_count; i++) {
		if (samples->notes[i].code == KB_CODE_need_unmet) {
			/* What it can do it knows by then: nobody chooses which samples are made. */
			if (kb_list_has("before,op,base,check,after,teardown,plan,covariate,barrier", samples->fail_stage))
				kb_verdict_add(verdict, KB_CODE_op_failed, "process %u, %s: asked to be skipped after set-up: %s", samples->process,
				               samples->fail_stage, samples->notes[i].detail);
			else
				kb_verdict_add(verdict, KB_CODE_need_unmet, "%s", samples->notes[i].detail);
			return;
		}
	}
	const char *detail = samples->fail_detail, *stage = samples->fail_stage;
	enum kb_reason_code code = !strcmp(stage, "setup") ? KB_CODE_setup_failed : !strcmp(stage, "observe") ? KB_CODE_ticks_exceed_elapsed :
				   !strcmp(stage, "check") ? KB_CODE_check_failed : KB_CODE_op_failed;
	int error = samples->fail_error;

	kb_verdict_add(verdict, code, "process %u, %s: %s%s%s", samples->process, samples->fail_stage,
	               detail, detail[0] && error ? ": " : "", error ? strerror(error) : "");
}

/* Counters of the processor prove the operation: what nothing else can prove is proven. */
static bool events_hold(const struct kb_result *result)
{
	bool held = false;

	for (unsigned i = 0; i < result->evidence_count; i++) {
		const struct kb_finding_evidence *found = &result->evidence[i];

		if (found->asked || !kb_counter_is_event(found->counter))
			continue;
		if (!found->ok)
			return false;
		held = true;
	}
	return held;
}

static bool says_unproven(enum kb_reason_code code)
{
	return code == KB_CODE_expect_unknown || code == KB_CODE_no_entry_count;
}

static bool is_counted_elsewhere(const struct kb_result *result)
{
	return result->evidence_count > 0 && result->evidence[0].elsewhere;
}

/* proven: a benchmark that says of itself that it cannot be (kb_unproven) is heard no more, nor a kernel that does not count. */
static void judge_process(struct kb_verdict *verdict, const struct kb_samples *samples, bool proven)
{
	judge_outcome(verdict, samples);
	if (samples->state == KB_RECORD_FAILED)
		judge_failure(verdict, samples);
	else if (samples->state != KB_RECORD_WHOLE && !samples->outcome[0])
		kb_verdict_add(verdict, KB_CODE_record_truncated, "process %u: %s", samples->process,
		               kb_record_state_words(samples->state));
	for (unsigned i = 0; i < samples->note_count; i++) {
		enum kb_reason_code code = samples->notes[i].code;

		if (code != KB_CODE_need_unmet && !(says_unproven(code) && proven))
			kb_verdict_add(verdict, code, "%s", samples->notes[i].detail);
	}
}

/* ---- evidence ------------------------------------------------------------------------------------ */

/* False: it is no claim about memory. */
static bool judge_memory(const struct kb_result *result, struct kb_verdict *verdict, const struct kb_finding_evidence *found)
{
	char seen[KB_MEMORY_WORDS], claimed[KB_MEMORY_WORDS];

	if (!strcmp(found->counter, KB_WORKING_SET))
		kb_verdict_add(verdict, KB_CODE_expect_failed, "it touched %s of %s", kb_memory_words(seen, found->per_op),
		               kb_memory_words(claimed, found->expected));
	else if (!strcmp(found->counter, KB_HUGE_BYTES))
		kb_verdict_add(verdict, KB_CODE_expect_failed, "%s on huge pages come with each %s, small faults are claimed",
		               kb_memory_words(seen, found->per_op), result->per);
	else
		return false;
	return true;
}

static void judge_evidence(const struct kb_result *result, struct kb_verdict *verdict, const struct kb_samples *from)
{
	unsigned claims = 0, proofs = 0;

	for (unsigned i = 0; i < result->evidence_count; i++) {
		const struct kb_finding_evidence *found = &result->evidence[i];

		if (found->asked)
			continue;
		claims++;
		proofs += kb_evidence_proves(found);
		if (!found->known)
			kb_verdict_add(verdict, KB_CODE_expect_unknown, "%s of %s cannot be counted here", found->counter, found->who);
		else if (kb_counter_is_event(found->counter))
			/* An event upgrades a verdict; it cannot make it invalid, for processors differ in what one of a name counts. */
			kb_verdict_add(verdict, found->ok ? KB_CODE_verified_by_events : KB_CODE_event_disagrees,
			               "%s: %.4g per %s, expected %.4g (tolerance %.3g)", found->counter + strlen(KB_EVENT_PREFIX),
			               found->per_op, result->per, found->expected, found->tolerance);
		else if (!found->ok && !judge_memory(result, verdict, found))
			kb_verdict_add(verdict, KB_CODE_expect_failed, "%s of %s: %.4g per %s, expected %.4g (tolerance %.3g)", found->counter,
			               found->who, found->per_op, result->per, found->expected, found->tolerance);
	}
	if (proofs == 0 && !from->checked && result->bound != KB_NOTHING && !kb_verdict_has(verdict, KB_CODE_no_entry_count))
		kb_verdict_add(verdict, KB_CODE_expect_unknown, kb_verdict_has(verdict, KB_CODE_imported) ? "measured by another program" : claims == 0 ? "the benchmark states no expectation and has no check" :
		               "no claim of it that we count would fail if nothing happened; it has no check");
}

/* Of all processes with a whole record: of those whose observations were all refuted, none is usable. */
static void judge_refuted(const struct kb_summary *summary, struct kb_result *result)
{
	const char *first = NULL;
	uint64_t refuted = 0, all = 0;

	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_samples *samples = &summary->samples[i];

		if (samples->state != KB_RECORD_WHOLE || samples->outcome[0])
			continue;
		if (samples->refuted > 0 && !first)
			first = samples->refuted_text;
		refuted += samples->refuted;
		all += samples->refuted + samples->op.count + samples->single.count;
	}
	if (refuted > 0)
		kb_verdict_add(&result->verdict, (double)refuted > REFUTED_SHARE * (double)all ? KB_CODE_refuted : KB_CODE_few_refuted,
		               "%llu of %llu samples%s%s", (unsigned long long)refuted, (unsigned long long)all,
		               first[0] ? ": " : "", first);
}

/* `observe` reports what it saw: that lies inside its sample, or it is no time that passed. */
static void judge_ticks(const struct kb_summary *summary, struct kb_result *result)
{
	uint64_t overlapping = 0, all = 0;

	for (size_t i = 0; i < summary->count; i++) {
		overlapping += summary->samples[i].overlapping;
		all += summary->samples[i].op.count + summary->samples[i].single.count;
	}
	if ((double)overlapping > REFUTED_SHARE * (double)all)
		kb_verdict_add(&result->verdict, KB_CODE_ticks_exceed_elapsed, "%llu of %llu samples were not over when the next one began",
		               (unsigned long long)overlapping, (unsigned long long)all);
}

/* ---- model --------------------------------------------------------------------------------------- */

/* Of the timed loop, over the usable processes. Operations in the base are no overhead where they cost the same as those that only
   op does: what overlaps is the same then. Any difference counts, so that a base that has no operations is found out. */
static double base_share(const struct kb_summary *summary)
{
	double base = 0, gross = 0;

	for (size_t i = 0; i < summary->count; i++) {
		if (!summary->fits[i].usable)
			continue;
		base += summary->fits[i].base_cost;
		gross += summary->fits[i].op.b_robust;
	}
	if (summary->count > 0 && summary->samples[0].half_base)
		base = fabs(base - (gross - base));
	return gross > 0 ? base / gross : 0;
}

/* In core cycles, by the clock probe, of the process where it is least, and where it is most; 0: not known. */
struct cycles { double least, mean, most; };

static struct cycles cycles_of(const struct kb_summary *summary, double (*ticks)(const struct kb_process_fit *))
{
	struct cycles cycles = { INFINITY, 0, 0 };
	unsigned count = 0;

	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_process_fit *fit = &summary->fits[i];

		if (!fit->usable || fit->add_least <= 0)
			continue;
		double of_one = ticks(fit) / fit->add_least;

		cycles.least = fmin(cycles.least, of_one);
		cycles.most = fmax(cycles.most, of_one);
		cycles.mean += of_one;
		count++;
	}
	cycles.mean /= fmax(count, 1);
	return cycles.most > 0 ? cycles : (struct cycles){ 0, 0, 0 };
}

/* A slope that is not sure proves nothing: the end of its interval that does not accuse. */
static double base_ticks(const struct kb_process_fit *fit)
{
	return fit->base.slope.known ? fmin(fit->base_cost, fit->base.slope.low) : fit->base_cost;
}

static double cost_ticks(const struct kb_process_fit *fit) { return fit->cost; }

static double most_ticks(const struct kb_process_fit *fit)
{
	return fit->op.slope.known ? fmax(fit->cost, fit->op.slope.high) : fit->cost;
}

/* An empty loop counts, and may hand on a pointer. What takes longer was put there, and would be taken off the operation. */
static void judge_base_work(const struct kb_summary *summary, struct kb_result *result)
{
	double least = cycles_of(summary, base_ticks).least;

	if (summary->count > 0 && !summary->samples[0].half_base && !summary->samples[0].base_works && result->method != KB_METHOD_PAIRED &&
	    least > EMPTY_LOOP_CYCLES && base_share(summary) > BASE_SHARE)
		kb_verdict_add(&result->verdict, KB_CODE_base_works, "a turn of it takes %.3g core cycles, %.0f %% of the measured loop", least,
		               100 * base_share(summary));
}

/* At most so many cycles: a neighbour lengthens some processes, which the interval over all of them knows. */
static void judge_rate(const struct kb_summary *summary, struct kb_result *result)
{
	const struct kb_estimate *e = &result->estimate;
	double most = cycles_of(summary, most_ticks).most;

	if (e->bounded && e->value > 0)
		most = fmin(most, cycles_of(summary, cost_ticks).mean * e->high / e->value);
	if (most > 0 && (double)result->bytes_per_op > BYTES_PER_CYCLE * most)
		kb_verdict_add(&result->verdict, KB_CODE_bytes_missing, "%.4g bytes a core cycle, and no core loads and stores more than %g",
		               (double)result->bytes_per_op / most, BYTES_PER_CYCLE);
}

/* The self-test: an empty operation must cost nothing. */
static void judge_nothing(const struct kb_summary *summary, struct kb_result *result)
{
	double step = result->ticks_per_ns > 0 ? (double)summary->samples[0].quantum / result->ticks_per_ns : 0, turn = 0;

	for (size_t i = 0; i < summary->count; i++)
		turn = fmax(turn, summary->fits[i].usable ? summary->fits[i].op.b_robust : 0);
	turn /= result->ticks_per_ns > 0 ? result->ticks_per_ns : 1;
	/* What the clock cannot tell from nothing is nothing: a step of it in the longest sample. And one interval in twenty misses zero by chance. */
	if (result->estimate.bounded && (result->estimate.low > 0 || result->estimate.high < 0) && fabs(result->estimate.value) * (double)result->n_max > step &&
	    fabs(result->estimate.value) > KB_MATERIAL * turn)
		kb_verdict_add(&result->verdict, KB_CODE_check_failed, "an empty operation costs %.3g %s [%.3g, %.3g]",
		               result->estimate.value, kb_time_unit(result), result->estimate.low, result->estimate.high);
}

/* Processes whose own blocks, op and base side by side, say this of the cost net of the base. */
static unsigned count_overhead(const struct kb_summary *summary, enum kb_reason_code code)
{
	unsigned count = 0;

	for (size_t i = 0; i < summary->count; i++)
		count += summary->fits[i].usable && summary->fits[i].overhead.code == code;
	return count;
}

/* As people read it: 52.7 us, not 5.27e+04 ns. */
static void say_at_most(struct kb_result *result)
{
	const char *unit = kb_time_unit(result);
	double most = fmax(result->estimate.high, 0), scale = strcmp(unit, "ns") ? 1 : most >= 1e6 ? 1e6 : most >= 1e3 ? 1e3 : 1;

	kb_verdict_add(&result->verdict, KB_CODE_below_resolution, "at most %.3g %s", most / scale, scale >= 1e6 ? "ms" : scale >= 1e3 ? "us" : unit);
}

static void judge_size(const struct kb_summary *summary, struct kb_result *result)
{
	const struct kb_estimate *e = kb_headline(result);
	double half = (e->high - e->low) / 2;

	if (!e->bounded) {
		/* One process has no CI of its own in the headline; its blocks still show whether there is a cost at all. */
		if (count_overhead(summary, KB_CODE_below_resolution) == summary->usable && !kb_verdict_has(&result->verdict, KB_CODE_dead_code))
			kb_verdict_add(&result->verdict, KB_CODE_below_resolution, "its blocks differ from the base's by chance only");
		return;
	}
	/* The CI is looked at after every process, and one look in forty finds a cost of 0 below 0: only a base that is
	   materially dearer, and in the blocks of most processes, is wrong. */
	if (e->high < 0 && base_share(summary) > 1 + KB_MATERIAL && 2 * count_overhead(summary, KB_CODE_base_exceeds_op) > summary->usable)
		kb_verdict_add(&result->verdict, KB_CODE_base_exceeds_op, "%.3g %s [%.3g, %.3g]", result->estimate.value,
		               kb_time_unit(result), result->estimate.low, result->estimate.high);
	else if (e->low <= 0)
		say_at_most(result);
	else if (half > KB_TOO_WIDE * e->value)
		kb_verdict_add(&result->verdict, KB_CODE_too_wide, "±%.1f %%, limit ±%.0f %%", 100 * half / e->value, 100 * KB_TOO_WIDE);
}

static void judge_precision(struct kb_result *result, double precision)
{
	const struct kb_estimate *e = kb_headline(result);
	double half = (e->high - e->low) / 2;

	/* How precise another program was to be, nobody knows. */
	if (!e->bounded || result->bound == KB_NOTHING || precision <= 0 || kb_verdict_has(&result->verdict, KB_CODE_imported))
		return;
	if (half <= precision * fabs(e->value))
		kb_verdict_add(&result->verdict, KB_CODE_target_met, "±%.2f %%", 100 * half / fabs(e->value));
	else
		kb_verdict_add(&result->verdict, KB_CODE_budget_exhausted, "±%.2f %% reached, ±%.2f %% asked", 100 * half / fabs(e->value),
		               100 * precision);
}

/* Refused by the correlation inside a process: by chance one in 25 of those with few blocks, so one is no news. */
static void judge_refused(const struct kb_summary *summary, struct kb_result *result)
{
	enum kb_reason_code why = KB_CODE_too_few_effective;
	unsigned refused = 0;
	size_t used = 0;

	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_process_fit *fit = &summary->fits[i];

		if (fit->usable || kb_series_explains(fit) ||
		    (fit->why != KB_CODE_too_few_effective && fit->why != KB_CODE_rank_out_of_range))
			continue;
		why = fit->why;
		used += fit->used;
		refused++;
	}
	if (refused > 0 && (5 * refused > summary->count || summary->usable < FEWEST_PROCESSES))
		kb_verdict_add(&result->verdict, why, "%sin %u of %zu processes", used > 0 ? "" : "no undisturbed one ", refused,
		               summary->count);
}

static void judge_processes(const struct kb_summary *summary, unsigned planned, struct kb_result *result)
{
	unsigned explained = 0;

	result->processes_planned = planned;
	result->processes_contended = summary->contended;
	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_process_fit *fit = &summary->fits[i];

		explained += !fit->usable && kb_series_explains(fit);
		result->processes_failed += summary->samples[i].state != KB_RECORD_WHOLE || summary->samples[i].outcome[0];
	}
	judge_refused(summary, result);
	if (summary->count == 0) { /* it was not reached, or the end of the budget ended it: too slow or hanging, nobody can tell */
		kb_verdict_add(&result->verdict, KB_CODE_not_reached, "of %u", planned);
		return;
	}
	/* A program of others gave one process a CI; where memory lay is not in it. What happened under an emulator does not depend on that. */
	if (summary->usable == 1 && result->estimate.bounded && kb_verdict_has(&result->verdict, KB_CODE_imported))
		kb_verdict_add(&result->verdict, KB_CODE_single_launch, NULL);
	else if (result->method == KB_METHOD_COMMAND && summary->usable > 0 && !result->estimate.bounded)
		kb_verdict_add(&result->verdict, KB_CODE_few_runs, "%u", summary->usable);
	else if (summary->usable + explained < FEWEST_PROCESSES && !kb_summary_untimed(summary) && !kb_is_exact(result))
		kb_verdict_add(&result->verdict, KB_CODE_partial_run, "%u of %u planned", summary->usable, planned);
}

void kb_summary_judge(const struct kb_summary *summary, const struct kb_summary_rules *rules, struct kb_result *result)
{
	struct kb_verdict *verdict = &result->verdict;
	bool proven = events_hold(result) || is_counted_elsewhere(result), refuted = false;

	if (summary->has_proof)
		judge_process(verdict, &summary->proof, false);
	for (size_t i = 0; i < summary->count; i++)
		judge_process(verdict, &summary->samples[i], proven);
	/* Where no process ended, the proof still has what it counted: system calls only, so what it has not is not "unknown here". */
	for (unsigned i = 0; i < result->evidence_count; i++)
		refuted |= result->evidence[i].known && !result->evidence[i].ok && !result->evidence[i].asked;
	if (verdict->status < KB_INVALID && (summary->count > 0 || refuted))
		judge_evidence(result, verdict, summary->count > 0 ? &summary->samples[0] : &summary->proof);
	if (summary->has_proof)
		kb_proof_judge(&summary->proof.proof, summary->count > 0 ? &summary->samples[0] : &summary->proof, result);
	kb_where_judge(summary, result);
	judge_refuted(summary, result);
	judge_ticks(summary, result);
	if (summary->usable > 0 && !kb_summary_untimed(summary)) {
		kb_summary_judge_machine(summary, result);
		if (result->bound == KB_NOTHING) {
			judge_nothing(summary, result);
		} else {
			kb_summary_judge_line(summary, result);
			kb_summary_judge_agreement(summary, result);
			/* A shell and the command that it starts do not overlap. */
			if (result->method != KB_METHOD_COMMAND && base_share(summary) > (result->bound == KB_KERNEL ? BASE_SHARE_KERNEL : BASE_SHARE))
				kb_verdict_add(verdict, KB_CODE_base_dominates, "%.0f %% of the measured loop", 100 * base_share(summary));
			judge_base_work(summary, result);
			judge_rate(summary, result);
			judge_size(summary, result);
		}
		if (result->method != KB_METHOD_KANATA)
			judge_precision(result, rules->precision);
		else
			kb_kanata_judge(summary, rules->precision, result);
	} else if (!kb_summary_untimed(summary)) {
		kb_summary_judge_disturbance(summary, result); /* it may be why none is usable */
	}
	if (verdict->status < KB_INVALID && result->bound != KB_NOTHING && !kb_summary_untimed(summary) &&
	    !(summary->count > 0 && summary->samples[0].reported.cost > 0))
		kb_series_judge(summary, result);
	if (verdict->status != KB_SKIPPED && verdict->status != KB_INVALID)
		judge_processes(summary, rules->planned, result);
}
