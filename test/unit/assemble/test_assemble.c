/* From asm blocks to fragments, by GNU as: the ports' sizes, what holes become, and every refusal with its place. */
#include "ports.h"

#include "code/memory.h"

static void golden_sizes(void **state)
{
	static const char *const touch_1[PORTS] = { "\x48\x8b\x83\x08\0\0\0\x8a\0", "\x8b\x83\x04\0\0\0\x8b\0",
		"\x2a\x05\x40\xf9\x4a\x01\x40\x39", "\x37\x03\0\0\x33\x03\x53\0\x03\x33\x83\0\x83\x03\x03\0" };
	static const size_t prologue[PORTS] = { 12, 7, 12, 4 }, touch[PORTS] = { 9, 8, 8, 16 };

	(void)state;
	for (unsigned i = 0; i < PORTS; i++) {
		struct kb_assembly assembly;
		struct kb_bits bits;

		if (!port_assembled(&ports[i], &assembly))
			continue;
		port_compose(&ports[i], &assembly, &bits, 40);
		assert_int_equal(bits.error.number, 0);
		assert_int_equal(bits.head.used, ports[i].size_40);
		assert_memory_equal(bits.head.at + prologue[i] + touch[i], touch_1[i], touch[i]);
		kb_bits_free(&bits);
		port_compose(&ports[i], &assembly, &bits, 5);
		if (ports[i].target == &kb_target_x86_32)
			assert_code(&bits, "\x55\x89\xe5\x53\x8b\x5d\x08"
				"\x8b\x83\0\0\0\0\x8b\0\x8b\x83\x04\0\0\0\x8b\0\x8b\x83\x08\0\0\0\x8b\0"
				"\x8b\x83\x0c\0\0\0\x8b\0\x8b\x83\x10\0\0\0\x8b\0\x5b\xc9\xc3");
		assert_int_equal(assembly.blocks[1].value_count, 1);
		assert_int_equal(assembly.blocks[1].fragment.hole_count, i == 3 ? 2 : 1);
		kb_bits_free(&bits);
		kb_assemble_free(&assembly);
	}
}

/* ---- holes --------------------------------------------------------------------------------------- */

struct filled { const struct kb_target *target; const char *text; int64_t value; const char *bytes; size_t count; };

#define FILLED(target, text, value, bytes) { &kb_target_##target, text, value, bytes, sizeof(bytes) - 1 }

