/*
 * What no file tells. Whether counters can be had is found by opening them: the permission files are several, and a
 * hypervisor may offer a counter that never counts.
 */
#include "env/source.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "env/event_names.h"
#include "declared.h"

/* A descriptor of an event on this thread, or -errno. */
static int open_event(uint32_t type, uint64_t config, bool user_only)
{
	struct perf_event_attr attr = {
		.type = type, .size = sizeof(attr), .config = config,
		.exclude_kernel = user_only, .exclude_hv = user_only,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static enum kb_answer from_errno(int error)
{
	switch (error) {
	case -EACCES: case -EPERM: return KB_ANSWER_FORBIDDEN;
	case -ENOENT: case -ENODEV: case -ENXIO: case -EOPNOTSUPP: case -ENOSYS: case -EINVAL: return KB_ANSWER_NO;
	default: return KB_ANSWER_UNKNOWN;
	}
}

static enum kb_answer ask_pmu(int *error)
{
	uint64_t cycles = 0;
	int fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true);

	*error = fd < 0 ? -fd : 0;
	if (fd < 0)
		return from_errno(fd);
	/* Something to count: a counter that stays at 0 over a thousand stores is none. */
	for (volatile unsigned i = 0; i < 1000; i++)
		;
	ssize_t got = read(fd, &cycles, sizeof(cycles));

	close(fd);
	return got == (ssize_t)sizeof(cycles) && cycles ? KB_ANSWER_YES : KB_ANSWER_NO;
}

/* A context switch happens in the kernel: an event that excludes the kernel would open and count 0 for ever. */
static enum kb_answer ask_perf_software(void)
{
	int fd = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, false);

	if (fd < 0)
		return from_errno(fd);
	close(fd);
	return KB_ANSWER_YES;
}

void kb_answers_ask_hypervisor(struct kb_answers *answers)
{
	if (!kb_arch_sees_hypervisor())
		answers->hypervisor = KB_ANSWER_UNKNOWN;
	else
		answers->hypervisor = kb_arch_hypervisor(answers->signature) ? KB_ANSWER_YES : KB_ANSWER_NO;
}

void kb_answers_ask(struct kb_answers *answers)
{
	struct utsname name;
	int persona = personality(0xffffffff); /* asks without setting: personality(2) */

	memset(answers, 0, sizeof(*answers));
	if (!uname(&name))
		snprintf(answers->machine, sizeof(answers->machine), "%s", name.machine);
	answers->uid = (unsigned)geteuid();
	answers->fixed_layout = persona != -1 && persona & ADDR_NO_RANDOMIZE;
	kb_answers_ask_hypervisor(answers);
	answers->pmu = ask_pmu(&answers->pmu_error);
	answers->event_names = kb_event_library() ?: "none";
	answers->perf_software = ask_perf_software();
}
