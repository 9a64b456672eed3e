/* See forms.h. */
#define _GNU_SOURCE
#include "cli/yamba/forms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "cli/files.h"
#include "cli/run.h"
#include "code/processor.h"
#include "env/source.h"
#include "places.h"
#include "result/json/json.h"
#include "run/process/trust.h"

#define PROGRAM "instructions"  /* the class */
#define CPUINFO_ROOM 8192       /* its first processor */
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

static const char *read_text(struct kb_forms_job *job, const char *path)
{
	const char *text;
	size_t length;
	int error = kb_yamba_read_file(&job->arena, path, &text, &length);

	if (error)
		kb_die(job->command, KB_EXIT_USAGE, "cannot read %.200s: %s", path, strerror(-error));
	return text;
}

/* What stands next to the shipped programs; NULL: there is none for this architecture. Templates become code. */
static const char *shipped(struct kb_forms_job *job, const char *suffix)
{
	const char *platform = kb_target_host()->name;
	const char *const places[] = {
		kb_arena_format(&job->arena, "yamba/../bench/yamba/forms_%s.%s", platform, suffix),
		kb_arena_format(&job->arena, "../share/kbench/yamba/bench/forms_%s.%s", platform, suffix),
	};
	char path[PATH_MAX], why[KB_TRUST_WHY];
	int error = kb_trust_own_part(places, 2, path, why);

	if (error == -EPERM)
		kb_die(job->command, KB_EXIT_USAGE, "%s", why);
	return error ? NULL : kb_arena_format(&job->arena, "%s", path);
}

/* What this processor has, as the kernel names it. */
static void find_features(char *features, size_t room)
{
	char text[CPUINFO_ROOM] = "";

	features[0] = '\0';
	if (kb_source_text(&(struct kb_fact_source){ "" }, "/proc/cpuinfo", text, sizeof text) && !kb_source_field(text, "flags", features, room))
		kb_source_field(text, "Features", features, room);
}

void kb_forms_job_read(struct kb_forms_job *job, const struct kb_command *command, const char *templates, const char *known)
{
	const char *known_path;
	char features[CPUINFO_ROOM];

	*job = (struct kb_forms_job){ .command = command, .arena = { .no_memory = no_memory, .context = job } };
	known_path = known ?: shipped(job, "known");
	templates = templates ?: shipped(job, "forms");
	if (!templates)
		kb_die(command, KB_EXIT_USAGE, "no templates come with kbench for %s; name a file of them", kb_target_host()->name);
	if (!kb_forms_read(&job->forms, &job->arena, templates, read_text(job, templates)))
		kb_die(command, KB_EXIT_USAGE, "%s", job->forms.error);
	if (!kb_known_read(&job->known, &job->arena, known_path, known_path ? read_text(job, known_path) : "", kb_processor_is))
		kb_die(command, KB_EXIT_USAGE, "%s", job->known.error);
	find_features(features, sizeof features);
	kb_forms_have(&job->forms, features);
	kb_forms_measures(&job->forms);
	if (!job->forms.measures)
		kb_die(command, KB_EXIT_USAGE, "%s: this processor has none of its forms", templates);
}

/* ---- the program, and its runs ----------------------------------------------------------------------- */

/* In a file named by what is in it: another table, of other templates, may be made at the same time. */
static void make_program(struct kb_forms_job *job)
{
	struct kb_yamba_job yamba = { .command = job->command, .limit = 20 };
	struct kb_yamba_class *class;
	struct kb_output output;
	char path[PATH_MAX];
	const char *text, *part;

	kb_forms_program(kb_output_begin(job->command, &output), &job->forms, PROGRAM);
	text = kb_output_end(job->command, &output);
	part = kb_arena_format(&job->arena, "yamba/" PROGRAM "-%08x.yamba", kb_crc32(0, text, output.length));
	kb_cache_make(job->command, kb_cache_directory(path, part), path, "name another directory in XDG_CACHE_HOME");
	kb_output_write(job->command, path, text, output.length);
	free(output.text);
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
	const json_t *facts = json_object_get(job->w.env, "facts");

	return kb_arena_format(&job->arena, "%s (%s family %s model %s), %.10s", kb_json_string_of(facts, "cpu_model"),
			       kb_json_string_of(facts, "cpu_vendor"), kb_json_string_of(facts, "cpu_family"),
			       kb_json_string_of(facts, "cpu_model_number"), job->w.started);
}
