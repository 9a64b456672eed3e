/* Parameters that seL4 benchmarks share. Read by the root server and by the host's list of them, which includes nothing else of it. */
#ifndef KB_SEL4_ABOUT_H
#define KB_SEL4_ABOUT_H

#include "kbench.h"

#define KB_CROWD 25u                    /* threads beside Low and its partner, the most that a benchmark can have */

/* Whether the kernel keeps the registers of the FPU for the threads of the timed loop (from version 14). */
#define KB_SEL4_FPU { "fpu", "whose FPU registers the kernel keeps: on both, low the timed thread's", KB_CHOICE, "off;on", 0, 0, "off,on,low" }

/* Whether both threads have a registered IPC buffer, as most programs have. The original had none. */
#define KB_SEL4_IPCBUF { "ipcbuf", "registered IPC buffers", KB_CHOICE, "none;registered", 0, 0, "none,registered" }

/* Own system call instructions, or libsel4's functions, which store the message words at each wake-up. */
#define KB_SEL4_WAIT { "wait", "system calls by bare instruction or through libsel4", KB_CHOICE, "bare;libsel4", 0, 0, "bare,libsel4" }

#define KB_SEL4_PLAIN KB_SEL4_FPU, KB_SEL4_IPCBUF

/* Whether the partner shares the address space of the thread that is timed: in another one it has the same pages at the same addresses. */
#define KB_SEL4_SPACE { "space", "address space of the partner", KB_CHOICE, "same", 0, 0, "same,other" }

/* One direction is between two readings, one of each thread: what reading costs is measured, and taken off. */
#define KB_SEL4_WAY { "way", "the whole iteration, or one direction", KB_CHOICE, "both", 0, 0, "both,there,back" }

/* A partner that is waited for runs whatever its priority is, which decides the kernel's path. */
#define KB_SEL4_PARTNER(name) { name, "its priority against the timed thread's", KB_CHOICE, "higher;same,lower", 0, 0, "higher,same,lower" }

#define KB_SEL4_PAIR KB_SEL4_WAY, KB_SEL4_SPACE, KB_SEL4_PLAIN

/* How far apart both threads are in the kernel's search for the next one; low must be below high. */
#define KB_SEL4_PRIORITIES \
	{ "low", "priority of the timed thread", KB_NUMBER, "254", 0, 254, 0 }, \
	{ "high", "priority of its partner, above low", KB_NUMBER, "255", 1, 255, 0 }

#endif
