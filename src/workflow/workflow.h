/*
 * "Measure these, store, watch": one way from a request to results, whichever command or program asks. Nothing here prints but the
 * progress line, or exits; a failure is a value (exit.h).
 */
#ifndef KB_WORKFLOW_WORKFLOW_H
#define KB_WORKFLOW_WORKFLOW_H

#include <jansson.h>
#include <limits.h>

#include "run/backend/backend.h"
#include "run/place.h"
#include "run/run.h"
#include "store/store.h"
#include "suite/select.h"
#include "workflow/exit.h"

/* ---- between processes: everything is saved at once, and a terminal shows how far it is -------------------------- */

/* Told of the record of each process, whatever came of it, until it has heard what it listens for. */
struct kb_listener { bool (*heard)(void *context, const char *row, struct kb_span record); void *context; };

struct kb_watch {
	struct kb_notes notes;
	struct kb_store *store;         /* NULL: nothing is kept, or not any more */
	const char *run_id;
	bool lost;                      /* something should have been kept and could not */
	const struct kb_watch *pair;    /* of the other run of an A/B, in the same store; NULL: there is none */
	bool moved;                     /* the store was removed or replaced, and the run is saved anew */
	const char *path;               /* of the store, as it was given; NULL: the usual one */
	bool marked;                    /* as alive, by `mark` */
	int mark;
	bool terminal;                  /* standard error shows a progress line */
	struct kb_listener *listener;   /* NULL: none, or not any more */
	size_t results;                 /* for that line; 0: not known */
	uint64_t budget_ns;
	bool blocks, estimated;         /* as of kb_progress */
	char place[512];                /* path of the store */
	const char *address;            /* of the server to which the run goes when it has ended; NULL: of none */
	char *spool;                    /* the file in which it waits for that */
};

/* Opens the store and enters the run. Trouble is noted and sets lost: the run goes on, for
   numbers on the screen are worth more than none. */
void kb_watch_open(struct kb_watch *watch, const char *path, const struct kb_stored_run *run);

struct kb_run_observer kb_watch_observer(struct kb_watch *watch);

/* Whether standard error is a terminal that can erase a line. */
bool kb_watch_terminal(void);

/* Saves one result as it is now. */
void kb_watch_save(struct kb_watch *watch, const struct kb_row *row, size_t index);

/* What the run saw of the contention probe's floor. */
void kb_watch_floor(struct kb_watch *, const json_t *env, double k);

/* The run has ended: takes the progress line away, enters the date, closes the store, and sends the run to its server. */
void kb_watch_close(struct kb_watch *watch, const char *finished);

/* ---- selection: patterns, parameters, a suite, a plug-in and variants become rows ------------------------------- */

struct kb_selected {
	const struct kb_collectors *collectors; /* whose programs are selected, too, where they run here */
	bool emulate;                   /* under an emulator is here */
	const struct kb_bench *plugin;  /* NULL: none; alone without patterns */
	const char *plugin_file;        /* that it came from */
	const char *const *patterns;
	size_t pattern_count;
	const char *const *sets;        /* -p */
	size_t set_count;
	enum kb_selection suite;
	enum kb_reach reach;
};

/* The caller frees *rows. A pattern or a value that is none is a failure, and so is nothing left. */
int kb_select_rows(const struct kb_selected *, const struct kb_notes *, struct kb_row **rows, size_t *count, struct kb_failure *);

/* Takes out what a pattern means, by the benchmark or by the whole name of the result. A pattern that means no benchmark at all is
   refused, and so is nothing left. */
int kb_exclude_rows(const char *const *patterns, size_t pattern_count, struct kb_row *rows, size_t *count, struct kb_failure *);

/* The words of a list with commas; they point into `text`, a copy. */
struct kb_list { char *text; const char *at[KB_COPIES_MAX]; size_t count; };

/* Each row under each of these kinds of interference, and without; each with each number of copies. The lists were checked, and rows
   point into `list`. */
int kb_expand_interference(const char *kinds, struct kb_list *, struct kb_row **rows, size_t *count, struct kb_failure *);
int kb_expand_copies(const char *numbers, struct kb_list *, struct kb_row **rows, size_t *count, struct kb_failure *);

