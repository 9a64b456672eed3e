/* `kbench yamba check` and `port`: what is wrong in classes, and what a port must supply. No code of the user runs. */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/yamba/yamba.h"
#include "io.h"
#include "yamba/emit/batch.h"

/* ---- check ------------------------------------------------------------------------------------------- */

static void check_start(struct kb_yamba_job *job)
{
	struct kb_yamba_class *class = kb_yamba_job_class(job, job->start);

	kb_yamba_check_class(&job->yamba, class);
	class = kb_yamba_choose(&job->yamba, class, kb_target_host()->name, "linux");
	if (!class || !kb_yamba_fits(&job->yamba, class, kb_target_host()->name, "linux"))
		return;
	kb_yamba_check_class(&job->yamba, class);
	kb_yamba_check_start(&job->yamba, class, job->settings.at, job->settings.count);
}

/* Those of a file, or NULL: a class of the library. */
static struct kb_yamba_source *source_of(const struct kb_yamba_job *job, const char *operand)
{
	struct stat wanted, found;

	if (!kb_yamba_is_file(operand) || stat(operand, &wanted))
		return NULL;
	for (struct kb_yamba_source *source = job->yamba.sources; source; source = source->next)
		if (source->shipped && stat(source->path, &found) == 0 && found.st_ino == wanted.st_ino && found.st_dev == wanted.st_dev)
			return source;
	return NULL;
}

/* A file of the library is looked at among the rest of it, which is read once for all such operands. */
static bool check_shipped(struct kb_yamba_job *library, const char *operand)
{
	struct kb_yamba_source *source = source_of(library, operand);

	if (!source)
		return false;
	source->path = operand;
	source->wanted = true;
	for (struct kb_yamba_class *class = source->classes; class; class = class->next, library->classes++)
		kb_yamba_check_class(&library->yamba, class);
	return true;
}

/* All classes of a file, or one of the library. */
static void check(struct kb_yamba_job *job, const char *operand)
{
	kb_yamba_job_load(job, operand);
	if (kb_yamba_is_file(operand)) {
		for (const struct kb_yamba_source *source = job->yamba.sources; source; source = source->next) {
			for (struct kb_yamba_class *class = source->classes; class && !source->shipped;
				class = class->next, job->classes++)
				kb_yamba_check_class(&job->yamba, class);
		}
	} else {
		kb_yamba_check_class(&job->yamba, kb_yamba_job_class(job, operand));
		job->classes++;
	}
	if (job->start)
		check_start(job);
}

/* What is wrong already is not assembled: half of what would be reported would follow from that. operand NULL: the library. */
static void collect(struct kb_yamba_job *job, const char *operand, struct kb_batch *batch)
{
	if (!kb_yamba_job_good(job))
		return;
	if (operand && !kb_yamba_is_file(operand)) {
		kb_batch_add(batch, &job->yamba, kb_yamba_job_class(job, operand));
		return;
	}
	for (const struct kb_yamba_source *source = job->yamba.sources; source; source = source->next) {
		bool meant = operand ? !source->shipped : source->wanted;

		for (struct kb_yamba_class *class = source->classes; class && meant; class = class->next)
			kb_batch_add(batch, &job->yamba, class);
	}
}

/* The C text of programs that are right so far, by the compiler of their platform. */
static void check_c(struct kb_yamba_job *job)
{
	char path[PATH_MAX - 16];
	struct kb_yamba_source *given = job->yamba.sources;

	kb_temporary_name(path, sizeof path, "kbench-check");
	for (struct kb_yamba_class *class = given->classes; class && !given->shipped; class = class->next) {
		if (class->abstract || class->twice || !kb_yamba_job_good(job))
			continue;
		kb_yamba_job_make(job, class, kb_yamba_is_benchmark(class), "", &(struct kb_yamba_product){ .path = path, .checked = true });
	}
}

static const char *plural(size_t count, const char *ending)
{
	return count == 1 ? "" : ending;
}

int kb_yamba_verb_check(struct kb_yamba_job *all, int argc, char **argv)
{
	struct kb_yamba_job *jobs = calloc((size_t)argc + 1, sizeof *jobs), *library = &jobs[argc];
	struct kb_batch batch = { .platform_count = 0 };
	int count = 0;                  /* of operands that are no files of the library */

	if (!jobs)
		kb_no_memory(all->command);
	*library = *all;
	kb_yamba_job_load(library, NULL);
	for (int i = 0; i < argc; i++) {
		if (!all->start && check_shipped(library, argv[i]))
			continue;
		jobs[count] = *all;
		check(&jobs[count], argv[i]);
		collect(&jobs[count++], argv[i], &batch);
	}
	collect(library, NULL, &batch);
	if (kb_batch_run(&batch, &all->missing))
		kb_no_memory(all->command);
	for (unsigned i = 0; i < batch.platform_count; i++)
		all->assembled += batch.platforms[i].assembled ? batch.platforms[i].count : 0;
	for (int i = 0; i < count; i++)
		if (kb_yamba_job_good(&jobs[i]) && !all->missing)
			check_c(&jobs[i]);
	for (int i = 0; i < count; i++)
		all->missing_compiler |= jobs[i].missing_compiler;
	jobs[count++] = *library;
	for (int i = 0; i < count; i++) {
		kb_yamba_job_tell(&jobs[i]);
		all->classes += jobs[i].classes;
		all->errors += jobs[i].errors;
		all->warnings += jobs[i].warnings;
		kb_arena_free(&jobs[i].arena);
	}
	kb_batch_free(&batch);
	free(jobs);
	/* Last on standard output: it tells how much was checked. */
	printf("checked: %zu class%s, %zu error%s, %zu warning%s; %zu asm block%s assembled", all->classes, plural(all->classes, "es"),
		all->errors, plural(all->errors, "s"), all->warnings, plural(all->warnings, "s"), all->assembled,
		plural(all->assembled, "s"));
	if (all->missing)
		printf(", those of %s not: its assembler is not here", all->missing);
	else if (all->missing_compiler)
		printf("; C text not: a compiler is not here");
	putchar('\n');
	return all->errors ? KB_EXIT_USAGE : KB_EXIT_DONE;
}

/* ---- port -------------------------------------------------------------------------------------------- */

int kb_yamba_verb_port(struct kb_yamba_job *job, int argc, char **argv)
{
	struct kb_yamba_class *class;

	if (job->start)
		kb_usage(job->command, "--start goes with check, build, show and run");
	for (int i = 0; i < argc; i++) {
		kb_yamba_job_load(job, argv[i]);
		class = kb_yamba_is_file(argv[i]) ? kb_yamba_job_blueprint(job, argv[i]) : kb_yamba_job_class(job, argv[i]);
		if (!class)
			class = job->yamba.sources->classes;
		kb_yamba_check_class(&job->yamba, class);
		if (kb_yamba_job_tell(job))
			kb_yamba_port(stdout, &job->yamba, class);
		kb_arena_free(&job->arena);
	}
	return job->errors ? KB_EXIT_USAGE : KB_EXIT_DONE;
}
