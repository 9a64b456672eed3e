/* See commands.h. */
#define _GNU_SOURCE
#include "report/text/commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/text.h"
#include "report/text/columns.h"
#include "report/text/number_format.h"
#include "result/summary/summary.h"

#define MIB 1048576.0
#define NAME_COLUMNS 26         /* a longer name has a line of its own, and is not cut */
#define NAME_NARROW 22          /* the same where lines are short */
#define VERDICT_COLUMNS 13u     /* "inconclusive" and a mark: what the last cell gets before another cell is left out */

static double percent(double ln)
{
	return 100 * expm1(ln);
}

/* "+2.1 % [+1.9, +2.3]" */
static const char *with_percents(char text[KB_NUMBER_ROOM], const struct kb_interval *ln)
{
	snprintf(text, KB_NUMBER_ROOM, "%+.2g %% [%+.2g, %+.2g]", percent(ln->value), percent(ln->low), percent(ln->high));
	return text;
}

/* "1.0200 [1.0180, 1.0220]" */
static const char *as_ratio(char text[KB_NUMBER_ROOM], const struct kb_interval *ln)
{
	snprintf(text, KB_NUMBER_ROOM, "%.4f [%.4f, %.4f]", exp(ln->value), exp(ln->low), exp(ln->high));
	return text;
}

static const char *shown_name(char text[200], const struct kb_timed_command *command, const struct kb_style *style)
{
	kb_visible_copy(text, 200, command->name);
	kb_text_plain(text, style);
	return text;
}

/* ---- the table --------------------------------------------------------------------------------------------- */

static bool any_uncontended(const struct kb_commands *job)
{
	for (size_t i = 0; i < job->count; i++) {
		if (job->rows[i].result.headline == KB_HEADLINE_UNCONTENDED)
			return true;
	}
	return false;
}

static void put_number(FILE *cells, const struct kb_estimate *estimate, double factor, int digits)
{
	char text[KB_NUMBER_ROOM];

	kb_format_number(text, estimate, factor, 1, digits);
	fprintf(cells, "%s\t", text);
}

/* Both ends, for the two sides of the CI may differ much, and the decision goes by the one that is nearer to 1. */
static void put_ratio(FILE *cells, const struct kb_interval *ln)
{
	struct kb_estimate ratio = { exp(ln->value), exp(ln->low), exp(ln->high), true, ln->known };
	char value[KB_NUMBER_ROOM], low[KB_NUMBER_ROOM], high[KB_NUMBER_ROOM];

	if (!ln->known) {
		fputs("-\t", cells);
		return;
	}
	kb_format_interval(value, low, high, &ratio);
	fprintf(cells, "%s [%s, %s]\t", value, low, ratio.high >= 1000 ? ">999" : high);
}

/* The decision, and what the result itself is worth where that is not ok. */
static void put_verdict(FILE *cells, const struct kb_commands *job, size_t index)
{
	enum kb_status status = job->rows[index].result.verdict.status;
	const struct kb_comparison *comparison = &job->comparisons[index];

	if (index == 0)
		fputs(job->count > 1 ? "base" : kb_status_name(status), cells);
	else
		fprintf(cells, "%s%s", kb_decision_name(comparison->decision), comparison->regression ? " !" : "");
	if (status != KB_OK && job->count > 1)
		fprintf(cells, ", %s", kb_status_name(status));
	fputc('\n', cells);
}

static void put_command(FILE *cells, const struct kb_commands *job, size_t index, const struct kb_scale *scale, bool uncontended,
			const struct kb_style *style)
{
	const struct kb_result *result = &job->rows[index].result;
	const struct kb_command_means *means = &job->means[index];
	char text[200];

	fprintf(cells, "%s\t", shown_name(text, &job->commands[index], style));
	put_number(cells, &result->estimate, scale->factor, KB_NUMBER_DIGITS);
	kb_format_percent(text, kb_quality(&result->estimate));
	fprintf(cells, "%s\t", text);
	if (uncontended)
		put_number(cells, &result->observed, scale->factor, KB_NUMBER_DIGITS);
	put_number(cells, &means->time, scale->factor, KB_NUMBER_DIGITS);
	put_number(cells, &means->user, scale->factor, 3);
	put_number(cells, &means->system, scale->factor, 3);
	put_number(cells, &means->memory, 1 / MIB, 3);
	put_number(cells, &(struct kb_estimate){ .value = means->minor.value + means->major.value, .known = means->minor.known }, 1, 3);
	put_number(cells, &means->switches, 1, 3);
	if (index > 0)
		put_ratio(cells, &job->comparisons[index].difference.ln);
	else if (job->count > 1)
		fputs("1\t", cells);
	put_verdict(cells, job, index);
}

