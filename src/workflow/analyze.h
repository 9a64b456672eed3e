/* Files of measurements, read, with the method that each is analyzed by, and with the statistics of its groups. */
#ifndef KB_WORKFLOW_ANALYZE_H
#define KB_WORKFLOW_ANALYZE_H

#include "analysis/analysis.h"
#include "workflow/exit.h"

struct kb_analyzed_file {
	const char *name;
	struct kb_import import;                /* its series without what is skipped; points if method slope takes a table */
	size_t groups, tests;                   /* a table's, as it is in the file */
	enum kb_analysis_method method;         /* KB_ANALYSIS_METHODS: lines, or a record as it was measured */
	struct kb_kanata_analysis kanata;       /* its groups; they lie in those of all files */
};

struct kb_analyzed {
	struct kb_analysis_options options;     /* confidence 0: 95 %, or 90 % where one of the files is a table of groups */
	enum kb_analysis_method method;         /* that is asked for; KB_ANALYSIS_METHODS: as each file has it */
	size_t skip;                            /* first tests of each group to leave out */
	const char *tuned;                      /* an option that was given and that only methods of ours know; or NULL */
	struct kb_analyzed_file *files;
	size_t count;
	struct kb_kanata_analysis kanata;       /* the groups of all files */
};

/* Fills files, count and kanata. 0, or the code of the failure. Release it in any case. */
int kb_analyze_files(struct kb_analyzed *, char *const *names, size_t count, struct kb_failure *);
void kb_analyzed_release(struct kb_analyzed *);

/* Straight lines through points, which have no other method. */
bool kb_analyzed_is_lines(const struct kb_analyzed_file *);

#endif
