/* See history.h. */
#include "report/json/history.h"

#include "result/json/json.h"

/* Or null. */
static json_t *text_or_null(const char *text)
{
	return text[0] ? kb_json_string(text) : json_null();
}

/* Of a fleet: a mean over nodes has no verdict of its own. */
static json_t *fleet_json(const struct kb_history *history, size_t i)
{
	const struct kb_stored_result *result = &history->points[i];
	const struct kb_fleet_point *point = &history->fleets[i];
	struct kb_estimate value = kb_history_value(history, result);
	double step;

	kb_history_step(history, i, &step);
	return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "fleet", kb_json_string(point->fleet), "started",
			 result->started, "label", text_or_null(result->label), "tool", kb_json_string(result->tool), "commit",
			 text_or_null(kb_history_commit(result)), "value", kb_json_real(value.value), "low", kb_json_real(value.low), "high",
			 kb_json_real(value.high), "nodes", kb_json_whole(point->nodes), "healthy", kb_json_whole(point->healthy), "deviate",
			 kb_json_whole(point->deviate), "between_sd", kb_json_real(point->between), "nodes_before", kb_json_whole(point->before),
			 "common_nodes", kb_json_whole(point->common), "change", kb_json_real(point->change), "step", kb_json_real(step));
}

static json_t *point_json(const struct kb_history *history, size_t i)
{
	const struct kb_stored_result *point = &history->points[i];
	struct kb_estimate value = kb_history_value(history, point);
	double step;

	if (history->fleets)
		return fleet_json(history, i);
	kb_history_step(history, i, &step);
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "run", point->run_id, "started", point->started,
			 "label", text_or_null(point->label), "tool", kb_json_string(point->tool), "commit",
			 text_or_null(kb_history_commit(point)), "value", value.known ? kb_json_real(value.value) : json_null(), "low",
			 value.bounded ? kb_json_real(value.low) : json_null(), "high",
			 value.bounded ? kb_json_real(value.high) : json_null(), "processes", kb_json_whole((uint64_t)point->processes),
			 "status", point->status, "step", kb_json_real(step));
}

json_t *kb_history_to_json(const struct kb_history *history)
{
	json_t *points = json_array();
	json_t *occasion = json_pack("{s:o, s:o, s:o}", "sd", kb_json_real(history->sd), "detectable", kb_json_real(history->detectable),
				     "runs", kb_json_whole(history->occasion.runs));

	for (size_t i = 0; i < history->point_count; i++)
		json_array_append_new(points, point_json(history, i));
	return json_pack("{s:o, s:s, s:o, s:s, s:o, s:o, s:o}", "row", kb_json_string(history->newest.row), "unit",
			 history->cycles ? "cycles" : history->like.unit, "per", kb_json_string(history->newest.per), "env_id",
			 history->newest.environment, "left_out", kb_json_whole(history->others + history->unlike), "occasion",
			 occasion, "points", points);
}
