/* Parameters that seL4 benchmarks share. Read by the root server and by the host's list of them, which includes nothing else of it. */
#ifndef KB_SEL4_ABOUT_H
#define KB_SEL4_ABOUT_H

#include "kbench.h"

/* Whether the kernel keeps the registers of the FPU for the threads of the timed loop (from version 14). */
#define KB_SEL4_FPU { "fpu", "the kernel keeps FPU registers of both threads", KB_CHOICE, "off;on", 0, 0, "off,on" }

/* Whether both threads have a registered IPC buffer, as most programs have. The original had none. */
#define KB_SEL4_IPCBUF { "ipcbuf", "registered IPC buffers", KB_CHOICE, "none;registered", 0, 0, "none,registered" }

/* Own system call instructions, or libsel4's functions, which store the message words at each wake-up. */
#define KB_SEL4_WAIT { "wait", "system calls by bare instruction or through libsel4", KB_CHOICE, "bare;libsel4", 0, 0, "bare,libsel4" }

#define KB_SEL4_PLAIN KB_SEL4_FPU, KB_SEL4_IPCBUF

#endif
