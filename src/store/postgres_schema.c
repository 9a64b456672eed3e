/*
 * The tables on a server, in a schema of their own. A migration a version: an older store is brought to this one by whoever may change it.
 * Records, JSON and results are partitioned by the month in which their run began, so that old months can be looked at, moved or dropped by
 * themselves. Times are kept as they are in files, ISO 8601 as text, which sorts and is compared alike everywhere; a run has its own also as
 * a time. Texts sort by their bytes, as they do in files. JSON is text, byte for byte: a result's checksum is that of its JSON, and what cannot
 * be read any more must not hide its run.
 */
#include "store/postgres.h"

#include <errno.h>

#define TEXT "text COLLATE \"C\" NOT NULL"
#define OF_RUN "bigint NOT NULL REFERENCES run (number) ON DELETE CASCADE"
#define BY_MONTH ") PARTITION BY RANGE (started);"

static const char tables[] =
	"CREATE SCHEMA IF NOT EXISTS kbench;"
	"CREATE TABLE version (only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one), number integer NOT NULL);"
	"INSERT INTO version (number) VALUES (0);"
	"CREATE SEQUENCE number INCREMENT 256;"         /* NUMBERS in postgres.c */
	/* What is no date and time of ours has none here. */
	"CREATE FUNCTION instant(started text) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$"
	" SELECT CASE WHEN started ~ '^\\d{4}-(0[1-9]|1[0-2])-([0-2]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\dZ$'"
	" THEN make_timestamptz(substr(started, 1, 4)::int, substr(started, 6, 2)::int, 1, substr(started, 12, 2)::int, substr(started, 15, 2)::int,"
	" substr(started, 18, 2)::int, 'UTC') + (substr(started, 9, 2)::int - 1) * interval '24 hours' END $$;"
	"CREATE TABLE run (number bigint PRIMARY KEY, id " TEXT " UNIQUE, started " TEXT ", finished " TEXT ", label " TEXT ", command text NOT NULL,"
	" env_class " TEXT ", env text NOT NULL, settings text NOT NULL, at timestamptz GENERATED ALWAYS AS (instant(started)) STORED);"
	"CREATE INDEX run_order ON run (started, id);"
	"CREATE INDEX run_label ON run (label, started, id);"
	"CREATE INDEX run_at ON run USING brin (at);"
	"CREATE TABLE run_facts (run bigint PRIMARY KEY REFERENCES run (number) ON DELETE CASCADE, started " TEXT ", environment " TEXT ", cpu bigint NOT NULL,"
	" side smallint NOT NULL, tool " TEXT ", node " TEXT ", fleet " TEXT ");"
	"CREATE INDEX run_alike ON run_facts (environment, cpu, side, started);"
	"CREATE INDEX run_fleet ON run_facts (fleet, started);"
	"CREATE INDEX run_since ON run_facts (started);"
	"CREATE TABLE launch (number bigint NOT NULL, run " OF_RUN ", \"row\" " TEXT ", launch integer NOT NULL, outcome " TEXT ", record_length bigint NOT NULL,"
	" record bytea NOT NULL, started " TEXT ", PRIMARY KEY (number, started), UNIQUE (run, \"row\", launch, started)" BY_MONTH
	"ALTER TABLE launch ALTER COLUMN record SET STORAGE EXTERNAL;"         /* it is packed */
	"CREATE INDEX launch_order ON launch (run, launch);"
	"CREATE TABLE summary (number bigint NOT NULL, run " OF_RUN ", \"row\" " TEXT ", position integer NOT NULL, json text NOT NULL, started " TEXT ","
	" PRIMARY KEY (number, started), UNIQUE (run, \"row\", started)" BY_MONTH
	/* In the order of results.c. */
	"CREATE TABLE result (number bigint NOT NULL, run " OF_RUN ", position integer NOT NULL, benchmark " TEXT ", parameters " TEXT ", environment " TEXT ","
	" started " TEXT ", value double precision, low double precision, high double precision, cycles double precision, cycles_low double precision,"
	" cycles_high double precision, ratio double precision, ratio_low double precision, ratio_high double precision, quiet double precision,"
	" sample_ns double precision, mean double precision, clean double precision, disturbed double precision, mhz double precision,"
	" n_max bigint, processes bigint, unit " TEXT ", per " TEXT ", clock " TEXT ", method " TEXT ", bound " TEXT ","
	" headline " TEXT ", status " TEXT ", json_sum bigint NOT NULL, checksum bigint NOT NULL, PRIMARY KEY (number, started)" BY_MONTH
	"CREATE INDEX result_of_run ON result (run, position);"
	"CREATE INDEX result_series ON result (benchmark, parameters, started, environment);"
	"CREATE TABLE launch_other PARTITION OF launch DEFAULT;"
	"CREATE TABLE summary_other PARTITION OF summary DEFAULT;"
	"CREATE TABLE result_other PARTITION OF result DEFAULT;"
	"CREATE TABLE comparison (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run " OF_RUN ", \"row\" " TEXT ", json text NOT NULL,"
	" UNIQUE (run, \"row\"));"
	"CREATE TABLE floor (run bigint PRIMARY KEY REFERENCES run (number) ON DELETE CASCADE, key " TEXT ", k double precision NOT NULL);"
	"CREATE INDEX floor_key ON floor (key);";

/*
 * Partitions are made by whoever writes the first run of a month, by the owner's leave. The lock stops everybody else, who may hold another one
 * that we need: so it is given up after a moment, and asked for again by the caller. Of a month whose rows are among all others already
 * none are made.
 */
