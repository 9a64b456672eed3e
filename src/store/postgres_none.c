/* Without libpq there are no stores of servers. */
#include "store/sql.h"

#include <errno.h>

static void close_nothing(struct kb_store *store)
{
	(void)store;
}

const struct kb_engine kb_postgres_engine = { .close = close_nothing };

int kb_postgres_open(struct kb_store *store)
{
	return kb_sql_say(store, EOPNOTSUPP, "cannot use the store %s: this kbench was built without PostgreSQL; install libpq-dev and build it"
			  " again, or give --store FILE", store->path);
}
