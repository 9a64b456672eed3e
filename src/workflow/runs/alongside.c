/* See alongside.h. */
#define _GNU_SOURCE
#include "workflow/runs/alongside.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grown.h"
#include "stats/comparison/compare.h"
#include "workflow/runs/saved.h"

#define HYPERFINE "hyperfine."
#define COMMANDS "cmd.run"      /* KB_COMMANDS_BENCH, of a room that includes this one */

/* Parameters that either must have, and the names of those that must agree, with commas. What no pair has may differ: it is printed. */
struct pair { const char *theirs, *with, *ours, *ours_with, *agree; };

static const struct pair pairs[] = {
	{ "lmbench.lat_syscall", "call=null", "sys.null", "", "" },
	{ "lmbench.lat_syscall", "call=read", "sys.read_zero", "bytes=1", "" },
	{ "lmbench.lat_syscall", "call=write", "sys.write_null", "", "" },
	{ "lmbench.lat_syscall", "call=stat", "sys.stat", "depth=1", "" },
	{ "lmbench.lat_syscall", "call=fstat", "sys.fstat", "", "" },
	{ "lmbench.lat_syscall", "call=open", "sys.open_close", "part=both", "" },
	{ "lmbench.lat_select", "", "sys.select", "ready=100", "fds,kind" },
	{ "lmbench.lat_sig", "op=install", "sig.install", "", "" },
	{ "lmbench.lat_sig", "op=catch", "sig.self", "", "" },
	{ "lmbench.lat_sig", "op=prot", "sig.segv", "count=net", "" },
	{ "lmbench.lat_pipe", "", "ipc.pipe_latency", "", "" },
	{ "lmbench.lat_unix", "", "ipc.unix_latency", "type=stream", "" },
	{ "lmbench.lat_fifo", "", "ipc.fifo_latency", "", "" },
	{ "lmbench.lat_sem", "", "ipc.sem", "api=sysv", "" },
	{ "lmbench.lat_udp", "", "ipc.udp_latency", "", "" },
	{ "lmbench.lat_tcp", "", "ipc.tcp_latency", "", "" },
	{ "lmbench.lat_connect", "", "net.tcp_connect", "part=connect", "" },
	{ "lmbench.lat_proc", "op=fork", "proc.fork_exit", "", "" },
	{ "lmbench.lat_proc", "op=exec", "proc.fork_exec", "", "" },
	{ "lmbench.lat_proc", "op=shell", "proc.shell", "", "" },
	{ "lmbench.lat_pagefault", "", "fault.file_pages", "order=random", "" },
	{ "lmbench.lat_mmap", "", "vm.map_file", "touch=dense", "size" },
	{ "lmbench.lat_ctx", "", "ctx.ring", "", "processes,size" },
	{ "lmbench.lat_mem_rd", "", "mem.latency", "", "size,order,stride" },
	{ "lmbench.lat_ops", "op=integer_bit", "cpu.op_latency", "op=xor", "" },
	{ "lmbench.lat_ops", "op=integer_add", "cpu.op_latency", "op=add", "" },
	{ "lmbench.lat_ops", "op=integer_mul", "cpu.op_latency", "op=mul-int32", "" },
	{ "lmbench.lat_ops", "op=integer_div", "cpu.op_latency", "op=div-int32", "" },
	{ "lmbench.lat_ops", "op=int64_bit", "cpu.op_latency", "op=xor", "" },
	{ "lmbench.lat_ops", "op=int64_add", "cpu.op_latency", "op=add", "" },
	{ "lmbench.lat_ops", "op=int64_mul", "cpu.op_latency", "op=imul", "" },
	{ "lmbench.lat_ops", "op=float_add", "cpu.op_latency", "op=add-float", "" },
	{ "lmbench.lat_ops", "op=float_mul", "cpu.op_latency", "op=mul-float", "" },
	{ "lmbench.lat_ops", "op=float_div", "cpu.op_latency", "op=div-float", "" },
	{ "lmbench.lat_ops", "op=double_add", "cpu.op_latency", "op=add-double", "" },
	{ "lmbench.lat_ops", "op=double_mul", "cpu.op_latency", "op=mul-double", "" },
	{ "lmbench.lat_ops", "op=double_div", "cpu.op_latency", "op=div-double", "" },
	{ "lmbench.bw_mem", "op=bcopy", "mem.bw_bcopy", "", "size" },
	{ "lmbench.bw_mem", "op=fcp", "mem.bw_copy", "store=plain", "size" },
	{ "lmbench.bw_mem", "op=bzero", "mem.bw_fill", "value=zero call=whole", "size" },
	{ "lmbench.bw_mem", "op=frd", "mem.bw_read", "", "size" },
	{ "lmbench.bw_mem", "op=fwr", "mem.bw_write", "store=plain", "size" },
	{ "lmbench.bw_mem", "op=rdwr", "mem.bw_rdwr", "", "size" },
	{ "lmbench.bw_pipe", "", "ipc.pipe_bw", "", "" },
	{ "lmbench.bw_unix", "", "ipc.unix_bw", "", "" },
	{ "lmbench.bw_tcp", "size=64K", "ipc.tcp_bw", "chunk=64K", "" },
	{ "lmbench.bw_mmap_rd", "mode=mmap_only", "fs.mmap_read", "mode=mapped", "size" },
	{ "lmbench.bw_mmap_rd", "mode=open2close", "fs.mmap_read", "mode=open-close", "size" },
	{ "lmbench.bw_file_rd", "mode=io_only", "fs.read_cached", "mode=read", "size" },
	{ "lmbench.lat_fs", "op=create", "fs.create", "on=disk files=8192 inodes=recycled", "size" },
	{ "lmbench.lat_fs", "op=delete size=0", "fs.unlink", "on=disk files=2048", "" },
	{ "perf_bench.syscall_basic", "", "sys.null", "", "" },
	{ "perf_bench.sched_pipe", "", "ipc.pipe_latency", "", "" },
	{ "perf_bench.mem_memcpy", "function=default", "mem.bw_bcopy", "", "" },
	{ "perf_bench.mem_memset", "function=default", "mem.bw_fill", "value=changing call=whole", "" },
};

