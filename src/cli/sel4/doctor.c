/* kbench doctor sel4: what the configuration of an installed seL4 means for a benchmark. */
#include "cli/sel4/sel4.h"

#include "report/text/style.h"

static void print(const struct kb_sel4_job *job, const struct kb_sel4_config *config, const char *reason)
{
	static const char *const weights[] = { "", "warning: ", "on boards only: ", "refused: " };
	struct kb_style style = kb_style_here(false);

	printf("kernel   %s\nconfig   %s\n", kb_shown(job->prefix.kernel).text, kb_shown(config->path).text);
	printf("machine  %s, %u MB%s\n\n", config->arch, config->megabytes, job->prefix.sdk ? ", of a Microkit SDK" : "");
	for (const struct kb_sel4_rule *rule = NULL; (rule = kb_sel4_next_rule(config, rule, KB_SEL4_NOTE)) != NULL;) {
		printf("%-28s %s\n", rule->key, kb_shown(kb_sel4_config_text(config, rule->key)).text);
		kb_print_sentence(stdout, &style, 8, "%s%s", weights[rule->weight], rule->text);
	}
	printf("\nthe benchmarks sel4.* %s%s\n", reason[0] ? "are skipped: " : "can be measured", reason);
}

static json_t *to_json(const struct kb_sel4_job *job, const struct kb_sel4_config *config, const char *reason)
{
	static const char *const weights[] = { "note", "warning", "board", "refused" };
	json_t *array = json_array();

	for (const struct kb_sel4_rule *rule = NULL; (rule = kb_sel4_next_rule(config, rule, KB_SEL4_NOTE)) != NULL;)
		json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:s}", "option", rule->key, "value",
						       kb_sel4_config_text(config, rule->key), "weight", weights[rule->weight], "words",
						       rule->text));
	return json_pack("{s:s, s:s, s:s, s:s, s:i, s:b, s:s, s:o}", "schema", "kbench-sel4/1", "kernel", job->prefix.kernel, "config",
			 config->path, "arch", config->arch, "megabytes", (int)config->megabytes, "available", !reason[0], "why", reason,
			 "options", array);
}

int kb_sel4_doctor(const struct kb_command *command, bool json)
{
	struct kb_sel4_job job = { .command = command };
	struct kb_sel4_config config;
	char reason[KB_SEL4_WHY] = "";

	if (!kb_sel4_prefix(&job.prefix, reason))
		kb_die(command, KB_EXIT_UNFIT, "%s", reason);
	kb_sel4_config_read(&job, &config);

	const struct kb_sel4_rule *refusal = kb_sel4_next_rule(&config, NULL, KB_SEL4_BOARD);

	if (refusal)
		snprintf(reason, sizeof reason, "%s", refusal->text);
	else
		kb_sel4_available(reason);
	if (json)
		kb_print_json(to_json(&job, &config, reason));
	else
		print(&job, &config, reason);
	kb_sel4_config_free(&config);
	return refusal ? KB_EXIT_UNFIT : KB_EXIT_DONE;
}
