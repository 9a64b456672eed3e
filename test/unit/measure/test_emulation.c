/* Machines that are made up, and this one: what each clock counts must be found, with interrupts, noise and coarse steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/evidence.h"
#include "declared.h"
#include "measure/emulation.h"

#define SEEDS 50u

/* Times in thousandths of a tick. */
static struct machine {
	const char *name;
	uint64_t cost[KB_WORKS];        /* of one operation */
	uint64_t turn;                  /* of the two instructions that end a hundred operations */
	uint64_t reading;               /* of the clock */
	uint64_t step;                  /* of the clock: it shows multiples, whole ticks */
	unsigned noise;                 /* in a hundred: so many pieces of work take up to twice as long */
	unsigned interrupts;            /* in a thousand: so many pieces of work have one inside, of 50 us */
	uint64_t jitter;                /* each piece of work takes up to so much more */
} machine;

static uint64_t now, random_state;

static uint64_t next_random(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return random_state >> 33;
}

static uint64_t begin(void)
{
	now += machine.reading;
	return now / 1000 / machine.step * machine.step;
}

static void work(enum kb_work kind, uint64_t n)
{
	uint64_t takes = n * machine.cost[kind] + n / 100 * machine.turn;

	/* Each kind is called in another way. */
	takes += (uint64_t)kind * 3000 + (machine.jitter ? next_random() % machine.jitter : 0);
	if (next_random() % 100 < machine.noise)
		takes += takes / 100 * (next_random() % 100);
	if (next_random() % 1000 < machine.interrupts)
		takes += 50000000;
	now += takes;
}

static enum kb_clock_counts examine(const struct machine *made, uint64_t seed, struct kb_clock *clock)
{
	machine = *made;
	random_state = seed;
	now = 123456789000 + seed * 7919;
	*clock = (struct kb_clock){ .name = "made", .begin = begin, .end = begin, .hz = 1000000000, .quantum = made->step, .cost = 1 };
	kb_clock_examine(clock, work);
	return clock->counts;
}

static void expect(const struct machine *made, enum kb_clock_counts counts, uint64_t insns, uint64_t ticks)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct kb_clock clock;
		enum kb_clock_counts found = examine(made, seed, &clock);

		if (found != counts || clock.insns != insns || clock.ticks != ticks)
			print_error("%s, seed %d: counts %d, %d insn are %d ticks\n", made->name, (int)seed, (int)found, (int)clock.insns,
			            (int)clock.ticks);
		assert_int_equal(found, counts);
		assert_int_equal(clock.insns, insns);
		assert_int_equal(clock.ticks, ticks);
	}
}

