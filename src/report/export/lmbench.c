/*
 * The summary of one page that lmbench prints, with its units and columns. A cell names lmbench's program, and src/workflow/runs/alongside.c
 * which row of ours measures the same: a stored run of ours and an imported one print by the same table. The column of blanks behind a number
 * holds the mark of its verdict, so the page is as wide as readers know it.
 */
#define _GNU_SOURCE
#include "report/export/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "workflow/runs/alongside.h"

#define LMBENCH "lmbench."

enum unit { CLOCK, US, NS, MB_S };

/* Of several programs the mean stands in the cell. Neither: nothing here measures it. */
struct lm_cell { int width; enum unit unit; const char *bench, *with, *also; };

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
	  { { 28, CLOCK, NULL, NULL, NULL }, { 5, NS, NULL, NULL, NULL }, { 5, NS, NULL, NULL, NULL }, { 6, NS, NULL, NULL, NULL },
	    { 4, NS, NULL, NULL, NULL } } },
	{ "Processor, Processes - times in microseconds - smaller is better\n"
	  "------------------------------------------------------------------------------\n"
	  "Host                 OS  Mhz null null      open slct sig  sig  fork exec sh  \n"
	  "                             call  I/O stat clos TCP  inst hndl proc proc proc\n"
	  HOST " ---- ---- ---- ---- ---- ---- ---- ---- ---- ---- ----",
	  { { 4, CLOCK, NULL, NULL, NULL }, { 4, US, "lat_syscall", "call=null", NULL }, { 4, US, "lat_syscall", "call=read", "call=write" },
	    { 4, US, "lat_syscall", "call=stat", NULL }, { 4, US, "lat_syscall", "call=open", NULL },
	    { 4, US, "lat_select", "fds=100 kind=tcp", NULL }, { 4, US, "lat_sig", "op=install", NULL }, { 4, US, "lat_sig", "op=catch", NULL },
	    { 4, US, "lat_proc", "op=fork", NULL }, { 4, US, "lat_proc", "op=exec", NULL }, { 4, US, "lat_proc", "op=shell", NULL } } },
	{ "Basic integer operations - times in nanoseconds - smaller is better\n"
	  "-------------------------------------------------------------------\n"
	  "Host                 OS  intgr intgr  intgr  intgr  intgr\n"
	  "                          bit   add    mul    div    mod\n"
	  HOST " ------ ------ ------ ------ ------",
	  { { 6, NS, "lat_ops", "op=integer_bit", NULL },
	    { 6, NS, "lat_ops", "op=integer_add", NULL },
	    { 6, NS, "lat_ops", "op=integer_mul", NULL },
	    { 6, NS, "lat_ops", "op=integer_div", NULL },
	    { 6, NS, "lat_ops", "op=integer_mod", NULL } } },
	{ "Basic uint64 operations - times in nanoseconds - smaller is better\n"
	  "------------------------------------------------------------------\n"
	  "Host                 OS int64  int64  int64  int64  int64\n"
	  "                         bit    add    mul    div    mod\n"
	  HOST " ------ ------ ------ ------ ------",
	  { { 6, NS, "lat_ops", "op=int64_bit", NULL },
	    { 6, NS, "lat_ops", "op=int64_add", NULL },
	    { 6, NS, "lat_ops", "op=int64_mul", NULL },
	    { 6, NS, "lat_ops", "op=int64_div", NULL },
	    { 6, NS, "lat_ops", "op=int64_mod", NULL } } },
	{ "Basic float operations - times in nanoseconds - smaller is better\n"
	  "-----------------------------------------------------------------\n"
	  "Host                 OS  float  float  float  float\n"
	  "                         add    mul    div    bogo\n"
	  HOST " ------ ------ ------ ------",
	  { { 6, NS, "lat_ops", "op=float_add", NULL },
	    { 6, NS, "lat_ops", "op=float_mul", NULL },
	    { 6, NS, "lat_ops", "op=float_div", NULL },
	    { 6, NS, "lat_ops", "op=float_bogomflops", NULL } } },
	{ "Basic double operations - times in nanoseconds - smaller is better\n"
	  "------------------------------------------------------------------\n"
	  "Host                 OS  double double double double\n"
	  "                         add    mul    div    bogo\n"
	  HOST " ------ ------ ------ ------",
	  { { 6, NS, "lat_ops", "op=double_add", NULL },
	    { 6, NS, "lat_ops", "op=double_mul", NULL },
	    { 6, NS, "lat_ops", "op=double_div", NULL },
	    { 6, NS, "lat_ops", "op=double_bogomflops", NULL } } },
	{ "Context switching - times in microseconds - smaller is better\n"
	  "-------------------------------------------------------------------------\n"
	  "Host                 OS  2p/0K 2p/16K 2p/64K 8p/16K 8p/64K 16p/16K 16p/64K\n"
	  "                         ctxsw  ctxsw  ctxsw ctxsw  ctxsw   ctxsw   ctxsw\n"
	  HOST " ------ ------ ------ ------ ------ ------- -------",
	  { { 6, US, "lat_ctx", "processes=2 size=0", NULL }, { 6, US, "lat_ctx", "processes=2 size=16K", NULL },
	    { 6, US, "lat_ctx", "processes=2 size=64K", NULL }, { 6, US, "lat_ctx", "processes=8 size=16K", NULL },
	    { 6, US, "lat_ctx", "processes=8 size=64K", NULL }, { 7, US, "lat_ctx", "processes=16 size=16K", NULL },
	    { 7, US, "lat_ctx", "processes=16 size=64K", NULL } } },
	{ "*Local* Communication latencies in microseconds - smaller is better\n"
	  "---------------------------------------------------------------------\n"
	  "Host                 OS 2p/0K  Pipe AF     UDP  RPC/   TCP  RPC/ TCP\n"
	  "                        ctxsw       UNIX         UDP         TCP conn\n"
	  HOST " ----- ----- ---- ----- ----- ----- ----- ----",
	  { { 5, US, "lat_ctx", "processes=2 size=0", NULL }, { 5, US, "lat_pipe", "", NULL }, { 4, US, "lat_unix", "", NULL },
	    { 5, US, "lat_udp", "", NULL }, { 5, US, NULL, NULL, NULL }, { 5, US, "lat_tcp", "", NULL }, { 5, US, NULL, NULL, NULL },
	    { 4, US, "lat_connect", "", NULL } } },
	{ "File & VM system latencies in microseconds - smaller is better\n"
	  "-------------------------------------------------------------------------------\n"
	  "Host                 OS   0K File      10K File     Mmap    Prot   Page   100fd\n"
	  "                        Create Delete Create Delete Latency Fault  Fault  selct\n"
	  HOST " ------ ------ ------ ------ ------- ----- ------- -----",
	  { { 6, US, "lat_fs", "op=create size=0", NULL }, { 6, US, "lat_fs", "op=delete size=0", NULL },
	    { 6, US, "lat_fs", "op=create size=10K", NULL }, { 6, US, "lat_fs", "op=delete size=10K", NULL }, { 7, US, "lat_mmap", "", NULL },
	    { 5, US, "lat_sig", "op=prot", NULL }, { 7, US, "lat_pagefault", "", NULL }, { 5, US, "lat_select", "fds=100 kind=file", NULL } } },
	{ "*Local* Communication bandwidths in MB/s - bigger is better\n"
	  "-----------------------------------------------------------------------------\n"
	  "Host                OS  Pipe AF    TCP  File   Mmap  Bcopy  Bcopy  Mem   Mem\n"
	  "                             UNIX      reread reread (libc) (hand) read write\n"
	  HOST " ---- ---- ---- ------ ------ ------ ------ ---- -----",
	  { { 4, MB_S, "bw_pipe", "", NULL }, { 4, MB_S, "bw_unix", "", NULL }, { 4, MB_S, "bw_tcp", "", NULL },
	    { 6, MB_S, "bw_file_rd", "mode=io_only", NULL }, { 6, MB_S, "bw_mmap_rd", "mode=mmap_only", NULL },
	    { 6, MB_S, "bw_mem", "op=bcopy", NULL }, { 6, MB_S, "bw_mem", "op=fcp", NULL }, { 4, MB_S, "bw_mem", "op=frd", NULL },
	    { 5, MB_S, "bw_mem", "op=fwr", NULL } } },
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

