/* Lists of CPUs, the choice among them, what hwloc says of cores, and the mask of this machine. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sched.h>

#include "env/cpulist.h"
#include "env/doctor.h"
#include "env/pick.h"
#include "fake.h"

static void expect_list(const char *text, const char *expected)
{
	static unsigned cpus[KB_CPULIST_MAX];
	char told[256] = "";
	int count = kb_cpulist_parse(text, cpus, KB_CPULIST_MAX);

	for (int i = 0; i < count; i++)
		snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s%u", i ? " " : "", cpus[i]);
	assert_string_equal(told, expected);
	assert_int_equal(kb_cpulist_count(text), count);
}

static void lists(void **state)
{
	unsigned two[2];

	(void)state;
	expect_list("0", "0");
	expect_list("0,2-3", "0 2 3");
	expect_list("1,0", "1 0");
	expect_list("7-9,1-1,8191", "7 8 9 1 8191");
	assert_int_equal(kb_cpulist_count("0-8191"), 8192);
	assert_int_equal(kb_cpulist_parse("4,5", two, 2), 2);
	assert_int_equal(kb_cpulist_parse("4-6", two, 2), -EINVAL);
	assert_int_equal(kb_cpulist_parse("4,5,6", two, 2), -EINVAL);
	assert_true(kb_cpulist_has("0,2-4", 3) && kb_cpulist_has("0,2-4", 0) && kb_cpulist_has("0,2-4", 4));
	assert_false(kb_cpulist_has("0,2-4", 1) || kb_cpulist_has("0,2-4", 5) || kb_cpulist_has("", 0));
}

static void no_lists(void **state)
{
	static const char *const texts[] = {
		"", ",", "0,", ",0", "0,,1", "-", "-1", "0-", "3-1", "1-2-3", "a", "0x1", "1 ", " 1", "1.5",
		"+1", "0;1", "8192", "0-8192", "4294967296", "99999999999999999999", "0-8191,0", "1\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (kb_cpulist_count(texts[i]) != -EINVAL)
			fail_msg("\"%s\" passed as a list", texts[i]);
	}
}

static void expect_pick(const struct kb_candidate *candidates, size_t count, bool ordered, unsigned measure,
			unsigned other, bool maybe_sibling)
{
	struct kb_cpus cpus;

	kb_cpus_pick(candidates, count, ordered, false, &cpus);
	assert_int_equal(cpus.measure, measure);
	assert_int_equal(cpus.other, other);
	assert_int_equal(cpus.two, measure != other);
	assert_int_equal(cpus.maybe_sibling, maybe_sibling);
	/* Below a hypervisor the choice is the same, and nothing is sure. */
	kb_cpus_pick(candidates, count, ordered, true, &cpus);
	assert_int_equal(cpus.measure, measure);
	assert_int_equal(cpus.other, other);
	assert_int_equal(cpus.maybe_sibling, measure != other);
}

static void expect_cpus(const struct kb_candidate *candidates, size_t count, bool hidden, enum kb_fitness fitness, const char *what)
{
	struct kb_finding finding;
	struct kb_cpus cpus;

	kb_cpus_pick(candidates, count, false, hidden, &cpus);
	kb_doctor_cpus(&cpus, &finding);
	assert_int_equal(finding.fitness, fitness);
	if (!strstr(finding.what, what))
		fail_msg("\"%s\", expected \"%s\"", finding.what, what);
}

/* The sibling of the measuring CPU stays idle where it can, and where it cannot that is said. */
static void doctor_tells_siblings(void **state)
{
	const struct kb_candidate pairs[] = { { 0, 0, false }, { 1, 0, false }, { 2, 1, false }, { 3, 1, false } };

	(void)state;
	expect_cpus(pairs, 4, false, KB_FIT, "CPU 2 measures; partners are on CPU 0 of another core");
	expect_cpus(pairs + 2, 2, false, KB_UNSURE, "partners on CPU 3 share its core");
	expect_cpus(pairs + 2, 2, true, KB_UNSURE, "partners on CPU 3 share its core");
	expect_cpus(pairs, 4, true, KB_UNSURE, "not known");
	expect_cpus(pairs, 1, false, KB_UNSURE, "CPU 0 alone");
}

static void picks(void **state)
{
	const struct kb_candidate one[] = { { 5, 0, false } };
	const struct kb_candidate cores[] = { { 0, 0, false }, { 1, 1, false }, { 2, 2, false }, { 3, 3, false } };
	const struct kb_candidate pairs[] = { { 0, 0, false }, { 1, 0, false }, { 2, 1, false }, { 3, 1, false } };
	const struct kb_candidate halves[] = { { 0, 0, false }, { 1, 1, false }, { 2, 0, false }, { 3, 1, false } };
	const struct kb_candidate isolated[] = { { 0, 0, false }, { 1, 1, false }, { 2, 2, true }, { 3, 3, true } };
	const struct kb_candidate siblings[] = { { 0, 0, false }, { 1, 0, false } };
	const struct kb_candidate unknown[] = { { 0, -1, false }, { 1, -1, false } };
	const struct kb_candidate chosen[] = { { 1, 0, false }, { 0, 0, false }, { 3, 1, true }, { 2, 1, false } };
	const struct kb_candidate twice[] = { { 1, 0, false }, { 1, 0, false } };

	(void)state;
	expect_pick(one, 1, false, 5, 5, false);
	expect_pick(cores, 2, false, 1, 0, false);
	expect_pick(cores, 4, false, 1, 2, false);
	expect_pick(cores + 1, 3, false, 1, 2, false);
	expect_pick(pairs, 4, false, 2, 0, false);      /* 1 shares the core of CPU 0 */
	expect_pick(halves, 4, false, 1, 0, false);     /* 3 shares the core of CPU 1 */
	expect_pick(isolated, 4, false, 2, 3, false);
	expect_pick(isolated, 3, false, 2, 1, false);
	expect_pick(siblings, 2, false, 0, 1, true);
	expect_pick(unknown, 2, false, 1, 0, true);
	expect_pick(chosen, 4, true, 1, 3, false);      /* as the user said; 0 shares its core */
	expect_pick(chosen, 2, true, 1, 0, true);
	expect_pick(twice, 2, true, 1, 1, false);
}

