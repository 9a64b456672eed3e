/* Lints of composed code: each family's words, on bytes written out; nothing is assembled, and objdump must be there. */
#include "unit/code/helpers.h"

#include "assemble/lint.h"

struct seen { unsigned count; char text[1200]; };

static void note(void *context, const struct kb_lint *found)
{
	struct seen *seen = context;
	size_t used = strlen(seen->text);

	seen->count++;
	snprintf(seen->text + used, sizeof seen->text - used, "%s %c%u +%zu %s\n", found->place, found->error ? 'Y' : 'W', found->number, found->offset, found->text);
}

static const struct { const struct kb_target *target; const char *what; const uint8_t *bytes; size_t count; const char *expected; } cases[] = {
	{ &kb_target_x86_64, "push rbx; mov rbx, rdi; pop rbx; leave; ret", BYTES("\x53\x48\x89\xfb\x5b\xc9\xc3"), "" },
	{ &kb_target_x86_64, "mov ebx, 1; ret", BYTES("\xbb\1\0\0\0\xc3"),
	  "t.yamba:7 Y322 +0 rbx belongs to the caller and is not brought back after: mov ebx,0x1\n" },
	{ &kb_target_x86_64, "cmp rbx, rax; test bl, bl; push r12; jmp rbx", BYTES("\x48\x39\xc3\x84\xdb\x41\x54\xff\xe3"), "" },
	{ &kb_target_x86_64, "xor r15d, r15d; jrcxz; nop", BYTES("\x45\x31\xff\xe3\xfe\x90"),
	  "t.yamba:7 Y322 +0 r15 belongs to the caller and is not brought back after: xor r15d,r15d\n"
	  "t.yamba:7 W321 +5 the last instruction is no return or jump: nop\n" },
	{ &kb_target_x86_64, "(bad); ret", BYTES("\x06\xc3"), "t.yamba:7 Y320 +0 bytes that are no instruction: (bad)\n" },
	{ &kb_target_x86_64, "mov rbx, [rsp+8]; repz ret", BYTES("\x48\x8b\x5c\x24\x08\xf3\xc3"), "" },
	{ &kb_target_x86_64, "imul rbx; ret", BYTES("\x48\xf7\xeb\xc3"), "" },
	{ &kb_target_x86_64, "mulx rbx, r12, rax; ret", BYTES("\xc4\xe2\x9b\xf6\xd8\xc3"),
	  "t.yamba:7 W322 +0 rbx belongs to the caller and is not brought back after: mulx rbx,r12,rax\n"
	  "t.yamba:7 W322 +0 r12 belongs to the caller and is not brought back after: mulx rbx,r12,rax\n" },
	{ &kb_target_x86_32, "mov esi, eax; ret", BYTES("\x89\xc6\xc3"),
	  "t.yamba:7 Y322 +0 esi belongs to the caller and is not brought back after: mov esi,eax\n" },
	{ &kb_target_x86_32, "mov esi, [ebp+8]; mov edi, [ebp-4]; ret", BYTES("\x8b\x75\x08\x8b\x7d\xfc\xc3"),
	  "t.yamba:7 Y322 +0 esi belongs to the caller and is not brought back after: mov esi,DWORD PTR [ebp+0x8]\n" },
	{ &kb_target_aarch64, "stp x29, x30, [sp, #-16]!; ldp x29, x30, [sp], #16; ret",
	  BYTES("\xfd\x7b\xbf\xa9\xfd\x7b\xc1\xa8\xc0\x03\x5f\xd6"), "" },
	{ &kb_target_aarch64, "mov x19, #1; b.eq .", BYTES("\x33\x00\x80\xd2\x00\x00\x00\x54"),
	  "t.yamba:7 Y322 +0 x19 belongs to the caller and is not brought back after: mov x19, #0x1\n"
	  "t.yamba:7 W321 +4 the last instruction is no return or jump: b.eq 0x4\n" },
	/* A load is no restoring, but from the stack. */
	{ &kb_target_aarch64, "ldr x19, [x0]; ret", BYTES("\x13\x00\x40\xf9\xc0\x03\x5f\xd6"),
	  "t.yamba:7 Y322 +0 x19 belongs to the caller and is not brought back after: ldr x19, [x0]\n" },
	{ &kb_target_aarch64, "ldr x19, [sp], #16; ret", BYTES("\xf3\x07\x41\xf8\xc0\x03\x5f\xd6"), "" },
	{ &kb_target_aarch64, "ldadd x19, x20, [x0]; ret", BYTES("\x14\x00\x33\xf8\xc0\x03\x5f\xd6"),
	  "t.yamba:7 W322 +0 x20 belongs to the caller and is not brought back after: ldadd x19, x20, [x0]\n" },
	{ &kb_target_riscv64, "ld s1, 0(a0); ret", BYTES("\x83\x34\x05\x00\x67\x80\x00\x00"),
	  "t.yamba:7 Y322 +0 s1 belongs to the caller and is not brought back after: ld s1,0(a0)\n" },
	{ &kb_target_riscv64, "sd s0, 8(sp); addi s0, sp, 16; ld s0, 8(sp); ret",
	  BYTES("\x23\x34\x81\x00\x13\x04\x01\x01\x03\x34\x81\x00\x67\x80\x00\x00"), "" },
	{ &kb_target_riscv64, "li s1, 1; ret", BYTES("\x93\x04\x10\x00\x67\x80\x00\x00"),
	  "t.yamba:7 Y322 +0 s1 belongs to the caller and is not brought back after: li s1,1\n" },
};

static void each_family_has_its_words(void **state)
{
	static const struct kb_bits_place place = { "C", "member", "t.yamba", 7 };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct seen seen = { .count = 0 };
		struct kb_bits bits = { 0 };

		kb_bits_again(&bits, cases[i].target, KB_BITS_LIMIT, true);
		kb_bits_bytes(&bits, &place, cases[i].bytes, cases[i].count);
		int result = kb_lint(&bits, note, &seen);

		kb_bits_free(&bits);
		if (result == -ENOENT) {
			print_message("%s skipped: no objdump\n", cases[i].target->name);
			continue;
		}
		assert_int_equal(result, 0);
		if (strcmp(seen.text, cases[i].expected))
			fail_msg("%s: found\n%sand not\n%s", cases[i].what, seen.text, cases[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_family_has_its_words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
