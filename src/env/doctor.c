/*
 * Is this machine fit to measure on? A finding is unfit only on a fact that was read and spoils every number; what
 * could not be read is unsure, never worse: a check that cries wolf in a container is switched off for good.
 */
#include "env/doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

#include "base/text.h"

struct machine {
	const struct kb_env *env;
	const struct kb_activity *boot, *now;
};

static const char *fact(const struct machine *machine, const char *key)
{
	const char *value = kb_env_get(machine->env, key);

	return value ? value : "unknown";
}

static bool is(const struct machine *machine, const char *key, const char *value)
{
	return !strcmp(fact(machine, key), value);
}

/* The fact as a number; false if it is not one. */
static bool number(const struct machine *machine, const char *key, double *value)
{
	const char *text = fact(machine, key);
	char *end;

	*value = strtod(text, &end);
	return end != text && !*end;
}

void kb_finding_set(struct kb_finding *finding, enum kb_fitness fitness, const char *remedy, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(finding->what, sizeof(finding->what), format, arguments);

	va_end(arguments);
	if (length >= (int)sizeof(finding->what))
		strcpy(finding->what + sizeof(finding->what) - 4, "...");
	finding->fitness = fitness;
	finding->remedy = remedy;
}

/* For the many that are one word: fit if it is `good`, else unsure with the remedy. */
static void judge_word(const struct machine *machine, struct kb_finding *finding, const char *key, const char *good,
		       const char *remedy)
{
	bool fit = is(machine, key, good);

	kb_finding_set(finding, fit ? KB_FIT : KB_UNSURE, fit ? "" : remedy, "%s", fact(machine, key));
}

/* Read from user space through the vDSO, or not: hpet and acpi_pm cost a system call and a slow bus, about 1 us. */
static void clock_source(const struct machine *machine, struct kb_finding *finding)
{
	static const char quick[] = "tsc,arch_sys_counter,riscv_clocksource,kvm-clock,hyperv_clocksource_tsc_page";
	static const char slow[] = "hpet,acpi_pm,jiffies,refined-jiffies,pit";
	const char *name = fact(machine, "clocksource");

	if (kb_list_has(quick, name))
		kb_finding_set(finding, KB_FIT, "", "%s", name);
	else if (kb_list_has(slow, name))
		kb_finding_set(finding, KB_UNFIT, "dmesg | grep -i clocksource (shows why the kernel left the fast one)", "%s, a slow clock", name);
	else
		kb_finding_set(finding, KB_UNSURE, "cat /sys/devices/system/clocksource/clocksource0/available_clocksource", "%s", name);
}

static void governor(const struct machine *machine, struct kb_finding *finding)
{
	judge_word(machine, finding, "governor", "performance", is(machine, "governor", "unknown")
		   ? "" : "sudo cpupower frequency-set -g performance");
}

/* Fixed by equal bounds; a performance governor without turbo comes close enough that the probes see the rest. */
static void frequency(const struct machine *machine, struct kb_finding *finding)
{
	const char *range = fact(machine, "frequency_khz");
	unsigned long long low = 0, high = 0;

	if (sscanf(range, "%llu-%llu", &low, &high) != 2)
		kb_finding_set(finding, KB_UNSURE, "", "%s", range);
	else if (low == high)
		kb_finding_set(finding, KB_FIT, "", "fixed at %llu MHz", low / 1000);
	else if (is(machine, "governor", "performance") && is(machine, "turbo", "off"))
		kb_finding_set(finding, KB_FIT, "", "%llu to %llu MHz, held high without turbo", low / 1000, high / 1000);
	else
		kb_finding_set(finding, KB_UNSURE, "sudo cpupower frequency-set -d CLOCK -u CLOCK (the base clock, no turbo)",
		    "varies from %llu to %llu MHz", low / 1000, high / 1000);
}

static void turbo(const struct machine *machine, struct kb_finding *finding)
{
	const char *remedy = strstr(fact(machine, "driver"), "intel_pstate")
			     ? "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
			     : "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost";

	judge_word(machine, finding, "turbo", "off", is(machine, "turbo", "on") ? remedy : "");
}

static bool bare_metal(const struct machine *machine)
{
	return is(machine, "hypervisor", "none");
}

