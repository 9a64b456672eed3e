/* Stored runs whose costs are chosen, and commands that are asked about them: in a child, as they end the program when something is wrong. */
#ifndef KB_TEST_CLI_RUNS_H
#define KB_TEST_CLI_RUNS_H

#include "unit/store/fixture.h"

#include "cli/cli.h"
#include "result/json/json.h"
#include "result/result.h"

#define OUTPUT_MAX (1 << 20)

struct plan {
	const char *id, *label, *env_class, *settings;
	const char *arch, *kernel, *config;     /* of seL4 */
};

/* One row: its processes' costs are `cost` times 1, 1 + spread, 1 - spread in turn. */
struct row { const char *name, *clock; double cost, spread; unsigned processes; enum kb_status status; };

static inline struct kb_result result_of(const struct row *row)
{
	struct kb_result result = {
		.per = "call", .method = KB_METHOD_SLOPE, .ticks_per_ns = 1, .processes = row->processes, .processes_planned = row->processes,
		.estimate = { row->cost, row->cost * .99, row->cost * 1.01, true, true }, .process_cost_count = row->processes,
	};

	snprintf(result.benchmark, sizeof result.benchmark, "%s", row->name);
	snprintf(result.clock, sizeof result.clock, "%s", row->clock ? row->clock : "tsc");
	for (unsigned i = 0; i < row->processes; i++)
		result.process_costs[i] = (struct kb_process_cost){
			.process = i + 1, .cost = row->cost * (1 + row->spread * ((int)(i % 3) - 1)), .used = 100,
		};
	result.verdict.status = row->status;
	if (row->status == KB_INVALID)
		kb_verdict_add(&result.verdict, KB_CODE_check_failed, "process 1");
	if (row->status == KB_SKIPPED)
		kb_verdict_add(&result.verdict, row->processes > 0 ? KB_CODE_need_unmet : KB_CODE_not_reached, "here");
	return result;
}

static inline void add_row(struct kb_store *store, const struct plan *plan, const struct row *row, unsigned order)
{
	struct kb_result result = result_of(row);

	snprintf(result.arch, sizeof result.arch, "%s", plan->arch && strncmp(row->name, "sel4", 4) == 0 ? plan->arch : "");

	json_t *json = kb_result_to_json(&result);
	char *text = kb_json_text(json);

	assert_int_equal(kb_store_put_result(store, plan->id, row->name, order, text), 0);
	free(text);
	json_decref(json);
}

static inline void put_run(const struct place *place, const struct plan *plan, const struct row *rows, size_t count)
{
	char env[400];
	struct kb_store *store;
	const char *class = plan->env_class ? plan->env_class : "0123456789abcdef";

	snprintf(env, sizeof env, "{\"id\":\"%s\",\"facts\":{\"os\":\"Linux\",\"arch\":\"x86_64\",\"kernel\":\"6.1\"},\"readings\":{%s%s%s%s%s}}", class,
		 plan->kernel ? "\"sel4_kernel\":\"" : "", plan->kernel ?: "", plan->kernel ? "\",\"config\":\"" : "", plan->config ?: "",
		 plan->kernel ? "\"" : "");
	assert_int_equal(kb_store_open(&store, place->path, KB_STORE_WRITE), 0);
	assert_int_equal(kb_store_add_run(store, &(struct kb_stored_run){
		.id = plan->id, .started = "2026-05-04T10:00:00Z", .finished = "2026-05-04T10:00:42Z",
		.label = plan->label ? plan->label : plan->id, .command = "kbench run", .env_class = class, .env = env,
		.settings = plan->settings ? plan->settings : "{\"tool\":\"kbench 0.1.0+abc1234\"}" }), 0);
	for (size_t i = 0; i < count; i++)
		add_row(store, plan, &rows[i], (unsigned)i);
	kb_store_close(store);
}

/* ---- running a command ----------------------------------------------------------------------------------- */

static char output[OUTPUT_MAX];         /* of the last command, both streams */

static inline _Noreturn void child(const struct kb_command *command, char **argv, int argc, const char *to)
{
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	dup2(fd, STDOUT_FILENO);
	if (strcmp(to, "/dev/full") != 0)
		dup2(fd, STDERR_FILENO);
	optind = 1;
	exit(kb_finish_output(command, command->main(command, argc, argv)));
}

/* The exit code of a command line; words are separated by blanks. */
static inline int run_to(const struct place *place, const struct kb_command *command, const char *line, const char *to)
{
	char words[PATH_MAX + 1024], file[PATH_MAX], *argv[40];
	int argc = 0, status = 0;

	snprintf(words, sizeof words, "%s --store %s %s", command->name, place->path, line);
	for (char *rest = words, *word; (word = strsep(&rest, " ")) != NULL;) {
		if (*word)
			argv[argc++] = word;
	}
	argv[argc] = NULL;
	snprintf(file, sizeof file, "%.4000s/output", place->directory);
	fflush(NULL);
	pid_t pid = fork();

	if (pid == 0)
		child(command, argv, argc, to ? to : file);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	FILE *in = fopen(file, "r");
	size_t got = in ? fread(output, 1, sizeof output - 1, in) : 0;

	output[got] = '\0';
	if (in)
		fclose(in);
	return WEXITSTATUS(status);
}

static inline void says(const char *words)
{
	if (!strstr(output, words))
		fail_msg("'%s' is not in:\n%s", words, output);
}

#endif
