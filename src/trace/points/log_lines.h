/* The lines of a record that hold a log of trace points. Without libc: a kernel writes the same. */
#ifndef KB_TRACE_POINTS_LOG_LINES_H
#define KB_TRACE_POINTS_LOG_LINES_H

#include "base/record.h"
#include "kbench_trace.h"

/* Block 0: nested pairs, which say what a pair costs. */
void kb_trace_lines_overhead(struct kb_record_writer *, const uint64_t *inner, const uint64_t *outer, size_t count);

/* Whose log, from which stamp times count, and its block. */
struct kb_trace_whose { uint64_t tid, first, block; bool light, ended; };

/* A log's entries and its counts. */
void kb_trace_lines_log(struct kb_record_writer *, const struct kb_trace_thread *state, struct kb_trace_whose whose);

#endif
