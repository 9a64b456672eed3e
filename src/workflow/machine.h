/* What measuring needs of the machine: CPUs, a collector, plug-ins, events, the environment before anything disturbs it. */
#ifndef KB_WORKFLOW_MACHINE_H
#define KB_WORKFLOW_MACHINE_H

#include <jansson.h>
#include <limits.h>

#include "env/env.h"
#include "kbench.h"
#include "run/process/trust.h"
#include "run/run.h"
#include "run/sharing.h"
#include "workflow/exit.h"

/* For a run without --seed. Below 2^32: short enough to be typed again. */
uint64_t kb_random_seed(void);

/* list NULL: those this process may use. */
int kb_choose_cpus(const char *list, struct kb_cpus *, struct kb_failure *);

/* The path of the kbench-collect that belongs to this program. */
int kb_find_collector(char path[PATH_MAX], struct kb_failure *);

/* A plug-in as its collector describes it, which has limit_ns to load it, and its path without links. The benchmark's texts live until
   the program ends. */
int kb_load_plugin(const char *path, uint64_t limit_ns, char real[PATH_MAX], struct kb_bench *, struct kb_failure *);

/* The environment as it is before we disturb it. strict: notes what makes the machine unfit; *unfit, whether something does. */
int kb_read_environment(bool strict, const struct kb_notes *, json_t **env, bool *unfit, struct kb_failure *);

/* Adds the seL4 image that is booted, if there is one, to the readings: its kernel, their configuration, and the root server's code. */
void kb_note_sel4(json_t *env);

/* Adds the event of that name to what every row counts. */
int kb_add_event(const char *name, struct kb_run_options *, struct kb_failure *);

/* From now on a signal ends the run in order, without the process in flight, and a second one kbench at once. */
void kb_catch_signals(void);

/* "kbench run ..." as it could be typed again. Owned by the caller; NULL without memory. */
char *kb_command_line(const char *program, int argc, char **argv);

/* Names in time. A UUID of version 7 (RFC 9562), whose first 48 bits are milliseconds, so ids sort by time: 0 or -errno; and a date,
   "2026-05-04T10:00:00Z", of now and of so many seconds ago. */
int kb_run_id(char id[37]);
void kb_date_now(char text[21]);
void kb_date_ago(uint64_t seconds, char text[21]);
double kb_seconds_of_date(const char *date);    /* since 1970; -1 of anything else */

/* ---- fitness ------------------------------------------------------------------------------------------------- */

struct kb_checkup {
	struct kb_finding findings[KB_FINDINGS_MAX];
	size_t count;
	struct kb_sharing sharing;
	bool measured;                  /* sharing is filled */
	bool unfit;                     /* something is. Unsure is not enough: in a virtual machine most findings are */
};

/* cpus: as for a run; ns: for how long the core is watched, 0: not at all. */
int kb_check_machine(const char *cpus, uint64_t ns, const struct kb_notes *, struct kb_checkup *, struct kb_failure *);

#endif