/* Cells that the line has no room for; all of them are numbers that are known. */
static void print_left_out(FILE *out, const struct kb_columns *columns, const struct kb_style *style)
{
	static const char *const names[] = { "switches", "faults", "MiB", "system", "user", "mean" };
	char text[100] = "";
	size_t used = 0;

	for (unsigned i = 0; columns->drop[i]; i++) {
		if (columns->width[columns->drop[i] - '0'] == 0)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "", names[i]);
	}
	if (used > 0)
		kb_print_sentence(out, style, 0, "no room in %u columns for: %s; -v prints them", columns->room, text);
}

static void print_table(FILE *out, const struct kb_commands *job, const struct kb_scale *scale, const struct kb_style *style)
{
	bool uncontended = any_uncontended(job);
	/* As many cells as a line has. What is left out first: switches, faults, MiB, system, user, mean; -v has all of them. */
	static const char *const align[] = { "lrrrrrrrrl", "lrrrrrrrrrl", "lrrrrrrrrrrl" };
	unsigned room = style->width ? style->width : KB_WIDTH_USUAL, name = room < KB_WIDTH_USUAL ? NAME_NARROW : NAME_COLUMNS;
	struct kb_columns columns = {
		.align = align[(job->count > 1) + uncontended], .drop = uncontended ? "987654" : "876543",
		.room = room, .first_most = name, .first_wanted = name,
		.first_least = 2 * NAME_COLUMNS + 2, .last_wanted = VERDICT_COLUMNS, .utf8 = style->utf8,
	};
	FILE *cells = kb_columns_open(&columns, out);

	fprintf(cells, "command\t%s %s\t%s95 %%\t%smean\tuser\tsystem\tMiB\tfaults\tswitches\t%sverdict\n", uncontended ? "cost" : "median", scale->unit,
		style->utf8 ? "\u00b1" : "+-", uncontended ? "observed\t" : "", job->count > 1 ? "ratio [95 % CI]\t" : "");
	for (size_t i = 0; i < job->count; i++) {
		put_command(cells, job, i, scale, uncontended, style);
		kb_print_reasons(cells, style, &job->rows[i].result.verdict);
		if (i > 0)
			kb_print_reasons(cells, style, &job->comparisons[i].verdict);
	}
	kb_columns_print(&columns, out);
	print_left_out(out, &columns, style);
}

/* ---- order and clock --------------------------------------------------------------------------------------- */

static void print_effects(FILE *out, const struct kb_commands *job, size_t index, const struct kb_style *style)
{
	const struct kb_turn_effects *effects = &job->effects[index];
	const struct kb_interval *ln = &job->comparisons[index].difference.ln;
	char name[200], base[200], change[KB_NUMBER_ROOM], cycles[KB_NUMBER_ROOM];

	shown_name(name, &job->commands[index], style);
	shown_name(base, &job->commands[0], style);
	if (effects->order_matters)
		kb_print_sentence(out, style, 0, "order: %s over %s is %s where it runs second against where it runs first%s", name, base,
				  with_percents(change, &effects->order), ln->known && fabs(ln->value) <= fabs(effects->order.value) ?
				  "; that is more than they differ: what one leaves behind decides what the other takes" :
				  "; the ratio is the mean of both orders");
	if (effects->first_matters && !effects->order_matters)
		kb_print_sentence(out, style, 0, "order: %s takes %s where it comes first of its block against where it comes later", name,
				  with_percents(change, &effects->first));
	if (effects->clock_explains)
		kb_print_sentence(out, style, 0, "clock: the core's clock was %s alongside %s against %s, and in core cycles the ratio is %s: the "
				  "difference is one of frequency", with_percents(change, &effects->clock), name, base,
				  as_ratio(cycles, &effects->cycles));
}

/* ---- with --verbose ---------------------------------------------------------------------------------------- */

static const char *with_ci(char text[KB_NUMBER_ROOM], const struct kb_estimate *estimate, double factor, const struct kb_style *style)
{
	kb_format_estimate(text, estimate, factor, style->utf8);
	return text;
}

static const char *number_of(char text[KB_NUMBER_ROOM], double value)
{
	kb_format_value(text, value, KB_NUMBER_DIGITS);
	return text;
}

