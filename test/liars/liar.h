/*
 * liar.h - what all liars share. Each has a parameter `lie`: `honest` is the benchmark as it should be, every other value
 * does something else and says the same.
 */
#ifndef LIAR_H
#define LIAR_H

#include <errno.h>
#include <time.h>

#include <kbench.h>

#define LIE_PARAM(lies) { "lie", "what is wrong; honest: nothing", KB_CHOICE, "honest", 0, 0, "honest," lies }

static inline bool lie(const struct kb_run *run, const char *name)
{
	return kb_param_is(run, "lie", name);
}

#define ADD(value) (value) += 3; __asm__ volatile("" : "+r"(value));
#define STEP 15u        /* what one turn of a chain adds */
#define TURN 140u       /* turns of a chain that is one operation: some 0.2 us */

/* Dependent additions, five a turn: none can be left out, none overlaps the one before, the loop does not count. */
static inline uint64_t chain(uint64_t value, uint64_t turns)
{
	for (uint64_t i = 0; i < turns; i++) {
		ADD(value) ADD(value) ADD(value) ADD(value) ADD(value)
	}
	return value;
}

static inline uint64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void spin_ns(uint64_t ns)
{
	uint64_t end = wall_ns() + ns;

	while (wall_ns() < end)
		continue;
}

static inline void sleep_ns(long ns)
{
	struct timespec time = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&time, NULL);
}

#endif
