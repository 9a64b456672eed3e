/*
 * Columns of a run that are made from its settings and its environment: what is asked of all runs of an environment, or of each run that a
 * history passes, must not need their JSON. Each row has a checksum, with the run's id and label in it, which such questions give, too. Where
 * it does not fit, the columns are made again from the run for whoever asks; where that is damaged itself, this is told.
 */
#include "store/sql.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "result/json/json.h"

/* Of a comparison's side, as a number: 0 of none, the last of one that nobody knows. */
static const char sides[] = { '\0', 'a', 'b', '?' };

static int64_t side_of(const json_t *settings)
{
	const char *side = kb_json_string_of(json_object_get(settings, "ab"), "side");

	if (!side[0])
		side = kb_json_string_of(json_object_get(settings, "fleet"), "side");
	if (!side[0] && !json_object_get(settings, "ab"))
		return 0;
	return side[0] == 'a' && !side[1] ? 1 : side[0] == 'b' && !side[1] ? 2 : 3;
}

/* As they are stored; the texts are the caller's. */
struct fact_columns { const char *started, *environment, *tool, *node, *fleet, *boot; int64_t cpu, side; };

/* Texts point into the run and the documents. Of damaged settings nothing is known. */
static struct fact_columns facts_of(const struct kb_stored_run *run, const json_t *settings, const json_t *env)
{
	const json_t *cpu = json_array_get(json_object_get(settings, "cpus"), 0);
	const json_t *fleet = json_object_get(settings, "fleet"), *place = fleet ? fleet : json_object_get(settings, "allocation");

	return (struct fact_columns){
		.started = run->started, .environment = run->env_class, .tool = kb_json_string_of(settings, "tool"), .node = kb_json_string_of(place, "node"),
		.fleet = kb_json_string_of(fleet, "id"), .boot = kb_json_string_of(json_object_get(env, "readings"), "boot_id"),
		.cpu = json_is_integer(cpu) ? (int64_t)json_integer_value(cpu) : INT64_C(-1), .side = side_of(settings),
	};
}

static int64_t sum_of(int64_t run, const char *id, const char *label, const struct fact_columns *facts)
{
	return kb_sql_sum("ittttttttii", run, id, label, facts->started, facts->environment, facts->tool, facts->node, facts->fleet, facts->boot,
			  facts->cpu, facts->side);
}

int kb_sql_add_run_facts(struct kb_store *store, int64_t number, const struct kb_stored_run *run)
{
	json_t *settings = json_loads(run->settings, 0, NULL), *env = json_loads(run->env, 0, NULL);
	struct fact_columns facts = facts_of(run, settings, env);
	int error = kb_sql_change(store, "INSERT OR REPLACE INTO run_facts (run, started, environment, cpu, side, tool, node, fleet, boot, checksum)"
				  " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", "ittiitttti", number, facts.started, facts.environment, facts.cpu,
				  facts.side, facts.tool, facts.node, facts.fleet, facts.boot, sum_of(number, run->id, run->label, &facts));

	json_decref(settings);
	json_decref(env);
	return error;
}

int kb_sql_remake_facts(struct kb_store *store, int64_t number, const struct kb_stored_run *run)
{
	return kb_sql_change(store, "DELETE FROM run_facts WHERE run = ?", "i", number) ?: kb_sql_add_run_facts(store, number, run);
}

static void fill(struct kb_run_facts *to, const char *id, const char *label, const struct fact_columns *facts)
{
	snprintf(to->id, sizeof to->id, "%s", id);
	kb_visible_copy(to->label, sizeof to->label, label);
	kb_visible_copy(to->started, sizeof to->started, facts->started);
	kb_visible_copy(to->environment, sizeof to->environment, facts->environment);
	kb_visible_copy(to->tool, sizeof to->tool, facts->tool);
	kb_visible_copy(to->node, sizeof to->node, facts->node);
	kb_visible_copy(to->fleet, sizeof to->fleet, facts->fleet);
	kb_visible_copy(to->boot, sizeof to->boot, facts->boot);
	to->cpu = facts->cpu;
	to->side = sides[(uint64_t)facts->side % sizeof sides];
}

static void fill_from_run(struct kb_run_facts *to, const struct kb_stored_run *run)
{
	json_t *settings = json_loads(run->settings, 0, NULL), *env = json_loads(run->env, 0, NULL);
	struct fact_columns facts = facts_of(run, settings, env);

	fill(to, run->id, run->label, &facts);
	json_decref(settings);
	json_decref(env);
}

static int remake(struct kb_store *store, int64_t number, struct kb_run_facts *to)
{
	struct kb_statement *statement;
	int found = kb_sql_prepare(store, &statement, KB_SQL_RUN_BY_NUMBER, "i", number) ?: kb_sql_step(statement);

	to->damaged = found == 0 || (found > 0 && !kb_sql_run_fits(statement));
	if (found > 0 && !to->damaged) {
		struct kb_stored_run run = kb_sql_run_texts(statement);

		fill_from_run(to, &run);
	}
	kb_sql_finalize(statement);
	return found < 0 ? found : 0;
}

static struct fact_columns stored_facts(struct kb_statement *statement, unsigned column)
{
	return (struct fact_columns){
		.started = kb_sql_text(statement, column + 3), .environment = kb_sql_text(statement, column + 4), .cpu = kb_sql_whole(statement, column + 5),
		.side = kb_sql_whole(statement, column + 6), .tool = kb_sql_text(statement, column + 7), .node = kb_sql_text(statement, column + 8),
		.fleet = kb_sql_text(statement, column + 9), .boot = kb_sql_text(statement, column + 10),
	};
}

bool kb_sql_facts_fit(struct kb_statement *statement, unsigned column)
{
	struct fact_columns facts = stored_facts(statement, column);

	return kb_sql_sum_fits(statement, column + KB_SQL_FACTS_COUNT - 1, sum_of(kb_sql_whole(statement, column), kb_sql_text(statement, column + 1),
										  kb_sql_text(statement, column + 2), &facts));
}

int kb_sql_take_facts(struct kb_statement *statement, unsigned column, struct kb_run_facts *to)
{
	struct fact_columns facts = stored_facts(statement, column);
	int error = 0;

	to->damaged = false;
	fill(to, kb_sql_text(statement, column + 1), kb_sql_text(statement, column + 2), &facts);
	if (!kb_sql_facts_fit(statement, column))
		error = remake(statement->store, kb_sql_whole(statement, column), to);
	if (to->damaged)
		kb_make_visible(to->id, '?');
	return error || to->damaged ? error : kb_sql_check_id(statement->store, to->id);
}