/* ---- which belong together ----------------------------------------------------------------------------- */

static bool has_all(const char *params, const char *wanted)
{
	struct kb_span rest = kb_span_of(wanted), word, key, value;

	while ((word = kb_span_word(&rest)).length > 0) {
		if (!kb_span_pair(word, &key, &value) || !kb_span_equal(kb_params_value(params, key), value))
			return false;
	}
	return true;
}

static bool agree(const char *params, const char *others, const char *names)
{
	for (const char *at = names; *at; at += strcspn(at, ","), at += *at == ',') {
		struct kb_span name = { at, strcspn(at, ",") };

		if (!kb_span_equal(kb_params_value(params, name), kb_params_value(others, name)))
			return false;
	}
	return true;
}

/* hyperfine's "sleep 0.1" is our command=sleep_0.1; of names that lose more than blanks each has a hash of its own kind. */
static bool is_command(const struct kb_result *theirs, const struct kb_stored_result *ours)
{
	return strncmp(theirs->benchmark, HYPERFINE, strlen(HYPERFINE)) == 0 && strcmp(ours->benchmark, COMMANDS) == 0 &&
	       kb_span_is(kb_params_value(ours->parameters, kb_span_of("command")), theirs->benchmark + strlen(HYPERFINE));
}

/* Copies, and what ran under interference, are measured to learn something else. */
static bool is_of_pair(const struct pair *pair, const char *theirs, const char *with, const char *ours, const char *params)
{
	return strcmp(pair->theirs, theirs) == 0 && has_all(with, pair->with) && strcmp(pair->ours, ours) == 0 && has_all(params, pair->ours_with) &&
	       !strstr(params, "interference=") && !strstr(params, "copies=");
}

/* A whole run of theirs, of which it is not known how many operations it had, is no operation of ours. */
static bool fits(const struct pair *pair, const struct kb_result *theirs, const struct kb_stored_result *ours)
{
	return strcmp(theirs->per, "run") != 0 && is_of_pair(pair, theirs->benchmark, theirs->params, ours->benchmark, ours->parameters) &&
	       agree(theirs->params, ours->parameters, pair->agree);
}

/* Of the names that must agree, those that are asked for. */
static bool agree_where_asked(const struct pair *pair, const char *with, const char *params)
{
	struct kb_span rest = kb_span_of(with), word, key, value;

	while ((word = kb_span_word(&rest)).length > 0) {
		char name[32];

		if (!kb_span_pair(word, &key, &value))
			return false;
		snprintf(name, sizeof name, "%.*s", (int)key.length, key.at);
		if (strstr(pair->agree, name) && !kb_span_equal(kb_params_value(params, key), value))
			return false;
	}
	return true;
}

bool kb_alongside_measures(const struct kb_result *result, const char *theirs, const char *with)
{
	bool same = strcmp(result->benchmark, theirs) == 0 && strcmp(result->per, "run") != 0 && has_all(result->params, with);

	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] && !same; i++)
		same = is_of_pair(&pairs[i], theirs, with, result->benchmark, result->params) && agree_where_asked(&pairs[i], with, result->params);
	return same;
}

/* ---- the ratio ----------------------------------------------------------------------------------------- */

static struct kb_interval interval_of(const struct kb_estimate *estimate, double scale)
{
	return (struct kb_interval){ .value = scale * estimate->value, .low = scale * estimate->low, .high = scale * estimate->high,
				     .known = estimate->bounded };
}

