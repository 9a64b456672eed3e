/* kbench doctor: is this machine fit to measure on, and what to change. It changes nothing itself. */
#include "cli/cli.h"

#include "cli/print.h"
#include "env/env.h"
#include "report/json.h"
#include "report/words.h"

enum { JSON, STRICT };

static const struct kb_option options[] = {
	[JSON] = { 0, "json", NULL, "print kbench-doctor/1", NULL },
	[STRICT] = { 0, "strict", NULL, "exit with 3 if something is unfit", NULL },
	{ 0 }
};

static const char *const fitness_names[] = { [KB_FIT] = "fit", [KB_UNSURE] = "unsure", [KB_UNFIT] = "unfit" };

static void print_line(const struct kb_look *look, const char *label, const char *text)
{
	char line[600];

	snprintf(line, sizeof line, "%s %s", label, text);
	kb_words_wrap(stdout, look, 8, line);
}

static void print(const struct kb_finding *findings, size_t count)
{
	struct kb_look look = kb_look_here(false);

	for (size_t i = 0; i < count; i++) {
		const struct kb_finding *finding = &findings[i];

		printf("%-7s %-15s %s\n", fitness_names[finding->fitness], finding->id, finding->what);
		/* What is fine needs no lesson. */
		if (finding->fitness == KB_FIT)
			continue;
		print_line(&look, "why:", finding->why);
		if (finding->remedy[0])
			print_line(&look, "do: ", finding->remedy);
	}
}

static json_t *to_json(const struct kb_finding *findings, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct kb_finding *finding = &findings[i];

		json_array_append_new(array, json_pack("{s:s, s:s, s:o, s:s, s:s}", "id", finding->id, "fitness",
						       fitness_names[finding->fitness], "what",
						       kb_json_string(finding->what), "why", finding->why, "remedy",
						       finding->remedy));
	}
	return json_pack("{s:s, s:o}", "schema", "kbench-doctor/1", "findings", array);
}

/* Unsure is no reason to stop: in a virtual machine most findings are. */
static bool any_unfit(const struct kb_finding *findings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (findings[i].fitness == KB_UNFIT)
			return true;
	}
	return false;
}

static int doctor_main(const struct kb_command *command, int argc, char **argv)
{
	struct kb_finding findings[KB_FINDINGS_MAX];
	struct kb_env env;
	bool chosen[2] = { false };
	const char *value;
	int option;

	while ((option = kb_next_option(command, argc, argv, &value)) >= 0)
		chosen[option] = true;
	kb_no_more(command, argc, argv);
	if (kb_env_read(&env))
		kb_no_memory(command);

	size_t count = kb_doctor(&env, findings);

	if (chosen[JSON])
		kb_print_json(to_json(findings, count));
	else
		print(findings, count);
	kb_env_free(&env);
	return chosen[STRICT] && any_unfit(findings, count) ? KB_EXIT_UNFIT : KB_EXIT_DONE;
}

const struct kb_command kb_command_doctor = {
	.name = "doctor",
	.arguments = "",
	.summary = "Say whether this machine is fit to measure on, and what to change",
	.text = "It changes nothing. For what is not fit it says why that matters and what to do.\n",
	.options = options,
	.examples = "  kbench doctor\n"
		    "  kbench doctor --strict && kbench run\n",
	.exits = "  0 done; 2 usage or unwritable output; 3 with --strict: something is unfit\n",
	.main = doctor_main,
};
