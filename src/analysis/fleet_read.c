/* See fleet_read.h. All of a fleet is one question to the store: no JSON is read, and no server is asked twice. */
#define _GNU_SOURCE             /* strverscmp */

#include "analysis/fleet_read.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence.h"
#include "grown.h"
#include "result/comparison.h"
#include "stats/series/series.h"

/* ---- results ----------------------------------------------------------------------------------------------- */

#define DF_MOST 1e6             /* of an interval whose processes are not known */

/* A logarithm with the standard error that its CI shows. */
static struct kb_node_value value_of(double value, double low, double high, int64_t processes)
{
	double df = processes > 1 ? (double)processes - 1 : 1, half = isnan(low) || isnan(high) ? 0 : (high - low) / 2;

	if (!(value > 0) || !(half >= 0))
		return (struct kb_node_value){ .df = 0 };
	return (struct kb_node_value){ log(value), half / value / kb_t_factor(.95, df), df };
}

static bool has_status(const struct kb_stored_result *row, enum kb_status status)
{
	return strcmp(row->status, kb_status_name(status)) == 0;
}

static const char *refused(const struct kb_stored_result *row, const struct kb_node_value *cost)
{
	if (has_status(row, KB_INVALID) || has_status(row, KB_SKIPPED))
		return kb_status_name(has_status(row, KB_INVALID) ? KB_INVALID : KB_SKIPPED);
	return cost->df > 0 ? NULL : "no cost";
}

static struct fleet_sample sample_of(const struct kb_stored_result *row)
{
	bool cycles = kb_core_bound(kb_bound_find(row->bound)) && !isnan(row->cycles.value);
	const struct kb_stored_estimate *cost = cycles ? &row->cycles : &row->estimate;
	struct fleet_sample sample = {
		.cost = value_of(cost->value, cost->low, cost->high, row->processes), .mean = value_of(row->mean, NAN, NAN, row->processes),
		.mhz = row->mhz, .clean = row->clean, .disturbed = row->disturbed, .waited = row->waited, .n_max = row->n_max, .sample_ns = row->sample_ns,
	};

	if (row->waited >= 0 && row->waited < 1)
		sample.wait = (struct kb_node_value){ -log1p(-row->waited), 0, 1 };
	/* Core cycles of the mean are those of the cost, and as much more. */
	if (cycles && sample.mean.df > 0 && row->estimate.value > 0)
		sample.mean.x += log(row->cycles.value / row->estimate.value);
	sample.why = refused(row, &sample.cost);
	sample.noisy = has_status(row, KB_NOISY);
	snprintf(sample.row, sizeof sample.row, "%s", row->row);
	snprintf(sample.environment, sizeof sample.environment, "%s", row->environment);
	snprintf(sample.unit, sizeof sample.unit, "%s", cycles ? "cycles" : row->unit);
	snprintf(sample.per, sizeof sample.per, "%s", row->per);
	snprintf(sample.headline, sizeof sample.headline, "%s", row->headline);
	snprintf(sample.like, sizeof sample.like, "%s %s %s %s", sample.unit, row->per, row->method, row->clock);
	return sample;
}

static int add_sample(struct fleet_read *read, const struct kb_stored_result *row, size_t *damaged)
{
	if (row->damaged) {
		++*damaged;
		return 0;
	}
	if (!KB_GROW(read->samples, read->sample_count))
		return -ENOMEM;
	read->samples[read->sample_count] = sample_of(row);
	read->samples[read->sample_count].run = read->run_count - 1;
	read->samples[read->sample_count++].position = (size_t)row->position;
	return 0;
}

/* ---- runs -------------------------------------------------------------------------------------------------- */

static bool by_id(const struct kb_fleet_wanted *request)
{
	return request->fleet || (!request->label && !request->since);
}

static bool is_wanted(const struct kb_fleet_wanted *request, const struct kb_stored_result *row)
{
	return (!request->label || fnmatch(request->label, row->label, 0) == 0) && (!request->since || strcmp(row->started, request->since) >= 0);
}

/* A machine that nobody named, nor its allocation (of Slurm), is known by its environment ID alone. */
static int add_run(struct fleet_read *read, const struct kb_stored_result *row)
{
	struct fleet_run run = { .side = row->side == 'a' || row->side == 'b' ? row->side : '\0' };
	const char *environment = row->run_environment[0] ? row->run_environment : "unknown";

	if (!KB_GROW(read->runs, read->run_count))
		return -ENOMEM;
	snprintf(run.id, sizeof run.id, "%s", row->run_id);
	snprintf(run.started, sizeof run.started, "%s", row->started);
	snprintf(run.boot, sizeof run.boot, "%s", row->boot);
	snprintf(run.environment, sizeof run.environment, "%s", environment);
	snprintf(run.node, sizeof run.node, "%s", row->node[0] ? row->node : environment);
	read->runs[read->run_count++] = run;
	return 0;
}

int kb_fleet_take(struct fleet_read *read, const struct kb_stored_result *row, size_t *damaged)
{
	bool same = read->run_count > 0 && strcmp(read->runs[read->run_count - 1].id, row->run_id) == 0;
	int error = same ? 0 : add_run(read, row);

	return error ? error : add_sample(read, row, damaged);
}

