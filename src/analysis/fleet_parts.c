/* See fleet_parts.h. */
#include "analysis/fleet_parts.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grown.h"
#include "result/json/environment.h"

/* ---- which fleets ------------------------------------------------------------------------------------------ */

static int take_age(void *context, const struct kb_stored_fleet *fleet)
{
	struct fleet_ages *ages = context;

	if (!KB_GROW(ages->at, ages->count))
		return -ENOMEM;
	struct fleet_age *age = &ages->at[ages->count];

	*age = (struct fleet_age){ .age = ages->count++ };
	snprintf(age->id, sizeof age->id, "%s", fleet->id);
	snprintf(age->started, sizeof age->started, "%s", fleet->started);
	return 0;
}

int kb_fleet_ages(struct kb_store *store, struct fleet_ages *ages)
{
	return kb_store_each_fleet(store, NULL, take_age, ages);
}

static int by_id(const void *one, const void *other)
{
	return strcmp(((const struct fleet_age *)one)->id, ((const struct fleet_age *)other)->id);
}

static int by_age(const void *one, const void *other)
{
	const struct fleet_age *a = one, *b = other;

	return (a->age > b->age) - (a->age < b->age);
}

static const struct fleet_age *find_age(const struct fleet_ages *ages, const char *id)
{
	struct fleet_age key = { .age = 0 };

	snprintf(key.id, sizeof key.id, "%s", id);
	return ages->count > 0 ? bsearch(&key, ages->at, ages->count, sizeof key, by_id) : NULL;
}

/* When the first run of the newest so many began; the order is that of age, or of ids afterwards. */
static void find_since(struct fleet_ages *ages, size_t newest, char since[24])
{
	since[0] = '\0';
	qsort(ages->at, ages->count, sizeof *ages->at, by_age);
	for (size_t i = 0; i < newest && i < ages->count && newest < ages->count; i++) {
		if (!since[0] || strcmp(ages->at[i].started, since) < 0)
			memcpy(since, ages->at[i].started, sizeof ages->at[i].started);
	}
	qsort(ages->at, ages->count, sizeof *ages->at, by_id);
}

/* ---- results ----------------------------------------------------------------------------------------------- */

static int take_part(struct fleet_parts *parts, const struct kb_stored_result *result, size_t age)
{
	size_t group = parts->groups;

	for (size_t i = 0; i < parts->count && group == parts->groups; i++) {
		if (kb_environment_same(parts->at[i].result.environment, result->environment, KB_SAME_CONFIG))
			group = parts->at[i].group;
	}
	if (!KB_GROW(parts->at, parts->count))
		return -ENOMEM;
	parts->groups += group == parts->groups ? 1 : 0;
	parts->at[parts->count++] = (struct fleet_part){ *result, age, group };
	return 0;
}

static int by_group(const void *one, const void *other)
{
	const struct fleet_part *a = one, *b = other;
	int order = (a->group > b->group) - (a->group < b->group);

	order = order ? order : (a->age > b->age) - (a->age < b->age);
	order = order ? order : strcmp(a->result.started, b->result.started);
	return order ? order : strcmp(a->result.run_id, b->result.run_id);
}

int kb_fleet_parts(struct kb_store *store, const struct kb_history_wanted *wanted, const struct kb_stored_result *row, struct fleet_ages *ages,
		   size_t newest, struct fleet_parts *parts)
{
	struct kb_series_filter of = { .node = wanted->node, .fleets = true };
	struct kb_stored_result result;
	struct kb_query *query;
	char since[24];
	int found;

	find_since(ages, newest, since);
	of.since = since;
	found = kb_store_history_of(store, row->benchmark, row->parameters, &of, KB_NEWEST_FIRST, &query);
	if (found)
		return found;
	while ((found = kb_store_next(query, &result)) > 0) {
		const struct fleet_age *age = find_age(ages, result.fleet);

		if (!age || age->age >= newest || (wanted->label && fnmatch(wanted->label, result.label, 0) != 0))
			continue;
		found = result.damaged ? kb_store_damaged(store, &result) : take_part(parts, &result, age->age);
		if (found)
			break;
	}
	kb_store_done(query);
	if (parts->count > 0)
		qsort(parts->at, parts->count, sizeof *parts->at, by_group);
	return found;
}

size_t kb_fleet_parts_next(const struct fleet_parts *parts, size_t from)
{
	size_t to = from;

	while (to < parts->count && parts->at[to].group == parts->at[from].group && parts->at[to].age == parts->at[from].age)
		to++;
	return to;
}

size_t kb_fleet_parts_group(const struct fleet_parts *parts, size_t from, size_t *fleets)
{
	size_t to = from;

	for (*fleets = 0; to < parts->count && parts->at[to].group == parts->at[from].group; ++*fleets)
		to = kb_fleet_parts_next(parts, to);
	return to;
}
