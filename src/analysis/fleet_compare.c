/* See fleet_compare.h. A fleet is one question to the store, as for its report. */
#include "analysis/fleet_compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fleet_read.h"
#include "grown.h"
#include "suite/select.h"

#define LOOK_BACK 20u           /* fleets that are tried for the base */

struct fleets_job {
	struct kb_store *store;
	const struct kb_fleets_wanted *wanted;
	struct kb_compared_fleets *to;
	struct fleet_read read;         /* of both; the base is side a, the new one side b */
	struct kb_fleet_report report;  /* whose nodes these are */
	bool *matched;                  /* by pattern */
};

/* ---- reading ----------------------------------------------------------------------------------------------- */

/* Every pattern is tried, also after a match: each must have matched something in the end. */
static bool is_wanted(const struct fleets_job *job, const struct kb_stored_result *row)
{
	bool any = job->wanted->pattern_count == 0;

	for (size_t i = 0; i < job->wanted->pattern_count; i++) {
		if (kb_result_matches(job->wanted->patterns[i], row->benchmark, row->row))
			any = job->matched[i] = true;
	}
	return any;
}

/* An interleaved fleet measured its side b in turn with side a: that is another question, which its report answers. */
static int take(struct fleets_job *job, struct kb_compared_fleet *fleet, struct kb_stored_result *row, char side)
{
	size_t runs = job->read.run_count;
	int error;

	fleet->interleaved |= row->side != '\0';
	if (row->side && row->side != 'a')
		return 0;
	row->side = side;
	error = kb_fleet_take(&job->read, row, &job->to->damaged);
	if (error || job->read.run_count == runs)
		return error;
	if (fleet->runs++ == 0)
		snprintf(fleet->started, sizeof fleet->started, "%s", row->started);
	if (row->label[0])
		snprintf(fleet->label, sizeof fleet->label, "%s", row->label);
	return 0;
}

