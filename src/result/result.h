/*
 * A result: what one row (a benchmark with its parameters) of a run came to. It is a pure function of the row's
 * records (result/summary/summary.h); the report prints it, the store keeps it as JSON.
 */
#ifndef KB_RESULT_RESULT_H
#define KB_RESULT_RESULT_H

#include "types.h"
#include "kbench.h"
#include "base/record.h"
#include "base/verdict.h"
#include "result/method.h"
#include "stats/comparison/levels.h"

/* A number with its 95 % interval. known = false: there is none, and a reason in the verdict says why.
   bounded = false: the value stands without interval (a single process); low and high are not set. */
struct kb_estimate {
	double value, low, high;
	bool known, bounded;
};

struct kb_reason {
	enum kb_reason_code code;              /* KB_CODE_COUNT: of a later version, whose result was read; then the three at the end */
	char detail[200];               /* the evidence in words and numbers; may be empty */
	char name[32], words[80];
	enum kb_severity severity;
};

#define KB_REASONS_MAX 24

struct kb_verdict {
	enum kb_status status;
	unsigned count;
	struct kb_reason reasons[KB_REASONS_MAX];
};

/* One expectation and what was counted; or an event that was asked for, of which nothing was expected. */
struct kb_finding_evidence {
	char counter[KB_RECORD_COUNTER_MAX], who[8];
	double per_op;                  /* counted per operation */
	double expected, tolerance;     /* per operation */
	bool known;                     /* false: the counter cannot be read here */
	bool ok;
	bool asked;                     /* --event: expected, tolerance and ok mean nothing */
	bool own;                       /* the benchmark's own code has added to the count */
	bool elsewhere;                 /* counted by the proof alone, on a kernel that counts: the one that was measured does not */
};

#define KB_STRAYS 0.001         /* of the operations: what the kernel counts besides, for reasons of its own */

/* Whether the claim would fail if nothing happened, and the engine itself counts: else it is checked, and proves no operation. */
bool kb_evidence_proves(const struct kb_finding_evidence *);

/* "64 MiB", "0 bytes". Returns text. */
#define KB_MEMORY_WORDS 32
const char *kb_memory_words(char text[KB_MEMORY_WORDS], double bytes);

/* Expectations, events among them, those of set-up and of the look at memory, and as many events that were asked for. */
#define KB_EVIDENCE_MAX (KB_EXPECT_MAX + 2 * KB_EVENTS_MAX + 4)

/* What the headline is of. Stored results of version 1 have their own: the robust slope of all samples, as observed is. */
enum kb_headline { KB_HEADLINE_OBSERVED, KB_HEADLINE_UNCONTENDED, KB_HEADLINE_TYPICAL };

/* Which of a process's uncontended samples it takes: where they are long, the median would hold what came and went inside them. */
enum kb_uncontended_by { KB_BY_MEDIAN, KB_BY_QUARTILE, KB_BY_PARTS };

/* What one process alone says; only processes that count towards the headline. Comparisons of runs work on these. */
struct kb_process_cost {
	unsigned process;
	double cost;                    /* of one operation, as the headline is; unit of the result */
	double cycles;                  /* the same in core cycles; 0: not known, or not bound by the core */
	double observed;                /* of one operation, neighbours included */
	double uncontended;             /* of one operation in its uncontended samples, few as they may be; NAN: not known */
	double clean_share;             /* of its samples; NAN: not known */
	double mhz;                     /* of the core, by its clock probes; 0: not known */
	double ratio;                   /* of its cost to that of the result's twin, interleaved in this process; NAN: it had none */
	uint64_t used;                  /* observations of op */
};

#define KB_PROCESS_COSTS_MAX 128

/* A place around which the values of a row gather. */
struct kb_result_mode { double location, weight; };

#define KB_RESULT_MODES 10

/* Where the spread comes from: blocks inside a process (`single`: operations), and processes. */
struct kb_result_levels {
	bool known;
	struct kb_levels split;         /* of the cost of one operation with its turn of the timed loop */
	double block_ns;                /* time that one more block takes; 0: not known */
	unsigned plan[2];               /* blocks and processes that would use the time that was left best; 0: not planned */
};

/* Standard deviations of one operation, medians over processes; 0: not known. */
struct kb_result_spread {
	double operation_short, operation_long; /* as samples of the smallest and largest n show it */
	double block, long_run;         /* of a block's mean as neighbours show it, and as long stretches of them do */
};

