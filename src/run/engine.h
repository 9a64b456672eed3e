/* The schedule of a run over a transport: proofs, probing for n, launches interleaved and shuffled, stopping. */
#ifndef KB_RUN_ENGINE_H
#define KB_RUN_ENGINE_H

#include "run/run.h"
#include "run/transport.h"

struct kb_engine {
	const struct kb_transport *transport;
	const struct kb_clock *clock;
	const struct kb_run_options *options;
	const struct kb_run_observer *observer;
	uint64_t deadline_ns;           /* kb_wall_ns() at which the budget ends */
};

/* Measures all rows; fills the outcome's counts. 0 or -errno with error when nothing can be launched. */
int kb_engine_run(const struct kb_engine *, struct kb_row *rows, size_t count, struct kb_run_outcome *, char error[256]);

#endif
