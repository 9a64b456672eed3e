/*
 * Two kinds of emulator, by what no processor does. One that counts instructions and makes its clock of the count (QEMU -icount): there
 * an addition, a multiplication and a load take the same to the tick, while on a processor a dependent load takes three to five
 * times what an addition takes. One that translates code (QEMU's TCG): no-operations vanish in the translation, while a processor must
 * fetch and decode them, ten a cycle at the most.
 */
#include "measure/emulation.h"

#include "kbench_code.h"

#define N_LEAST 4000u           /* a multiple of what the loops of chains and of no-operations hold */
#define N_MOST (UINT64_C(1) << 20)
#define STEPS 256u              /* of the clock, in the shortest of the chains: else equal is only coarse */
#define NOTHINGS 400u           /* no-operations in a result: with their loop in one page, and one piece of translated code */
#define VANISHED 30u            /* so many no-operations in the time of an addition are no processor's */
#define LOOP_INSTRUCTIONS 2u    /* that end a turn of a chain's loop, on all architectures */
#define AGAIN 3u
#define TICKS_MOST 1024u        /* of an instruction: QEMU's shift ends at 10 */
#define HALVES_MOST 8u          /* among other numbers an eighth may be left: with more, some fraction fits anything */

/* The functions of the clock that counts, and what its ticks are. */
static uint64_t (*count_begin)(void), (*count_end)(void);
static uint64_t insns_of, ticks_of;

/* In a page of its own: an emulator looks for the way into another page, each time. */
static __attribute__((__noinline__, __aligned__(2048))) void run_nothing(uint64_t n)
{
	for (uint64_t i = 0; i < n; i += NOTHINGS)
		__asm__ volatile(".rept %c0\n\tnop\n\t.endr" : : "i"(NOTHINGS));
}

static void run_here(enum kb_work work, uint64_t n)
{
	uintptr_t self;

	switch (work) {
	case KB_WORK_ADD: kb_chain(KB_CHAIN_ADD, n, 1, 3); return;
	case KB_WORK_IMUL: kb_chain(KB_CHAIN_IMUL, n, 1, 3); return;
	case KB_WORK_NOTHING: run_nothing(n); return;
	default: break;
	}
	self = (uintptr_t)&self;
	kb_chain(KB_CHAIN_LOAD, n, self, 0);
}

static uint64_t time_once(const struct kb_clock *clock, kb_work_run *run, enum kb_work work, uint64_t n)
{
	uint64_t start = clock->begin();

	run(work, n);
	return clock->end() - start;
}

static uint64_t least(const uint64_t *ticks)
{
	uint64_t best = ticks[0];

	for (unsigned i = 1; i < KB_EMULATION_TRIES; i++)
		best = ticks[i] < best ? ticks[i] : best;
	return best;
}

/* The first time an emulator translates what runs, and takes long enough for any clock. */
static bool is_resolved(const struct kb_clock *clock, kb_work_run *run, uint64_t n)
{
	for (unsigned i = 0; i < KB_EMULATION_TRIES; i++) {
		if (time_once(clock, run, KB_WORK_ADD, n) < STEPS * clock->quantum)
			return false;
	}
	return true;
}

void kb_work_measure(const struct kb_clock *clock, kb_work_run *run, struct kb_work_ticks *ticks)
{
	uint64_t n = N_LEAST;

	run = run ? run : run_here;
	for (int work = 0; work < KB_WORKS; work++) /* code and data come into the caches */
		run((enum kb_work)work, n);
	while (n < N_MOST && !is_resolved(clock, run, n))
		n *= 2;
	ticks->n = n;
	/* All kinds in each try: a slow spell then hits every kind and no kind alone. */
	for (unsigned i = 0; i < KB_EMULATION_TRIES; i++) {
		for (int work = 0; work < KB_WORKS; work++) {
			ticks->once[work][i] = time_once(clock, run, (enum kb_work)work, n);
			ticks->twice[work][i] = time_once(clock, run, (enum kb_work)work, 2 * n);
		}
	}
}

/* Three of four are the least, but for a step of the clock. An interrupt may fall into some. */
static bool repeats(const uint64_t *ticks, uint64_t quantum)
{
	uint64_t best = least(ticks);
	unsigned same = 0;

	for (unsigned i = 0; i < KB_EMULATION_TRIES; i++)
		same += ticks[i] - best <= quantum;
	return 4 * same >= 3 * KB_EMULATION_TRIES;
}

