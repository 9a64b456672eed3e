/*
 * Reading the store back. No statement is open while a callback runs: it may call every function of the store, also
 * those that write, and a slow one holds up nobody. So an iteration first lists row numbers, then copies row by row.
 */
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/interference.h"
#include "base/text.h"
#include "store/sql.h"

/* Deflate cannot shrink more than this (a length of 258 in two bits; zlib's technical notes): a longer claim is
   damage, and must not decide how much memory we ask for. */
#define DEFLATE_LIMIT 1032

static void free_texts(char **texts, unsigned count)
{
	while (count--)
		free(texts[count]);
}

/* Copies the first columns; NULL, which only a damaged file can hold, becomes "". */
static int copy_texts(struct kb_statement *statement, char **texts, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		texts[i] = strdup(kb_sql_text(statement, i));
		if (!texts[i]) {
			free_texts(texts, i);
			return kb_sql_out_of_memory(statement->store);
		}
	}
	return 0;
}

struct run_task { int (*visit)(void *, const struct kb_stored_run *); void *context; bool visited; char damaged[KB_RUN_ID_MAX + 1]; };

/* ASCII alone, as dates and ids are, which may be cut anywhere. Returns whether there was nothing to do. */
static bool make_plain(char *text)
{
	bool plain = true;

	for (; *text; text++) {
		if (*text >= ' ' && *text <= '~')
			continue;
		*text = '?';
		plain = false;
	}
	return plain;
}

int kb_sql_check_id(struct kb_store *store, char *id)
{
	return make_plain(id) ? 0 : kb_sql_say(store, EUCLEAN, "the store %s is damaged: it has a run with the id '%s'; delete that, or restore a "
					       "copy of the file", store->path, id);
}

/*
 * A store may come from elsewhere, and these are printed as they are: here they are made visible, once for all commands. An id is what
 * everything else of its run is found by, so another one would find nothing. The command line and JSON are data, which only JSON prints.
 */
static int make_visible(struct kb_store *store, char **texts)
{
	int error = kb_sql_check_id(store, texts[0]);

	if (error)
		return error;
	make_plain(texts[1]);
	make_plain(texts[2]);
	kb_make_visible(texts[3], '?');
	make_plain(texts[5]);
	return 0;
}

static int visit_run(struct kb_statement *statement, void *context)
{
	struct kb_store *store = statement->store;
	struct run_task *task = context;
	bool fits = kb_sql_run_fits(statement);
	char *texts[8];
	int result = copy_texts(statement, texts, 8);

	kb_sql_reset(statement);
	task->visited = true;
	if (result)
		return result;
	if (!fits) {
		if (!task->damaged[0])
			kb_visible_copy(task->damaged, sizeof task->damaged, texts[0][0] ? texts[0] : "?");
		free_texts(texts, 8);
		return 0;
	}
	result = make_visible(store, texts);
	if (result == 0)
		result = task->visit(task->context, &(struct kb_stored_run){
		.id = texts[0], .started = texts[1], .finished = texts[2], .label = texts[3], .command = texts[4],
		.env_class = texts[5], .env = texts[6], .settings = texts[7] });
	free_texts(texts, 8);
	return result;
}

/* Takes the list of their numbers. */
static int visit_runs(struct kb_store *store, struct kb_statement *list, struct run_task *task)
{
	int error = kb_sql_each_row(store, list, KB_SQL_RUN_BY_NUMBER, visit_run, task);

	return error || !task->damaged[0] ? error : kb_sql_run_damaged(store, task->damaged);
}

int kb_store_each_run(struct kb_store *store, int (*visit)(void *, const struct kb_stored_run *), void *context)
{
	struct run_task task = { visit, context, false, "" };
	struct kb_statement *list;

	return kb_sql_prepare(store, &list, "SELECT number FROM run ORDER BY started, id", "") ?:
	       visit_runs(store, list, &task);
}

int kb_store_newest_runs(struct kb_store *store, uint64_t limit, uint64_t *others, int (*visit)(void *, const struct kb_stored_run *), void *context)
{
	struct run_task task = { visit, context, false, "" };
	int64_t all, most = limit < INT64_MAX ? (int64_t)limit : INT64_MAX;
	struct kb_statement *list;
	int found = kb_sql_number(store, &all, "SELECT count(*) FROM run", "");

	if (found < 0)
		return found;
	*others = all > most ? (uint64_t)(all - most) : 0;
	return kb_sql_prepare(store, &list, "SELECT number FROM (SELECT number, started, id FROM run ORDER BY started DESC, id DESC LIMIT ?) AS newest"
			      " ORDER BY started, id", "i", most) ?: visit_runs(store, list, &task);
}

