/* One block on a clock that the benchmark moves: which call follows which, what is timed, and what is written when. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/measure.h"

/* What happened, one letter a call: [ ] block, p P evidence, ( ) its counters armed, b before, < > clock, O op, B base, V observe,
   k check, a after, w a line written. The readings of a contention probe are { and }, a look at the clock without one is {. */
static struct {
	char calls[4096];
	size_t count;
	char text[8192];
	size_t length;
	uint64_t now;
	uint64_t contended;     /* ticks of a contention probe */
	bool makes_up;          /* `observe` reports ten times what passed */
	bool swaps;             /* it subtracts the wrong way round */
	bool reads;             /* it reads the clock */
	bool back;              /* the clock steps back in the next op */
	const char *fails;      /* this call, once */
	int sink_error;
} seen;

static int call(char letter)
{
	if (seen.count + 1 < sizeof seen.calls)
		seen.calls[seen.count++] = letter;
	return seen.fails && strchr(seen.fails, letter) ? -EIO : 0;
}

static struct kb_measure measure;
static bool clock_read;

/* Those of contention probes cost nothing but what a test gives them: then a sample begins where its probe ended. */
static uint64_t begin(void)
{
	call(measure.probing ? '{' : '<');
	return seen.now += measure.probing ? 1 : 1000;
}

static uint64_t end(void)
{
	call(measure.probing ? '}' : '>');
	return seen.now += measure.probing ? seen.contended : 7;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)run, (void)n;
	seen.now += 111;
	return call('b');
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	seen.now += 10 * n;
	if (seen.back)
		seen.now -= 1000;
	return call('O');
}

static int base(struct kb_run *run, uint64_t n)
{
	(void)run;
	seen.now += 3 * n;
	return call('B');
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	(void)run;
	seen.now += 42 * n;
	*ticks = seen.makes_up ? 10 * 42 * n : seen.swaps ? 0 - 42 * n : 42 * n;
	clock_read |= seen.reads;
	return call('V');
}

static int after(struct kb_run *run, uint64_t n)
{
	(void)run, (void)n;
	seen.now += 222;
	return call('a');
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)run, (void)n;
	seen.now += 333;
	return call('k');
}

static void block_begin(void *context, bool warm)
{
	(void)context, (void)warm;
	call('[');
}

static void probe_before(void *context, enum kb_role role)
{
	(void)context, (void)role;
	seen.now += 444;
	call('p');
}

static unsigned probe_after(void *context, enum kb_role role, uint64_t n, uint64_t ticks, unsigned *cpu)
{
	(void)context, (void)n, (void)ticks;
	*cpu = 5;
	call('P');
	return role == KB_ROLE_BASE ? KB_FLAG_GAP : 0;
}

static void block_end(void *context, struct kb_record_writer *out, uint64_t block)
{
	char line[32];

	(void)context;
	call(']');
	snprintf(line, sizeof line, "%llu irq=0", (unsigned long long)block);
	kb_record_line(out, "k", line);
}

static int sink(void *context, const char *bytes, size_t count)
{
	(void)context;
	call('w');
	if (count < sizeof seen.text - seen.length) {
		memcpy(seen.text + seen.length, bytes, count);
		seen.length += count;
	}
	return seen.sink_error;
}

static struct kb_bench bench;
static struct kb_run run;
static struct kb_record_writer out;

static const struct kb_clock clock = { .name = "fake", .begin = begin, .end = end };
static const struct kb_probe all_hooks = {
	.block_begin = block_begin, .before = probe_before, .after = probe_after, .block_end = block_end,
};
static const struct kb_probe no_hooks;

static void start(struct kb_bench with)
{
	bench = with;
	run = (struct kb_run){ .bench = &bench };
	memset(&seen, 0, sizeof seen);
	seen.now = 5000;
	kb_record_begin(&out, (struct kb_sink){ sink, NULL });
	seen.length = seen.count = 0; /* the block's own lines */
	measure = (struct kb_measure){ .run = &run, .clock = &clock, .probe = &all_hooks, .out = &out };
}

