/*
 * The holes of all four targets, against instruction words worked out from the manuals (and seen from GNU as for the
 * number written out). Runs the same on every machine.
 */
#include "helpers.h"

struct case_of { const char *target, *name; uint32_t before; int64_t value; uint32_t after; };

/* `before` is the instruction with another number in the field where that shows that old bits go. */
static const struct case_of words[] = {
	{ "x86_64", "32S", 0xffffffff, -2, 0xfffffffe },
	{ "x86_64", "32", 0, 0xfedcba98, 0xfedcba98 },
	{ "x86_64", "16", 0xaaaa0000, 0x1234, 0xaaaa1234 },
	{ "x86_64", "8", 0xaaaaaa00, -1, 0xaaaaaaff },
	{ "x86_64", "PC8", 0xaaaaaa00, -128, 0xaaaaaa80 },
	{ "x86_64", "PLT32", 0, -5, 0xfffffffb },
	{ "x86_32", "32", 0, 16, 16 },
	{ "x86_32", "8", 0xaaaaaa00, 255, 0xaaaaaaff },
	{ "aarch64", "LDST64_ABS_LO12_NC", 0xf940012a, 8, 0xf940052a },         /* ldr x10, [x9, #8] */
	{ "aarch64", "LDST64_ABS_LO12_NC", 0xf97ffd2a, 32760, 0xf97ffd2a },
	{ "aarch64", "LDST8_ABS_LO12_NC", 0x39400149, 4095, 0x397ffd49 },       /* ldrb w9, [x10, #4095] */
	{ "aarch64", "LDST16_ABS_LO12_NC", 0x79400149, 2, 0x79400549 },
	{ "aarch64", "LDST32_ABS_LO12_NC", 0xb9400149, 4, 0xb9400549 },
	{ "aarch64", "LDST128_ABS_LO12_NC", 0x3dc00140, 32, 0x3dc00940 },       /* ldr q0, [x10, #32] */
	{ "aarch64", "ADD_ABS_LO12_NC", 0x91000020, 4095, 0x913ffc20 },         /* add x0, x1, #4095 */
	{ "aarch64", "MOVW_UABS_G0", 0xd2800001, 0xffff, 0xd29fffe1 },          /* movz x1, #0xffff */
	{ "aarch64", "MOVW_UABS_G1_NC", 0xf2a00001, 0x123456789, 0xf2a468a1 },  /* movk x1, #0x2345, lsl 16 */
	{ "aarch64", "MOVW_UABS_G2_NC", 0xf2c00001, 0x123456789, 0xf2c00021 },
	{ "aarch64", "MOVW_UABS_G3", 0xd2e00001, -1, 0xd2ffffe1 },
	{ "aarch64", "MOVW_SABS_G0", 0xd2800001, -1, 0x92800001 },              /* movn x1, #0 */
	{ "aarch64", "MOVW_SABS_G0", 0x92800001, 5, 0xd28000a1 },               /* movz x1, #5 */
	{ "aarch64", "MOVW_SABS_G1", 0xd2a00001, -65537, 0x92a00021 },          /* movn x1, #1, lsl 16 */
	{ "aarch64", "MOVW_SABS_G2", 0xd2c00001, 1ll << 32, 0xd2c00021 },
	{ "aarch64", "ABS16", 0xaaaa0000, -2, 0xaaaafffe },
	{ "aarch64", "JUMP26", 0x14000000, -4, 0x17ffffff },                    /* b .-4 */
	{ "aarch64", "CALL26", 0x94000000, 8, 0x94000002 },
	{ "aarch64", "CONDBR19", 0x54000001, -4, 0x54ffffe1 },                  /* b.ne .-4 */
	{ "aarch64", "TSTBR14", 0x37000001, -4, 0x3707ffe1 },                   /* tbnz w1, #0, .-4 */
	{ "aarch64", "ADR_PREL_LO21", 0x10000000, 7, 0x70000020 },              /* adr x0, .+7 */
	{ "aarch64", "LD_PREL_LO19", 0x58000000, 8, 0x58000040 },               /* ldr x0, .+8 */
	{ "riscv64", "HI20", 0x00000337, 0x800, 0x00001337 },                   /* lui t1, 1 */
	{ "riscv64", "HI20", 0x00000337, 0x7ff, 0x00000337 },
	{ "riscv64", "HI20", 0x00000337, -2048, 0x00000337 },
	{ "riscv64", "LO12_I", 0x00033303, 0x800, 0x80033303 },                 /* ld t1, -2048(t1) */
	{ "riscv64", "LO12_I", 0x00033303, -1, 0xfff33303 },
	{ "riscv64", "LO12_S", 0x00733023, -1, 0xfe733fa3 },                    /* sd t2, -1(t1) */
	{ "riscv64", "BRANCH", 0x00b51063, -4, 0xfeb51ee3 },                    /* bne a0, a1, .-4 */
	{ "riscv64", "BRANCH", 0x00b51063, 4094, 0x7eb51fe3 },
	{ "riscv64", "JAL", 0x0000006f, -4, 0xffdff06f },                       /* j .-4 */
	{ "riscv64", "JAL", 0x0000006f, 1048574, 0x7ffff06f },
	{ "riscv64", "32", 0, -7, 0xfffffff9 },
};