int kb_store_get_run(struct kb_store *store, const char *id, int (*visit)(void *, const struct kb_stored_run *), void *context)
{
	struct run_task task = { visit, context, false, "" };
	struct kb_statement *list;
	int64_t run;
	int error = kb_sql_run_number(store, id, &run) ?: kb_sql_prepare(store, &list, "SELECT number FROM run WHERE number = ?", "i", run) ?:
		    visit_runs(store, list, &task);

	/* Removed by another process since its number was found: the same line as for one that never was. */
	return error || task.visited ? error : kb_sql_run_number(store, id, &run);
}

/* Unpacks `bytes` at `packed` into `length` bytes and a null byte, to be freed by the caller. 0 or -errno. */
static int unpack(const void *packed, int64_t bytes, int64_t length, char **text)
{
	uLongf got = (uLongf)length;
	int status;

	*text = NULL;
	if (!packed || length < 0 || length > bytes * DEFLATE_LIMIT)
		return -EUCLEAN;
	*text = malloc((size_t)length + 1);
	if (!*text)
		return -ENOMEM;
	status = uncompress((Bytef *)*text, &got, packed, (uLong)bytes);
	if (status == Z_OK && got == (uLongf)length) {
		(*text)[length] = '\0';
		return 0;
	}
	free(*text);
	*text = NULL;
	return status == Z_MEM_ERROR ? -ENOMEM : -EUCLEAN;
}

int kb_sql_row_name(struct kb_store *store, const char *stored, char **name)
{
	size_t room = strlen(stored) + KB_INTERFERENCE_GROWS + 1;

	*name = malloc(room);
	if (!*name)
		return kb_sql_out_of_memory(store);

	struct kb_text text = kb_text_in(*name, room);

	kb_interference_rename(&text, stored);
	kb_make_visible(*name, '?');
	return 0;
}

/* Like copy_texts, of two columns of which the first is a row's name. */
static int copy_row(struct kb_statement *statement, char **texts)
{
	int error = copy_texts(statement, texts, 2);
	char *stored = texts[0];

	if (error)
		return error;
	error = kb_sql_row_name(statement->store, stored, &texts[0]);
	free(stored);
	if (error)
		free(texts[1]);
	return error;
}

struct process_task {
	const char *run_id;
	int (*visit)(void *, const struct kb_stored_process *);
	void *context;
};

/* Copies the process out of its row; texts and *record are the caller's to free, unless this fails. */
static int load_process(struct kb_statement *statement, struct kb_stored_process *process, char **texts, char **record)
{
	struct kb_store *store = statement->store;
	int64_t length = kb_sql_whole(statement, 3);
	size_t bytes;
	const void *packed;
	bool fits = kb_sql_sum_fits(statement, 6, kb_sql_process_sum(kb_sql_whole(statement, 5), kb_sql_text(statement, 0), kb_sql_whole(statement, 2),
								      kb_sql_text(statement, 1), length));
	int error = copy_row(statement, texts);

	if (error)
		return error;
	kb_make_visible(texts[1], '?');
	process->row = texts[0];
	process->outcome = texts[1];
	process->process = (unsigned)kb_sql_whole(statement, 2);
	packed = kb_sql_blob(statement, 4, &bytes);
	error = fits ? unpack(packed, (int64_t)bytes, length, record) : -EUCLEAN;
	process->record = *record;
	process->record_length = (size_t)length;
	if (error == -EUCLEAN)
		kb_sql_say(store, EUCLEAN, "the store %s is damaged: the record of process %u of \"%s\" in run %s cannot be "
			   "unpacked; restore a copy of the file or measure again", store->path, process->process,
			   process->row, process->run_id);
	else if (error)
		kb_sql_out_of_memory(store);
	if (error)
		free_texts(texts, 2);
	return error;
}

static int visit_process(struct kb_statement *statement, void *context)
{
	struct process_task *task = context;
	struct kb_stored_process process = { .run_id = task->run_id };
	char *texts[2], *record;
	int result = load_process(statement, &process, texts, &record);

	kb_sql_reset(statement);
	if (result)
		return result;
	result = task->visit(task->context, &process);
	free(record);
	free_texts(texts, 2);
	return result;
}

