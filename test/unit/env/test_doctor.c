/* The judgements of doctor on machines made of files: right on each, and never a false alarm. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "env/doctor.h"
#include "fake.h"

static const struct kb_activity quiet = { .known = true, .total = 4000, .idle = 4000, .swap_known = true };

/* Judges the machine and returns its findings; `now` is what happens at the moment. */
static size_t judge(const struct fake *fake, const struct kb_activity *now, struct kb_finding *findings)
{
	struct kb_activity boot;
	struct kb_env env;

	fake_env(fake, &env);
	kb_activity_read(&fake->source, &boot);
	size_t count = kb_doctor_judge(&env, &boot, now, findings);

	kb_env_free(&env);
	return count;
}

static struct kb_finding finding_of(const struct fake *fake, const struct kb_activity *now, const char *id)
{
	struct kb_finding findings[KB_FINDINGS_MAX];
	size_t count = judge(fake, now, findings);

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(findings[i].id, id))
			return findings[i];
	}
	fail_msg("no finding %s", id);
	return findings[0];
}

static void expect_at(int line, const struct fake *fake, const struct kb_activity *now, const char *id,
		      enum kb_fitness fitness, const char *part)
{
	struct kb_finding finding = finding_of(fake, now, id);

	if (finding.fitness != fitness)
		fail_msg("line %d: %s is %d, expected %d: %s", line, id, finding.fitness, fitness, finding.what);
	if (!strstr(finding.what, part))
		fail_msg("line %d: %s says \"%s\", expected \"%s\"", line, id, finding.what, part);
}

#define expect(...) expect_at(__LINE__, __VA_ARGS__)

static void check_words(const struct kb_finding *findings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		assert_true(findings[i].what[0]);
		assert_true(strlen(findings[i].why) > 10);
		assert_non_null(findings[i].remedy);
		if (findings[i].fitness == KB_FIT)
			assert_string_equal(findings[i].remedy, "");
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(findings[i].id, findings[k].id);
	}
}

static void bare_metal_is_fit(void **state)
{
	struct kb_finding findings[KB_FINDINGS_MAX];
	struct fake fake;

	(void)state;
	fake_begin(&fake);
	fake_bare_metal(&fake);
	size_t count = judge(&fake, &quiet, findings);

	assert_int_equal(count, 16);
	check_words(findings, count);
	for (size_t i = 0; i < count; i++) {
		if (findings[i].fitness != KB_FIT)
			fail_msg("%s: %s", findings[i].id, findings[i].what);
	}
	fake_end(&fake);
}

/* Without any file nothing is fit by guess and nothing is unfit by guess. */
static void unknown_is_unsure(void **state)
{
	const struct kb_activity nothing = { 0 };
	struct kb_finding findings[KB_FINDINGS_MAX];
	struct fake fake;

	(void)state;
	fake_begin(&fake);
	size_t count = judge(&fake, &nothing, findings);

	check_words(findings, count);
	for (size_t i = 0; i < count; i++) {
		if (findings[i].fitness != KB_UNSURE)
			fail_msg("%s is %d: %s", findings[i].id, findings[i].fitness, findings[i].what);
	}
	fake_end(&fake);
}

static void guest_is_unsure(void **state)
{
	struct fake fake;

	(void)state;
	fake_begin(&fake);
	fake_guest(&fake);
	expect(&fake, &quiet, "hypervisor", KB_UNSURE, "kvm");
	expect(&fake, &quiet, "smt", KB_UNSURE, "guest");
	expect(&fake, &quiet, "pmu", KB_UNSURE, "no hardware counters (ENOENT)");
	fake.answers.pmu_error = 0;
	expect(&fake, &quiet, "pmu", KB_UNSURE, "no hardware counters (one that counts nothing)");
	fake.answers.pmu = KB_ANSWER_YES;
	fake.answers.event_names = "none";
	expect(&fake, &quiet, "pmu", KB_UNSURE, "no event has a name");
	fake.answers.event_names = "libpfm4";
	expect(&fake, &quiet, "pmu", KB_FIT, "libpfm4");
	expect(&fake, &quiet, "governor", KB_UNSURE, "unknown");
	expect(&fake, &quiet, "clock_source", KB_FIT, "tsc");
	expect(&fake, &quiet, "isolated_cpus", KB_UNSURE, "none");
	expect(&fake, &quiet, "permissions", KB_FIT, "root");
	strcpy(fake.answers.signature, "TCGTCGTCGTCG");
	expect(&fake, &quiet, "hypervisor", KB_UNFIT, "emulated");
	fake_end(&fake);
}

