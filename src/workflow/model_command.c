/*
 * See model_command.h. What the command asks of the kernel is counted; what each of that costs is measured; what is left
 * of its time is its own computing, and whatever the parts do not know. The command runs before and after its parts are
 * measured, so that both saw the same machine.
 */
#define _GNU_SOURCE
#include "workflow/model_command.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lacking.h"
#include "run/engine.h"
#include "run/process/guardian.h"
#include "run/process/mark.h"
#include "run/process/trust.h"
#include "stats/stats.h"
#include "suite/model/command.h"
#include "syscall_name.h"
#include "workflow/data_files.h"
#include "workflow/machine.h"

/* What the time of a program that does nothing is taken from. */
#define HELLO "kbench-hello-static"

/* Counts and times of one program, by repeat. */
enum { WALL, USER, SYSTEM, CPU, IDLE, MINOR, MAJOR, SWITCHES, SERIES };

struct profile {
	char *const *argv;
	struct kb_command_counts counts;
	double *series[SERIES];
	unsigned repeats;
};

struct job {
	const struct kb_model_command *c;
	struct kb_command_how how;
	struct profile command, hello;
	char hello_path[PATH_MAX];
	char *hello_argv[2];
	size_t row[KB_MODEL_QUANTITIES];
	struct kb_model_rows *rows;
	struct kb_model_account *account;
	double *scratch;                /* room for a value of each repeat */
};

static int cannot(const struct job *job, const char *program, int error, struct kb_failure *failure)
{
	if (error == -ETIME)
		return kb_refuse(failure, KB_EXIT_FAILED, "%.100s: killed after --timeout of %.4g s", program, (double)job->c->limit_ns / 1e9);
	if (error == -EINTR)
		return kb_refuse(failure, KB_EXIT_SIGNAL + kb_run_stop_signal(), "%.100s: stopped", program);
	if (error == -EPERM)
		return kb_refuse(failure, KB_EXIT_FAILED, "%.100s: its system calls cannot be counted, ptrace is refused here", program);
	return kb_refuse(failure, KB_EXIT_USAGE, "cannot run '%.100s': %s", program, kb_start_lack(-error));
}

/* ---- counting and timing --------------------------------------------------------------------------------- */

/* The counting run comes first: a command that cannot run, or cannot be traced, costs no time then. */
static int begin(struct job *job, struct profile *profile, char *const *argv, struct kb_failure *failure)
{
	unsigned room = job->c->repeats;
	int error;

	job->how.argv = profile->argv = argv;
	error = kb_command_count(&job->how, &profile->counts);
	if (error)
		return cannot(job, argv[0], error, failure);
	profile->series[0] = calloc(SERIES * (size_t)room, sizeof *profile->series[0]);
	if (!profile->series[0])
		return kb_refuse_memory(failure);
	for (int i = 1; i < SERIES; i++)
		profile->series[i] = profile->series[i - 1] + room;
	return 0;
}

static int repeat(struct job *job, struct profile *profile, unsigned until, struct kb_failure *failure)
{
	job->how.argv = profile->argv;
	while (profile->repeats < until) {
		struct kb_command_time time;
		unsigned i = profile->repeats++;
		int error = kb_command_measure(&job->how, &time);

		if (error)
			return cannot(job, profile->argv[0], error, failure);
		job->account->exit_differs = job->account->exit_differs || time.status != profile->counts.status;
		profile->series[WALL][i] = (double)time.wall_ns;
		profile->series[USER][i] = (double)time.user_ns;
		profile->series[SYSTEM][i] = (double)time.system_ns;
		profile->series[CPU][i] = profile->series[USER][i] + profile->series[SYSTEM][i];
		profile->series[IDLE][i] = profile->series[WALL][i] - profile->series[CPU][i];
		profile->series[MINOR][i] = (double)time.minor;
		profile->series[MAJOR][i] = (double)time.major;
		profile->series[SWITCHES][i] = (double)time.switches;
	}
	return 0;
}

