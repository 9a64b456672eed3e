/* The tables: whether a file has ours, how they are made, and how those of an older version become today's. */
#include "store/store.h"

#include <errno.h>

#include "store/sqlite.h"

#define APPLICATION_ID 0x4b42656e       /* "KBen": `file` and we can tell a store from any other SQLite file */

#define RESULTS_SINCE 4                 /* the schema since which results have all of their columns but `waited` */
#define WAITED_SINCE 5

#define STRING(value) #value
#define NUMBER(value) STRING(value)

/*
 * Rows hold JSON or megabytes, so no table is WITHOUT ROWID (that pays below a twentieth of a page), and processes
 * refer to runs by number, not by 36 bytes. launch_order gives processes in their order without sorting records.
 * This is schema 1. Schema 2 only adds to it: columns that are made from what stands here, and tables that some stores of schema 1 have. In
 * schema 3 a result has the environment ID of what was measured; in schema 4 its mean and what disturbed it, and a run the node of a fleet; in
 * schema 5 a result has what it waited for a CPU, and a run its boot; in schema 6 whatever stands beside results has a checksum, as they have.
 */
static const char tables[] =
	"CREATE TABLE run ("
	" number INTEGER PRIMARY KEY,"
	" id TEXT NOT NULL UNIQUE,"
	" started TEXT NOT NULL,"
	" finished TEXT NOT NULL,"
	" label TEXT NOT NULL,"
	" command TEXT NOT NULL,"
	" env_class TEXT NOT NULL,"
	" env TEXT NOT NULL,"
	" settings TEXT NOT NULL);"
	"CREATE INDEX run_order ON run (started, id);"
	"CREATE TABLE launch ("
	" number INTEGER PRIMARY KEY,"
	" run INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,"
	" row TEXT NOT NULL,"
	" launch INTEGER NOT NULL,"
	" outcome TEXT NOT NULL,"
	" record_length INTEGER NOT NULL,"
	" record BLOB NOT NULL,"
	" UNIQUE (run, row, launch));"
	"CREATE INDEX launch_order ON launch (run, launch);"
	"CREATE TABLE summary ("
	" number INTEGER PRIMARY KEY,"
	" run INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,"
	" row TEXT NOT NULL,"
	" position INTEGER NOT NULL,"
	" json TEXT NOT NULL,"
	" UNIQUE (run, row));"
	"PRAGMA application_id = " NUMBER(APPLICATION_ID) ";";

/* A process of an older version, or somebody else, that writes a summary leaves columns which state nothing: that result is told to be
   damaged, not passed over, until it is made again from its records. Our own writing fills them at once. */
#define EMPTY_COLUMNS \
	" ON summary BEGIN DELETE FROM result WHERE number = new.number; INSERT INTO result (number, run, position, benchmark, parameters, started)" \
	" SELECT new.number, new.run, new.position, substr(new.row, 1, instr(new.row || ' ', ' ') - 1)," \
	" substr(new.row, instr(new.row || ' ', ' ') + 1), started FROM run WHERE number = new.run; END;"

static const char triggers[] =
	"CREATE TRIGGER summary_added AFTER INSERT" EMPTY_COLUMNS
	"CREATE TRIGGER summary_changed AFTER UPDATE" EMPTY_COLUMNS;

static const char others[] =
	"CREATE TABLE IF NOT EXISTS comparison ("
	" number INTEGER PRIMARY KEY,"
	" run INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,"
	" row TEXT NOT NULL,"
	" json TEXT NOT NULL,"
	" UNIQUE (run, row));"
	"CREATE TABLE IF NOT EXISTS floor ("
	" run INTEGER PRIMARY KEY REFERENCES run (number) ON DELETE CASCADE,"
	" key TEXT NOT NULL,"
	" k REAL NOT NULL);"
	"CREATE INDEX run_label ON run (label, started, id);"
	"CREATE INDEX floor_key ON floor (key);";

struct identity { int64_t application, version, objects; };

/* In one statement, so that all three are of one moment: another process may be making the store right now. */
static int read_identity(struct kb_store *store, struct identity *identity)
{
	struct kb_statement *statement;
	int found = kb_sql_prepare(store, &statement,
				   "SELECT (SELECT application_id FROM pragma_application_id),"
				   " (SELECT user_version FROM pragma_user_version), count(*) FROM sqlite_master", "");

	if (found)
		return found;
	found = kb_sql_step(statement);
	if (found > 0)
		*identity = (struct identity){ kb_sql_whole(statement, 0), kb_sql_whole(statement, 1),
			kb_sql_whole(statement, 2) };
	kb_sql_finalize(statement);
	return found < 0 ? found : 0;
}

