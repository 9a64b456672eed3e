/* Runs that were not measured by this program: read from logs, summarised, stored and printed as if they had been. */
#ifndef KB_CLI_IMPORT_H
#define KB_CLI_IMPORT_H

#include <jansson.h>

#include "cli/cli.h"
#include "env/env.h"
#include "import/log.h"
#include "result/contention.h"

struct kb_import_request {
	const struct kb_command *command;
	struct kb_log_wishes wishes;
	char *const *files;             /* "-": standard input */
	size_t file_count;
	const char *machine;            /* its name; NULL: what the log says */
	const char *label, *store;      /* NULL: "", the usual place */
	char *command_line;             /* as it could be typed again */
	bool json, verbose;
};

/* Reads all files before it stores anything; trouble ends the program with one line. Returns the exit code: 5 if a row is
   invalid. */
int kb_import_files(const struct kb_import_request *);

/* ---- between the files of import --------------------------------------------------------------------- */

/* One run as it goes to the store. */
struct kb_import_run {
	const struct kb_log_run *log;
	char id[37], started[21];
	json_t *env;                    /* as in kbench-result/2 */
	char *env_text, *settings;
	struct kb_result *results;      /* one a row; rows in the order of the log */
	const char **keys;
	unsigned *stored;               /* launches of each row that are in the store already */
	size_t count;
	struct kb_floor floor;          /* of the contention probe that its records have */
	double k;                       /* that they alone show; 0: nothing */
	bool known;                     /* it is in the store already, perhaps with fewer of them */
	size_t added;                   /* launches that were not */
};

/* The environment of a run: what its records and the request say. Launches of two kernels in one run end the program. */
json_t *kb_import_env(const struct kb_import_request *, const struct kb_log_run *);

/* Summarises the rows and names the run. */
void kb_import_make(const struct kb_import_request *, const struct kb_log *, const struct kb_log_run *, struct kb_import_run *);
void kb_import_release(struct kb_import_run *);

/* All runs into the store; path gets its name. */
void kb_import_keep(const struct kb_import_request *, struct kb_import_run *, size_t count, char path[4096]);

void kb_import_print(const struct kb_import_request *, const struct kb_log *, const struct kb_import_run *, size_t count,
		     const char *path);

#endif
