/*
 * Where runs are kept. Records of processes are stored whole and compressed; results are a cache made from them: their JSON, and next to it what
 * it states as columns, so that no question about many results has to parse JSON.
 * One transaction a process; several processes may use one store at once. All text is UTF-8; ids are the caller's. What is read back
 * is made visible (base/text.h), but not command lines, JSON and records: those are data.
 * Functions return 0 or -errno; kb_store_error() then has one line for people: what, where, what to do.
 */
#ifndef KB_STORE_STORE_H
#define KB_STORE_STORE_H

#include <jansson.h>
#include <limits.h>

#include "types.h"
#include "result/result.h"

struct kb_store;

#define KB_STORE_SCHEMA 6

/* KB_STORE_CHANGE: to be written, but none is made. KB_STORE_NAME: only the name is looked at, and nothing else may be asked. */
enum kb_store_mode { KB_STORE_READ, KB_STORE_WRITE, KB_STORE_CHANGE, KB_STORE_NAME };

/* A store of an older schema is brought to this one; where it may not be written, in memory only.
   path NULL: $XDG_DATA_HOME/kbench/kbench.db, else ~/.local/share/kbench/kbench.db; directories are made (WRITE only).
   "postgresql://...": a database of a server, with libpq's parameters, files and environment variables; passwords are not taken from here.
   -ENOTCONN (of every function: the connection is lost, or there is none).
   -ENOENT (READ, CHANGE: no store yet), -EROFS/-EACCES, -ENOSPC, -EUCLEAN (damaged or not a store), -EPROTO (newer schema).
   *store is set also on error, so that the message can be read; close it in any case. */
int kb_store_open(struct kb_store **store, const char *path, enum kb_store_mode mode);
void kb_store_close(struct kb_store *store);

/* Whether a path names a server; and the path that stands for NULL: false, there is no home. */
bool kb_store_is_remote(const char *path);
bool kb_store_default_path(char path[PATH_MAX]);

const char *kb_store_error(const struct kb_store *store);
const char *kb_store_path(const struct kb_store *store);        /* to be printed, not to be opened */

struct kb_stored_run {
	const char *id;         /* sortable by time (uuid7) */
	const char *started;    /* ISO 8601, UTC */
	const char *finished;   /* "" while it runs or when it was killed */
	const char *label;      /* the user's, may be "" */
	const char *command;    /* the command line */
	const char *env_class;
	const char *env;        /* JSON */
	const char *settings;   /* JSON: seed, precision, budget, cpus, clock */
};

int kb_store_add_run(struct kb_store *, const struct kb_stored_run *);
int kb_store_finish_run(struct kb_store *, const char *run_id, const char *finished);

struct kb_stored_process {
	const char *run_id;
	const char *row;        /* benchmark and parameters: "ipc.pipe_latency placement=same-cpu" */
	unsigned process;        /* from 1; 0 is the proof */
	const char *outcome;    /* "" or how it ended badly: "signal=11 ..." */
	const char *record;     /* text */
	size_t record_length;
};

/* One transaction: the process is there whole or not at all. */
int kb_store_add_process(struct kb_store *, const struct kb_stored_process *);

/* Everything between the two is there whole or not at all: with an error it is undone. Returns that error, or the one of keeping it. */
int kb_store_begin(struct kb_store *);
int kb_store_end(struct kb_store *, int error);

/* ---- results -------------------------------------------------------------------------------------------------- */

/* NAN: not known. */
struct kb_stored_estimate { double value, low, high; };

/* A result by its columns. */
struct kb_stored_result {
	int64_t number, run;            /* inside the store */
	int64_t position;               /* in its run */
	char benchmark[64], parameters[320], row[385];  /* row: both, as "ipc.pipe_latency placement=same-cpu" */
	char environment[64];           /* environment ID of what was measured (result/json/environment.h), else that of its run */
	char started[24];
	struct kb_stored_estimate estimate, cycles, ratio;      /* ratio: to its twin */
	double quiet;                   /* of version 1 */
	double sample_ns;               /* the longest sample */
	double mean;                    /* of all samples, else the observed cost: with what neighbours and interruptions took */
	double clean, disturbed;        /* shares of the samples: uncontended; left out as interrupted */
	double waited;                  /* share of the time in which other processes had the CPU */
	double mhz;                     /* of the core */
	int64_t n_max, processes;
	char unit[8], per[24], clock[16], method[16], bound[12], headline[16], status[12];
	int64_t json_sum;               /* checksum of the JSON */

	char run_id[37], label[128], tool[64];  /* of its run */
	char node[64], fleet[64];       /* on which it ran, and its fleet; "": of none */
	char boot[64];                  /* of the machine; "": not known */
	char run_environment[64];
	char side;                      /* of an A/B comparison: 'a', 'b'; 0: of none */
	int64_t cpu;                    /* on which that measured; -1: not known */
	bool damaged;                   /* it does not hold what was stored: no number of it may be shown, and its name may be wrong */
	bool run_damaged;               /* its run does not, of which nothing may be shown either */
};

