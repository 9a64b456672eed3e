/* See complete.h. A command's usage line says what its words are, an option's value what it takes: both are read here as people read them. */
#include "cli/complete.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "import/import.h"
#include "report/export/export.h"
#include "result/json/json.h"
#include "run/backend/backend.h"
#include "suite/params/find.h"
#include "suite/select.h"
#include "workflow/data_files.h"

struct cursor {
	const struct kb_command *command;       /* or its verb */
	char **words;                   /* all of the command line */
	int count;                      /* without the last one */
	const char *typed;              /* the last one */
	int operands;                   /* before it, without the verb */
	bool behind_dashes;             /* "--" was typed */
};

static void put(const char *word, const char *what)
{
	printf("%s%s%s\n", word, what && what[0] ? "\t" : "", what ? what : "");
}

/* ---- what a placeholder stands for ------------------------------------------------------------------------ */

static int put_label(void *context, const struct kb_stored_run *run)
{
	(void)context;
	if (run->label[0])
		put(run->label, run->started);
	return 0;
}

static int put_run(void *context, const struct kb_stored_run *run)
{
	printf("%s\t%s%s%s\n", run->id, run->started, run->label[0] ? ", " : "", run->label);
	return put_label(context, run);
}

/* Runs of a fleet mostly follow each other; a fleet that is offered twice is one. */
static int put_fleet(void *context, const struct kb_stored_run *run)
{
	static char before[64];
	json_t *settings = json_loads(run->settings, 0, NULL);
	const char *id = kb_json_string_of(json_object_get(settings, "fleet"), "id");

	(void)context;
	if (id[0] && strcmp(id, before) != 0) {
		kb_visible_copy(before, sizeof before, id);
		put(before, run->started);
	}
	json_decref(settings);
	return 0;
}

static void each_run(const struct cursor *cursor, int (*visit)(void *, const struct kb_stored_run *))
{
	const char *path = NULL;
	struct kb_store *store;

	for (int i = 0; i + 1 < cursor->count; i++) {
		if (strcmp(cursor->words[i], "--store") == 0)
			path = cursor->words[i + 1];
	}
	if (kb_store_open(&store, path, KB_STORE_READ) == 0)
		kb_store_each_run(store, visit, NULL);
	kb_store_close(store);
}

static void offer_runs(const struct cursor *cursor)
{
	put("last", "the newest run");
	each_run(cursor, put_run);
}

static void offer_fleets(const struct cursor *cursor)
{
	put("last", "the newest fleet");
	each_run(cursor, put_fleet);
}

/* Of two fleets or of two runs. */
static void offer_base(const struct cursor *cursor)
{
	bool fleets = false;

	for (int i = 0; i < cursor->count; i++)
		fleets |= strcmp(cursor->words[i], "--fleet") == 0;
	fleets ? offer_fleets(cursor) : offer_runs(cursor);
}

static void offer_labels(const struct cursor *cursor) { each_run(cursor, put_label); }

static void offer_benches(const struct cursor *cursor)
{
	(void)cursor;
	for (unsigned i = 0; i < kb_bench_count; i++)
		put(kb_benches[i]->name, kb_benches[i]->summary);
	for (const struct kb_cross_bench *cross = kb_cross_benches(); cross->bench; cross++)
		put(cross->bench->name, cross->bench->summary);
}

/* "NAME=VALUE" of each value of the list; of one that is a sweep already, "NAME=A,B", what comes behind the last comma. */
static void put_values(const struct kb_param *param, const char *typed)
{
	const char *list = param->kind == KB_CHOICE ? param->choices : param->values, *comma = strrchr(typed, ',');
	size_t name = strlen(param->name);
	bool sweep = comma && strncmp(typed, param->name, name) == 0 && typed[name] == '=';

	for (size_t length; list && *list; list += length + (list[length] != '\0')) {
		length = strcspn(list, ",;");
		printf("%.*s%s%.*s\t%s\n", sweep ? (int)(comma + 1 - typed) : (int)name, sweep ? typed : param->name, sweep ? "" : "=", (int)length,
		       list, param->summary ? param->summary : "");
	}
}

static void offer_params(const struct cursor *cursor)
{
	for (unsigned i = 0; i < kb_bench_count; i++) {
		for (unsigned k = 0; k < KB_PARAM_MAX && kb_benches[i]->params[k].name; k++)
			put_values(&kb_benches[i]->params[k], cursor->typed);
	}
}

static void offer_files_of(const char *kind)
{
	struct kb_data_files files = { .kind = kind };
	const struct kb_notes nowhere = { NULL, NULL };
	struct kb_failure failure;

	if (kb_data_files_find(&files, NULL, 0, NULL, 0, &nowhere, &failure) == 0) {
		for (size_t i = 0; i < files.count; i++)
			put(files.found[i].name, NULL);
	}
	kb_data_files_free(&files);
}

