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

/* Whether there is one. Without links: #transclude takes a ".." as part of the name, not of the way. */
static bool add_directory(struct kb_yamba_job *job, const char *exe_dir, const char *name)
{
	char path[PATH_MAX], directory[PATH_MAX];
	char why[KB_TRUST_WHY];
	int result;

	snprintf(path, sizeof path, "%s/%s", exe_dir, name);
	result = kb_trust(path, KB_TRUST_OWNER, directory, why);
	if (result == -EPERM)
		kb_die(job->command, KB_EXIT_USAGE, "%s", why);
	if (result)
		return false;
	result = kb_yamba_add_directory(&job->yamba, directory);
	if (result)
		kb_die(job->command, KB_EXIT_USAGE, "cannot read %s: %s", directory, strerror(-result));
	return true;
}

/* Next to this program (yamba leads into the source directory), or below PREFIX/share. Of both the first that is there: next to
   a build directory another version may be installed. */
static void add_library(struct kb_yamba_job *job)
{
	char exe_dir[KB_EXE_DIRECTORY_MAX];

	kb_exe_directory(exe_dir);
	if (add_directory(job, exe_dir, "yamba/lib"))
		add_directory(job, exe_dir, "yamba/../bench/yamba");
	else if (add_directory(job, exe_dir, "../share/kbench/yamba/lib"))
		add_directory(job, exe_dir, "../share/kbench/yamba/bench");
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

/* Only what is in the files that were given: sorting takes the rest out. */
bool kb_yamba_job_good(struct kb_yamba_job *job)
{
	kb_diagnostics_sort(&job->yamba.diagnostics);
	return kb_diagnostics_errors(&job->yamba.diagnostics) == 0;
}

bool kb_yamba_job_tell(struct kb_yamba_job *job)
{
	struct kb_diagnostics *found = &job->yamba.diagnostics;
	bool good = kb_yamba_job_good(job);
	size_t errors = kb_diagnostics_errors(found);

	fflush(stdout);
	kb_diagnostics_print(stderr, found, job->limit);
	job->errors += errors;
	job->warnings += found->count + found->dropped - errors;
	found->count = found->dropped = found->dropped_errors = 0;
	return good;
}

/* ---- which program ------------------------------------------------------------------------------- */

bool kb_yamba_is_benchmark(const struct kb_yamba_class *class)
{
	return kb_class_member(class, (struct kb_span){ "benchmark", 9 });
}

bool kb_yamba_is_native(const struct kb_yamba_class *class)
{
	return !class->platform || kb_span_is(class->platform->name, kb_target_host()->name);
}

/* The only program of the file, for this machine if `here`; NULL: there is none. What others may import, cast functions for
   instance, is not what a file is meant for: with `benchmark` it does not count. */
static struct kb_yamba_class *only_program(const struct kb_yamba_job *job, const char *file, bool here, bool benchmark)
{
	struct kb_yamba_class *found = NULL;

	for (struct kb_yamba_class *class = job->yamba.sources->classes; class; class = class->next) {
		bool fits = kb_yamba_is_native(class) && (!class->os || kb_span_is(class->os->name, "linux")), extended = false;

		for (const struct kb_yamba_class *other = class->source->classes; other; other = other->next)
			extended |= other != class && kb_class_is(other, class);
		if (class->abstract || (here && !fits) || (benchmark && !kb_yamba_is_benchmark(class)) || extended)
			continue;
		if (found)
			kb_usage(job->command, "%s has more than one program%s: %.*s, %.*s; choose with --start CLASS",
				file, here ? " for this machine" : "", KB_SHORT(found->name), KB_SHORT(class->name));
		found = class;
	}
	return found;
}

struct kb_yamba_class *kb_yamba_job_blueprint(struct kb_yamba_job *job, const char *file)
{
	struct kb_yamba_class *class = job->yamba.sources->classes;

	if (!class && !kb_yamba_job_tell(job))
		exit(kb_finish_output(job->command, KB_EXIT_USAGE));
	if (!class)
		kb_die(job->command, KB_EXIT_USAGE, "there is no class in %s", file);
	while (class && !class->abstract)
		class = class->next;
	return class;
}

/* Where nothing is for this machine, a blueprint's diagnostics tell what is wrong; else there may be a program for another one. */
static struct kb_yamba_class *of_file(struct kb_yamba_job *job, const char *file)
{
	struct kb_yamba_class *blueprint = kb_yamba_job_blueprint(job, file);

	return only_program(job, file, true, true) ?: only_program(job, file, true, false) ?: blueprint
		       ?: only_program(job, file, false, true) ?: only_program(job, file, false, false) ?: job->yamba.sources->classes;
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
