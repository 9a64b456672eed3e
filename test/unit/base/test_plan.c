/* Plan lines: what is accepted, what is refused, and that printing and reading are inverse. */
#include "base/plan.h"
#include "base/error.h"
#include "base/rng.h"
#include "helpers.h"

static void every_step(void **state)
{
	static const enum kb_step_kind kinds[] = {
		KB_STEP_OP, KB_STEP_BASE, KB_STEP_PROBE, KB_STEP_CLOCK, KB_STEP_OP, KB_STEP_SINGLE
	};
	static const uint64_t n[] = { 300, 600, 0, 0, 1200, 1 };
	struct kb_block block;

	(void)state;
	assert_int_equal(kb_plan_parse(span_of("block 7 o300 b600 p c o1200 q"), &block), 0);
	assert_false(block.warm);
	assert_int_equal(block.index, 7);
	assert_int_equal(block.count, 6);
	assert_int_equal(block.probe, 0);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(block.steps[i].kind, kinds[i]);
		assert_int_equal(block.steps[i].n, n[i]);
	}
	assert_int_equal(kb_plan_parse(span_of("warm 0 o1"), &block), 0);
	assert_true(block.warm);
}

/* Of the block's own, and no part of the next one. */
static void contention_probes(void **state)
{
	struct kb_block block;

	(void)state;
	assert_int_equal(kb_plan_parse(span_of("block 7 probe=780 o300 p"), &block), 0);
	assert_int_equal(block.probe, 780);
	assert_int_equal(block.count, 2);
	assert_int_equal(kb_plan_parse(span_of("warm 8 probe=18446744073709551615 q"), &block), 0);
	assert_true(block.warm && block.probe == UINT64_MAX);
	assert_int_equal(kb_plan_parse(span_of("block 9 o300"), &block), 0);
	assert_int_equal(block.probe, 0);
}

static void refused_lines(void **state)
{
	static const char *const bad[] = {
		"", "block", "block 7", "block o300", "block x o300", "block -1 o300", "blocks 7 o300", "7 o300", "block 7 o0",
		"block 7 o", "block 7 b0", "block 7 b", "block 7 x1", "block 7 p1", "block 7 s", "block 7 c0", "block 7 q1", "block 7 o3x",
		"group 3", "group 3 o33", "group 3 w2 t30", "group 3 t30 o33", "group 3 w2 o33", "group 3 t30 w2 o33",
		"group 3 w2 t0 o33", "group 3 w t30 o33", "group 3 w2 t30 b33", "group 3 w2 t30 q", "group 3 w2 t30 o33 o34",
		"group 3 w1 t1024 o33", "group 3 w18446744073709551615 t2 o33", "group 3 w2 t30 o0", "block 7 w2 t30 o33",
		"warm 7 w2 t30 o33",
		"block 7 o-3", "block 7 o18446744073709551616", "block 7 probe=780", "block 7 probe=0 o3", "block 7 probe= o3", "block 7 probe=x o3", "block 7 o3 probe=780",
		"block 7 probe=780 probe=780 o3", "block 7 p=780 o3", "group 3 w2 t30 probe=780 o33",
		"block 7 o300\n", "block 7 o300\r", "block 7 \"o1 o2\"",
	};
	struct kb_block block;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (kb_plan_parse(span_of(bad[i]), &block) != -KB_EINVAL)
			fail_msg("\"%s\" was accepted", bad[i]);
	assert_int_equal(KB_EINVAL, EINVAL);
}

static void groups(void **state)
{
	struct kb_block block;

	(void)state;
	assert_int_equal(kb_plan_parse(span_of("group 3 w2 t30 o33"), &block), 0);
	assert_false(block.warm);
	assert_int_equal(block.index, 3);
	assert_int_equal(block.skip, 2);
	assert_int_equal(block.tests, 30);
	assert_int_equal(block.count, 1);
	assert_int_equal(block.steps[0].kind, KB_STEP_OP);
	assert_int_equal(block.steps[0].n, 33);
	assert_int_equal(kb_plan_parse(span_of("group 3 w24 t1000 o1"), &block), 0);
	/* What a group left behind is no part of the next block. */
	assert_int_equal(kb_plan_parse(span_of("block 4 o33"), &block), 0);
	assert_int_equal(block.skip + block.tests, 0);
}

