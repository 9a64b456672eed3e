/*
 * The experiments of the Yamba paper (M. N. Gagnon, "Adaptable Platform-Dependent Micro-Benchmarks") on this machine, by the
 * programs in bench/yamba, and what the paper printed about its four machines.
 */
#ifndef KB_STUDY_YAMBA_PAPER_H
#define KB_STUDY_YAMBA_PAPER_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/style.h"
#include "run/run.h"
#include "stats/stats.h"

/* ---- published ----------------------------------------------------------------------------------------- */

#define KB_PAPER_PLATFORMS 4
#define KB_PAPER_SCALES 3

/* Tables 1 and 2; 0 where nothing is printed. */
struct kb_paper_lmbench {
	const char *platform;
	double original_us, fixed_us;   /* of one access by lat_pagefault */
	double faults;                  /* share of accesses that fault */
	double page_ins;                /* pages that come with a fault */
};

/* Figures 4 to 7. */
struct kb_paper_figure {
	const char *platform;
	unsigned scale;                 /* one page in so many is touched */
	double latency_us, variation, page_ins;
};

extern const struct kb_paper_lmbench kb_paper_lmbench[KB_PAPER_PLATFORMS];
extern const struct kb_paper_figure kb_paper_figures[KB_PAPER_PLATFORMS * KB_PAPER_SCALES];

/* ---- measured ------------------------------------------------------------------------------------------ */

enum kb_paper_part {
	KB_PAPER_INSTRUCTION,   /* section 2.1 */
	KB_PAPER_ORIGINAL,      /* table 1: lmbench's method */
	KB_PAPER_FIXED,         /* tables 1 and 2: the same with pages really evicted */
	KB_PAPER_PRINTED,       /* figures 4 to 7: the paper's own program and workload */
	KB_PAPER_LINE,          /* figures 8 and 9: what a fault costs by the pages that it brings in */
	KB_PAPER_PARTS
};

struct kb_paper_row {
	enum kb_paper_part part;
	char name[320];                 /* as for kbench run */
	char form[16];                  /* section 2.1 */
	bool dependent;
	unsigned window;                /* pages that read-ahead brings in; 0: as the device is set */
	unsigned scale;

	/* Of one operation, ns. `cost` is that of the result; where the check refuted it, the median of its
	   samples less those of the dummy, for what a wrong method reports is the point here. */
	struct kb_estimate cost;
	double raw;                     /* median of whole samples over operations, nothing subtracted; NAN: not measured */
	double variation;               /* standard deviation over mean of the passes, as in the paper; NAN */
	size_t passes;
	double core_mhz;                /* 0: not known */
	double faults, page_ins;        /* medians: per touch, per fault; NAN where the program does not count them */
	double resident;                /* pages in memory after eviction */
	enum kb_status status;
	char why[200];                  /* the worst reason of its verdict; "" if it is ok */
};

#define KB_PAPER_ROWS 48

struct kb_paper {
	struct kb_paper_row rows[KB_PAPER_ROWS];
	unsigned count;
	char device[64];                /* below the scratch directory; "" if there is no one device */
	long window_now;                /* pages, as the device is set; 0: not known */
	uint64_t page_bytes;
	bool drop_caches;               /* evict as the paper did */
	bool root;
	unsigned processes;
	int signal;                     /* that stopped it */
	char error[256];                /* why a part could not be run at all */
};

/* Looks at the machine. directory: in which the files of programs are made. */
void kb_paper_start(struct kb_paper *, const char *directory);

/* Measures part after part within the budget of the options; of the observer only the progress is called, as nothing is stored.
   False: nothing could be measured, paper->error is the reason. */
bool kb_paper_measure(struct kb_paper *, const struct kb_bench *const *benches, const struct kb_run_options *,
                      const struct kb_run_observer *);

/* The results of a part that the line is fitted to: proven, with a number. x: pages in per fault, y: us. Returns how many. */
size_t kb_paper_points(const struct kb_paper *, double x[KB_PAPER_ROWS], double y[KB_PAPER_ROWS]);

/* ---- shown ------------------------------------------------------------------------------------------------ */

#define KB_PAPER_SCHEMA "kbench-yamba-paper/1"

void kb_paper_print(FILE *out, const struct kb_paper *, const struct kb_style *style, unsigned width);

/* {"machine", "rows", "line", "published"}, a new reference. */
json_t *kb_paper_json(const struct kb_paper *);

/* Its last two members: the fitted line or null, and what the paper printed. */
json_t *kb_paper_line_json(const struct kb_paper *);
json_t *kb_paper_published_json(void);

/* us over pages in per fault: by equal weights, as figure 8, and by 1/y^2, where each window counts alike. False: fewer than
   three points. */
struct kb_paper_lines { struct kb_regression_fit plain, relative; size_t points; };
bool kb_paper_fit(const struct kb_paper *, struct kb_paper_lines *);

#endif
