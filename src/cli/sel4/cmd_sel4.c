/* kbench sel4: looks at an installed seL4, builds the root server for it, and prints how to boot it elsewhere than in QEMU. */
#include "cli/sel4/sel4.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/plan.h"
#include "cli/cli.h"
#include "report/text/style.h"

enum { INTO, SET, METHOD, INITIAL, DELTA, GROUP_SIZE, GROUPS, CLOCK, JSON };

#define INTO(kind, ...) KB_OPTION(kind, struct kb_sel4_job, __VA_ARGS__)

static const struct kb_option options[] = {
	[INTO] = { 'o', "output", "PATH", "build: directory of the image; boot: its file", "below $XDG_CACHE_HOME; kb_boot.elf",
		INTO(WORD, into) },
	[SET] = { 'p', "param", "NAME=VALUE", "boot: a parameter of the benchmark; may be repeated", NULL, INTO(WORDS, sets) },
	[METHOD] = { 0, "method", "slope|single|kanata", "boot: how it measures", "kanata", INTO(WORD, method) },
	[INITIAL] = { 0, "initial", "N", "boot, kanata: initial test size", "1",
		INTO(NUMBER, grid.initial, .least = 1, .most = KB_TEST_SIZE_MAX) },
	[DELTA] = { 0, "delta", "N", "boot, kanata: by which each group's test size grows", "1",
		INTO(NUMBER, grid.delta, .most = KB_TEST_SIZE_MAX) },
	[GROUP_SIZE] = { 0, "group-size", "N", "boot, kanata: tests of a group, S", "30",
		INTO(NUMBER, grid.group_size, .least = 2, .most = KB_GROUP_TESTS_MAX) },
	[GROUPS] = { 0, "groups", "N", "boot, kanata: number of groups", "5",
		INTO(NUMBER, grid.groups, .least = 1, .most = KB_SEL4_TESTS_MAX) },
	[CLOCK] = { 0, "clock", "rdcycle|pmccntr|icount", "boot: what its counter counts there", "ticks of unknown meaning", INTO(WORD, clock) },
	[JSON] = { 0, "json", NULL, "doctor: print kbench-sel4/1", NULL, INTO(FLAG, json) },
	{ 0 }
};

enum { DOCTOR, BUILD, BOOT };
static const char *const verb_names[] = { "doctor", "build", "boot", NULL };
static int (*const verbs[])(struct kb_sel4_job *, int argc, char **argv) = { kb_sel4_verb_doctor, kb_sel4_verb_build, kb_sel4_verb_boot };

/* ---- doctor -------------------------------------------------------------------------------------------------- */

static void print(const struct kb_sel4_job *job, const struct kb_sel4_config *config, const char *reason)
{
	static const char *const weights[] = { "", "warning: ", "refused: " };
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
	static const char *const weights[] = { "note", "warning", "refused" };
	json_t *array = json_array();

	for (const struct kb_sel4_rule *rule = NULL; (rule = kb_sel4_next_rule(config, rule, KB_SEL4_NOTE)) != NULL;)
		json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:s}", "option", rule->key, "value",
						       kb_sel4_config_text(config, rule->key), "weight", weights[rule->weight], "words",
						       rule->text));
	return json_pack("{s:s, s:s, s:s, s:s, s:i, s:b, s:s, s:o}", "schema", "kbench-sel4/1", "kernel", job->prefix.kernel, "config",
			 config->path, "arch", config->arch, "megabytes", (int)config->megabytes, "available", !reason[0], "why", reason,
			 "options", array);
}

int kb_sel4_verb_doctor(struct kb_sel4_job *job, int argc, char **argv)
{
	struct kb_sel4_config config;
	char reason[KB_SEL4_WHY] = "";

	(void)argc, (void)argv;
	kb_sel4_config_read(job, &config);

	const struct kb_sel4_rule *refusal = kb_sel4_next_rule(&config, NULL, KB_SEL4_REFUSED);

	if (refusal)
		snprintf(reason, sizeof reason, "%s", refusal->text);
	else
		kb_sel4_available(reason);
	if (job->json)
		kb_print_json(to_json(job, &config, reason));
	else
		print(job, &config, reason);
	kb_sel4_config_free(&config);
	return refusal ? KB_EXIT_UNFIT : KB_EXIT_DONE;
}

/* ---- the command --------------------------------------------------------------------------------------------- */

/* An option that the verb does not use was meant for another one. */
static void check_options(const struct kb_sel4_job *job, unsigned verb)
{
	const char *boots = job->sets.count > 0 ? "-p" : job->method ? "--method" : job->kanata ? job->kanata : job->clock ? "--clock" : NULL;

	if (job->into && verb == DOCTOR)
		kb_usage(job->command, "--output goes with build and boot");
	if (boots && verb != BOOT)
		kb_usage(job->command, "%s goes with boot; measuring is 'kbench run sel4.*'", boots);
	if (job->json && verb != DOCTOR)
		kb_usage(job->command, "--json goes with doctor");
}

static int sel4_main(const struct kb_command *command, int argc, char **argv)
{
	struct kb_sel4_job job = { .command = command, .grid = { 1, 1, 30, 5, 0, 0.90, 0 } };
	char why[KB_SEL4_WHY];
	uint64_t given = kb_read_options(command, argc, argv, &job);

	for (int i = INITIAL; i <= GROUPS; i++) {
		if (given >> i & 1)
			job.kanata = options[i].name;
	}

	unsigned verb = kb_subcommand(command, verb_names, optind < argc ? argv[optind++] : NULL);

	check_options(&job, verb);
	if (verb != BOOT)
		kb_no_more(command, argc, argv);
	if (!kb_sel4_prefix(&job.prefix, why))
		kb_die(command, KB_EXIT_UNFIT, "%s", why);

	int code = verbs[verb](&job, argc - optind, argv + optind);

	free(job.sets.at);
	return code;
}

const struct kb_command kb_command_sel4 = {
	.name = "sel4",
	.arguments = "doctor|build|boot BENCHMARK",
	.summary = "Look at an installed seL4, and build the root server with the benchmarks for it",
	.text = "\n"
		"verbs:\n"
		"  doctor    print what the kernel's configuration means for a benchmark\n"
		"  build     build the root server for this kernel; 'kbench run sel4.*' then boots it in QEMU\n"
		"  boot      write an image that measures one benchmark, and print how to boot it and read its console\n"
		"The kernel is the one of SEL4_PREFIX, or of SEL4_KERNEL and SEL4_INCLUDE_DIRS: doc/sel4.md.\n",
	.options = options,
	.examples = "  kbench sel4 doctor\n"
		    "  kbench sel4 build && kbench run 'sel4.*'\n"
		    "  kbench sel4 boot sel4.signal -o image.elf\n"
		    "  kbench sel4 boot sel4.signal --initial 300 --group-size 30 --groups 1 --clock rdcycle\n",
	.exits = "  0 done; 2 usage, no such seL4, unwritable output; 3 a kernel or a machine that cannot be used; 5 it does not build\n",
	.main = sel4_main,
};
