/*
 * See model_command.h. What the command asks of the kernel is counted; what each of that costs is measured; what is left
 * of its time is its own computing, and whatever the parts do not know. The command runs before and after its parts are
 * measured, so that both saw the same machine.
 */
#define _GNU_SOURCE
#include "cli/model_command.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/print.h"
#include "cli/stamp.h"
#include "cli/start.h"
#include "report/text/model_command.h"
#include "result/json/json.h"
#include "run/engine.h"
#include "run/process/guardian.h"
#include "stats/stats.h"
#include "suite/model/command.h"
#include "syscall_name.h"

/* What the time of a program that does nothing is taken from. */
#define HELLO "kbench-hello-static"

/* Counts and times of one program. */
struct profile {
	struct kb_command_counts counts;
	double *wall, *user, *system, *minor, *major, *switches; /* by repeat */
	unsigned repeats;
};

struct job {
	const struct kb_model_command *c;
	struct kb_command_how how;
	struct profile command, hello;
	char hello_path[PATH_MAX];
	size_t row[KB_MODEL_QUANTITIES];
	struct kb_guardian guardian;    /* while the command runs; launches of its parts have their own */
	struct kb_model_rows rows;
	struct kb_model_account account;
};

static _Noreturn void cannot(const struct job *job, const char *program, int error)
{
	const struct kb_command *command = job->c->command;

	if (error == -ETIME)
		kb_die(command, KB_EXIT_FAILED, "%.100s: killed after --limit of %.4g s", program, (double)job->c->limit_ns / 1e9);
	if (error == -EINTR)
		kb_die(command, KB_EXIT_SIGNAL + kb_run_stop_signal(), "%.100s: stopped", program);
	if (error == -EPERM)
		kb_die(command, KB_EXIT_FAILED, "%.100s: its system calls cannot be counted, ptrace is refused here", program);
	kb_die(command, KB_EXIT_USAGE, "cannot run '%.100s': %s", program, strerror(-error));
}

/* ---- counting and timing --------------------------------------------------------------------------------- */

/* What the command starts carries an id, by which it is found when kbench is gone, by kill -9 too: a group alone would be left
   behind, and who leaves the group always would. */
static void watch(struct job *job)
{
	char id[37];
	int error = kb_stamp_id(id);

	error = error ? error : kb_guardian_start(&job->guardian, id);
	if (error || setenv("KBENCH_RUN", id, 1))
		kb_die(job->c->command, KB_EXIT_FAILED, "cannot start the guardian: %s", strerror(error ? -error : errno));
}

/* The counting run comes first: a command that cannot run, or cannot be traced, costs no time then. */
static void begin(struct job *job, struct profile *profile, char *const *argv)
{
	unsigned room = job->c->repeats;
	int error;

	job->how.argv = argv;
	error = kb_command_count(&job->how, &profile->counts);
	if (error)
		cannot(job, argv[0], error);
	profile->wall = calloc(6 * (size_t)room, sizeof *profile->wall);
	if (!profile->wall)
		kb_no_memory(job->c->command);
	profile->user = profile->wall + room;
	profile->system = profile->user + room;
	profile->minor = profile->system + room;
	profile->major = profile->minor + room;
	profile->switches = profile->major + room;
}

static void repeat(struct job *job, struct profile *profile, char *const *argv, unsigned until)
{
	job->how.argv = argv;
	while (profile->repeats < until) {
		struct kb_command_time time;
		unsigned i = profile->repeats++;
		int error = kb_command_measure(&job->how, &time);

		if (error)
			cannot(job, argv[0], error);
		job->account.exit_differs = job->account.exit_differs || time.status != profile->counts.status;
		profile->wall[i] = (double)time.wall_ns;
		profile->user[i] = (double)time.user_ns;
		profile->system[i] = (double)time.system_ns;
		profile->minor[i] = (double)time.minor;
		profile->major[i] = (double)time.major;
		profile->switches[i] = (double)time.switches;
	}
}

static double median(const struct job *job, const double *x, unsigned n)
{
	double *scratch = malloc(n * sizeof *scratch);

	if (!scratch)
		kb_no_memory(job->c->command);

	double value = kb_median(x, n, scratch);

	free(scratch);
	return value;
}