static int each_process(struct kb_store *store, const char *run_id, struct kb_statement *list,
		       int (*visit)(void *, const struct kb_stored_process *), void *context)
{
	struct process_task task = { run_id, visit, context };

	return kb_sql_each_row(store, list, "SELECT \"row\", outcome, launch, record_length, record, run, checksum FROM launch WHERE number = ?", visit_process, &task);
}

int kb_store_all_processes(struct kb_store *store, const char *run_id,
			 int (*visit)(void *, const struct kb_stored_process *), void *context)
{
	struct kb_statement *list;
	int64_t run;

	return kb_sql_run_number(store, run_id, &run) ?:
	       kb_sql_prepare(store, &list, "SELECT number FROM launch WHERE run = ? ORDER BY launch, number", "i", run) ?:
	       each_process(store, run_id, list, visit, context);
}

/* A name as it is shown may be another one than its records stand under: that of version 1, or one that had to be made visible. */
int kb_store_each_process(struct kb_store *store, const char *run_id, const char *row,
			  int (*visit)(void *, const struct kb_stored_process *), void *context)
{
	struct kb_statement *list;
	int64_t run;

	return kb_sql_run_number(store, run_id, &run) ?: kb_sql_prepare(store, &list,
			"SELECT number FROM launch WHERE run = ?1 AND (\"row\" = ?2 OR \"row\" = replace(?2, ' interference=', ' beside=') OR \"row\" IN"
			" (SELECT summary.\"row\" FROM result JOIN summary ON summary.number = result.number WHERE result.run = ?1 AND"
			" benchmark || CASE parameters WHEN '' THEN '' ELSE ' ' || parameters END = ?2)) ORDER BY launch, number", "it", run, row) ?:
	       each_process(store, run_id, list, visit, context);
}

int kb_store_recent_runs(struct kb_store *store, const char *environment, int64_t cpu, char (*ids)[37], unsigned room, unsigned *count)
{
	struct kb_statement *statement;
	int found = kb_sql_prepare(store, &statement,
		"SELECT id FROM run_facts CROSS JOIN run ON run.number = run_facts.run WHERE environment = ? AND cpu = ? AND side = 0"
		" ORDER BY run_facts.started DESC, id DESC LIMIT ?", "tiu", environment, cpu, room);

	*count = 0;
	while (!found && *count < room && (found = kb_sql_step(statement)) > 0) {
		kb_visible_copy(ids[(*count)++], sizeof *ids, kb_sql_text(statement, 0));
		found = 0;
	}
	kb_sql_finalize(statement);
	return found;
}

/* Takes the statement; ids gets its first two rows' ids. Returns how many there were, at most two, or -errno. */
static int take_ids(struct kb_statement *statement, char ids[2][KB_RUN_ID_MAX + 1])
{
	int count = 0, found = 0;

	while (count < 2 && (found = kb_sql_step(statement)) > 0) {
		struct kb_text copy = kb_text_in(ids[count++], KB_RUN_ID_MAX + 1);

		kb_text_str(&copy, kb_sql_text(statement, 0));
	}
	kb_sql_finalize(statement);
	return found < 0 ? found : count;
}

bool kb_store_counts_back(const char *name, uint64_t *back)
{
	struct kb_span rest = { name, strlen(name) };

	*back = 0;
	if (!kb_span_starts(rest, "last"))
		return false;
	rest.at += 4;
	rest.length -= 4;
	if (!rest.length)
		return true;
	return *rest.at == '~' && kb_span_u64((struct kb_span){ rest.at + 1, rest.length - 1 }, back) && *back <= INT64_MAX;
}

/* In this order: what is written out in full (id, then label) wins over a prefix, so every label can be reached. */
static const char *const run_searches[] = {
	"SELECT id FROM run WHERE id = ?",
	"SELECT id FROM run WHERE label = ? ORDER BY started DESC, id DESC LIMIT 1",
	"SELECT id FROM run WHERE id >= ? AND id < ? ORDER BY started DESC, id DESC LIMIT 2",
};

static int search_names(struct kb_store *store, const char *const searches[3], const char *name, char ids[2][KB_RUN_ID_MAX + 1])
{
	char behind[KB_RUN_ID_MAX + sizeof KB_LAST_CHARACTER];
	struct kb_statement *statement;
	int found = 0;

	/* Every id starts with nothing, and most runs have no label: "" names no run. */
	snprintf(behind, sizeof behind, "%.36s" KB_LAST_CHARACTER, name);
	for (size_t i = 0; *name && !found && i < 3; i++)
		found = kb_sql_prepare(store, &statement, searches[i], i == 2 ? "tt" : "t", name, behind) ?: take_ids(statement, ids);
	return found;
}

