/* Inside the engine of files: what its own files share. */
#ifndef KB_STORE_SQLITE_H
#define KB_STORE_SQLITE_H

#include <sqlite3.h>

#include "store/sql.h"

static inline sqlite3 *kb_sqlite_db(const struct kb_store *store)
{
	return store->connection;
}

/* The line of what SQLite says of its last call: "cannot VERB the store PATH: reason; advice". */
int kb_sqlite_fail(struct kb_store *, const char *verb);

/* The same where SQLite itself sees no error: the file or its directory may not be written. */
int kb_sqlite_refused(struct kb_store *, const char *verb);

/* Makes the tables of columns that differ from those of schema `from`, and fills them from what the store has; temp: in memory, as the file may
   not be written. */
int kb_sqlite_make_columns(struct kb_store *, int from, bool temp);

/* Brings the file to this version's schema if it is older, or blank. */
int kb_sqlite_update_schema(struct kb_store *);

/* Whose file it is. *schema: 0 if it is nobody's yet, as a new file is, or one whose maker was killed. Changes nothing. */
int kb_sqlite_identify(struct kb_store *, int *schema);

#endif
