/*
 * A thread is a block, a pair a sample of one operation with its key as covariate, and the empty pairs of the overhead are
 * the base. Raw numbers only: what they mean, `kbench trace analyze` works out.
 */
#include "trace/points/log_lines.h"

/* An empty pair is what a region's base is: the same without the region. */
void kb_trace_lines_overhead(struct kb_record_writer *writer, const uint64_t *inner, const uint64_t *outer, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct kb_obs base = { .role = KB_ROLE_BASE, .n = 1, .ticks = inner[i] };
		struct kb_probe_line nested = { .name = "nested", .n = 1, .ticks = outer[i] };

		kb_record_obs(writer, &base);
		kb_record_probe(writer, &nested);
	}
}

static void put(struct kb_text *text, const char *before, uint64_t value)
{
	kb_text_str(text, before);
	kb_text_u64(text, value);
}

static void write_entry(struct kb_record_writer *writer, uint64_t entry, uint64_t t, uint64_t block)
{
	unsigned key = (unsigned)(entry >> KB_TRACE_SHIFT) % KB_TRACE_KEYS;
	char line[96];
	struct kb_text text = kb_text_in(line, sizeof line);
	struct kb_obs pair = { .role = KB_ROLE_OP, .n = 1, .ticks = entry & KB_TRACE_TICKS_MAX, .t = t, .block = block };

	if (entry & KB_TRACE_IS_MARK) {
		put(&text, "mark=", key);
		put(&text, " k=", block);
		put(&text, " t=", t);
		kb_record_line(writer, "env", line);
		return;
	}
	put(&text, "x.key=", key);
	pair.extra = (struct kb_span){ line, text.used };
	kb_record_obs(writer, &pair);
}

void kb_trace_lines_log(struct kb_record_writer *writer, const struct kb_trace_thread *state, struct kb_trace_whose whose)
{
	uint64_t open = 0;
	char line[256];
	struct kb_text text = kb_text_in(line, sizeof line);

	for (uint64_t i = 0; i < state->used; i++)
		write_entry(writer, state->entries[i], state->begins[i] - whose.first, whose.block);
	for (unsigned i = 0; i < KB_TRACE_KEYS; i++)
		open += state->start[i] != 0;
	put(&text, "", whose.block);
	put(&text, " tid=", whose.tid);
	put(&text, " light=", whose.light);
	put(&text, " running=", !whose.ended);
	put(&text, " entries=", state->used);
	put(&text, " lost=", state->lost);
	put(&text, " open=", open);
	put(&text, " overwritten=", state->overwritten);
	put(&text, " unopened=", state->unopened);
	kb_record_line(writer, "k", line);
}
