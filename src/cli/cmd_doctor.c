/* kbench doctor: is this machine fit to measure on, and what to change. It changes nothing itself. */
#include <string.h>

#include "cli/cli.h"
#include "report/text/sharing.h"
#include "result/json/json.h"
#include "workflow/machine.h"

struct request {
	uint64_t ns;
	const char *cpus;
	bool json, strict;
};

static int read_time(const char *value, void *place, struct kb_failure *failure)
{
	static const struct kb_option time = { .name = "time", .into = { .type = KB_OPTION_TIME, .least = 100 * KB_MS } };

	*(uint64_t *)place = 0;
	return strcmp(value, "0") == 0 ? 0 : kb_read_option(&time, value, place, failure);
}

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "time", "TIME", "watch the core so long; 0: not at all", "5s", INTO(READ, ns, .read = read_time) },
	{ 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use", INTO(WORD, cpus) },
	{ 0, "json", NULL, "print kbench-doctor/1", NULL, INTO(FLAG, json) },
	{ 0, "strict", NULL, "exit with 3 if something is unfit", NULL, INTO(FLAG, strict) },
	{ 0 }
};

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

static int doctor_main(const struct kb_command *command, int argc, char **argv)
{
	struct request request = { .ns = 5 * KB_S };
	struct kb_notes notes = kb_notes_of(command);
	struct kb_checkup checkup;
	struct kb_failure failure;

	kb_read_options(command, argc, argv, &request);
	kb_no_more(command, argc, argv);
	kb_die_if(command, kb_check_machine(request.cpus, request.ns, &notes, &checkup, &failure), &failure);
	if (request.json)
		kb_print_json(to_json(&checkup));
	else
		print(&checkup);
	return request.strict && checkup.unfit ? KB_EXIT_UNFIT : KB_EXIT_DONE;
}

const struct kb_command kb_command_doctor = {
	.name = "doctor",
	.arguments = "",
	.summary = "Check whether this machine is fit to measure on, and print what to change",
	.text = "It changes nothing. For what is not fit it prints why that matters and what to do. For five seconds it watches\n"
		"the CPU that 'kbench run' would measure on: how much of the time somebody else shares its core.\n",
	.options = options,
	.examples = "  kbench doctor\n"
		    "  kbench doctor --time 30s --cpus 1\n"
		    "  kbench doctor --strict && kbench run\n",
	.exits = "  0 done; 2 usage or unwritable output; 3 with --strict: something is unfit\n",
	.main = doctor_main,
};
