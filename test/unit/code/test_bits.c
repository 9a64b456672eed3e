/* Composition: exact bytes, labels across fragments, and errors that say number, place and values. */
#include "helpers.h"

#include <time.h>

static const struct kb_bits_place place = { "C", "member", "t.yamba", 7 };

/* mov rax, [rbx + $(8 * i)]; mov al, [rax] */
static struct kb_hole touch_hole = { .offset = 3, .line = 11 };
static const struct kb_fragment touch =
	FRAGMENT("touch", "\x48\x8b\x83\0\0\0\0\x8a\0", &touch_hole, 1, NULL, 0);

static int prepare(void **state)
{
	(void)state;
	touch_hole.relocation = relocation_index(&kb_target_x86_64, "32S");
	return 0;
}

static void holes_are_filled(void **state)
{
	struct kb_bits bits = { 0 };

	(void)state;
	kb_bits_again(&bits, &kb_target_x86_64, KB_BITS_LIMIT, true);
	for (int i = 0; i < 2; i++)
		kb_bits_append(&bits, &touch, (struct kb_value[]){ KB_VALUE(8 * i + 0x100) });
	assert_int_equal(kb_bits_finish(&bits), 0);
	assert_code(&bits, "\x48\x8b\x83\0\1\0\0\x8a\0\x48\x8b\x83\x08\1\0\0\x8a\0");
	kb_bits_free(&bits);
}

/* The listing of the paper's page 6, as corrected in the language's section 15. */
static void the_first_listing_has_50_bytes(void **state)
{
	static const struct kb_fragment prologue = FRAGMENT("prologue", "\x55\x89\xe5\x53\x8b\x5d\x08", NULL, 0, NULL, 0);
	static const struct kb_fragment load = FRAGMENT("touch", "\x8b\x00", NULL, 0, NULL, 0);
	static const struct kb_fragment epilogue = FRAGMENT("epilogue", "\x5b\xc9\xc3", NULL, 0, NULL, 0);
	struct kb_bits bits = { 0 };

	(void)state;
	for (int m = 5; m <= 40; m += 35) {
		kb_bits_again(&bits, &kb_target_x86_32, KB_BITS_LIMIT, true);
		kb_bits_append(&bits, &prologue, NULL);
		for (int i = 0; i < m; i++) {
			kb_bits_bytes(&bits, &place, BYTES("\x8b\x83"));
			kb_bits_le(&bits, &place, 32, KB_VALUE(4 * i));
			kb_bits_append(&bits, &load, NULL);
		}
		kb_bits_append(&bits, &epilogue, NULL);
		assert_int_equal(kb_bits_finish(&bits), 0);
		assert_int_equal(bits.head.used, m == 5 ? 50 : 330);
		assert_memory_equal(bits.head.at + 7 + 8, "\x8b\x83\4\0\0\0\x8b\0", 8);
		assert_memory_equal(bits.head.at + bits.head.used - 3, "\x5b\xc9\xc3", 3);
		kb_bits_free(&bits);
	}
}

static void casts_and_literals(void **state)
{
	struct kb_bits bits = { 0 };

	(void)state;
	kb_bits_again(&bits, &kb_target_x86_64, 23, true);
	kb_bits_le(&bits, &place, 8, KB_VALUE(-1));
	kb_bits_le(&bits, &place, 16, KB_VALUE(0x1234));
	kb_bits_be(&bits, &place, 16, KB_VALUE(0x1234));
	kb_bits_be(&bits, &place, 32, KB_VALUE(0xd4000001u));
	kb_bits_le(&bits, &place, 64, KB_VALUE(UINT64_MAX - 1));
	kb_bits_be(&bits, &place, 32, KB_VALUE(-2147483647 - 1));
	kb_bits_bytes(&bits, &place, BYTES("\x8b\x83"));
	assert_int_equal(kb_bits_finish(&bits), 0);
	assert_code(&bits, "\xff\x34\x12\x12\x34\xd4\0\0\1\xfe\xff\xff\xff\xff\xff\xff\xff\x80\0\0\0\x8b\x83");
	kb_bits_le(&bits, &place, 8, KB_VALUE(0));
	assert_message(&bits, "t.yamba:7: error Y312: composed code is larger than 23 bytes");
	assert_int_equal(bits.head.used, 23);
	kb_bits_free(&bits);
}

