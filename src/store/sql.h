/*
 * Inside the store: what its files share. Nobody outside src/store includes this.
 * The queries are written once, in the SQL that SQLite and PostgreSQL share; an engine executes them. What the engines do differently is
 * a function of the engine or a word that it translates (postgres.c).
 */
#ifndef KB_STORE_SQL_H
#define KB_STORE_SQL_H

#include <limits.h>

#include "store/store.h"

/* A value of a statement. bytes: not copied before the statement is bound, not needed afterwards. */
struct kb_sql_value {
	enum kb_sql_kind { KB_SQL_NULL, KB_SQL_WHOLE, KB_SQL_REAL, KB_SQL_TEXT, KB_SQL_BLOB } kind;
	int64_t whole;
	double real;
	const void *bytes;              /* a text ends with a null byte */
	size_t length;                  /* of a blob */
};

/* Prepared, bound and stepped. An engine's statement begins with it. */
struct kb_statement { struct kb_store *store; };

struct kb_engine {
	int (*prepare)(struct kb_store *, struct kb_statement **, const char *sql);
	int (*bind)(struct kb_statement *, unsigned index, const struct kb_sql_value *);        /* index: from 1 */
	int (*step)(struct kb_statement *);                             /* 1: there is a row, 0: no more rows, or -errno */
	int (*run)(struct kb_statement *);                              /* of one without rows; its error may come as late as that of kb_store_end */
	void (*reset)(struct kb_statement *);                           /* to be stepped again */
	void (*finalize)(struct kb_statement *);
	struct kb_sql_value (*column)(struct kb_statement *, unsigned column, enum kb_sql_kind wanted); /* until the next step */
	int (*exec)(struct kb_store *, const char *sql);                /* statements without values or rows */
	bool (*in_transaction)(struct kb_store *);
	void (*roll_back)(struct kb_store *);
	int (*has_table)(struct kb_store *, const char *name);
	int64_t (*new_number)(struct kb_store *);                       /* of a row to be inserted; 0: the engine finds one itself, or -errno */
	int64_t (*last_number)(struct kb_store *);                      /* that it found */
	int (*ready_month)(struct kb_store *, const char *started);     /* before a run of this time is added, outside of transactions */
	int64_t (*bytes)(struct kb_store *);
	int (*free_bytes)(struct kb_store *, int64_t *);
	int (*compact)(struct kb_store *);
	bool (*has_moved)(struct kb_store *);                           /* as kb_store_has_moved */
	int (*mend)(struct kb_store *, bool *indexes);                  /* as kb_store_mend */
	int (*check_owner)(struct kb_store *);                          /* -EACCES with its line: who asks may remove nothing */
	int (*remove_doomed)(struct kb_store *);                        /* the runs whose numbers are in the table doomed, with all that is of them */
	int (*empty_months)(struct kb_store *, const char *before);     /* whole months of old records; what it leaves goes row by row */
	void (*close)(struct kb_store *);
	const char *begin, *make_doomed;
	bool by_month;                  /* records and JSON have the time of their run, by which they are partitioned */
	bool whole_answers;             /* a step returns all rows at once: who asks had better ask for few */
	bool remembers_run;             /* a run's number is not asked for each row that is added to it: that takes as long as adding it */
};

extern const struct kb_engine kb_sqlite_engine, kb_postgres_engine;

/* A run's id as stored: a uuid's text, what kb_store_find_run's buffer holds. */
#define KB_RUN_ID_MAX 36

/* What is needed of a run to add to it. */
struct kb_run_place { char id[KB_RUN_ID_MAX + 1], started[24], environment[64]; int64_t number; json_t *env; };

struct kb_store {
	const struct kb_engine *engine;
	void *connection;               /* the engine's */
	enum kb_store_mode mode;
	char *path;                     /* as it was given; NULL when no place was found; sqlite3_free */
	char shown[PATH_MAX];           /* the same, visible: for people */
	char error[PATH_MAX + 512];     /* one line; "" while nothing failed */
	struct kb_run_place last;       /* the last run that was added to */
};