static const struct filled fillings[] = {
	FILLED(x86_64, "add rcx, $(n)", -2, "\x48\x81\xc1\xfe\xff\xff\xff"),
	FILLED(x86_64, "1: mov eax, $(n) // a comment with $( and [", 0xfffffffell, "\xb8\xfe\xff\xff\xff"),
	FILLED(x86_64, "movabs rax, $(n)", 0x1122334455667788, "\x48\xb8\x88\x77\x66\x55\x44\x33\x22\x11"),
	FILLED(x86_64, "shl rax, $(n)", 3, "\x48\xc1\xe0\x03"),
	FILLED(x86_64, "mov rax, 8 + $(n)", 3, "\x48\xc7\xc0\x0b\0\0\0"),
	FILLED(x86_64, "mov rax, OFFSET $(n)", 3, "\x48\xc7\xc0\x03\0\0\0"),
	FILLED(x86_64, "mov rax, $(n)[rbx]", 3, "\x48\x8b\x83\x03\0\0\0"),
	FILLED(x86_64, "mov rax, [rbx+$(n) + 4]", 4, "\x48\x8b\x83\x08\0\0\0"),
	FILLED(x86_64, "mov qword ptr [rbx + $(n)], $(n)", 5, "\x48\xc7\x83\x05\0\0\0\x05\0\0\0"),
	FILLED(x86_64, "/* two\nlines */ .byte $(n), 1; .quad $(n)", -1, "\xff\x01\xff\xff\xff\xff\xff\xff\xff\xff"),
	FILLED(x86_64, "@top: mov ecx, $(n); loop @top", 2, "\xb9\x02\0\0\0\xe2\xf9"),
	FILLED(x86_64, "jmp 1f; nop; 1: lea rax, [rip + 1b]", 0, "\xeb\x01\x90\x48\x8d\x05\xf9\xff\xff\xff"),
	FILLED(x86_64, ".globl away; jmp away; nop; away: ret", 0, "\xeb\x01\x90\xc3"),
	FILLED(x86_64, "mov rax, fs:$(n)", 16, "\x64\x48\x8b\x04\x25\x10\0\0\0"),
	FILLED(x86_64, "mov eax, dword ptr $(n)", 16, "\x8b\x04\x25\x10\0\0\0"),
	FILLED(x86_64, "vmovaps zmm1{k1}, [rax + $(n)]", 64, "\x62\xf1\x7c\x49\x28\x88\x40\0\0\0"),
	FILLED(x86_64, ".rept 2; mov byte ptr [rbx + $(n)], $(n); .endr", 6,
		"\xc6\x83\x06\0\0\0\x06\xc6\x83\x06\0\0\0\x06"),
	FILLED(x86_64, ".weak away; jmp away; nop; away: ret", 0, "\xe9\1\0\0\0\x90\xc3"),
	FILLED(x86_32, ".weak away; jmp away; nop; away: ret", 0, "\xe9\1\0\0\0\x90\xc3"),
	FILLED(x86_32, "mov eax, [ebx + $(n) + 4]", 4, "\x8b\x83\x08\0\0\0"),
	FILLED(x86_32, "push $(n); jmp @x; @x: call @x", 16, "\x68\x10\0\0\0\xe9\0\0\0\0\xe8\xfb\xff\xff\xff"),
	FILLED(aarch64, "movz x1, #:abs_g0_nc:$(n); movk x1, #:abs_g1_nc:$(n)", 0x12345678,
		"\x01\xcf\x8a\xd2\x81\x46\xa2\xf2"),
	FILLED(aarch64, "movz x1, #:abs_g0_s:$(n)", -6, "\xa1\x00\x80\x92"),
	FILLED(aarch64, "movn x1, #:abs_g0_s:$(n)", 6, "\xc1\x00\x80\xd2"),
	FILLED(aarch64, "add x0, x1, #:lo12:$(n) // }", 4095, "\x20\xfc\x3f\x91"),
	FILLED(aarch64, "@l: ldr q0, [x1, #:lo12:$(n)]; cbnz x1, @l", 32, "\x20\x08\xc0\x3d\xe1\xff\xff\xb5"),
	FILLED(aarch64, "@l: tbz x1, #3, @l; b.ne @l; adr x0, @l; bl @l", 0,
		"\x01\x00\x18\x36\xe1\xff\xff\x54\xc0\xff\xff\x10\xfd\xff\xff\x97"),
	FILLED(riscv64, "lui t1, %hi($(n)); sd t2, %lo($(n))(t1)", 0x1fff, "\x37\x23\0\0\xa3\x3f\x73\xfe"),
	FILLED(riscv64, "@l: addi t0, t0, %lo($(n)); j @l", -1, "\x93\x82\xf2\xff\x6f\xf0\xdf\xff"),
	FILLED(riscv64, "1: beq a0, a1, 1b; .word $(n)", 7, "\x63\x00\xb5\x00\x07\0\0\0"),
	/* The assembler turns a branch that may be far into an inverted one and a jump. */
	FILLED(riscv64, "@l: beq a0, a1, @l", 0, "\x63\x14\xb5\x00\x6f\xf0\xdf\xff"),
};

static void fill_one(const struct filled *filled)
{
	const struct kb_assemble_block block = block_of("m", 5, filled->text);
	struct kb_value values[] = { kb_value_signed(filled->value) };
	struct kb_assembly assembly;
	struct kb_bits bits = { 0 };

	if (!assembled(&assembly, filled->target, &block, 1))
		return;
	for (unsigned i = 1; i < assembly.blocks[0].fragment.hole_count; i++)
		assert_true(assembly.blocks[0].fragment.holes[i].offset > assembly.blocks[0].fragment.holes[i - 1].offset);
	kb_bits_again(&bits, filled->target, KB_BITS_LIMIT, true);
	kb_bits_append(&bits, &assembly.blocks[0].fragment, values);
	if (kb_bits_finish(&bits))
		fail_msg("%s: %s", filled->text, bits.error.text);
	if (bits.head.used != filled->count || memcmp(bits.head.at, filled->bytes, filled->count)) {
		for (size_t i = 0; i < bits.head.used; i++)
			print_message("%02x ", bits.head.at[i]);
		fail_msg("%s: %s", filled->target->name, filled->text);
	}
	kb_bits_free(&bits);
	kb_assemble_free(&assembly);
}

static void holes_become_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(fillings) / sizeof(fillings[0]); i++)
		fill_one(&fillings[i]);
}

