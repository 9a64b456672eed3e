/*
 * Any bytes as what traces are read from: a log of trace points, the console of a seL4 root server, the kernel's types. Pairs lie in the log,
 * moments are finite, an offset lies in its structure; a refusal is one line.
 */
#include "fuzz.h"

#include <math.h>

#include "trace/btf.h"
#include "trace/points/read.h"
#include "trace/sel4/log.h"

static void require_moments(const struct kb_trace_moments *moments)
{
	if (moments->count == 0)
		return;
	require(isfinite(moments->min) && isfinite(moments->max) && isfinite(moments->mean) && isfinite(moments->variance));
	require(moments->min <= moments->max && moments->variance >= 0);
}

static void points(const char *text, size_t size)
{
	struct kb_trace_read read;
	char error[160] = "";

	if (kb_trace_read(&read, text, size, error) == 0) {
		require(kb_is_visible(read.clock));
		for (size_t i = 0; i < read.count; i++)
			require(read.pairs[i].key < KB_TRACE_READ_KEYS && read.pairs[i].thread > 0);
		for (unsigned i = 0; i < KB_TRACE_READ_KEYS; i++) {
			require(read.keys[i].value.count <= read.count);
			require_moments(&read.keys[i].value);
			require_moments(&read.keys[i].corrected);
		}
	} else {
		require_line(error);
	}
	kb_trace_read_free(&read);
}

static void rows(const struct kb_sel4_log *log)
{
	size_t count = 0, all = 0;
	struct kb_sel4_row *rows = kb_sel4_log_rows(log, &count);
	char name[80];

	for (size_t i = 0; rows && i < count; i++) {
		all += rows[i].count;
		require(rows[i].count > 0 && rows[i].min <= rows[i].max && isfinite(rows[i].total) && rows[i].of.path < KB_SEL4_PATHS);
		kb_sel4_row_name(log, &rows[i], name, sizeof name);
		require(kb_is_visible(name));
	}
	require(all <= kb_sel4_log_count(log));
	free(rows);
}

static void sel4(const char *text, size_t size)
{
	struct kb_sel4_log log;
	char error[160] = "";
	int result = kb_sel4_log_read(&log, text, size, error);
	size_t length;

	require(result == 0 || result == -ENOENT || result == -EINVAL);
	if (result == -EINVAL)
		require_line(error);
	if (result == 0) {
		require(kb_is_visible(log.bench) && kb_is_visible(log.clock) && log.length <= log.bytes_room);
		kb_sel4_log_lost(&log);
		kb_sel4_log_full(&log);
		if (kb_sel4_shares_credible(&log.shares))
			require(kb_sel4_shares_percent(&log.shares) <= 100);
		if (log.entries)
			rows(&log);
	}
	if (result == 0 && log.points) {
		char *made = kb_sel4_points_text(&log, 1, 2, &length, error);

		require(made != NULL || error[0]);
		if (made)
			points(made, length);
		free(made);
	}
	kb_sel4_log_free(&log);
}

static void types(const char *text, size_t size)
{
	int offset = kb_btf_offset_in(text, size, "task_struct", "pid"), id = kb_btf_id_in(text, size, "vfs_read");

	require(offset >= 0 || offset == -ENOENT);
	require(id > 0 || id == -ESRCH);
	/* A type has twelve bytes at least. */
	require(id < 0 || (size_t)id <= size / 12);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(const char *, size_t) = { points, sel4, types };
	unsigned choice = fuzz_choice(&data, &size, sizeof parsers / sizeof parsers[0]);
	char *text = fuzz_text(data, size);

	parsers[choice](text, size);
	free(text);
	return 0;
}