static void golden_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const struct case_of *c = &words[i];
		const struct kb_relocation *r = relocation(kb_target_find(c->target), c->name);
		uint8_t place[4] = { (uint8_t)c->before, (uint8_t)(c->before >> 8), (uint8_t)(c->before >> 16),
			(uint8_t)(c->before >> 24) };

		struct kb_value value = strcmp(c->name, "MOVW_UABS_G3") ? kb_value_signed(c->value) :
			kb_value_unsigned((uint64_t)c->value);

		if (r->kind != KB_HOLE_LOW)
			assert_true(kb_target_fits(r, value));
		kb_target_put(r, place, value);

		uint32_t after = place[0] | place[1] << 8 | place[2] << 16 | (uint32_t)place[3] << 24;

		if (after != c->after)
			fail_msg("%s %s of %lld gives %08x, not %08x", c->target, c->name, (long long)c->value, after, c->after);
	}
}

struct range { const char *target, *name; int64_t min; uint64_t max; unsigned step; };

static const struct range ranges[] = {
	{ "x86_64", "8", -128, 255, 1 }, { "x86_64", "16", -32768, 65535, 1 },
	{ "x86_64", "32", -2147483648ll, 4294967295, 1 }, { "x86_64", "32S", -2147483648ll, 2147483647, 1 },
	{ "x86_64", "PC8", -128, 127, 1 },
	{ "x86_32", "8", -128, 255, 1 }, { "x86_32", "16", -32768, 65535, 1 },
	{ "x86_32", "32", -2147483648ll, 4294967295, 1 },
	{ "aarch64", "ABS16", -32768, 65535, 1 }, { "aarch64", "ABS32", -2147483648ll, 4294967295, 1 },
	{ "aarch64", "ADD_ABS_LO12_NC", 0, 4095, 1 }, { "aarch64", "LDST8_ABS_LO12_NC", 0, 4095, 1 },
	{ "aarch64", "LDST16_ABS_LO12_NC", 0, 8190, 2 }, { "aarch64", "LDST32_ABS_LO12_NC", 0, 16380, 4 },
	{ "aarch64", "LDST64_ABS_LO12_NC", 0, 32760, 8 }, { "aarch64", "LDST128_ABS_LO12_NC", 0, 65520, 16 },
	{ "aarch64", "MOVW_UABS_G0", 0, 0xffff, 1 }, { "aarch64", "MOVW_UABS_G1", 0, 0xffffffff, 1 },
	{ "aarch64", "MOVW_UABS_G2", 0, 0xffffffffffff, 1 },
	{ "aarch64", "MOVW_SABS_G0", -0x10000, 0xffff, 1 }, { "aarch64", "MOVW_SABS_G1", -0x100000000, 0xffffffff, 1 },
	{ "aarch64", "MOVW_SABS_G2", -0x1000000000000, 0xffffffffffff, 1 },
	{ "aarch64", "JUMP26", -134217728, 134217724, 4 }, { "aarch64", "CONDBR19", -1048576, 1048572, 4 },
	{ "aarch64", "TSTBR14", -32768, 32764, 4 }, { "aarch64", "ADR_PREL_LO21", -1048576, 1048575, 1 },
	{ "riscv64", "32", -2147483648ll, 4294967295, 1 }, { "riscv64", "HI20", -2147483648ll, 0x7ffff7ff, 1 },
	{ "riscv64", "LO12_I", -2048, 2047, 1 }, { "riscv64", "LO12_S", -2048, 2047, 1 },
	{ "riscv64", "BRANCH", -4096, 4094, 2 }, { "riscv64", "JAL", -1048576, 1048574, 2 },
};

static void ranges_are_those_of_the_language(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		const struct range *range = &ranges[i];
		const struct kb_relocation *r = relocation(kb_target_find(range->target), range->name);
		int64_t step = range->step;

		assert_true(kb_target_fits(r, kb_value_signed(range->min)));
		assert_true(kb_target_fits(r, kb_value_unsigned(range->max)));
		assert_false(kb_target_fits(r, kb_value_signed(range->min - step)));
		assert_false(kb_target_fits(r, kb_value_unsigned(range->max + range->step)));
		if (step > 1)
			assert_false(kb_target_fits(r, kb_value_signed(step / 2)));
	}
}

