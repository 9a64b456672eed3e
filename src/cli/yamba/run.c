/*
 * `kbench yamba run`: the program as a shared object in the cache, made if it is not there or not of these sources, and then
 * what `kbench run --plugin` does with the words that follow. A file of the cache is named by a hash of all that it was made of.
 */
#define _GNU_SOURCE
#include "cli/yamba/yamba.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32.h"
#include "base/record.h"
#include "cli/files.h"
#include "cli/run.h"
#include "places.h"
#include "run/process/trust.h"
#include "suite/select.h"

/* ---- the cache ----------------------------------------------------------------------------------- */

static uint32_t hash_text(uint32_t hash, const char *text)
{
	return kb_crc32(hash, text, strlen(text) + 1);
}

/* Sources that the program cannot see count as well: too often made is better than too seldom. */
static uint32_t hash_of(const struct kb_yamba_job *job, const struct kb_yamba_class *class)
{
	const char *compiler = getenv("CC");
	uint32_t hash = hash_text(0, KB_VERSION);

	hash = hash_text(hash, compiler ? compiler : "cc");
	for (const struct kb_yamba_source *source = job->yamba.sources; source; source = source->next) {
		hash = hash_text(hash, source->path);
		hash = kb_crc32(hash, source->text, source->length);
	}
	return kb_crc32(hash, class->name.at, class->name.length);
}

/* The next name of a list that the compiler wrote for make, with blanks and dollars escaped; "" at the end. */
static void next_name(FILE *list, char name[PATH_MAX])
{
	size_t length = 0;
	int c;

	while ((c = getc(list)) != EOF) {
		bool escaped = c == '\\';

		if (escaped || c == '$')
			c = getc(list);
		if (c != '\n' && (c != ' ' || escaped)) {
			if (length < PATH_MAX - 1)
				name[length++] = (char)c;
		} else if (length) {
			break;
		}
	}
	name[length] = '\0';
}

