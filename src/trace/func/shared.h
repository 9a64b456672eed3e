/*
 * What the programs of bpf/func.bpf.c write and src/trace/func*.c reads. Both sides compile this file.
 *
 *   events:  | CPU 0: room entries | CPU 1: room entries | ...      cpus:  one kb_func_cpu for each CPU
 *
 * An entry is never overwritten. The first CPU that finds no room closes the log for all: what lies before that moment is
 * complete, so that a pair never gets a partner that is not its own.
 */
#ifndef KB_TRACE_FUNC_SHARED_H
#define KB_TRACE_FUNC_SHARED_H

#include <linux/types.h>

#define KB_FUNC_EXIT 1u

/* 24 bytes. ns 0: begun and not written. */
struct kb_func_event {
	__u64 ns;               /* CLOCK_MONOTONIC */
	__u32 tid;
	__u32 kind;             /* 0, or KB_FUNC_EXIT */
	__u32 interrupts, switches;     /* that this CPU has had: read before an entry's stamp, and after an exit's */
};

/* One cache line a CPU. */
struct kb_func_cpu {
	__u64 used;             /* places that were asked for: larger than room, where the log was full */
	__u64 late;             /* events after the log was closed */
	__u64 closed_ns;        /* when this CPU found no room; 0: never */
	__u32 interrupts;       /* while it was switched on */
	__u32 switches;         /* from one thread to another */
	__u64 entered, unopened;        /* where calls are tallied: entries, and exits without one */
	__u64 unused[2];
};

/*
 * How many calls lasted how long, without their order: what is kept where the kernel pairs entries and exits itself. Two for each CPU: of
 * calls that nothing disturbed, and of others. Bins are a nanosecond wide up to 128 ns and at most 1.6 % above, up to 18 minutes.
 */
#define KB_FUNC_FINE 6
#define KB_FUNC_LONGEST 40      /* 2^40 ns */
#define KB_FUNC_BINS ((KB_FUNC_LONGEST - KB_FUNC_FINE + 1) << KB_FUNC_FINE)

struct kb_func_tally {
	__u64 count, sum, shortest, longest;
	__u64 bins[KB_FUNC_BINS];
};

/* Times above the finest bins are told by how often 64 is doubled before it is more, and by the six bits behind the first. */
static inline __attribute__((always_inline)) __u32 kb_func_bin(__u64 ns)
{
	__u64 rest = ns >> KB_FUNC_FINE;
	__u32 doublings = rest != 0;

	if (ns >> KB_FUNC_LONGEST)
		return KB_FUNC_BINS - 1;
	for (__u32 half = 32; half > 0; half /= 2) {
		if (rest >> half) {
			doublings += half;
			rest >>= half;
		}
	}
	if (doublings == 0)
		return (__u32)ns;
	return (doublings << KB_FUNC_FINE) + ((__u32)(ns >> (doublings - 1)) & ((1u << KB_FUNC_FINE) - 1));
}

/* The shortest time of a bin, up to and with that behind the last. */
static inline __attribute__((always_inline)) __u64 kb_func_bin_start(__u32 bin)
{
	__u32 doublings = bin >> KB_FUNC_FINE, place = bin & ((1u << KB_FUNC_FINE) - 1);

	return doublings == 0 ? bin : (__u64)((1u << KB_FUNC_FINE) + place) << (doublings - 1);
}

/* Calls of one thread, of which some are inside of others. */
#define KB_FUNC_NESTED 8
struct kb_func_open {
	__u32 depth, turn;      /* turn: of switching on; an older one's calls are no more */
	struct { __u64 ns; __u32 cpu, interrupts, switches, unused; } at[KB_FUNC_NESTED];
};

#endif
