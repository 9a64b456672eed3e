/*
 * The timed loop: executes blocks of a plan and writes the record. Freestanding, shared by every collector.
 * It computes nothing, allocates nothing, and neither writes nor calls a hook inside a sample.
 */
#ifndef KB_MEASURE_MEASURE_H
#define KB_MEASURE_MEASURE_H

#include "types.h"
#include "kbench.h"
#include "base/plan.h"
#include "base/record.h"

/* What the ticks of a clock count, as far as it was examined (measure/emulation.h). */
enum kb_clock_counts {
	KB_COUNTS_TIME,
	KB_COUNTS_INSTRUCTIONS,         /* of an emulator: each takes the same */
	KB_COUNTS_EMULATION,            /* the time that an emulator takes for its work: no measure of anything */
};

/* A clock; properties as measured by kb_clock_measure and, for hz, against another clock. */
struct kb_clock {
	const char *name;               /* tsc cntvct rdtime ns icount ... */
	uint64_t (*begin)(void);        /* nothing that follows starts before it */
	uint64_t (*end)(void);          /* everything before it has finished */
	uint64_t hz;                    /* ticks per second; 0: unknown */
	uint64_t quantum;               /* smallest step seen, ticks */
	uint64_t cost;                  /* median of empty samples, ticks */
	bool ordered;
	bool ladder_ok;                 /* it passed its self-test: time is proportional to work */
	enum kb_clock_counts counts;
	uint64_t insns, ticks;          /* so many instructions are so many ticks of the counter below; 0: not known, or no instructions */
};

/* Reads counters around samples. Any function may be NULL. */
struct kb_probe {
	void *context;
	void (*block_begin)(void *context, bool warm);
	void (*before)(void *context, enum kb_role role);
	/* Right around the sample, inside the contention probes: for counters that would count these. */
	void (*arm)(void *context);
	void (*disarm)(void *context, enum kb_role role);
	/* Returns kb_flag bits of the sample that just ended, and the CPU. */
	unsigned (*after)(void *context, enum kb_role role, uint64_t n, uint64_t ticks, unsigned *cpu);
	void (*block_end)(void *context, struct kb_record_writer *out, uint64_t block);
	/* The next `before` and `after` bracket so many samples; n and ticks are then their sums. */
	void (*group)(void *context, uint64_t intervals);
};

/* The readings at a point that an operation marked: before the probe and behind it. */
struct kb_stop { uint64_t stop, probe, resume; };

#define KB_MARKED_MAX 16        /* samples of a block */

/* Points of the samples of one block. The memory is shared with children that the operation makes, for they mark points, too. */
struct kb_marks {
	unsigned most;                  /* parts of a sample */
	bool armed;                     /* points count in the sample that is made */
	unsigned samples;               /* of this block, the one that is made among them */
	unsigned count;                 /* points of it */
	struct kb_part parts[KB_MARKED_MAX * KB_PARTS_MAX];
	struct kb_stop at[KB_PARTS_MAX];
};

struct kb_measure {
	struct kb_run *run;
	const struct kb_clock *clock;
	const struct kb_probe *probe;
	struct kb_record_writer *out;
	uint64_t first;                 /* start of the first sample, ticks; 0 before it */
	/* Returns when all copies of this process stand before the same sample. NULL: it is the only one. 0 or -errno. */
	int (*line_up)(void *line);
	void *line;
	unsigned at;                    /* index of the observation that is being made; hooks may set its flags */
	/* Writes what the hooks said of an observation of this block as further fields of its line; returns their bytes.
	   Called when the block is over. NULL: they say nothing. */
	size_t (*annotate)(unsigned index, char *fields, size_t room);
	const char *detail;             /* of the failure, for the `fail` line; set by the collector's kb_fail */
	const char *stage;              /* setup before barrier op observe base check after */
	bool *clock_read;               /* kb_now sets it: an `observe` that never called it made its ticks up. NULL: nobody says */
	uint64_t loops;                 /* of the contention probe in this block; 0: none */
	uint64_t probed, probed_at;     /* the last one: its ticks, and the reading that ended it */
	struct kb_marks *marks;         /* NULL: this collector has no room for them, or the benchmark marks none */
	bool probing;                   /* the readings that come next are those of a contention probe */
	struct kb_obs observations[KB_GROUP_TESTS_MAX];
	struct kb_probe_line probes[2 * KB_BLOCK_STEPS_MAX];
};

/* Runs one block or group and writes its lines. 0, or -errno after the lines that could be made and a `fail` line. */
int kb_measure_block(struct kb_measure *measure, const struct kb_block *block);

/* ---- points inside an operation: part.c ---------------------------------------------------------- */

/* kb_part: a point of the operation that is measured. A contention probe runs here, and its time is taken out of the sample. */
void kb_measure_part(struct kb_measure *measure);

/* Around a sample: points are taken where the block is probed and all its samples are of one operation. */
void kb_marks_begin(struct kb_measure *measure, const struct kb_block *block);
void kb_marks_arm(struct kb_measure *measure, const struct kb_obs *obs);
void kb_marks_take(struct kb_measure *measure, uint64_t start, struct kb_obs *obs);

/* Clock probe: dependent adds at two lengths, whose difference is free of the clock's own cost. Some 9 us: a clock that steps by
   10 ns then tells the core clock to 0.1 %. */
#define KB_CLOCK_PROBE_SHORT 2000u
#define KB_CLOCK_PROBE_LONG 40000u

/* A probe after one sample is the probe before the next, unless more time than this has passed in between. */
#define KB_PROBE_FRESH_NS 5000u

/* Ticks of n dependent adds, and of so many loops of the contention probe; *start: the reading that began it. */
uint64_t kb_clock_probe(const struct kb_clock *, uint64_t n, uint64_t *start);
uint64_t kb_contention_probe(const struct kb_clock *, uint64_t loops, uint64_t *start);
unsigned kb_contention_instructions(void);       /* of a loop: another number, another probe */

/* Loops that make a probe as long as this clock asks for, where nobody calibrates it from outside. 0: the clock stood still. */
uint64_t kb_contention_loops(const struct kb_clock *);

/* Fills quantum and cost from about 2000 empty samples. -ERANGE: the clock stands still or steps back. */
int kb_clock_measure(struct kb_clock *clock);

/* The ladder self-test: the shortest ticks of `rungs` chains of n, 2n, 3n ... adds; the caller judges whether they
   are on a line. tries: samples per rung. */
void kb_clock_ladder(const struct kb_clock *clock, uint64_t n, unsigned rungs, unsigned tries, uint64_t *ticks);

#endif
