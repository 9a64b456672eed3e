/*
 * `kbench cmd`: whole commands, run in turn and compared. The unit is a block: every command once, and an empty shell where commands go
 * through one, in a new random order. Some blocks in a row are a batch, which is a process of the result; so a result of a command is like
 * any other, the store and its commands know it, and pairs of batches of one number were measured together.
 */
#ifndef KB_WORKFLOW_COMMANDS_COMMANDS_H
#define KB_WORKFLOW_COMMANDS_COMMANDS_H

#include "analysis/turns.h"
#include "result/comparison.h"
#include "run/process/guardian.h"
#include "workflow/workflow.h"

#define KB_COMMANDS_BENCH "cmd.run"
#define KB_COMMANDS_MOST 64             /* of one run */
#define KB_COMMAND_ERROR_ROOM 1200      /* bytes of the last lines of a standard error */

/* ---- what is asked for ------------------------------------------------------------------------------------- */

enum kb_commands_output { KB_COMMANDS_NULL, KB_COMMANDS_PIPE, KB_COMMANDS_INHERIT, KB_COMMANDS_FILE };

struct kb_commands_request {
	const struct kb_workflow_request *w;    /* budget_ns 0: ten seconds a command */
	const char *const *texts;       /* commands as a shell, or a splitter of words, takes them */
	size_t text_count;
	char *const *vectors;           /* or words of commands, "--" between two */
	size_t vector_words;
	const char *reference;          /* a command that is the first and the base; NULL: the first of the others */
	const char *const *names;
	size_t name_count;
	const char *const *scan;        /* VAR, MIN, MAX; NULL: none */
	const char *step;               /* of the scan; NULL: 1 */
	const char *const *lists;       /* of each list VAR and "VALUE,VALUE" */
	size_t list_count;
	const char *const *prepare;     /* one, or one for each command */
	size_t prepare_count;
	const char *setup, *cleanup;
	const char *shell;              /* words; NULL: sh */
	bool no_shell;
	bool ignore_failure;
	uint64_t warmup, runs, min_runs, max_runs;      /* runs, max_runs 0: no such number */
	enum kb_commands_output output;
	const char *output_file;
	const char *input_file;         /* NULL: /dev/null */
	double margin;                  /* a fraction */
};

/* ---- what came of it --------------------------------------------------------------------------------------- */

/* One run of a command. */
struct kb_command_use {
	uint64_t block;
	unsigned place;                 /* in its block, from 0 */
	uint64_t start, ticks;
	double user_ns, system_ns, memory_bytes, minor, major, voluntary, forced;
	int status;                     /* of waitpid */
	unsigned cpu;
	struct kb_around around;        /* contention probes */
	uint64_t chain[2][2];           /* clock probes: before and after, short and long */
};

struct kb_timed_command {
	char *text;                     /* as it was typed, parameters filled in; of a vector its words */
	char *name;                     /* -n, else the text */
	char **argv;                    /* what is executed */
	char *word;                     /* name in the key of the result: visible, without blanks, and no other's */
	char *parameters;               /* "VAR=VALUE", one after another behind blanks; "": none. Visible, and without blanks inside */
	const char *variables[KB_COMMANDS_MOST], *values[KB_COMMANDS_MOST];     /* the same as typed; the plan owns them */
	unsigned variable_count;
	char *prepare, *setup, *cleanup;        /* NULL: none */
	struct kb_command_use *uses;    /* in order of time, warm-up left out */
	size_t use_count;
	struct kb_process_text *texts;  /* records of its batches */
	size_t batches, batch_from;     /* batch_from: the first use of the batch that is open */
};

/* A mean over runs with its 95 % CI, which allows for correlation between neighbours. */
struct kb_command_means {
	struct kb_estimate time, user, system, memory, minor, major, switches; /* ns, bytes, counts; time and the two after it without the shell */
	double deviation, median, least, most;  /* of times */
	double memory_most;
};