/* A number that the benchmark gave with observations of op, over all processes. */
struct kb_result_covariate {
	char name[24];
	double median, min, max;
	uint64_t count;                 /* observations that have it */
};

/* What a kernel of seL4 kept of the tests of the first process: shares of the CPU's time, and its log of entries, a kind a row, the
   largest total first. tests, entries 0: it kept none. */
#define KB_KEPT_ROWS 16
struct kb_kept_row { char name[48]; uint64_t count; double total, min, median, max; };
struct kb_result_kept {
	uint64_t tests;
	double low, high, init, idle, kernel;   /* shares; of the kernel: of the time of all others, too */
	uint64_t entries, lost, operations, log_tests;
	bool last;                              /* the log is of the last test alone */
	unsigned row_count;
	struct kb_kept_row rows[KB_KEPT_ROWS];
};

#define KB_COPIES_MAX 256

/* Where single loads of a chase were served from, timed one by one between the samples. */
struct kb_result_found {
	uint64_t loads;                 /* that were timed; 0: none */
	double share;                   /* of them that a cache served, prefetched lines among them */
	double cache, memory;           /* ns of a load from either, beyond the first cache; NAN: too few */
};

/* Copies of the row that ran side by side; the numbers above are then of one copy, the mean over them. */
struct kb_result_parallel {
	unsigned copies;                /* 0: it was not asked for copies */
	double overlap;                 /* share of their samples' time in which all were in theirs; NAN: not known */
	struct kb_estimate aggregate;   /* operations per second of all copies together */
	struct kb_estimate copy[KB_COPIES_MAX];         /* cost of one operation of each */
};

#define KB_OPERATION_NAME 24

enum { KB_P1, KB_P10, KB_P50, KB_P90, KB_P99, KB_QUANTILES };

/* What it was measured on (result/json/environment.h). "": not known. */
struct kb_environment {
	char id[40];
	char target[8], arch[12];       /* target: linux kernel sel4 */
	char kernel[72];                /* its release; of seL4 the SHA-256 of its file, or the commit */
	char config[72], image[72];     /* hashes of its configuration, and of the root server's code */
	char cpu[72];                   /* model of the CPU, or what emulates it */
};

struct kb_result {
	char benchmark[64];
	char params[256];               /* "op=add size=64K" */
	char per[KB_OPERATION_NAME];    /* call, fault, round-trip ... */
	enum kb_method method;
	char clock[16];
	enum kb_bound bound;
	uint64_t bytes_per_op;
	double ticks_per_ns;            /* 0: the clock has no known rate; then values are ticks */

	/* Cost of one operation, ns. */
	struct kb_estimate estimate;    /* the headline: of what, `headline` says */
	enum kb_headline headline;
	enum kb_uncontended_by uncontended_by;
	struct kb_estimate observed;    /* neighbours included: what this machine gave */
	struct kb_estimate quiet;       /* of version 1, which a stored result may be of: the line through the fastest tenth */
	double clean_share;             /* of the samples, over all processes: uncontended; NAN: not known */
	double waited_share;            /* of the time in which the measuring threads could run: others had the CPU; NAN: not known */
	struct kb_estimate mean;        /* plain weighted slope over all observations, disturbed ones too */
	struct kb_estimate fixed;       /* intercept: cost per sample */
	struct kb_estimate quantile[KB_QUANTILES];      /* of single operations, clock reading included */

	/* The same in core cycles by the add chain alongside it; known only where the core bounds it. */
	struct kb_estimate estimate_cycles, observed_cycles, quiet_cycles;
	struct kb_estimate core_mhz;    /* seen alongside the row */

	unsigned processes;             /* that count towards the headline */
	unsigned processes_planned, processes_failed;
	unsigned processes_contended;   /* whole, with too little uncontended time for the headline */
	uint64_t observations;          /* samples of op that were used */
	uint64_t disturbed;             /* samples left out by evidence */
	uint64_t flags[KB_FLAGS];       /* how many samples carry each flag; refuted ones are in neither count above */
	struct kb_process_cost process_costs[KB_PROCESS_COSTS_MAX];
	unsigned process_cost_count;
	double n_eff;
	uint64_t n_min, n_max;          /* grid of n */

	/* Of one operation with its turn of the timed loop; core cycles where the core bounds it, else unit of the result. */
	struct kb_result_mode modes[KB_RESULT_MODES];   /* one where one number will do */
	unsigned mode_count;            /* 0: too few values to say */
	bool modes_clustered;           /* values of one mode stand together in time */
	struct kb_result_levels levels;
	struct kb_result_spread spread;

