/* See forms.h. */
#define _GNU_SOURCE
#include "cli/yamba/forms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/files.h"
#include "cli/run.h"
#include "places.h"

#define PROGRAM "instructions"  /* the class */
#define BLOCKS 24               /* of samples a process: milliseconds, for there are thousands of results */
#define BUDGET_NS (900 * KB_S)

static _Noreturn void no_memory(struct kb_arena *arena)
{
	kb_no_memory(((struct kb_forms_job *)arena->context)->command);
}

struct kb_workflow_request kb_forms_request(void)
{
	struct kb_workflow_request request = kb_workflow_defaults();

	request.run.budget_ns = BUDGET_NS;
	request.run.blocks = BLOCKS;
	request.run.method = KB_METHOD_PAIRED;
	return request;
}

/* ---- templates and documented values --------------------------------------------------------------- */

/* "" where a file is not there that need not be. */
static const char *read_text(struct kb_forms_job *job, const char *path, bool needed)
{
	const char *text = "";
	size_t length;
	int error = kb_yamba_read_file(&job->arena, path, &text, &length);

	if (error && (needed || error != -ENOENT))
		kb_die(job->command, KB_EXIT_USAGE, "cannot read %.200s: %s", path, strerror(-error));
	return text;
}

static const char *shipped(struct kb_forms_job *job, const char *suffix)
{
	return kb_yamba_shipped_file(&job->arena, kb_arena_format(&job->arena, "forms_%s.%s", kb_target_host()->name, suffix));
}

void kb_forms_job_read(struct kb_forms_job *job, const struct kb_command *command, const char *templates, const char *known)
{
	const char *known_path;

	*job = (struct kb_forms_job){ .command = command, .arena = { .no_memory = no_memory, .context = job } };
	known_path = known ?: shipped(job, "known");
	if (!templates && access(shipped(job, "forms"), F_OK))
		kb_die(command, KB_EXIT_USAGE, "no templates come with kbench for %s; name a file of them", kb_target_host()->name);
	templates = templates ?: shipped(job, "forms");
	kb_processor_read(&job->processor);
	if (!kb_forms_read(&job->forms, &job->arena, templates, read_text(job, templates, true)))
		kb_die(command, KB_EXIT_USAGE, "%s", job->forms.error);
	if (!kb_known_read(&job->known, &job->arena, known_path, read_text(job, known_path, known), &job->processor))
		kb_die(command, KB_EXIT_USAGE, "%s", job->known.error);
	kb_forms_have(&job->forms, job->processor.features);
	kb_forms_measures(&job->forms);
	if (!job->forms.measures)
		kb_die(command, KB_EXIT_USAGE, "%s: this processor has none of its forms", templates);
}

/* ---- the program, and its runs ----------------------------------------------------------------------- */

static void make_program(struct kb_forms_job *job)
{
	const char *text = kb_forms_program(&job->forms, PROGRAM);
	struct kb_yamba_job yamba = { .command = job->command, .limit = 20 };
	struct kb_yamba_class *class;
	char path[PATH_MAX];

	kb_cache_make(job->command, kb_cache_directory(path, "yamba/" PROGRAM ".yamba"), path, "name another directory in XDG_CACHE_HOME");
	kb_output_write(job->command, path, text, strlen(text));
	kb_yamba_job_load(&yamba, path);
	class = kb_yamba_job_program(&yamba, path);
	if (!class || !kb_yamba_job_plugin(&yamba, class, job->plugin))
		exit(KB_EXIT_USAGE);
	kb_arena_free(&yamba.arena);
}

void kb_forms_job_measure(struct kb_forms_job *job, struct kb_workflow_request *request, const char *names, int argc, char **argv)
{
	const char *sets[] = { kb_arena_format(&job->arena, "form=%s", names) };
	struct kb_failure failure;

	if (!job->plugin[0])
		make_program(job);
	request->plugin = job->plugin;
	request->sets = sets;
	request->set_count = 1;
	kb_begin_request(job->command, request, argc, argv);
	kb_die_if(job->command, kb_workflow_measure(request, &job->w, &failure), &failure);
}

const struct kb_result *kb_forms_job_result(const struct kb_forms_job *job, const char *name, size_t *next)
{
	for (size_t i = 0; i < job->w.count; i++) {
		const struct kb_row *row = &job->w.rows[(*next + i) % job->w.count];
		const char *form = strstr(row->key, "form=");
		size_t length = strcspn(form, " ") - strlen("form=");

		if (!strncmp(form + strlen("form="), name, length) && !name[length]) {
			*next = (size_t)(row - job->w.rows) + 1;
			return &row->result;
		}
	}
	return NULL;
}

int kb_forms_job_code(const struct kb_forms_job *job)
{
	bool invalid = false;

	for (size_t i = 0; i < job->w.count; i++)
		invalid |= job->w.rows[i].result.verdict.status == KB_INVALID && !kb_form_renamed(&job->w.rows[i].result);
	return kb_workflow_code(&job->w, invalid ? KB_EXIT_FAILED : KB_EXIT_DONE);
}

void kb_forms_job_print_end(const struct kb_forms_job *job)
{
	const struct kb_run_outcome *outcome = &job->w.outcome;

	if (outcome->interrupted)
		printf("stopped by signal %d (%s); ", outcome->signal, strsignal(outcome->signal));
	else if (!outcome->precision_met && !outcome->tried_out)
		printf("time budget (%.4g s) used up; ", (double)job->w.run.budget_ns / 1e9);
	printf("%u processes in %.0f s, seed %llu\n", outcome->processes, (double)outcome->elapsed_ns / 1e9, (unsigned long long)job->w.run.seed);
}

const char *kb_forms_job_machine(struct kb_forms_job *job)
{
	return kb_arena_format(&job->arena, "%s (%s family %u model %u), %.10s", job->processor.name, job->processor.vendor, job->processor.family,
			       job->processor.model, job->w.started);
}
