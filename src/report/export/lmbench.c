/*
 * The summary of one page that lmbench prints, with its units and columns. A cell names lmbench's program, and src/workflow/runs/alongside.c
 * which result of ours measures the same: runs of ours and imported ones print by the same table, a line each. The column of blanks behind
 * a number holds the mark of its verdict, so the page is as wide as readers know it.
 */
#define _GNU_SOURCE
#include "report/export/export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "workflow/runs/alongside.h"

#define LMBENCH "lmbench."

enum unit { US, NS, MB_S, CLOCK, LINE, LABEL };

/* The program of lmbench and its parameters, those of ours in addition, and the sizes that it may have. Of several programs (also) the mean
   stands in the cell. No program: of CLOCK and LINE the number is that of the machine, and others nothing here measures. */
struct lm_cell { int width; enum unit unit; const char *bench, *with, *also, *ours; uint64_t least, most; };

#define EMPTY(w) { .width = (w) }
#define FACT(w, u) { .width = (w), .unit = (u) }
#define SIZED(w, u, b, p, o, from, to) { .width = (w), .unit = (u), .bench = (b), .with = (p), .ours = (o), .least = (from), .most = (to) }
#define CELL(w, u, b, p) SIZED(w, u, b, p, NULL, 0, UINT64_MAX)
#define MEAN(w, u, b, p, a) { .width = (w), .unit = (u), .bench = (b), .with = (p), .also = (a), .most = UINT64_MAX }

#define OPERATION(name) CELL(6, NS, "lat_ops", "op=" name)
#define INTEGERS(type) { OPERATION(type "_bit"), OPERATION(type "_add"), OPERATION(type "_mul"), OPERATION(type "_div"), OPERATION(type "_mod") }
#define REALS(type) { OPERATION(type "_add"), OPERATION(type "_mul"), OPERATION(type "_div"), OPERATION(type "_bogomflops") }

#define KB (UINT64_C(1) << 10)
#define MEMORY (UINT64_C(8) << 20)       /* what is smaller fits into caches */

#define CELLS_MAX 12
struct lm_section { const char *heading; struct lm_cell cells[CELLS_MAX]; };

#define HOST "--------- -------------"

