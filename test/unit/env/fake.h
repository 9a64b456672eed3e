/* Machines made of files, so that the environment of a computer that is not here can be read. */
#ifndef FAKE_H
#define FAKE_H

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "env/gather.h"

struct fake {
	char root[64];
	struct kb_fact_source source;
	struct kb_answers answers;
};

static inline void fake_begin(struct fake *fake)
{
	memset(fake, 0, sizeof(*fake));
	snprintf(fake->root, sizeof(fake->root), "/tmp/kbench-env-XXXXXX");
	assert_non_null(mkdtemp(fake->root));
	fake->source.root = fake->root;
	fake->answers = (struct kb_answers){ .machine = "x86_64", .pmu = KB_ANSWER_UNKNOWN,
					     .hypervisor = KB_ANSWER_UNKNOWN, .perf_software = KB_ANSWER_UNKNOWN };
}

static inline int fake_remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status;
	(void)kind;
	(void)where;
	return remove(path);
}

static inline void fake_end(struct fake *fake)
{
	assert_int_equal(nftw(fake->root, fake_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static inline void fake_file(const struct fake *fake, const char *path, const char *text)
{
	char full[256];

	snprintf(full, sizeof(full), "%s%s", fake->root, path);
	for (char *slash = strchr(full + strlen(fake->root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		assert_true(!mkdir(full, 0700) || errno == EEXIST);
		*slash = '/';
	}
	FILE *file = fopen(full, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

struct fake_text { const char *path, *text; };

/* Until a path is NULL. */
static inline void fake_files(const struct fake *fake, const struct fake_text *files)
{
	for (; files->path; files++)
		fake_file(fake, files->path, files->text);
}

static inline void fake_without(const struct fake *fake, const char *path)
{
	char full[256];

	snprintf(full, sizeof(full), "%s%s", fake->root, path);
	assert_int_equal(unlink(full), 0);
}

static inline void fake_env(const struct fake *fake, struct kb_env *env)
{
	assert_int_equal(kb_env_gather(&fake->source, &fake->answers, env), 0);
}

/* What any Linux on x86 has. */
static const struct fake_text fake_linux[] = {
	{ "/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n" },
	{ "/etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n" },
	{ "/proc/version", "Linux version 6.1.0 (gcc) #1 SMP PREEMPT_DYNAMIC Debian\n" },
	{ "/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
	  "model name\t: Xeon  of some kind\nmodel\t\t: 106\nstepping\t: 6\nmicrocode\t: 0xd0003a5\ncpu MHz\t\t: 2900.100\n\n"
	  "processor\t: 1\nvendor_id\t: Other\n" },
	{ "/proc/meminfo", "MemTotal:        8000000 kB\nMemFree: 1 kB\nMemAvailable:    6000000 kB\n"
	  "SwapTotal:       0 kB\n" },
	{ "/proc/loadavg", "0.10 0.20 0.30 1/100 4242\n" },
	{ "/proc/stat", "cpu  100 0 100 9800 0 0 0 0 0 0\ncpu0 1 2 3\n" },
	{ "/proc/vmstat", "nr_free_pages 1\npswpin 0\npswpout 0\n" },
	{ "/proc/self/timerslack_ns", "50000\n" },
	{ "/proc/sys/kernel/random/boot_id", "1b4e28ba-2fa1-41d2-883f-0016d3cca427\n" },
	{ "/proc/self/cgroup", "0::/user/job\n" },
	{ "/sys/fs/cgroup/user/cpu.max", "max 100000\n" },
	{ "/proc/sys/kernel/randomize_va_space", "2\n" },
	{ "/proc/sys/kernel/perf_event_paranoid", "1\n" },
	{ "/sys/devices/system/cpu/online", "0-3\n" },
	{ "/sys/devices/system/node/online", "0\n" },
	{ "/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n" },
	{ "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n" },
	{ "/sys/kernel/mm/transparent_hugepage/defrag", "always defer defer+madvise [madvise] never\n" },
	{ "/sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected\n" },
	{ "/sys/devices/system/cpu/vulnerabilities/spectre_v2", "Mitigation: Enhanced IBRS; IBPB\n" },
	{ "/sys/devices/system/cpu/vulnerabilities/mds", "Vulnerable: no microcode; SMT vulnerable\n" },
	{ NULL, NULL },
};

static inline void fake_common(const struct fake *fake)
{
	fake_files(fake, fake_linux);
}

/* A well kept bare-metal machine: every finding of doctor is fit. */
static const struct fake_text fake_server[] = {
	{ "/proc/cmdline",
	  "BOOT_IMAGE=/vmlinuz root=UUID=4711 ro isolcpus=3 preempt=full -- init words\n" },
	{ "/sys/class/dmi/id/sys_vendor", "Dell Inc.\n" },
	{ "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n" },
	{ "/sys/devices/system/cpu/cpufreq/policy0/scaling_driver", "intel_pstate\n" },
	{ "/sys/devices/system/cpu/cpufreq/policy0/scaling_min_freq", "2900000\n" },
	{ "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", "2900000\n" },
	{ "/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n" },
	{ "/sys/devices/system/cpu/smt/active", "0\n" },
	{ "/sys/devices/system/cpu/smt/control", "off\n" },
	{ "/sys/devices/system/cpu/isolated", "3\n" },
	{ "/sys/devices/system/cpu/nohz_full", "(null)\n" },
	{ "/sys/devices/system/cpu/cpu0/cache/index0/level", "1\n" },
	{ "/sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n" },
	{ "/sys/devices/system/cpu/cpu0/cache/index0/size", "48K\n" },
	{ "/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size", "64\n" },
	{ "/sys/devices/system/cpu/cpu0/cache/index1/level", "1\n" },
	{ "/sys/devices/system/cpu/cpu0/cache/index1/type", "Instruction\n" },
	{ "/sys/devices/system/cpu/cpu0/cache/index1/size", "32K\n" },
	{ "/sys/devices/system/cpu/cpu0/cache/index2/level", "2\n" },
	{ "/sys/devices/system/cpu/cpu0/cache/index2/type", "Unified\n" },
	{ "/sys/devices/system/cpu/cpu0/cache/index2/size", "1280K\n" },
	{ NULL, NULL },
};

static inline void fake_bare_metal(struct fake *fake)
{
	fake_common(fake);
	fake->answers.hypervisor = KB_ANSWER_NO;
	fake->answers.pmu = KB_ANSWER_YES;
	fake->answers.event_names = "libpfm4";
	fake->answers.perf_software = KB_ANSWER_YES;
	fake_files(fake, fake_server);
}

/* A guest of KVM without frequency control and without counters. */
static inline void fake_guest(struct fake *fake)
{
	fake_common(fake);
	fake->answers.hypervisor = KB_ANSWER_YES;
	strcpy(fake->answers.signature, "KVMKVMKVM");
	fake->answers.pmu = KB_ANSWER_NO;
	fake->answers.pmu_error = ENOENT;
	fake->answers.perf_software = KB_ANSWER_YES;
	fake_file(fake, "/proc/cmdline", "console=ttyS0\n");
	fake_file(fake, "/sys/devices/system/cpu/smt/active", "0\n");
	fake_file(fake, "/sys/devices/system/cpu/smt/control", "notsupported\n");
	fake_file(fake, "/sys/devices/system/cpu/isolated", "\n");
}

#endif