/* Sets the line for people, control bytes made visible as '?', and returns -error. */
int kb_sql_say(struct kb_store *, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "cannot VERB the store PATH: reason; advice". reason, advice NULL: those of the error. */
int kb_sql_cannot(struct kb_store *, const char *verb, int error, const char *reason, const char *advice);

int kb_sql_out_of_memory(struct kb_store *);

/* Prepares and binds: one letter a value, 't' const char * (NULL is ""), 'i' int64_t, 'k' the same and 0 is NULL, 'u' unsigned, 'd' double,
   'b' const void * and size_t. sql NULL: there was no memory for it. On error *statement is NULL. */
int kb_sql_prepare(struct kb_store *, struct kb_statement **statement, const char *sql, const char *types, ...);

int kb_sql_bind(struct kb_statement *, unsigned index, const struct kb_sql_value *);
int kb_sql_step(struct kb_statement *);
void kb_sql_reset(struct kb_statement *);
void kb_sql_finalize(struct kb_statement *);            /* NULL: nothing */

/* Columns from 0. text: "" for NULL, which only a damaged store holds. */
const char *kb_sql_text(struct kb_statement *, unsigned column);
int64_t kb_sql_whole(struct kb_statement *, unsigned column);
double kb_sql_real(struct kb_statement *, unsigned column);     /* NAN for NULL */
bool kb_sql_is_null(struct kb_statement *, unsigned column);
const void *kb_sql_blob(struct kb_statement *, unsigned column, size_t *length);

/* Prepares, binds and runs one without rows. -EEXIST when a key is already there. */
int kb_sql_change(struct kb_store *, const char *sql, const char *types, ...);

/* Statements without values or rows; NULL: there was no memory for them. */
int kb_sql_exec(struct kb_store *, const char *sql);

/* The first column of the first row. 1, 0: there is none, or -errno. */
int kb_sql_number(struct kb_store *, int64_t *number, const char *sql, const char *types, ...);

/* 1: the store has a table of that name, 0: not yet, or -errno. */
int kb_sql_has_table(struct kb_store *, const char *name);

/* Begins a transaction unless there is one; `alone` is for kb_sql_end_alone, which ends what this began. started: of the run that is added to
   in it, NULL if it is there already. */
int kb_sql_begin_alone(struct kb_store *, const char *started, bool *alone);
int kb_sql_end_alone(struct kb_store *, bool alone, int error);

/* Hands each number that `list` gives, as the one value of `sql`, to `visit` with its row. Takes `list`. No statement is open while visit's
   callbacks run: it resets the one it gets as soon as it has copied from it. */
typedef int kb_sql_visit(struct kb_statement *, void *task);
int kb_sql_each_row(struct kb_store *, struct kb_statement *list, const char *sql, kb_sql_visit *, void *task);

/* A checksum over values: 't' const char * (NULL is ""), 'i' int64_t, 'd' double. */
int64_t kb_sql_sum(const char *types, ...);

/* Whether a column has this checksum. NULL: it is of an older version, which made none, and everything fits. */
bool kb_sql_sum_fits(struct kb_statement *, unsigned column, int64_t sum);

/* A run by its number, for the functions below. The texts of the third live until the next step. */
#define KB_SQL_RUN_BY_NUMBER \
	"SELECT id, started, finished, label, command, env_class, env, settings, number, checksum FROM run WHERE number = ?"
int64_t kb_sql_run_sum(int64_t number, const struct kb_stored_run *);
bool kb_sql_run_fits(struct kb_statement *);
struct kb_stored_run kb_sql_run_texts(struct kb_statement *);

/* Of a process, but for its record, which has one of its own. */
int64_t kb_sql_process_sum(int64_t run, const char *row, int64_t process, const char *outcome, int64_t record_length);

int64_t kb_sql_comparison_sum(int64_t run, const char *row, const char *json);

/* Of the columns key, k, run, checksum. */
bool kb_sql_floor_fits(struct kb_statement *);

/* Sets the line that says which run is damaged and what to do; returns -EUCLEAN. */
int kb_sql_run_damaged(struct kb_store *, const char *id);

/* kb_store_add_run; copied: of another store. */
int kb_sql_add_run(struct kb_store *, const struct kb_stored_run *, bool copied);

/* The columns of a run that was added; and of one that is changed or repaired, in place of what is there. */
int kb_sql_add_run_facts(struct kb_store *, int64_t number, const struct kb_stored_run *);
int kb_sql_remake_facts(struct kb_store *, int64_t number, const struct kb_stored_run *);

/* What questions about many runs give of each: visible. */
struct kb_run_facts {
	char id[KB_RUN_ID_MAX + 1], label[128], started[24], environment[64], tool[64], node[64], fleet[64], boot[64];
	int64_t cpu;
	char side;
	bool damaged;                   /* neither these nor the run itself are what was stored, and its id may be another one */
};

/* Of these columns, in this order; where they are damaged they are made again from the run. 0 or -errno. */
#define KB_SQL_FACTS \
	"run.number, run.id, label, run_facts.started, run_facts.environment, cpu, side, tool, node, fleet, boot, run_facts.checksum"
#define KB_SQL_FACTS_COUNT 12
bool kb_sql_facts_fit(struct kb_statement *, unsigned column);
int kb_sql_take_facts(struct kb_statement *, unsigned column, struct kb_run_facts *);

/* The columns of a result in SQL: `each` is the printf format of a column's name. sqlite3_free it. */
char *kb_sql_list_columns(const char *before, const char *each, const char *after);

/* Fills a result of a row that has its number, those columns and its checksum. Returns the column behind these. Its run is not known then. */
unsigned kb_sql_take_result(struct kb_statement *, struct kb_stored_result *);

/* Inserts a result's JSON and its columns into a run that has none of this row. */
int kb_sql_add_result(struct kb_store *, const struct kb_run_place *, const char *row, unsigned order, const char *json);

/* Makes the columns of what `from` gives: number, run, position, row, JSON, and of the run its start, environment ID and environment.
   Takes the statement. */
int kb_sql_remake_columns(struct kb_store *, struct kb_statement *from);
int kb_sql_mend_columns(struct kb_store *, int64_t run);         /* of results that are damaged, from JSON that is not */
#define KB_SQL_FROM_SUMMARIES \
	"SELECT summary.number, summary.run, position, \"row\", json, run.started, run.env_class, run.env" \
	" FROM summary CROSS JOIN run ON run.number = summary.run"

/* A row's name in the words of today, of which version 1 had another one for interference, and visible. Free it. */
int kb_sql_row_name(struct kb_store *, const char *stored, char **name);

/* A run's id is plain ASCII; another one is damage: -EUCLEAN, and it is made visible. */
int kb_sql_check_id(struct kb_store *, char *id);

/* The row number of a run. -ENOENT with its line when there is none of this id. */
int kb_sql_run_number(struct kb_store *, const char *run_id, int64_t *number);

/* The same with all that adding to it needs; valid until it is asked of another run. */
int kb_sql_run_place(struct kb_store *, const char *run_id, const struct kb_run_place **);
void kb_sql_remember_run(struct kb_store *, const struct kb_stored_run *, int64_t number);
void kb_sql_forget_run(struct kb_store *);

/* Open what the path names; the store has its path. */
int kb_sqlite_open(struct kb_store *);
int kb_postgres_open(struct kb_store *);

#endif