/* Both programs, half of their repeats or all. What the command starts carries an id, by which it is found when kbench is gone, by
   kill -9 too: a group alone would be left behind, and who leaves the group always would. Processes of its parts have their own
   guardian. */
static int run_programs(struct job *job, bool first, struct kb_failure *failure)
{
	unsigned until = first ? job->c->repeats / 2 : job->c->repeats;
	struct kb_guardian guardian;
	char id[37];
	int error = kb_run_id(id), code = 0;

	error = error ? error : kb_guardian_start(&guardian, id);
	if (error)
		return kb_refuse(failure, KB_EXIT_FAILED, "cannot start the guardian: %s", kb_start_lack(-error));
	kb_mark(id);
	if (first)
		code = begin(job, &job->command, job->c->argv, failure) ?: begin(job, &job->hello, job->hello_argv, failure);
	if (!code)
		code = repeat(job, &job->command, until, failure) ?: repeat(job, &job->hello, until, failure);
	kb_guardian_stop(&guardian);
	return code;
}

static double median(const struct job *job, const struct profile *profile, int series)
{
	return kb_median(profile->series[series], profile->repeats, job->scratch);
}

/* Runs of a program are processes of their own: ranks, as of independent values. */
static struct kb_estimate estimate(const struct job *job, const struct profile *profile, int series)
{
	memcpy(job->scratch, profile->series[series], profile->repeats * sizeof *job->scratch);
	kb_sort(job->scratch, profile->repeats);

	struct kb_interval i = kb_rank_interval(job->scratch, profile->repeats, 0.5, 0.95);

	return (struct kb_estimate){ i.value, i.low, i.high, true, i.known };
}

/* ---- what is to be paid ---------------------------------------------------------------------------------- */

