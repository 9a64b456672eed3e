/*
 * kbench yamba pipes: some instructions alone, then each two of them mixed by their numbers of pipes, and which pipes they share, without a
 * hardware counter.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "cli/run.h"
#include "cli/yamba/forms.h"
#include "result/json/json.h"
#include "study/pipes_table.h"

struct request { struct kb_workflow_request w; const char *known; bool json; };

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "known", "FILE", "documented pipes", "those that come with the templates", INTO(WORD, known) },
	{ 0, "json", NULL, "print " KB_PIPES_SCHEMA, NULL, INTO(FLAG, json) },
	{ 0, "budget", "TIME", "stop each of the two runs after this time", "15m", INTO(TIME, w.run.budget_ns, .least = KB_S) },
	{ 0, "processes", "N", "fresh processes for each value", "6", INTO(NUMBER, w.run.processes, .least = 1, .most = 1000) },
	{ 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use", INTO(WORD, w.cpus) },
	{ 0, "seed", "N", "order of processes and samples", "a random one, printed", INTO(NUMBER, w.run.seed, .most = KB_JSON_WHOLE_MAX / 2) },
	{ 0 }
};

/* The forms that the processor has of those that the templates name. */
static void choose(struct kb_forms_job *job, struct kb_pipes_table *table)
{
	struct kb_span rest = kb_span_of(job->forms.pipes), word;

	while ((word = kb_span_word(&rest)).length) {
		const struct kb_form *form = job->forms.forms;

		while (form && !kb_span_is(word, form->name))
			form = form->next;
		if (!form)
			kb_die(job->command, KB_EXIT_USAGE, "%s: pipes: there is no form '%.*s'", job->forms.path, (int)word.length, word.at);
		if (form->has && table->found.count < KB_PIPES_KINDS)
			table->form[table->found.count++] = form;
	}
	if (table->found.count < 2)
		kb_die(job->command, KB_EXIT_USAGE, "%s: 'pipes' names fewer than two forms that this processor has", job->forms.path);
}

static const char *alone_name(struct kb_forms_job *job, const char *form)
{
	return kb_arena_format(&job->arena, "%s:throughput", form);
}

static const char *mix_name(struct kb_forms_job *job, const struct kb_pipes_table *table, unsigned i, unsigned j)
{
	unsigned mix[2];

	kb_pipes_mix(kb_pipes_whole(table->found.rate[i]), kb_pipes_whole(table->found.rate[j]), mix);
	return kb_arena_format(&job->arena, "%s*%u+%s*%u", table->form[i]->name, mix[0], table->form[j]->name, mix[1]);
}

static bool can_mix(const struct kb_pipes_table *table, unsigned i, unsigned j)
{
	return kb_pipes_whole(table->found.rate[i]) && kb_pipes_whole(table->found.rate[j]);
}

/* A copy that outlives the run. */
static const struct kb_result *keep(struct kb_forms_job *job, const char *name)
{
	size_t next = 0;
	const struct kb_result *result = kb_forms_job_result(job, name, &next);
	struct kb_result *copy = result ? kb_arena_take(&job->arena, sizeof *copy) : NULL;

	if (copy)
		*copy = *result;
	return copy;
}

static int measure_alone(struct kb_forms_job *job, struct request *request, struct kb_pipes_table *table, int argc, char **argv)
{
	const char *names = "";

	for (unsigned i = 0; i < table->found.count; i++)
		names = kb_arena_format(&job->arena, "%s%s%s", names, i ? "," : "", alone_name(job, table->form[i]->name));
	if (job->forms.dispatch[0])
		names = kb_arena_format(&job->arena, "%s,%s", names, alone_name(job, job->forms.dispatch));
	kb_forms_job_measure(job, &request->w, names, argc, argv);
	for (unsigned i = 0; i < table->found.count; i++) {
		table->alone[i] = keep(job, alone_name(job, table->form[i]->name));
		table->found.rate[i] = kb_pipes_rate(table->alone[i]);
	}
	table->dispatch = keep(job, alone_name(job, job->forms.dispatch));
	return kb_forms_job_code(job);
}

static int measure_mixes(struct kb_forms_job *job, struct request *request, struct kb_pipes_table *table, int argc, char **argv)
{
	const char *names = "";

	for (unsigned i = 0; i < table->found.count; i++)
		for (unsigned j = i + 1; j < table->found.count; j++)
			if (can_mix(table, i, j))
				names = kb_arena_format(&job->arena, "%s%s%s", names, names[0] ? "," : "", mix_name(job, table, i, j));
	if (!names[0])
		kb_die(job->command, KB_EXIT_FAILED, "none of these instructions takes a whole number of pipes, so there is nothing to mix");
	kb_forms_job_measure(job, &request->w, names, argc, argv);
	for (unsigned i = 0; i < table->found.count; i++)
		for (unsigned j = i + 1; j < table->found.count; j++)
			if (can_mix(table, i, j))
				table->both[i][j] = keep(job, mix_name(job, table, i, j));
	return kb_forms_job_code(job);
}

static void print(const struct kb_forms_job *job, const struct request *request, const struct kb_pipes_table *table)
{
	struct kb_style style = kb_style_here(false);

	if (request->json) {
		kb_print_measured(KB_PIPES_SCHEMA, &job->w, kb_pipes_table_json(table));
		return;
	}
	kb_print_heading(job->w.started, job->w.env);
	kb_pipes_table_print(stdout, table, &style);
	kb_forms_job_print_end(job);
}

static int pipes_main(const struct kb_command *command, int argc, char **argv)
{
	static struct kb_forms_job job;
	static struct kb_pipes_table table;
	struct request request = { .w = kb_forms_request() };
	const char *file;
	int code;

	kb_read_options(command, argc, argv, &request);
	request.w.no_store = true;
	file = optind < argc ? argv[optind++] : NULL;
	kb_no_more(command, argc, argv);
	kb_forms_job_read(&job, command, file, request.known);
	choose(&job, &table);
	code = measure_alone(&job, &request, &table, argc, argv);
	if (code < KB_EXIT_SIGNAL) {
		kb_workflow_release(&job.w);
		code = kb_worse_exit(code, measure_mixes(&job, &request, &table, argc, argv));
		kb_pipes_table_find(&table, &job.known);
		print(&job, &request, &table);
	}
	kb_workflow_release(&job.w);
	kb_arena_free(&job.arena);
	return code;
}

const struct kb_command kb_command_yamba_pipes = {
	.name = "yamba pipes",
	.arguments = "[FILE.forms]",
	.summary = "Infer execution pipes, and which instructions share them, from timing alone",
	.text = "An instruction that n pipes take has a throughput of 1/n cycles. Two that are mixed by their numbers of pipes have as many a cycle\n"
		"as there are pipes that take one or the other. Which instructions are mixed, 'pipes' in the file of templates states. Nothing is\n"
		"stored.\n",
	.options = options,
	.examples = "  kbench yamba pipes\n"
		    "  kbench yamba pipes --json >pipes.json\n",
	.exits = "  0 done; 2 usage, a template that cannot be read or assembled; 5 a result is invalid; 128+n stopped by signal n\n",
	.main = pipes_main,
};
