/* See qemu.h. */
#define _GNU_SOURCE
#include "collect/sel4/qemu.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"

/* ---- machines ---------------------------------------------------------------------------------------------- */

/* Their only clocks that the monitor can read: mtime of riscv64, a PL031 of aarch64, the CMOS of x86_64. */
#define READ_MEMORY(at) "{\"execute\": \"human-monitor-command\", \"arguments\": {\"command-line\": \"xp /1xw " at "\"}}\n"
#define READ_CMOS "{\"execute\": \"qom-get\", \"arguments\": {\"path\": \"/machine\", \"property\": \"rtc-time\"}}\n"

/* highmem=off, a GIC of version 2 and no secure world are what the kernels' configurations of that machine are for. */
static const struct machine {
	const char *arch, *program, *words, *image_words;
	const char *clock;              /* how the monitor is asked for a clock of the machine */
	uint64_t insns;                 /* in a tick of it */
} machines[] = {
	{ "x86_64", "qemu-system-x86_64", "-machine q35 -cpu max -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel kernel32.elf",
	  "-initrd", READ_CMOS, 1000000000 },
	{ "riscv64", "qemu-system-riscv64", "-machine virt -cpu rv64 -bios default "
	  "-semihosting-config enable=on,userspace=on,target=native,chardev=c", "-kernel", READ_MEMORY("0x0200bff8"), 100 },
	{ "aarch64", "qemu-system-aarch64", "-machine virt,secure=off,virtualization=off,highmem=off,gic-version=2 -cpu cortex-a53 "
	  "-semihosting-config enable=on,userspace=on,target=native,chardev=c", "-kernel", READ_MEMORY("0x09010000"), 1000000000 },
};

#define WORDS 56
/* Clocks of the machine begin at this date and run with the guest. */
static const char common[] = "-smp 1 -display none -no-reboot -nodefaults -chardev stdio,id=c,mux=on,signal=off -serial chardev:c "
			     "-icount shift=0,sleep=off -rtc base=1970-01-01T00:00:00,clock=vm -chardev socket,id=m,fd=3 -mon chardev=m,mode=control";
#define MONITOR 3

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

/* ---- starting ---------------------------------------------------------------------------------------------- */

static _Noreturn void become(const struct kb_qemu *qemu, const struct machine *machine, int console, int monitor)
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
	/* One that is MONITOR already would be closed by exec. */
	if ((monitor == MONITOR ? fcntl(monitor, F_SETFD, 0) : dup2(monitor, MONITOR)) >= 0 && chdir(qemu->directory) == 0)
		execvp(words[0], words);
	_exit(127);
}

int kb_qemu_start(struct kb_qemu *qemu)
{
	static const char greeting[] = "{\"execute\": \"qmp_capabilities\"}\n";
	const struct machine *machine = find(qemu->arch);
	int ends[2], monitor[2];

	if (!machine)
		return -EINVAL;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, monitor)) {
		int error = -errno;

		close(ends[0]);
		close(ends[1]);
		return error;
	}
	qemu->child = fork();
	if (qemu->child == 0)
		become(qemu, machine, ends[1], monitor[1]);
	int error = qemu->child < 0 ? -errno : 0;

	close(ends[1]);
	close(monitor[1]);
	qemu->console = ends[0];
	qemu->monitor = monitor[0];
	/* One that has ended already is noticed by its console. */
	send(qemu->monitor, greeting, sizeof greeting - 1, MSG_NOSIGNAL);
	return error;
}

/* ---- its clock --------------------------------------------------------------------------------------------- */

#define ANSWER_MS 5000

static uint64_t number_behind(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 0) : 0;
}

/* "0000000009010000: 0x0000001f", or {"tm_year": 70, "tm_sec": 31, ...}. */
static uint64_t ticks_of(const char *answer)
{
	const char *hexadecimal = strstr(answer, ": 0x");

	return hexadecimal ? strtoull(hexadecimal + 2, NULL, 16)
			   : 3600 * number_behind(answer, "\"tm_hour\": ") + 60 * number_behind(answer, "\"tm_min\": ") +
				     number_behind(answer, "\"tm_sec\": ");
}

uint64_t kb_qemu_insns(const struct kb_qemu *qemu)
{
	const struct machine *machine = find(qemu->arch);
	struct pollfd monitor = { .fd = qemu->monitor, .events = POLLIN };
	char answer[4096];
	size_t used = 0;
	ssize_t got;

	if (send(qemu->monitor, machine->clock, strlen(machine->clock), MSG_NOSIGNAL) < 0)
		return 0;
	/* Before the answer come the greeting and events. */
	do {
		if (poll(&monitor, 1, ANSWER_MS) <= 0 || (got = read(qemu->monitor, answer + used, sizeof answer - 1 - used)) <= 0)
			return 0;
		used += (size_t)got;
		answer[used] = '\0';
	} while (!strstr(answer, ": 0x") && !strstr(answer, "tm_year") && used + 1 < sizeof answer);
	return ticks_of(answer) * machine->insns;
}

/* ---- ending ------------------------------------------------------------------------------------------------ */

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

static int wait_for(pid_t child, unsigned limit_ms)
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

int kb_qemu_wait(const struct kb_qemu *qemu, unsigned limit_ms)
{
	int end = wait_for(qemu->child, limit_ms);

	close(qemu->console);
	close(qemu->monitor);
	return end;
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
