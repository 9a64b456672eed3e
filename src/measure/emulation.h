/*
 * Whether a clock tells time at all. Of instructions that take different times on every processor (an addition, a multiplication, a load
 * that waits for another, a no-operation) equal numbers are timed. Freestanding, as the timed loop is: the question is asked
 * where the measurement is made, whatever name the machine gives itself.
 */
#ifndef KB_MEASURE_EMULATION_H
#define KB_MEASURE_EMULATION_H

#include "measure/measure.h"

enum kb_work { KB_WORK_ADD, KB_WORK_IMUL, KB_WORK_LOAD, KB_WORK_NOTHING, KB_WORKS };

#define KB_EMULATION_TRIES 15u

/* Ticks of n and of 2 n operations of each kind: their difference is free of what calls them and of the clock's reading. */
struct kb_work_ticks {
	uint64_t n;                     /* whole turns of all loops */
	uint64_t once[KB_WORKS][KB_EMULATION_TRIES];
	uint64_t twice[KB_WORKS][KB_EMULATION_TRIES];
};

/* Executes n operations of the kind; NULL where one can be given: this processor's own. */
typedef void kb_work_run(enum kb_work work, uint64_t n);

/* Times all kinds in turn, with an n that the clock resolves. The clock must have its quantum. */
void kb_work_measure(const struct kb_clock *clock, kb_work_run *run, struct kb_work_ticks *ticks);

/* What these ticks are; of instructions also how many of them are how many ticks, 0 and 0 if no small numbers say it. */
enum kb_clock_counts kb_work_judge(const struct kb_work_ticks *, uint64_t quantum, uint64_t *insns, uint64_t *ticks);

/* Both at once: fills clock->counts, and of a clock of instructions insns and ticks. Takes some milliseconds. */
void kb_clock_examine(struct kb_clock *clock, kb_work_run *run);

/* Makes a clock that was found to count instructions read in instructions, named icount; quantum and cost go with it. One a process:
   its readings pass through here. Without insns and ticks nothing changes, and its ticks remain ticks. */
void kb_clock_in_instructions(struct kb_clock *clock);

/* Ticks per second, as results may use them: 0 of a clock that counts instructions or an emulator's work, however fast it does. */
static inline uint64_t kb_clock_rate(const struct kb_clock *clock)
{
	return clock->counts == KB_COUNTS_TIME ? clock->hz : 0;
}

#define KB_CLOCK_ICOUNT "icount"

#endif