static bool is_older(struct timespec a, struct timespec b)
{
	return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

/* Headers next to the C text were made with it, and are gone; headers of the system are not listed. */
bool kb_yamba_is_fresh(const struct kb_yamba_product *product)
{
	FILE *list = fopen(product->headers, "re");
	char name[PATH_MAX], text[PATH_MAX], why[KB_TRUST_WHY];
	const char *slash;
	struct stat object, header;

	if (!list)
		return false;
	next_name(list, name);          /* the target */
	next_name(list, text);
	slash = strrchr(text, '/');

	bool fresh = slash && stat(product->path, &object) == 0 && !kb_trust(product->path, KB_TRUST_US, name, why);

	if (fresh && product->collector)
		fresh = stat(product->collector, &header) == 0 && is_older(header.st_mtim, object.st_mtim);
	for (next_name(list, name); fresh && name[0]; next_name(list, name))
		fresh = !strncmp(name, text, (size_t)(slash + 1 - text)) ||
			(stat(name, &header) == 0 && is_older(header.st_ctim, object.st_mtim));
	fclose(list);
	return fresh;
}

/* ---- the verb ------------------------------------------------------------------------------------ */

struct request {
	struct kb_run_request run;
	const char *start;
};

/* The params as they will be at the start, so that what cannot be is reported now. Each value of "name=1,2,3" is a setting of its own: it
   makes a result. Those of the run time are no params. */
static bool starts(struct kb_yamba_job *job, struct kb_yamba_class *class, const struct kb_words *sets)
{
	const char **settings = NULL;
	size_t count = 0, room = 0;

	for (size_t i = 0; i < sets->count; i++) {
		const char *set = sets->at[i], *value = strncmp(set, "yamba.", 6) ? strchr(set, '=') : NULL;

		for (const char *at = value ? value + 1 : ""; *at; count++) {
			size_t length = strcspn(at, ",;");

			settings = kb_arena_room(&job->arena, settings, count, &room, sizeof *settings);
			settings[count] = kb_arena_format(&job->arena, "%.*s%.*s", (int)(value + 1 - set), set, (int)length, at);
			at += length + (at[length] != '\0');
		}
	}
	kb_yamba_check_start(&job->yamba, class, settings, count);
	return kb_yamba_job_tell(job);
}

/* Settings of the run time and params of imports are no params of a result: collectors find them in their environment, behind those that are
   there already. */
static void move_settings(struct kb_yamba_job *job, struct kb_run_request *run)
{
	static char *environment[2];
	const char *all = getenv("KBENCH_YAMBA") ?: "";
	struct kb_words *sets = &run->sets;
	size_t kept = 0;

	for (size_t i = 0; i < sets->count; i++) {
		const char *set = sets->at[i];

		/* "yamba.align=64" and "linux.x=1" are not those of a result: CLASS.NAME is the param of an import. */
		if (strcspn(set, ".") > strcspn(set, "=")) {
			sets->at[kept++] = set;
			continue;
		}
		if (strchr(set, ' '))
			kb_usage(job->command, "-p '%.60s': no blank can stand here", set);
		all = kb_arena_format(&job->arena, "%s%s%s", all, all[0] ? " " : "", set);
	}
	environment[0] = kb_arena_format(&job->arena, "KBENCH_YAMBA=%s", all);
	if (kept < sets->count)
		run->w.run.environment = environment;
	sets->count = kept;
}

/* What can be built, and yet not measured here. */
static bool can_run(struct kb_yamba_job *job, const struct kb_yamba_class *class)
{
	struct kb_diagnostics *diagnostics = &job->yamba.diagnostics;

	if (!kb_yamba_is_benchmark(class))
		kb_diagnose(diagnostics, 142, kb_class_place(class), "write void benchmark(void) { ... }",
			"'%.*s' has no benchmark(), so there is nothing to run", KB_SHORT(class->name));
	else if (class->os && !kb_span_is(class->os->name, "linux"))
		kb_diagnose(diagnostics, 153, kb_class_place(class), "start a port to linux, or use build --emit-c to make a program of it there",
			"'%.*s' is for %.*s, and KBench measures on Linux", KB_SHORT(class->name), KB_SHORT(class->os->name));
	return kb_yamba_job_tell(job);
}

/* The options of `kbench run`, and --start. */
static uint64_t read_options(struct kb_command *command, struct request *request, int argc, char **argv)
{
	static struct kb_option options[KB_OPTIONS_MAX + 1];
	size_t count = 0;

	for (; kb_run_option_table[count].name; count++)
		options[count] = kb_run_option_table[count];
	options[count] = (struct kb_option){ 0, "start", "CLASS", "the program of the file", NULL, KB_OPTION(WORD, struct request, start) };
	*command = kb_command_run;
	command->options = options;
	*request = (struct request){ .run = { .w = kb_workflow_defaults() } };
	return kb_read_options(command, argc, argv, request);
}

bool kb_yamba_job_plugin(struct kb_yamba_job *job, const struct kb_yamba_class *class, char path[PATH_MAX])
{
	const char *part = kb_arena_format(&job->arena, "yamba/%.*s-%08x.so", (int)class->name.length, class->name.at,
		hash_of(job, class));

	kb_cache_make(job->command, kb_cache_directory(path, part), path, "name another directory in XDG_CACHE_HOME");
	if (!kb_yamba_is_native(class))
		return kb_yamba_job_cross(job, class, path);
	return kb_yamba_job_make(job, class, true, "", &(struct kb_yamba_product){
		.path = path, .headers = kb_arena_format(&job->arena, "%s.d", path),
	});
}

/* What `kbench run` measures: the plug-in, made if need be, or a name. False after an error, which is told. */
static bool choose(struct kb_yamba_job *job, const struct kb_yamba_class *class, struct kb_run_request *run, int count, char **words)
{
	static char path[PATH_MAX];
	char *name = kb_arena_format(&job->arena, "yamba.%.*s", (int)class->name.length, class->name.at);
	bool native = kb_yamba_is_native(class), built_in = !native;
	const char **patterns = kb_arena_take(&job->arena, ((size_t)count + 1) * sizeof *patterns);

	/* Linked into this program, or for another platform known to it: then it needs neither assembler nor compiler. */
	for (unsigned i = 0; i < kb_bench_count && !built_in; i++)
		built_in = strcmp(kb_benches[i]->name, name) == 0;
	built_in = built_in && class->source->shipped;
	run->w.patterns = patterns;
	if (built_in || !native)
		patterns[run->w.pattern_count++] = name;
	else
		run->w.plugin = path;
	for (int i = 0; i < count; i++)
		patterns[run->w.pattern_count++] = words[i];
	return built_in || kb_yamba_job_plugin(job, class, path);
}

/* ---- what is suspicious in what was composed ------------------------------------------------------ */

struct heard { struct kb_yamba_job *job; struct kb_words calls; };

static void add_word(struct kb_arena *arena, struct kb_words *words, const char *word)
{
	size_t room = words->count;

	words->at = kb_arena_room(arena, words->at, words->count, &room, sizeof *words->at);
	words->at[words->count++] = word;
}

/* "yamba.X m=5 how=UP": params with a value of their own. */
static void take_params(struct heard *heard, const char *row)
{
	struct kb_span rest = kb_span_of(row);

	kb_span_word(&rest);
	for (struct kb_span word = kb_span_word(&rest); word.length; word = kb_span_word(&rest)) {
		const char *set = kb_arena_string(&heard->job->arena, word);

		if (!strchr(set, '"') && !strstr(set, "=default"))
			add_word(&heard->job->arena, &heard->job->settings, set);
	}
}

/* A process that is traced has none. */
static bool hear(void *context, const char *row, struct kb_span record)
{
	struct heard *heard = context;
	struct kb_record_reader reader;
	struct kb_line line;
	char call[400];

	kb_record_open(&reader, record.at, record.length);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE)
		if (line.kind == KB_LINE_HEADER && kb_span_is(line.word, "composed") && kb_record_field(line.rest, "call", call, sizeof call) >= 0)
			add_word(&heard->job->arena, &heard->calls, kb_arena_format(&heard->job->arena, "%s", call));
	if (heard->calls.count)
		take_params(heard, row);
	return heard->calls.count > 0;
}

int kb_yamba_verb_run(struct kb_yamba_job *job, int argc, char **argv)
{
	struct kb_yamba_class *class;
	struct kb_command command;
	struct request request;
	const char *operand = argv[2];
	uint64_t given = read_options(&command, &request, argc - 2, argv + 2);
	int first = optind + 2, code;
	struct heard heard = { .job = job };
	struct kb_listener listener = { hear, &heard };

	job->start = request.start;
	kb_yamba_job_load(job, operand);
	class = kb_yamba_job_program(job, operand);
	if (!class || !can_run(job, class) || !starts(job, class, &request.run.sets))
		return KB_EXIT_USAGE;
	move_settings(job, &request.run);
	if (!choose(job, class, &request.run, argc - first, argv + first))
		return KB_EXIT_USAGE;
	/* What is shipped was looked at before. */
	if (!class->source->shipped)
		request.run.w.listener = &listener;
	code = kb_run_measure(&command, &request.run, given, argc, argv);
	fflush(stdout);
	kb_yamba_job_lint(job, class, &heard.calls);
	kb_arena_free(&job->arena);
	return code;
}
