/*
 * kbench_spin.h - partners that meet in shared memory without the kernel, for benchmarks of core to core traffic.
 *
 * Such partners spin. Each wait has an end: of the measuring side a number of looks (about a second), of the partner the
 * flag that teardown sets; and a partner dies with its parent.
 */
#ifndef KBENCH_SPIN_H
#define KBENCH_SPIN_H

#include <kbench.h>

#define KB_SPIN_LOOKS (UINT64_C(1) << 31)
#define KB_SPIN_BYTES 128       /* two lines: what one core prefetches in pairs is still its own */

/* Of all shared words each owns its lines. */
struct kb_spin_word { uint64_t value; unsigned char pad[KB_SPIN_BYTES - 8]; } __attribute__((aligned(KB_SPIN_BYTES)));

static inline uint64_t kb_spin_read(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void kb_spin_write(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* True when the word has the value; false after KB_SPIN_LOOKS, or, where stop is given, when *stop is not 0. */
static inline bool kb_spin_until(const uint64_t *word, uint64_t value, const uint64_t *stop)
{
	for (uint64_t looks = 0; kb_spin_read(word) != value; looks++) {
		if (stop ? kb_spin_read(stop) != 0 : looks > KB_SPIN_LOOKS)
			return false;
	}
	return true;
}

/* Zeroed memory that partners share; NULL after kb_fail. Behind it lies the word that tells partners to leave: they give
   kb_spin_stop to their waits, and kb_spin_end, as teardown, sets it. */
void *kb_spin_memory(struct kb_run *, size_t bytes);
extern uint64_t *kb_spin_stop;
void kb_spin_end(struct kb_run *);

/* Starts partners 1 to count - 1, each on kb_cpu(run, number); a partner asks who it is. kb_skip: not so many CPUs. */
int kb_spin_start(struct kb_run *, int (*serve)(struct kb_run *), unsigned count);

/* The same for one partner, on kb_cpu(run, number). */
int kb_spin_start_one(struct kb_run *, int (*serve)(struct kb_run *), unsigned number);
unsigned kb_spin_self(void);

/* An observation of n operations beside partners, KB_PEERS_MAX at most: made again while one of them did not get on for half of
   it, as its CPU was taken away: that would measure fewer threads. work() is called for some parts of n, multiples of
   run->granule, and returns how many operations were done, which become KB_SEEN; 0: a partner does not answer. progress()
   tells what a thread has done so far. */
int kb_spin_observe(struct kb_run *, uint64_t n, uint64_t *ticks, unsigned threads, uint64_t (*work)(uint64_t n),
		    uint64_t (*progress)(unsigned thread));
#define KB_SPIN_THREADS 16

#endif
