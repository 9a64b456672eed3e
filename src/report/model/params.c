/* See params.h. */
#include "report/model/params.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "report/text/columns.h"
#include "report/text/style.h"
#include "result/json/json.h"

/* "48K", "3 GB/s", "1.083": what one number of a unit looks like. */
static void format_number(char *text, size_t room, enum kb_unit unit, double value)
{
	struct kb_text out = kb_text_in(text, room);

	if (unit == KB_UNIT_BYTES)
		kb_text_size(&out, (uint64_t)value);
	else if (unit == KB_UNIT_MHZ || unit == KB_UNIT_RATE)
		snprintf(text, room, "%.2f", unit == KB_UNIT_RATE ? value / 1e9 : value);
	else
		snprintf(text, room, unit == KB_UNIT_COUNT ? "%.0f" : "%.4g", value);
}

/* One number, or the two ends of an interval. */
static void format_value(char *text, size_t room, enum kb_unit unit, const struct kb_inferred_value *value)
{
	static const char *const units[KB_UNITS] = {
		[KB_UNIT_BYTES] = "B", [KB_UNIT_NS] = " ns", [KB_UNIT_MHZ] = " MHz", [KB_UNIT_COUNT] = "", [KB_UNIT_RATE] = " GB/s",
		[KB_UNIT_RATIO] = "",
	};
	char low[32], high[32];

	if (!value->known) {
		snprintf(text, room, "-");
		return;
	}
	format_number(low, sizeof low, unit, value->low);
	format_number(high, sizeof high, unit, value->high);
	if (strcmp(low, high) == 0)
		snprintf(text, room, "%s%s", low, units[unit]);
	else
		snprintf(text, room, "%s .. %s%s", low, high, units[unit]);
}

static void print_one(FILE *out, const struct kb_inferred *inferred, const struct kb_style *style)
{
	char value[80], system[80], line[200];

	format_value(value, sizeof value, inferred->unit, &inferred->value);
	format_value(system, sizeof system, inferred->unit, &inferred->system);
	fprintf(out, "%s\t%s\t%s", inferred->name, value, kb_match_names[inferred->match]);
	if (inferred->system.known)
		fprintf(out, "  (%s by %s)", system, inferred->source);
	fputc('\n', out);
	if (kb_inferred_differ(inferred)) {
		struct kb_text text = kb_text_in(line, sizeof line);

		/* "the system's sources differ: 48KB by sysfs, 32KB by CPUID 4" */
		kb_text_str(&text, "the system's sources differ:");
		for (unsigned i = 0; i < inferred->claim_count; i++) {
			const struct kb_system_claim *claim = &inferred->claims[i];
			struct kb_inferred_value one = { .known = true, .low = claim->value, .high = claim->value };

			format_value(value, sizeof value, inferred->unit, &one);
			kb_text_str(&text, i ? ", " : " ");
			kb_text_str(&text, value);
			kb_text_str(&text, " by ");
			kb_text_str(&text, claim->source);
		}
		kb_print_wrapped(out, style, 4, line);
	}
	if (inferred->why[0])
		kb_print_wrapped(out, style, 4, inferred->why);
	if (style->notes && inferred->confidence[0])
		kb_print_sentence(out, style, 4, "confidence: %s", inferred->confidence);
}

void kb_params_print(FILE *out, const struct kb_params *params, const struct kb_style *style)
{
	struct kb_columns columns = { .align = "lll", .indent = 2 };
	FILE *cells = kb_columns_open(&columns, out);
	const char *last = "";

	for (unsigned i = 0; i < params->count; i++) {
		const struct kb_inferred *inferred = &params->inferred[i];

		if (strcmp(last, inferred->parameter) != 0)
			fprintf(cells, "%s\n", inferred->parameter);
		last = inferred->parameter;
		print_one(cells, inferred, style);
	}
	kb_columns_print(&columns, out);
}

/* ---- the mhz method ---------------------------------------------------------------------------------------- */

void kb_mhz_print(FILE *out, const struct kb_mhz_table *table, const struct kb_style *style)
{
	struct kb_columns times = { .align = "lrrr", .indent = 2 }, lines = { .align = "lrrrr", .indent = 2 };
	FILE *cells;

	if (!table->known)
		return;
	fprintf(out, "\nmhz method: nine expressions, each a whole number of cycles if i is right, at the core clock of %.0f MHz\n", table->mhz);
	cells = kb_columns_open(&times, out);
	fprintf(cells, "expression\tns, smallest\tsecond\tcycles\n");
	for (unsigned j = 0; j < KB_MHZ_EXPRESSIONS; j++)
		fprintf(cells, "%s\t%.4f\t%.4f\t%.0f\n", kb_mhz_expressions[j], table->ns[j], table->again[j], table->i ? table->lines[table->i - 1].cycles[j] : 0);
	kb_columns_print(&times, out);
	cells = kb_columns_open(&lines, out);
	fprintf(cells, "line for i\tperiod, ns\tclock, MHz\tchi2\ti^2 chi2\n");
	for (unsigned i = 1; i <= KB_MHZ_LINES; i++) {
		const struct kb_mhz_fit *line = &table->lines[i - 1];

		if (line->i)
			fprintf(cells, "%u%s\t%.5f\t%.1f\t%.3g\t%.3g\n", i, i == table->i ? ", the best" : "", line->period, 1000 / line->period, line->chi2,
				line->weighted);
	}
	kb_columns_print(&lines, out);
	kb_print_sentence(out, style, 2, "i is the number of cycles of the shortest expression; the line goes through the origin, and the best one has the "
			  "smallest i^2 chi2.");
}

