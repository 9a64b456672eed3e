/* See table.h: what stands above and below the lines of the table. */
#include "report/text/table.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "report/text/columns.h"
#include "report/text/number_format.h"
#include "report/text/style.h"
#include "report/text/table_cells.h"
#include "result/json/json.h"
#include "workflow/machine.h"

/* Where the evidence of a count begins, as far as the terminal has room for it. */
#define EVIDENCE_COLUMN 40

static const char *dot(const struct kb_style *style)
{
	return style->utf8 ? " \u00b7 " : " - ";
}

/* ---- above --------------------------------------------------------------------------------------- */

/* A run from another machine, or of an older version, may lack a fact. */
static const char *fact(const json_t *env, const char *key)
{
	const char *value = json_string_value(json_object_get(json_object_get(env, "facts"), key));

	/* An imported run has its kernel among the readings: it does not make its environment ID. */
	if (!value)
		value = json_string_value(json_object_get(json_object_get(env, "readings"), key));
	return value ? value : "unknown";
}

void kb_print_heading(const char *started, const json_t *env)
{
	const char *id = kb_json_env_id(env);

	printf("%.10s %.8s UTC, %s, kernel %s, environment ID %s\n\n", started, strlen(started) > 11 ? started + 11 : "",
	       fact(env, "cpu_model"), fact(env, "kernel"), id ? id : "unknown");
}

struct kb_heading kb_heading_of(const char *title, const json_t *env, const char *started, const char *finished)
{
	double from = kb_seconds_of_date(started), to = kb_seconds_of_date(finished);

	return (struct kb_heading){ .title = title, .cpu = fact(env, "cpu_model"), .hypervisor = fact(env, "hypervisor"),
				    .cpus = fact(env, "cpus"), .kernel = fact(env, "kernel"), .seconds = from >= 0 && to > from ? to - from : 0 };
}

static bool is_known(const char *fact)
{
	return fact && fact[0] && strcmp(fact, "unknown") != 0;
}

/* A line of parts that breaks between them only. */
struct parts { FILE *out; const struct kb_style *style; unsigned column; };

static void put_part(struct parts *parts, char *part)
{
	unsigned room = parts->style->width ? parts->style->width : KB_WIDTH_USUAL, width;
	const char *between = "";

	kb_make_visible(part, ' '); /* a run may come from elsewhere */
	kb_text_plain(part, parts->style);
	width = kb_text_width(part);
	if (parts->column > 0 && parts->column + kb_text_width(dot(parts->style)) + width > room)
		between = "\n  ";
	else if (parts->column > 0)
		between = dot(parts->style);
	fprintf(parts->out, "%s%s", between, part);
	parts->column = (between[0] == '\n' ? 0 : parts->column) + kb_text_width(between) + width;
}

/* "AMD EPYC (KVM, 2 CPUs)" */
static void put_cpu(struct parts *parts, const struct kb_heading *heading)
{
	bool virtual = is_known(heading->hypervisor) && strcmp(heading->hypervisor, "none") != 0;
	bool cpus = is_known(heading->cpus);
	char hypervisor[32] = "", part[256];

	for (size_t i = 0; virtual && heading->hypervisor[i] && i < sizeof hypervisor - 1; i++)
		hypervisor[i] = (char)toupper((unsigned char)heading->hypervisor[i]);
	if (!is_known(heading->cpu) && !virtual && !cpus)
		return;
	snprintf(part, sizeof part, "%.150s%s%s%s%.20s%s%s", is_known(heading->cpu) ? heading->cpu : "CPU", virtual || cpus ? " (" : "",
		 hypervisor, virtual && cpus ? ", " : "", cpus ? heading->cpus : "",
		 !cpus ? "" : !strcmp(heading->cpus, "1") ? " CPU" : " CPUs", virtual || cpus ? ")" : "");
	put_part(parts, part);
}