/* Runs of a program are processes of their own, like launches: ranks, as of independent values. */
static struct kb_estimate median_of(const struct job *job, const double *x, unsigned n)
{
	double *sorted = malloc(n * sizeof *sorted);

	if (!sorted)
		kb_no_memory(job->c->command);
	memcpy(sorted, x, n * sizeof *sorted);
	kb_sort(sorted, n);

	struct kb_interval i = kb_rank_interval(sorted, n, 0.5, 0.95);

	free(sorted);
	return (struct kb_estimate){ i.value, i.low, i.high, true, i.known };
}

/* Beside the collector, in a build folder and when installed. */
static void find_hello(struct job *job)
{
	static const char *const places[] = { HELLO, "../libexec/kbench/" HELLO };
	char why[KB_TRUST_WHY];

	if (kb_trust_own_part(places, 2, job->hello_path, why))
		kb_die(job->c->command, KB_EXIT_USAGE, "%s; or build or install kbench again", why);
}

/* ---- what is to be paid ---------------------------------------------------------------------------------- */

/* Who pays for so many events of a kind; calls are kept by name, too. */
static void charge(struct job *job, const char *event, double count)
{
	struct kb_model_account *account = &job->account;
	int part = kb_model_pays(job->c->model, event);

	if (part >= 0)
		account->counts[part] += count;
	else
		account->unpaid += count;
	if (event[0] != '@' && count > 0 && account->call_count < KB_MODEL_CALLS) {
		struct kb_model_call *call = &account->calls[account->call_count++];

		snprintf(call->name, sizeof call->name, "%.31s", event);
		call->count = count;
		call->part = part;
	}
}

