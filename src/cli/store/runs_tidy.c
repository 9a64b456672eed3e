/* kbench runs prune and gc: what makes a store smaller. */
#include <getopt.h>
#include <string.h>

#include "base/text.h"
#include "cli/store/runs.h"
#include "report/text/number_format.h"
#include "workflow/machine.h"
#include "workflow/runs/cache.h"
#include "workflow/runs/prune.h"

struct asked {
	const char *store;
	struct kb_prune_request prune;
	char before[21];                /* a date; "": any */
	bool json;
};

#define INTO(kind, ...) KB_OPTION(kind, struct asked, __VA_ARGS__)

/* "30d", "4w", "12h": runs are old in days. */
static int read_seconds(const char *value, uint64_t *seconds, struct kb_failure *failure)
{
	static const struct { char letter; unsigned seconds; } units[] = { { 'h', 3600 }, { 'd', 24 * 3600 }, { 'w', 7 * 24 * 3600 } };
	size_t length = strlen(value);
	uint64_t number;

	for (size_t i = 0; i < sizeof units / sizeof units[0] && length > 1; i++) {
		if (value[length - 1] != units[i].letter || !kb_span_u64((struct kb_span){ value, length - 1 }, &number) || number > 100000)
			continue;
		*seconds = number * units[i].seconds;
		return 0;
	}
	return kb_refuse_typed(failure, "'%.40s': not an age such as 30d, 4w or 12h", value);
}

static int read_age(const char *value, void *place, struct kb_failure *failure)
{
	uint64_t seconds;
	int code = read_seconds(value, &seconds, failure);

	if (!code)
		kb_date_ago(seconds, place);
	return code;
}

static int read_span(const char *value, void *place, struct kb_failure *failure)
{
	int code = read_seconds(value, place, failure);

	return code || *(uint64_t *)place ? code : kb_refuse_typed(failure, "'%.40s': in no time there is no run", value);
}

/* ---- prune ----------------------------------------------------------------------------------------------- */

enum { KEEP, OLDER_THAN };

static const struct kb_option prune_options[] = {
	[KEEP] = { 0, "keep", "N", "the newest so many runs stay", NULL, INTO(NUMBER, prune.keep, .most = UINT32_MAX) },
	[OLDER_THAN] = { 0, "older-than", "AGE", "only runs that are older: 30d, 4w or 12h", NULL, INTO(READ, before, .read = read_age) },
	{ 0, "thin", "SPAN", "of those, one in each such span stays for runs that are alike: 7d, 4w or 24h", NULL,
	  INTO(READ, prune.thin_s, .read = read_span) },
	{ 0, "labelled", NULL, "also runs with a label", NULL, INTO(FLAG, prune.labelled) },
	{ 0, "dry-run", NULL, "only print what would be removed", NULL, INTO(FLAG, prune.dry) },
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, store) },
	{ 0 }
};

/* Many are not listed, and their sizes were not asked for. */
static void print_pruned(const struct kb_pruned *pruned, struct kb_store *store, int64_t before, bool dry)
{
	char was[KB_NUMBER_ROOM], is[KB_NUMBER_ROOM];

	if (pruned->count <= KB_PRUNED_LISTED) {
		kb_list_print_removed(&pruned->list, dry);
		return;
	}
	printf("%zu runs %s, which started from %s to %s; %zu stay%s\n", pruned->count, dry ? "would be removed" : "removed", kb_shown(pruned->first).text,
	       kb_shown(pruned->last).text, pruned->others, pruned->others == 1 ? "s" : "");
	if (dry)
		return;
	kb_format_bytes(was, before);
	kb_format_bytes(is, kb_store_bytes(store));
	/* A file has a log until it is closed. */
	if (kb_store_bytes(store) < before)
		printf("store %s, now %s; ", was, is);
	puts("'kbench runs gc' gives space back to the file system");
}