	struct kb_result_covariate covariates[KB_COVARIATES];
	unsigned covariate_count;
	struct kb_result_kept kept;

	/* Cost over that of the twin, process by process; known only where the benchmark has one. It is free of what the machine gives to
	   both, so comparisons of such rows are by it. */
	struct kb_estimate ratio;
	char twin[80];                  /* what the twin is */
	struct kb_result_found found;

	struct kb_result_parallel parallel;

	struct kb_verdict verdict;
	struct kb_finding_evidence evidence[KB_EVIDENCE_MAX];
	unsigned evidence_count;
	char arch[12];                  /* whose instructions were measured: x86_64, x86_32 ...; "": not said */
	char code[16];                  /* hash of the machine code, hex; "" if it is not exact code */
	struct kb_environment environment;
};

/* "memory", "cache" or "mixed": where at least nine of ten loads came from. */
const char *kb_found_level(const struct kb_result_found *);

/* The least and the highest cost of a process, of a row that memory bounds: what others leave of it changes. False: not of this row. */
bool kb_result_range(const struct kb_result *, double *low, double *high);

/* Whether the core alone bounds the row: then it is told in core cycles. */
bool kb_core_bound(enum kb_bound bound);

/* The name of a row, also in the store: "ipc.pipe_latency placement=same-cpu". Both return text. */
#define KB_ROW_NAME (sizeof ((struct kb_result *)0)->benchmark + sizeof ((struct kb_result *)0)->params)
const char *kb_row_name(char text[KB_ROW_NAME], const struct kb_result *);
const char *kb_row_name_of(char text[KB_ROW_NAME], const char *benchmark, const char *params);

/* To the name of today: iteration for circle, directory for directory, sample for interval. */
void kb_rename_operation(char per[KB_OPERATION_NAME]);

/* Unit of the result's times: ns; of a clock without a known rate what it counts, insn or cycles, else ticks. */
const char *kb_time_unit(const struct kb_result *);

/* Cost of one operation where that unit is ns; else not known. */
struct kb_estimate kb_time_of(const struct kb_result *);

/* Unit of a clock's readings: insn, cycles, or ticks. */
const char *kb_tick_unit(const char *clock);

/* Whether that unit is insn. No time is ever made of such readings, whatever rate a record claims for them. */
bool kb_counts_instructions(const char *clock);

/* "observed" "uncontended" "typical" */
const char *kb_headline_name(enum kb_headline);

/* "median" "lower-quartile" "parts" */
const char *kb_uncontended_by_name(enum kb_uncontended_by);

/* What the row is judged and compared by: core cycles where they are known, else time. */
const struct kb_estimate *kb_headline(const struct kb_result *);

/* Half of the 95 % CI over the value, in percent; NAN without either. */
double kb_quality(const struct kb_estimate *);

/* Instructions, and the same number in each of at least two processes: nothing about it is random. */
#define KB_COUNT_ROUNDING 1e-6  /* of a slope, in floating point; the smallest true difference is one of some hundred operations */
bool kb_is_exact(const struct kb_result *);

/* What confirms a result: counts that agree with a claim, or else the benchmark's own check. KB_CONFIRMED_KINDS: nothing is claimed, or it did
   not run. */
enum kb_confirmed { KB_CONFIRMED_COUNTS, KB_CONFIRMED_CHECK, KB_CONFIRMED_NOT, KB_CONFIRMED_CONTRARY, KB_CONFIRMED_KINDS };
enum kb_confirmed kb_confirmed_by(const struct kb_result *);

/* What goes through, when so much does in one operation: bytes per ns are GB/s. Time was measured, so its interval is turned over: the
   upper end of the cost is the lower end of the rate. */
struct kb_estimate kb_rate_of(const struct kb_estimate *cost, double amount);

/* Adds a reason (printf style detail, may be NULL) and worsens the status. Equal codes are merged: first detail stays. */
void kb_verdict_add(struct kb_verdict *, enum kb_reason_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool kb_verdict_has(const struct kb_verdict *, enum kb_reason_code code);

/* Of the code, or as a later version said it. */
const char *kb_reason_name(const struct kb_reason *);
const char *kb_reason_words(const struct kb_reason *);
enum kb_severity kb_reason_severity(const struct kb_reason *);

/* The reason that is most severe, the first of several; NULL without any. */
const struct kb_reason *kb_verdict_worst(const struct kb_verdict *);

/* "note", "cause", or the status that a reason of this severity leads to. */
const char *kb_severity_word(enum kb_severity severity);

#endif