static const struct lm_section sections[] = {
	{ "Basic system parameters\n"
	  "------------------------------------------------------------------------------\n"
	  "Host                 OS Description              Mhz  tlb  cache  mem   scal\n"
	  "                                                     pages line   par   load\n"
	  "                                                           bytes  \n"
	  HOST " ----------------------- ---- ----- ----- ------ ----",
	  { FACT(23, LABEL), FACT(4, CLOCK), EMPTY(5), FACT(5, LINE), EMPTY(6), EMPTY(4) } },
	{ "Processor, Processes - times in microseconds - smaller is better\n"
	  "------------------------------------------------------------------------------\n"
	  "Host                 OS  Mhz null null      open slct sig  sig  fork exec sh  \n"
	  "                             call  I/O stat clos TCP  inst hndl proc proc proc\n"
	  HOST " ---- ---- ---- ---- ---- ---- ---- ---- ---- ---- ----",
	  { FACT(4, CLOCK), CELL(4, US, "lat_syscall", "call=null"), MEAN(4, US, "lat_syscall", "call=read", "call=write"),
	    CELL(4, US, "lat_syscall", "call=stat"), CELL(4, US, "lat_syscall", "call=open"),
	    CELL(4, US, "lat_select", "fds=100 kind=tcp"), CELL(4, US, "lat_sig", "op=install"), CELL(4, US, "lat_sig", "op=catch"),
	    CELL(4, US, "lat_proc", "op=fork"), CELL(4, US, "lat_proc", "op=exec"), CELL(4, US, "lat_proc", "op=shell") } },
	{ "Basic integer operations - times in nanoseconds - smaller is better\n"
	  "-------------------------------------------------------------------\n"
	  "Host                 OS  intgr intgr  intgr  intgr  intgr\n"
	  "                          bit   add    mul    div    mod\n"
	  HOST " ------ ------ ------ ------ ------",
	  INTEGERS("integer") },
	{ "Basic uint64 operations - times in nanoseconds - smaller is better\n"
	  "------------------------------------------------------------------\n"
	  "Host                 OS int64  int64  int64  int64  int64\n"
	  "                         bit    add    mul    div    mod\n"
	  HOST " ------ ------ ------ ------ ------",
	  INTEGERS("int64") },
	{ "Basic float operations - times in nanoseconds - smaller is better\n"
	  "-----------------------------------------------------------------\n"
	  "Host                 OS  float  float  float  float\n"
	  "                         add    mul    div    bogo\n"
	  HOST " ------ ------ ------ ------",
	  REALS("float") },
	{ "Basic double operations - times in nanoseconds - smaller is better\n"
	  "------------------------------------------------------------------\n"
	  "Host                 OS  double double double double\n"
	  "                         add    mul    div    bogo\n"
	  HOST " ------ ------ ------ ------",
	  REALS("double") },
	{ "Context switching - times in microseconds - smaller is better\n"
	  "-------------------------------------------------------------------------\n"
	  "Host                 OS  2p/0K 2p/16K 2p/64K 8p/16K 8p/64K 16p/16K 16p/64K\n"
	  "                         ctxsw  ctxsw  ctxsw ctxsw  ctxsw   ctxsw   ctxsw\n"
	  HOST " ------ ------ ------ ------ ------ ------- -------",
	  { CELL(6, US, "lat_ctx", "processes=2 size=0"), CELL(6, US, "lat_ctx", "processes=2 size=16K"),
	    CELL(6, US, "lat_ctx", "processes=2 size=64K"), CELL(6, US, "lat_ctx", "processes=8 size=16K"),
	    CELL(6, US, "lat_ctx", "processes=8 size=64K"), CELL(7, US, "lat_ctx", "processes=16 size=16K"),
	    CELL(7, US, "lat_ctx", "processes=16 size=64K") } },
	{ "*Local* Communication latencies in microseconds - smaller is better\n"
	  "---------------------------------------------------------------------\n"
	  "Host                 OS 2p/0K  Pipe AF     UDP  RPC/   TCP  RPC/ TCP\n"
	  "                        ctxsw       UNIX         UDP         TCP conn\n"
	  HOST " ----- ----- ---- ----- ----- ----- ----- ----",
	  { CELL(5, US, "lat_ctx", "processes=2 size=0"), CELL(5, US, "lat_pipe", ""), CELL(4, US, "lat_unix", ""),
	    CELL(5, US, "lat_udp", ""), EMPTY(5), CELL(5, US, "lat_tcp", ""), EMPTY(5),
	    CELL(4, US, "lat_connect", "") } },
	{ "File & VM system latencies in microseconds - smaller is better\n"
	  "-------------------------------------------------------------------------------\n"
	  "Host                 OS   0K File      10K File     Mmap    Prot   Page   100fd\n"
	  "                        Create Delete Create Delete Latency Fault  Fault  selct\n"
	  HOST " ------ ------ ------ ------ ------- ----- ------- -----",
	  { CELL(6, US, "lat_fs", "op=create size=0"), CELL(6, US, "lat_fs", "op=delete size=0"),
	    CELL(6, US, "lat_fs", "op=create size=10K"), CELL(6, US, "lat_fs", "op=delete size=10K"), CELL(7, US, "lat_mmap", ""),
	    CELL(5, US, "lat_sig", "op=prot"), CELL(7, US, "lat_pagefault", ""), CELL(5, US, "lat_select", "fds=100 kind=file") } },
	{ "*Local* Communication bandwidths in MB/s - bigger is better\n"
	  "-----------------------------------------------------------------------------\n"
	  "Host                OS  Pipe AF    TCP  File   Mmap  Bcopy  Bcopy  Mem   Mem\n"
	  "                             UNIX      reread reread (libc) (hand) read write\n"
	  HOST " ---- ---- ---- ------ ------ ------ ------ ---- -----",
	  { CELL(4, MB_S, "bw_pipe", ""), CELL(4, MB_S, "bw_unix", ""), CELL(4, MB_S, "bw_tcp", "size=64K"),
	    CELL(6, MB_S, "bw_file_rd", "mode=io_only"), CELL(6, MB_S, "bw_mmap_rd", "mode=mmap_only"),
	    SIZED(6, MB_S, "bw_mem", "op=bcopy", NULL, MEMORY, UINT64_MAX), SIZED(6, MB_S, "bw_mem", "op=fcp", NULL, MEMORY, UINT64_MAX),
	    SIZED(4, MB_S, "bw_mem", "op=frd", NULL, MEMORY, UINT64_MAX), SIZED(5, MB_S, "bw_mem", "op=fwr", NULL, MEMORY, UINT64_MAX) } },
	{ "Memory latencies in nanoseconds - smaller is better\n"
	  "------------------------------------------------------------------------------\n"
	  "Host                 OS   Mhz   L1 $   L2 $    Main mem    Rand mem\n"
	  "--------- -------------   ---   ----   ----    --------    --------",
	  { FACT(5, CLOCK), SIZED(6, NS, "lat_mem_rd", "order=forward", "order=local", 0, 16 * KB),
	    SIZED(6, NS, "lat_mem_rd", "order=forward", "order=local", 128 * KB, 256 * KB),
	    SIZED(11, NS, "lat_mem_rd", "order=forward", "order=local", MEMORY, UINT64_MAX),
	    SIZED(11, NS, "lat_mem_rd", "order=random", "order=random", MEMORY, UINT64_MAX) } },
};