/* Calls that make a process or a program are in what is paid for those. */
static bool inside(const char *name)
{
	static const char *const names[] = { "fork", "vfork", "clone", "clone3", "execve" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

/* The command's own calls, and less those that each started program makes anyway. */
static void charge_calls(struct job *job)
{
	const struct kb_command_counts *mine = &job->command.counts, *empty = &job->hello.counts;

	for (unsigned i = 0; i < KB_COMMAND_CALLS; i++) {
		double less = (double)mine->starts * (double)empty->calls[i];
		const char *known = kb_syscall_name(i);
		char name[40];

		if (known)
			snprintf(name, sizeof name, "%s", known);
		else
			snprintf(name, sizeof name, "call-%u", i);
		if (inside(name) || (mine->calls[i] == 0 && less == 0))
			continue;
		charge(job, name, (double)mine->calls[i]);
		/* Not as a call of its own. */
		int part = kb_model_pays(job->c->model, name);

		if (part >= 0)
			job->account.counts[part] -= less;
	}
}

/* What each started program does by itself is in what is paid for its start. A process that became a program is one. */
static void charge_rest(struct job *job)
{
	const struct profile *mine = &job->command, *empty = &job->hello;
	double starts = (double)mine->counts.starts;
	unsigned n = mine->repeats, m = empty->repeats;

	/* The first start is measured by itself: account.empty. */
	charge(job, "@start", starts - 1);
	charge(job, "@process", (double)mine->counts.processes - (starts - 1));
	charge(job, "@thread", (double)mine->counts.threads);
	charge(job, "@minor", median(job, mine->minor, n) - starts * median(job, empty->minor, m));
	charge(job, "@major", median(job, mine->major, n) - starts * median(job, empty->major, m));
	charge(job, "@switch", median(job, mine->switches, n) - starts * median(job, empty->switches, m));
}

/* ---- parts ----------------------------------------------------------------------------------------------- */

/* Only what is to be paid is measured. */
static void choose_rows(struct job *job)
{
	for (unsigned q = 0; q < job->c->model->quantity_count; q++) {
		job->row[q] = SIZE_MAX;
		if (job->account.counts[q] != 0)
			job->row[q] = kb_model_rows_add(job->c->command, &job->rows, job->c->model, q, 0);
	}
	/* A command that asks for nothing: a run of no rows would be no run. */
	if (job->rows.count == 0)
		job->row[0] = kb_model_rows_add(job->c->command, &job->rows, job->c->model, 0, 0);
}

static void take_values(struct job *job)
{
	struct kb_model_account *account = &job->account;

	for (unsigned q = 0; q < job->c->model->quantity_count; q++) {
		if (job->row[q] != SIZE_MAX)
			kb_model_rows_value(&job->rows, job->row[q], job->c->model->quantities[q].kind, &account->values[q]);
		/* It came up only in the second half: too late to be measured, and said as what nobody pays for. */
		else if (account->counts[q] != 0)
			account->unpaid += account->counts[q], account->counts[q] = 0;
	}
}

/* Twice: a first look says what must be measured, the second is the account. */
static void count_all(struct job *job)
{
	memset(job->account.counts, 0, sizeof job->account.counts);
	job->account.call_count = 0;
	job->account.unpaid = 0;
	charge_calls(job);
	charge_rest(job);
}

/* a + sign x b of independent estimates: the distances to the ends are added as squares. */
static struct kb_estimate together(const struct kb_estimate *a, const struct kb_estimate *b, int sign)
{
	struct kb_estimate r = { .value = a->value + sign * b->value, .known = a->known && b->known };
	double b_up = sign > 0 ? b->high - b->value : b->value - b->low, b_down = sign > 0 ? b->value - b->low : b->high - b->value;

	if (a->bounded && b->bounded) {
		r.low = r.value - hypot(a->value - a->low, b_down);
		r.high = r.value + hypot(a->high - a->value, b_up);
		r.bounded = r.known;
	}
	return r;
}

/* predicted = start + parts; remainder = measured - predicted, never clamped. */
static void settle(struct job *job)
{
	struct kb_model_account *account = &job->account;

	account->model = job->c->model;
	account->argv = job->c->argv;
	account->status = job->command.counts.status;
	account->repeats = job->command.repeats;
	account->cpu = job->how.cpu;
	account->measured = median_of(job, job->command.wall, job->command.repeats);
	account->user = median_of(job, job->command.user, job->command.repeats);
	account->system = median_of(job, job->command.system, job->command.repeats);
	account->empty = median_of(job, job->hello.wall, job->hello.repeats);

	struct kb_estimate parts = kb_model_total(job->c->model, account->values, account->counts);

	account->predicted = together(&account->empty, &parts, 1);
	account->remainder = together(&account->measured, &account->predicted, -1);
}

static void print(const struct job *job)
{
	struct kb_look look = kb_look_here(job->c->verbose);

	kb_print_heading(job->rows.started, job->rows.env);
	kb_account_print(stdout, &job->account, &look);
	printf("%s; %s estimates of parts\n", job->rows.where, job->rows.observed ? "observed" : "headline");
	printf("%s is the larger half-width of the 95 %% CI\n", look.utf8 ? "\u00b1" : "+-");
}

static void print_document(const struct job *job)
{
	kb_print_json(json_pack("{s:s, s:O, s:O, s:s, s:o}", "schema", KB_MODEL_SCHEMA, "run", job->rows.run, "env", job->rows.env,
				"estimate", job->rows.observed ? "observed" : "headline", "command", kb_account_to_json(&job->account)));
}

int kb_model_command_run(const struct kb_model_command *c, int argc, char **argv)
{
	struct job *job = calloc(1, sizeof *job);
	struct kb_cpus cpus;
	int code;

	if (!job)
		kb_no_memory(c->command);
	job->c = c;
	job->rows.observed = c->observed;
	kb_start_cpus(c->command, c->options->cpus, &cpus);
	job->how = (struct kb_command_how){ .cpu = cpus.measure, .limit_ns = c->limit_ns };
	find_hello(job);

	char *const hello[] = { job->hello_path, NULL };

	watch(job);
	begin(job, &job->command, c->argv);
	begin(job, &job->hello, hello);
	repeat(job, &job->command, c->argv, c->repeats / 2);
	repeat(job, &job->hello, hello, c->repeats / 2);
	kb_guardian_stop(&job->guardian);
	count_all(job);
	choose_rows(job);
	kb_model_rows_measure(c->command, &job->rows, c->options, argc, argv);
	if (!kb_run_stop_signal()) {
		watch(job);
		repeat(job, &job->command, c->argv, c->repeats);
		repeat(job, &job->hello, hello, c->repeats);
		kb_guardian_stop(&job->guardian);
	}
	count_all(job);
	take_values(job);
	settle(job);
	if (c->json)
		print_document(job);
	else
		print(job);
	code = job->rows.code;
	free(job->command.wall);
	free(job->hello.wall);
	kb_model_rows_free(&job->rows);
	free(job);
	return code;
}