static int execute(const char *plan)
{
	struct kb_block block;

	assert_int_equal(kb_plan_parse((struct kb_span){ plan, strlen(plan) }, &block), 0);
	int error = kb_measure_block(&measure, &block);

	seen.text[seen.length] = seen.calls[seen.count] = '\0';
	return error;
}

#define FULL (struct kb_bench){ .before = before, .op = op, .base = base, .after = after, .check = check }

/* The clock alone is between its readings and the timed loop; hooks come in pairs; nothing is written before the end. */
static void test_order(void **state)
{
	(void)state;
	start(FULL);
	assert_int_equal(execute("block 0 o4 b4 p q c"), 0);
	assert_string_equal(seen.calls, "[" "bp<O>Pka" "p<B>P" "<><>" "bp<O>Pka" "p<>P" "wwww" "ww" "]w");
}

static void test_lines(void **state)
{
	(void)state;
	start(FULL);
	assert_int_equal(execute("block 3 o4 b4 q c"), 0);
	/* From the start of o: its 40, its end 7, check and after 555, the probe 444, begin 1000. */
	assert_string_equal(seen.text, "o 4 47 t=0 k=3 cpu=5\n"
	                               "b 4 19 t=2046 k=3 cpu=5 flags=gap\n"
	                               "q 1 17 t=3620 k=3 cpu=5\n"
	                               "c 0 7 t=5636 k=3 cpu=5\n"
	                               "k 3 irq=0\n");
	seen.length = 0;
	assert_int_equal(execute("warm 4 o2"), 0);
	assert_string_equal(seen.text, "o 2 27 t=7198 k=4 cpu=5 flags=warmup\n"
	                               "k 4 irq=0\n");
}

static void test_clock_probes(void **state)
{
	(void)state;
	start(FULL);
	assert_int_equal(execute("block 1 p"), 0);
	assert_string_equal(seen.text, "p clock 2000 7 k=1\n"
	                               "p clock 40000 7 k=1\n"
	                               "k 1 irq=0\n");
}

static void test_bare(void **state)
{
	(void)state;
	start((struct kb_bench){ .op = op });
	measure.probe = &no_hooks;
	assert_int_equal(execute("block 0 o4 b4"), 0);
	assert_string_equal(seen.calls, "<O><>ww");
	assert_string_equal(seen.text, "o 4 47 t=0 k=0 cpu=0\n"
	                               "b 4 7 t=1047 k=0 cpu=0\n");
}

static void test_observe(void **state)
{
	(void)state;
	start((struct kb_bench){ .op = op, .observe = observe });
	assert_int_equal(execute("block 0 o4"), 0);
	assert_string_equal(seen.calls, "[p<V>Pw]w");
	assert_string_equal(seen.text, "o 4 168 t=0 k=0 cpu=5\nk 0 irq=0\n");
}

/* What `observe` reports lies inside its sample, and comes from readings of the clock where somebody counts these. */
static void test_observe_is_bounded(void **state)
{
	(void)state;
	start((struct kb_bench){ .op = op, .observe = observe });
	seen.makes_up = true;
	assert_int_equal(execute("block 0 o4"), -KB_NO_ERRNO);
	assert_non_null(strstr(seen.text, "fail stage=observe errno=0 \"more ticks than passed in the sample\""));

	start((struct kb_bench){ .op = op, .observe = observe });
	measure.clock_read = &clock_read;
	assert_int_equal(execute("block 0 o4"), -KB_NO_ERRNO);
	assert_non_null(strstr(seen.text, "fail stage=observe errno=0 \"ticks, and the clock was not read: kb_now\""));

	start((struct kb_bench){ .op = op, .observe = observe });
	seen.swaps = true;
	assert_int_equal(execute("block 0 o4"), -KB_NO_ERRNO);
	assert_non_null(strstr(seen.text, "\"ticks below zero, while the clock went on\""));

	start((struct kb_bench){ .op = op, .observe = observe });
	measure.clock_read = &clock_read;
	seen.reads = true;
	assert_int_equal(execute("block 0 o4"), 0);
}

static void arm(void *context)
{
	(void)context;
	call('(');
}

static void disarm(void *context, enum kb_role role)
{
	(void)context, (void)role;
	call(')');
}