void kb_table_heading(FILE *out, const struct kb_heading *heading, size_t count, const struct kb_style *style)
{
	struct parts parts = { out, style, 0 };
	const char *kernel = heading->kernel;
	char part[160];

	snprintf(part, sizeof part, "%.120s", heading->title ? heading->title : "");
	if (is_known(part))
		put_part(&parts, part);
	snprintf(part, sizeof part, "%zu result%s", count, count == 1 ? "" : "s");
	put_part(&parts, part);
	put_cpu(&parts, heading);
	if (is_known(kernel)) {
		size_t digits = strspn(kernel, "0123456789"), hex = strspn(kernel, "0123456789abcdef");
		/* A version is Linux's; another system's kernel comes with its name, or as the hash of its image. */
		bool hash = hex >= 32 && kernel[hex] == '\0';

		snprintf(part, sizeof part, "%s%.*s", digits > 0 && kernel[digits] == '.' ? "Linux " : hash ? "kernel " : "",
			 hash ? 12 : 120, kernel);
		put_part(&parts, part);
	}
	if (heading->seconds > 0) {
		snprintf(part, sizeof part, heading->seconds < 9.5 ? "%.1f s" : "%.0f s", heading->seconds);
		put_part(&parts, part);
	}
	fputc('\n', out);
}

/* ---- below --------------------------------------------------------------------------------------- */

static void count_proofs(struct kb_text *text, const struct kb_result *const *results, size_t count)
{
	static const char *const words[KB_CONFIRMED_KINDS] = {
		[KB_CONFIRMED_COUNTS] = "confirmed by counts", [KB_CONFIRMED_CHECK] = "by a check", [KB_CONFIRMED_NOT] = "unverified",
		[KB_CONFIRMED_CONTRARY] = "contradicted",
	};
	size_t counts[KB_CONFIRMED_KINDS + 1] = { 0 };
	const char *separator = "evidence: ";
	char part[64];

	for (size_t i = 0; i < count; i++)
		counts[kb_confirmed_by(results[i])]++;
	for (int proof = 0; proof < KB_CONFIRMED_KINDS; proof++) {
		if (counts[proof] == 0)
			continue;
		/* "confirmed" once is enough. */
		snprintf(part, sizeof part, "%s%zu %s%s", separator, counts[proof],
			 proof == KB_CONFIRMED_CHECK && counts[KB_CONFIRMED_COUNTS] == 0 ? "confirmed " : "", words[proof]);
		kb_text_str(text, part);
		separator = ", ";
	}
}

void kb_table_count(FILE *out, const struct kb_result *const *results, size_t count, const struct kb_style *style)
{
	char statuses[200], proofs[200];
	struct kb_text of_statuses = kb_text_in(statuses, sizeof statuses), of_proofs = kb_text_in(proofs, sizeof proofs);
	size_t counts[KB_STATUSES] = { 0 };
	unsigned width, room = style->width ? style->width : KB_WIDTH_USUAL;

	for (size_t i = 0; i < count; i++)
		counts[results[i]->verdict.status]++;
	for (int status = 0; status < KB_STATUSES; status++) {
		if (counts[status] == 0)
			continue;
		kb_text_str(&of_statuses, statuses[0] ? dot(style) : "");
		kb_text_u64(&of_statuses, counts[status]);
		kb_text_str(&of_statuses, " ");
		kb_text_str(&of_statuses, kb_status_name(status));
	}
	count_proofs(&of_proofs, results, count);
	width = kb_text_width(statuses);
	if (!proofs[0])
		fprintf(out, "%s\n", statuses);
	else if (width + 2 + kb_text_width(proofs) > room)
		fprintf(out, "%s\n%s\n", statuses, proofs);
	else if (width + 2 > EVIDENCE_COLUMN || EVIDENCE_COLUMN + kb_text_width(proofs) > room)
		fprintf(out, "%s  %s\n", statuses, proofs);
	else
		fprintf(out, "%s%*s%s\n", statuses, (int)(EVIDENCE_COLUMN - width), "", proofs);
}

const char *kb_print_example(const struct kb_result *const *results, size_t count)
{
	const struct kb_result *worst = results[0];

	for (size_t i = 0; i < count; i++) {
		if (results[i]->verdict.status != KB_SKIPPED && results[i]->verdict.status > worst->verdict.status)
			worst = results[i];
	}
	return worst->benchmark;
}
