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

/* The same where SQLite itself sees no error: the file or its folder may not be written. */
int kb_sql_refused(struct kb_store *, const char *verb);

/* Prepares and binds: one letter a value, 't' const char * (NULL is ""), 'i' int64_t, 'u' unsigned, 'd' double. Texts are not
   copied and must outlive the statement. On error *statement is NULL. */
int kb_sql_prepare(struct kb_store *, sqlite3_stmt **statement, const char *sql, const char *types, ...);

/* 1: there is a row, 0: no more rows, or -errno. */
int kb_sql_step(struct kb_store *, sqlite3_stmt *);

/* Steps a statement that gives no rows to its end and finalizes it. -EEXIST when a key is already there. */
int kb_sql_run(struct kb_store *, sqlite3_stmt *);

/* 1: the store has a table of that name, 0: not yet, or -errno. */
int kb_sql_has_table(struct kb_store *, const char *name);

/* The row number of a run. -ENOENT with its line when there is none of this id. */
int kb_sql_run_number(struct kb_store *, const char *run_id, int64_t *number);

#endif