/* hwloc takes a synthetic machine from the environment: 2 cores of 2 threads, and one that it calls another machine. */
static void cores_of_hwloc(void **state)
{
	struct kb_candidate c[4] = { { .cpu = 0 }, { .cpu = 1 }, { .cpu = 2 }, { .cpu = 9 } };

	(void)state;
	setenv("HWLOC_SYNTHETIC", "core:2 pu:2", 1);
	setenv("HWLOC_THISSYSTEM", "1", 1);
	kb_cores_find(c, 4);
	assert_true(c[0].core >= 0 && c[0].core == c[1].core && c[2].core >= 0 && c[2].core != c[0].core);
	assert_int_equal(c[3].core, -1);
	setenv("HWLOC_THISSYSTEM", "0", 1);
	kb_cores_find(c, 4);
	assert_int_equal(c[0].core, -1);
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_THISSYSTEM");
}

static void this_machine(void **state)
{
	struct kb_cpus cpus;
	cpu_set_t before, after;
	char list[32];

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(kb_cpus_choose(NULL, &cpus), 0);
	assert_true(CPU_ISSET(cpus.measure, &before) && CPU_ISSET(cpus.other, &before));
	assert_int_equal(cpus.two, CPU_COUNT(&before) > 1);
	assert_int_equal(cpus.two, cpus.measure != cpus.other);
	unsigned numbers[4];

	assert_int_equal(kb_cpus_list("5,2-3", numbers, 4), 3);
	assert_true(numbers[0] == 5 && numbers[1] == 2 && numbers[2] == 3);
	assert_int_equal(kb_cpus_list("five", numbers, 4), 0);
	assert_true(kb_cpus_list(NULL, numbers, 1) == 1 && CPU_ISSET(numbers[0], &before));
	if (cpus.two) {
		snprintf(list, sizeof(list), "%u,%u", cpus.other, cpus.measure);
		unsigned measure = cpus.measure, other = cpus.other;

		assert_int_equal(kb_cpus_choose(list, &cpus), 0);
		assert_int_equal(cpus.measure, other);
		assert_int_equal(cpus.other, measure);
	}
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
}

static void wrong_lists(void **state)
{
	struct kb_cpus cpus;

	(void)state;
	assert_int_equal(kb_cpus_choose("", &cpus), -EINVAL);
	assert_int_equal(kb_cpus_choose("zero", &cpus), -EINVAL);
	assert_int_equal(kb_cpus_choose("8191", &cpus), -ENODEV);
	assert_int_equal(kb_cpus_choose("0-8191", &cpus), -ENODEV);
}

/* With a mask of one CPU every other one is out of reach, unless it is isolated: naming those is how to use them. */
static void outside_the_mask(void **state)
{
	cpu_set_t before, one;
	struct kb_cpus cpus;
	struct fake fake;
	char list[32];
	unsigned mine = 0, last = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	for (unsigned cpu = CPU_SETSIZE; cpu-- > 0;) {
		if (CPU_ISSET(cpu, &before))
			mine = cpu;
		last = last ? last : mine;
	}
	if (mine == last)
		skip();
	CPU_ZERO(&one);
	CPU_SET(mine, &one);
	fake_begin(&fake);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(kb_cpus_choose_on(&fake.source, NULL, &cpus), 0);
	assert_true(cpus.measure == mine && cpus.other == mine && !cpus.two && !cpus.maybe_sibling);
	snprintf(list, sizeof(list), "%u,%u", last, mine);
	assert_int_equal(kb_cpus_choose_on(&fake.source, list, &cpus), -ENODEV);
	snprintf(list, sizeof(list), "%u\n", last);
	fake_file(&fake, "/sys/devices/system/cpu/isolated", list);
	snprintf(list, sizeof(list), "%u,%u", last, mine);
	assert_int_equal(kb_cpus_choose_on(&fake.source, list, &cpus), 0);
	assert_true(cpus.measure == last && cpus.other == mine);
	cpu_set_t after;

	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&one, &after));
	fake_file(&fake, "/sys/devices/system/cpu/isolated", "8191\n");
	assert_int_equal(kb_cpus_choose_on(&fake.source, "8191", &cpus), -ENODEV);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	fake_end(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists), cmocka_unit_test(no_lists), cmocka_unit_test(picks), cmocka_unit_test(doctor_tells_siblings),
		cmocka_unit_test(cores_of_hwloc), cmocka_unit_test(this_machine), cmocka_unit_test(wrong_lists),
		cmocka_unit_test(outside_the_mask),
	};

	return cmocka_run_group_tests_name("cpus", tests, NULL, NULL);
}