static int read_runs(struct kb_store *store, const struct kb_fleet_wanted *request, struct fleet_read *read, struct kb_fleet_report *fleet)
{
	struct kb_stored_result row;
	struct kb_query *query;
	int found = by_id(request) ? kb_store_find_fleet(store, request->fleet ? request->fleet : "last", fleet->id) : 0;

	if (found)
		return found;
	found = kb_store_fleet(store, by_id(request) ? fleet->id : NULL, request->since ? request->since : "", &query);
	if (found)
		return found;
	while ((found = kb_store_next(query, &row)) > 0) {
		found = is_wanted(request, &row) ? kb_fleet_take(read, &row, &fleet->damaged) : 0;
		if (found)
			break;
	}
	kb_store_done(query);
	return found ? found : read->run_count > 0 ? 0 : -ENOENT;
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

static int by_name(const void *one, const void *other)
{
	const struct kb_judged_node *a = one, *b = other;
	int order = strcmp(a->environment, b->environment);

	/* node-2 before node-10. */
	return order ? order : strverscmp(a->name, b->name);
}

static struct kb_judged_node *find_node(struct kb_fleet_report *fleet, const struct fleet_run *run)
{
	for (size_t i = 0; i < fleet->node_count; i++) {
		struct kb_judged_node *node = &fleet->nodes[i];

		if (strcmp(node->name, run->node) == 0 && strcmp(node->environment, run->environment) == 0)
			return node;
	}
	return NULL;
}

static int find_nodes(struct fleet_read *read, struct kb_fleet_report *fleet)
{
	for (size_t i = 0; i < read->run_count; i++) {
		const struct fleet_run *run = &read->runs[i];

		if (find_node(fleet, run))
			continue;
		if (!KB_GROW(fleet->nodes, fleet->node_count))
			return -ENOMEM;
		struct kb_judged_node *node = &fleet->nodes[fleet->node_count++];

		*node = (struct kb_judged_node){ .runs = 0 };
		snprintf(node->name, sizeof node->name, "%s", run->node);
		snprintf(node->environment, sizeof node->environment, "%s", run->environment);
	}
	qsort(fleet->nodes, fleet->node_count, sizeof *fleet->nodes, by_name);
	for (size_t i = 0; i < read->run_count; i++) {
		struct kb_judged_node *node = find_node(fleet, &read->runs[i]);

		read->runs[i].at = (size_t)(node - fleet->nodes);
		node->runs++;
		snprintf(node->run, sizeof node->run, "%s", read->runs[i].id);
	}
	fleet->runs = read->run_count;
	snprintf(fleet->started, sizeof fleet->started, "%s", read->runs[0].started);
	snprintf(fleet->finished, sizeof fleet->finished, "%s", read->runs[read->run_count - 1].started);
	return 0;
}

static bool are_one_boot(const struct fleet_run *a, const struct fleet_run *b)
{
	return a->at == b->at && a->boot[0] && strcmp(a->boot, b->boot) == 0;
}

/* Pointers to runs: by node, boot and time. */
static int by_boot(const void *one, const void *other)
{
	const struct fleet_run *a = *(const struct fleet_run *const *)one, *b = *(const struct fleet_run *const *)other;
	int order = a->at != b->at ? (a->at > b->at) - (a->at < b->at) : strcmp(a->boot, b->boot);

	return order ? order : (a > b) - (a < b);
}

static int find_boots(struct fleet_read *read, struct kb_fleet_report *fleet)
{
	struct fleet_run **runs = malloc(read->run_count * sizeof *runs);

	if (!runs)
		return -ENOMEM;
	for (size_t i = 0; i < read->run_count; i++)
		runs[i] = &read->runs[i];
	qsort(runs, read->run_count, sizeof *runs, by_boot);
	for (size_t i = 0; i < read->run_count; i++) {
		bool same = i > 0 && are_one_boot(runs[i], runs[i - 1]);

		runs[i]->first = same ? runs[i - 1]->first : (size_t)(runs[i] - read->runs);
		fleet->nodes[runs[i]->at].boots += same ? 0 : 1;
	}
	free(runs);
	return 0;
}

static int by_row(const void *one, const void *other)
{
	const struct fleet_sample *a = one, *b = other;
	int order = strcmp(a->environment, b->environment);

	order = order ? order : strcmp(a->row, b->row);
	if (order)
		return order;
	if (a->node != b->node)
		return (a->node > b->node) - (a->node < b->node);
	return a->boot != b->boot ? (a->boot > b->boot) - (a->boot < b->boot) : (a->run > b->run) - (a->run < b->run);
}

int kb_fleet_arrange(struct fleet_read *read, struct kb_fleet_report *fleet)
{
	int error = find_nodes(read, fleet) ?: find_boots(read, fleet);

	if (error)
		return error;
	for (size_t i = 0; i < read->sample_count; i++) {
		read->samples[i].node = read->runs[read->samples[i].run].at;
		read->samples[i].boot = read->runs[read->samples[i].run].first;
	}
	qsort(read->samples, read->sample_count, sizeof *read->samples, by_row);
	return 0;
}

int kb_fleet_read(struct kb_store *store, const struct kb_fleet_wanted *request, struct fleet_read *read, struct kb_fleet_report *fleet)
{
	return read_runs(store, request, read, fleet) ?: kb_fleet_arrange(read, fleet);
}

void kb_fleet_read_free(struct fleet_read *read)
{
	free(read->runs);
	free(read->samples);
}