static void number_of_steps_is_bounded(void **state)
{
	char line[KB_PLAN_LINE_MAX + 1];
	struct kb_text text = kb_text_in(line, sizeof(line));
	struct kb_block block;

	(void)state;
	kb_text_str(&text, "block 1");
	for (unsigned i = 0; i < KB_BLOCK_STEPS_MAX; i++)
		kb_text_str(&text, " p");
	assert_int_equal(kb_plan_parse(span_of(line), &block), 0);
	assert_int_equal(block.count, KB_BLOCK_STEPS_MAX);
	kb_text_str(&text, " p");
	assert_int_equal(kb_plan_parse(span_of(line), &block), -KB_EINVAL);
	text = kb_text_in(line, sizeof(line));
	kb_text_str(&text, "block 1 p");
	memset(line + text.used, ' ', sizeof(line) - text.used);
	assert_int_equal(kb_plan_parse((struct kb_span){ line, KB_PLAN_LINE_MAX - 1 }, &block), 0);
	assert_int_equal(kb_plan_parse((struct kb_span){ line, KB_PLAN_LINE_MAX }, &block), -KB_EINVAL);
}

static void random_block(struct kb_rng *rng, struct kb_block *block)
{
	memset(block, 0, sizeof(*block));
	block->warm = kb_rng_below(rng, 2);
	block->index = kb_rng_next(rng) >> kb_rng_below(rng, 64);
	block->count = 1 + (unsigned)kb_rng_below(rng, KB_BLOCK_STEPS_MAX);
	if (kb_rng_below(rng, 4) == 0) {
		block->warm = false;
		block->tests = 1 + (unsigned)kb_rng_below(rng, KB_GROUP_TESTS_MAX);
		block->skip = (unsigned)kb_rng_below(rng, KB_GROUP_TESTS_MAX + 1 - block->tests);
		block->count = 1;
		block->steps[0] = (struct kb_step){ KB_STEP_OP, (kb_rng_next(rng) >> kb_rng_below(rng, 64)) | 1 };
		return;
	}
	block->probe = kb_rng_below(rng, 2) ? kb_rng_next(rng) >> kb_rng_below(rng, 50) : 0;
	for (unsigned i = 0; i < block->count; i++) {
		struct kb_step *step = &block->steps[i];

		step->kind = (enum kb_step_kind)"obpcq"[kb_rng_below(rng, 5)];
		if (step->kind == KB_STEP_OP || step->kind == KB_STEP_BASE)
			step->n = (kb_rng_next(rng) >> kb_rng_below(rng, 64)) | 1;
		else
			step->n = step->kind == KB_STEP_SINGLE;
	}
}

static void random_plans_round_trip(void **state)
{
	static struct kb_block block, back;
	char line[KB_PLAN_LINE_MAX];
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 11);
	for (unsigned round = 0; round < 3000; round++) {
		struct kb_text text = kb_text_in(line, sizeof(line));

		random_block(&rng, &block);
		kb_plan_format(&text, &block);
		assert_false(text.cut);
		assert_int_equal(line[text.used - 1], '\n');
		memset(&back, 0, sizeof(back));
		assert_int_equal(kb_plan_parse((struct kb_span){ line, text.used - 1 }, &back), 0);
		assert_int_equal(back.warm, block.warm);
		assert_int_equal(back.skip, block.skip);
		assert_int_equal(back.tests, block.tests);
		assert_true(back.index == block.index);
		assert_int_equal(back.count, block.count);
		for (unsigned i = 0; i < block.count; i++)
			assert_true(back.steps[i].kind == block.steps[i].kind && back.steps[i].n == block.steps[i].n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_step),
		cmocka_unit_test(contention_probes), cmocka_unit_test(refused_lines),
		cmocka_unit_test(groups),
		cmocka_unit_test(number_of_steps_is_bounded),
		cmocka_unit_test(random_plans_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
