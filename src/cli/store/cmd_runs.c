/* kbench runs: which runs the store holds; their label, and their end. */
#include "cli/store/runs.h"

#include <getopt.h>
#include <string.h>

#include "base/text.h"
#include "report/text/columns.h"
#include "report/text/number_format.h"
#include "result/json/json.h"

struct asked {
	const char *store;
	uint64_t limit;
	bool json, names;
};

#define REMOTE_LIMIT 100u       /* a team has tens of thousands, and the size of each takes milliseconds */

#define INTO(kind, ...) KB_OPTION(kind, struct asked, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "limit", "N", "only the newest so many", "all; in the table of a server's 100", INTO(NUMBER, limit, .least = 1, .most = UINT32_MAX) },
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, store) },
	{ 0, "names", NULL, "only labels and ids, one a line", NULL, INTO(FLAG, names) },
	{ 0, "json", NULL, "print kbench-runs/1", NULL, INTO(FLAG, json) },
	{ 0 }
};

/* ---- lists ----------------------------------------------------------------------------------------------- */

/* "39 ok, 2 noisy", and how it ended where that was not well. */
static void put_verdicts(FILE *out, const struct kb_run_entry *entry)
{
	const char *comma = "";

	for (unsigned i = 0; i < KB_STATUSES; i++) {
		if (entry->extent.verdicts[i] == 0)
			continue;
		fprintf(out, "%s%u %s", comma, entry->extent.verdicts[i], kb_status_name(i));
		comma = ", ";
	}
	if (entry->extent.damaged > 0) {
		fprintf(out, "%s%u damaged", comma, entry->extent.damaged);
		comma = ", ";
	}
	if (!entry->finished)
		fprintf(out, "%s%s", comma, entry->live ? "running" : "unfinished");
}

/* Oldest first: what was just measured stands last, above the prompt. */
void kb_list_print(const struct kb_run_list *list)
{
	struct kb_columns columns = { .align = "llrlrl" };
	FILE *out = kb_columns_open(&columns, stdout);

	fputs("run\tstarted\tresults\tverdicts\tsize\tlabel\n", out);
	for (size_t i = 0; i < list->count; i++) {
		const struct kb_run_entry *entry = &list->runs[i];
		char size[KB_NUMBER_ROOM];

		kb_format_bytes(size, entry->extent.bytes);
		fprintf(out, "%s\t%s\t%u\t", entry->id, entry->started, entry->extent.results);
		put_verdicts(out, entry);
		fprintf(out, "\t%s\t%s%s%s\n", size, entry->label, entry->label[0] && entry->place[0] ? ", " : "", entry->place);
	}
	kb_columns_print(&columns, stdout);
}

json_t *kb_list_json(const struct kb_run_list *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(array, kb_run_entry_to_json(&list->runs[i]));
	return array;
}

static void print_names(const struct kb_run_list *list)
{
	for (size_t i = list->count; i-- > 0;) {
		if (list->runs[i].label[0])
			puts(list->runs[i].label);
		puts(list->runs[i].id);
	}
}

static void print_space(const struct kb_command *command, struct kb_store *store, const struct kb_run_list *list)
{
	char all[KB_NUMBER_ROOM], unused[KB_NUMBER_ROOM];
	int64_t bytes;

	kb_saved_check(command, store, kb_store_free_bytes(store, &bytes));
	kb_format_bytes(all, kb_store_bytes(store));
	kb_format_bytes(unused, bytes);
	printf("%zu run%s", list->count, list->count == 1 ? "" : "s");
	if (list->others > 0)
		printf(" of %zu", list->count + list->others);
	printf(" in %s: %s", kb_store_path(store), all);
	if (bytes > 0)
		printf(", %s of it free", unused);
	fputc('\n', stdout);
}

static int complain_of_damage(const struct kb_command *command, const struct kb_run_list *list)
{
	int code = KB_EXIT_DONE;

	for (size_t i = 0; i < list->count; i++) {
		const struct kb_run_entry *entry = &list->runs[i];

		if (!entry->extent.damaged)
			continue;
		kb_complain(command, "run %s has %u damaged result%s; 'kbench maintain %s' makes its results again", entry->id, entry->extent.damaged,
			    entry->extent.damaged == 1 ? "" : "s", entry->id);
		code = KB_EXIT_USAGE;
	}
	return code;
}

static int runs_main(const struct kb_command *command, int argc, char **argv)
{
	struct asked asked = { .limit = 0 };
	struct kb_run_list list;
	struct kb_failure failure;
	struct kb_store *store;
	int code;

	if (argc > 1 && argv[1][0] != '-') {
		const struct kb_command *verb = kb_find_verb(command, argv[1]);

		return verb->main(verb, argc - 1, argv + 1);
	}
	kb_read_options(command, argc, argv, &asked);
	kb_no_more(command, argc, argv);
	if (!asked.limit)
		asked.limit = kb_store_is_remote(asked.store) && !asked.json && !asked.names ? REMOTE_LIMIT : UINT64_MAX;
	store = kb_saved_open(command, asked.store, KB_STORE_READ);
	code = kb_runs_list(store, asked.limit, &list, &failure);
	if (!list.count)
		kb_die_if(command, code, &failure);
	if (asked.json)
		kb_print_json(json_pack("{s:s, s:o}", "schema", "kbench-runs/1", "runs", kb_list_json(&list)));
	else if (asked.names)
		print_names(&list);
	else
		kb_list_print(&list);
	if (!asked.json && !asked.names)
		print_space(command, store, &list);
	kb_die_if(command, code, &failure);
	code = complain_of_damage(command, &list);
	kb_runs_release(&list);
	kb_store_close(store);
	return code;
}