/* What fits into caches is no bandwidth of memory, not even where the largest size has no number. */
#define MEMORY_LEAST (UINT64_C(8) << 20)

static bool is_memory(const struct kb_result *result, const char *bench)
{
	return strcmp(bench, "bw_mem") != 0 || size_of(result) >= MEMORY_LEAST;
}

/* Of several sizes lmbench's summary takes the largest; of other parameters the first in order, which is the default. */
static const struct kb_result *find(const struct kb_export *all, const char *bench, const char *with)
{
	const struct kb_result *best = NULL;
	char name[64];

	snprintf(name, sizeof name, LMBENCH "%s", bench);
	for (size_t i = 0; i < all->count; i++) {
		const struct kb_result *result = all->rows[i].result;

		if (kb_alongside_measures(result, name, with) && is_memory(result, bench) && (!best || size_of(result) > size_of(best)))
			best = result;
	}
	return best;
}

/* A result that no cell of the page can hold is left out, and named by the caller. */
static const char *refuses(const struct kb_exported *row)
{
	const struct kb_export one = { .rows = row, .count = 1 };
	const char *why = kb_export_no_time(row);

	for (size_t s = 0; s < SECTIONS && !why; s++) {
		for (const struct lm_cell *cell = sections[s].cells; cell < sections[s].cells + CELLS_MAX && cell->width > 0; cell++) {
			if (cell->bench && (find(&one, cell->bench, cell->with) || (cell->also && find(&one, cell->bench, cell->also))))
				return NULL;
		}
	}
	return why ?: "no cell of lmbench's summary";
}