static void compare(struct kb_alongside *row)
{
	const struct kb_result *theirs = row->theirs, *ours = row->ours;
	struct kb_interval a, b, ratio;

	row->by_byte = theirs->bytes_per_op > 0 && ours->bytes_per_op > 0 && theirs->bytes_per_op != ours->bytes_per_op;
	a = interval_of(&theirs->estimate, row->by_byte ? 1 / (double)theirs->bytes_per_op : 1);
	b = interval_of(&ours->observed, row->by_byte ? 1 / (double)ours->bytes_per_op : 1);
	/* A ratio of two units, or to a cost of nothing, says nothing. */
	if (!theirs->estimate.known || !ours->observed.known || !(a.value > 0 && b.value > 0) || strcmp(kb_time_unit(theirs), kb_time_unit(ours)) != 0)
		return;
	ratio = kb_ratio_interval(&a, &b);
	row->ratio = (struct kb_estimate){ ratio.value, ratio.low, ratio.high, true, ratio.known };
}

/* ---- from the store ------------------------------------------------------------------------------------ */

struct search {
	struct kb_store *store;
	struct kb_alongside_list *found;
	const struct kb_result *const *theirs;
	size_t count;
};

static int add(struct search *search, const struct kb_result *theirs, const struct kb_stored_result *stored)
{
	struct kb_alongside_list *found = search->found;
	struct kb_alongside row = { .theirs = theirs };
	int error = kb_saved_read_result(search->store, stored, &(struct kb_saved){ .env = NULL }, &row.ours, NULL);

	if (!error && !KB_GROW(found->rows, found->count))
		error = -ENOMEM;
	if (error) {
		free(row.ours);
		return error;
	}
	snprintf(row.started, sizeof row.started, "%s", stored->started);
	compare(&row);
	found->rows[found->count++] = row;
	return 0;
}

/* Takes the newest with a number of all runs. */
static int add_newest(struct search *search, const struct kb_result *theirs, const struct kb_stored_result *like)
{
	struct kb_stored_result stored;
	struct kb_query *query;
	int result = kb_store_history(search->store, like->benchmark, like->parameters, NULL, KB_NEWEST_FIRST, &query);

	if (result)
		return result;
	do {
		result = kb_store_next(query, &stored);
	} while (result == 1 && !kb_stored_has_number(&stored));
	kb_store_done(query);
	return result == 1 ? add(search, theirs, &stored) : result;
}

static int add_fitting(struct search *search, const struct kb_stored_result *stored, bool newest)
{
	int result = 0;

	for (size_t i = 0; i < search->count; i++) {
		bool found = is_command(search->theirs[i], stored);

		for (size_t k = 0; k < sizeof pairs / sizeof pairs[0] && !found; k++)
			found = fits(&pairs[k], search->theirs[i], stored);
		if (found && !result)
			result = newest ? add_newest(search, search->theirs[i], stored) : add(search, search->theirs[i], stored);
	}
	return result;
}

/* Rows first: a query that is open keeps others from folding the log back, and each row asks one of its own. */
static int collect(struct search *search, const char *run_id, struct kb_stored_result **rows, size_t *count)
{
	struct kb_stored_result stored;
	struct kb_query *query;
	int result = run_id ? kb_store_results(search->store, run_id, &query) : kb_store_series(search->store, &query);

	if (result)
		return result;
	while ((result = kb_store_next(query, &stored)) == 1) {
		bool wanted = strcmp(stored.benchmark, COMMANDS) == 0;

		for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++)
			wanted |= strcmp(pairs[k].ours, stored.benchmark) == 0;
		if (!wanted || stored.damaged)
			continue;
		if (!KB_GROW(*rows, *count)) {
			result = -ENOMEM;
			break;
		}
		(*rows)[(*count)++] = stored;
	}
	kb_store_done(query);
	return result;
}

static int by_theirs(const void *a, const void *b)
{
	const struct kb_alongside *one = a, *other = b;

	return one->theirs < other->theirs ? -1 : one->theirs > other->theirs;
}

int kb_alongside_find(const char *store, const char *run, const struct kb_result *const *theirs, size_t count, struct kb_alongside_list *found,
		   struct kb_failure *failure)
{
	struct search search = { .found = found, .theirs = theirs, .count = count };
	struct kb_stored_result *rows = NULL;
	size_t row_count = 0;
	char id[37];
	int result = kb_store_open(&search.store, store, KB_STORE_READ);

	*found = (struct kb_alongside_list){ .count = 0 };
	if (!result && run)
		result = kb_store_find_run(search.store, run, id);
	if (!result)
		result = collect(&search, run ? id : NULL, &rows, &row_count);
	for (size_t i = 0; i < row_count && !result; i++)
		result = add_fitting(&search, &rows[i], run == NULL);
	result = kb_refuse_store(failure, search.store, result);
	if (found->count > 0)
		qsort(found->rows, found->count, sizeof *found->rows, by_theirs);
	kb_store_close(search.store);
	free(rows);
	return result;
}

void kb_alongside_release(struct kb_alongside_list *found)
{
	for (size_t i = 0; i < found->count; i++)
		free(found->rows[i].ours);
	free(found->rows);
}
