/*
 * Composed code on another platform: holes are filled, both ways to executable memory hold it, and what was mapped where
 * older code lay is what runs. Linked like a collector and run as one: directly, or, with an argument, under an emulator,
 * which hands out other addresses each time. Prints what is wrong.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "code/bits.h"
#include "code/memory.h"
#include "stamp.h"

#define SET_MDWE 65     /* PR_SET_MDWE of Linux 6.3, which older headers lack */
#define TURNS 200

static bool emulated;

/* int f(void) { return VALUE; }: the number goes through a relocation that this platform's assembler leaves. */
static const struct answer { const char *target, *relocation; uint32_t offset, count; const char *code; } answers[] = {
	{ "x86_64", "32", 1, 6, "\xb8\0\0\0\0\xc3" },                   /* mov eax, VALUE; ret */
	{ "x86_32", "32", 1, 6, "\xb8\0\0\0\0\xc3" },
	{ "aarch64", "MOVW_UABS_G0", 0, 8, "\0\0\x80\xd2\xc0\x03\x5f\xd6" },    /* movz x0, VALUE; ret */
	{ "riscv64", "LO12_I", 0, 8, "\x13\x05\0\0\x67\x80\0\0" },      /* addi a0, zero, VALUE; ret */
};

static int wrong(const char *what, int seen)
{
	printf("%s: %s (%d)\n", KB_ARCH_NAME, what, seen);
	return 1;
}

static const struct answer *own_answer(struct kb_hole *hole)
{
	const struct kb_target *target = kb_target_host();

	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		if (strcmp(answers[i].target, target->name) != 0)
			continue;
		for (uint16_t k = 0; k < target->relocation_count; k++) {
			if (!strcmp(target->relocations[k].name, answers[i].relocation))
				*hole = (struct kb_hole){ .relocation = k, .offset = answers[i].offset };
		}
		return &answers[i];
	}
	return NULL;
}

static int compose(struct kb_bits *bits, int value)
{
	struct kb_hole hole = { 0 };
	const struct answer *answer = own_answer(&hole);
	const struct kb_fragment fragment = { .class = "answer", .member = "f", .file = "code.c", .bytes = (const uint8_t *)answer->code,
		.count = answer->count, .holes = &hole, .hole_count = 1 };

	kb_bits_again(bits, kb_target_host(), KB_BITS_LIMIT, true);
	kb_bits_append(bits, &fragment, (struct kb_value[]){ kb_value_signed(value) });
	return kb_bits_finish(bits);
}

/* One way, again and again: mostly at the address at which the function before it lay. */
static int run(const struct kb_code_options *options, bool two_mappings)
{
	struct kb_bits bits = { 0 };
	void *before = NULL;
	int again = 0, bad = 0;

	kb_bits_again(&bits, kb_target_host(), KB_BITS_LIMIT, true);
	for (int turn = 0; turn < TURNS && !bad; turn++) {
		struct kb_mapped_code code;
		int error = compose(&bits, 1000 + turn);

		if (!error)
			error = kb_code_map(&code, bits.head.at, bits.head.used, options);
		if (error || code.two_mappings != two_mappings) {
			bad = wrong(error ? "a function cannot be mapped" : "a function is mapped the other way", error);
			break;
		}
		int seen = ((int (*)(void))code.entry)();

		if (seen != 1000 + turn)
			bad = wrong("a function returns another number", seen);
		again += code.entry == before;
		before = code.entry;
		kb_code_forget(&code);
	}
	kb_bits_free(&bits);
	return !bad && !emulated && again < TURNS / 2 ? wrong("hardly two functions lay at one address", again) : bad;
}

/* What the hole cannot hold is refused, not cut. */
static int refuses(void)
{
	struct kb_bits bits = { 0 };
	struct kb_hole hole = { 0 };
	const struct kb_relocation *relocation = NULL;
	int error;

	own_answer(&hole);
	relocation = &kb_target_host()->relocations[hole.relocation];
	if (relocation->max > INT32_MAX) /* of 32 bits, which an int is, too */
		return 0;
	kb_bits_again(&bits, kb_target_host(), KB_BITS_LIMIT, true);
	error = compose(&bits, (int)relocation->max + 1);
	kb_bits_free(&bits);
	return error == -EINVAL ? 0 : wrong("a number that does not fit is taken", error);
}

int main(int argc, char **argv)
{
	(void)argv;
	emulated = argc > 1;

	int bad = run(NULL, false) || run(&(struct kb_code_options){ .threads = true }, false) ||
		  run(&(struct kb_code_options){ .two_mappings = true }, true) || refuses();

	/* From here on nothing that was writable becomes executable; kernels and emulators without the rule say so. */
	if (!bad && !prctl(SET_MDWE, 1, 0, 0, 0))
		bad = run(NULL, true);
	if (!bad)
		printf("%s: composed code runs\n", KB_ARCH_NAME);
	return bad;
}
