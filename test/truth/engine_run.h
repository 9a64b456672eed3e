/* One run of the engine over a synthetic machine, and what the tests ask of it. */
#ifndef TEST_TRUTH_ENGINE_RUN_H
#define TEST_TRUTH_ENGINE_RUN_H

#include "run/engine.h"
#include "synthetic.h"

/* What the run is asked for. 0: seed 1, five processes (six where samples are probed), any precision, no end of the budget. */
struct engine_wish {
	uint64_t seed;
	unsigned processes;
	double precision;
	unsigned stop_after;            /* the budget ends after so many processes */
	unsigned interrupt_after;       /* the run is told to stop after so many */
	bool no_budget;
	bool floor_unknown;             /* of the contention probe: nobody knows what it takes on this CPU model */
	bool core_alone;                /* nobody else can run on the core */
	enum kb_method method;          /* none: the engine chooses */
	unsigned blocks;                /* of a process; 0: the engine chooses */
	const struct kb_collector *collector;   /* of the row; NULL: it is of this machine's user space */
	const struct kb_kanata_options *kanata; /* method kanata; NULL: the engine chooses */
	void (*record)(void *context, const struct kb_process_text *); /* sees every process's record; NULL: nobody */
	void *context;
};

struct engine_run {
	struct kb_synthetic_machine machine;
	struct kb_run_options options;
	struct kb_run_observer observer;
	struct kb_engine engine;
	const struct engine_wish *wish;
	struct kb_floor floor;
	struct kb_ratios ratios;
	struct kb_row row;
	struct kb_run_outcome outcome;
	char error[256];
	int status;                     /* of kb_engine_run */
	unsigned processes;              /* that the observer saw, proofs apart */
	uint32_t records_hash;          /* of all records, in order */
};

void engine_run(struct engine_run *, const struct kb_synthetic *model, const struct engine_wish *wish);
void engine_run_close(struct engine_run *);

/* The names of the reasons above a note, in the order of the table of codes. */
void engine_codes(const struct kb_result *, char *text, size_t room);

/* What fails in every process must leave none: half of a failed operation would be a fast one. */
bool engine_has_no_number(const struct kb_result *);

#endif