static int prune_main(const struct kb_command *command, int argc, char **argv)
{
	struct asked asked = { .prune.keep = UINT64_MAX };
	uint64_t given = kb_read_options(command, argc, argv, &asked);
	struct kb_pruned pruned;
	struct kb_failure failure;
	struct kb_store *store;
	int64_t before;

	kb_no_more(command, argc, argv);
	if (!(given & (1 << KEEP | 1 << OLDER_THAN)))
		kb_usage(command, "which runs? --keep N or --older-than AGE is needed");
	asked.prune.before = asked.before[0] ? asked.before : NULL;
	store = kb_saved_open(command, asked.store, asked.prune.dry ? KB_STORE_READ : KB_STORE_CHANGE);
	before = kb_store_bytes(store);
	kb_die_if(command, kb_runs_prune(store, &asked.prune, &pruned, &failure), &failure);
	print_pruned(&pruned, store, before, asked.prune.dry);
	kb_runs_release(&pruned.list);
	kb_store_close(store);
	return KB_EXIT_DONE;
}

const struct kb_command kb_runs_prune_verb = {
	.name = "runs prune",
	.arguments = "",
	.summary = "Remove all runs but the newest, or those that are older than some days",
	.text = "With both --keep and --older-than a run goes only if it is neither one of the newest nor younger. Runs with a label of\n"
		"yours stay, unless --labelled; 'ab-a' and 'ab-b', which 'kbench ab' gives without --label, are none. What is being\n"
		"measured stays. All of them go or none. The runs of a fleet stay or go together: if one of them has a label, is\n"
		"new enough or is being measured, all stay.\n"
		"With --thin 7d the first run in each seven days stays for runs that are alike: of one command line, apart from --store\n"
		"and --label, one node, environment, CPU and side of a comparison. Of fleets the first one stays whole, and so does\n"
		"one with a node that had no run of this command line in these days before. Spans are counted from 1970-01-01 on, a\n"
		"Thursday, so that what stays today stays when it is thinned again. Runs that stay for their label or age do not\n"
		"count. On a server only the owner of its tables may prune; months that go whole go at once. More than 200 runs are\n"
		"counted, not listed.\n",
	.options = prune_options,
	.examples = "  kbench runs prune --keep 50 --dry-run\n"
		    "  kbench runs prune --older-than 30d\n"
		    "  kbench runs prune --keep 10 --older-than 4w --labelled\n"
		    "  kbench runs prune --older-than 90d --thin 7d --dry-run\n",
	.exits = "  0 done, also if nothing was to be removed; 2 usage, no store, unwritable store\n",
	.main = prune_main,
};

/* ---- gc -------------------------------------------------------------------------------------------------- */

static const struct kb_option gc_options[] = {
	{ 0, "records-older-than", "AGE", "drop the records of runs that are older, and keep their results", "all records stay",
	  INTO(READ, before, .read = read_age) },
	{ 0, "dry-run", NULL, "only print what would be freed", NULL, INTO(FLAG, prune.dry) },
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, store) },
	{ 0, "json", NULL, "print kbench-gc/1", NULL, INTO(FLAG, json) },
	{ 0 }
};

struct freed {
	int64_t before, after;          /* bytes of the store */
	struct kb_old_records records;  /* that were dropped */
	struct kb_cache_size caches[KB_CACHES];
};

static void free_store(const struct kb_command *command, const struct asked *asked, struct freed *freed)
{
	bool dry = asked->prune.dry;
	struct kb_store *store = kb_saved_open(command, asked->store, dry ? KB_STORE_READ : KB_STORE_CHANGE);
	struct kb_failure failure;
	int64_t unused;

	freed->before = kb_store_bytes(store);
	if (asked->before[0])
		kb_die_if(command, kb_runs_drop_records(store, asked->before, dry, &freed->records, &failure), &failure);
	if (dry) {
		kb_saved_check(command, store, kb_store_free_bytes(store, &unused));
		freed->after = freed->before - unused - freed->records.bytes;
	} else {
		kb_saved_check(command, store, kb_store_compact(store));
		freed->after = kb_store_bytes(store);
	}
	kb_store_close(store);
}