#define SECTIONS (sizeof sections / sizeof sections[0])

/* ---- which result stands in a cell ---------------------------------------------------------------------- */

static uint64_t size_of(const struct kb_result *result)
{
	struct kb_span value = kb_params_value(result->params, kb_span_of("size"));
	char text[32];
	uint64_t bytes = 0;

	snprintf(text, sizeof text, "%.*s", (int)value.length, value.at ?: "");
	return kb_parse_size(text, &bytes) ? bytes : 0;
}

static bool is_of_lmbench(const struct kb_result *result)
{
	return strncmp(result->benchmark, LMBENCH, strlen(LMBENCH)) == 0;
}

/* Both sides on one CPU, as lmbench's summary is of one; lmbench itself leaves it to the scheduler. */
static bool is_placed(const struct kb_result *result)
{
	struct kb_span placement = kb_params_value(result->params, kb_span_of("placement"));

	return !placement.length || kb_span_is(placement, "same-cpu");
}

static bool stands_in(const struct lm_cell *cell, const char *with, const struct kb_result *result)
{
	uint64_t size = size_of(result);
	char name[64];

	snprintf(name, sizeof name, LMBENCH "%s", cell->bench);
	return kb_alongside_measures(result, name, cell->ours && !is_of_lmbench(result) ? cell->ours : with) && is_placed(result) &&
	       size >= cell->least && size <= cell->most;
}

/* Of several sizes lmbench's summary takes the largest; of other parameters the first in order, which is the default. */
static const struct kb_result *find(const struct kb_export *run, const struct lm_cell *cell, const char *with)
{
	const struct kb_result *best = NULL;

	for (size_t i = 0; cell->bench && with && i < run->count; i++) {
		const struct kb_result *result = run->rows[i].result;

		if (!kb_export_no_time(&run->rows[i]) && stands_in(cell, with, result) && (!best || size_of(result) > size_of(best)))
			best = result;
	}
	return best;
}

#define EACH_CELL(cell, section) \
	(const struct lm_cell *cell = (section)->cells; cell < (section)->cells + CELLS_MAX && cell->width > 0; cell++)

static const char *refuses(const struct kb_exported *row)
{
	const struct kb_export one = { .rows = row, .count = 1 };
	const char *why = kb_export_no_time(row);

	for (size_t s = 0; s < SECTIONS && !why; s++) {
		for EACH_CELL(cell, &sections[s]) {
			if (find(&one, cell, cell->with) || find(&one, cell, cell->also))
				return NULL;
		}
	}
	return why ?: "in no cell of lmbench's summary, see 'kbench run --suite lmbench'";
}

/* ---- its number ----------------------------------------------------------------------------------------- */

struct shown { double value, wide; enum kb_status status; bool bounded; const struct kb_result *of; };

