/* The parts of `kbench analyze`, each with its own source file. All end the program where cli.h says so. */
#ifndef KB_CLI_ANALYZE_H
#define KB_CLI_ANALYZE_H

#include "cli/cli.h"
#include "report/text/analysis.h"

struct kb_analyze_request {
	const struct kb_command *command;
	char **files;
	size_t file_count;
	struct kb_analysis_options options;
	enum kb_analysis_method method;         /* KB_ANALYSIS_METHODS: as each file has it */
	const char *tuned; /* an option that was given and that only methods of ours know; or NULL */
	bool json;
};

/* A whole file as terminated text, which the caller frees; trouble ends the program. */
char *kb_analyze_read_text(const struct kb_command *command, const char *name, size_t *length);

/* Files that kbench did not store. Returns the exit code. */
int kb_analyze_files(const struct kb_analyze_request *request);

/* ---- between analyze_file.c and the files that show what it read ------------------------------------- */

struct kb_analyzed_file {
	const char *name;
	char *text;
	size_t length;
	struct kb_import import;
	enum kb_analysis_method method;         /* KB_ANALYSIS_METHODS: lines, or a record as it was measured */
	size_t first_group, group_count;        /* in kanata below */
};

struct kb_analyzed {
	const struct kb_analyze_request *request;
	struct kb_analyzed_file *files;
	size_t count;
	struct kb_kanata_analysis kanata;       /* the groups of all files */
	struct kb_style look;
};

/* All print, or with --json return what to put into the document. */
json_t *kb_analyze_show(const struct kb_analyzed *, const struct kb_analyzed_file *);
json_t *kb_analyze_show_lines(const struct kb_analyzed *, const struct kb_analyzed_file *);
json_t *kb_analyze_show_across(const struct kb_analyzed *);

const char *kb_analyze_method_name(const struct kb_analyzed_file *);

/* Ends the program if result is an error. */
void kb_analyze_check(const struct kb_command *command, int result);

/* path NULL: the usual store; name NULL: all runs. */
int kb_analyze_rebuild(const struct kb_command *command, const char *path, const char *name, bool json);

#endif
