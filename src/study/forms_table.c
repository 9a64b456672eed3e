/* See forms.h: results put together, and the table as text. */
#include "study/forms.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool kb_form_renamed(const struct kb_result *result)
{
	return result && result->bound == KB_LATENCY && kb_verdict_has(&result->verdict, KB_CODE_dead_code);
}

struct kb_estimate kb_form_cycles(const struct kb_result *result)
{
	bool known = result && result->estimate_cycles.known && !kb_form_renamed(result);

	return known ? result->estimate_cycles : (struct kb_estimate){ .known = false };
}

const char *kb_form_verdict(const struct kb_result *result)
{
	return kb_form_renamed(result) ? "renamed" : kb_status_name(result->verdict.status);
}

const char *kb_form_cell(char text[KB_FORM_CELL], const struct kb_result *result)
{
	struct kb_estimate cycles = kb_form_cycles(result);

	if (kb_form_renamed(result))
		snprintf(text, KB_FORM_CELL, "renamed");
	else if (!cycles.known)
		snprintf(text, KB_FORM_CELL, "-");
	else if (!cycles.bounded)
		snprintf(text, KB_FORM_CELL, "%.3f", cycles.value);
	else
		snprintf(text, KB_FORM_CELL, "%.3f ±%.1f %%", cycles.value, kb_quality(&cycles));
	return text;
}

/* ---- put together -------------------------------------------------------------------------------- */

static double apart(const struct kb_result *result, double known)
{
	struct kb_estimate cycles = kb_form_cycles(result);

	return cycles.known && known > 0 ? fabs(cycles.value / known - 1) : NAN;
}

static void count(struct kb_form_count *count, const struct kb_result *result, double known)
{
	if (!result || !(known > 0) || result->verdict.status == KB_SKIPPED || kb_form_renamed(result))
		return;
	bool ok = result->verdict.status == KB_OK, near = apart(result, known) <= KB_FORMS_CLOSE;

	count->rows++;
	count->ok += ok;
	count->near += near;
	count->both += ok && near;
}

static const char *reason(const struct kb_known *known, const char *what, const char *form, const struct kb_result *result, double value)
{
	if (!(apart(result, value) > KB_FORMS_APART))
		return NULL;
	for (const struct kb_known_reason *at = known->reasons; at; at = at->next)
		if (!strcmp(at->what, what) && !fnmatch(at->pattern, form, 0))
			return at->text;
	return "nobody knows why";
}

/* What listings call the latency of an instruction is the longest between registers, or through its memory; of one that loads into a
   register it is the address's. */
static const struct kb_result *told(const struct kb_form_line *line)
{
	const struct kb_result *longest = NULL;

	for (unsigned i = 0; i < line->latencies; i++) {
		if (line->measure[i]->from == KB_FORM_ADDRESS)
			return line->latency[i];
		if (!longest || kb_form_cycles(line->latency[i]).value > kb_form_cycles(longest).value)
			longest = line->latency[i];
	}
	return longest;
}

static void finish(struct kb_form_table *table, struct kb_form_line *line)
{
	line->known = kb_known_of(table->known, line->form->name);
	line->told = told(line);
	if (!line->known)
		return;
	line->why_latency = reason(table->known, "latency", line->form->name, line->told, line->known->latency);
	line->why_throughput = reason(table->known, "throughput", line->form->name, line->throughput, line->known->throughput);
	count(&table->latency, line->told, line->known->latency);
	count(&table->throughput, line->throughput, line->known->throughput);
}

void kb_form_table_make(struct kb_form_table *table, const struct kb_forms *forms, const struct kb_result *const *results,
			const struct kb_known *known)
{
	struct kb_form_line *line = NULL;

	*table = (struct kb_form_table){ .known = known };
	table->lines = kb_arena_take(forms->arena, (forms->form_count + 1) * sizeof *table->lines);
	for (const struct kb_form *form = forms->forms; form; form = form->next)
		table->lacking += !form->has;
	for (const struct kb_form_measure *measure = forms->measures; measure; measure = measure->next) {
		const struct kb_result *result = results[measure->number];

		if (!result)
			continue;
		if (!line || line->form != measure->form) {
			line = &table->lines[table->count++];
			line->form = measure->form;
		}
		if (!measure->latency) {
			line->throughput = result;
		} else if (line->latencies < KB_FORM_LATENCIES) {
			line->measure[line->latencies] = measure;
			line->latency[line->latencies++] = result;
		}
	}
	for (size_t i = 0; i < table->count; i++)
		finish(table, &table->lines[i]);
}