static int search(struct kb_store *store, const char *name, char ids[2][KB_RUN_ID_MAX + 1])
{
	struct kb_statement *statement;
	uint64_t back;

	if (kb_store_counts_back(name, &back))
		return kb_sql_prepare(store, &statement, "SELECT id FROM run WHERE number <= ? ORDER BY number DESC LIMIT 1 OFFSET ?", "ii", INT64_MAX, (int64_t)back) ?:
		       take_ids(statement, ids);
	return search_names(store, run_searches, name, ids);
}

/* By the order in which runs came into the store, which is that of their numbers: the first question of each ends at its first row. */
#define NEWEST_FLEET \
	"SELECT fleet FROM run_facts WHERE run <= ? AND fleet <> '' ORDER BY run DESC LIMIT 1"

/* Older ones are counted by their last runs: that passes over all runs of fleets, in an index. */
#define NTH_FLEET \
	"SELECT fleet FROM run_facts WHERE fleet <> '' GROUP BY fleet ORDER BY max(run) DESC LIMIT 1 OFFSET ?"

/* As of runs; all of an id stands before those of which it is a prefix. */
static const char *const fleet_searches[] = {
	"SELECT fleet FROM run_facts WHERE fleet = ? LIMIT 1",
	"SELECT fleet FROM run CROSS JOIN run_facts ON run_facts.run = run.number WHERE label = ? AND fleet <> ''"
	" ORDER BY run.started DESC, run.id DESC LIMIT 1",
	"SELECT fleet FROM run_facts WHERE fleet >= ? AND fleet < ? AND fleet <> '' GROUP BY fleet ORDER BY fleet LIMIT 2",
};

int kb_store_find_fleet(struct kb_store *store, const char *name, char id[37])
{
	char ids[2][KB_RUN_ID_MAX + 1];
	struct kb_statement *statement;
	uint64_t back;
	int found;

	if (kb_store_counts_back(name, &back))
		found = (back == 0 ? kb_sql_prepare(store, &statement, NEWEST_FLEET, "i", INT64_MAX) :
			 kb_sql_prepare(store, &statement, NTH_FLEET, "i", (int64_t)back)) ?: take_ids(statement, ids);
	else
		found = search_names(store, fleet_searches, name, ids);
	if (found < 0)
		return found;
	if (!found)
		return kb_sql_say(store, ENOENT, "no fleet \"%s\" in the store %s; see `kbench runs`", name, store->path);
	if (found > 1)
		return kb_sql_say(store, ENOTUNIQ, "\"%s\" fits several fleets in the store %s; type more of the id", name, store->path);
	memcpy(id, ids[0], sizeof ids[0]);
	return 0;
}

/* So does the list. */
#define EACH_FLEET(which) \
	"SELECT fleet, min(started) FROM run_facts WHERE fleet <> ''" which " GROUP BY fleet ORDER BY max(started) DESC, fleet DESC"
#define SHARING " AND fleet IN (SELECT fleet FROM run_facts WHERE node IN (SELECT node FROM run_facts WHERE fleet = ?))"

int kb_store_each_fleet(struct kb_store *store, const char *near, int (*visit)(void *, const struct kb_stored_fleet *), void *context)
{
	struct kb_statement *statement;
	int found = near ? kb_sql_prepare(store, &statement, EACH_FLEET(SHARING), "t", near) : kb_sql_prepare(store, &statement, EACH_FLEET(""), "");

	if (found)
		return found;
	while ((found = kb_sql_step(statement)) > 0) {
		char id[KB_RUN_ID_MAX + 1], started[24];

		kb_visible_copy(id, sizeof id, kb_sql_text(statement, 0));
		kb_visible_copy(started, sizeof started, kb_sql_text(statement, 1));
		found = visit(context, &(struct kb_stored_fleet){ id, started });
		if (found)
			break;
	}
	kb_sql_finalize(statement);
	return found;
}

int kb_store_find_run(struct kb_store *store, const char *name, char id[37])
{
	char ids[2][KB_RUN_ID_MAX + 1];
	int found = search(store, name, ids);

	if (found < 0)
		return found;
	if (!found)
		return kb_sql_say(store, ENOENT, "no run \"%s\" in the store %s; see `kbench runs`", name, store->path);
	if (found > 1)
		return kb_sql_say(store, ENOTUNIQ, "\"%s\" fits several runs in the store %s, %s and %s among them; type more "
				  "of the id", name, store->path, ids[0], ids[1]);
	memcpy(id, ids[0], sizeof(ids[0]));
	return 0;
}
