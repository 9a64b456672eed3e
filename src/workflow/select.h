/* What is to be measured: patterns, parameters, a suite, a plug-in and variants become rows. */
#ifndef KB_WORKFLOW_SELECT_H
#define KB_WORKFLOW_SELECT_H

#include "run/backend/backend.h"
#include "run/run.h"
#include "suite/select.h"
#include "workflow/exit.h"

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

/* The words of a list with commas; they point into `text`, a copy. */
struct kb_list { char *text; const char *at[KB_COPIES_MAX]; size_t count; };

/* Each row under each of these kinds of interference, and without; each with each number of copies. The lists were checked, and rows
   point into `list`. */
int kb_vary_interference(const char *kinds, struct kb_list *, struct kb_row **rows, size_t *count, struct kb_failure *);
int kb_vary_copies(const char *numbers, struct kb_list *, struct kb_row **rows, size_t *count, struct kb_failure *);

#endif
