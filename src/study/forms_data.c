/* See forms.h: the table as kbench-instructions/1, as lines of CSV, and as a page. */
#include "study/forms.h"

#include <math.h>
#include <string.h>

#include "result/json/json.h"

/* ---- JSON ---------------------------------------------------------------------------------------- */

static json_t *value_json(const struct kb_result *result)
{
	struct kb_estimate cycles = kb_form_cycles(result);

	return json_pack("{s:o, s:s, s:s?}", "cycles", cycles.known ? kb_json_estimate(&cycles) : json_null(), "verdict", kb_form_verdict(result),
			 "reason", kb_form_reason(result));
}

static json_t *latencies_json(const struct kb_form_line *line)
{
	json_t *all = json_array();

	for (unsigned i = 0; i < line->latencies; i++) {
		const struct kb_form_measure *measure = line->measure[i];
		json_t *one = value_json(line->latency[i]);

		json_object_set_new(one, "from", measure->from == KB_FORM_ADDRESS ? json_string("address") : json_integer(measure->from));
		json_object_set_new(one, "to", json_integer(measure->to));
		json_array_append_new(all, one);
	}
	return all;
}

static json_t *real_or_null(double value)
{
	return value > 0 ? kb_json_real(value) : json_null();
}

static json_t *line_json(const struct kb_form_line *line)
{
	json_t *operands = json_array(), *one;

	for (unsigned i = 0; i < line->form->count; i++)
		json_array_append_new(operands, json_string(line->form->operand[i].kind->name));
	one = json_pack("{s:s, s:s, s:o, s:o, s:o}", "form", line->form->name, "mnemonic", line->form->mnemonic, "operands", operands, "latency",
			latencies_json(line), "throughput", line->throughput ? value_json(line->throughput) : json_null());
	if (line->known)
		json_object_set_new(one, "documented", json_pack("{s:o, s:o}", "latency", real_or_null(line->known->latency), "throughput",
								 real_or_null(line->known->throughput)));
	if (line->why_latency || line->why_throughput)
		json_object_set_new(one, "differs", json_pack("{s:s?, s:s?}", "latency", line->why_latency, "throughput", line->why_throughput));
	return one;
}

static json_t *count_json(const struct kb_form_count *count)
{
	return json_pack("{s:i, s:i, s:i, s:i}", "values", count->rows, "ok", count->ok, "within_1_percent", count->near, "both", count->both);
}

json_t *kb_form_table_json(const struct kb_form_table *table)
{
	json_t *forms = json_array();

	for (size_t i = 0; i < table->count; i++)
		json_array_append_new(forms, line_json(&table->lines[i]));
	return json_pack("{s:s, s:s?, s:s, s:i, s:o, s:o, s:o}", "unit", "core cycles", "core", table->known->core, "source", table->known->source,
			 "lacking", (int)table->lacking, "latencies", count_json(&table->latency), "throughputs", count_json(&table->throughput),
			 "forms", forms);
}

/* ---- CSV ----------------------------------------------------------------------------------------- */

static void put_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++)
		fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
	fputc('"', out);
}

static void put_number(FILE *out, bool known, double value)
{
	if (known)
		fprintf(out, ",%.5g", value);
	else
		fputc(',', out);
}

static void put_value(FILE *out, const struct kb_form_line *line, const char *what, const struct kb_result *result, double known, const char *why)
{
	struct kb_estimate cycles = kb_form_cycles(result);

	fprintf(out, "%s,%s", line->form->name, what);
	put_number(out, cycles.known, cycles.value);
	put_number(out, cycles.known && cycles.bounded, cycles.low);
	put_number(out, cycles.known && cycles.bounded, cycles.high);
	fprintf(out, ",%s", kb_form_verdict(result));
	put_number(out, known > 0, known);
	fputc(',', out);
	if (why)
		put_quoted(out, why);
	fputc('\n', out);
}

void kb_form_table_csv(FILE *out, const struct kb_form_table *table)
{
	fprintf(out, "form,measure,cycles,low,high,verdict,documented,why_it_differs\n");
	for (size_t i = 0; i < table->count; i++) {
		const struct kb_form_line *line = &table->lines[i];

		for (unsigned k = 0; k < line->latencies; k++) {
			bool told = line->latency[k] == line->told;

			put_value(out, line, kb_form_pair(line->measure[k]), line->latency[k], told && line->known ? line->known->latency : NAN,
				  told ? line->why_latency : NULL);
		}
		if (line->throughput)
			put_value(out, line, "throughput", line->throughput, line->known ? line->known->throughput : NAN, line->why_throughput);
	}
}