/* A guest sees the threads that it was given; whose siblings they are on the host it does not know. */
static void smt(const struct machine *machine, struct kb_finding *finding)
{
	const char *here = fact(machine, "smt");
	bool known = strcmp(here, "unknown") && !is(machine, "hypervisor", "unknown");

	if (!strcmp(here, "on"))
		kb_finding_set(finding, KB_UNSURE, "echo off | sudo tee /sys/devices/system/cpu/smt/control", "on");
	else if (known && !bare_metal(machine))
		kb_finding_set(finding, KB_UNSURE, "", "%s in this guest; the host is not seen from here", here);
	else
		kb_finding_set(finding, known ? KB_FIT : KB_UNSURE, "", "%s", here);
}

static void aslr(const struct machine *machine, struct kb_finding *finding)
{
	judge_word(machine, finding, "aslr", "full", is(machine, "aslr", "unknown")
		   ? "" : "sudo sysctl kernel.randomize_va_space=2, and no setarch -R");
}

/* With madvise the benchmarks decide; with always the kernel does, and differently from process to process. */
static void thp(const struct machine *machine, struct kb_finding *finding)
{
	bool fit = is(machine, "thp", "madvise") || is(machine, "thp", "never");

	kb_finding_set(finding, fit ? KB_FIT : KB_UNSURE, is(machine, "thp", "always")
	    ? "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled" : "", "%s", fact(machine, "thp"));
}

/*
 * The average alone cries wolf for a minute after every build, so that it condemns only together with what runs now.
 * Above one runnable task a CPU ours has to share; above half of that an idle CPU for it is a matter of luck.
 */
static void load(const struct machine *machine, struct kb_finding *finding)
{
	double average = 0, cpus = 0, busy = -1;
	bool known = number(machine, "load1", &average) && number(machine, "cpus", &cpus);
	const char *remedy = "stop other work (see `top`) and wait a minute";

	if (machine->now->known)
		busy = 1 - (double)machine->now->idle / (double)machine->now->total;
	if (!known)
		kb_finding_set(finding, KB_UNSURE, "", "unknown");
	else if (busy < 0)
		kb_finding_set(finding, average > cpus ? KB_UNFIT : average > 0.5 * cpus ? KB_UNSURE : KB_FIT,
		    average > 0.5 * cpus ? remedy : "", "%.2f in the last minute on %.0f CPUs", average, cpus);
	else if (average > 0.5 * cpus || busy > 0.5)
		kb_finding_set(finding, average > cpus && busy > 0.5 ? KB_UNFIT : KB_UNSURE, remedy,
		    "%.2f in the last minute on %.0f CPUs, %.0f %% busy now", average, cpus, 100 * busy);
	else
		kb_finding_set(finding, KB_FIT, "", "%.2f in the last minute on %.0f CPUs, %.0f %% busy now", average, cpus,
		    100 * busy);
}

/*
 * Unfit above 1 %: that much lies in the tail of every p99. But a tenth of a second on two CPUs is 20 ticks, and the
 * kernel rounds what it steals to ticks: one tick proves nothing, two in a result do.
 */
static void steal(const struct machine *machine, struct kb_finding *finding)
{
	const struct kb_activity *now = machine->now, *boot = machine->boot;
	const char *remedy = "move to a host that is not overcommitted, or to dedicated CPUs";

	if (!now->known || !boot->known) {
		kb_finding_set(finding, KB_UNSURE, "", "unknown");
		return;
	}
	double current = 100 * (double)now->steal / (double)now->total;
	double ever = boot->total ? 100 * (double)boot->steal / (double)boot->total : 0;
	bool much = current > 1 && now->steal >= 2;

	kb_finding_set(finding, much ? KB_UNFIT : now->steal || ever > 1 ? KB_UNSURE : KB_FIT, much || ever > 1 ? remedy : "",
	    "%.1f %% now, %.2f %% since boot", current, ever);
}

static void hypervisor(const struct machine *machine, struct kb_finding *finding)
{
	const char *name = fact(machine, "hypervisor");

	if (!strcmp(name, "none"))
		kb_finding_set(finding, KB_FIT, "", "none seen");
	else if (!strcmp(name, "unknown"))
		kb_finding_set(finding, KB_UNSURE, "", "unknown");
	else if (!strcmp(name, "qemu-tcg"))
		kb_finding_set(finding, KB_UNFIT, "measure on real hardware, or under KVM", "%s: the processor is emulated", name);
	else
		kb_finding_set(finding, KB_UNSURE, "compare only runs that were interleaved; for absolute times use bare metal",
		    "virtual machine: %s", name);
}

