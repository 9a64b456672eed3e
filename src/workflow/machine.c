/* See machine.h. */
#define _GNU_SOURCE
#include "workflow/machine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "env/cpulist.h"
#include "env/doctor.h"
#include "env/event_names.h"
#include "io.h"
#include "places.h"
#include "result/json/json.h"
#include "run/backend/backend.h"
#include "run/backend/sel4.h"
#include "run/process/describe.h"
#include "run/run.h"
#include "workflow/floor.h"

uint64_t kb_random_seed(void)
{
	uint32_t seed;

	/* Any number will do where the kernel has none: the seed is printed and stored. */
	return getrandom(&seed, sizeof seed, 0) == sizeof seed ? seed : 1;
}

/* "0-3,6" */
static void name_allowed(struct kb_text *text)
{
	unsigned cpus[KB_CPULIST_MAX], count = kb_cpus_list(NULL, cpus, KB_CPULIST_MAX);

	for (unsigned i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && cpus[next] == cpus[next - 1] + 1;)
			next++;
		kb_text_str(text, i > 0 ? "," : "");
		kb_text_u64(text, cpus[i]);
		kb_text_str(text, next > i + 1 ? "-" : "");
		if (next > i + 1)
			kb_text_u64(text, cpus[next - 1]);
	}
}

int kb_choose_cpus(const char *list, struct kb_cpus *cpus, struct kb_failure *failure)
{
	char allowed[200];
	struct kb_text text = kb_text_in(allowed, sizeof allowed);

	switch (kb_cpus_choose(list, cpus)) {
	case 0:
		return 0;
	case -EINVAL:
		return kb_refuse_typed(failure, "--cpus '%.40s': not a list such as 0,2-3", list ? list : "");
	case -ENODEV:
		name_allowed(&text);
		return kb_refuse_typed(failure, "--cpus %.40s: not in the affinity mask (allowed: %s)", list ? list : "", allowed);
	default:
		return kb_refuse(failure, KB_EXIT_USAGE, "cannot find out which CPUs there are");
	}
}

int kb_find_collector(char path[PATH_MAX], struct kb_failure *failure)
{
	char directory[KB_EXE_DIRECTORY_MAX], why[KB_TRUST_WHY];
	int error = kb_collector_ours(path, why);

	kb_exe_directory(directory);
	if (!directory[0])
		return kb_refuse(failure, KB_EXIT_USAGE, "where kbench itself lies is not known: /proc/self/exe cannot be read; mount /proc");
	if (error == -ENOENT)
		return kb_refuse(failure, KB_EXIT_USAGE, "no collector in %s or %s/../libexec/kbench; build or install kbench again", directory,
				 directory);
	return error ? kb_refuse(failure, KB_EXIT_USAGE, "%s", why) : 0;
}

/* Its code runs in the collector alone, also that of constructors. */
int kb_load_plugin(const char *path, uint64_t limit_ns, char real[PATH_MAX], struct kb_bench *bench, struct kb_failure *failure)
{
	struct kb_described found;
	char collector[PATH_MAX], why[KB_TRUST_WHY], error[256];
	int code;

	if (kb_trust(path, KB_TRUST_OWNER, real, why))
		return kb_refuse(failure, KB_EXIT_USAGE, "plug-in %s", why);
	if ((code = kb_find_collector(collector, failure)) != 0)
		return code;
	code = kb_describe_plugin(collector, real, limit_ns, &found, error);
	if (code)
		return kb_refuse(failure, KB_EXIT_USAGE, "%s%s", error,
				 code == -ETIME && limit_ns != KB_DESCRIBE_NS ? " (--timeout allows more)" : "");
	*bench = found.bench;
	return 0;
}

