/*
 * Where runs are kept. Launch records are stored whole and compressed; summaries are a cache made from them.
 * One transaction a launch; several processes may use one store at once. All text is UTF-8; ids are the caller's. What is read back
 * is made visible (base/text.h), but not command lines, JSON and records: those are data.
 * Functions return 0 or -errno; kb_store_error() then has one line for people: what, where, what to do.
 */
#ifndef KB_STORE_STORE_H
#define KB_STORE_STORE_H

#include "types.h"

struct kb_store;

#define KB_STORE_SCHEMA 1

enum kb_store_mode { KB_STORE_READ, KB_STORE_WRITE };

/* path NULL: $XDG_DATA_HOME/kbench/kbench.db, else ~/.local/share/kbench/kbench.db; folders are made (WRITE only).
   -ENOENT (READ: no store yet), -EROFS/-EACCES, -ENOSPC, -EUCLEAN (damaged or not a store), -EPROTO (newer schema).
   *store is set also on error, so that the message can be read; close it in any case. */
int kb_store_open(struct kb_store **store, const char *path, enum kb_store_mode mode);
void kb_store_close(struct kb_store *store);
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

struct kb_stored_launch {
	const char *run_id;
	const char *row;        /* benchmark and parameters: "ipc.pipe_latency placement=same-cpu" */
	unsigned launch;        /* from 1; 0 is the proof */
	const char *outcome;    /* "" or how it ended badly: "signal=11 ..." */
	const char *record;     /* text */
	size_t record_length;
};

/* One transaction: the launch is there whole or not at all. */
int kb_store_add_launch(struct kb_store *, const struct kb_stored_launch *);

/* The cache: a result of kbench-result/2 as JSON. Replaces what was there. */
int kb_store_put_summary(struct kb_store *, const char *run_id, const char *row, unsigned order, const char *json);
int kb_store_drop_summaries(struct kb_store *, const char *run_id);     /* run_id NULL: of all runs */

/* What a row came to against an older run, kept with the newer one (statistics: report/text/comparison.h). Replaces what was
   there. get: *json is NULL where none is kept; the caller frees it. */
int kb_store_put_comparison(struct kb_store *, const char *run_id, const char *row, const char *json);
int kb_store_get_comparison(struct kb_store *, const char *run_id, const char *row, char **json);

/* The floor of the contention probe that a run saw on its CPU model, and those of earlier runs, the newest first. */
int kb_store_put_floor(struct kb_store *, const char *run_id, const char *key, double k);
int kb_store_get_floors(struct kb_store *, const char *key, double *k, unsigned room, unsigned *count);

/* Iteration in order of start, launch, row order. The callback's data die with its return; a non-zero result stops
   the iteration and is returned. */
int kb_store_each_run(struct kb_store *, int (*visit)(void *, const struct kb_stored_run *), void *context);
int kb_store_each_launch(struct kb_store *, const char *run_id, int (*visit)(void *, const struct kb_stored_launch *), void *context);
int kb_store_each_summary(struct kb_store *, const char *run_id, int (*visit)(void *, const char *row, const char *json), void *context);

/* Finds a run by "last", "last~2" (the third newest), its id or a unique prefix of it, or its label (the newest).
   id gets the full id (37 bytes). -ENOENT, or -ENOTUNIQ for an ambiguous prefix. */
int kb_store_find_run(struct kb_store *, const char *name, char id[37]);

#endif
