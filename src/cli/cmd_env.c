/* kbench env: what the machine is, as every run stores it. */
#include "cli/cli.h"

#include "env/env.h"
#include "result/json/json.h"

struct request { bool json; };

static const struct kb_option options[] = {
	{ 0, "json", NULL, "print the object `env` of kbench-result/2", NULL,
		KB_OPTION(FLAG, struct request, json) },
	{ 0 }
};

/* In the order they were read: system, CPU, memory, moment. */
static void print_facts(const struct kb_env *env, bool stable)
{
	for (size_t i = 0; i < env->count; i++) {
		if (env->facts[i].stable == stable)
			printf("  %-24s %s\n", env->facts[i].key, env->facts[i].value);
	}
}

static void print(const struct kb_env *env)
{
	char id[17];

	kb_env_id(env, id);
	printf("environment ID %s, made from these facts:\n", id);
	print_facts(env, true);
	puts("\nreadings that vary by themselves:");
	print_facts(env, false);
}

static int env_main(const struct kb_command *command, int argc, char **argv)
{
	struct request request = { .json = false };
	struct kb_env env;

	kb_read_options(command, argc, argv, &request);
	kb_no_more(command, argc, argv);
	if (kb_env_read(&env))
		kb_no_memory(command);
	if (request.json)
		kb_print_json(kb_env_to_json(&env));
	else
		print(&env);
	kb_env_free(&env);
	return KB_EXIT_DONE;
}

const struct kb_command kb_command_env = {
	.name = "env",
	.arguments = "",
	.summary = "Print what this machine is: the facts that results depend on",
	.text = "Runs with the same environment ID may be compared.\n",
	.options = options,
	.examples = "  kbench env\n"
		    "  kbench env --json\n",
	.exits = "  0 done; 2 usage or unwritable output\n",
	.main = env_main,
};