static void offer_models(const struct cursor *cursor) { (void)cursor; offer_files_of("model"); }
static void offer_questions(const struct cursor *cursor) { (void)cursor; offer_files_of("layers"); }

static void offer_formats(const struct cursor *cursor)
{
	(void)cursor;
	for (size_t i = 0; i < KB_EXPORT_FORMATS; i++)
		put(kb_export_formats[i]->name, NULL);
}

static void offer_kinds(const struct cursor *cursor)
{
	(void)cursor;
	for (const struct kb_import_kind *const *kind = kb_import_kinds; *kind; kind++) {
		if ((*kind)->records)
			put((*kind)->name, NULL);
	}
}

/* NAME is another thing for each command. */
static void offer_names(const struct cursor *cursor)
{
	if (strcmp(cursor->command->name, "kernel") == 0)
		offer_benches(cursor);
	if (strcmp(cursor->command->name, "params") != 0)
		return;
	for (const struct kb_params_finder *parameter = kb_parameters; parameter->name; parameter++)
		put(parameter->name, NULL);
}

static void offer_verbs(const struct cursor *cursor)
{
	for (unsigned i = 0; cursor->command->verbs && cursor->command->verbs[i]; i++)
		put(strrchr(cursor->command->verbs[i]->name, ' ') + 1, cursor->command->verbs[i]->summary);
}

/* Symbols of the kernel are tens of thousands: only those that begin so. */
static void offer_functions(const struct cursor *cursor)
{
	char pattern[100];
	char *words[] = { (char *)(uintptr_t)"func", (char *)(uintptr_t)"--list", pattern, NULL };

	snprintf(pattern, sizeof pattern, "%.90s*", cursor->typed[0] ? cursor->typed : "vfs_");
	exit(cursor->command->main(cursor->command, 3, words));
}

static void offer_files(const struct cursor *cursor) { (void)cursor; puts("\tfiles"); }
static void offer_directories(const struct cursor *cursor) { (void)cursor; puts("\tdirectories"); }
static void offer_commands(const struct cursor *cursor) { (void)cursor; puts("\tcommands"); }

static const struct { const char *name; void (*offer)(const struct cursor *); } placeholders[] = {
	{ "RUN", offer_runs }, { "BASE", offer_base }, { "LABEL", offer_labels }, { "FLEET", offer_fleets },
	{ "PATTERN", offer_benches }, { "BENCH", offer_benches }, { "BENCHMARK", offer_benches },
	{ "NAME=VALUE", offer_params }, { "MODEL", offer_models }, { "QUESTION", offer_questions }, { "FORMAT", offer_formats }, { "KIND", offer_kinds },
	{ "NAME", offer_names }, { "VERB", offer_verbs }, { "FUNCTION", offer_functions },
	{ "FILE", offer_files }, { "FILE.c", offer_files }, { "FILE.so", offer_files }, { "FILE-or-CLASS", offer_files }, { "LOG", offer_files },
	{ "PATH", offer_files }, { "SIDE", offer_files }, { "ARGUMENT", offer_files }, { "DIR", offer_directories },
	{ "CMD", offer_commands }, { "COMMAND", offer_commands }, { "WORDS", offer_commands }, { "WHERE", offer_files },
	{ "STORE", offer_files }, { "FROM", offer_files }, { "TO", offer_files },
};

/* ---- words of a usage line -------------------------------------------------------------------------------- */

static bool is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '=' || c == '.' || c == '/';
}

/* "[RUN...] [PATTERN...]", "build|load [NAME...]": the next word, without points at its end. */
static struct kb_span next_word(const char **at)
{
	struct kb_span word;

	while (**at && !is_of_word(**at))
		++*at;
	word = (struct kb_span){ *at, 0 };
	while (is_of_word(**at))
		++*at;
	word.length = (size_t)(*at - word.at);
	while (word.length > 0 && word.at[word.length - 1] == '.')
		word.length--;
	return word;
}

static void offer_placeholder(const struct cursor *cursor, struct kb_span word)
{
	for (size_t i = 0; i < sizeof placeholders / sizeof placeholders[0]; i++) {
		if (kb_span_is(word, placeholders[i].name))
			placeholders[i].offer(cursor);
	}
}

