/* See pipes_table.h. */
#include "study/pipes_table.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/json/json.h"

double kb_pipes_rate(const struct kb_result *result)
{
	struct kb_estimate cycles = kb_form_cycles(result);

	return cycles.known && cycles.value > 0 ? 1 / cycles.value : 0;
}

/* ---- what is documented -------------------------------------------------------------------------- */

static bool matches(const char *patterns, const char *form)
{
	struct kb_span rest = kb_span_of(patterns), word;
	char pattern[80];

	while ((word = kb_span_word(&rest)).length) {
		snprintf(pattern, sizeof pattern, "%.*s", (int)word.length, word.at);
		if (!fnmatch(pattern, form, 0))
			return true;
	}
	return false;
}

/* "ALU0,ALU1": how many names both have; of both the same, how many it has. */
static unsigned common(const char *a, const char *b)
{
	unsigned count = 0;

	for (const char *at = a; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
		char name[32];

		snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
		count += kb_list_has(b, name);
	}
	return count;
}

static bool differs(const struct kb_pipes_table *table, unsigned i, unsigned j)
{
	return table->known[i] && table->known[j] && table->found.shared[i][j] >= 0 &&
	       (int)common(table->known[i]->name, table->known[j]->name) != table->found.shared[i][j];
}

static void compare(struct kb_pipes_table *table)
{
	const struct kb_pipes *found = &table->found;

	for (unsigned i = 0; i < found->count; i++) {
		if (!table->known[i])
			continue;
		table->counts++;
		table->counts_agree += common(table->known[i]->name, table->known[i]->name) == found->pipes[i];
		for (unsigned j = i + 1; j < found->count; j++) {
			if (!table->known[j] || found->shared[i][j] < 0)
				continue;
			table->pairs++;
			table->pairs_agree += !differs(table, i, j);
		}
	}
}

void kb_pipes_table_find(struct kb_pipes_table *table, const struct kb_known *known)
{
	struct kb_pipes *found = &table->found;

	table->source = known;
	found->width = kb_pipes_rate(table->dispatch);
	for (unsigned i = 0; i < found->count; i++) {
		found->rate[i] = kb_pipes_rate(table->alone[i]);
		for (unsigned j = i + 1; j < found->count; j++)
			found->both[i][j] = kb_pipes_rate(table->both[i][j]);
		for (const struct kb_known_pipes *at = known->pipes; at && !table->known[i]; at = at->next)
			if (matches(at->forms, table->form[i]->name))
				table->known[i] = at;
	}
	kb_pipes_find(found);
	compare(table);
}

/* ---- text ---------------------------------------------------------------------------------------- */

static void print_kind(FILE *out, const struct kb_pipes_table *table, unsigned i, const struct kb_style *style)
{
	const struct kb_pipes *found = &table->found;
	char cell[KB_FORM_CELL], takes[120] = "";
	size_t used = 0;

	for (unsigned pipe = 0; pipe < found->total; pipe++)
		if (found->takes[i] >> pipe & 1)
			used += (size_t)snprintf(takes + used, sizeof takes - used, "%s%u", used ? " " : "", pipe);
	kb_form_cell(cell, table->alone[i]);
	kb_text_plain(cell, style);
	fprintf(out, "%2u %-26s %-16s %-9s %-5u %-18s %s\n", i, table->form[i]->name, cell, table->alone[i] ? kb_form_verdict(table->alone[i]) : "-",
		found->pipes[i], takes, table->known[i] ? table->known[i]->name : "-");
}

/* How many pipes each two share; ? where the dispatch hides it. */
static void print_matrix(FILE *out, const struct kb_pipes *found)
{
	fprintf(out, "\npipes that take both, at most (?: the dispatch hides it)\n   ");
	for (unsigned i = 0; i < found->count; i++)
		fprintf(out, "%3u", i);
	fputc('\n', out);
	for (unsigned i = 0; i < found->count; i++) {
		fprintf(out, "%3u", i);
		for (unsigned j = 0; j < found->count; j++) {
			int shared = i == j ? (int)found->pipes[i] : i < j ? found->shared[i][j] : found->shared[j][i];

			fprintf(out, shared < 0 ? "  ?" : shared == 0 ? "  ." : "%3d", shared);
		}
		fputc('\n', out);
	}
}