static void values_and_lines_are_told(void **state)
{
	static const char text[] = "\n\tmov rax, [rbx + $(8 * i)] // $(no)\n\tadd rcx, $( 8*i )\n\tadd rdx, $(f(\")\", ')', (1)))\n"
		"\tjmp @out\n";
	const struct kb_assemble_block block = block_of("m", 30, text);
	struct kb_assembly assembly;

	(void)state;
	if (!assembled(&assembly, &kb_target_x86_64, &block, 1))
		return;
	const struct kb_assembled *m = &assembly.blocks[0];

	assert_int_equal(m->value_count, 2);
	assert_memory_equal(m->values[0].at, "8 * i", m->values[0].length);
	assert_memory_equal(m->values[1].at, "f(\")\", ')', (1))", m->values[1].length);
	assert_int_equal(m->fragment.hole_count, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(m->fragment.holes[i].line, 31 + i);
	assert_int_equal(m->fragment.holes[1].value, 0);
	assert_string_equal(m->fragment.labels[0].name, "out");
	assert_int_equal(m->fragment.labels[0].line, 34);
	kb_assemble_free(&assembly);
}

/* A program may use any names, also those that would be chosen for its holes. */
static void generated_names_do_not_clash(void **state)
{
	const struct kb_assemble_block blocks[] = { block_of("a", 1, "Yb0h0: Yba0h0: jmp Yb0h0; jmp Yba0h0; mov eax, $(n)"),
		block_of("b", 2, "Yb1h0: jmp Yb1h0; mov eax, $(n)") };
	struct kb_assembly assembly;

	(void)state;
	if (!assembled(&assembly, &kb_target_x86_64, blocks, 2))
		return;
	assert_memory_equal(assembly.blocks[0].fragment.bytes, "\xeb\xfe\xeb\xfc\xb8", 5);
	assert_int_equal(assembly.blocks[1].fragment.hole_count, 1);
	kb_assemble_free(&assembly);
}

/* Numeric and .L labels are the block's own, in spite of the one file. */
static void local_labels_are_private(void **state)
{
	const struct kb_assemble_block blocks[] = { block_of("a", 1, "1: jmp 1b; .Ltop: jmp .Ltop"),
		block_of("b", 2, "nop; 1: jmp 1b; nop; .Ltop: jmp .Ltop") };
	struct kb_assembly assembly;

	(void)state;
	if (!assembled(&assembly, &kb_target_x86_64, blocks, 2))
		return;
	assert_memory_equal(assembly.blocks[0].fragment.bytes, "\xeb\xfe\xeb\xfe", 4);
	assert_memory_equal(assembly.blocks[1].fragment.bytes, "\x90\xeb\xfe\x90\xeb\xfe", 6);
	kb_assemble_free(&assembly);
}

/* A block that changes the mode or the syntax of the assembler changes it for itself. */
static void directives_end_with_their_block(void **state)
{
	const struct kb_assemble_block blocks[] = { block_of("a", 1, "nop; .code32; .att_syntax noprefix"),
		block_of("b", 7, "push rax; mov rax, rbx") };
	struct kb_assembly assembly;
	int error = kb_assemble(&assembly, &kb_target_x86_64, blocks, 2);

	(void)state;
	if (error != -ENOSYS) {
		assert_int_equal(error, 0);
		assert_int_equal(assembly.blocks[1].fragment.count, 4);
		assert_memory_equal(assembly.blocks[1].fragment.bytes, "\x50\x48\x89\xd8", 4);
	}
	kb_assemble_free(&assembly);
}

/* Without the automatic OFFSET an immediate is a load from memory, and nothing but the self-check would notice. */
static void the_self_check_sees_a_change_of_meaning(void **state)
{
	const struct kb_assemble_block blocks[] = { block_of("a", 1, "mov rax, [rbx + $(n)]"),
		block_of("b", 7, "nop; add rax, $(n)") };
	struct kb_target target = kb_target_x86_64;
	struct kb_assembly assembly;
	int error;

	(void)state;
	target.intel = false;
	error = kb_assemble(&assembly, &target, blocks, 2);
	if (error != -ENOSYS) {
		assert_int_equal(error, -EINVAL);
		assert_int_equal(assembly.error_count, 1);
		assert_int_equal(assembly.messages[0].number, 221);
		assert_int_equal(assembly.messages[0].line, 7);
		assert_non_null(strstr(assembly.messages[0].text, "instruction 2"));
	}
	kb_assemble_free(&assembly);
}

/* Those beyond what is kept are no errors either. */
static void warnings_are_told_and_pass(void **state)
{
	static const struct { const char *text; size_t count; uint32_t line; } warned[] = {
		{ "nop\n.warning \"careful\"", 1, 4 },
		{ ".rept 100; .warning \"careful\"; .endr", 100, 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof warned / sizeof *warned; i++) {
		const struct kb_assemble_block block = block_of("a", 3, warned[i].text);
		struct kb_assembly assembly;
		int error = kb_assemble(&assembly, &kb_target_x86_64, &block, 1);

		if (error != -ENOSYS) {
			assert_int_equal(error, 0);
			assert_int_equal(assembly.message_count, warned[i].count);
			assert_int_equal(assembly.error_count, 0);
			assert_true(assembly.messages[0].warning && assembly.messages[0].line == warned[i].line);
			assert_non_null(strstr(assembly.messages[0].text, "careful"));
		}
		kb_assemble_free(&assembly);
	}
}

/* ---- refusals ------------------------------------------------------------------------------------ */

struct refused { const struct kb_target *target; const char *text; unsigned number; uint32_t line; const char *says; };

static const struct refused refusals[] = {
	{ &kb_target_x86_64, "nop\n\tbogus rax\nnop", 200, 6, "no such instruction: `bogus rax'" },
	{ &kb_target_x86_64, "/* one\n two */ nop; bogus $(8 * i)", 200, 6, "$(8 * i)" },
	{ &kb_target_x86_64, "mov rax, /* a\nb */ rbx; add rax, $(1 +\n2)\n bogus", 200, 8, "`bogus'" },
	{ &kb_target_x86_64, "nop; .ascii \"one\n bogus", 200, 5, "" },
	{ &kb_target_x86_64, "nop\n.data\n.byte 1", 210, 6, ".data" },
	{ &kb_target_x86_64, "nop\n.data", 210, 6, "leaves its section" },
	{ &kb_target_x86_64, "nop\n.pushsection .data\n.byte 1\n.popsection", 210, 6, ".data" },
	{ &kb_target_x86_64, "nop\n.p2align 4\nnop", 211, 6, "align(16)" },
	{ &kb_target_x86_64, "nop\nadd rax, ebxx", 212, 6, "ebxx" },
	{ &kb_target_x86_64, "nop\njmp .Lno", 212, 6, ".Lno" },
	{ &kb_target_x86_64, "nop\nmov rax, .Lno", 212, 6, ".Lno" },
	{ &kb_target_x86_64, ".Lx: nop\nbogus .Lx", 200, 6, "`bogus .Lx'" },
	{ &kb_target_x86_64, "call puts", 212, 5, "puts" },
	{ &kb_target_x86_64, "x: mov rax, OFFSET x", 220, 5, "absolute address" },
	{ &kb_target_x86_64, "nop\n jmp $(n)", 220, 6, "$(n)" },
	{ &kb_target_x86_64, "nop\n mov rax, OFFSET @x", 220, 6, "@x" },
	{ &kb_target_x86_64, "nop\n mov rax, [rip + $(n)]", 220, 6, "$(n)" },
	{ &kb_target_x86_64, "nop # $(n)", 220, 5, "left no place for $(n)" },
	{ &kb_target_x86_64, "nop\n add rax, $(f(1)", 102, 6, "not closed" },
	{ &kb_target_aarch64, "nop\nlsl x0, x1, #$(n)", 200, 6, "compute the instruction word" },
	{ &kb_target_aarch64, "adrp x0, @x", 220, 5, "@x" },
	{ &kb_target_aarch64, "nop\n.p2align 3", 211, 6, "align(8)" },
	{ &kb_target_riscv64, "nop\nslli t0, t0, $(n)", 200, 6, "compute the instruction word" },
	{ &kb_target_riscv64, "call puts", 212, 5, "puts" },
};

static void refuse_one(const struct refused *refused)
{
	const struct kb_assemble_block blocks[] = { block_of("a", 1, "nop\nnop"), block_of("m", 5, refused->text),
		block_of("z", 90, "nop") };
	struct kb_assembly assembly;
	int error = kb_assemble(&assembly, refused->target, blocks, 3);
	const struct kb_assemble_message *message = &assembly.messages[0];

	if (error != -ENOSYS) {
		if (error != -EINVAL || assembly.error_count == 0)
			fail_msg("accepted: %s", refused->text);
		bool said = strstr(message->text, refused->says) || (message->remedy && strstr(message->remedy, refused->says));

		if (message->number != refused->number || message->line != refused->line || !said)
			fail_msg("%s: %s:%u: Y%u: %s", refused->text, message->file, message->line, message->number,
				message->text);
		if (message->at)
			assert_in_range(message->at - refused->text, 0, strlen(refused->text));
	}
	kb_assemble_free(&assembly);
}

static void what_is_not_understood_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		refuse_one(&refusals[i]);
}

static void a_missing_assembler_is_said(void **state)
{
	static const char *const nothing[] = { "no-such-assembler", NULL };
	struct kb_target target = kb_target_aarch64;
	const struct kb_assemble_block block = block_of("a", 1, "nop");
	struct kb_assembly assembly;

	(void)state;
	target.assembler = nothing;
	assert_int_equal(kb_assemble(&assembly, &target, &block, 1), -ENOSYS);
	assert_int_equal(assembly.messages[0].number, 201);
	assert_non_null(strstr(assembly.messages[0].text, "no-such-assembler"));
	kb_assemble_free(&assembly);
}

/* ---- running ------------------------------------------------------------------------------------- */

/* The port of this machine reads m pointers and what they point to; here all point to one place, the last beyond. */
static void the_port_of_the_host_runs(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PORTS; i++) {
		struct kb_assembly assembly;
		struct kb_bits bits;
		struct kb_mapped_code code;
		static uint8_t byte[8];
		uint8_t *targets[1000];

		if (ports[i].target != kb_target_host() || !port_assembled(&ports[i], &assembly))
			continue;
		for (unsigned j = 0; j < 1000; j++)
			targets[j] = byte;
		port_compose(&ports[i], &assembly, &bits, 1000);
		assert_int_equal(kb_code_map(&code, bits.head.at, bits.head.used, NULL), 0);
		((void (*)(uint8_t **))code.entry)(targets);
		kb_code_forget(&code);
		kb_bits_free(&bits);
		kb_assemble_free(&assembly);
	}
}