static void a_value_that_does_not_fit_is_refused(void **state)
{
	static const char *const names[] = { "i" };
	static const struct kb_scope function = { "C", "touch", names, 1 }, unroll = { "C", NULL, names, 1 };
	struct kb_hole hole = { .relocation = relocation_index(&kb_target_aarch64, "LDST64_ABS_LO12_NC"), .line = 106 };
	const struct kb_fragment load = FRAGMENT("touch", "\x2a\x01\x40\xf9", &hole, 1, NULL, 0);
	struct kb_bits bits = { 0 };

	(void)state;
	kb_bits_again(&bits, &kb_target_aarch64, KB_BITS_LIMIT, true);
	for (int i = 0; i < 5000; i++) {
		kb_bits_enter(&bits, &unroll, (struct kb_value[]){ KB_VALUE(i) });
		kb_bits_enter(&bits, &function, (struct kb_value[]){ KB_VALUE(i) });
		kb_bits_append(&bits, &load, (struct kb_value[]){ KB_VALUE(8 * i) });
		kb_bits_leave(&bits);
		kb_bits_leave(&bits);
	}
	assert_int_equal(kb_bits_finish(&bits), -EINVAL);
	assert_int_equal(bits.error.number, 301);
	assert_message(&bits, "t.yamba:106: error Y301: hole value 32768 does not fit (max 32760, step 8)\n"
		"    in C.touch(i=4096), unroll i=4096");
	kb_bits_again(&bits, bits.target, bits.limit, true);
	hole.addend = 12;
	kb_bits_append(&bits, &load, (struct kb_value[]){ KB_VALUE(-8) });
	assert_message(&bits, "t.yamba:106: error Y301: hole value -8 + 12 does not fit (min 0, max 32760, step 8)");
	kb_bits_again(&bits, bits.target, bits.limit, true);
	kb_bits_le(&bits, &place, 8, KB_VALUE(256));
	assert_message(&bits, "t.yamba:7: error Y301: cast value 256 does not fit (min -128, max 255)");
	kb_bits_again(&bits, bits.target, bits.limit, true);
	kb_bits_be(&bits, &place, 32, KB_VALUE(UINT64_MAX));
	assert_message(&bits, "t.yamba:7: error Y301: cast value 18446744073709551615 does not fit "
		"(min -2147483648, max 4294967295)");
	kb_bits_again(&bits, bits.target, bits.limit, true);
	kb_bits_align(&bits, &place, KB_VALUE(24));
	assert_int_equal(bits.error.number, 301);
	kb_bits_free(&bits);
}

/* lui t1, %hi($(n)); ld t1, %lo($(n))(t1); and a %lo alone. */
static void low_parts_follow_their_high_part(void **state)
{
	uint16_t low = relocation_index(&kb_target_riscv64, "LO12_I");
	struct kb_hole holes[] = {
		{ .relocation = relocation_index(&kb_target_riscv64, "HI20"), .line = 10 },
		{ .relocation = low, .offset = 4, .line = 10, .paired = true }
	};
	struct kb_hole alone = { .relocation = low, .line = 12 };
	const struct kb_fragment pair = FRAGMENT("touch", "\x37\x03\0\0\x03\x33\x03\0", holes, 2, NULL, 0);
	const struct kb_fragment single = FRAGMENT("touch", "\x03\x33\x03\0", &alone, 1, NULL, 0);
	struct kb_bits bits = { 0 };

	(void)state;
	kb_bits_again(&bits, &kb_target_riscv64, KB_BITS_LIMIT, true);
	kb_bits_append(&bits, &pair, (struct kb_value[]){ KB_VALUE(0x12345ffc) });
	assert_code(&bits, "\x37\x63\x34\x12\x03\x33\xc3\xff");
	kb_bits_append(&bits, &pair, (struct kb_value[]){ KB_VALUE(0x7ffff800) });
	assert_message(&bits, "t.yamba:10: error Y301: hole value 2147481600 does not fit (min -2147483648, max 2147481599)");
	kb_bits_again(&bits, bits.target, bits.limit, true);
	kb_bits_append(&bits, &single, (struct kb_value[]){ KB_VALUE(2048) });
	assert_message(&bits, "t.yamba:12: error Y301: hole value 2048 does not fit (min -2048, max 2047)");
	kb_bits_free(&bits);
}

