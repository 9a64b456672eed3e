/* kbench doctor: is this machine fit to measure on, what is it, and what do other targets need. It changes nothing itself. */
#include <getopt.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/kernel/kernel.h"
#include "cli/sel4/sel4.h"
#include "env/env.h"
#include "report/text/sharing.h"
#include "result/json/json.h"
#include "workflow/machine.h"

struct request {
	uint64_t ns;
	const char *cpus;
	bool json, strict, facts;
};

static int read_time(const char *value, void *place, struct kb_failure *failure)
{
	static const struct kb_option budget = { .name = "budget", .into = { .type = KB_OPTION_TIME, .least = 100 * KB_MS } };

	*(uint64_t *)place = 0;
	return strcmp(value, "0") == 0 ? 0 : kb_read_option(&budget, value, place, failure);
}

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

enum { BUDGET, CPUS, STRICT, FACTS };

static const struct kb_option options[] = {
	[BUDGET] = { 0, "budget", "TIME", "watch the core so long; 0: not at all", "5s", INTO(READ, ns, .read = read_time) },
	[CPUS] = { 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use", INTO(WORD, cpus) },
	[STRICT] = { 0, "strict", NULL, "exit with 3 if something is unfit", NULL, INTO(FLAG, strict) },
	[FACTS] = { 0, "facts", NULL, "only what this machine is: the facts that results depend on", NULL, INTO(FLAG, facts) },
	{ 0, "json", NULL, "print kbench-doctor/1, kbench-kernel/1 or kbench-sel4/1; of --facts the object `env`", NULL,
		INTO(FLAG, json) },
	{ 0 }
};

/* ---- fitness --------------------------------------------------------------------------------------------- */

static const char *const fitness_names[] = { [KB_FIT] = "fit", [KB_UNSURE] = "unsure", [KB_UNFIT] = "unfit" };

static void print(const struct kb_checkup *checkup)
{
	struct kb_style style = kb_style_here(false);

	for (size_t i = 0; i < checkup->count; i++) {
		const struct kb_finding *finding = &checkup->findings[i];

		printf("%-7s %-15s %s\n", fitness_names[finding->fitness], finding->id, finding->what);
		/* What is fine needs no lesson. */
		if (finding->fitness == KB_FIT)
			continue;
		kb_print_sentence(stdout, &style, 8, "why: %s", finding->why);
		if (finding->remedy[0])
			kb_print_sentence(stdout, &style, 8, "do: %s", finding->remedy);
	}
	if (checkup->measured)
		kb_sharing_print(&style, &checkup->sharing);
}

static json_t *to_json(const struct kb_checkup *checkup)
{
	json_t *array = json_array();

	for (size_t i = 0; i < checkup->count; i++) {
		const struct kb_finding *finding = &checkup->findings[i];

		json_array_append_new(array, json_pack("{s:s, s:s, s:o, s:s, s:s}", "id", finding->id, "fitness",
						       fitness_names[finding->fitness], "what",
						       kb_json_string(finding->what), "why", finding->why, "remedy",
						       finding->remedy));
	}
	return json_pack("{s:s, s:o, s:o}", "schema", "kbench-doctor/1", "findings", array, "sharing",
			 checkup->measured ? kb_sharing_json(&checkup->sharing) : json_null());
}

static int check(const struct kb_command *command, const struct request *request)
{
	struct kb_notes notes = kb_notes_of(command);
	struct kb_checkup checkup;
	struct kb_failure failure;

	kb_die_if(command, kb_check_machine(request->cpus, request->ns, &notes, &checkup, &failure), &failure);
	if (request->json)
		kb_print_json(to_json(&checkup));
	else
		print(&checkup);
	return request->strict && checkup.unfit ? KB_EXIT_UNFIT : KB_EXIT_DONE;
}

/* ---- facts ----------------------------------------------------------------------------------------------- */

/* In the order in which they were read: system, CPU, memory, moment. */
static void print_stable(const struct kb_env *env, bool stable)
{
	for (size_t i = 0; i < env->count; i++) {
		if (env->facts[i].stable == stable)
			printf("  %-24s %s\n", env->facts[i].key, env->facts[i].value);
	}
}

static int print_facts(const struct kb_command *command, bool json)
{
	struct kb_env env;
	char id[17];

	if (kb_env_read(&env))
		kb_no_memory(command);
	if (json) {
		kb_print_json(kb_env_to_json(&env));
	} else {
		kb_env_id(&env, id);
		printf("environment ID %s, made from these facts:\n", id);
		print_stable(&env, true);
		puts("\nreadings that vary by themselves:");
		print_stable(&env, false);
	}
	kb_env_free(&env);
	return KB_EXIT_DONE;
}

/* ---- the command ----------------------------------------------------------------------------------------- */

enum { KERNEL, SEL4 };
static const char *const target_names[] = { "kernel", "sel4", NULL };

/* Only the check of the machine itself watches a core; facts are of the machine, too. */
static void check_options(const struct kb_command *command, uint64_t given, const char *target)
{
	for (int i = BUDGET; i <= FACTS; i++) {
		if (!(given >> i & 1) || (i == FACTS && !target))
			continue;
		if (target)
			kb_usage(command, "--%s does not go with '%.40s'", options[i].name, target);
		if (given >> FACTS & 1)
			kb_usage(command, "--%s does not go with --facts", options[i].name);
	}
}

static int doctor_main(const struct kb_command *command, int argc, char **argv)
{
	struct request request = { .ns = 5 * KB_S };
	uint64_t given = kb_read_options(command, argc, argv, &request);
	const char *target = optind < argc ? argv[optind++] : NULL;

	kb_no_more(command, argc, argv);
	check_options(command, given, target);
	if (!target)
		return request.facts ? print_facts(command, request.json) : check(command, &request);
	return kb_subcommand(command, target_names, target) == KERNEL ? kb_kernel_doctor(request.json) : kb_sel4_doctor(command, request.json);
}

const struct kb_command kb_command_doctor = {
	.name = "doctor",
	.arguments = "[kernel|sel4]",
	.summary = "Check whether this machine is fit to measure on, and print what to change",
	.text = "It changes nothing. For what is not fit it prints why that matters and what to do. For five seconds it watches\n"
		"the CPU that 'kbench run' would measure on: how much of the time somebody else shares its core.\n"
		"kernel: tries each capability of this kernel by the smallest real use of it, and prints what was refused, why, and\n"
		"what to do. sel4: prints what the configuration of the installed seL4 (SEL4_PREFIX) means for a benchmark.\n"
		"--facts prints the facts from which the environment ID is made: runs with the same one may be compared.\n",
	.options = options,
	.examples = "  kbench doctor\n"
		    "  kbench doctor --budget 30s --cpus 1\n"
		    "  kbench doctor --strict && kbench run\n"
		    "  kbench doctor kernel\n"
		    "  kbench doctor --facts --json\n",
	.exits = "  0 done; 2 usage, no such seL4, unwritable output; 3 with --strict: something is unfit; of sel4: a kernel that\n"
		 "  cannot be used\n",
	.main = doctor_main,
};