/* 5 us of this clock are 5000 ticks: more than a sample of few operations and its evidence take, less than one with hooks. */
static void start_contended(struct kb_bench with)
{
	static const struct kb_clock counts_ns = { .name = "fake", .begin = begin, .end = end, .hz = 1000000000 };
	static const struct kb_probe armed = { .before = probe_before, .arm = arm, .disarm = disarm, .after = probe_after };

	start(with);
	measure.clock = &counts_ns;
	measure.probe = &armed;
	seen.contended = 1352;
}

/* The probe after a sample follows its last reading, ahead of evidence, check and hooks; the probe before it comes behind them, and
   is the last one where that is fresh. Counters are armed inside both. */
static void test_contention(void **state)
{
	(void)state;
	start_contended((struct kb_bench){ .op = op, .base = base, .check = check });
	assert_int_equal(execute("block 0 probe=780 o4 b4 c"), 0);
	assert_string_equal(seen.calls, "p{{}(<O>){}Pk" "p{(<B>){}P" "p{(<>){}P" "www");
	/* From one stop to the next start: the probe 1353, the check 333, evidence 444, a look 1, the reading 1000. */
	assert_string_equal(seen.text, "o 4 47 t=0 k=0 cpu=5 p=1352,1352\n"
	                               "b 4 19 t=3178 k=0 cpu=5 p=1352,1352 flags=gap\n"
	                               "c 0 7 t=5995 k=0 cpu=5 p=1352,1352\n");
}

/* What has passed since the last probe is measured anew, and so is what a block finds. */
static void test_contention_is_fresh(void **state)
{
	(void)state;
	start_contended((struct kb_bench){ .op = op });
	assert_int_equal(execute("block 0 probe=780 o4 o4"), 0);
	assert_string_equal(seen.calls, "p{{}(<O>){}P" "p{(<O>){}P" "ww");
	seen.now += 6000;
	seen.contended = 2310;
	seen.length = seen.count = 0;
	assert_int_equal(execute("block 1 probe=780 o4 o4"), 0);
	assert_string_equal(seen.calls, "p{{}(<O>){}P" "p{(<O>){}P" "ww");
	assert_non_null(strstr(seen.text, "p=2310,2310\no 4 47"));
}

/* A clock probe has its own two, and a block without any asks for none. */
static void test_contention_of_clock_probes(void **state)
{
	(void)state;
	start_contended((struct kb_bench){ .op = op });
	assert_int_equal(execute("block 0 probe=780 p"), 0);
	assert_string_equal(seen.calls, "{{}<>{}" "{<>{}" "ww");
	assert_string_equal(seen.text, "p clock 2000 7 k=0 p=1352,1352\np clock 40000 7 k=0 p=1352,1352\n");
	seen.length = seen.count = 0;
	assert_int_equal(execute("block 1 o4"), 0);
	assert_string_equal(seen.calls, "p(<O>)P" "w");
	assert_null(strstr(seen.text, "p="));
}

/* Between two tests of a group nothing but re-arming; the probe and the check are around all of them. */
static void test_group(void **state)
{
	(void)state;
	start(FULL);
	assert_int_equal(execute("group 3 w1 t2 o4"), 0);
	assert_string_equal(seen.calls, "[p" "b<O>a" "b<O>a" "b<O>a" "Pk" "www" "]w");
	assert_string_equal(seen.text, "o 4 47 t=0 k=3 cpu=5 flags=warmup\n"
	                               "o 4 47 t=1380 k=3 cpu=5\n"
	                               "o 4 47 t=2760 k=3 cpu=5\n"
	                               "k 3 irq=0\n");
	start(FULL);
	seen.fails = "a";
	assert_int_equal(execute("group 3 w1 t2 o4"), -EIO);
	assert_string_equal(seen.text, "fail stage=after errno=5\n");
}

/* Of a paired benchmark both kinds of sample begin in the state that `before` makes; only op is checked. */
static void test_paired(void **state)
{
	(void)state;
	start(FULL);
	bench.method = KB_PAIRED;
	assert_int_equal(execute("block 0 o4 b4 c"), 0);
	assert_string_equal(seen.calls, "[" "bp<O>Pka" "bp<B>Pa" "p<>P" "www" "]w");
	start(FULL);
	bench.method = KB_PAIRED;
	seen.fails = "a";
	assert_int_equal(execute("block 0 b4"), -EIO);
	assert_string_equal(seen.text, "fail stage=after errno=5\n");
}