static void clocks(void **state)
{
	static const char path[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
	struct fake fake;

	(void)state;
	fake_begin(&fake);
	fake_bare_metal(&fake);
	fake_file(&fake, path, "hpet\n");
	expect(&fake, &quiet, "clock_source", KB_UNFIT, "hpet");
	fake_file(&fake, path, "acpi_pm\n");
	expect(&fake, &quiet, "clock_source", KB_UNFIT, "acpi_pm");
	fake_file(&fake, path, "kvm-clock\n");
	expect(&fake, &quiet, "clock_source", KB_FIT, "kvm-clock");
	fake_file(&fake, path, "sundial\n");
	expect(&fake, &quiet, "clock_source", KB_UNSURE, "sundial");
	fake_without(&fake, path);
	expect(&fake, &quiet, "clock_source", KB_UNSURE, "unknown");
	fake_end(&fake);
}

static void settings(void **state)
{
	static const char policy[] = "/sys/devices/system/cpu/cpufreq/policy0";
	struct fake fake;
	char path[128];

	(void)state;
	fake_begin(&fake);
	fake_bare_metal(&fake);
	snprintf(path, sizeof(path), "%s/scaling_min_freq", policy);
	fake_file(&fake, path, "800000\n");
	expect(&fake, &quiet, "frequency", KB_FIT, "without turbo");
	fake_file(&fake, "/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
	expect(&fake, &quiet, "turbo", KB_UNSURE, "on");
	assert_non_null(strstr(finding_of(&fake, &quiet, "turbo").remedy, "intel_pstate"));
	expect(&fake, &quiet, "frequency", KB_UNSURE, "800 to 2900 MHz");
	snprintf(path, sizeof(path), "%s/scaling_governor", policy);
	fake_file(&fake, path, "powersave\n");
	expect(&fake, &quiet, "governor", KB_UNSURE, "powersave");
	fake_file(&fake, "/proc/sys/kernel/randomize_va_space", "0\n");
	expect(&fake, &quiet, "aslr", KB_UNSURE, "off");
	fake_file(&fake, "/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
	expect(&fake, &quiet, "thp", KB_UNSURE, "always");
	fake_file(&fake, "/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
	expect(&fake, &quiet, "thp", KB_FIT, "never");
	fake_file(&fake, "/sys/devices/system/cpu/smt/active", "1\n");
	expect(&fake, &quiet, "smt", KB_UNSURE, "on");
	expect(&fake, &quiet, "mitigations", KB_FIT, "spectre_v2");
	fake_end(&fake);
}

static void permissions(void **state)
{
	struct fake fake;

	(void)state;
	fake_begin(&fake);
	fake_bare_metal(&fake);
	fake.answers.uid = 1000;
	expect(&fake, &quiet, "permissions", KB_FIT, "not root");
	fake_file(&fake, "/proc/sys/kernel/yama/ptrace_scope", "2\n");
	expect(&fake, &quiet, "permissions", KB_UNSURE, "ptrace: admin");
	fake.answers.uid = 0;
	expect(&fake, &quiet, "permissions", KB_FIT, "ptrace: admin");
	fake.answers.perf_software = KB_ANSWER_FORBIDDEN;
	fake.answers.pmu = KB_ANSWER_FORBIDDEN;
	expect(&fake, &quiet, "permissions", KB_UNSURE, "forbidden");
	assert_non_null(strstr(finding_of(&fake, &quiet, "permissions").remedy, "perf_event_paranoid"));
	expect(&fake, &quiet, "pmu", KB_UNSURE, "not for this user");
	fake_end(&fake);
}

static void loads(void **state)
{
	const struct kb_activity busy = { .known = true, .total = 400, .idle = 20, .swap_known = true };
	const struct kb_activity unknown = { 0 };
	struct fake fake;

	(void)state;
	fake_begin(&fake);
	fake_bare_metal(&fake);
	expect(&fake, &quiet, "load", KB_FIT, "0 % busy");
	expect(&fake, &busy, "load", KB_UNSURE, "95 % busy");
	expect(&fake, &unknown, "load", KB_FIT, "0.10");
	fake_file(&fake, "/proc/loadavg", "2.10 1 1 1/1 1\n");
	expect(&fake, &quiet, "load", KB_UNSURE, "2.10");
	expect(&fake, &busy, "load", KB_UNSURE, "2.10");
	fake_file(&fake, "/proc/loadavg", "4.10 1 1 1/1 1\n");
	/* A build has just ended: the minute is busy, the moment is not. */
	expect(&fake, &quiet, "load", KB_UNSURE, "4.10");
	expect(&fake, &busy, "load", KB_UNFIT, "4.10");
	expect(&fake, &unknown, "load", KB_UNFIT, "4.10");
	fake_end(&fake);
}

static void steals(void **state)
{
	struct kb_activity now = { .known = true, .total = 20, .idle = 19, .steal = 1, .swap_known = true };
	struct fake fake;

	(void)state;
	fake_begin(&fake);
	fake_guest(&fake);
	expect(&fake, &quiet, "steal", KB_FIT, "0.0 % now");
	expect(&fake, &now, "steal", KB_UNSURE, "5.0 % now");
	now.steal = 2;
	expect(&fake, &now, "steal", KB_UNFIT, "10.0 % now");
	now.total = 6400;
	expect(&fake, &now, "steal", KB_UNSURE, "0.0 % now");
	fake_file(&fake, "/proc/stat", "cpu  100 0 100 9600 0 0 0 200 0 0\n");
	expect(&fake, &quiet, "steal", KB_UNSURE, "2.00 % since boot");
	now.known = false;
	expect(&fake, &now, "steal", KB_UNSURE, "unknown");
	fake_end(&fake);
}

static void shortages(void **state)
{
	const struct kb_activity swapping = { .swap_known = true, .swapped = 12 };
	struct fake fake;

	(void)state;
	fake_begin(&fake);
	fake_bare_metal(&fake);
	expect(&fake, &swapping, "memory", KB_UNFIT, "12 pages");
	fake_file(&fake, "/proc/meminfo", "MemAvailable: 409600 kB\n");
	expect(&fake, &quiet, "memory", KB_UNSURE, "400 MB");
	fake_file(&fake, "/proc/meminfo", "MemAvailable: 102400 kB\n");
	expect(&fake, &quiet, "memory", KB_UNFIT, "100 MB");
	fake_file(&fake, "/sys/fs/cgroup/user/cpu.max", "150000 100000\n");
	expect(&fake, &quiet, "quota", KB_UNSURE, "1.50 cpus");
	fake_file(&fake, "/sys/fs/cgroup/user/cpu.max", "50000 100000\n");
	expect(&fake, &quiet, "quota", KB_UNFIT, "0.50 cpus");
	fake_end(&fake);
}

static void readings(void **state)
{
	struct kb_activity before, after, between;
	struct fake fake;

	(void)state;
	fake_begin(&fake);
	fake_file(&fake, "/proc/stat", "cpu  10 1 20 1000 5 2 3 4 50 60\ncpu0 1\n");
	fake_file(&fake, "/proc/vmstat", "nr 1\npswpin 10\npswpout 20\n");
	kb_activity_read(&fake.source, &before);
	assert_true(before.known && before.swap_known);
	assert_int_equal(before.total, 1045);
	assert_int_equal(before.idle, 1005);
	assert_int_equal(before.steal, 4);
	assert_int_equal(before.swapped, 30);
	fake_file(&fake, "/proc/stat", "cpu  10 1 20 1020 5 2 3 2 50 60\n");
	fake_file(&fake, "/proc/vmstat", "nr 1\npswpin 11\npswpout 22\n");
	kb_activity_read(&fake.source, &after);
	between = kb_activity_between(&before, &after);
	assert_true(between.known);
	assert_int_equal(between.total, 18);
	assert_int_equal(between.idle, 20);
	assert_int_equal(between.steal, 0);     /* went back from 4 to 2 */
	assert_int_equal(between.swapped, 3);
	assert_false(kb_activity_between(&after, &after).known);
	fake_file(&fake, "/proc/stat", "cpu  10 1 20\n");
	kb_activity_read(&fake.source, &after);
	assert_false(after.known);
	fake_end(&fake);
}

static void this_machine(void **state)
{
	struct kb_finding findings[KB_FINDINGS_MAX];
	struct kb_env env;

	(void)state;
	assert_int_equal(kb_env_read(&env), 0);
	size_t count = kb_doctor(&env, findings);

	assert_int_equal(count, 16);
	check_words(findings, count);
	kb_env_free(&env);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bare_metal_is_fit), cmocka_unit_test(unknown_is_unsure),
		cmocka_unit_test(guest_is_unsure), cmocka_unit_test(clocks), cmocka_unit_test(settings),
		cmocka_unit_test(permissions), cmocka_unit_test(loads), cmocka_unit_test(steals),
		cmocka_unit_test(shortages), cmocka_unit_test(readings), cmocka_unit_test(this_machine),
	};

	return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
