/*
 * Verdicts on a row over time. A search for changes errs once in thirty to two hundred processes, and a run has a hundred
 * of them: what a single process of five says is a remark alongside `flat`, and only what more processes say is a reason.
 */
#define _GNU_SOURCE
#include "result/summary/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "result/blocks.h"
#include "stats/series/changepoint.h"

#define COMMON_MODE 0.02        /* of the cost; below, it is no news */
#define MINOR 0.2               /* share of all samples */
#define DISTURBED 0.05          /* of a process's samples */
#define FEWEST_PROCESSES 4       /* fewer cannot make a row invalid */

/* ---- steadiness ---------------------------------------------------------------------------------- */

/* Processes with each code; those with a known answer in all. */
struct votes {
	unsigned by[KB_CODE_COUNT], all;
	const struct kb_summary *summary;
	const struct kb_result *result;
};

static const enum kb_reason_code unsettled[] = { KB_CODE_slowdown, KB_CODE_drift, KB_CODE_changepoint, KB_CODE_no_steady_state };

/* A process that changes its level is often refused by its slope; it still votes, for that is why. */
static bool votes_for(const struct kb_process_fit *fit)
{
	return fit->steady.known && (fit->usable || fit->why == KB_CODE_too_few_effective);
}

static struct votes count_votes(const struct kb_summary *summary, const struct kb_result *result)
{
	struct votes votes = { .summary = summary, .result = result };

	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_process_fit *fit = &summary->fits[i];

		votes.all += votes_for(fit);
		votes.by[fit->steady.code] += votes_for(fit);
	}
	return votes;
}

/* "process 3: 41.2 to 44.0 ns": what the first process with this code saw. */
static void tell_levels(const struct votes *votes, enum kb_reason_code code, char *text, size_t room)
{
	double rate = kb_core_bound(votes->result->bound) ? 0 : votes->result->ticks_per_ns, scale = rate > 0 ? 1 / rate : 1;

	text[0] = '\0';
	for (size_t i = 0; i < votes->summary->count; i++) {
		const struct kb_process_fit *fit = &votes->summary->fits[i];
		const struct kb_process_steady *steady = &fit->steady;
		bool jump = code == KB_CODE_changepoint;
		char from[32] = "";

		if (!votes_for(fit) || steady->code != code)
			continue;
		if (steady->cut > 0)
			snprintf(from, sizeof from, " from block %u on", steady->cut);
		snprintf(text, room, "process %u: %.4g to %.4g %s%s", votes->summary->samples[i].process,
		         scale * (jump ? steady->low : steady->before), scale * (jump ? steady->high : steady->after),
		         kb_series_unit(votes->result), from);
		return;
	}
}

/* The processes have `seen`, and the result gets `code`. */
static void add_as(struct kb_result *result, const struct votes *votes, enum kb_reason_code seen, enum kb_reason_code code)
{
	char levels[96];

	tell_levels(votes, seen, levels, sizeof levels);
	kb_verdict_add(&result->verdict, code, "in %u of %u processes%s%s", votes->by[seen], votes->all, levels[0] ? "; " : "",
	               levels);
}

static void add(struct kb_result *result, const struct votes *votes, enum kb_reason_code code)
{
	add_as(result, votes, code, code);
}

/* The label of the processes without jumps, without as many dissenters as chance may bring. */
static enum kb_reason_code label_of(const struct votes *votes, unsigned tolerated)
{
	enum kb_reason_code kinds[KB_CODE_COUNT];
	unsigned odd = votes->by[KB_CODE_slowdown] + votes->by[KB_CODE_drift] + votes->by[KB_CODE_no_steady_state];
	unsigned settled = votes->by[KB_CODE_flat] + votes->by[KB_CODE_warmup];
	size_t count = 0;

	for (enum kb_reason_code code = 0; code < KB_CODE_COUNT; code++) {
		bool settles = code == KB_CODE_flat || code == KB_CODE_warmup;

		if (votes->by[code] == 0 || code == KB_CODE_changepoint)
			continue;
		if (settles ? odd > tolerated && settled <= tolerated : odd <= tolerated && settled > 0)
			continue;
		kinds[count++] = code;
	}
	return kb_steady_of_processes(kinds, count);
}

/* What is left of chance: noted with the label, where it decides nothing. */
static void add_settled(struct kb_result *result, const struct votes *votes, enum kb_reason_code label)
{
	char others[96], levels[96];
	size_t used = 0;

	others[0] = '\0';
	for (size_t i = 0; i < sizeof unsettled / sizeof *unsettled; i++) {
		if (votes->by[unsettled[i]] > 0 && used < sizeof others)
			used += (size_t)snprintf(others + used, sizeof others - used, "; %s in %u", kb_code_name(unsettled[i]),
			                         votes->by[unsettled[i]]);
	}
	tell_levels(votes, label, levels, sizeof levels);
	kb_verdict_add(&result->verdict, label, "in %u of %u processes%s%s%s", votes->by[label], votes->all, others,
	               label == KB_CODE_warmup ? "; " : "", label == KB_CODE_warmup ? levels : "");
}

/* Processes that move this way and do not settle, and those that move this way at all. */
static void count_moves(const struct kb_summary *summary, bool up, unsigned *unsettled_count, unsigned *moved)
{
	*unsettled_count = *moved = 0;
	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_process_steady *steady = &summary->fits[i].steady;

		if (!votes_for(&summary->fits[i]) || steady->code == KB_CODE_flat || (steady->after > steady->before) != up)
			continue;
		*moved += 1;
		*unsettled_count += steady->code == KB_CODE_no_steady_state;
	}
}