static const char months[] =
	"CREATE FUNCTION ready_month(month text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = kbench, pg_temp"
	" SET lock_timeout = '200ms' AS $$"
	" DECLARE suffix text := replace(month, '-', '_'); next_month text; part text;"
	" BEGIN"
	" IF month !~ '^20\\d\\d-(0[1-9]|1[0-2])$' THEN RETURN false; END IF;"
	" IF to_regclass('result_' || suffix) IS NOT NULL THEN RETURN true; END IF;"
	" next_month := to_char(to_date(month, 'YYYY-MM') + interval '1 month', 'YYYY-MM');"
	" LOCK TABLE launch, summary, result IN ACCESS EXCLUSIVE MODE;"
	" IF to_regclass('result_' || suffix) IS NOT NULL THEN RETURN true; END IF;"
	" FOREACH part IN ARRAY ARRAY['launch', 'summary', 'result'] LOOP"
	" EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', part || '_' || suffix, part, month, next_month);"
	" END LOOP;"
	" RETURN true;"
	" EXCEPTION WHEN check_violation THEN RETURN false;"
	" END $$;";

/*
 * Who writes adds runs and changes none. Roles belong to the whole server: where they may not be made, its administrator makes them, and
 * `kbench maintain` grants what they may do.
 */
static const char roles[] =
	"DO $$ BEGIN"
	" IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'kbench_writer') THEN CREATE ROLE kbench_writer NOLOGIN; END IF;"
	" IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'kbench_reader') THEN CREATE ROLE kbench_reader NOLOGIN; END IF;"
	" EXCEPTION WHEN insufficient_privilege OR unique_violation OR duplicate_object THEN NULL; END $$;";

static const char grants[] =
	"REVOKE ALL ON FUNCTION ready_month(text) FROM PUBLIC;"
	"DO $$ BEGIN"
	" IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'kbench_writer') THEN"
	" GRANT USAGE ON SCHEMA kbench TO kbench_writer; GRANT SELECT ON ALL TABLES IN SCHEMA kbench TO kbench_writer;"
	" GRANT INSERT ON run, run_facts, launch, summary, result, comparison, floor TO kbench_writer;"
	" GRANT USAGE ON SEQUENCE number TO kbench_writer; GRANT EXECUTE ON FUNCTION ready_month(text) TO kbench_writer; END IF;"
	" IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'kbench_reader') THEN"
	" GRANT USAGE ON SCHEMA kbench TO kbench_reader; GRANT SELECT ON ALL TABLES IN SCHEMA kbench TO kbench_reader; END IF;"
	" END $$;";

static const char waited[] = "ALTER TABLE result ADD COLUMN waited double precision;";

/* The boot of a run, as its environment states it. Damaged JSON states none. */
static const char boots[] =
	"ALTER TABLE run_facts ADD COLUMN boot " TEXT " DEFAULT '';"
	"CREATE FUNCTION boot_of(env text) RETURNS text LANGUAGE plpgsql AS $$"
	" BEGIN RETURN CASE json_typeof(env::json #> '{readings,boot_id}') WHEN 'string' THEN env::json #>> '{readings,boot_id}' ELSE '' END;"
	" EXCEPTION WHEN OTHERS THEN RETURN ''; END $$;"
	"UPDATE run_facts SET boot = boot_of(env) FROM run WHERE run.number = run_facts.run AND env LIKE '%boot_id%';"
	"DROP FUNCTION boot_of(text);";

/* A version each. */
/* Of rows from before nothing is known. */
static const char checksums[] =
	"ALTER TABLE run ADD COLUMN checksum bigint; ALTER TABLE run_facts ADD COLUMN checksum bigint; ALTER TABLE launch ADD COLUMN checksum bigint;"
	"ALTER TABLE comparison ADD COLUMN checksum bigint; ALTER TABLE floor ADD COLUMN checksum bigint;";

static const char *const migrations[] = { tables, months, waited, boots, checksums };

#define VERSION ((int64_t)(sizeof migrations / sizeof *migrations))

/* 0: no store yet. */
static int read_version(struct kb_store *store, int64_t *version)
{
	int found = kb_sql_has_table(store, "version");

	*version = 0;
	if (found > 0)
		found = kb_sql_number(store, version, "SELECT number FROM kbench.version", "");
	return found < 0 ? found : 0;
}

/* One transaction, and one of all who would. */
static int migrate(struct kb_store *store)
{
	int64_t version;
	int error = kb_store_begin(store);

	if (error)
		return error;
	/* The number is that of this lock alone: "kbench" as letters. */
	error = kb_sql_exec(store, "SELECT pg_advisory_xact_lock(118038466194280)") ?: read_version(store, &version);
	for (int64_t i = error ? VERSION : version; i < VERSION && !error; i++)
		error = kb_sql_exec(store, migrations[i]);
	error = error ?: kb_sql_change(store, "UPDATE version SET number = ?", "i", VERSION);
	return kb_store_end(store, error ?: kb_sql_exec(store, roles) ?: kb_sql_exec(store, grants));
}

static int refuse_other(struct kb_store *store, int64_t version)
{
	if (version > VERSION)
		return kb_sql_say(store, EPROTO, "the store %s has schema %lld, this kbench knows %lld; use a newer kbench or give --store FILE",
				  store->path, (long long)version, (long long)VERSION);
	if (!version)
		return kb_sql_say(store, ENOENT, "the database has no store yet: %s; its owner makes it with `kbench runs push`", store->path);
	return kb_sql_say(store, EPROTO, "the store %s has schema %lld, this kbench needs %lld; its owner updates it with `kbench maintain --store`",
			  store->path, (long long)version, (long long)VERSION);
}

int kb_postgres_update_schema(struct kb_store *store, bool make)
{
	int64_t version;
	int error = read_version(store, &version);

	if (error || version == VERSION)
		return error;
	if (version > VERSION || store->mode == KB_STORE_READ || (!version && !make))
		return refuse_other(store, version);
	return migrate(store);
}