static void alignment_counts_from_the_start(void **state)
{
	struct kb_bits bits = { 0 };

	(void)state;
	kb_bits_again(&bits, &kb_target_x86_64, KB_BITS_LIMIT, true);
	kb_bits_align(&bits, &place, KB_VALUE(64));
	assert_int_equal(bits.head.used, 0);
	kb_bits_bytes(&bits, &place, BYTES("\xc3"));
	kb_bits_align(&bits, &place, KB_VALUE(4));
	kb_bits_align(&bits, &place, KB_VALUE(4));
	kb_bits_bytes(&bits, &place, BYTES("\xc3"));
	kb_bits_align(&bits, &place, KB_VALUE(1));
	assert_code(&bits, "\xc3\x0f\x1f\x00\xc3");
	kb_bits_free(&bits);
}

/* ---- labels -------------------------------------------------------------------------------------- */

static const struct kb_label top = { "top", 0, 20, true };
static const struct kb_label top_used = { "top", 0, 21, false };
static struct kb_hole jump_hole = { .addend = -4, .offset = 1, .line = 21 };
static struct kb_hole loop_hole = { .addend = -1, .offset = 1, .line = 22 };
static const struct kb_fragment opens = FRAGMENT("prologue", "", NULL, 0, &top, 1);
static const struct kb_fragment jumps = FRAGMENT("epilogue", "\xe9\0\0\0\0", &jump_hole, 1, &top_used, 1);
static const struct kb_fragment loops = FRAGMENT("epilogue", "\xe2\0", &loop_hole, 1, &top_used, 1);

static int prepare_labels(void **state)
{
	(void)state;
	jump_hole.relocation = relocation_index(&kb_target_x86_64, "PLT32");
	loop_hole.relocation = relocation_index(&kb_target_x86_64, "PC8");
	return 0;
}

static void labels_join_fragments(void **state)
{
	struct kb_bits bits = { 0 };

	(void)state;
	kb_bits_again(&bits, &kb_target_x86_64, KB_BITS_LIMIT, true);
	kb_bits_append(&bits, &jumps, NULL);    /* forwards, over nothing */
	kb_bits_append(&bits, &opens, NULL);
	kb_bits_bytes(&bits, &place, BYTES("\x90\x90"));
	kb_bits_append(&bits, &loops, NULL);
	kb_bits_append(&bits, &jumps, NULL);
	assert_int_equal(kb_bits_finish(&bits), 0);
	assert_code(&bits, "\xe9\0\0\0\0\x90\x90\xe2\xfc\xe9\xf7\xff\xff\xff");
	kb_bits_free(&bits);
}

static void label_errors(void **state)
{
	static const char *const names[] = { "i" };
	static const struct kb_scope unroll = { "C", NULL, names, 1 };
	struct kb_bits bits = { 0 };

	(void)state;
	kb_bits_again(&bits, &kb_target_x86_64, KB_BITS_LIMIT, true);
	for (int i = 0; i < 2; i++) {
		kb_bits_enter(&bits, &unroll, (struct kb_value[]){ KB_VALUE(i) });
		kb_bits_append(&bits, &opens, NULL);
		kb_bits_leave(&bits);
	}
	assert_message(&bits, "t.yamba:20: error Y310: label @top is emitted twice; first by C.prologue in unroll i=0\n"
		"    in unroll i=1");
	kb_bits_again(&bits, bits.target, bits.limit, true);
	kb_bits_append(&bits, &jumps, NULL);
	assert_int_equal(kb_bits_finish(&bits), -EINVAL);
	assert_message(&bits, "t.yamba:21: error Y311: label @top is not defined by any fragment");
	for (int far = 0; far < 2; far++) {
		kb_bits_again(&bits, bits.target, bits.limit, true);
		kb_bits_append(&bits, &opens, NULL);
		for (int i = 0; i < 126 + far; i++)
			kb_bits_bytes(&bits, &place, BYTES("\x90"));
		kb_bits_append(&bits, &loops, NULL);
		assert_int_equal(kb_bits_finish(&bits), far ? -EINVAL : 0);
	}
	assert_message(&bits, "t.yamba:22: error Y313: label @top is -129 bytes away, and PC8 reaches from -128 to 127 "
		"in steps of 1");
	kb_bits_free(&bits);
}

