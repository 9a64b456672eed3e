/* Trace points of the kernel of seL4, said in the words of kbench_trace.h's own logs, so that what reads those reads these. */
#include "trace/sel4/log.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/record.h"
#include "trace/points/read.h"

struct point { uint64_t key, ticks; };

static struct point point_at(const struct kb_sel4_log *log, size_t i)
{
	const unsigned char *bytes = log->bytes + i * KB_SEL4_POINT_BYTES;
	struct point point = { 0, 0 };

	for (unsigned byte = 8; byte-- > 0;) {
		point.key = point.key << 8 | bytes[byte];
		point.ticks = point.ticks << 8 | bytes[8 + byte];
	}
	return point;
}

static int put(void *context, const char *bytes, size_t count)
{
	return fwrite(bytes, 1, count, context) == count ? 0 : -1;
}

/* The inner pair ends right before the outer one: anything else is not a pair with nothing else inside. */
static bool is_nested(const struct kb_sel4_log *log, size_t i, unsigned outer, unsigned inner)
{
	return i + 1 < kb_sel4_log_count(log) && point_at(log, i).key == inner && point_at(log, i + 1).key == outer;
}

static void put_nested(struct kb_record_writer *out, uint64_t inner, uint64_t outer)
{
	kb_record_obs(out, &(struct kb_obs){ .role = KB_ROLE_BASE, .n = 1, .ticks = inner });
	kb_record_probe(out, &(struct kb_probe_line){ .name = "nested", .n = 1, .ticks = outer });
}

/* An entry tells how long, not when: the pairs stand one behind the other, and none inside another. */
static void put_pair(struct kb_record_writer *out, struct point point, uint64_t *t)
{
	char key[40];
	int length = snprintf(key, sizeof key, "x.key=%llu", (unsigned long long)point.key);

	kb_record_obs(out, &(struct kb_obs){
		.role = KB_ROLE_OP, .n = 1, .ticks = point.ticks, .t = *t, .block = 1, .extra = { key, (size_t)length },
	});
	*t += point.ticks + 1;
}

static size_t put_all(const struct kb_sel4_log *log, unsigned outer, unsigned inner, struct kb_record_writer *out)
{
	size_t nested = 0, count = kb_sel4_log_count(log);
	uint64_t t = 0;
	char line[160];

	snprintf(line, sizeof line, "%s hz=0 quantum=0 cost=0 ordered=1", log->clock);
	kb_record_line(out, "clock", line);
	kb_record_line(out, "env", "trace=1");
	for (size_t i = 0; i < count; i++) {
		struct point point = point_at(log, i);

		if (is_nested(log, i, outer, inner)) {
			put_nested(out, point.ticks, point_at(log, ++i).ticks);
			nested++;
		} else {
			put_pair(out, point, &t);
		}
	}
	snprintf(line, sizeof line, "1 lost=%llu entries=%zu", (unsigned long long)kb_sel4_log_lost(log), count);
	kb_record_line(out, "k", line);
	kb_record_end(out);
	return nested;
}

char *kb_sel4_points_text(const struct kb_sel4_log *log, unsigned outer, unsigned inner, size_t *length, char error[160])
{
	struct kb_record_writer out;
	char *text = NULL;
	FILE *stream = open_memstream(&text, length);
	size_t nested = 0;

	snprintf(error, 160, "no memory");
	if (!stream)
		return NULL;
	kb_record_begin(&out, (struct kb_sink){ put, stream });
	nested = put_all(log, outer, inner, &out);
	if (fclose(stream) == 0 && !out.error && nested > 0)
		return text;
	if (nested == 0)
		snprintf(error, 160, "no pair of key %u directly inside one of key %u: what a pair costs is not in this log", inner, outer);
	free(text);
	return NULL;
}
