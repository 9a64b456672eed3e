/* See inside.h: what all runs of commands together tell besides their results. */
#define _GNU_SOURCE
#include "workflow/commands/inside.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "measure/measure.h"
#include "result/summary/summary.h"

double kb_command_ns(const struct kb_commands *job, const struct kb_timed_command *command, size_t use)
{
	double shell = job->shell_ns.known ? job->shell_ns.value : 0;

	return fmax((double)command->uses[use].ticks * job->scale - shell, 0);
}

/* ---- means ------------------------------------------------------------------------------------------------- */

enum { TIME, USER, SYSTEM, MEMORY, MINOR, MAJOR, SWITCHES, SERIES };

static double value_of(const struct kb_commands *job, const struct kb_command_use *use, int series)
{
	const double values[SERIES] = {
		[TIME] = (double)use->ticks * job->scale, [USER] = use->user_ns, [SYSTEM] = use->system_ns, [MEMORY] = use->memory_bytes,
		[MINOR] = use->minor, [MAJOR] = use->major, [SWITCHES] = use->voluntary + use->forced,
	};

	return values[series];
}

static struct kb_estimate mean_of(const struct kb_commands *job, const struct kb_timed_command *command, int series, double *scratch)
{
	struct kb_interval mean;

	for (size_t i = 0; i < command->use_count; i++)
		scratch[i] = value_of(job, &command->uses[i], series);
	mean = kb_serial_mean(scratch, command->use_count, KB_SUMMARY_CONFIDENCE);
	return (struct kb_estimate){ mean.value, mean.low, mean.high, command->use_count > 0, mean.known };
}

/* Of independent means: their half-widths add as squares. User and system time of a command that does less than a shell are 0, as is what the
   kernel's clock cannot tell. */
static struct kb_estimate less(struct kb_estimate of, const struct kb_estimate *shell)
{
	double below = hypot(of.value - of.low, shell->high - shell->value), above = hypot(of.high - of.value, shell->value - shell->low);

	of.value = fmax(of.value - shell->value, 0);
	of.low = fmax(of.value - below, 0);
	of.high = of.value + above;
	return of;
}

static void find_spread(const struct kb_commands *job, const struct kb_timed_command *command, struct kb_command_means *means, double *scratch)
{
	size_t n = command->use_count;

	means->memory_most = 0;
	for (size_t i = 0; i < n; i++) {
		scratch[i] = kb_command_ns(job, command, i);
		means->memory_most = fmax(means->memory_most, command->uses[i].memory_bytes);
	}
	if (n == 0)
		return;
	means->deviation = sqrt(kb_variance(scratch, n));
	kb_sort(scratch, n);
	means->median = kb_quantile_sorted(scratch, n, 0.5);
	means->least = scratch[0];
	means->most = scratch[n - 1];
}

static double shell_median(const struct kb_commands *job, double *scratch)
{
	size_t n = job->shell.use_count;

	for (size_t i = 0; i < n; i++)
		scratch[i] = value_of(job, &job->shell.uses[i], TIME);
	kb_sort(scratch, n);
	return n > 0 ? kb_quantile_sorted(scratch, n, 0.5) : 0;
}

static void find_means(struct kb_commands *job, size_t index, const struct kb_estimate shell[SERIES], double *scratch)
{
	const struct kb_timed_command *command = &job->commands[index];
	struct kb_command_means *means = &job->means[index];
	struct kb_estimate *const to[SERIES] = {
		[TIME] = &means->time, [USER] = &means->user, [SYSTEM] = &means->system, [MEMORY] = &means->memory, [MINOR] = &means->minor,
		[MAJOR] = &means->major, [SWITCHES] = &means->switches,
	};

	for (int series = 0; series < SERIES; series++) {
		*to[series] = mean_of(job, command, series, scratch);
		if (series <= SYSTEM && shell[series].known && to[series]->known)
			*to[series] = less(*to[series], &shell[series]);
	}
	find_spread(job, command, means, scratch);
}

/* ---- order and clock --------------------------------------------------------------------------------------- */

/* Of the core that waited for the run: by the longer chain less the shorter one, on both sides of it. */
static double mhz_of(const struct kb_commands *job, const struct kb_command_use *use)
{
	double ticks = 0;

	for (unsigned end = 0; end < 2; end++)
		ticks += (double)use->chain[end][1] - (double)use->chain[end][0];
	return ticks > 0 ? 2e3 * (KB_CLOCK_PROBE_LONG - KB_CLOCK_PROBE_SHORT) / (ticks * job->scale) : 0;
}

static int find_effects(struct kb_commands *job, size_t index, double margin, struct kb_turn *turns)
{
	const struct kb_timed_command *a = &job->commands[0], *b = &job->commands[index];
	size_t count = 0;

	/* Of each block both have one use, or none. The base against itself tells only whether it came first. */
	for (size_t i = 0; i < a->use_count && i < b->use_count; i++) {
		const struct kb_command_use *base = &a->uses[i], *new = &b->uses[i];

		if (base->block == new->block)
			turns[count++] = (struct kb_turn){
				kb_command_ns(job, a, i), kb_command_ns(job, b, i), mhz_of(job, base), mhz_of(job, new), new->place < base->place,
				new->place == 0,
			};
	}
	return kb_turn_effects_find(turns, count, margin, &job->effects[index]);
}

int kb_commands_find_means(struct kb_commands *job, double margin)
{
	struct kb_estimate shell[SERIES] = { { .known = false } };
	size_t most = job->shell.use_count;
	double *scratch;
	struct kb_turn *turns;
	int error = 0;

	for (size_t i = 0; i < job->count; i++)
		most = job->commands[i].use_count > most ? job->commands[i].use_count : most;
	scratch = calloc(most + 1, sizeof *scratch);
	turns = calloc(most + 1, sizeof *turns);
	if (!scratch || !turns)
		error = -ENOMEM;
	for (int series = 0; !error && series <= SYSTEM; series++)
		shell[series] = mean_of(job, &job->shell, series, scratch);
	job->shell_ns = shell[TIME];
	if (!error)
		job->shell_median_ns = shell_median(job, scratch);
	for (size_t i = 0; i < job->count && !error; i++) {
		find_means(job, i, shell, scratch);
		error = find_effects(job, i, margin, turns);
	}
	free(scratch);
	free(turns);
	return error;
}