/* A loop that opens in one fragment and closes in another, with copies of a third between. */
static void a_loop_across_fragments_runs(void **state)
{
	static const struct kb_assemble_block blocks[] = {
		{ "P", "open", "p.yamba", 1, "xor eax, eax; mov ecx, $(n)\n@top:", 33, NULL },
		{ "P", "body", "p.yamba", 3, "add rax, $(i)", 13, NULL },
		{ "P", "close", "p.yamba", 4, "dec ecx; jnz @top; ret", 22, NULL },
	};
	struct kb_assembly assembly;
	struct kb_bits bits = { 0 };
	struct kb_mapped_code code;

	(void)state;
	if (kb_target_host() != &kb_target_x86_64 || !assembled(&assembly, &kb_target_x86_64, blocks, 3))
		return;
	kb_bits_again(&bits, &kb_target_x86_64, KB_BITS_LIMIT, true);
	kb_bits_append(&bits, &assembly.blocks[0].fragment, (struct kb_value[]){ KB_VALUE(7) });
	for (int i = 0; i < 100; i++)
		kb_bits_append(&bits, &assembly.blocks[1].fragment, (struct kb_value[]){ KB_VALUE(i) });
	kb_bits_append(&bits, &assembly.blocks[2].fragment, NULL);
	assert_int_equal(kb_bits_finish(&bits), 0);
	assert_int_equal(kb_code_map(&code, bits.head.at, bits.head.used, NULL), 0);
	assert_int_equal(((long (*)(void))code.entry)(), 7 * 4950);
	kb_code_forget(&code);
	kb_bits_free(&bits);
	kb_assemble_free(&assembly);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_sizes),
		cmocka_unit_test(holes_become_bytes),
		cmocka_unit_test(values_and_lines_are_told),
		cmocka_unit_test(generated_names_do_not_clash),
		cmocka_unit_test(local_labels_are_private),
		cmocka_unit_test(directives_end_with_their_block),
		cmocka_unit_test(the_self_check_sees_a_change_of_meaning),
		cmocka_unit_test(warnings_are_told_and_pass),
		cmocka_unit_test(what_is_not_understood_is_refused),
		cmocka_unit_test(a_missing_assembler_is_said),
		cmocka_unit_test(the_port_of_the_host_runs),
		cmocka_unit_test(a_loop_across_fragments_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
