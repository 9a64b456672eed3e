/* See qemu.h. */
#define _GNU_SOURCE
#include "collect/sel4/qemu.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"

/* highmem=off, a GIC of version 2 and no secure world are what the kernels' configurations of that machine are for. */
static const struct machine { const char *arch, *program, *words, *image_words; } machines[] = {
	{ "x86_64", "qemu-system-x86_64", "-machine q35 -cpu max -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel kernel32.elf",
	  "-initrd" },
	{ "riscv64", "qemu-system-riscv64", "-machine virt -cpu rv64 -bios default "
	  "-semihosting-config enable=on,userspace=on,target=native,chardev=c", "-kernel" },
	{ "aarch64", "qemu-system-aarch64", "-machine virt,secure=off,virtualization=off,highmem=off,gic-version=2 -cpu cortex-a53 "
	  "-semihosting-config enable=on,userspace=on,target=native,chardev=c", "-kernel" },
};

#define WORDS 48
static const char common[] = "-smp 1 -display none -monitor none -no-reboot -nodefaults "
			     "-chardev stdio,id=c,mux=on,signal=off -serial chardev:c -icount shift=0,sleep=off";

static const struct machine *find(const char *arch)
{
	for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
		if (strcmp(machines[i].arch, arch) == 0)
			return &machines[i];
	}
	return NULL;
}

const char *kb_qemu_program(const char *arch)
{
	const struct machine *machine = find(arch);

	return machine ? machine->program : NULL;
}

static _Noreturn void become(const struct kb_qemu *qemu, const struct machine *machine, int console)
{
	int nothing = open("/dev/null", O_RDONLY);
	char text[1024], *rest = text, *words[WORDS] = { NULL };

	snprintf(text, sizeof text, "%s %s %s %s -m %uM %s", machine->program, machine->words, machine->image_words, qemu->image,
		 qemu->megabytes, common);
	for (size_t i = 0; i + 1 < WORDS && (words[i] = strsep(&rest, " ")) != NULL; i++)
		continue;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(nothing, STDIN_FILENO);
	dup2(console, STDOUT_FILENO);
	dup2(console, STDERR_FILENO);
	if (chdir(qemu->directory) == 0)
		execvp(words[0], words);
	_exit(127);
}

int kb_qemu_start(const struct kb_qemu *qemu, pid_t *child, int *console)
{
	const struct machine *machine = find(qemu->arch);
	int ends[2];

	if (!machine)
		return -EINVAL;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	*child = fork();
	if (*child == 0)
		become(qemu, machine, ends[1]);
	int error = *child < 0 ? -errno : 0;

	close(ends[1]);
	if (error)
		close(ends[0]);
	*console = ends[0];
	return error;
}

static bool gone(pid_t child, unsigned limit_ms, int *status)
{
	uint64_t deadline = kb_wall_ns() + limit_ms * UINT64_C(1000000);
	pid_t got;

	while ((got = waitpid(child, status, WNOHANG)) == 0 && kb_wall_ns() < deadline)
		kb_sleep_ns(2000000);
	return got == child;
}

/* The machines' own ways to end: isa-debug-exit makes 2 v + 1 of a value v, semihosting leaves it as it is. */
static int end_of(int status)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;

	if (WIFSIGNALED(status))
		return -WTERMSIG(status);
	return code % 2 && code / 2 >= KB_SEL4_COMPLETE && code / 2 <= KB_SEL4_UNFIT ? code / 2 : code;
}

int kb_qemu_wait(pid_t child, unsigned limit_ms)
{
	int status = 0;

	if (gone(child, limit_ms, &status))
		return end_of(status);
	kill(child, SIGTERM);
	if (!gone(child, 1000, &status)) {
		kill(child, SIGKILL);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			continue;
	}
	return -SIGKILL;
}

const char *kb_qemu_refusal(const char *line)
{
	static const struct { const char *text, *cause; } known[] = {
		{ "PCIDs not supported", "the kernel wants PCID, which emulation does not have: build it with KernelSupportPCID=OFF" },
		{ "Huge page not supported", "the kernel wants huge pages of the processor: build it with KernelHugePage=OFF" },
		{ "wrong order", "the loader placed device tree and root server in an order that the kernel refuses" },
		{ "no fault handler", "a thread faulted without a fault handler" },
		{ "at least one boot module", "the kernel found no root server" },
		{ "Cannot load x86-64 image", "QEMU was given a 64-bit kernel: the build makes a 32-bit copy of it" },
		{ "KVM internal error", "KVM cannot run this kernel here" },
		{ "halting...", "the kernel stopped" },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		if (strstr(line, known[i].text))
			return known[i].cause;
	}
	return NULL;
}