int kb_sqlite_identify(struct kb_store *store, int *schema)
{
	struct identity is = { 0 };
	int error = read_identity(store, &is);

	*schema = 0;
	if (error || (!is.application && !is.version && !is.objects))
		return error;
	if (is.application != APPLICATION_ID)
		return kb_sql_say(store, EUCLEAN, "%s is a database of another program; give --store FILE", store->path);
	if (is.version > KB_STORE_SCHEMA)
		return kb_sql_say(store, EPROTO, "the store %s has schema %lld, this kbench knows %d; use a newer kbench or "
				  "give --store FILE", store->path, (long long)is.version, KB_STORE_SCHEMA);
	if (is.version < 1 || !is.objects)
		return kb_sql_say(store, EUCLEAN, "the store %s is damaged: no schema; move it away or give --store FILE",
				  store->path);
	*schema = (int)is.version;
	return 0;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static int fill_facts(struct kb_statement *statement, void *nothing)
{
	(void)nothing;

	struct kb_stored_run run = kb_sql_run_texts(statement);
	int error = kb_sql_add_run_facts(statement->store, kb_sql_whole(statement, 8), &run);

	kb_sql_reset(statement);
	return error;
}

/* Runs the statements and frees them. */
static int run_made(struct kb_store *store, char *sql)
{
	int error = kb_sql_exec(store, sql);

	sqlite3_free(sql);
	return error;
}

static int make_facts(struct kb_store *store, const char *schema)
{
	struct kb_statement *list;

	return run_made(store, sqlite3_mprintf("CREATE TABLE %srun_facts (run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE, started, environment,"
					       " cpu, side, tool, node, fleet, boot, checksum);", schema)) ?:
	       kb_sql_prepare(store, &list, "SELECT number FROM run", "") ?:
	       kb_sql_each_row(store, list, KB_SQL_RUN_BY_NUMBER, fill_facts, NULL) ?:
	       run_made(store, sqlite3_mprintf("CREATE INDEX %srun_alike ON run_facts (environment, cpu, side, started);"
					       "CREATE INDEX %srun_fleet ON run_facts (fleet, started);"
					       "CREATE INDEX %srun_since ON run_facts (started);", schema, schema, schema));
}

static int make_results(struct kb_store *store, const char *schema)
{
	char *before = sqlite3_mprintf("CREATE TABLE %sresult (number INTEGER PRIMARY KEY REFERENCES summary ON DELETE CASCADE", schema);
	struct kb_statement *statement;
	int error = run_made(store, before ? kb_sql_list_columns(before, ", %s", ", checksum);") : NULL);

	sqlite3_free(before);
	/* Indexes last: they are made faster of all rows at once. */
	return error ?: kb_sql_prepare(store, &statement, KB_SQL_FROM_SUMMARIES, "") ?: kb_sql_remake_columns(store, statement) ?:
	       run_made(store, sqlite3_mprintf(
		"CREATE INDEX %sresult_of_run ON result (run, position);"
		"CREATE INDEX %sresult_series ON result (benchmark, parameters, started, environment);", schema, schema));
}

/* Of results that are kept, which may be millions. Nothing is known of them. */
static int add_waited(struct kb_store *store, bool temp)
{
	return kb_sql_exec(store, temp ? "CREATE TEMP VIEW result AS SELECT *, NULL AS waited FROM main.result" : "ALTER TABLE result ADD COLUMN waited");
}

/* Tables of schema 1, and a column of schema 6 that nothing is known of: what is there already may be megabytes. */
static const struct { const char *add, *view; } summed[] = {
#define SUMMED(table) { "ALTER TABLE " table " ADD COLUMN checksum", "CREATE TEMP VIEW " table " AS SELECT *, NULL AS checksum FROM main." table }
	SUMMED("run"), SUMMED("launch"), SUMMED("comparison"), SUMMED("floor"),
};

static int add_checksums(struct kb_store *store, bool temp)
{
	int error = 0;

	for (size_t i = 0; i < sizeof summed / sizeof *summed && !error; i++)
		error = kb_sql_exec(store, temp ? summed[i].view : summed[i].add);
	return error;
}

int kb_sqlite_make_columns(struct kb_store *store, int from, bool temp)
{
	const char *schema = temp ? "temp." : "";
	/* What is kept in memory cannot refer to the file. */
	int error = temp ? kb_sql_exec(store, "PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF") : 0;

	error = error ?: add_checksums(store, temp);
	if (!error && from < WAITED_SINCE)
		error = from < RESULTS_SINCE ? make_results(store, schema) : add_waited(store, temp);
	return error ?: make_facts(store, schema);
}

/* One transaction: a kill in the middle leaves the file as it was. */
int kb_sqlite_update_schema(struct kb_store *store)
{
	int schema = 0, error = kb_store_begin(store);

	if (error)
		return error;
	/* Another process may have been first while we waited for the lock. */
	error = kb_sqlite_identify(store, &schema);
	if (!error && schema == 0)
		error = kb_sql_exec(store, tables);
	/* Columns are made from what schema 1 has: those of versions between are not worth keeping, but for a result's, which may be millions. */
	if (!error && schema >= 2 && schema < RESULTS_SINCE)
		error = kb_sql_exec(store, "DROP TABLE result");
	if (!error && schema >= 2 && schema < KB_STORE_SCHEMA)
		error = kb_sql_exec(store, "DROP TABLE run_facts");
	if (!error && schema < 2)
		error = kb_sql_exec(store, others);
	if (!error && schema < KB_STORE_SCHEMA)
		error = kb_sqlite_make_columns(store, schema, false);
	if (!error && schema < 2)
		error = kb_sql_exec(store, triggers);
	if (!error)
		error = kb_sql_exec(store, "PRAGMA user_version = " NUMBER(KB_STORE_SCHEMA));
	return kb_store_end(store, error);
}