/* An unfit machine is measured all the same: the numbers carry their verdicts, and a script has the exit code. */
int kb_read_environment(bool strict, const struct kb_notes *notes, json_t **json, bool *unfit, struct kb_failure *failure)
{
	struct kb_finding findings[KB_FINDINGS_MAX];
	char ids[200] = "";
	struct kb_text text = kb_text_in(ids, sizeof ids);
	struct kb_env env;

	if (kb_env_read(&env))
		return kb_refuse_memory(failure);
	*json = kb_env_to_json(&env);

	size_t count = strict ? kb_doctor(&env, findings) : 0;

	for (size_t i = 0; i < count; i++) {
		if (findings[i].fitness != KB_UNFIT)
			continue;
		kb_text_str(&text, text.used ? ", " : "");
		kb_text_str(&text, findings[i].id);
	}
	kb_env_free(&env);
	*unfit = text.used > 0;
	if (*unfit)
		kb_note(notes, "unfit environment: %s (see 'kbench doctor'); measuring all the same", ids);
	return 0;
}

void kb_note_sel4(json_t *env)
{
	static const char *const facts[][2] = { { "kernel", "sel4_kernel" }, { "config", "config" }, { "text", "text" } };
	char value[80];

	for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
		if (kb_sel4_fact(kb_sel4_device(), facts[i][0], value, sizeof value))
			json_object_set_new(json_object_get(env, "readings"), facts[i][1], kb_json_string(value));
	}
}

/* Tried at once: an event that cannot be counted would be missing in every row, without a reason. */
int kb_add_event(const char *name, struct kb_run_options *run, struct kb_failure *failure)
{
	struct kb_event_code *code = &run->events[run->event_count];
	char why[120];
	int error;

	if (run->event_count == KB_EVENTS_MAX)
		return kb_refuse_typed(failure, "--event '%.60s': more than %d events", name, KB_EVENTS_MAX);
	for (unsigned i = 0; i < run->event_count; i++) {
		if (strcmp(run->events[i].name, name) == 0)
			return kb_refuse_typed(failure, "--event '%.60s': asked for twice", name);
	}
	if (kb_event_find(name, code, why))
		return kb_refuse_typed(failure, "--event '%.60s': %s", name, why);
	error = kb_event_try(code);
	if (error)
		return kb_refuse(failure, KB_EXIT_USAGE, "--event '%.60s': cannot be counted here: %s (see 'kbench doctor')", name,
				 strerror(-error));
	run->event_count++;
	return 0;
}

char *kb_command_line(const char *program, int argc, char **argv)
{
	/* What composed code of Yamba programs is made with, and no row is called by. */
	const char *yamba = getenv("KBENCH_YAMBA");
	/* A byte takes four at most, as an escape. */
	size_t room = sizeof "KBENCH_YAMBA= " + 4 * strlen(yamba ? yamba : "") + 4 * strlen(program) + 6;

	for (int i = 0; i < argc; i++)
		room += 4 * strlen(argv[i]) + 3;

	char *line = malloc(room);
	struct kb_text text = kb_text_in(line, line ? room : 0);

	if (line && yamba && yamba[0]) {
		kb_text_str(&text, "KBENCH_YAMBA=");
		kb_text_quoted(&text, yamba);
		kb_text_str(&text, " ");
	}
	kb_text_quoted(&text, program);
	for (int i = 0; line && i < argc; i++) {
		kb_text_str(&text, " ");
		kb_text_quoted(&text, argv[i]);
	}
	return line;
}

static void ignore(int number)
{
	(void)number;
}

#define ONE_REQUEST_NS (200 * KB_MS)

static uint64_t stopped_ns;     /* when the first signal came; 0: none has */

/* `timeout` sends its signal to the program and then to its group, which is one request: what comes that soon is no second one. */
static void stop(int number)
{
	uint64_t now_ns = kb_monotonic_ns();

	kb_run_stop(number);
	stopped_ns = stopped_ns ?: now_ns;
	if (now_ns - stopped_ns < ONE_REQUEST_NS)
		return;
	signal(number, SIG_DFL);
	raise(number); /* delivered when this handler returns */
}

/* Ctrl-C ends the run without the process in flight, a second one at once. A handler for SIGPIPE, not SIG_IGN, which
   collectors would inherit: a closed pipe must not end the run before everything is saved. */