/* ---- text ---------------------------------------------------------------------------------------- */

const char *kb_form_pair(const struct kb_form_measure *measure)
{
	return strchr(measure->name, ':') + 1;
}

enum kb_status kb_form_worst(const struct kb_form_line *line)
{
	enum kb_status status = line->throughput ? line->throughput->verdict.status : KB_OK;

	for (unsigned i = 0; i < line->latencies; i++)
		if (line->latency[i]->verdict.status > status && !kb_form_renamed(line->latency[i]))
			status = line->latency[i]->verdict.status;
	return status;
}

const char *kb_form_known(char text[KB_FORM_CELL], const struct kb_known_form *known)
{
	char latency[16] = "-", throughput[16] = "-";

	if (known && known->latency > 0)
		snprintf(latency, sizeof latency, "%.4g", known->latency);
	if (known && known->throughput > 0)
		snprintf(throughput, sizeof throughput, "%.4g", known->throughput);
	snprintf(text, KB_FORM_CELL, known ? "%s / %s" : "-", latency, throughput);
	return text;
}

const char *kb_form_reason(const struct kb_result *result)
{
	const struct kb_reason *worst = result->verdict.status == KB_OK || kb_form_renamed(result) ? NULL : kb_verdict_worst(&result->verdict);

	return worst ? kb_reason_words(worst) : NULL;
}

static void print_reason(FILE *out, const char *what, const struct kb_result *result, const struct kb_style *style)
{
	if (result && kb_form_reason(result))
		kb_print_sentence(out, style, 4, "%s %s: %s", what, kb_form_verdict(result), kb_form_reason(result));
}

static void print_line(FILE *out, const struct kb_form_line *line, const struct kb_style *style)
{
	char throughput[KB_FORM_CELL], known[KB_FORM_CELL], latencies[512], cell[KB_FORM_CELL];
	struct kb_text text = kb_text_in(latencies, sizeof latencies);

	for (unsigned i = 0; i < line->latencies; i++) {
		kb_text_str(&text, i ? ", " : "");
		kb_text_str(&text, kb_form_pair(line->measure[i]));
		kb_text_str(&text, " ");
		kb_text_str(&text, kb_form_cell(cell, line->latency[i]));
	}
	if (!line->latencies)
		kb_text_str(&text, "-");
	kb_form_cell(throughput, line->throughput);
	kb_form_known(known, line->known);
	kb_text_plain(latencies, style);
	kb_text_plain(throughput, style);
	fprintf(out, "%-24s %-16s %-14s %-11s %s\n", line->form->name, throughput, known, kb_status_name(kb_form_worst(line)), latencies);
	for (unsigned i = 0; i < line->latencies; i++)
		print_reason(out, kb_form_pair(line->measure[i]), line->latency[i], style);
	print_reason(out, "throughput", line->throughput, style);
	if (line->why_latency)
		kb_print_sentence(out, style, 4, "documented latency %.4g: %s", line->known->latency, line->why_latency);
	if (line->why_throughput)
		kb_print_sentence(out, style, 4, "documented throughput %.4g: %s", line->known->throughput, line->why_throughput);
}

static void print_count(FILE *out, const char *what, const struct kb_form_count *count)
{
	if (count->rows)
		fprintf(out, "%u documented %s%s: %u ok, %u within 1 %%, %u both (%.1f %%)\n", count->rows, what, count->rows == 1 ? "" : "s",
			count->ok, count->near, count->both, 100.0 * count->both / count->rows);
}

void kb_form_table_print(FILE *out, const struct kb_form_table *table, const struct kb_style *style)
{
	fprintf(out, "%-24s %-16s %-14s %-11s %s\n", "core cycles, ±95 % CI", "throughput", "documented", "verdict",
		"latency from operand to operand (a: address)");
	for (size_t i = 0; i < table->count; i++)
		print_line(out, &table->lines[i], style);
	fprintf(out, "%zu form%s", table->count, table->count == 1 ? "" : "s");
	if (table->lacking)
		fprintf(out, "; %zu more need what this processor does not have", table->lacking);
	fprintf(out, "\n");
	print_count(out, "latency value", &table->latency);
	print_count(out, "throughput value", &table->throughput);
	if (table->known->core)
		kb_print_sentence(out, style, 0, "documented (%s): %s", table->known->core, table->known->source);
	else
		fprintf(out, "of this processor nothing is documented here\n");
}
