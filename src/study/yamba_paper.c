/* See yamba_paper.h. */
#define _GNU_SOURCE
#include "study/yamba_paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "code/target.h"
#include "grown.h"
#include "io.h"
#include "stats/stats.h"
#include "suite/params/measure.h"
#include "suite/select.h"

#define OLD_WINDOW_BYTES (128u << 10)   /* read-ahead of the paper's Linux 2.6.28, and still the kernel's own default */
#define LEAST_NS UINT64_C(500000000)

/* ---- what the paper printed ------------------------------------------------------------------------------- */

/* Figure 8 has the same points as figures 5 to 7 and its lines; they are in study/published_data.c. A test holds both against each
   other. */
const struct kb_paper_lmbench kb_paper_lmbench[KB_PAPER_PLATFORMS] = {
	{ "C1_Darwin", 567.1450, 0, 0.069, 14.54 },
	{ "C1_Linux", 1.1617, 398.9608, 0.046, 21.63 },
	{ "C2_Darwin", 90.0432, 0, 0.068, 14.71 },
	{ "C2_Linux", 1.5016, 63.0881, 0.046, 21.51 },
};

const struct kb_paper_figure kb_paper_figures[KB_PAPER_PLATFORMS * KB_PAPER_SCALES] = {
	{ "C1_Darwin", 16, 2360.58, 0.0833, 8.42 },
	{ "C1_Linux", 16, 2542.07, 0.0137, 1.00 },
	{ "C2_Darwin", 16, 1124.16, 0.0051, 8.42 },
	{ "C2_Linux", 16, 676.75, 0.0045, 1.00 },
	{ "C1_Darwin", 32, 4748.56, 0.0697, 9.30 },
	{ "C1_Linux", 32, 5087.88, 0.0491, 8.55 },
	{ "C2_Darwin", 32, 1176.83, 0.0528, 9.30 },
	{ "C2_Linux", 32, 882.51, 0.0033, 8.55 },
	{ "C1_Darwin", 64, 9283.69, 0.0673, 11.00 },
	{ "C1_Linux", 64, 9955.01, 0.0236, 32.00 },
	{ "C2_Darwin", 64, 1212.67, 0.0063, 11.00 },
	{ "C2_Linux", 64, 1754.04, 0.0016, 32.00 },
};

/* ---- the parts -------------------------------------------------------------------------------------------- */

/* The parts in their order. Windows are given in pages; 1 needs no privilege, 0 is what is set, others need root. */
static const struct part {
	const char *program;            /* for this platform's port */
	double share;                   /* of the time that is left; the line has most benchmarks and the longest passes */
	const char *sets[2];            /* of parameters */
	const char *evict[2];           /* without and with --drop-caches */
	const char *windows[2];         /* without and with root; "": the program has none; NULL: as set, and as on the paper's Linux */
} parts[KB_PAPER_PARTS] = {
	[KB_PAPER_INSTRUCTION] = { "yamba.one_instruction_%s", .1, { "form=single,counted,unrolled,partly", "dependent=0,1" },
				   .windows = { "", "" } },
	/* 32 MiB with pages of 4 KiB: passes of less than a second. */
	[KB_PAPER_ORIGINAL] = { "yamba.lmbench_pagefault_%s", .15, { "evict=msync", "touches=8192" } },
	[KB_PAPER_FIXED] = { "yamba.lmbench_pagefault_%s", .3, { "touches=8192" }, { "evict=fadvise", "evict=drop_caches" } },
	[KB_PAPER_PRINTED] = { "yamba.Y_pagefault_%s_Linux", .35, { "scale=16,32,64" }, { "drop_caches=0", "drop_caches=1" } },
	/* The stride is the largest window, so that stride and pages of a fault are told apart; its passes then take some 50 ms. */
	[KB_PAPER_LINE] = { "yamba.pagefault_%s", 1, { "stride=256", "touches=32" },
			    .windows = { "window=1", "window=1,2,4,8,16,32,64,128,256" } },
};

/* ---- the machine ----------------------------------------------------------------------------------------- */

/* A partition has the queue of the disk that it is part of. */
static bool read_device(dev_t device, const char *attribute, char *text, size_t room)
{
	char path[128];

	for (int up = 0; up < 2; up++) {
		snprintf(path, sizeof path, "/sys/dev/block/%u:%u/%s%s", major(device), minor(device), up ? "../" : "", attribute);
		if (kb_read_file(path, text, room) > 0)
			return true;
	}
	return false;
}

