/* QEMU, where one instruction of the guest is one tick of all clocks: what a boot is started, watched and ended with. */
#ifndef KB_COLLECT_SEL4_QEMU_H
#define KB_COLLECT_SEL4_QEMU_H

#include <stdint.h>
#include <sys/types.h>

/* How the root server ends: the exit code it gives the machine. */
enum kb_sel4_end { KB_SEL4_COMPLETE = 20, KB_SEL4_FAILED = 21, KB_SEL4_UNFIT = 22 };

struct kb_qemu {
	const char *arch;               /* x86_64 riscv64 aarch64 */
	const char *directory;          /* of the image: QEMU runs there, so that no path gets into the console */
	const char *image;              /* name of the file in it that is booted */
	unsigned megabytes;

	/* of a started one */
	pid_t child;
	int console;                    /* to read */
	int monitor;                    /* its machine protocol */
};

/* "qemu-system-x86_64"; NULL for what is no architecture of ours. */
const char *kb_qemu_program(const char *arch);

/* Boots it. 0 or -errno. It is killed with the calling process. */
int kb_qemu_start(struct kb_qemu *);

/* Instructions that the guest has executed; x86_64 and aarch64: whole thousand millions. 0: not known. */
uint64_t kb_qemu_insns(const struct kb_qemu *);

/* Waits, within so many ms, else ends it: SIGTERM, then SIGKILL, for one whose guest idles under icount ignores the first. The
   root server's end, or the negated number of a signal, or the exit code of a QEMU that never booted. */
int kb_qemu_wait(const struct kb_qemu *, unsigned limit_ms);

/* What a kernel prints that cannot run on its machine, and then hangs: the cause. NULL: the line is none of these. */
const char *kb_qemu_refusal(const char *line);

#endif