/* ---- JSON ------------------------------------------------------------------------------------------------ */

static json_t *value_to_json(const struct kb_inferred_value *value)
{
	if (!value->known)
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "value", value->value != 0 ? kb_json_real(value->value) : json_null(),
			 "low", kb_json_real(value->low), "high", kb_json_real(value->high));
}

static json_t *inferred_to_json(const struct kb_inferred *inferred)
{
	json_t *system = value_to_json(&inferred->system), *claims = json_array();

	/* What each source reports, so that a difference is not lost in the one that comes first. */
	for (unsigned i = 0; i < inferred->claim_count; i++)
		json_array_append_new(claims, json_pack("{s:s, s:o}", "source", inferred->claims[i].source,
						       "value", kb_json_real(inferred->claims[i].value)));
	if (inferred->system.known) {
		json_object_set_new(system, "source", kb_json_string(inferred->source));
		json_object_set(system, "claims", claims);
	}
	json_decref(claims);
	return json_pack("{s:s, s:s, s:s, s:o, s:s, s:o, s:s, s:o}", "parameter", inferred->parameter, "name", inferred->name,
			 "unit", kb_unit_names[inferred->unit], "inferred", value_to_json(&inferred->value),
			 "confidence", inferred->confidence, "system", system,
			 "match", kb_match_names[inferred->match], "why", kb_json_string(inferred->why));
}

static json_t *curve_to_json(const struct kb_picture *picture, unsigned which)
{
	const struct kb_curve *curve = &picture->curves[which];
	const struct kb_gaps *gaps = &picture->gaps[which];
	json_t *points = json_array(), *missing = json_array(), *marks = json_array();

	for (size_t i = 0; i < curve->count; i++)
		json_array_append_new(points, json_pack("[o, o]", kb_json_real(curve->x[i]), kb_json_real(curve->ns[i])));
	for (unsigned i = 0; i < gaps->count; i++)
		json_array_append_new(missing, kb_json_real(gaps->x[i]));
	for (unsigned i = 0; i < picture->mark_count; i++) {
		const struct kb_mark *mark = &picture->marks[i];

		if (mark->curve < 0 || mark->curve == (int)which)
			json_array_append_new(marks, json_pack("{s:o, s:s}", "x", kb_json_real(mark->x), "label", mark->label));
	}
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "title", picture->title, "label", picture->labels[which], "axis", picture->axis,
			 "points_ns", points, "bytes", picture->rate ? kb_json_real(picture->bytes) : json_null(), "missing", missing,
			 "missing_why", gaps->count ? kb_json_string(gaps->why) : json_null(), "marks", marks);
}

/* A line without a slope is null. */
static json_t *mhz_line_to_json(const struct kb_mhz_fit *line)
{
	json_t *cycles = json_array();

	for (unsigned j = 0; j < KB_MHZ_EXPRESSIONS && line->i; j++)
		json_array_append_new(cycles, kb_json_real(line->cycles[j]));
	return json_pack("{s:o, s:o, s:o, s:o}", "period_ns", line->i ? kb_json_real(line->period) : json_null(), "chi2", line->i ?
			 kb_json_real(line->chi2) : json_null(), "i2_chi2", line->i ? kb_json_real(line->weighted) : json_null(), "cycles", cycles);
}

static json_t *mhz_to_json(const struct kb_mhz_table *table)
{
	json_t *expressions = json_array(), *lines = json_array();

	for (unsigned j = 0; j < KB_MHZ_EXPRESSIONS; j++)
		json_array_append_new(expressions, json_pack("{s:s, s:o, s:o}", "expression", kb_mhz_expressions[j], "ns", kb_json_real(table->ns[j]),
							     "second_ns", table->again[j] > 0 ? kb_json_real(table->again[j]) : json_null()));
	for (unsigned i = 0; i < KB_MHZ_LINES; i++)
		json_array_append_new(lines, mhz_line_to_json(&table->lines[i]));
	return json_pack("{s:o, s:o, s:o, s:i}", "core_mhz", kb_json_real(table->mhz), "expressions", expressions, "lines", lines, "i", (int)table->i);
}

json_t *kb_params_to_json(const struct kb_params *params)
{
	json_t *inferred = json_array(), *curves = json_array();

	for (unsigned i = 0; i < params->count; i++)
		json_array_append_new(inferred, inferred_to_json(&params->inferred[i]));
	for (unsigned i = 0; i < params->picture_count; i++) {
		for (unsigned k = 0; k < params->pictures[i].count; k++)
			json_array_append_new(curves, curve_to_json(&params->pictures[i], k));
	}
	return json_pack("{s:o, s:o, s:o}", "inferred", inferred, "curves", curves, "mhz", params->mhz.known ? mhz_to_json(&params->mhz) :
			 json_null());
}