static void print_freed(const struct freed *freed, bool dry)
{
	char before[KB_NUMBER_ROOM], after[KB_NUMBER_ROOM];

	if (freed->records.runs > 0) {
		kb_format_bytes(before, freed->records.bytes);
		printf("records of %zu run%s %s: %s\n", freed->records.runs, freed->records.runs == 1 ? "" : "s", dry ? "would be dropped" : "dropped", before);
	}
	kb_format_bytes(before, freed->before);
	kb_format_bytes(after, freed->after);
	printf("%-14s %10s, %s %s\n", "store", before, dry ? "would be about" : "now", after);
	for (unsigned i = 0; i < KB_CACHES; i++) {
		const struct kb_cache_size *cache = &freed->caches[i];

		kb_format_bytes(before, cache->bytes);
		kb_format_bytes(after, cache->bytes - cache->stale_bytes);
		printf("cache %-8s %10s, %s %s", cache->name, before, dry ? "would be" : "now", after);
		if (cache->stale > 0)
			printf(": %u of %u %s, %s", cache->stale, cache->entries, dry ? "would be removed" : "removed", cache->stale_when);
		fputc('\n', stdout);
	}
}

static json_t *freed_json(const struct freed *freed, bool dry)
{
	json_t *caches = json_array();

	for (unsigned i = 0; i < KB_CACHES; i++) {
		const struct kb_cache_size *cache = &freed->caches[i];

		json_array_append_new(caches, json_pack("{s:s, s:I, s:I, s:i, s:i}", "name", cache->name, "before", (json_int_t)cache->bytes, "after",
							(json_int_t)(cache->bytes - cache->stale_bytes), "entries", (int)cache->entries,
							"removed", (int)cache->stale));
	}
	return json_pack("{s:s, s:b, s:{s:I, s:I}, s:{s:I, s:I}, s:o}", "schema", "kbench-gc/1", "dry_run", dry, "store", "before",
			 (json_int_t)freed->before, "after", (json_int_t)freed->after, "records", "runs", (json_int_t)freed->records.runs, "bytes",
			 (json_int_t)freed->records.bytes, "caches", caches);
}

static int gc_main(const struct kb_command *command, int argc, char **argv)
{
	struct kb_notes notes = kb_notes_of(command);
	struct asked asked = { .store = NULL };
	struct freed freed = { 0 };

	kb_read_options(command, argc, argv, &asked);
	kb_no_more(command, argc, argv);
	free_store(command, &asked, &freed);
	kb_caches_tidy(asked.prune.dry, &notes, freed.caches);
	if (asked.json)
		kb_print_json(freed_json(&freed, asked.prune.dry));
	else
		print_freed(&freed, asked.prune.dry);
	return KB_EXIT_DONE;
}

const struct kb_command kb_runs_gc_verb = {
	.name = "runs gc",
	.arguments = "",
	.summary = "Give free space of the store back to the file system, and remove stale caches",
	.text = "No run and no result goes. It needs as much free space as the store has content. With --records-older-than the raw\n"
		"records of older runs go, which are most of a store: their results stay, can be shown, compared and exported, but not\n"
		"plotted or made again by 'kbench maintain'. On a server, where only the owner may, a month in which no record stays\n"
		"is emptied at once and its space returns. Tables of past months that are half empty, as after --thin, are written\n"
		"anew, each locked meanwhile; other space is used again by the runs to come.\n"
		"Of the caches below $XDG_CACHE_HOME/kbench goes what cannot be used any more: modules of kernels that are not\n"
		"installed, seL4 images of other versions of kbench, and Yamba programs that were not used for 30 days.\n",
	.options = gc_options,
	.examples = "  kbench runs gc\n"
		    "  kbench runs gc --records-older-than 90d --dry-run\n",
	.exits = "  0 done; 2 usage, no store, unwritable or busy store, no space\n",
	.main = gc_main,
};