/* ---- size, provenance, speed --------------------------------------------------------------------- */

static void code_has_a_limit(void **state)
{
	struct kb_bits bits = { 0 };

	(void)state;
	kb_bits_again(&bits, &kb_target_x86_64, 90, true);
	for (int i = 0; i < 11; i++)
		kb_bits_append(&bits, &touch, (struct kb_value[]){ KB_VALUE(i) });
	assert_message(&bits, "t.yamba:10: error Y312: composed code is larger than 90 bytes");
	assert_int_equal(bits.head.used, 90);
	kb_bits_free(&bits);
}

static void every_byte_knows_its_origin(void **state)
{
	static const char *const names[] = { "i" };
	static const struct kb_scope function = { "D", "touch", names, 1 };
	struct kb_bits_span span;
	struct kb_bits bits = { 0 };

	(void)state;
	kb_bits_again(&bits, &kb_target_x86_64, KB_BITS_LIMIT, true);
	kb_bits_append(&bits, &opens, NULL);
	kb_bits_bytes(&bits, &place, BYTES("\x90"));
	for (int i = 0; i < 3; i++) {
		kb_bits_enter(&bits, &function, (struct kb_value[]){ KB_VALUE(i) });
		kb_bits_append(&bits, &touch, (struct kb_value[]){ KB_VALUE(i) });
		kb_bits_leave(&bits);
	}
	assert_true(kb_bits_span_at(&bits, 0, &span));
	assert_true(span.offset == 0 && span.count == 1 && span.line == 7 && !strcmp(span.scope, ""));
	assert_true(kb_bits_span_at(&bits, 10 + 8, &span));
	assert_true(span.offset == 10 && span.count == 9 && span.line == 10);
	assert_string_equal(span.scope, "D.touch(i=1)");
	assert_string_equal(span.member, "touch");
	assert_true(kb_bits_span_at(&bits, 27, &span));
	assert_int_equal(span.count, 9);
	assert_false(kb_bits_span_at(&bits, 28, &span));
	kb_bits_free(&bits);
}

static double now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* By calls, as fragments with labels are; most are put without one. Asserted is what a debugger's build would meet. */
static void ten_thousand_touches_are_quick(void **state)
{
	struct kb_bits bits = { 0 };
	double best = 1e9, first = 0;

	(void)state;
	kb_bits_again(&bits, &kb_target_x86_64, KB_BITS_LIMIT, false);
	for (int turn = 0; turn < 50; turn++) {
		double start = now_ms();

		kb_bits_again(&bits, bits.target, bits.limit, false);
		for (int i = 0; i < 10000; i++)
			kb_bits_append(&bits, &touch, (struct kb_value[]){ KB_VALUE(8 * i) });
		assert_int_equal(kb_bits_finish(&bits), 0);
		double spent = now_ms() - start;

		first = turn ? first : spent;
		best = spent < best ? spent : best;
	}
	assert_int_equal(bits.head.used, 90000);
	print_message("compose 10000 touches: first %.3f ms, best of 50 %.3f ms\n", first, best);
	assert_true(best < 20);
	kb_bits_free(&bits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(holes_are_filled, prepare),
		cmocka_unit_test(the_first_listing_has_50_bytes),
		cmocka_unit_test(casts_and_literals),
		cmocka_unit_test(a_value_that_does_not_fit_is_refused),
		cmocka_unit_test(low_parts_follow_their_high_part),
		cmocka_unit_test(alignment_counts_from_the_start),
		cmocka_unit_test_setup(labels_join_fragments, prepare_labels),
		cmocka_unit_test_setup(label_errors, prepare_labels),
		cmocka_unit_test_setup(code_has_a_limit, prepare),
		cmocka_unit_test_setup(every_byte_knows_its_origin, prepare_labels),
		cmocka_unit_test_setup(ten_thousand_touches_are_quick, prepare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