/* Of n operations. */
static uint64_t slope(const struct kb_work_ticks *ticks, enum kb_work work)
{
	uint64_t once = least(ticks->once[work]), twice = least(ticks->twice[work]);

	return twice > once ? twice - once : 0;
}

static bool counts_instructions(const struct kb_work_ticks *ticks, uint64_t quantum)
{
	uint64_t shortest = UINT64_MAX, longest = 0;

	for (int work = KB_WORK_ADD; work <= KB_WORK_LOAD; work++) {
		uint64_t n = slope(ticks, (enum kb_work)work);

		shortest = n < shortest ? n : shortest;
		longest = n > longest ? n : longest;
		if (!repeats(ticks->once[work], quantum) || !repeats(ticks->twice[work], quantum))
			return false;
	}
	return shortest >= STEPS / 2 * quantum && longest - shortest <= 2 * quantum;
}

/* The smallest numbers that say what was seen within a thousandth, or within the clock's step. */
static void find_ratio(uint64_t seen_insns, uint64_t seen_ticks, uint64_t quantum, uint64_t *insns, uint64_t *ticks)
{
	for (uint64_t per = 1; per <= TICKS_MOST; per *= 2) {
		uint64_t times = (seen_insns * per + seen_ticks / 2) / seen_ticks, back = seen_ticks * times, seen = seen_insns * per;
		uint64_t off = back > seen ? back - seen : seen - back;

		if ((times == 1 || (times > 1 && per <= HALVES_MOST)) && (off <= seen / 1000 || off <= quantum * times)) {
			*insns = times;
			*ticks = per;
			return;
		}
	}
}

enum kb_clock_counts kb_work_judge(const struct kb_work_ticks *work, uint64_t quantum, uint64_t *insns, uint64_t *ticks)
{
	uint64_t adds = slope(work, KB_WORK_ADD);

	*insns = *ticks = 0;
	if (counts_instructions(work, quantum)) {
		find_ratio(work->n / KB_CHAIN_UNROLL * (KB_CHAIN_UNROLL + LOOP_INSTRUCTIONS), adds, quantum, insns, ticks);
		return KB_COUNTS_INSTRUCTIONS;
	}
	/* A clock that does not resolve the additions says nothing of what is shorter. */
	if (adds >= STEPS / 2 * quantum && slope(work, KB_WORK_NOTHING) < adds / VANISHED)
		return KB_COUNTS_EMULATION;
	return KB_COUNTS_TIME;
}

void kb_clock_examine(struct kb_clock *clock, kb_work_run *run)
{
	unsigned seen[KB_COUNTS_EMULATION + 1] = { 0 };
	struct kb_work_ticks work;

	/* Whoever shares the machine may hide an emulator once, or make one of a processor: the first answer that comes three times is believed. */
	do {
		kb_work_measure(clock, run, &work);
		clock->counts = kb_work_judge(&work, clock->quantum, &clock->insns, &clock->ticks);
	} while (++seen[clock->counts] < AGAIN);
}

/* Rounded down on both sides: a sample is wrong by one step at the most, as it is by the clock itself. */
static uint64_t in_instructions(uint64_t ticks)
{
	return ticks * insns_of / ticks_of;
}

static uint64_t begin(void)
{
	return in_instructions(count_begin());
}

static uint64_t end(void)
{
	return in_instructions(count_end());
}

void kb_clock_in_instructions(struct kb_clock *clock)
{
	if (clock->counts != KB_COUNTS_INSTRUCTIONS || clock->insns == 0 || clock->begin == begin)
		return;
	insns_of = clock->insns;
	ticks_of = clock->ticks;
	count_begin = clock->begin;
	count_end = clock->end;
	clock->name = KB_CLOCK_ICOUNT;
	clock->begin = begin;
	clock->end = end;
	clock->hz = clock->hz / ticks_of * insns_of;
	clock->quantum = clock->quantum * insns_of / ticks_of;
	clock->quantum += clock->quantum == 0;
	clock->cost = clock->cost * insns_of / ticks_of;
}