void kb_paper_start(struct kb_paper *paper, const char *directory)
{
	struct stat status;
	char text[512], *name;

	*paper = (struct kb_paper){ .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE), .root = geteuid() == 0 };
	if (stat(directory, &status))
		return;
	if (read_device(status.st_dev, "queue/read_ahead_kb", text, sizeof text))
		paper->window_now = strtol(text, NULL, 10) * 1024 / (long)paper->page_bytes;
	if (read_device(status.st_dev, "uevent", text, sizeof text) && (name = strstr(text, "DEVNAME=")))
		snprintf(paper->device, sizeof paper->device, "%.*s", (int)strcspn(name + 8, "\n"), name + 8);
}

/* ---- what the programs reported ------------------------------------------------------------------------------ */

struct series { double *values; size_t count; };

/* All passes of one result, refuted ones too. */
enum { OP, BASE, FAULTS, PAGE_INS, RESIDENT, SERIES };
struct seen { struct series of[SERIES]; };

static void append(struct series *to, double value)
{
	/* Without memory a value is lost, and `passes` is smaller. */
	if (KB_GROW(to->values, to->count))
		to->values[to->count++] = value;
}

/* A covariate; the engine's own summary of them leaves refuted passes out, whose counts are the point here. */
static void append_annotation(struct series *to, const struct kb_obs *obs, const char *name)
{
	char text[48];

	if (kb_record_field(obs->extra, name, text, sizeof text) > 0)
		append(to, strtod(text, NULL));
}

static double middle(const struct series *series)
{
	double value = NAN, *scratch = series->count ? malloc(series->count * sizeof *scratch) : NULL;

	if (scratch)
		value = kb_median(series->values, series->count, scratch);
	free(scratch);
	return value;
}

struct watch {
	struct kb_row *rows;
	struct seen *seen;
	const struct kb_run_observer *outer;
};

/* Warm-up passes count nowhere else, so not here. */
static void take(struct seen *seen, const struct kb_obs *obs)
{
	if ((obs->flags & KB_FLAG_WARMUP) || obs->n == 0)
		return;
	if (obs->role == KB_ROLE_BASE)
		append(&seen->of[BASE], (double)obs->ticks / (double)obs->n);
	if (obs->role != KB_ROLE_OP)
		return;
	append(&seen->of[OP], (double)obs->ticks / (double)obs->n);
	append_annotation(&seen->of[FAULTS], obs, "x.faults_per_touch");
	append_annotation(&seen->of[PAGE_INS], obs, "x.page_ins");
	append_annotation(&seen->of[RESIDENT], obs, "x.resident_before");
}

/* Reads each record while it is there. */
static int process_done(void *context, const struct kb_row *row, unsigned process, const char *outcome, const char *record,
                       size_t length)
{
	struct watch *watch = context;
	struct kb_record_reader reader;
	struct kb_line line;

	(void)outcome;
	kb_record_open(&reader, record, length);
	while (process > 0 && kb_record_next(&reader, &line) != KB_LINE_NONE) {
		if (line.kind == KB_LINE_OBS)
			take(&watch->seen[row - watch->rows], &line.obs);
	}
	return 0;
}

static void progress(void *context, const struct kb_row *now, unsigned done, unsigned open, uint64_t left_ns)
{
	const struct watch *watch = context;

	watch->outer->progress(watch->outer->context, now, done, open, left_ns);
}

/* ---- from a result to a line of the paper's tables ------------------------------------------------------------ */

static void fill(struct kb_paper_row *to, const struct kb_row *row, const struct seen *seen, const struct kb_clock *clock)
{
	const struct kb_result *result = &row->result;
	double ns = clock->hz ? 1e9 / (double)clock->hz : 1;
	const struct series *op = &seen->of[OP], *base = &seen->of[BASE];
	struct series passes = { NULL, 0 };
	const struct kb_reason *worst = kb_verdict_worst(&result->verdict);
	double mean;
	int form = kb_param_index(row->settings.bench, kb_span_of("form"));

	/* Costs of passes: a sample less the dummy's next to it, which is the i-th of its kind. */
	for (size_t i = 0; i < op->count; i++)
		append(&passes, op->values[i] - (i < base->count ? base->values[i] : 0));
	mean = passes.count ? kb_mean(passes.values, passes.count) : NAN;
	snprintf(to->name, sizeof to->name, "%s", row->key);
	snprintf(to->form, sizeof to->form, "%s", form >= 0 ? row->settings.text[form] : "");
	to->window = (unsigned)kb_row_number(row, "window");
	to->scale = (unsigned)kb_row_number(row, "scale");
	to->dependent = kb_row_number(row, "dependent") != 0;
	/* What had no process has no verdict. */
	to->status = passes.count > 0 || result->verdict.count > 0 ? result->verdict.status : KB_SKIPPED;
	if (to->status != KB_OK)
		snprintf(to->why, sizeof to->why, "%.80s%s%.110s", worst ? kb_reason_words(worst) : "not measured in the budget",
			 worst && worst->detail[0] ? ": " : "", worst ? worst->detail : "");
	/* The engine's estimate, which is over processes; else, where it has none, the middle of all passes with its interval. */
	to->cost = result->estimate;
	if (!to->cost.known && passes.count > 0) {
		struct kb_interval middle_of = kb_quantile_interval(passes.values, passes.count, 0.5, 0.95);

		to->cost = (struct kb_estimate){ middle_of.value * ns, middle_of.low * ns, middle_of.high * ns, true, middle_of.known };
	}
	to->raw = middle(&seen->of[OP]) * ns;
	to->passes = passes.count;
	to->variation = passes.count > 1 && mean > 0 ? sqrt(kb_variance(passes.values, passes.count)) / mean : NAN;
	to->core_mhz = result->core_mhz.known ? result->core_mhz.value : 0;
	to->faults = middle(&seen->of[FAULTS]);
	to->page_ins = middle(&seen->of[PAGE_INS]);
	to->resident = middle(&seen->of[RESIDENT]);
	free(passes.values);
}