/* ---- one run --------------------------------------------------------------------------------------------- */

static const struct kb_option store_alone[] = {
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, store) },
	{ 0 }
};

static int label_main(const struct kb_command *command, int argc, char **argv)
{
	struct asked asked = { .store = NULL };
	struct kb_store *store;
	const char *label, *rule;
	char id[37];

	kb_read_options(command, argc, argv, &asked);
	if (argc - optind < 2)
		kb_usage(command, "a run and its label are needed; the label '' takes one away");
	label = argv[optind + 1];
	optind += 2;
	kb_no_more(command, argc, argv);
	rule = kb_label_rule(label);
	if (rule)
		kb_usage(command, "a label must be %s", rule);
	store = kb_saved_open(command, asked.store, KB_STORE_CHANGE);
	kb_saved_check(command, store, kb_store_find_run(store, argv[optind - 2], id));
	kb_saved_check(command, store, kb_store_label_run(store, id, label));
	kb_store_close(store);
	printf("run %s: %s%s\n", id, label[0] ? "label " : "no label", label);
	return KB_EXIT_DONE;
}

static const struct kb_command label_verb = {
	.name = "runs label",
	.arguments = "RUN TEXT",
	.summary = "Give a run a label, by which it can be named; '' takes it away",
	.text = "RUN is as for 'kbench show'. Of several runs with one label the newest is meant.\n",
	.options = store_alone,
	.examples = "  kbench runs label last before\n"
		    "  kbench runs label before ''\n",
	.exits = "  0 done; 2 usage, unknown run, unwritable store\n",
	.main = label_main,
};

void kb_list_print_removed(const struct kb_run_list *list, bool dry)
{
	int64_t bytes = 0;
	char size[KB_NUMBER_ROOM];

	for (size_t i = 0; i < list->count; i++)
		bytes += list->runs[i].extent.bytes;
	if (list->count > 0)
		kb_list_print(list);
	kb_format_bytes(size, bytes);
	printf("%zu run%s %s, %s%s\n", list->count, list->count == 1 ? "" : "s", dry ? "would be removed" : "removed", size,
	       list->count > 0 && !dry ? "; 'kbench runs gc' gives the space back to the file system" : "");
}

static int remove_main(const struct kb_command *command, int argc, char **argv)
{
	struct asked asked = { .store = NULL };
	struct kb_run_list list;
	struct kb_failure failure;
	struct kb_store *store;

	kb_read_options(command, argc, argv, &asked);
	if (optind == argc)
		kb_usage(command, "which run?");
	store = kb_saved_open(command, asked.store, KB_STORE_CHANGE);
	kb_die_if(command, kb_runs_remove(store, argv + optind, (size_t)(argc - optind), &list, &failure), &failure);
	kb_list_print_removed(&list, false);
	kb_runs_release(&list);
	kb_store_close(store);
	return KB_EXIT_DONE;
}

static const struct kb_command remove_verb = {
	.name = "runs remove",
	.arguments = "RUN...",
	.summary = "Remove runs from the store, with their records and results",
	.text = "It asks nothing, and prints what it removed. All of them go or none: an unknown run, or one that is being measured,\n"
		"is an error.\n",
	.options = store_alone,
	.examples = "  kbench runs remove last\n"
		    "  kbench runs remove first 01935a00\n",
	.exits = "  0 done; 2 usage, unknown run, a run that is being measured, unwritable store\n",
	.main = remove_main,
};

static const struct kb_command *const verbs[] = {
	&label_verb, &remove_verb, &kb_runs_prune_verb, &kb_runs_gc_verb, &kb_runs_merge_verb, &kb_runs_push_verb,
	&kb_runs_pull_verb, &kb_runs_copy_verb, NULL,
};

const struct kb_command kb_command_runs = {
	.name = "runs",
	.arguments = "[VERB ...]",
	.summary = "List the runs of the store, label, remove and copy them, and free space",
	.text = "Without a verb it lists the runs, oldest first: when each started, how many results it has and with which verdicts, how\n"
		"much of the store it takes, and its label.\n"
		"label RUN TEXT: name a run\n"
		"remove RUN...: remove runs\n"
		"prune: remove all runs but the newest, or those that are older than some days\n"
		"gc: give free space back, and remove caches that cannot be used any more\n"
		"merge FILE...: bring in the runs of other stores\n"
		"push STORE [RUN...]: copy runs to a server, or another file\n"
		"pull STORE [RUN...]: copy runs from there\n"
		"copy FROM TO [RUN...]: copy runs between two stores\n"
		"A store is a file, or postgresql://HOST/DATABASE wherever --store is taken: doc/store.md.\n"
		"'kbench runs VERB --help' has more.\n",
	.options = options,
	.examples = "  kbench runs\n"
		    "  kbench runs --limit 5\n"
		    "  kbench runs label last before\n"
		    "  kbench runs prune --keep 50 --dry-run\n",
	.exits = "  0 done; 2 usage, unreadable store, a damaged run or result, unwritable output; those of the verb\n",
	.main = runs_main,
	.verbs = verbs,
};
