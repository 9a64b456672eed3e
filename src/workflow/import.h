/* Runs that were not measured by this program: read from foreign texts, summarised and stored as if they had been. */
#ifndef KB_WORKFLOW_IMPORT_H
#define KB_WORKFLOW_IMPORT_H

#include <jansson.h>

#include "import/import.h"
#include "result/contention.h"
#include "workflow/exit.h"
#include "workflow/records.h"

struct kb_import_request {
	struct kb_import_options options;
	char *const *files;             /* "-": standard input */
	size_t file_count;
	const char *machine;            /* its name; NULL: what the text says */
	const char *started;            /* ISO 8601, UTC; NULL: what the text says, else now */
	const char *label, *store;      /* NULL: none, the usual store */
	const char *command;            /* as it could be typed again; NULL: not known */
	void (*echo)(const char *bytes, size_t length);         /* of a terminal line that is read; NULL: it is not shown */
};

#define KB_IMPORT_SUM 32

/* One run as it goes to the store. */
struct kb_imported_run {
	const struct kb_import_run *from;
	struct kb_records records;      /* of each process, with its number among those of its row; these lie in from */
	const char **rows;              /* in the order of the text */
	struct kb_result *results;      /* one a row */
	const struct kb_result **listed;        /* the same, to be printed */
	size_t count;
	char id[37], started[21];
	char sum[KB_IMPORT_SUM];        /* of its files and of what was asked for with them */
	json_t *env;                    /* as in kbench-result/2 */
	struct kb_floor floor;          /* of the contention probe that its records have */
	double k;                       /* that they alone show; 0: nothing */
	struct kb_stored_run stored;    /* its texts are here */
	char *env_text, *settings;
	bool *there;                    /* of each process: it is in the store already */
	bool known;                     /* so is the run, perhaps with fewer of them; of a tool's files with all */
	size_t added;                   /* processes that were not */
};

struct kb_imported {
	struct kb_import import;
	struct kb_imported_run *runs;   /* one each of the import's */
	size_t count;
	char place[4096];               /* path of the store */
};

/* Reads all files before it stores anything. 0, or the code of the failure. Release it in any case. */
int kb_import_runs(const struct kb_import_request *, struct kb_imported *, struct kb_failure *);
void kb_imported_release(struct kb_imported *);

/* Whether runs of it are told from those of other machines. */
bool kb_imported_names_machine(const struct kb_imported_run *);

/* Only the results of a run: with the contention probe's floor of run->env, if that is not NULL. 0 or -ENOMEM. */
int kb_imported_summarise(struct kb_imported_run *, const struct kb_import_run *, const char *store);
void kb_imported_run_release(struct kb_imported_run *);

#endif