/* Small words are to be typed as they stand, where they stand: the first one of the command. */
static void offer_operands(const struct cursor *cursor)
{
	const char *at = cursor->command->arguments, *before_dashes = strstr(at, "-- ");
	bool verbs_first = islower((unsigned char)at[strspn(at, "[")]);

	if (cursor->behind_dashes)
		at = before_dashes ? before_dashes : at;
	for (struct kb_span word = next_word(&at); word.length > 0; word = next_word(&at)) {
		bool small = islower((unsigned char)word.at[0]);

		/* An option with its value, which the line names because it must be there. */
		if (word.at[0] == '-' && word.length > 2)
			next_word(&at);
		else if (word.at[0] == '-' && !cursor->behind_dashes)
			break;
		else if (small && cursor->operands == 0 && !cursor->behind_dashes)
			printf("%.*s\n", (int)word.length, word.at);
		else if (!small && (cursor->operands > 0 || !verbs_first))
			offer_placeholder(cursor, word);
	}
}

/* ---- options ---------------------------------------------------------------------------------------------- */

static void offer_options(const struct cursor *cursor)
{
	char word[80];

	for (const struct kb_option *option = cursor->command->options; option->name; option++) {
		snprintf(word, sizeof word, "--%s", option->name);
		put(word, option->summary);
	}
	put("--help", "print how it is used");
}

/* The option that waits for its value: the word before is "--name" or "-n". NULL: none does. */
static const struct kb_option *waiting(const struct kb_command *command, const char *word)
{
	for (const struct kb_option *option = command->options; option->name; option++) {
		bool names = (strncmp(word, "--", 2) == 0 && strcmp(word + 2, option->name) == 0) ||
			     (word[0] == '-' && option->letter && word[1] == option->letter && !word[2]);

		if (names && option->value)
			return option;
	}
	return NULL;
}

/* before: "--name=" where the value stands in the same word. */
static void offer_value(const struct cursor *cursor, const struct kb_option *option, const char *before)
{
	const char *at = option->value;

	/* That of a new run may be one that there is, too; a pattern of labels is no pattern of benchmarks. */
	if (strcmp(option->name, "label") == 0) {
		offer_labels(cursor);
		return;
	}
	for (struct kb_span word = next_word(&at); word.length > 0; word = next_word(&at)) {
		if (strchr(option->value, '|') && islower((unsigned char)word.at[0]))
			printf("%s%.*s\n", before, (int)word.length, word.at);
		else if (!before[0])
			offer_placeholder(cursor, word);
	}
}

/* ---- where the cursor is ---------------------------------------------------------------------------------- */

/* Steps over the verb and counts what is no option. Returns the option that waits for the word at the cursor. */
static const struct kb_option *place(struct cursor *cursor)
{
	const struct kb_option *option = NULL;

	for (int i = 1; i < cursor->count; i++) {
		const char *word = cursor->words[i];

		cursor->behind_dashes |= strcmp(word, "--") == 0;
		if (option || cursor->behind_dashes) {
			option = NULL;
			continue;
		}
		option = waiting(cursor->command, word);
		cursor->operands += word[0] != '-';
		for (unsigned k = 0; i == 1 && cursor->command->verbs && cursor->command->verbs[k]; k++) {
			const struct kb_command *verb = cursor->command->verbs[k];

			if (strcmp(strrchr(verb->name, ' ') + 1, word) != 0)
				continue;
			cursor->command = verb;
			cursor->operands = 0;
			break;
		}
	}
	return option;
}

static void offer_here(struct cursor *cursor)
{
	const struct kb_option *option = place(cursor);
	size_t name = strcspn(cursor->typed, "=");
	char word[80];

	snprintf(word, sizeof word, "%.*s", (int)name, cursor->typed);
	if (option) {
		offer_value(cursor, option, "");
	} else if (cursor->typed[0] == '-' && !cursor->behind_dashes) {
		option = cursor->typed[name] ? waiting(cursor->command, word) : NULL;
		snprintf(word, sizeof word, "%.*s=", (int)name, cursor->typed);
		if (option)
			offer_value(cursor, option, word);
		else
			offer_options(cursor);
	} else {
		offer_operands(cursor);
	}
}

static void offer_all_commands(void)
{
	const struct kb_command *command;

	for (unsigned i = 0; (command = kb_command_at(i)) != NULL; i++)
		put(command->name, command->summary);
	put("help", "print how a command is used");
}

int kb_complete(int count, char **words)
{
	struct cursor cursor = { .words = words, .count = count - 1, .typed = count > 0 ? words[count - 1] : "" };
	bool help = count > 1 && strcmp(words[0], "help") == 0;

	if (count <= 1 || (help && count == 2))
		offer_all_commands();
	if (count <= 1)
		puts("--help\tprint what there is\n--version\tprint the version");
	cursor.command = count > 1 ? kb_command_find(words[help ? 1 : 0]) : NULL;
	if (help && count == 3 && cursor.command)
		offer_verbs(&cursor);
	else if (!help && cursor.command)
		offer_here(&cursor);
	return kb_finish_output(NULL, KB_EXIT_DONE);
}