/* Fills estimate to status, and environment ("": not known), from the JSON of an element of results[] and the environment of its run.
   -EINVAL: it is none, and nothing is filled. */
int kb_stored_result_read(struct kb_stored_result *, const char *json, const json_t *env);

/* The same without the environment, of a result at hand; and a number of these back. */
void kb_stored_result_of(struct kb_stored_result *, const struct kb_result *);
struct kb_estimate kb_estimate_of_stored(const struct kb_stored_estimate *);

/* Whether it states a cost, be it version 1's. */
bool kb_stored_has_number(const struct kb_stored_result *);

/* A result of kbench-result/2 as JSON. Replaces what was there. */
int kb_store_put_result(struct kb_store *, const char *run_id, const char *row, unsigned order, const char *json);
int kb_store_drop_results(struct kb_store *, const char *run_id);       /* run_id NULL: of all runs */

/* Questions. Each returns 0 or -errno, and a query to be stepped through and ended; until then it keeps others from folding the log
   back, so nothing slow belongs between its steps. */
struct kb_query;

/* All of a run, in their order. */
int kb_store_results(struct kb_store *, const char *run_id, struct kb_query **);

#define KB_LAST_CHARACTER "\xf4\x8f\xbf\xbf"     /* none sorts behind it */

/* Each benchmark with its parameters once, by name: the oldest result of all runs, of equally old ones any; and of benchmarks alone whose names
   sort so. */
int kb_store_series(struct kb_store *, struct kb_query **);
int kb_store_series_of(struct kb_store *, const char *from, const char *before, struct kb_query **);

/* One benchmark with its parameters over all runs that are no side of an A/B comparison. environment NULL: any. */
enum kb_store_order { KB_OLDEST_FIRST, KB_NEWEST_FIRST };
int kb_store_history(struct kb_store *, const char *benchmark, const char *parameters, const char *environment, enum kb_store_order,
		     struct kb_query **);

/* The same of some runs: on a node, that started at `since` or later (NULL: any), and of fleets alone. */
struct kb_series_filter { const char *environment, *node, *since; bool fleets; };
int kb_store_history_of(struct kb_store *, const char *benchmark, const char *parameters, const struct kb_series_filter *, enum kb_store_order,
			struct kb_query **);

/* All of the runs of a fleet, or with fleet NULL of all runs that started at `since` or later: run by run, the oldest first. */
int kb_store_fleet(struct kb_store *, const char *fleet, const char *since, struct kb_query **);

/* Finds a fleet by "last" (by the last of its runs), "last~2" (the third last), its id or a unique prefix of it, or the label of one of its runs (the
   newest). -ENOENT or -ENOTUNIQ, with the store's line. */
int kb_store_find_fleet(struct kb_store *, const char *name, char id[37]);

/* Fleets by the starts of their newest runs, the newest first; near NULL: all, else those that share a node with this one, itself among them.
   The callback's data die with its return; a non-zero result stops the iteration and is returned. */
struct kb_stored_fleet {
	const char *id, *started;       /* started: of its first run */
};
int kb_store_each_fleet(struct kb_store *, const char *near, int (*visit)(void *, const struct kb_stored_fleet *), void *context);

/* 1: the next result, 0: no more, or -errno. */
int kb_store_next(struct kb_query *, struct kb_stored_result *);
void kb_store_done(struct kb_query *);

/* The JSON of a result, as stored; free it. -EUCLEAN: it is damaged. */
int kb_store_json(struct kb_store *, const struct kb_stored_result *, char **json);

/* Sets the line that says which result, or which run, is damaged and what to do; returns -EUCLEAN. */
int kb_store_damaged(struct kb_store *, const struct kb_stored_result *);

/* ---- beside results -------------------------------------------------------------------------------------------- */

/* What a row came to against an older run, kept with the newer one (statistics: result/comparison.h). Replaces what was
   there. get: *json is NULL where none is kept; the caller frees it. -EUCLEAN: it is damaged. */
int kb_store_put_comparison(struct kb_store *, const char *run_id, const char *row, const char *json);
int kb_store_get_comparison(struct kb_store *, const char *run_id, const char *row, char **json);

/* The floor of the contention probe that a run saw on its CPU model, and those of earlier runs, the newest first; damaged ones are none. */
int kb_store_put_floor(struct kb_store *, const char *run_id, const char *key, double k);
int kb_store_get_floors(struct kb_store *, const char *key, double *k, unsigned room, unsigned *count);

/* ---- runs and processes ---------------------------------------------------------------------------------------- */

/* Iteration in order of start and of process. The callback's data die with its return; a non-zero result stops
   the iteration and is returned. Of many runs those that are damaged are passed over, and when the others were visited it is -EUCLEAN with the
   line of the first; a damaged process ends it. */
int kb_store_each_run(struct kb_store *, int (*visit)(void *, const struct kb_stored_run *), void *context);
int kb_store_all_processes(struct kb_store *, const char *run_id, int (*visit)(void *, const struct kb_stored_process *), void *context);

