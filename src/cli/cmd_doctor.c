/* kbench doctor: is this machine fit to measure on, and what to change. It changes nothing itself. */
#include "cli/cli.h"

#include <math.h>
#include <string.h>

#include "cli/floor.h"
#include "cli/print.h"
#include "cli/start.h"
#include "cli/values.h"
#include "env/doctor.h"
#include "report/text/reasons.h"
#include "result/json/json.h"
#include "run/sharing.h"

#define TIME_NS UINT64_C(5000000000)
#define TIME_LEAST UINT64_C(100000000)

enum { TIME, CPUS, JSON, STRICT };

static const struct kb_option options[] = {
	[TIME] = { 0, "time", "TIME", "watch the core so long; 0: not at all", "5s" },
	[CPUS] = { 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use" },
	[JSON] = { 0, "json", NULL, "print kbench-doctor/1", NULL },
	[STRICT] = { 0, "strict", NULL, "exit with 3 if something is unfit", NULL },
	{ 0 }
};

struct job {
	const struct kb_command *command;
	uint64_t ns;
	const char *cpus;
	bool json, strict;
	struct kb_finding findings[KB_FINDINGS_MAX];
	size_t count;
	struct kb_sharing sharing;
	bool measured;                  /* sharing is filled */
};

static const char *const fitness_names[] = { [KB_FIT] = "fit", [KB_UNSURE] = "unsure", [KB_UNFIT] = "unfit" };

static void print_line(const struct kb_style *look, const char *label, const char *text)
{
	char line[600];

	snprintf(line, sizeof line, "%s %s", label, text);
	kb_print_wrapped(stdout, look, 8, line);
}

/* As people say it: 85 us, 1.2 ms. */
static void print_stretch(char text[32], double seconds)
{
	static const struct { double least, factor; const char *unit; } units[] = { { 1, 1, "s" }, { 1e-3, 1e3, "ms" }, { 0, 1e6, "us" } };
	unsigned i = 0;

	while (seconds < units[i].least)
		i++;
	snprintf(text, 32, "%.3g %s", seconds * units[i].factor, units[i].unit);
}

static const char *source_of(enum kb_floor_from from)
{
	static const char *const words[] = {
		[KB_FLOOR_UNKNOWN] = "not known", [KB_FLOOR_SHIPPED] = "shipped for this CPU model", [KB_FLOOR_STORED] = "from runs in the store",
		[KB_FLOOR_RUN] = "from this measurement",
	};

	return words[from];
}

/* What was seen, and what follows from it for results. */
static void print_sharing(const struct kb_style *look, const struct kb_sharing *sharing)
{
	char text[300], stretch[32], stretch_90[32];
	int used;

	print_line(look, "expect:", kb_sharing_expect(sharing));
	print_stretch(stretch, sharing->stretch);
	print_stretch(stretch_90, sharing->stretch_90);
	used = snprintf(text, sizeof text, "CPU %u for %.3g s", sharing->cpu, sharing->seconds);
	if (isfinite(sharing->stretch))
		used += snprintf(text + used, sizeof text - (size_t)used, "; uncontended stretches last %s (median), 90 %% of them up to %s",
				 stretch, stretch_90);
	if (isfinite(sharing->factor))
		snprintf(text + used, sizeof text - (size_t)used, "; a contended probe takes %.2f times as long", sharing->factor);
	print_line(look, "seen:", text);
	if (sharing->floor.k > 0)
		snprintf(text, sizeof text, "%.3f core cycles a loop of the contention probe, %s", sharing->floor.k, source_of(sharing->floor.from));
	print_line(look, "K:", sharing->floor.k > 0 ? text : "not known");
	used = snprintf(text, sizeof text, "core clock %.0f MHz, %s (%.0f to %.0f MHz)", sharing->mhz,
			kb_sharing_clock_moved(sharing) ? "it moved" : "steady", sharing->mhz_low, sharing->mhz_high);
	if (isfinite(sharing->steal))
		used += snprintf(text + used, sizeof text - (size_t)used, "; steal %.1f %%", 100 * sharing->steal);
	snprintf(text + used, sizeof text - (size_t)used, "; off the CPU %.1f %% of the time", 100 * sharing->off_cpu);
	print_line(look, "clock:", text);
}

static void print(const struct job *job)
{
	struct kb_style look = kb_style_here(false);

	for (size_t i = 0; i < job->count; i++) {
		const struct kb_finding *finding = &job->findings[i];

		printf("%-7s %-15s %s\n", fitness_names[finding->fitness], finding->id, finding->what);
		/* What is fine needs no lesson. */
		if (finding->fitness == KB_FIT)
			continue;
		print_line(&look, "why:", finding->why);
		if (finding->remedy[0])
			print_line(&look, "do: ", finding->remedy);
	}
	if (job->measured)
		print_sharing(&look, &job->sharing);
}

static json_t *sharing_json(const struct kb_sharing *sharing)
{
	return json_pack("{s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:b, s:o, s:o, s:s}",
			 "cpu", kb_json_whole(sharing->cpu), "seconds", kb_json_real(sharing->seconds),
			 "k", kb_json_real(sharing->floor.k > 0 ? sharing->floor.k : NAN), "k_from", kb_floor_from_name(sharing->floor.from),
			 "clean_share", kb_json_real(sharing->clean), "usable_share", kb_json_real(sharing->usable),
			 "stretch_median_s", kb_json_real(sharing->stretch), "stretch_p90_s", kb_json_real(sharing->stretch_90),
			 "contended_factor", kb_json_real(sharing->factor),
			 "core_mhz", "value", kb_json_real(sharing->mhz), "low", kb_json_real(sharing->mhz_low),
			 "high", kb_json_real(sharing->mhz_high),
			 "clock_moved", kb_sharing_clock_moved(sharing), "steal_share", kb_json_real(sharing->steal),
			 "off_cpu_share", kb_json_real(sharing->off_cpu), "expect", kb_sharing_expect(sharing));
}

static json_t *to_json(const struct job *job)
{
	json_t *array = json_array();

	for (size_t i = 0; i < job->count; i++) {
		const struct kb_finding *finding = &job->findings[i];

		json_array_append_new(array, json_pack("{s:s, s:s, s:o, s:s, s:s}", "id", finding->id, "fitness",
						       fitness_names[finding->fitness], "what",
						       kb_json_string(finding->what), "why", finding->why, "remedy",
						       finding->remedy));
	}
	return json_pack("{s:s, s:o, s:o}", "schema", "kbench-doctor/1", "findings", array, "sharing",
			 job->measured ? sharing_json(&job->sharing) : json_null());
}

/* Unsure is no reason to stop: in a virtual machine most findings are. */
static bool any_unfit(const struct job *job)
{
	for (size_t i = 0; i < job->count; i++) {
		if (job->findings[i].fitness == KB_UNFIT)
			return true;
	}
	return false;
}

static void set(struct job *job, int option, const char *value)
{
	switch (option) {
	case TIME: job->ns = strcmp(value, "0") == 0 ? 0 : kb_value_time(job->command, "time", value, TIME_LEAST); break;
	case CPUS: job->cpus = value; break;
	case JSON: job->json = true; break;
	case STRICT: job->strict = true; break;
	}
}

/* As `run` would measure: the same CPU, the same clock, the same K. */
static void watch_core(struct job *job, const struct kb_env *env, const struct kb_cpus *cpus)
{
	json_t *facts = kb_env_to_json(env);
	struct kb_run_options run = { .cpus = *cpus };

	kb_floor_start(facts, NULL, &run);
	json_decref(facts);
	int error = run.emulated ? 0 : kb_sharing_here(&run, job->ns, &job->sharing);

	if (error)
		kb_complain(job->command, "the core cannot be watched: %s", strerror(-error));
	job->measured = !run.emulated && !error;
	if (!error)
		kb_sharing_judge(job->measured ? &job->sharing : NULL, &job->findings[job->count++]);
}

static int doctor_main(const struct kb_command *command, int argc, char **argv)
{
	struct job job = { .command = command, .ns = TIME_NS };
	struct kb_env env;
	struct kb_cpus cpus;
	const char *value;
	int option;

	while ((option = kb_next_option(command, argc, argv, &value)) >= 0)
		set(&job, option, value);
	kb_no_more(command, argc, argv);
	kb_start_cpus(command, job.cpus, &cpus);
	if (kb_env_read(&env))
		kb_no_memory(command);
	job.count = kb_doctor(&env, job.findings);
	kb_doctor_cpus(&cpus, &job.findings[job.count++]);
	if (job.ns > 0)
		watch_core(&job, &env, &cpus);
	if (job.json)
		kb_print_json(to_json(&job));
	else
		print(&job);
	kb_env_free(&env);
	return job.strict && any_unfit(&job) ? KB_EXIT_UNFIT : KB_EXIT_DONE;
}

const struct kb_command kb_command_doctor = {
	.name = "doctor",
	.arguments = "",
	.summary = "Say whether this machine is fit to measure on, and what to change",
	.text = "It changes nothing. For what is not fit it says why that matters and what to do. For five seconds it watches\n"
		"the CPU that 'kbench run' would measure on: how much of the time somebody else shares its core.\n",
	.options = options,
	.examples = "  kbench doctor\n"
		    "  kbench doctor --time 30s --cpus 1\n"
		    "  kbench doctor --strict && kbench run\n",
	.exits = "  0 done; 2 usage or unwritable output; 3 with --strict: something is unfit\n",
	.main = doctor_main,
};