static bool number_of_result(struct shown *shown, const struct kb_result *result, enum unit unit)
{
	const struct kb_estimate *ns = &result->estimate;

	if (ns->value <= 0 || (unit == MB_S && result->bytes_per_op == 0))
		return false;
	*shown = (struct shown){ unit == MB_S ? (double)result->bytes_per_op * 1e3 / ns->value : unit == US ? ns->value / 1e3 : ns->value,
				 fmax(ns->high - ns->value, ns->value - ns->low) / ns->value, result->verdict.status, ns->bounded, result };
	return true;
}

/* The core's own, from an instruction of known cycles while it was measured: what the kernel reports is often another one. */
static bool clock_of(struct shown *shown, const struct kb_export *run)
{
	for (size_t i = 0; i < run->count; i++) {
		const struct kb_result *result = run->rows[i].result;

		if (!strcmp(result->benchmark, "cpu.op_latency") && result->estimate_cycles.known && result->estimate.value > 0) {
			*shown = (struct shown){ .value = 1e3 * result->estimate_cycles.value / result->estimate.value, .status = KB_OK, .bounded = true };
			return true;
		}
	}
	return false;
}

static bool line_of(struct shown *shown, const struct kb_export *run)
{
	*shown = (struct shown){ .value = strtod(kb_export_fact(run, "line_size", "0"), NULL), .status = KB_OK, .bounded = true };
	return shown->value > 0;
}

/* The mean of two is as wide as the wider, and as sure as the less sure. */
static bool number_of(struct shown *shown, const struct kb_export *run, const struct lm_cell *cell)
{
	const struct kb_result *result = find(run, cell, cell->with), *other = find(run, cell, cell->also);
	struct shown second;

	if (cell->unit == CLOCK || cell->unit == LINE)
		return cell->unit == CLOCK ? clock_of(shown, run) : line_of(shown, run);
	if (!result || (cell->also && !other) || !number_of_result(shown, result, cell->unit))
		return false;
	if (other && number_of_result(&second, other, cell->unit)) {
		*shown = (struct shown){ (shown->value + second.value) / 2, fmax(shown->wide, second.wide),
					 shown->status > second.status ? shown->status : second.status, shown->bounded && second.bounded,
					 shown->wide >= second.wide ? shown->of : second.of };
	}
	return true;
}

/* ---- the page ------------------------------------------------------------------------------------------- */

enum mark { MARK_NONE, MARK_NOISY, MARK_UNVERIFIED, MARK_UNBOUNDED, MARKS };

static const struct { char letter; const char *words; } marks[MARKS] = {
	[MARK_NONE] = { ' ', "" }, [MARK_NOISY] = { '~', "noisy" }, [MARK_UNVERIFIED] = { '?', "unverified" },
	[MARK_UNBOUNDED] = { '*', "no 95 % CI" },
};

/* What the legend is about: what was seen above it. */
struct seen { bool mark[MARKS]; struct shown widest; };

static enum mark mark_of(const struct shown *shown)
{
	return shown->status == KB_UNVERIFIED ? MARK_UNVERIFIED : !shown->bounded ? MARK_UNBOUNDED : shown->status == KB_NOISY ? MARK_NOISY : MARK_NONE;
}

/* Of numbers of lmbench none has an interval, which is said once. */
static void put_mark(FILE *out, const struct shown *shown, struct seen *seen)
{
	enum mark mark = shown->of && is_of_lmbench(shown->of) ? MARK_NONE : mark_of(shown);

	seen->mark[mark] = true;
	if (shown->of && shown->bounded && shown->wide > seen->widest.wide)
		seen->widest = *shown;
	fputc(marks[mark].letter, out);
}

/* As many digits as the column holds, three at most behind the point: numbers that do not fit are whole, and thousands end with K. */
static void put_number(FILE *out, int width, double value, bool whole)
{
	char text[KB_EXPORT_NUMBER];

	for (int digits = whole ? 0 : value < 10 ? 3 : value < 100 ? 1 : 0; digits >= 0; digits--) {
		if (snprintf(text, sizeof text, "%.*f", digits, value) <= width)
			break;
	}
	if ((int)strlen(text) > width)
		snprintf(text, sizeof text, "%.0fK", value / 1e3);
	fprintf(out, "%*s", width, text);
}

