/* Inside the store: what its SQLite files share. Nobody outside src/store includes this. */
#ifndef KB_STORE_SQLITE_H
#define KB_STORE_SQLITE_H

#include <limits.h>
#include <sqlite3.h>

#include "store/store.h"

struct kb_store {
	sqlite3 *db;
	enum kb_store_mode mode;
	char *path;                     /* as it was given; NULL when no place was found; sqlite3_free */
	char shown[PATH_MAX];           /* the same, visible: for people */
	char error[PATH_MAX + 512];     /* one line; "" while nothing failed */
};

/* A run's id as stored: a uuid's text, what kb_store_find_run's buffer holds. */
#define KB_RUN_ID_MAX 36

/* Sets the line for people, control bytes made visible as '?', and returns -error. */
int kb_sql_say(struct kb_store *, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same from what SQLite says of its last call: "cannot VERB the store PATH: reason; advice". */
int kb_sql_fail(struct kb_store *, const char *verb);

/* The same where SQLite itself sees no error: the file or its directory may not be written. */
int kb_sql_refused(struct kb_store *, const char *verb);

/* Statements without values or rows; NULL: there was no memory for them. */
int kb_sql_exec(struct kb_store *, const char *sql);

/* Prepares and binds: one letter a value, 't' const char * (NULL is ""), 'i' int64_t, 'u' unsigned, 'd' double. sql NULL: there was no
   memory for it. On error *statement is NULL. */
int kb_sql_prepare(struct kb_store *, sqlite3_stmt **statement, const char *sql, const char *types, ...);

/* 1: there is a row, 0: no more rows, or -errno. */
int kb_sql_step(struct kb_store *, sqlite3_stmt *);

/* Steps a statement that gives no rows to its end and finalizes it. -EEXIST when a key is already there. */
int kb_sql_run(struct kb_store *, sqlite3_stmt *);

/* Prepares, binds and runs one. */
int kb_sql_change(struct kb_store *, const char *sql, const char *types, ...);

/* The first column of the first row. 1, 0: there is none, or -errno. */
int kb_sql_number(struct kb_store *, int64_t *number, const char *sql, const char *types, ...);

/* 1: the store has a table of that name, 0: not yet, or -errno. */
int kb_sql_has_table(struct kb_store *, const char *name);

/* Makes the tables of columns, and fills them from what the store has; temp: in memory, as the file may not be written. */
int kb_sql_make_columns(struct kb_store *, bool temp);

/* Makes the environment IDs of schema 2 those of this one. */
int kb_sql_fill_environments(struct kb_store *);

/* The columns of a run that was added. */
int kb_sql_add_run_facts(struct kb_store *, const char *run_id);

/* Brings the file to this version's schema if it is older, or blank. */
int kb_sql_update_schema(struct kb_store *);

/* Whose file it is. *schema: 0 if it is nobody's yet, as a new file is, or one whose maker was killed. Changes nothing. */
int kb_sql_identify(struct kb_store *, int *schema);

/* A row's name in the words of today, of which version 1 had another one for interference, and visible. Free it. */
int kb_sql_row_name(struct kb_store *, const char *stored, char **name);

/* A run's id is plain ASCII; another one is damage: -EUCLEAN, and it is made visible. */
int kb_sql_check_id(struct kb_store *, char *id);

/* The row number of a run. -ENOENT with its line when there is none of this id. */
int kb_sql_run_number(struct kb_store *, const char *run_id, int64_t *number);

#endif
