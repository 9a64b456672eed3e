/* The system: kernel, what it was booted with, what it defends against, what it permits. */
#define _GNU_SOURCE
#include "env/gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "control_groups.h"
#include "env/activity.h"

/* The kernel's COMMAND_LINE_SIZE is 2048 on x86 and arm64, 1024 on riscv. */
#define CMDLINE_ROOM 2048

static void copy_fact(struct kb_gather *gather, const char *key, const char *path, enum kb_lasting lasting)
{
	char line[KB_SOURCE_LINE];
	bool read = kb_source_line(gather->source, path, line, sizeof(line));

	kb_gather_fact(gather, key, read ? line : NULL, lasting);
}

/* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)", with or without the quotes: os-release(5). */
static void describe_os(struct kb_gather *gather)
{
	static const char field[] = "PRETTY_NAME=";
	char text[4096];

	kb_source_text(gather->source, "/etc/os-release", text, sizeof(text));
	char *at = strncmp(text, field, sizeof(field) - 1) ? strstr(text, "\nPRETTY_NAME=") : text;

	if (at) {
		at = strchr(at, '=') + 1;
		at += *at == '"' || *at == '\'';
		at[strcspn(at, "\"'\n")] = 0;
	}
	kb_gather_fact(gather, "os", at, KB_STABLE);
}

/*
 * From the build's own words, not from debugfs: only root reads that, and a machine must not change its ID with
 * the user. A dynamic kernel takes the model from its command line; without the option the default is not told.
 */
static void describe_preemption(struct kb_gather *gather, const char *cmdline)
{
	char version[KB_SOURCE_LINE], model[32] = "";
	const char *chosen = strstr(cmdline, "preempt=");

	kb_source_line(gather->source, "/proc/version", version, sizeof(version));
	if (strstr(version, "PREEMPT_RT"))
		snprintf(model, sizeof(model), "rt");
	else if (strstr(version, "PREEMPT_DYNAMIC") && chosen)
		snprintf(model, sizeof(model), "dynamic-%.*s", (int)strcspn(chosen + 8, " "), chosen + 8);
	else if (strstr(version, "PREEMPT_DYNAMIC"))
		snprintf(model, sizeof(model), "dynamic");
	else if (strstr(version, "PREEMPT"))
		snprintf(model, sizeof(model), "full");
	kb_gather_fact(gather, "preempt", model, KB_STABLE);
}

/* Options that name a disk or a file of this one machine: two machines of a kind differ in them and in nothing else. */
static bool names_this_machine(const char *option)
{
	static const char *const prefixes[] = { "BOOT_IMAGE=", "initrd=", "root=", "resume=", "cryptdevice=", "ip=" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (!strncmp(option, prefixes[i], strlen(prefixes[i])))
			return true;
	}
	return false;
}

/* boot_options: the command line without those, up to the "--" behind which the words are for init. */
static void describe_boot(struct kb_gather *gather, char *cmdline)
{
	char options[CMDLINE_ROOM] = "", *state = NULL;
	size_t used = 0;

	kb_gather_fact(gather, "cmdline", cmdline, KB_PASSING);
	for (char *word = strtok_r(cmdline, " ", &state); word; word = strtok_r(NULL, " ", &state)) {
		if (!strcmp(word, "--"))
			break;
		if (!names_this_machine(word))
			used += (size_t)snprintf(options + used, sizeof(options) - used, "%s%s", used ? " " : "", word);
	}
	kb_gather_fact(gather, "boot_options", options, KB_STABLE);
}

static void describe_layout(struct kb_gather *gather)
{
	static const char *const words[] = { "off", "partial", "full" };
	int64_t level;
	const char *word = NULL;

	if (kb_source_number(gather->source, "/proc/sys/kernel/randomize_va_space", &level) && level >= 0 && level <= 2)
		word = gather->answers->fixed_layout ? "off" : words[level];
	kb_gather_fact(gather, "aslr", word, KB_STABLE);
}

/* Appends "name=what is done about it"; details behind the first ';' are facts of their own (SMT) or of no effect. */
static void append_mitigation(char *all, size_t room, const char *name, const char *state)
{
	static const char done[] = "Mitigation: ";
	size_t used = strlen(all);

	if (!strncmp(state, done, sizeof(done) - 1))
		state += sizeof(done) - 1;
	snprintf(all + used, room - used, "%s%s=%.*s", used ? ", " : "", name, (int)strcspn(state, ";"), state);
}

static void describe_mitigations(struct kb_gather *gather)
{
	static const char directory[] = "/sys/devices/system/cpu/vulnerabilities";
	char all[2048] = "", path[128], state[KB_SOURCE_LINE];
	char (*names)[KB_SOURCE_NAME];
	size_t count = kb_source_names(gather->source, directory, "", &names);

	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		if (kb_source_line(gather->source, path, state, sizeof(state)) && strcmp(state, "Not affected"))
			append_mitigation(all, sizeof(all), names[i], state);
	}
	free(names);
	kb_gather_fact(gather, "mitigations", count && !all[0] ? "none" : all, KB_STABLE);
}

/* Of CPU quotas: the lowest so far, in CPUs; 0: none. */
struct quota { const struct kb_fact_source *source; double cpus; bool told; };