/* Where the description has another number: one of both is wrong, or an instruction is more than one operation. */
static void print_differences(FILE *out, const struct kb_pipes_table *table)
{
	const struct kb_pipes *found = &table->found;

	for (unsigned i = 0; i < found->count; i++)
		for (unsigned j = i + 1; j < found->count; j++)
			if (differs(table, i, j))
				fprintf(out, "  %s and %s: %u documented, at most %d here, where %.2f of them are done a cycle\n", table->form[i]->name,
					table->form[j]->name, common(table->known[i]->name, table->known[j]->name), found->shared[i][j],
					found->both[i][j]);
}

static bool is_sure(const struct kb_result *result)
{
	return result && result->verdict.status == KB_OK;
}

void kb_pipes_table_print(FILE *out, const struct kb_pipes_table *table, const struct kb_style *style)
{
	const struct kb_pipes *found = &table->found;
	char cell[KB_FORM_CELL];
	unsigned pairs = 0, sure = 0;

	for (unsigned i = 0; i < found->count; i++)
		for (unsigned j = i + 1; j < found->count; j++) {
			pairs += table->both[i][j] != NULL;
			sure += is_sure(table->both[i][j]);
		}
	fprintf(out, "%2s %-26s %-16s %-9s %-5s %-18s %s\n", "", "instruction", "cycles, ±95 % CI", "verdict", "pipes", "these", "documented");
	for (unsigned i = 0; i < found->count; i++)
		print_kind(out, table, i, style);
	print_matrix(out, found);
	kb_form_cell(cell, table->dispatch);
	kb_text_plain(cell, style);
	fprintf(out, "\ndispatch: %.1f a cycle (%s cycles each, %s)\n", found->width, cell, table->dispatch ? kb_form_verdict(table->dispatch) : "-");
	fprintf(out, "%u pairs mixed, %u ok; the pipes above are %u, and ", pairs, sure, found->total);
	if (found->missed)
		fprintf(out, "miss the numbers by %u: no set of pipes has them all\n", found->missed);
	else
		fprintf(out, "have all these numbers\n");
	if (!table->source->core)
		return;
	fprintf(out, "documented (%s): %u of %u numbers of pipes agree, and %u of %u shared ones\n", table->source->core, table->counts_agree,
		table->counts, table->pairs_agree, table->pairs);
	print_differences(out, table);
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static json_t *kind_json(const struct kb_pipes_table *table, unsigned i)
{
	struct kb_estimate cycles = kb_form_cycles(table->alone[i]);
	json_t *takes = json_array();

	for (unsigned pipe = 0; pipe < table->found.total; pipe++)
		if (table->found.takes[i] >> pipe & 1)
			json_array_append_new(takes, json_integer(pipe));
	return json_pack("{s:s, s:o, s:s, s:i, s:o, s:s?}", "form", table->form[i]->name, "cycles", cycles.known ? kb_json_estimate(&cycles) : json_null(),
			 "verdict", table->alone[i] ? kb_form_verdict(table->alone[i]) : "skipped", "pipes", table->found.pipes[i], "takes", takes,
			 "documented", table->known[i] ? table->known[i]->name : NULL);
}

static json_t *pair_json(const struct kb_pipes_table *table, unsigned i, unsigned j)
{
	struct kb_estimate cycles = kb_form_cycles(table->both[i][j]);
	int shared = table->found.shared[i][j];
	unsigned mix[2];

	kb_pipes_mix(table->found.pipes[i], table->found.pipes[j], mix);
	return json_pack("{s:[i, i], s:[i, i], s:o, s:s, s:o}", "pair", i, j, "mix", mix[0], mix[1], "cycles",
			 cycles.known ? kb_json_estimate(&cycles) : json_null(), "verdict", kb_form_verdict(table->both[i][j]), "shared",
			 shared < 0 ? json_null() : json_integer(shared));
}

json_t *kb_pipes_table_json(const struct kb_pipes_table *table)
{
	json_t *kinds = json_array(), *pairs = json_array();

	for (unsigned i = 0; i < table->found.count; i++) {
		json_array_append_new(kinds, kind_json(table, i));
		for (unsigned j = i + 1; j < table->found.count; j++)
			if (table->both[i][j])
				json_array_append_new(pairs, pair_json(table, i, j));
	}
	return json_pack("{s:s, s:s?, s:o, s:i, s:i, s:o, s:o, s:{s:i, s:i, s:i, s:i}}", "unit", "core cycles", "core", table->source->core, "dispatch",
			 kb_json_real(table->found.width > 0 ? table->found.width : NAN), "pipes", table->found.total, "missed", table->found.missed,
			 "kinds", kinds, "pairs", pairs, "agreement", "pipes", table->counts, "pipes_agree", table->counts_agree, "shared", table->pairs,
			 "shared_agree", table->pairs_agree);
}