static void any_64_bits_fit_where_the_list_says_any(void **state)
{
	static const char *const any[][2] = { { "x86_64", "64" }, { "aarch64", "ABS64" }, { "riscv64", "64" },
		{ "aarch64", "MOVW_UABS_G0_NC" }, { "aarch64", "MOVW_UABS_G2_NC" } };

	(void)state;
	for (size_t i = 0; i < sizeof(any) / sizeof(any[0]); i++) {
		const struct kb_relocation *r = relocation(kb_target_find(any[i][0]), any[i][1]);

		assert_true(kb_target_fits(r, kb_value_signed(INT64_MIN)));
		assert_true(kb_target_fits(r, kb_value_unsigned(UINT64_MAX)));
	}
}

/* -1 and 2^64 - 1 have the same 64 bits. */
static void a_large_unsigned_number_is_not_negative(void **state)
{
	const struct kb_relocation *r = relocation(&kb_target_x86_64, "8");

	(void)state;
	assert_true(kb_target_fits(r, KB_VALUE(-1)));
	assert_false(kb_target_fits(r, KB_VALUE(UINT64_MAX)));
	assert_false(kb_target_fits(r, KB_VALUE((unsigned)-1)));
	assert_true(kb_target_fits(r, KB_VALUE((unsigned char)255)));
	assert_true(kb_target_fits(r, KB_VALUE((signed char)-1)));
	assert_true(KB_VALUE((void *)&r).bits == (uintptr_t)&r);
}

static void addends_are_added_exactly(void **state)
{
	struct kb_value value = kb_value_unsigned(UINT64_MAX);

	(void)state;
	assert_false(kb_value_add(&value, 1));
	value = kb_value_unsigned(UINT64_MAX);
	assert_true(kb_value_add(&value, -1));
	assert_true(value.bits == UINT64_MAX - 1 && !value.negative);
	value = kb_value_signed(-1);
	assert_true(kb_value_add(&value, 1));
	assert_true(value.bits == 0 && !value.negative);
	value = kb_value_signed(3);
	assert_true(kb_value_add(&value, -4));
	assert_true(value.bits == UINT64_MAX && value.negative);
	value = kb_value_signed(INT64_MIN);
	assert_true(kb_value_add(&value, -1));
	assert_false(kb_value_between(value, INT64_MIN, UINT64_MAX));
}

static void rel_addends_come_from_the_bytes(void **state)
{
	const uint8_t place[4] = { 0xfc, 0xff, 0xff, 0xff };

	(void)state;
	assert_int_equal(kb_target_addend(&kb_target_x86_32, relocation(&kb_target_x86_32, "PC32"), place), -4);
	assert_int_equal(kb_target_addend(&kb_target_x86_32, relocation(&kb_target_x86_32, "PC8"), place), -4);
	assert_int_equal(kb_target_addend(&kb_target_x86_32, relocation(&kb_target_x86_32, "8"), place + 1), -1);
	assert_int_equal(kb_target_addend(&kb_target_x86_64, relocation(&kb_target_x86_64, "PC32"), place), 0);
}

static void targets_are_found(void **state)
{
	(void)state;
	assert_ptr_equal(kb_target_find("riscv64"), &kb_target_riscv64);
	assert_null(kb_target_find("riscv32"));
	assert_non_null(kb_target_host());
	for (unsigned i = 0; kb_targets[i]; i++)
		for (unsigned j = 0; j < kb_targets[i]->relocation_count; j++)
			assert_ptr_equal(kb_target_relocation(kb_targets[i], kb_targets[i]->relocations[j].type),
				&kb_targets[i]->relocations[j]);
	assert_null(kb_target_relocation(&kb_target_x86_64, 9)); /* GOTPCREL */
}

static void padding_is_made_of_nops(void **state)
{
	uint8_t at[16];

	(void)state;
	kb_target_pad(&kb_target_x86_64, at, 3, 14);
	assert_memory_equal(at + 3, "\x66\x0f\x1f\x84\x00\x00\x00\x00\x00\x66\x90", 11);
	kb_target_pad(&kb_target_aarch64, at, 4, 12);
	assert_memory_equal(at + 4, "\x1f\x20\x03\xd5\x1f\x20\x03\xd5", 8);
	kb_target_pad(&kb_target_riscv64, at, 2, 8); /* behind two bytes of data */
	assert_memory_equal(at + 2, "\0\0\x13\0\0\0", 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_words),
		cmocka_unit_test(ranges_are_those_of_the_language),
		cmocka_unit_test(any_64_bits_fit_where_the_list_says_any),
		cmocka_unit_test(a_large_unsigned_number_is_not_negative),
		cmocka_unit_test(addends_are_added_exactly),
		cmocka_unit_test(rel_addends_come_from_the_bytes),
		cmocka_unit_test(targets_are_found),
		cmocka_unit_test(padding_is_made_of_nops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