static void test_instructions(void **state)
{
	static const struct { struct machine machine; uint64_t insns, ticks; } machines[] = {
		{ { "x86, shift 0", { 1000, 1000, 1000, 1000 }, 2000, 17000, 1, 0, 5, 0 }, 1, 1 },
		{ { "x86, shift 3", { 8000, 8000, 8000, 8000 }, 16000, 136000, 8, 0, 5, 0 }, 1, 8 },
		{ { "x86, shift 10", { 1024000, 1024000, 1024000, 1024000 }, 2048000, 17000000, 1024, 0, 0, 0 }, 1, 1024 },
		{ { "125 MHz", { 125, 125, 125, 125 }, 250, 2000, 1, 0, 5, 0 }, 8, 1 },
		{ { "10 MHz", { 10, 10, 10, 10 }, 20, 200, 1, 0, 5, 0 }, 100, 1 },
		{ { "10 MHz, shift 3", { 80, 80, 80, 80 }, 160, 1600, 1, 0, 5, 0 }, 25, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
		expect(&machines[i].machine, KB_COUNTS_INSTRUCTIONS, machines[i].insns, machines[i].ticks);
	/* An emulator whose instructions are no small number of ticks: it counts them, and the unit stays what it is. */
	expect(&(struct machine){ "odd", { 1370, 1370, 1370, 1370 }, 2740, 20000, 1, 0, 0, 0 }, KB_COUNTS_INSTRUCTIONS, 0, 0);
}

static void test_processors(void **state)
{
	static const struct machine machines[] = {
		{ "a wide core", { 700, 2100, 2900, 62 }, 100, 20000, 26, 0, 5, 0 },
		{ "a wide core without any noise", { 1000, 3000, 4000, 100 }, 0, 20000, 1, 0, 0, 0 },
		{ "a neighbour", { 700, 2100, 2900, 62 }, 100, 20000, 26, 60, 20, 30000 },
		{ "one instruction a cycle, multiplies in one", { 1000, 1000, 2000, 1000 }, 2000, 10000, 1, 0, 0, 0 },
		{ "loads as fast as additions", { 1000, 3000, 1000, 500 }, 2000, 10000, 1, 0, 0, 0 },
		{ "10 MHz", { 10, 30, 40, 2 }, 10, 100, 1, 0, 5, 0 },
		{ "10 MHz, multiplies in one", { 10, 10, 30, 5 }, 20, 100, 1, 0, 0, 0 },
		{ "sixteen no-operations a cycle", { 1000, 3000, 4000, 63 }, 100, 20000, 1, 20, 5, 5000 },
		{ "a costly clock", { 700, 2100, 2900, 90 }, 100, 2000000, 26, 5, 5, 20000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
		expect(&machines[i], KB_COUNTS_TIME, 0, 0);
}

static void test_translators(void **state)
{
	static const struct machine machines[] = {
		{ "code that is translated", { 700, 2100, 8500, 3 }, 300, 80000, 26, 0, 5, 100 },
		{ "beside others", { 700, 2100, 8500, 3 }, 0, 80000, 26, 30, 10, 100 },
		{ "a costly clock", { 700, 2100, 8500, 4 }, 0, 1500000, 26, 5, 5, 500 },
		{ "10 MHz", { 10, 30, 100, 0 }, 0, 500, 1, 10, 5, 10 },
		{ "beside many", { 700, 2100, 8500, 3 }, 300, 80000, 26, 30, 10, 1500000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
		expect(&machines[i], KB_COUNTS_EMULATION, 0, 0);
}

/* What was 8 ticks is one: also the rate by which a run is planned, but none that a result could use. */
static void test_readings(void **state)
{
	static const struct machine made = { "x86, shift 3", { 8000, 8000, 8000, 8000 }, 16000, 136000, 8, 0, 0, 0 };
	struct kb_clock clock;

	(void)state;
	assert_int_equal(examine(&made, 1, &clock), KB_COUNTS_INSTRUCTIONS);
	assert_int_equal(kb_clock_rate(&clock), 0);
	clock.cost = 136;
	kb_clock_in_instructions(&clock);
	assert_string_equal(clock.name, "icount");
	assert_int_equal(clock.hz, 125000000);
	assert_int_equal(clock.quantum, 1);
	assert_int_equal(clock.cost, 17);
	uint64_t start = clock.begin();

	work(KB_WORK_ADD, 400); /* and the instructions that read */
	assert_int_equal(clock.end() - start, 400 + 8 + 17);
	assert_int_equal(kb_clock_rate(&clock), 0);
	clock = (struct kb_clock){ .name = "made", .hz = 5 };
	kb_clock_in_instructions(&clock);
	assert_string_equal(clock.name, "made");
	assert_int_equal(kb_clock_rate(&clock), 5);
}

/* The tests themselves may run in an emulator, but in none that counts instructions. */
static void test_here(void **state)
{
	enum kb_clock_counts expected = KB_COUNTS_TIME;
	char name[13];

	(void)state;
	if (kb_arch_hypervisor(name) && strcmp(name, "TCGTCGTCGTCG") == 0)
		expected = KB_COUNTS_EMULATION;
	for (int i = 0; i < 20; i++) {
		struct kb_clock clock;

		assert_int_equal(kb_clock_named(&clock, NULL), 0);
		assert_int_equal(kb_clock_measure(&clock), 0);
		kb_clock_examine(&clock, NULL);
		assert_int_equal(clock.counts, expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions), cmocka_unit_test(test_processors), cmocka_unit_test(test_translators),
		cmocka_unit_test(test_readings), cmocka_unit_test(test_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