static unsigned failed_runs(const struct kb_timed_command *command, int *status)
{
	unsigned count = 0;

	for (size_t i = 0; i < command->use_count; i++) {
		if (!command->uses[i].status)
			continue;
		*status = command->uses[i].status;
		count++;
	}
	return count;
}

static void print_detail(FILE *out, const struct kb_commands *job, size_t index, const struct kb_scale *scale, const struct kb_style *style)
{
	const struct kb_timed_command *command = &job->commands[index];
	const struct kb_command_means *means = &job->means[index];
	const struct kb_turn_effects *effects = &job->effects[index];
	char name[200], a[KB_NUMBER_ROOM], b[KB_NUMBER_ROOM], c[KB_NUMBER_ROOM], d[KB_NUMBER_ROOM], e[KB_NUMBER_ROOM];
	int status = 0;
	unsigned failed = failed_runs(command, &status);

	fprintf(out, "%s\n", shown_name(name, command, style));
	kb_print_sentence(out, style, 2, "%zu runs in %zu batches: mean %s %s, standard deviation %s, median %s, from %s to %s", command->use_count,
			  command->batches, with_ci(a, &means->time, scale->factor, style), scale->unit,
			  number_of(b, means->deviation * scale->factor), number_of(c, means->median * scale->factor),
			  number_of(d, means->least * scale->factor), number_of(e, means->most * scale->factor));
	kb_print_sentence(out, style, 2, "user %s, system %s %s; peak memory %s MiB", with_ci(a, &means->user, scale->factor, style),
			  with_ci(b, &means->system, scale->factor, style), scale->unit, with_ci(c, &means->memory, 1 / MIB, style));
	kb_print_sentence(out, style, 2, "page faults: minor %s, major %s; context switches %s", with_ci(a, &means->minor, 1, style),
			  with_ci(b, &means->major, 1, style), with_ci(c, &means->switches, 1, style));
	if (failed > 0)
		kb_print_sentence(out, style, 2, "%u runs did not end with exit code 0, the last with %s %d", failed, WIFEXITED(status) ? "exit code" : "signal",
				  WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	if (index == 0)
		return;
	if (effects->order.known)
		kb_print_sentence(out, style, 2, "second against first in a block: %s", with_percents(a, &effects->order));
	if (effects->clock.known)
		kb_print_sentence(out, style, 2, "core clock against the base's: %s; ratio in core cycles %s", with_percents(a, &effects->clock),
				  as_ratio(b, &effects->cycles));
	if (job->comparisons[index].difference.ln.known)
		kb_print_sentence(out, style, 2, "%u pairs of batches; margin %.2g %%, p of slower %.3g, after Holm %.3g; finds %.2g %%", job->comparisons[index].processes,
			  percent(job->comparisons[index].margin), job->comparisons[index].difference.p_slower, job->comparisons[index].p_holm,
			  percent(job->comparisons[index].difference.detectable));
}

/* What is subtracted is more than what is left: its noise is then that of the number. */
static bool is_short(const struct kb_commands *job)
{
	for (size_t i = 0; i < job->count; i++) {
		if (job->commands[i].use_count > 0 && job->means[i].median < job->shell_ns.value)
			return true;
	}
	return false;
}

void kb_commands_print(FILE *out, const struct kb_commands *job, const char *unit, const struct kb_style *style)
{
	const struct kb_result *first = &job->rows[0].result;
	/* What is left of nothing but a shell has no unit of its own. */
	struct kb_scale scale = unit ? kb_scale_by_name(first, unit) : kb_scale_by_size(fmax(job->means[0].time.value, job->shell_ns.value));
	char mean[KB_NUMBER_ROOM], median[KB_NUMBER_ROOM];

	print_table(out, job, &scale, style);
	for (size_t i = 0; i < job->count && job->count > 1; i++)
		print_effects(out, job, i, style);
	if (job->shell_ns.known) {
		kb_print_sentence(out, style, 0, "start-up of the shell, run in turn with the commands and subtracted: median %s, mean %s %s%s",
				  number_of(median, job->shell_median_ns * scale.factor), with_ci(mean, &job->shell_ns, scale.factor, style), scale.unit,
				  is_short(job) ? "; where a command takes less than that, -N or '--' measures it without a shell" : "");
	}
	for (size_t i = 0; i < job->count && style->notes; i++)
		print_detail(out, job, i, &scale, style);
}
