/* A boot of a seL4 image in QEMU, where one instruction is one tick of all clocks: its console and its end; three architectures. */
#ifndef KB_COLLECT_SEL4_QEMU_H
#define KB_COLLECT_SEL4_QEMU_H

#include <limits.h>
#include <sys/types.h>

#include "types.h"

/* How the root server ends: the exit code it gives the machine. */
enum kb_sel4_end { KB_SEL4_COMPLETE = 20, KB_SEL4_FAILED = 21, KB_SEL4_UNFIT = 22 };

struct kb_qemu {
	const char *arch;               /* x86_64 riscv64 aarch64 */
	const char *directory;          /* of the image: QEMU runs there, so that no path gets into the console */
	const char *image;              /* name of the file in it that is booted */
	unsigned megabytes;
};

/* "qemu-system-x86_64"; NULL for what is no architecture of ours. */
const char *kb_qemu_program(const char *arch);

/* Boots it; its console can be read from *console. 0 or -errno. It is killed with the calling process. */
int kb_qemu_start(const struct kb_qemu *, pid_t *child, int *console);

/* Waits, within so many ms, else ends it: SIGTERM, then SIGKILL, for one whose guest idles under icount ignores the first. The
   root server's end, or the negated number of a signal, or the exit code of a QEMU that never booted. */
int kb_qemu_wait(pid_t child, unsigned limit_ms);

/* What a kernel prints that cannot run on its machine, and then hangs: the cause. NULL: the line is none of these. */
const char *kb_qemu_refusal(const char *line);

#endif
