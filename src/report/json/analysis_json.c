/* See analysis.h: the same numbers for scripts. A number that does not exist is null, with a code for the reason. */
#include "report/text/analysis.h"

#include "result/json/json.h"

static json_t *real_if(bool known, double value)
{
	return known ? kb_json_real(value) : json_null();
}

static json_t *check_json(const struct kb_check *check)
{
	return json_pack("{s:o, s:o, s:o}", "statistic", real_if(check->known, check->statistic), "p",
	                 real_if(check->known, check->p), "why",
	                 check->known ? json_null() : json_string(kb_code_name(check->why)));
}

static json_t *interval_json(const struct kb_interval *interval)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "value", kb_json_real(interval->value), "low",
	                 real_if(interval->known, interval->low), "high", real_if(interval->known, interval->high),
	                 "n_eff", kb_json_real(interval->n_eff), "why",
	                 interval->known ? json_null() : json_string(kb_code_name(interval->why)));
}

static json_t *moments_json(const struct kb_moments *m, bool known)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "mean", kb_json_real(m->mean), "variance", real_if(known, m->variance),
	                 "sd", real_if(known, m->sd), "cv_percent", real_if(known, m->cv_percent));
}

static json_t *series_checks_json(const struct kb_series_checks *checks)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "normal", check_json(&checks->normal), "skewness",
	                 kb_json_real(checks->skewness), "lag1", check_json(&checks->lag1), "von_neumann",
	                 check_json(&checks->von_neumann), "ljung_box", check_json(&checks->ljung_box), "runs",
	                 check_json(&checks->runs));
}

static json_t *group_json(const struct kb_group_analysis *group)
{
	const struct kb_kanata *k = &group->k;
	json_t *kanata = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "a", moments_json(&k->a, k->known), "y",
	                           moments_json(&k->y, k->known), "p", moments_json(&k->p, k->known), "z",
	                           kb_json_real(k->z), "low", real_if(k->known, k->low), "high",
	                           real_if(k->known, k->high), "half_width_percent",
	                           real_if(k->known, k->half_percent), "next_size", real_if(k->known, k->next_size));
	json_t *corrected = json_pack("{s:o, s:o, s:o}", "t", interval_json(&k->t), "dependent",
	                              interval_json(&k->dependent), "next_size", real_if(k->enough > 0, k->enough));

	json_t *trimmed = interval_json(&group->robust.trimmed);
	json_t *robust = json_pack("{s:o, s:o, s:o}", "median", interval_json(&group->robust.median), "trimmed_mean", trimmed,
	                           "mad_sigma", real_if(k->known, group->robust.mad_sigma));

	json_object_set_new(trimmed, "method", json_string("sboot"));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "n", kb_json_real(k->n), "size", kb_json_whole(k->count), "kanata",
	                 kanata, "corrected", corrected, "robust", robust, "checks", series_checks_json(&group->checks), "why",
	                 k->why == KB_CODE_COUNT ? json_null() : json_string(kb_code_name(k->why)));
}

json_t *kb_analysis_groups_json(const struct kb_kanata_analysis *analysis)
{
	json_t *array = json_array();

	for (size_t i = 0; i < analysis->count; i++)
		json_array_append_new(array, group_json(&analysis->groups[i]));
	return array;
}

static json_t *verdict_json(const struct kb_verdict *verdict)
{
	json_t *reasons = json_array();

	for (unsigned i = 0; i < verdict->count; i++)
		json_array_append_new(reasons, json_pack("{s:s, s:o}", "code", kb_code_name(verdict->reasons[i].code),
		                                         "detail", kb_json_string(verdict->reasons[i].detail)));
	return json_pack("{s:s, s:o}", "status", kb_status_name(verdict->status), "reasons", reasons);
}

static json_t *line_json(const struct kb_across *across)
{
	const struct kb_set_line *line = &across->line;

	if (!line->known)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "slope", interval_json(&across->slope), "slope_se",
	                 kb_json_real(line->se_b), "intercept", kb_json_real(line->a), "intercept_se",
	                 kb_json_real(line->se_a), "from_n", kb_json_real(across->line_from), "bias",
	                 kb_json_real(line->a / across->n_max), "lack_of_fit", check_json(&line->fit));
}

/* Only where no group varies; then there is no other line. */
static json_t *exact_json(const struct kb_across *across)
{
	const struct kb_regression *exact = &across->exact;

	if (!exact->known)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}", "slope", kb_json_real(exact->slope), "intercept", kb_json_real(exact->intercept), "bias",
			 kb_json_real(exact->intercept / across->n_max), "residual", kb_json_real(across->exact_off));
}

json_t *kb_analysis_across_json(const struct kb_across *across)
{
	const struct kb_growth *growth = &across->growth;
	bool known = growth->proportional.known;
	json_t *stops, *variance;

	if (across->groups == 0)
		return json_null();
	variance = json_pack("{s:o, s:o, s:o, s:o}", "v0", real_if(known, growth->v0), "v1", real_if(known, growth->v1),
			     "proportional", check_json(&growth->proportional), "common_mode", check_json(&growth->common_mode));
	stops = json_pack("{s:o, s:o}", "within_half_width",
	                  real_if(across->within_from > 0, across->within_from), "equal",
	                  real_if(across->equal_from > 0, across->equal_from));

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "groups", kb_json_whole(across->groups), "equal_means",
	                 check_json(&across->equal_means), "equal_spreads", check_json(&across->equal_spreads),
	                 "variance", variance, "lack_of_fit", check_json(&across->all.fit), "line",
	                 line_json(across), "exact", exact_json(across), "stops_changing_at", stops, "verdict", verdict_json(&across->verdict));
}

json_t *kb_analysis_list_json(const struct kb_list_analysis *list)
{
	json_t *quantiles = json_object();

	for (int i = 0; i < KB_QUANTILES; i++)
		json_object_set_new(quantiles, kb_json_quantiles[i], interval_json(&list->quantile[i]));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "count", kb_json_whole(list->count), "mean",
	                 interval_json(&list->mean_interval), "sd", kb_json_real(list->sd), "mad",
	                 kb_json_real(list->mad), "minimum", kb_json_real(list->minimum.value), "minimum_gap_percent",
	                 kb_json_real(list->minimum.gap_percent), "quantiles", quantiles, "checks",
	                 series_checks_json(&list->checks), "verdict", verdict_json(&list->verdict));
}

json_t *kb_analysis_points_json(const struct kb_points_analysis *points)
{
	const struct kb_line_fit *fit = &points->fit;
	json_t *line = json_null();

	if (fit->known)
		line = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "slope", interval_json(&fit->slope),
		                 "intercept", kb_json_real(fit->a), "intercept_se", kb_json_real(fit->se_a),
		                 "robust_slope", kb_json_real(fit->b_robust), "robust_slope_se",
		                 kb_json_real(fit->se_robust), "v0", kb_json_real(fit->v0), "v1",
		                 kb_json_real(fit->v1));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "count", kb_json_whole(points->count), "blocks",
	                 kb_json_whole(points->blocks), "sets", kb_json_whole(points->sets), "line", line, "why",
	                 fit->known ? json_null() : json_string(kb_code_name(fit->why)), "across",
	                 kb_analysis_across_json(&points->across));
}