/* ---- the page ------------------------------------------------------------------------------------ */

static const char head[] =
	"<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<title>What instructions cost</title>\n<style>\n"
	":root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif }\n"
	"body { max-width: 76rem; margin: 2rem auto; padding: 0 1rem }\n"
	"input { font: inherit; padding: .3rem .6rem; width: 22rem; max-width: 100% }\n"
	"table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }\n"
	"th { position: sticky; top: 0; background: Canvas; text-align: left; border-bottom: 2px solid }\n"
	"td, th { padding: .2rem .7rem .2rem 0; vertical-align: top }\n"
	"tr { border-bottom: 1px solid #8884 }\n"
	"td:first-child { font-family: ui-monospace, monospace; white-space: nowrap }\n"
	"td.why { color: #a60; padding-left: 2rem }\n.noisy { color: #a60 }\n.invalid { color: #c22 }\n"
	"</style>\n<h1>What instructions cost</h1>\n";

static const char script[] =
	"<script>\nconst field = document.querySelector('input'), count = document.querySelector('output');\n"
	"function show() {\n"
	"  const words = field.value.toLowerCase().split(/\\s+/);\n  let shown = 0;\n"
	"  for (const body of document.querySelectorAll('tbody')) {\n"
	"    body.hidden = !words.every(word => body.textContent.toLowerCase().includes(word));\n    shown += !body.hidden;\n  }\n"
	"  count.value = shown + ' forms';\n}\nfield.addEventListener('input', show);\nshow();\n</script>\n</html>\n";

static void put_html(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
			fprintf(out, "&#%d;", *text);
		else
			fputc(*text, out);
	}
}

static void put_why(FILE *out, const char *what, double known, const char *why)
{
	if (!why)
		return;
	fprintf(out, "<tr><td class=\"why\" colspan=\"5\">documented %s %.4g: ", what, known);
	put_html(out, why);
	fputs("</td></tr>\n", out);
}

static void put_line(FILE *out, const struct kb_form_line *line)
{
	char cell[KB_FORM_CELL];
	const char *verdict = kb_status_name(kb_form_worst(line));

	fprintf(out, "<tbody><tr><td>%s</td><td>", line->form->name);
	for (unsigned i = 0; i < line->latencies; i++)
		fprintf(out, "%s%s&nbsp;&nbsp;%s", i ? "<br>" : "", kb_form_pair(line->measure[i]), kb_form_cell(cell, line->latency[i]));
	fprintf(out, "</td><td>%s</td><td class=\"%s\">%s</td>", kb_form_cell(cell, line->throughput), verdict, verdict);
	fprintf(out, "<td>%s</td></tr>\n", kb_form_known(cell, line->known));
	put_why(out, "latency", line->known ? line->known->latency : NAN, line->why_latency);
	put_why(out, "throughput", line->known ? line->known->throughput : NAN, line->why_throughput);
	fputs("</tbody>\n", out);
}

void kb_form_table_page(FILE *out, const struct kb_form_table *table, const char *machine)
{
	fputs(head, out);
	fputs("<p>", out);
	put_html(out, machine);
	fputs("</p>\n<p>Core cycles, with the half-width of the 95&#8201;% confidence interval. <b>Latency</b> is from one operand to another, by their "
	      "places; <b>a</b> is the address. <b>Throughput</b> is what one of many takes that wait for nothing. <b>Renamed</b>: the chain was not "
	      "executed, so it has no latency. Where a value is more than 3&#8201;% from the documented one, the line below states why.</p>\n", out);
	if (table->known->core) {
		fputs("<p>Documented: ", out);
		put_html(out, table->known->source);
		fprintf(out, " (%s).</p>\n", table->known->core);
	}
	fputs("<p><input type=\"search\" placeholder=\"filter: add r64, noisy, nobody knows\" aria-label=\"filter\"> <output></output></p>\n<table>\n"
	      "<thead><tr><th>form</th><th>latency</th><th>throughput</th><th>verdict</th><th>documented<br>latency / throughput</th></tr></thead>\n", out);
	for (size_t i = 0; i < table->count; i++)
		put_line(out, &table->lines[i]);
	fputs("</table>\n", out);
	fputs(script, out);
}