/* ---- its number ----------------------------------------------------------------------------------------- */

struct shown { double value; double wide; enum kb_status status; bool bounded; };

/* What the table of the page is about, and what was seen on it. */
struct lm_page { const struct kb_export *all; double widest; bool seen[KB_STATUSES], unbounded; };

static bool shown_of(struct shown *shown, const struct kb_result *result, enum unit unit)
{
	const struct kb_estimate *ns = &result->estimate;

	if (ns->value <= 0 || (unit == MB_S && result->bytes_per_op == 0))
		return false;
	*shown = (struct shown){ unit == MB_S ? (double)result->bytes_per_op * 1e3 / ns->value : unit == US ? ns->value / 1e3 : ns->value,
				 fmax(ns->high - ns->value, ns->value - ns->low) / ns->value, result->verdict.status, ns->bounded };
	return true;
}

/* The mean of two is as wide as the wider, and as sure as the less sure. */
static bool number_of(struct shown *shown, const struct lm_page *page, const struct lm_cell *cell)
{
	const struct kb_result *result = cell->bench ? find(page->all, cell->bench, cell->with) : NULL;
	const struct kb_result *other = result && cell->also ? find(page->all, cell->bench, cell->also) : NULL;
	struct shown second;

	if (!result || (cell->also && !other) || !shown_of(shown, result, cell->unit))
		return false;
	if (other && shown_of(&second, other, cell->unit)) {
		*shown = (struct shown){ (shown->value + second.value) / 2, fmax(shown->wide, second.wide),
					 shown->status > second.status ? shown->status : second.status, shown->bounded && second.bounded };
	}
	return true;
}

/* As many digits as the column holds, three at most behind the point: numbers that do not fit are whole, and thousands end with K. */
static void put_number(FILE *out, int width, double value)
{
	char text[KB_EXPORT_NUMBER];

	for (int digits = value < 10 ? 3 : value < 100 ? 1 : 0; digits >= 0; digits--) {
		if (snprintf(text, sizeof text, "%.*f", digits, value) <= width)
			break;
	}
	if ((int)strlen(text) > width)
		snprintf(text, sizeof text, "%.0fK", value / 1e3);
	fprintf(out, "%*s", width, text);
}

static char mark_of(enum kb_status status)
{
	return status == KB_NOISY ? '~' : status == KB_UNVERIFIED ? '?' : ' ';
}

static void put_cell(FILE *out, struct lm_page *page, const struct lm_cell *cell)
{
	struct shown shown;

	if (!number_of(&shown, page, cell)) {
		fprintf(out, "%*s ", cell->width, "");
		return;
	}
	page->seen[shown.status] = true;
	page->unbounded |= !shown.bounded;
	page->widest = shown.bounded ? fmax(page->widest, shown.wide) : page->widest;
	put_number(out, cell->width, shown.value);
	fputc(mark_of(shown.status), out);
}

static bool has_number(const struct lm_page *page, const struct lm_section *section)
{
	struct shown shown;

	for (const struct lm_cell *cell = section->cells; cell < section->cells + CELLS_MAX && cell->width > 0; cell++) {
		if (number_of(&shown, page, cell))
			return true;
	}
	return false;
}

static void put_legend(FILE *out, const struct lm_page *page)
{
	if (page->widest > 0)
		fprintf(out, "\n95 %% CIs of these numbers are within +-%.2g %%%s", 100 * page->widest, page->unbounded ? "; some have none" : "");
	else
		fputs("\nThese numbers have no 95 % CI", out);
	if (page->seen[KB_NOISY])
		fputs("; ~ noisy", out);
	if (page->seen[KB_UNVERIFIED])
		fputs("; ? unverified", out);
	fputs(". 'kbench show' prints each.\nAn empty cell: no result of this run measures it. 'kbench params' finds clock, lines and TLB.\n", out);
}

static int put_page(FILE *out, const struct kb_export *all)
{
	struct lm_page page = { .all = all };
	const char *host = kb_export_fact(all, "hostname", kb_export_fact(all, "machine", "kbench"));
	char os[KB_EXPORT_NAME];

	snprintf(os, sizeof os, "Linux %.100s", kb_export_fact(all, "kernel", ""));
	fputs("                 L M B E N C H   S U M M A R Y\n", out);
	for (size_t s = 0; s < SECTIONS; s++) {
		if (!has_number(&page, &sections[s]))
			continue;
		fprintf(out, "\n%s\n%-9.9s %13.13s ", sections[s].heading, host, os);
		for (const struct lm_cell *cell = sections[s].cells; cell < sections[s].cells + CELLS_MAX && cell->width > 0; cell++)
			put_cell(out, &page, cell);
		fputc('\n', out);
	}
	put_legend(out, &page);
	return 0;
}

const struct kb_export_format kb_export_lmbench = { .name = "lmbench", .refuses = refuses, .end = put_page };
