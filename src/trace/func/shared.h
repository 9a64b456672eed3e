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
	__u64 unused[4];
};

#endif