/* ---- the benchmarks of each part --------------------------------------------------------------------------------- */

/* The benchmarks of one part; 0 with error where the programs are not in this build. */
static size_t select_part(const struct kb_paper *paper, const struct part *part, const struct kb_bench *const *benches,
                          struct kb_row **rows, char error[256])
{
	char name[64], windows[64];
	const char *pattern = name, *given = part->windows[paper->root], *sets[4];
	size_t count = 0, set_count = 0;

	snprintf(name, sizeof name, part->program, kb_target_host()->name);
	snprintf(windows, sizeof windows, paper->root ? "window=0,%llu" : "window=0",
	         (unsigned long long)(OLD_WINDOW_BYTES / paper->page_bytes));
	if (!given || given[0])
		sets[set_count++] = given ? given : windows;
	for (size_t i = 0; i < 2 && part->sets[i]; i++)
		sets[set_count++] = part->sets[i];
	if (part->evict[0])
		sets[set_count++] = part->evict[paper->drop_caches];
	return kb_select(KB_SELECT_NAMED, benches, &pattern, 1, sets, set_count, rows, &count, error) ? 0 : count;
}

/* One run of the engine, its processes interleaved and shuffled: windows are compared with each other, so none may have the
   uncontended minutes for itself. */
static bool measure_part(struct kb_paper *paper, enum kb_paper_part part, struct kb_row *rows, size_t count,
                         const struct kb_run_options *options, const struct kb_run_observer *outer)
{
	struct kb_run_outcome outcome;
	struct watch watch = { rows, calloc(count, sizeof *watch.seen), outer };
	struct kb_run_observer observer = { .context = &watch, .process_done = process_done, .progress = outer->progress ? progress : NULL };
	bool done = watch.seen && !kb_run_rows(rows, count, options, &observer, &outcome, paper->error);

	for (size_t i = 0; i < count; i++) {
		if (done && paper->count < KB_PAPER_ROWS) {
			struct kb_paper_row *to = &paper->rows[paper->count++];

			to->part = part;
			fill(to, &rows[i], &watch.seen[i], &outcome.clock);
		}
		for (int k = 0; k < SERIES && watch.seen; k++)
			free(watch.seen[i].of[k].values);
		kb_row_release(&rows[i]);
	}
	free(watch.seen);
	if (done) {
		paper->processes += outcome.processes;
		paper->signal = outcome.interrupted ? outcome.signal : 0;
	}
	return done;
}

bool kb_paper_measure(struct kb_paper *paper, const struct kb_bench *const *benches, const struct kb_run_options *options,
                      const struct kb_run_observer *observer)
{
	uint64_t deadline = kb_wall_ns() + options->budget_ns;
	struct kb_run_options part_options = *options;
	bool any = false;

	for (int part = 0; part < KB_PAPER_PARTS && !paper->signal; part++) {
		uint64_t now = kb_wall_ns();
		struct kb_row *rows = NULL;
		size_t count;

		if (now + LEAST_NS > deadline)
			break;
		part_options.budget_ns = (uint64_t)((double)(deadline - now) * parts[part].share);
		part_options.seed++;
		count = select_part(paper, &parts[part], benches, &rows, paper->error);
		any |= count > 0 && measure_part(paper, part, rows, count, &part_options, observer);
		free(rows);
	}
	return any;
}

size_t kb_paper_points(const struct kb_paper *paper, double x[KB_PAPER_ROWS], double y[KB_PAPER_ROWS])
{
	size_t count = 0;

	for (unsigned i = 0; i < paper->count; i++) {
		const struct kb_paper_row *row = &paper->rows[i];

		if (row->part != KB_PAPER_LINE || row->status == KB_INVALID || !row->cost.known || !(row->cost.value > 0) ||
		    !isfinite(row->page_ins))
			continue;
		x[count] = row->page_ins;
		y[count++] = row->cost.value * 1e-3;
	}
	return count;
}