static const char *label_of(const struct kb_export *run)
{
	const char *label = kb_export_run_text(run, "label");

	return label && label[0] ? label : kb_export_fact(run, "cpu_model", kb_export_fact(run, "arch", ""));
}

static void put_cell(FILE *out, const struct kb_export *run, const struct lm_cell *cell, struct seen *seen)
{
	struct shown shown;

	if (cell->unit == LABEL) {
		fprintf(out, "%*.*s ", cell->width, cell->width, label_of(run));
	} else if (!number_of(&shown, run, cell)) {
		fprintf(out, "%*s ", cell->width, "");
	} else {
		put_number(out, cell->width, shown.value, cell->unit == LINE);
		put_mark(out, &shown, seen);
	}
}

/* Without the blanks of empty cells at its end. */
static int put_line(FILE *out, const struct kb_export *run, const struct lm_section *section, struct seen *seen)
{
	char text[256] = "", os[KB_EXPORT_NAME];
	FILE *line = fmemopen(text, sizeof text, "w");
	size_t length;

	if (!line)
		return -ENOMEM;
	snprintf(os, sizeof os, "Linux %.100s", kb_export_fact(run, "kernel", ""));
	fprintf(line, "%-9.9s %13.13s ", kb_export_fact(run, "machine", "kbench"), os);
	for EACH_CELL(cell, section)
		put_cell(line, run, cell, seen);
	fclose(line);
	for (length = strlen(text); length > 0 && text[length - 1] == ' '; length--)
		;
	fprintf(out, "%.*s\n", (int)length, text);
	return 0;
}

static bool has_number(const struct kb_export *run, const struct lm_section *section)
{
	struct shown shown;

	for EACH_CELL(cell, section) {
		if ((section == sections || cell->bench) && number_of(&shown, run, cell))
			return true;
	}
	return false;
}

/* Runs without a number of it have no line, and a section without a line is none. */
static int put_section(FILE *out, const struct kb_export *const *runs, size_t count, const struct lm_section *section, struct seen *seen)
{
	bool begun = false;
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		if (!has_number(runs[i], section))
			continue;
		if (!begun)
			fprintf(out, "\n%s\n", section->heading);
		begun = true;
		error = put_line(out, runs[i], section, seen);
	}
	return error;
}

static void put_legend(FILE *out, const struct seen *seen, bool imported)
{
	char name[KB_EXPORT_NAME];

	fputc('\n', out);
	for (enum mark mark = MARK_NOISY; mark < MARKS; mark++) {
		if (seen->mark[mark])
			fprintf(out, "%c %s   ", marks[mark].letter, marks[mark].words);
	}
	if (seen->widest.of)
		fprintf(out, "widest 95 %% CI: +-%.2g %%, of %s\n", 100 * seen->widest.wide, kb_export_name(name, seen->widest.of, ' '));
	else
		fputs("no number has a 95 % CI\n", out);
	if (imported)
		fputs("Numbers that lmbench measured have no CI and no verdict.\n", out);
	fputs("An empty cell: no result measures it. 'kbench show' prints each number with its CI; doc/lmbench.md states where the two differ.\n", out);
}

static bool is_imported(const struct kb_export *run)
{
	return run->count > 0 && is_of_lmbench(run->rows[0].result);
}

static int put_page(FILE *out, const struct kb_export *all)
{
	const struct kb_export *runs[1 + KB_EXPORT_FURTHER] = { all };
	struct seen seen = { .widest.wide = 0 };
	bool imported = is_imported(all);
	size_t count = 1;
	int error = 0;

	for (size_t i = 0; i < all->further_count && count < sizeof runs / sizeof runs[0]; i++) {
		runs[count++] = &all->further[i];
		imported |= is_imported(&all->further[i]);
	}
	fputs("                 L M B E N C H   S U M M A R Y\n", out);
	for (size_t s = 0; s < SECTIONS && !error; s++)
		error = put_section(out, runs, count, &sections[s], &seen);
	put_legend(out, &seen, imported);
	return error;
}

const struct kb_export_format kb_export_lmbench = { .name = "lmbench", .page = true, .refuses = refuses, .end = put_page };