static void pmu(const struct machine *machine, struct kb_finding *finding)
{
	const char *error = kb_env_get(machine->env, "pmu_error");

	if (is(machine, "pmu", "yes") && is(machine, "event_names", "none"))
		kb_finding_set(finding, KB_UNSURE, "sudo apt-get install libpfm4-dev, then configure and build kbench again",
		    "a cycle counter counts, but without libpfm4 no event has a name");
	else if (is(machine, "pmu", "yes"))
		kb_finding_set(finding, KB_FIT, "", "a cycle counter counts; names of events: %s", fact(machine, "event_names"));
	else if (is(machine, "pmu", "forbidden"))
		kb_finding_set(finding, KB_UNSURE, "sudo sysctl kernel.perf_event_paranoid=1",
		    "there may be one, but not for this user");
	else if (is(machine, "pmu", "no"))
		kb_finding_set(finding, KB_UNSURE, bare_metal(machine)
		    ? "" : "let the hypervisor pass the PMU on (QEMU: -cpu host,pmu=on)",
		    "no hardware counters (%s); core cycles come from a chain of additions",
		    error ? error : "one that counts nothing");
	else
		kb_finding_set(finding, KB_UNSURE, "", "unknown");
}

/* A process needs software events for switches and faults, and ptrace once to count system calls. */
static void permissions(const struct machine *machine, struct kb_finding *finding)
{
	double uid = 1;
	bool root = number(machine, "uid", &uid) && uid == 0;
	bool events = is(machine, "perf_software", "yes");
	bool trace = is(machine, "ptrace", "unrestricted") || is(machine, "ptrace", "descendants") ||
		     (root && is(machine, "ptrace", "admin"));
	const char *remedy = "";

	if (!events && is(machine, "perf_software", "forbidden"))
		remedy = "sudo sysctl kernel.perf_event_paranoid=1";
	else if (events && !trace && !is(machine, "ptrace", "unknown"))
		remedy = "sudo sysctl kernel.yama.ptrace_scope=1";
	kb_finding_set(finding, events && trace ? KB_FIT : KB_UNSURE, remedy, "%s; software events: %s (paranoid %s), ptrace: %s",
	    root ? "root" : "not root", fact(machine, "perf_software"), fact(machine, "perf_event_paranoid"),
	    fact(machine, "ptrace"));
}

static void isolated_cpus(const struct machine *machine, struct kb_finding *finding)
{
	const char *list = fact(machine, "isolated_cpus");
	bool none = !strcmp(list, "none"), known = strcmp(list, "unknown");
	double cpus;

	/* With one CPU there is nothing to isolate. */
	bool advise = none && number(machine, "cpus", &cpus) && cpus > 1;

	kb_finding_set(finding, none || !known ? KB_UNSURE : KB_FIT, advise
	    ? "boot with isolcpus=LIST nohz_full=LIST, then kbench run --cpus LIST" : "", "%s", list);
}

/* Part of what a system call costs here, therefore neither good nor bad: only not knowing is. */
static void mitigations(const struct machine *machine, struct kb_finding *finding)
{
	judge_word(machine, finding, "mitigations", "none", "");
	if (!is(machine, "mitigations", "unknown"))
		finding->fitness = KB_FIT;
}

/* One run may use 200 MB; beneath 512 MB available its pages compete with the page cache. */
static void memory(const struct machine *machine, struct kb_finding *finding)
{
	const char *remedy = "stop what uses the memory (see `ps aux --sort=-rss | head`)";
	double bytes = 0;

	if (machine->now->swap_known && machine->now->swapped) {
		kb_finding_set(finding, KB_UNFIT, remedy, "swapping now: %llu pages in a tenth of a second",
		    (unsigned long long)machine->now->swapped);
	} else if (!number(machine, "memory_available", &bytes)) {
		kb_finding_set(finding, KB_UNSURE, "", "unknown");
	} else {
		double mega = bytes / 1048576;

		kb_finding_set(finding, mega < 200 ? KB_UNFIT : mega < 512 ? KB_UNSURE : KB_FIT, mega < 512 ? remedy : "",
		    "%.0f MB available", mega);
	}
}