/* The same of the newest so many. others: how many more there are. */
int kb_store_newest_runs(struct kb_store *, uint64_t limit, uint64_t *others, int (*visit)(void *, const struct kb_stored_run *), void *context);

/* The same of the one run with this full id, -ENOENT; and of the processes of one result. */
int kb_store_get_run(struct kb_store *, const char *id, int (*visit)(void *, const struct kb_stored_run *), void *context);
int kb_store_each_process(struct kb_store *, const char *run_id, const char *row, int (*visit)(void *, const struct kb_stored_process *),
			  void *context);

/* The newest runs of an environment on a CPU, the newest first; sides of A/B comparisons are none. */
int kb_store_recent_runs(struct kb_store *, const char *environment, int64_t cpu, char (*ids)[37], unsigned room, unsigned *count);

/* Finds a run by "last", "last~2" (the third last), its id or a unique prefix of it, or its label (the newest). `last` goes by the order in which
   runs came into the store, whatever a clock said; in a file those that were copied from another store stand before all that were made here.
   id gets the full id (37 bytes). -ENOENT, or -ENOTUNIQ for an ambiguous prefix. */
int kb_store_find_run(struct kb_store *, const char *name, char id[37]);

/* Whether a run is meant by its age: "last" and "last~N". */
bool kb_store_counts_back(const char *name, uint64_t *back);

/* ---- damage ------------------------------------------------------------------------------------------------------ */

/* Reads all of a file and makes its indexes again if they do not fit its tables; *indexes: they did not. -EUCLEAN: there is more that is damaged.
   A server looks after its pages itself. */
int kb_store_mend(struct kb_store *, bool *indexes);

/* Makes again what is made of a run's own texts and results, and drops what else is damaged beside its results. -EUCLEAN: those texts are, or a
   result of a run without records. */
struct kb_mended {
	unsigned comparisons;           /* that were dropped */
	bool floor;                     /* it was dropped */
};
int kb_store_mend_run(struct kb_store *, const char *run_id, struct kb_mended *);

/* ---- runs as wholes, and the space of the file -------------------------------------------------------------------- */

struct kb_run_extent {
	unsigned results, verdicts[KB_STATUSES];        /* verdicts: of results, by enum kb_status; damaged ones have none */
	unsigned damaged;               /* of the results */
	unsigned processes;             /* whose records are kept */
	int64_t bytes, record_bytes;    /* of records, packed, and results; of the records alone */
};

int kb_store_run_extent(struct kb_store *, const char *run_id, struct kb_run_extent *);
int kb_store_label_run(struct kb_store *, const char *run_id, const char *label);

/* With all that is of it. Its space is used again, and returns to the file system by kb_store_compact. */
int kb_store_remove_run(struct kb_store *, const char *run_id);

/* Its results stay, but cannot be made again. */
int kb_store_drop_records(struct kb_store *, const char *run_id);

/* Many runs at once, in the caller's transaction. Those that are not there any more are no error. -EACCES: only a server's owner may. */
int kb_store_remove_runs(struct kb_store *, const char *const *ids, size_t count);

/* What decides whether a run stays: of all runs in one question, the oldest first. Texts are data, but the id, and die with the callback's return. */
struct kb_run_brief {
	const char *id, *started, *label, *command, *environment;
	const char *node, *fleet;       /* "": of none */
	int64_t cpu;
	char side;
	bool finished;
};
int kb_store_brief_runs(struct kb_store *, int (*visit)(void *, const struct kb_run_brief *), void *context);

/* Records of finished runs that started until this date and have results; they are dropped in the caller's transaction. */
struct kb_old_records { size_t runs; int64_t bytes; };
int kb_store_records_until(struct kb_store *, const char *before, struct kb_old_records *);
int kb_store_drop_records_until(struct kb_store *, const char *before);

/* Copies a run of another store, whole or not at all, which may be of an older version. Without records only its results come. As ours: it
   was measured for this store, and may be its `last` one. */
enum { KB_COPY_RECORDS = 1, KB_COPY_AS_OURS = 2 };
int kb_store_copy_run(struct kb_store *to, struct kb_store *from, const char *run_id, unsigned how);

/* Whether a file was removed or replaced since it was opened: what is written to it then is lost when it is closed; its log is taken from under its
   name, where it would be taken for that of the other file. And the copy of a run out of it, as
   long as it is open, in place of what the other store has of that run. */
bool kb_store_has_moved(struct kb_store *);
int kb_store_rescue_run(struct kb_store *to, struct kb_store *from, const char *run_id);

/* What the file takes, with its log; and how much of it nothing is in. Not of what is being written right now. */
int64_t kb_store_bytes(struct kb_store *);
int kb_store_free_bytes(struct kb_store *, int64_t *bytes);

/* Gives free space back to the file system: needs as much free space as the store has content, and nobody who writes. Not inside a
   transaction. */
int kb_store_compact(struct kb_store *);

#endif