void kb_catch_signals(void)
{
	static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = stop, .sa_flags = SA_RESTART }, old;

	stopped_ns = 0; /* a program may measure again after it was interrupted */
	for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++)
		sigaddset(&action.sa_mask, stops[i]);
	for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
		/* nohup, or the background of a script, ignores it on purpose. */
		if (sigaction(stops[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(stops[i], &action, NULL);
	}
	action = (struct sigaction){ .sa_handler = ignore, .sa_flags = SA_RESTART };
	sigaction(SIGPIPE, &action, NULL);
}

/* Two runs in one millisecond differ by their 74 random bits, and only their order is then left to chance. */
int kb_run_id(char id[37])
{
	struct timespec now;
	unsigned char b[16];

	if (clock_gettime(CLOCK_REALTIME, &now))
		return -errno;
	if (getrandom(b, sizeof b, 0) != sizeof b)
		return -EIO;

	uint64_t ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;

	for (int i = 0; i < 6; i++)
		b[i] = (unsigned char)(ms >> (40 - 8 * i));
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x70);   /* version 7 */
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);   /* variant 10 */
	snprintf(id, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3],
		 b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
	return 0;
}

#define FIRST_DATE (-62135596800)       /* 0001-01-01T00:00:00Z, and the last second of 9999 */
#define LAST_DATE 253402300799

void kb_date_ago(uint64_t seconds, char text[21])
{
	time_t then = time(NULL) - (time_t)seconds;
	struct tm fields;

	/* Dates are compared as texts: a clock that stands beyond four digits must not make them longer. */
	then = then < FIRST_DATE ? FIRST_DATE : then > LAST_DATE ? LAST_DATE : then;
	gmtime_r(&then, &fields);
	strftime(text, 21, "%Y-%m-%dT%H:%M:%SZ", &fields);
}

void kb_date_now(char text[21])
{
	kb_date_ago(0, text);
}

double kb_seconds_of_date(const char *date)
{
	struct tm fields = { 0 };

	if (!date || sscanf(date, "%4d-%2d-%2dT%2d:%2d:%2d", &fields.tm_year, &fields.tm_mon, &fields.tm_mday, &fields.tm_hour,
			    &fields.tm_min, &fields.tm_sec) != 6)
		return -1;
	fields.tm_year -= 1900;
	fields.tm_mon--;
	return (double)timegm(&fields);
}

/* ---- fitness ----------------------------------------------------------------------------------------------- */

/* As `run` would measure: the same CPU, the same clock, the same K. */
static void watch_core(const struct kb_env *env, const struct kb_cpus *cpus, uint64_t ns, const struct kb_notes *notes, struct kb_checkup *checkup)
{
	json_t *facts = kb_env_to_json(env);
	struct kb_run_options run = { .cpus = *cpus };

	kb_floor_start(facts, NULL, &run);
	json_decref(facts);
	int error = run.emulated ? 0 : kb_sharing_here(&run, ns, &checkup->sharing);

	if (error)
		kb_note(notes, "the core cannot be watched: %s", strerror(-error));
	checkup->measured = !run.emulated && !error;
	if (!error)
		kb_sharing_judge(checkup->measured ? &checkup->sharing : NULL, &checkup->findings[checkup->count++]);
}

int kb_check_machine(const char *list, uint64_t ns, const struct kb_notes *notes, struct kb_checkup *checkup, struct kb_failure *failure)
{
	struct kb_env env;
	struct kb_cpus cpus;

	*checkup = (struct kb_checkup){ .count = 0 };
	if (kb_choose_cpus(list, &cpus, failure))
		return failure->code;
	if (kb_env_read(&env))
		return kb_refuse_memory(failure);
	checkup->count = kb_doctor(&env, checkup->findings);
	kb_doctor_cpus(&cpus, &checkup->findings[checkup->count++]);
	if (ns > 0)
		watch_core(&env, &cpus, ns, notes, checkup);
	kb_env_free(&env);
	for (size_t i = 0; i < checkup->count; i++)
		checkup->unfit = checkup->unfit || checkup->findings[i].fitness == KB_UNFIT;
	return 0;
}