/* A quota above one CPU stops a run only if other work in the group uses it up. */
static void quota(const struct machine *machine, struct kb_finding *finding)
{
	const char *remedy = "run outside of the container, or without a CPU limit";
	double cpus;

	if (is(machine, "cgroup_quota", "none"))
		kb_finding_set(finding, KB_FIT, "", "none");
	else if (sscanf(fact(machine, "cgroup_quota"), "%lf cpus", &cpus) == 1)
		kb_finding_set(finding, cpus < 1 ? KB_UNFIT : KB_UNSURE, remedy, "%s", fact(machine, "cgroup_quota"));
	else
		kb_finding_set(finding, KB_UNSURE, "", "unknown");
}

static const struct {
	const char *id;
	void (*judge)(const struct machine *, struct kb_finding *);
	const char *why;
} checks[] = {
	{ "clock_source", clock_source, "A clock that costs a microsecond hides everything shorter." },
	{ "governor", governor, "A governor that saves power changes the clock while we measure." },
	{ "frequency", frequency, "Times scale with the core clock; a moving clock is noise on every result." },
	{ "turbo", turbo, "The turbo clock depends on heat and on what the other cores do." },
	{ "smt", smt, "Work on the sibling thread takes issue slots and cache away from ours." },
	{ "aslr", aslr, "Every process must get a new memory layout, or one layout's luck becomes the result." },
	{ "thp", thp, "Whether a buffer lies in huge pages changes its TLB misses and faults." },
	{ "load", load, "Other work takes the CPU, the caches and the memory bandwidth away." },
	{ "steal", steal, "While the hypervisor runs others, the sample goes on and nothing runs." },
	{ "hypervisor", hypervisor, "In a virtual machine exits, neighbours and migrations change times unseen." },
	{ "quota", quota, "A group that used up its CPU quota is stopped for tens of milliseconds." },
	{ "pmu", pmu, "Without hardware counters cycles and misses cannot be verified by counting." },
	{ "permissions", permissions, "Evidence comes from counters and tracing; where they are forbidden, results stay "
	  "unverified." },
	{ "isolated_cpus", isolated_cpus, "On a CPU that is not isolated the scheduler may place other work." },
	{ "mitigations", mitigations, "They are a large part of what entering the kernel costs; compare only equals." },
	{ "memory", memory, "Once memory runs short, page faults measure the disk." },
};

_Static_assert(sizeof(checks) / sizeof(checks[0]) + 2 <= KB_FINDINGS_MAX, "findings have room, also those of CPUs and of the core");

size_t kb_doctor_judge(const struct kb_env *env, const struct kb_activity *boot, const struct kb_activity *now,
		       struct kb_finding findings[KB_FINDINGS_MAX])
{
	const struct machine machine = { .env = env, .boot = boot, .now = now };
	const size_t count = sizeof(checks) / sizeof(checks[0]);

	for (size_t i = 0; i < count; i++) {
		findings[i] = (struct kb_finding){ .id = checks[i].id, .why = checks[i].why };
		checks[i].judge(&machine, &findings[i]);
	}
	return count;
}

void kb_doctor_cpus(const struct kb_cpus *cpus, struct kb_finding *finding)
{
	*finding = (struct kb_finding){ .id = "cpus",
		.why = "A partner on the other hardware thread of the measuring core takes issue slots and caches away from it." };
	if (!cpus->two)
		kb_finding_set(finding, KB_UNSURE, "allow more than one CPU (see `taskset -p $$`)", "CPU %u alone: what needs two is skipped",
		    cpus->measure);
	else if (cpus->siblings)
		kb_finding_set(finding, KB_UNSURE, "allow a CPU of another core, with --cpus or taskset",
		    "CPU %u measures; partners on CPU %u share its core", cpus->measure, cpus->other);
	else if (cpus->maybe_sibling)
		kb_finding_set(finding, KB_UNSURE, "", "CPU %u measures; whether partners on CPU %u share its core is not known", cpus->measure,
		    cpus->other);
	else
		kb_finding_set(finding, KB_FIT, "", "CPU %u measures; partners are on CPU %u of another core", cpus->measure, cpus->other);
}

size_t kb_doctor(const struct kb_env *env, struct kb_finding findings[KB_FINDINGS_MAX])
{
	const struct kb_fact_source machine = { .root = "" };
	struct timespec left = { .tv_nsec = 100000000 };
	struct kb_activity first, boot;

	kb_activity_read(&machine, &first);
	/* A signal must not shorten the window. */
	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
	kb_activity_read(&machine, &boot);
	const struct kb_activity now = kb_activity_between(&first, &boot);

	return kb_doctor_judge(env, &boot, &now, findings);
}
