/* What a command does before and while it measures, whichever command it is. Trouble ends the program with one line. */
#ifndef KB_CLI_START_H
#define KB_CLI_START_H

#include <jansson.h>
#include <limits.h>

#include "cli/cli.h"
#include "env/env.h"
#include "kbench.h"
#include "run/process/trust.h"

/* For a run without --seed. Below 2^32: short enough to be typed again. */
uint64_t kb_start_seed(void);

/* list NULL: those this process may use. */
void kb_start_cpus(const struct kb_command *, const char *list, struct kb_cpus *);

/* The path of kbench-collect that belongs to this program, or an error. */
void kb_start_collector(const struct kb_command *, char path[PATH_MAX]);

/* A plug-in as its collector describes it, which has limit_ns to load it, and its path without links. The benchmark's texts live until
   the program ends. */
void kb_start_plugin(const struct kb_command *, const char *path, uint64_t limit_ns, char real[PATH_MAX], struct kb_bench *);

/* The environment as it is before we disturb it, as object and as text. strict: says on standard error what makes the
   machine unfit, and returns that it is. */
bool kb_start_look(const struct kb_command *, bool strict, json_t **env, char **text);

/* Adds the event of that name to what every row counts. */
struct kb_run_options;
void kb_start_event(const struct kb_command *, const char *name, struct kb_run_options *);

/* From now on signals end the run in order, after the launch in flight. */
void kb_start_signals(void);

/* "kbench run ..." as it could be typed again. Owned by the caller; NULL without memory. */
char *kb_start_command_line(int argc, char **argv);

#endif