struct kb_commands {
	struct kb_workflow w;           /* rows: one a command, in their order */
	struct kb_row *rows;
	struct kb_timed_command *commands;
	size_t count;
	struct kb_timed_command shell;  /* of which the uses count only; argv NULL: there is none */
	struct kb_estimate shell_ns;    /* the mean of its uses; .known false: none */
	double shell_median_ns;
	struct kb_command_means *means;
	struct kb_comparison *comparisons;      /* with the first; [0] is of nothing */
	struct kb_turn_effects *effects;        /* the same; of [0] only `first` */
	double scale;                   /* ns a tick */
	uint64_t blocks;                /* that were measured */
	uint64_t batch;                 /* blocks of one */
	bool decided;                   /* all of what was asked; else runs or budget ended it */
	bool pinned;                    /* on one CPU: contention could be seen */
	char failed[600];               /* the command that ended the run, and how; "": none */
	char failed_error[KB_COMMAND_ERROR_ROOM];       /* the last lines of its standard error, where they were kept; "": none */
	char **owned;                   /* texts of parameters */
	size_t owned_count;
};

/* 0, or the code of the failure; what a command did wrong is no failure, but in `failed` and in its result. Release it in any case. */
int kb_commands_measure(const struct kb_commands_request *, struct kb_commands *, struct kb_failure *);
void kb_commands_release(struct kb_commands *);

/* The exit code of the results, without --gate. */
int kb_commands_code(const struct kb_commands *);

/* Time of one run, ns: less the mean of the shell, and never below 0, as hyperfine has it. */
double kb_command_ns(const struct kb_commands *, const struct kb_timed_command *, size_t use);

/* ---- parts ------------------------------------------------------------------------------------------------- */

/* Commands by texts, vectors, parameters and names. Refuses what does not go together. */
int kb_commands_plan(const struct kb_commands_request *, struct kb_commands *, struct kb_failure *);

/* Words of a text as a shell splits them: blanks, quotes and backslashes, nothing else. NULL: a quote is open (words 0), or no memory. The
   array and its words are one allocation. */
char **kb_command_words(const char *text, size_t *words);

/* What executes a text: its words, or those of the shell and the text, as one allocation. NULL: no words, a quote that is open, or no memory. */
char **kb_command_arguments(const struct kb_commands_request *, const char *text);

/* How a command is started. */
struct kb_command_place {
	char program[PATH_MAX];         /* kbench-collect-command */
	const char *clock;
	uint64_t loops;                 /* of the contention probe */
	const unsigned *cpus;           /* that it may run on; NULL: those of this process */
	unsigned cpu_count;
	int input, output, error;       /* descriptors; output -1: a pipe that is read and forgotten */
	bool keeps_error;               /* error is a file in memory, whose end kb_command_error_end reads after the run */
	uint64_t limit_ns;
	bool heed_stop;                 /* a signal to this program ends it */
};

/* One run. 0, or -errno: -ETIME past the limit, -EINTR when the run is to stop, of exec its own; -ECHILD: it left processes behind, which
   were killed (not of what may: keep). */
int kb_command_use(const struct kb_command_place *, char *const *argv, bool keep, struct kb_command_use *);

/* The last lines that the last run with keeps_error wrote there, visible text, each behind two blanks; "": none. */
void kb_command_error_end(const struct kb_command_place *, char text[KB_COMMAND_ERROR_ROOM]);

/* The record of the uses from..to of a command, with those of the shell in the same blocks. NULL without memory; free it. fault: what went
   wrong in the run after the last; NULL: nothing. */
struct kb_command_record {
	const struct kb_clock *clock;
	uint64_t seed, loops;
	bool any_status;
};
char *kb_command_record(const struct kb_command_record *, const struct kb_timed_command *, size_t from, size_t to,
			const struct kb_timed_command *shell, unsigned process, const char *fault, size_t *length);

#endif