static int check_refutes(struct kb_run *now, uint64_t n)
{
	(void)now, (void)n;
	measure.observations[measure.at].flags |= KB_FLAG_REFUTED;
	return 0;
}

static size_t said(unsigned index, char *fields, size_t room)
{
	return (size_t)snprintf(fields, room, "x.index=%u", index);
}

/* What hooks say stands on the line of the sample that they spoke of, and of a group on all of its tests. */
static void test_said(void **state)
{
	(void)state;
	start((struct kb_bench){ .op = op, .check = check_refutes });
	measure.probe = &no_hooks;
	measure.annotate = said;
	assert_int_equal(execute("block 0 o4 c p o4"), 0);
	assert_string_equal(seen.text, "o 4 47 t=0 k=0 cpu=0 flags=refuted x.index=0\n"
	                               "c 0 7 t=1047 k=0 cpu=0 x.index=1\n"
	                               "o 4 47 t=4068 k=0 cpu=0 flags=refuted x.index=2\n"
	                               "p clock 2000 7 k=0\np clock 40000 7 k=0\n");
	start((struct kb_bench){ .op = op, .check = check_refutes });
	measure.probe = &no_hooks;
	assert_int_equal(execute("group 0 w1 t1 o4"), 0);
	assert_string_equal(seen.text, "o 4 47 t=0 k=0 cpu=0 flags=warmup,refuted\n"
	                               "o 4 47 t=1047 k=0 cpu=0 flags=refuted\n");
}

static void test_backwards(void **state)
{
	(void)state;
	start(FULL);
	seen.back = true;
	assert_int_equal(execute("block 0 o4"), 0);
	assert_string_equal(seen.text, "o 4 0 t=0 k=0 cpu=5 flags=backwards\nk 0 irq=0\n");
}

struct failure { const char *call, *calls, *fail; };

/* A failed sample leaves no line, and nothing runs after it. */
static void test_failures(void **state)
{
	static const struct failure failures[] = {
		{ "b", "[b" "w", "fail stage=before errno=5 detail\n" },
		{ "O", "[bp<O>P" "w", "fail stage=op errno=5 detail\n" },
		{ "k", "[bp<O>Pk" "w", "fail stage=check errno=5 detail\n" },
		{ "a", "[bp<O>Pka" "w", "fail stage=after errno=5 detail\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
		start(FULL);
		measure.detail = "detail";
		seen.fails = failures[i].call;
		assert_int_equal(execute("block 0 o4 b4"), -EIO);
		assert_string_equal(seen.calls, failures[i].calls);
		assert_string_equal(seen.text, failures[i].fail);
	}
}

/* What was good before the failure stays. */
static void test_fails_later(void **state)
{
	(void)state;
	start(FULL);
	seen.fails = "B";
	assert_int_equal(execute("block 0 o4 b4 o4"), -EIO);
	assert_string_equal(seen.text, "o 4 47 t=0 k=0 cpu=5\nfail stage=base errno=5\n");
}

static void test_sink_fails(void **state)
{
	(void)state;
	start(FULL);
	seen.sink_error = -EPIPE;
	assert_int_equal(execute("block 0 o4"), -EPIPE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order), cmocka_unit_test(test_lines), cmocka_unit_test(test_clock_probes),
		cmocka_unit_test(test_bare), cmocka_unit_test(test_observe), cmocka_unit_test(test_observe_is_bounded), cmocka_unit_test(test_group),
		cmocka_unit_test(test_contention), cmocka_unit_test(test_contention_is_fresh),
		cmocka_unit_test(test_contention_of_clock_probes),
		cmocka_unit_test(test_paired), cmocka_unit_test(test_said), cmocka_unit_test(test_backwards),
		cmocka_unit_test(test_failures), cmocka_unit_test(test_fails_later), cmocka_unit_test(test_sink_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
