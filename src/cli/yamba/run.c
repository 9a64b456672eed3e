/*
 * `kbench yamba run`: the program as a shared object in the cache, made if it is not there or not of these sources, and then
 * `kbench run --plugin` with the words that follow. A file of the cache is named by a hash of all that it was made of.
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
#include "cli/cache.h"
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

/* What lay beside the C text was ours, and is gone with it; headers of the system are not listed. */
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

/* Settings of the run time and params of imports are no params of a row: collectors find them in their environment. */
static void add_setting(const struct kb_yamba_job *job, const char *setting)
{
	const char *before = getenv("KBENCH_YAMBA");
	char *all;

	if (strchr(setting, ' '))
		kb_usage(job->command, "-p '%.60s': no blank can stand here", setting);
	if (asprintf(&all, "%s%s%s", before ? before : "", before ? " " : "", setting) < 0)
		kb_no_memory(job->command);
	setenv("KBENCH_YAMBA", all, 1);
	free(all);
}

/* What -p or --param at this word sets, "" at another; past the words that it takes but the last. */
static const char *setting_at(int argc, char **argv, int *i)
{
	const char *word = argv[*i];

	if ((!strcmp(word, "-p") || !strcmp(word, "--param")) && *i + 1 < argc)
		return argv[++*i];
	return !strncmp(word, "--param=", 8) ? word + 8 : !strncmp(word, "-p", 2) ? word + 2 : "";
}

/* Each value of "name=1,2,3" is a setting of its own: it makes a row. Those of the run time are no params. */
static void note_param(struct kb_yamba_job *job, const char *word)
{
	const char *value = strncmp(word, "yamba.", 6) ? strchr(word, '=') : NULL;

	for (const char *at = value ? value + 1 : ""; *at;) {
		size_t length = strcspn(at, ",;");

		job->settings[job->setting_count++] =
			kb_arena_format(&job->arena, "%.*s%.*s", (int)(value + 1 - word), word, (int)length, at);
		at += length + (at[length] != '\0');
	}
}

/* The params as they will be at the start, so that what cannot be is told now. */
static bool starts(struct kb_yamba_job *job, struct kb_yamba_class *class, int argc, char **argv)
{
	size_t room = 1;

	for (int i = 0; i < argc; i++)
		room += strlen(argv[i]);
	free(job->settings);
	job->settings = calloc(room, sizeof *job->settings);
	if (!job->settings)
		kb_no_memory(job->command);
	for (int i = 0; i < argc; i++)
		note_param(job, setting_at(argc, argv, &i));
	kb_yamba_check_start(&job->yamba, class, job->settings, job->setting_count);
	return kb_yamba_job_tell(job);
}

/* "yamba.align=64" and "linux.x=1", which are not those of a row: CLASS.NAME is the param of an import. */
static bool has_point(const char *setting)
{
	return strcspn(setting, ".") < strcspn(setting, "=");
}

/* The words of `kbench run`, without our settings. Returns how many. */
static int pass_on(const struct kb_yamba_job *job, int argc, char **argv, char **words)
{
	int count = 0;

	for (int i = 0, first = 0; i < argc; first = ++i) {
		const char *setting = setting_at(argc, argv, &i);

		if (has_point(setting))
			add_setting(job, setting);
		else
			for (int word = first; word <= i; word++)
				words[count++] = argv[word];
	}
	return count;
}

/* --start CLASS stands among the words of run, too, which has no such option. Returns how many others there are. */
static int take_start(struct kb_yamba_job *job, int argc, char **argv)
{
	int count = 0;

	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "--start=", 8))
			job->start = argv[i] + 8;
		else if (!strcmp(argv[i], "--start") && i + 1 < argc)
			job->start = argv[++i];
		else
			argv[count++] = argv[i];
	}
	return count;
}

static bool is_native(const struct kb_yamba_class *class)
{
	return !class->platform || kb_span_is(class->platform->name, kb_target_host()->name);
}

/* Whether it is linked into this program, or for another platform known to it: then it needs neither assembler nor compiler. */
static bool is_built_in(const struct kb_yamba_class *class, const char *name)
{
	bool found = !is_native(class);

	for (unsigned i = 0; i < kb_bench_count && !found; i++)
		found = strcmp(kb_benches[i]->name, name) == 0;
	return found && class->source->shipped;
}

/* The words in front of those that were given: the plug-in, made if need be, or the name. -1 after an error. */
static int choose_words(struct kb_yamba_job *job, const struct kb_yamba_class *class, char **words, char path[PATH_MAX])
{
	static char run[] = "run", plugin[] = "--plugin";
	char *name = kb_arena_format(&job->arena, "yamba.%.*s", (int)class->name.length, class->name.at);
	bool built_in = is_built_in(class, name), by_name = built_in || !is_native(class);

	words[0] = run;
	words[1] = by_name ? strdup(name) : plugin;
	words[2] = path;
	if (built_in)
		return 2;

	const char *part = kb_arena_format(&job->arena, "yamba/%.*s-%08x.so", (int)class->name.length, class->name.at,
		hash_of(job, class));

	kb_cache_make(job->command, kb_cache_folder(path, part), path, "name another folder in XDG_CACHE_HOME");
	if (!is_native(class))
		return kb_yamba_job_cross(job, class, path) ? 2 : -1;
	return kb_yamba_job_make(job, class, true, "", &(struct kb_yamba_product){
		.path = path, .headers = kb_arena_format(&job->arena, "%s.d", path),
	}) ? 3 : -1;
}

int kb_yamba_verb_run(struct kb_yamba_job *job, int argc, char **argv)
{
	char path[PATH_MAX], **words = calloc((size_t)argc + 4, sizeof *words), **given = calloc((size_t)argc + 1, sizeof *given);
	struct kb_yamba_class *class;
	const char *operand = argv[0];
	int count = take_start(job, argc - 1, argv + 1), head;

	if (!words || !given)
		kb_no_memory(job->command);
	kb_yamba_job_load(job, operand);
	class = kb_yamba_job_program(job, operand);
	if (class && !kb_class_member(class, (struct kb_span){ "benchmark", 9 }))
		kb_die(job->command, KB_EXIT_USAGE, "'%.*s' has no benchmark(), so there is nothing to run", kb_short(class->name),
			class->name.at);
	if (!class || !starts(job, class, count, argv + 1))
		return KB_EXIT_USAGE;
	count = pass_on(job, count, argv + 1, given);
	head = choose_words(job, class, words, path);
	if (head < 0)
		return KB_EXIT_USAGE;
	memcpy(words + head, given, (size_t)count * sizeof *given);
	kb_yamba_job_free(job);
	optind = 0;             /* getopt begins anew */
	count = kb_command_run.main(&kb_command_run, head + count, words);
	free(given);
	free(words);
	return count;
}
