/*
 * Opening a store on a server. Who one is, and by which password, certificate or ticket, is libpq's affair: ~/.pgpass, a service file,
 * environment variables. A password in the address itself would stand in the list of processes, in the shell's history and in records.
 */
#include "store/postgres.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_SECONDS "10"            /* unless PGCONNECT_TIMEOUT or the address has another */
#define LOST_MS "60000"                 /* nobody acknowledges what was sent: the connection is lost */

static bool is_secret(const char *keyword)
{
	return strcmp(keyword, "password") == 0 || strcmp(keyword, "sslpassword") == 0;
}

static int check_address(struct kb_store *store)
{
	char *message = NULL;
	PQconninfoOption *options = PQconninfoParse(store->path, &message);
	bool secret = false;
	int error = 0;

	for (PQconninfoOption *option = options; option && option->keyword; option++)
		secret |= is_secret(option->keyword) && option->val && *option->val;
	if (!options)
		error = kb_sql_say(store, EINVAL, "the store's address %s cannot be used: %.*s; give postgresql://HOST/DATABASE", store->path,
				   message ? (int)strcspn(message, "\n") : 13, message ? message : "out of memory");
	PQconninfoFree(options);
	PQfreemem(message);
	/* The line must not have it either. */
	return secret ? kb_sql_say(store, EINVAL, "the store's address has a password, which others could read: put it into ~/.pgpass, or name a "
				   "service of ~/.pg_service.conf") : error;
}

static void say_nothing(void *context, const char *message)
{
	(void)context, (void)message;
}

/* A server that answers, but not to us, will not do so in a minute; one that starts, or is not there, may. */
static int refuse(struct kb_store *store, const PGconn *link, bool answers)
{
	const char *message = PQerrorMessage(link), *last = strstr(message, "FATAL:");

	message = last ? last + 6 + strspn(last + 6, " ") : message;
	return kb_sql_say(store, answers ? EACCES : ENOTCONN, "cannot open the store %s: %.*s; %s", store->path, (int)strcspn(message, "\n"), message,
			  answers ? "ask the server's administrator" : "look whether the server runs and can be reached");
}

static const char session[] =
	"SET search_path = kbench, pg_catalog; SET TimeZone = 'UTC'; SET IntervalStyle = 'postgres'; SET bytea_output = 'hex';"
	"SET extra_float_digits = 1; SET client_min_messages = 'error'; SET standard_conforming_strings = on;";

/* A server that has just begun to answer refuses us and answers the ping behind it: so a refusal counts the second time. */
static int connect_server(struct kb_store *store, struct kb_postgres *server)
{
	const char *const keywords[] = { "connect_timeout", "tcp_user_timeout", "dbname", "client_encoding", "fallback_application_name", NULL };
	const char *const values[] = { getenv("PGCONNECT_TIMEOUT") ?: CONNECT_SECONDS, LOST_MS, store->path, "UTF8", "kbench", NULL };

	for (int tries = 0; tries < 2; tries++) {
		PQfinish(server->link);
		server->link = PQconnectdbParams(keywords, values, 1);
		if (PQstatus(server->link) == CONNECTION_OK)
			return 0;
		if (!server->link)
			return kb_sql_out_of_memory(store);
		if (PQpingParams(keywords, values, 1) != PQPING_OK)
			return refuse(store, server->link, false);
	}
	return refuse(store, server->link, true);
}

static int check_server(struct kb_store *store, const struct kb_postgres *server)
{
	PQsetNoticeProcessor(server->link, say_nothing, NULL);
	if (PQserverVersion(server->link) < 130000)
		return kb_sql_say(store, EPROTO, "the server of the store %s is PostgreSQL %d; 13 or newer is needed", store->path,
				  PQserverVersion(server->link) / 10000);
	return PQenterPipelineMode(server->link) ? 0 : kb_postgres_fail(store, "use", NULL);
}

int kb_postgres_open(struct kb_store *store)
{
	struct kb_postgres *server;
	int error = check_address(store);

	if (error || store->mode == KB_STORE_NAME)
		return error;
	store->connection = server = calloc(1, sizeof *server);
	if (!server)
		return kb_sql_out_of_memory(store);
	error = connect_server(store, server) ?: check_server(store, server) ?: kb_postgres_exec(store, session);
	if (!error)
		error = kb_postgres_update_schema(store, store->mode == KB_STORE_WRITE);
	if (!error && store->mode == KB_STORE_READ)
		error = kb_postgres_exec(store, "SET default_transaction_read_only = on");
	return error;
}