static int read_fleet(struct fleets_job *job, unsigned which)
{
	struct kb_compared_fleet *fleet = &job->to->side[which];
	struct kb_stored_result row;
	struct kb_query *query;
	int found = kb_store_fleet(job->store, fleet->id, "", &query);

	if (found)
		return found;
	while ((found = kb_store_next(query, &row)) > 0) {
		found = is_wanted(job, &row) ? take(job, fleet, &row, which ? 'b' : 'a') : 0;
		if (found)
			break;
	}
	kb_store_done(query);
	return found;
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

static bool is_on(const struct fleets_job *job, size_t node, char side)
{
	for (size_t i = 0; i < job->read.run_count; i++) {
		if (job->read.runs[i].at == node && job->read.runs[i].side == side)
			return true;
	}
	return false;
}

/* The node of this name in another environment, on the other side alone: it was changed in between. SIZE_MAX: there is none. */
static size_t other_self(const struct fleets_job *job, const bool (*on)[2], size_t node)
{
	const struct kb_fleet_report *report = &job->report;

	for (size_t i = 0; i < report->node_count; i++) {
		if (i != node && strcmp(report->nodes[i].name, report->nodes[node].name) == 0 && on[i][0] == on[node][1] && on[i][1] == on[node][0])
			return i;
	}
	return SIZE_MAX;
}

static int add_node(struct fleets_job *job, const bool (*on)[2], size_t at)
{
	const struct kb_judged_node *nodes = job->report.nodes;
	size_t other = other_self(job, on, at);

	/* What changed is listed once. */
	if (other != SIZE_MAX && on[at][1])
		return 0;
	if (!KB_GROW(job->to->nodes, job->to->node_count))
		return -ENOMEM;
	struct kb_fleets_node *node = &job->to->nodes[job->to->node_count++];

	*node = (struct kb_fleets_node){ .name = "" };
	snprintf(node->name, sizeof node->name, "%s", nodes[at].name);
	snprintf(node->environment[on[at][1] ? 1 : 0], sizeof *node->environment, "%s", nodes[at].environment);
	if (other != SIZE_MAX)
		snprintf(node->environment[1], sizeof *node->environment, "%s", nodes[other].environment);
	return 0;
}

static int list_nodes(struct fleets_job *job)
{
	bool (*on)[2] = calloc(job->report.node_count + 1, sizeof *on);
	int error = on ? 0 : -ENOMEM;

	for (size_t i = 0; i < job->report.node_count && !error; i++) {
		on[i][0] = is_on(job, i, 'a');
		on[i][1] = is_on(job, i, 'b');
		job->to->side[0].nodes += on[i][0] ? 1 : 0;
		job->to->side[1].nodes += on[i][1] ? 1 : 0;
		job->to->common += on[i][0] && on[i][1] ? 1 : 0;
	}
	for (size_t i = 0; i < job->report.node_count && !error; i++) {
		if (!on[i][0] || !on[i][1])
			error = add_node(job, (const bool (*)[2])on, i);
	}
	free(on);
	return error;
}

static const struct kb_fleets_node *find_changed(const struct fleets_job *job, const struct fleet_run *run)
{
	for (size_t i = 0; i < job->to->node_count; i++) {
		const struct kb_fleets_node *node = &job->to->nodes[i];

		if (node->environment[0][0] && node->environment[1][0] && strcmp(node->name, run->node) == 0 &&
		    strcmp(node->environment[run->side == 'b'], run->environment) == 0)
			return node;
	}
	return NULL;
}

static void name_change(const struct kb_fleets_node *node, char environment[64])
{
	snprintf(environment, 64, "%.29s" KB_FLEETS_JOINED "%.29s", node->environment[0], node->environment[1]);
}

/* They are an environment of their own, of both sides. What was measured on another machine, as an emulated one, has its own. */
static int join_changed(struct fleets_job *job)
{
	for (size_t i = 0; i < job->read.sample_count; i++) {
		struct fleet_sample *sample = &job->read.samples[i];
		const struct fleet_run *run = &job->read.runs[sample->run];
		const struct kb_fleets_node *node = find_changed(job, run);

		if (node && strcmp(sample->environment, run->environment) == 0)
			name_change(node, sample->environment);
	}
	for (size_t i = 0; i < job->read.run_count; i++) {
		struct fleet_run *run = &job->read.runs[i];
		const struct kb_fleets_node *node = find_changed(job, run);

		if (node)
			name_change(node, run->environment);
	}
	free(job->report.nodes);
	job->report = (struct kb_fleet_report){ .margin = job->wanted->margin };
	return kb_fleet_arrange(&job->read, &job->report);
}

/* ---- both ------------------------------------------------------------------------------------------------------ */

static int compare(struct fleets_job *job)
{
	int error = read_fleet(job, 0) ?: read_fleet(job, 1);

	if (error || job->read.run_count == 0)
		return error;
	error = kb_fleet_arrange(&job->read, &job->report) ?: list_nodes(job);
	if (!error && job->wanted->any_env)
		error = join_changed(job);
	return error ? error : kb_fleets_compare_rows(&job->read, job->report.node_count, job->to);
}

static int compare_with(struct kb_store *store, const struct kb_fleets_wanted *wanted, const char *base, struct kb_compared_fleets *to)
{
	struct fleets_job job = { store, wanted, to, .matched = calloc(wanted->pattern_count + 1, sizeof *job.matched) };
	char new[37];
	int error;

	memcpy(new, to->side[1].id, sizeof new);
	kb_fleets_release(to);
	*to = (struct kb_compared_fleets){ .margin = wanted->margin };
	memcpy(to->side[1].id, new, sizeof new);
	snprintf(to->side[0].id, sizeof to->side[0].id, "%s", base);
	error = job.matched ? compare(&job) : -ENOMEM;
	for (size_t i = wanted->pattern_count; i-- > 0 && job.matched;)
		to->unmatched = job.matched[i] ? to->unmatched : wanted->patterns[i];
	kb_fleet_read_free(&job.read);
	kb_fleet_free(&job.report);
	free(job.matched);
	return error;
}

/* ---- the fleet to be held against ------------------------------------------------------------------------------- */

struct fleets_before { const char *new; bool passed; char (*ids)[37]; size_t count; };

static int take_before(void *context, const struct kb_stored_fleet *fleet)
{
	struct fleets_before *before = context;

	if (before->passed && before->count < LOOK_BACK) {
		if (!KB_GROW(before->ids, before->count))
			return -ENOMEM;
		snprintf(before->ids[before->count++], sizeof *before->ids, "%s", fleet->id);
	}
	before->passed |= strcmp(fleet->id, before->new) == 0;
	return 0;
}

static bool shares(const struct kb_compared_fleets *fleets)
{
	for (size_t i = 0; i < fleets->count; i++) {
		if (fleets->rows[i].common > 0)
			return true;
	}
	return false;
}

/* The newest one with a result on a node in common; where none has, the newest one, whose comparison tells why. */
static int compare_with_before(struct kb_store *store, const struct kb_fleets_wanted *wanted, struct kb_compared_fleets *to)
{
	struct fleets_before before = { .new = to->side[1].id };
	int error = kb_store_each_fleet(store, before.new, take_before, &before);
	bool found = false;

	if (!error && before.count == 0)
		error = -ENOENT;
	for (size_t i = 0; i < before.count && !error && !found; i++) {
		error = compare_with(store, wanted, before.ids[i], to);
		found = !error && shares(to);
	}
	if (!error && !found)
		error = compare_with(store, wanted, before.ids[0], to);
	free(before.ids);
	return error;
}

int kb_fleets_compare(struct kb_store *store, const struct kb_fleets_wanted *wanted, struct kb_compared_fleets *to)
{
	char base[37];
	int error;

	*to = (struct kb_compared_fleets){ .margin = wanted->margin };
	error = kb_store_find_fleet(store, wanted->fleets[1], to->side[1].id);
	if (!error && !wanted->fleets[0])
		return compare_with_before(store, wanted, to);
	if (!error)
		error = kb_store_find_fleet(store, wanted->fleets[0], base);
	return error ? error : compare_with(store, wanted, base, to);
}

void kb_fleets_release(struct kb_compared_fleets *fleets)
{
	free(fleets->rows);
	free(fleets->nodes);
	free(fleets->alone);
}
