/* The operands of `kbench yamba`: files, or classes of what is shipped. */
#include "cli/yamba/yamba.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"
#include "run/process/trust.h"

static _Noreturn void no_memory(struct kb_arena *arena)
{
	kb_no_memory(((struct kb_yamba_job *)arena->context)->command);
}

bool kb_yamba_is_file(const char *operand)
{
	size_t length = strlen(operand);

	return strchr(operand, '/') || (length > 6 && strcmp(operand + length - 6, ".yamba") == 0);
}

static bool shipped(const struct kb_yamba *yamba)
{
	const struct kb_yamba_source *source = yamba->sources;

	while (source && !source->shipped)
		source = source->next;
	return source != NULL;
}

static void add_folder(struct kb_yamba_job *job, const char *own, const char *name)
{
	char path[PATH_MAX], folder[PATH_MAX];
	char why[KB_TRUST_WHY];
	int result;

	snprintf(path, sizeof path, "%s/%s", own, name);
	/* Without links: #transclude takes a ".." as part of the name, not of the way. */
	result = kb_trust(path, KB_TRUST_OWNER, folder, why);
	if (result == -EPERM)
		kb_die(job->command, KB_EXIT_USAGE, "%s", why);
	if (result)
		return;
	result = kb_yamba_add_directory(&job->yamba, folder);
	if (result)
		kb_die(job->command, KB_EXIT_USAGE, "cannot read %s: %s", folder, strerror(-result));
}

/* Beside this program (yamba leads into the source folder), or below PREFIX/share. Of both the first that is there: beside
   a build folder another version may be installed. */
static void add_library(struct kb_yamba_job *job)
{
	static const char *const places[][2] = {
		{ "yamba/lib", "yamba/../bench/yamba" }, { "../share/kbench/yamba/lib", "../share/kbench/yamba/bench" },
	};
	char own[KB_OWN_FOLDER_MAX];

	kb_own_folder(own);
	for (size_t i = 0; i < sizeof places / sizeof places[0] && !shipped(&job->yamba); i++)
		for (size_t part = 0; part < 2; part++)
			add_folder(job, own, places[i][part]);
}

struct kb_yamba_class *kb_yamba_job_class(const struct kb_yamba_job *job, const char *name)
{
	struct kb_yamba_class *class = kb_yamba_find(&job->yamba, (struct kb_span){ name, strlen(name) });

	if (!class)
		kb_usage(job->command, "no class '%.100s' here or in the library", name);
	return class;
}

void kb_yamba_job_load(struct kb_yamba_job *job, const char *operand)
{
	int result = 0;

	job->arena = (struct kb_arena){ .no_memory = no_memory, .context = job };
	kb_yamba_start(&job->yamba, &job->arena);
	if (operand && kb_yamba_is_file(operand))
		result = kb_yamba_add_file(&job->yamba, operand);
	if (result == -EFBIG)
		kb_die(job->command, KB_EXIT_USAGE, "%s is no program: it has more than %u KB", operand,
			KB_YAMBA_FILE_MAX >> 10);
	if (result)
		kb_die(job->command, KB_EXIT_USAGE, "cannot read %s: %s", operand, strerror(-result));
	add_library(job);
	kb_yamba_resolve(&job->yamba);
}

/* Only what is in the files that were asked for: sorting takes the rest out. */
bool kb_yamba_job_good(struct kb_yamba_job *job)
{
	kb_diagnostics_sort(&job->yamba.diagnostics);
	return kb_diagnostics_errors(&job->yamba.diagnostics) == 0;
}

bool kb_yamba_job_tell(struct kb_yamba_job *job)
{
	size_t errors;

	kb_diagnostics_sort(&job->yamba.diagnostics);
	errors = kb_diagnostics_errors(&job->yamba.diagnostics);
	fflush(stdout);
	kb_diagnostics_print(stderr, &job->yamba.diagnostics, job->limit);
	job->errors += errors;
	job->warnings += job->yamba.diagnostics.count + job->yamba.diagnostics.dropped - errors;
	job->yamba.diagnostics.count = job->yamba.diagnostics.dropped = job->yamba.diagnostics.dropped_errors = 0;
	return errors == 0;
}

void kb_yamba_job_free(struct kb_yamba_job *job)
{
	kb_arena_free(&job->arena);
}

/* ---- which program ------------------------------------------------------------------------------- */

static bool fits_here(const struct kb_yamba_class *class)
{
	return (!class->platform || kb_span_is(class->platform->name, kb_target_host()->name)) &&
		(!class->os || kb_span_is(class->os->name, "linux"));
}

/* Nothing of the file extends it. */
static bool is_last(const struct kb_yamba_class *class)
{
	for (const struct kb_yamba_class *other = class->source->classes; other; other = other->next) {
		if (other != class && kb_class_is(other, class))
			return false;
	}
	return true;
}

static bool is_benchmark(const struct kb_yamba_class *class)
{
	return kb_class_member(class, (struct kb_span){ "benchmark", 9 }) != NULL;
}

/* The only program of the file, for this machine if `here`; NULL: there is none. What others may import, cast functions for
   instance, is not what a file is meant for: with `benchmark` it does not count. */
static struct kb_yamba_class *only_program(const struct kb_yamba_job *job, const char *file, bool here, bool benchmark)
{
	struct kb_yamba_class *found = NULL;

	for (struct kb_yamba_class *class = job->yamba.sources->classes; class; class = class->next) {
		if (class->abstract || (here && !fits_here(class)) || (benchmark && !is_benchmark(class)) || !is_last(class))
			continue;
		if (found)
			kb_usage(job->command, "%s has more than one program%s: %.*s, %.*s; choose with --start CLASS",
				file, here ? " for this machine" : "", KB_SHORT(found->name), KB_SHORT(class->name));
		found = class;
	}
	return found;
}

struct kb_yamba_class *kb_yamba_job_blueprint(const struct kb_yamba_job *job, const char *file)
{
	struct kb_yamba_class *class = job->yamba.sources ? job->yamba.sources->classes : NULL;

	if (!class)
		kb_die(job->command, KB_EXIT_USAGE, "there is no class in %s", file);
	while (class && !class->abstract)
		class = class->next;
	return class;
}

/* Where nothing is for this machine, a blueprint says what is wrong, and else there may be a program for another one. */
static struct kb_yamba_class *of_file(const struct kb_yamba_job *job, const char *file)
{
	struct kb_yamba_class *blueprint = kb_yamba_job_blueprint(job, file), *found = only_program(job, file, true, true);

	found = found ? found : only_program(job, file, true, false);
	found = found ? found : blueprint;
	found = found ? found : only_program(job, file, false, true);
	found = found ? found : only_program(job, file, false, false);
	return found ? found : job->yamba.sources->classes;
}

struct kb_yamba_class *kb_yamba_job_program(struct kb_yamba_job *job, const char *operand)
{
	struct kb_yamba_class *class = job->start ? kb_yamba_job_class(job, job->start)
		: kb_yamba_is_file(operand)       ? of_file(job, operand)
						  : kb_yamba_job_class(job, operand);

	kb_yamba_check_class(&job->yamba, class);
	if (class->abstract)
		class = kb_yamba_choose(&job->yamba, class, kb_target_host()->name, "linux");
	if (class)
		kb_yamba_check_class(&job->yamba, class);
	if (kb_yamba_job_good(job) && class)
		return class;
	kb_yamba_job_tell(job);
	return NULL;
}