/* Who pays for so many events of a kind; calls are kept by name, too. */
static void charge(struct job *job, const char *event, double count)
{
	struct kb_model_account *account = job->account;
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

/* What each started program does by itself is in what is paid for its start. A count is never below zero: what the command does less of is kept. */
static double net_of(struct job *job, double mine, double each)
{
	double less = (double)job->command.counts.starts * each;

	job->account->excess += fmax(less - mine, 0);
	return fmax(mine - less, 0);
}

/* Calls that make a process or a program are in what is paid for those. */
static void charge_calls(struct job *job)
{
	const struct kb_command_counts *mine = &job->command.counts, *empty = &job->hello.counts;

	for (unsigned i = 0; i < KB_COMMAND_CALLS; i++) {
		const char *known = kb_syscall_name(i);
		char name[40];

		if (known)
			snprintf(name, sizeof name, "%s", known);
		else
			snprintf(name, sizeof name, "call-%u", i);
		if (!kb_list_has("fork,vfork,clone,clone3,execve", name) && (mine->calls[i] > 0 || empty->calls[i] > 0))
			charge(job, name, net_of(job, (double)mine->calls[i], (double)empty->calls[i]));
	}
}

/* A process that became a program is one. */
static void charge_rest(struct job *job)
{
	static const struct { const char *event; int series; } counted[] = {
		{ "@minor", MINOR }, { "@major", MAJOR }, { "@switch", SWITCHES },
	};
	const struct profile *mine = &job->command;
	double starts = (double)mine->counts.starts;

	/* The first start is measured by itself: account.empty. */
	charge(job, "@start", fmax(starts - 1, 0));
	charge(job, "@process", fmax((double)mine->counts.processes - (starts - 1), 0));
	charge(job, "@thread", (double)mine->counts.threads);
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
		charge(job, counted[i].event, net_of(job, median(job, mine, counted[i].series), median(job, &job->hello, counted[i].series)));
}

/* ---- parts ----------------------------------------------------------------------------------------------- */

/* Only what is to be paid is measured. */
static int choose_rows(struct job *job, struct kb_failure *failure)
{
	const struct kb_model *model = job->c->model;
	struct kb_model_error error;
	int result = 0;

	for (unsigned q = 0; q < model->quantity_count && !result; q++) {
		job->row[q] = SIZE_MAX;
		if (job->account->counts[q] != 0)
			result = kb_model_rows_add(job->rows, model, q, 0, &job->row[q], &error);
	}
	/* A command that asks for nothing: a run of no rows would be no run. */
	if (!result && job->rows->count == 0)
		result = kb_model_rows_add(job->rows, model, 0, 0, &job->row[0], &error);
	return kb_refuse_model(model, result, &error, failure);
}

static void take_values(struct job *job)
{
	struct kb_model_account *account = job->account;

	for (unsigned q = 0; q < job->c->model->quantity_count; q++) {
		if (job->row[q] != SIZE_MAX)
			kb_model_rows_value(job->rows, job->row[q], &job->c->model->quantities[q], &account->values[q]);
		/* It came up only in the second half, too late to be measured: it is reported as unpaid. */
		else if (account->counts[q] != 0)
			account->unpaid += account->counts[q], account->counts[q] = 0;
	}
}

/* Twice: a first look says what must be measured, the second is the account. */
static void count_all(struct job *job)
{
	memset(job->account->counts, 0, sizeof job->account->counts);
	job->account->call_count = 0;
	job->account->unpaid = job->account->excess = 0;
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
	struct kb_model_account *account = job->account;

	account->model = job->c->model;
	account->argv = job->c->argv;
	account->status = job->command.counts.status;
	account->repeats = job->command.repeats;
	account->cpu = job->how.cpu;
	account->measured = estimate(job, &job->command, WALL);
	account->user = estimate(job, &job->command, USER);
	account->system = estimate(job, &job->command, SYSTEM);
	account->cpu_time = estimate(job, &job->command, CPU);
	account->idle = estimate(job, &job->command, IDLE);
	account->switches = median(job, &job->command, SWITCHES);
	account->empty = estimate(job, &job->hello, WALL);

	struct kb_estimate parts = kb_model_total(job->c->model, account->values, account->counts);

	account->predicted = together(&account->empty, &parts, 1);
	account->remainder = together(&account->measured, &account->predicted, -1);
}

static int measure(struct job *job, struct kb_workflow *w, struct kb_failure *failure)
{
	static const char *const places[] = { HELLO, "../libexec/kbench/" HELLO };
	char why[KB_TRUST_WHY];
	struct kb_workflow_request request = *job->c->request;

	if (kb_choose_cpus(request.cpus, &request.run.cpus, failure))
		return failure->code;
	/* Beside the collector, in a build directory and when installed. */
	if (kb_trust_own_part(places, 2, job->hello_path, why))
		return kb_refuse(failure, KB_EXIT_USAGE, "%s; or build or install kbench again", why);
	job->hello_argv[0] = job->hello_path;
	job->how = (struct kb_command_how){ .cpu = request.run.cpus.measure, .limit_ns = job->c->limit_ns };
	job->scratch = calloc(job->c->repeats, sizeof *job->scratch);
	if (!job->scratch)
		return kb_refuse_memory(failure);
	if (run_programs(job, true, failure))
		return failure->code;
	count_all(job);
	if (choose_rows(job, failure))
		return failure->code;
	request.rows = job->rows->rows;
	request.row_count = job->rows->count;
	if (kb_workflow_measure(&request, w, failure) || (!kb_run_stop_signal() && run_programs(job, false, failure)))
		return failure->code;
	memset(job->rows->found, true, job->rows->count);
	count_all(job);
	take_values(job);
	settle(job);
	return 0;
}

int kb_model_command_measure(const struct kb_model_command *c, struct kb_model_rows *rows, struct kb_model_account *account,
			     struct kb_workflow *w, struct kb_failure *failure)
{
	struct job *job = calloc(1, sizeof *job);
	int code;

	*w = (struct kb_workflow){ .count = 0 };
	memset(account, 0, sizeof *account);
	if (!job)
		return kb_refuse_memory(failure);
	job->c = c;
	job->rows = rows;
	job->account = account;
	code = measure(job, w, failure);
	free(job->scratch);
	free(job->command.series[0]);
	free(job->hello.series[0]);
	free(job);
	return code;
}