/* What is asked for. It and all that it points to outlive the workflow. */
struct kb_workflow_request {
	/* Which rows: these, */
	struct kb_row *rows;            /* the caller's, chosen by itself; NULL: selected by what follows */
	size_t row_count;
	/* or the caller's benchmarks, which run.collector can execute; all, or those that patterns mean; */
	const struct kb_bench *const *benches;  /* ends with NULL; NULL: those of kbench */
	/* or those that patterns, a plug-in and a suite select. */
	const char *const *patterns;
	size_t pattern_count;
	const char *plugin;             /* FILE.so */
	enum kb_selection suite;        /* KB_SELECTIONS: KB_SELECT_NAMED with patterns, a plug-in or benchmarks of the caller's, else KB_SELECT_STANDARD */
	const char *const *sets;        /* "name=value[,value...]" */
	size_t set_count;
	const char *const *excludes;    /* patterns of benchmarks and results that are left out */
	size_t exclude_count;
	bool defaults, emulate;
	const char *parallel;           /* numbers of copies, with commas, checked; NULL: none */
	const char *interfere;          /* kinds of interference, with commas, checked; NULL: none */

	/* budget_ns 0: that of the suite; precision 0: that of the method; collector NULL: ours. Found by the workflow: id, CPUs, plug-in, the contention probe's floor. */
	struct kb_run_options run;
	const char *cpus;               /* list; NULL: those this process may use */
	bool strict;                    /* look for what makes the machine unfit */

	bool no_store;
	const char *store, *label;      /* NULL: the usual store; "" */
	const char *program;            /* NULL: kbench */
	int argc;                       /* the words of its command, which the store keeps */
	char **argv;

	bool progress;                  /* a line on standard error, where that is a terminal */
	struct kb_listener *listener;   /* NULL: none */
	struct kb_notes notes;
	struct kb_notes errors;         /* that the store was lost; line NULL: among the notes */
};

/* As `kbench run` without options, for callers that change some of it. */
struct kb_workflow_request kb_workflow_defaults(void);

/* What came of it. */
struct kb_workflow {
	struct kb_run_options run;      /* as measured */
	enum kb_selection suite;        /* as selected */
	struct kb_row *rows;            /* with results */
	size_t count;
	struct kb_run_outcome outcome;
	json_t *env;                    /* object of kb_env_to_json */
	bool unfit;
	char id[37], started[21], finished[21];
	struct kb_stored_run stored;    /* its texts are here */
	struct kb_run_place place;          /* among runs on other nodes */
	struct kb_watch watch;          /* place: of the store, "": nothing is kept; lost: it could not be */

	/* the workflow's own */
	bool own_rows;
	struct kb_collectors collectors;
	struct kb_bench plugin;
	char collector[PATH_MAX], plugin_path[PATH_MAX], label[128];
	char *settings, *env_text, *command_line;
	const char **sets;
	struct kb_list variants;
	unsigned *copy_cpus;
};

/* Measures all rows, interleaved, and keeps each process and each result from the moment it was made. 0 also where rows failed, or a
   signal ended it; else the code of the failure. Release it in any case. */
int kb_workflow_measure(const struct kb_workflow_request *, struct kb_workflow *, struct kb_failure *);

/* Its two halves: everything that may be refused, which measures and keeps nothing; and the rest. */
int kb_workflow_plan(const struct kb_workflow_request *, struct kb_workflow *, struct kb_failure *);
int kb_workflow_execute(const struct kb_workflow_request *, struct kb_workflow *, struct kb_failure *);
void kb_workflow_release(struct kb_workflow *);

/* Whether it stands in the store. */
bool kb_workflow_kept(const struct kb_workflow *);

/* The exit code: what the rows lead to, and what the machine, a signal and the store do. */
int kb_workflow_code(const struct kb_workflow *, int code_of_rows);

/* KB_EXIT_FAILED if a row is invalid. */
int kb_workflow_rows_code(const struct kb_workflow *);

/* Names a result that no record could name: key is "benchmark name=value ...". A row without a process is reported with a reason, not
   forgotten. */
void kb_settle_result(struct kb_result *, const char *key, unsigned planned);

/* ---- parts, for those who measure by themselves ------------------------------------------------------------ */

/* The machine made ready: CPUs, collector, environment, floor, id, date. From now on signals end a run in order. What is measured then
   goes through kb_watch_observer(&w->watch); nothing is stored. */
int kb_workflow_prepare(const struct kb_workflow_request *, struct kb_workflow *, struct kb_failure *);

/* Names the run and opens its store. settings: what the settings of the run have on top, taken over; NULL: nothing. */
int kb_workflow_keep(const struct kb_workflow_request *, struct kb_workflow *, json_t *settings, struct kb_failure *);

/* Measuring has ended, with 0 or -errno: keeps all results, and closes the store. */
int kb_workflow_finish(struct kb_workflow *, int result, const char *error, struct kb_failure *);

#endif
