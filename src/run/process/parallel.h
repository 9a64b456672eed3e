/*
 * The transport of a run: one process, or copies of one result side by side, each a collector on a CPU of its own; all of them stand on
 * one line before each sample. What is sent to one is sent to all, and their text is one record after another, copy by copy.
 */
#ifndef KB_RUN_PROCESS_PARALLEL_H
#define KB_RUN_PROCESS_PARALLEL_H

#include "run/process/machine.h"
#include "run/process/transport.h"

struct kb_copies;

/* As many processes as the result with most copies needs. NULL without memory. */
struct kb_copies *kb_copies_new(const struct kb_run_options *, struct kb_machine *);
struct kb_transport kb_copies_transport(struct kb_copies *);
void kb_copies_free(struct kb_copies *);

/* ---- one process of kbench-collect, or of another collector: what the transport calls for each copy ------ */

struct kb_process;

/* The machine knows it until it is freed. NULL without memory. */
struct kb_process *kb_process_new(const struct kb_run_options *, struct kb_machine *);
void kb_process_free(struct kb_process *);

/* Starts a process: a copy (from 0) of as many as its result has, which share the memory of `line`. line below 0: one without a line, which
   still carries the number of copies in its name. 0 or -errno. */
int kb_process_open(struct kb_process *, const struct kb_process_request *, int line, unsigned copy, char error[256]);
int kb_process_send(struct kb_process *, const char *line, size_t length);
bool kb_process_await(struct kb_process *, uint64_t blocks);
struct kb_span kb_process_record(const struct kb_process *);
struct kb_process_text kb_process_close(struct kb_process *);

#endif
