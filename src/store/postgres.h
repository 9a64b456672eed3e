/* Inside the engine of servers: what its own files share. */
#ifndef KB_STORE_POSTGRES_H
#define KB_STORE_POSTGRES_H

#include <libpq-fe.h>

#include "store/sql.h"

/* A statement that the server has prepared: by its text, under a name of its own. */
struct kb_pg_prepared { char *sql; unsigned name; };

struct kb_postgres {
	PGconn *link;
	bool in_transaction;
	unsigned unseen;                /* statements that were sent and whose results were not looked at */
	int64_t number, numbers;        /* numbers of rows that are reserved: the next, and how many */
	char month[8];                  /* that has its partitions */
	struct kb_pg_prepared *prepared;
	size_t prepared_count;
	unsigned names;
};

static inline struct kb_postgres *kb_postgres_of(const struct kb_store *store)
{
	return store->connection;
}

/* The line and the -errno of a failed result; NULL: of the connection. */
int kb_postgres_fail(struct kb_store *, const char *verb, const PGresult *);

/* Statements without values at once, outside of the pipeline. */
int kb_postgres_exec(struct kb_store *, const char *sql);

/* Makes the store's tables in the database, or brings them to this version's schema. make: also where there are none. */
int kb_postgres_update_schema(struct kb_store *, bool make);

/* How old runs and records go: postgres_retain.c. */
extern const char kb_postgres_make_doomed[];
int kb_postgres_check_owner(struct kb_store *);
int kb_postgres_remove_doomed(struct kb_store *);
int kb_postgres_compact(struct kb_store *);
int kb_postgres_empty_months(struct kb_store *, const char *before);

#endif
