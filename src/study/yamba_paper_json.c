/* kbench-yamba-paper/1: see doc/result.md. */
#include "study/yamba_paper.h"

#include <math.h>

#include "result/json/json.h"
#include "study/published.h"

static const char *const part_names[KB_PAPER_PARTS] = { [KB_PAPER_INSTRUCTION] = "instruction", [KB_PAPER_ORIGINAL] = "original",
	[KB_PAPER_FIXED] = "fixed", [KB_PAPER_PRINTED] = "printed", [KB_PAPER_LINE] = "line" };

static json_t *row_json(const struct kb_paper_row *row)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "part", part_names[row->part], "row",
	                 kb_json_string(row->name), "cost_ns", kb_json_estimate(&row->cost),
	                 "raw_ns", kb_json_real(row->raw), "variation", kb_json_real(row->variation), "passes", kb_json_whole(row->passes),
	                 "faults_per_access", kb_json_real(row->faults), "page_ins_per_fault", kb_json_real(row->page_ins),
	                 "resident_after_eviction", kb_json_real(row->resident), "status", kb_status_name(row->status), "why",
	                 row->why[0] ? kb_json_string(row->why) : json_null());
}

static json_t *fit_json(const struct kb_regression_fit *fit)
{
	const struct kb_interval *slope = &fit->slope, *intercept = &fit->intercept;
	struct kb_estimate of_slope = { fit->line.slope, slope->low, slope->high, fit->line.known, slope->known };
	struct kb_estimate of_intercept = { fit->line.intercept, intercept->low, intercept->high, fit->line.known, intercept->known };

	return json_pack("{s:o, s:o, s:o, s:o}", "slope_us_per_page", kb_json_estimate(&of_slope), "intercept_us",
			 kb_json_estimate(&of_intercept), "r2", kb_json_real(fit->line.r2), "df", kb_json_whole(fit->df));
}

/* With the document, so that a script needs no copy of the paper. */
static json_t *published_json(void)
{
	json_t *tables = json_array(), *figures = json_array();

	for (int i = 0; i < KB_PAPER_PLATFORMS; i++) {
		const struct kb_paper_lmbench *row = &kb_paper_lmbench[i];

		json_array_append_new(tables, json_pack("{s:s, s:f, s:o, s:f, s:f}", "platform", row->platform, "original_us",
			row->original_us, "fixed_us", row->fixed_us > 0 ? json_real(row->fixed_us) : json_null(), "faults_per_access",
			row->faults, "page_ins_per_fault", row->page_ins));
	}
	for (int i = 0; i < KB_PAPER_PLATFORMS * KB_PAPER_SCALES; i++) {
		const struct kb_paper_figure *row = &kb_paper_figures[i];

		json_array_append_new(figures, json_pack("{s:s, s:i, s:f, s:f, s:f}", "platform", row->platform, "scale", (int)row->scale,
			"latency_us", row->latency_us, "variation", row->variation, "page_ins_per_fault", row->page_ins));
	}
	return json_pack("{s:o, s:o}", "tables_1_2", tables, "figures_4_7", figures);
}

json_t *kb_paper_json(const struct kb_paper *paper)
{
	json_t *rows = json_array(), *line = json_null();
	struct kb_paper_lines lines;

	if (kb_paper_fit(paper, &lines))
		line = json_pack("{s:o, s:o, s:o}", "points", kb_json_whole(lines.points), "plain", fit_json(&lines.plain), "relative",
				 fit_json(&lines.relative));
	for (unsigned i = 0; i < paper->count; i++)
		json_array_append_new(rows, row_json(&paper->rows[i]));
	return json_pack("{s:{s:o, s:o, s:o, s:b, s:b}, s:o, s:o, s:o}", "machine", "device",
	                 paper->device[0] ? kb_json_string(paper->device) : json_null(), "page_bytes", kb_json_whole(paper->page_bytes),
	                 "read_ahead_pages", kb_json_whole(paper->window_now > 0 ? (uint64_t)paper->window_now : 0), "root", paper->root,
	                 "drop_caches", paper->drop_caches, "rows", rows, "line", line, "published", published_json());
}