/* An operation that does not settle moves the same way in all processes but few, and in most of them far. */
static bool never_settles(const struct kb_summary *summary, const struct votes *votes)
{
	unsigned far, moved;

	for (int up = 0; up < 2; up++) {
		count_moves(summary, up, &far, &moved);
		if (moved >= FEWEST_PROCESSES && 2 * far > votes->all && moved + kb_series_tolerated(votes->all) >= votes->all)
			return true;
	}
	return false;
}

/* Whether the probes saw next to nothing of a neighbour: one that comes and goes moves levels that the operation keeps. */
static bool is_uncontended(const struct kb_summary *summary)
{
	double share = 0;

	for (size_t i = 0; i < summary->count; i++)
		share += summary->samples[i].clean_share;
	return share >= (1 - KB_CONTENDED_SHARE) * (double)summary->count; /* not a number: no probes */
}

static void judge_steadiness(const struct kb_summary *summary, struct kb_result *result)
{
	struct votes votes = count_votes(summary, result);
	unsigned tolerated = kb_series_tolerated(votes.all), jumps = votes.by[KB_CODE_changepoint], odd = jumps;

	if (votes.all == 0)
		return;
	for (size_t i = 0; i < sizeof unsettled / sizeof *unsettled; i++)
		odd += unsettled[i] != KB_CODE_changepoint ? votes.by[unsettled[i]] : 0;
	enum kb_reason_code label = label_of(&votes, tolerated);

	if (never_settles(summary, &votes))
		add_as(result, &votes, KB_CODE_no_steady_state, is_uncontended(summary) ? KB_CODE_no_steady_state : KB_CODE_unsettled);
	else if (odd <= tolerated)
		add_settled(result, &votes, label);
	else if (jumps > tolerated)
		add(result, &votes, KB_CODE_changepoint);
	else if (label == KB_CODE_slowdown || label == KB_CODE_drift)
		add(result, &votes, label);
	else
		kb_verdict_add(&result->verdict, KB_CODE_inconsistent, "%u flat, %u warmup, %u slowdown, %u drift, %u changepoint, "
		               "%u no_steady_state", votes.by[KB_CODE_flat], votes.by[KB_CODE_warmup], votes.by[KB_CODE_slowdown],
		               votes.by[KB_CODE_drift], jumps, votes.by[KB_CODE_no_steady_state]);
}

/* ---- one number or several ----------------------------------------------------------------------- */

static void judge_modes(struct kb_result *result)
{
	const struct kb_result_mode *first = &result->modes[0], *last = &result->modes[result->mode_count - 1];
	const struct kb_estimate *e = kb_headline(result);
	double distance, most = 0;
	char places[120];
	size_t used = 0;

	for (unsigned i = 0; i < result->mode_count; i++)
		most = fmax(most, result->modes[i].weight);
	/* In clusters they are states that follow each other: a change of level, which is searched for elsewhere. */
	if (result->mode_count < 2 || result->modes_clustered)
		return;
	distance = last->location - first->location;
	/* A robust slope follows the main mode as long as the others are few; the distribution of single operations is itself what
	   is asked for. And states that come and go lie inside what is printed anyway. */
	if (distance <= KB_TOO_WIDE * fabs(first->location) || (result->method != KB_METHOD_SINGLE && 1 - most < MINOR) ||
	    (e->bounded && e->value > 0 && distance <= (e->high - e->low) / e->value * first->location))
		return;
	for (unsigned i = 0; i < result->mode_count && used < sizeof places; i++)
		used += (size_t)snprintf(places + used, sizeof places - used, "%s%.4g (%.0f %%)", i ? ", " : "",
		                         result->modes[i].location, 100 * result->modes[i].weight);
	kb_verdict_add(&result->verdict, KB_CODE_multimodal, "%u modes: %s %s", result->mode_count, places,
	               kb_series_unit(result));
}

/* ---- spread -------------------------------------------------------------------------------------- */

static void judge_spread(const struct kb_summary *summary, struct kb_result *result)
{
	unsigned correlated = 0, common = 0;
	double largest = 0;

	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_process_fit *fit = &summary->fits[i];
		double share = fit->op.b_robust > 0 ? fit->spread.common / fit->op.b_robust : 0;

		if (!fit->usable)
			continue;
		correlated += fit->spread.correlated;
		/* Where many samples were seen to be hit, others were hit unseen, and their length is what hits them. */
		if ((double)fit->disturbed > DISTURBED * (double)(fit->used + fit->disturbed))
			continue;
		common += share > COMMON_MODE;
		largest = fmax(largest, share);
	}
	if (2 * correlated > summary->usable)
		kb_verdict_add(&result->verdict, KB_CODE_autocorrelated, "in %u of %u processes", correlated, summary->usable);
	/* A core clock that wanders is common to a sample, and cancels in core cycles. */
	if (2 * common > summary->usable && !kb_core_bound(result->bound))
		kb_verdict_add(&result->verdict, KB_CODE_common_mode, "%.1f %% or more shifts whole samples",
		               100 * largest);
}

bool kb_series_explains(const struct kb_process_fit *fit)
{
	return votes_for(fit) && fit->steady.code != KB_CODE_flat && fit->steady.code != KB_CODE_warmup;
}

void kb_series_judge(const struct kb_summary *summary, struct kb_result *result)
{
	judge_steadiness(summary, result);
	if (result->mode_count > 0)
		judge_modes(result);
	if (summary->usable > 0)
		judge_spread(summary, result);
}