/* Version 2 of cgroups writes "max 100000" or "150000 100000" (quota and period in us), version 1 a file each. */
static void take_quota(void *context, const char *root, const char *directory, bool unified)
{
	struct quota *quota = context;
	char path[KB_SOURCE_LINE + 64], line[64];
	long long allowed = 0, period = 0;
	int64_t number;

	(void)root;
	snprintf(path, sizeof(path), "%s/%s", directory, unified ? "cpu.max" : "cpu.cfs_quota_us");
	if (!kb_source_line(quota->source, path, line, sizeof(line)))
		return;
	if (unified) {
		if (sscanf(line, "%lld %lld", &allowed, &period) != 2 && strncmp(line, "max", 3))
			return;
	} else {
		snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", directory);
		if (sscanf(line, "%lld", &allowed) != 1 || !kb_source_number(quota->source, path, &number) || number <= 0)
			return;
		period = number;
	}
	double cpus = allowed > 0 && period > 0 ? (double)allowed / (double)period : 0;

	quota->told = true;
	if (cpus > 0 && (quota->cpus <= 0 || cpus < quota->cpus))
		quota->cpus = cpus;
}

static void describe_quota(struct kb_gather *gather)
{
	struct quota quota = { .source = gather->source };
	char value[32] = "";

	kb_control_groups_each(gather->source->root, "cpu", take_quota, &quota);
	if (quota.cpus > 0)
		snprintf(value, sizeof(value), "%.2f cpus", quota.cpus);
	else if (quota.told)
		snprintf(value, sizeof(value), "none");
	kb_gather_fact(gather, "cgroup_quota", value, KB_STABLE);
}

static const char *answer_word(enum kb_answer answer)
{
	static const char *const words[] = {
		[KB_ANSWER_NO] = "no", [KB_ANSWER_YES] = "yes",
		[KB_ANSWER_UNKNOWN] = "unknown", [KB_ANSWER_FORBIDDEN] = "forbidden",
	};

	return words[answer];
}

/* Yama's levels by its documentation in the kernel; without Yama a user may trace all of his processes. */
static const char *ptrace_scope(const struct kb_fact_source *source)
{
	static const char *const words[] = { "unrestricted", "descendants", "admin", "off" };
	char line[KB_SOURCE_LINE];
	int64_t scope;

	if (kb_source_number(source, "/proc/sys/kernel/yama/ptrace_scope", &scope) && scope >= 0 && scope <= 3)
		return words[scope];
	return kb_source_line(source, "/proc/sys/kernel/osrelease", line, sizeof(line)) ? words[0] : NULL;
}

/* What this user may do decides what can be verified, not how fast the machine is: none of it is stable. */
static void describe_permissions(struct kb_gather *gather)
{
	char lockdown[32];
	bool read = kb_source_choice(gather->source, "/sys/kernel/security/lockdown", lockdown, sizeof(lockdown));

	kb_gather_number(gather, "uid", gather->answers->uid, KB_PASSING);
	copy_fact(gather, "perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid", KB_PASSING);
	kb_gather_fact(gather, "pmu", answer_word(gather->answers->pmu), KB_PASSING);
	if (gather->answers->pmu_error)
		kb_gather_fact(gather, "pmu_error", strerrorname_np(gather->answers->pmu_error), KB_PASSING);
	kb_gather_fact(gather, "event_names", gather->answers->event_names, KB_PASSING);
	kb_gather_fact(gather, "perf_software", answer_word(gather->answers->perf_software), KB_PASSING);
	kb_gather_fact(gather, "ptrace", ptrace_scope(gather->source), KB_PASSING);
	kb_gather_fact(gather, "lockdown", read ? lockdown : NULL, KB_PASSING);
}

void kb_gather_system(struct kb_gather *gather)
{
	char hypervisor[KB_SOURCE_NAME], cmdline[CMDLINE_ROOM];

	copy_fact(gather, "kernel", "/proc/sys/kernel/osrelease", KB_STABLE);
	describe_os(gather);
	kb_gather_fact(gather, "arch", gather->answers->machine, KB_STABLE);
	kb_hypervisor_name(gather->source, gather->answers, hypervisor, sizeof(hypervisor));
	kb_gather_fact(gather, "hypervisor", hypervisor, KB_STABLE);
	copy_fact(gather, "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource", KB_STABLE);
	kb_source_line(gather->source, "/proc/cmdline", cmdline, sizeof(cmdline));
	describe_preemption(gather, cmdline);
	describe_boot(gather, cmdline);
	describe_layout(gather);
	describe_mitigations(gather);
	describe_quota(gather);
	copy_fact(gather, "timer_slack_ns", "/proc/self/timerslack_ns", KB_STABLE);
	describe_permissions(gather);
}

/* What varies by itself: told for the record, and never part of the ID. */
void kb_gather_moment(struct kb_gather *gather)
{
	char line[KB_SOURCE_LINE], steal[32] = "";
	struct kb_activity boot;

	bool read = kb_source_line(gather->source, "/proc/loadavg", line, sizeof(line));

	line[strcspn(line, " ")] = 0;
	kb_gather_fact(gather, "load1", read ? line : NULL, KB_PASSING);
	kb_activity_read(gather->source, &boot);
	if (boot.known && boot.total)
		snprintf(steal, sizeof(steal), "%.2f%%", 100.0 * (double)boot.steal / (double)boot.total);
	kb_gather_fact(gather, "steal", steal, KB_PASSING);
	/* No boot is an unknown one: two of those would be one boot. A container sees that of its host. */
	if (kb_source_line(gather->source, "/proc/sys/kernel/random/boot_id", line, sizeof(line)) && line[0])
		kb_gather_fact(gather, "boot_id", line, KB_PASSING);
}
