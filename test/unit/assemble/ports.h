/*
 * The page-fault program of the language's section 15 in its four ports, as asm blocks: prologue, touch, epilogue. `touch`
 * has one hole, an address's offset.
 */
#ifndef TEST_CODE_PORTS_H
#define TEST_CODE_PORTS_H

#include "unit/code/helpers.h"

#include "assemble/assemble.h"

struct port {
	const struct kb_target *target;
	const char *prologue, *touch, *epilogue;
	const char *written;            /* touch with the number, %lld, in place: what one would write by hand */
	int step;                       /* bytes between the pointers */
	long long largest;              /* offset that the hole takes */
	size_t size_40;                 /* bytes of 40 touches; seen of GNU as when the language was planned */
};

static const struct port ports[] = {
	{ &kb_target_x86_64, "endbr64; push rbp; mov rbp, rsp; push rbx; mov rbx, rdi",
	  "mov rax, [rbx + $(8 * i)]; mov al, [rax]", "pop rbx; leave; ret",
	  "{disp32} mov rax, [rbx + %lld]; mov al, [rax]", 8, 0x7fffffff, 375 },
	{ &kb_target_x86_32, "push ebp; mov ebp, esp; push ebx; mov ebx, [ebp + 8]",
	  "mov eax, [ebx + $(4 * i)]; mov eax, [eax]", "pop ebx; leave; ret",
	  "{disp32} mov eax, [ebx + %lld]; mov eax, [eax]", 4, 0x7fffffff, 330 },
	{ &kb_target_aarch64, "stp x29, x30, [sp, #-16]!; mov x29, sp; mov x9, x0",
	  "ldr x10, [x9, #:lo12:$(8 * i)]; ldrb w10, [x10]", "ldp x29, x30, [sp], #16; ret",
	  "ldr x10, [x9, #%lld]; ldrb w10, [x10]", 8, 32760, 340 },
	{ &kb_target_riscv64, "mv t0, a0",
	  "lui t1, %hi($(8 * i)); add t1, t1, t0; ld t1, %lo($( 8*i ))(t1); lb t2, 0(t1)", "ret",
	  "lui t1, %%hi(%lld); add t1, t1, t0; ld t1, %%lo(%lld)(t1); lb t2, 0(t1)", 8, 0x7ffff7ff, 648 },
};

#define PORTS (sizeof(ports) / sizeof(ports[0]))

static inline struct kb_assemble_block block_of(const char *member, uint32_t line, const char *text)
{
	return (struct kb_assemble_block){ "P", member, "p.yamba", line, text, strlen(text), NULL };
}

/* False, after saying why, where the target's assembler is missing; fails the test if the program is refused. */
static inline bool assembled(struct kb_assembly *assembly, const struct kb_target *target,
	const struct kb_assemble_block *blocks, unsigned count)
{
	int error = kb_assemble(assembly, target, blocks, count);

	if (error == -ENOSYS) {
		print_message("%s skipped: %s\n", target->name, assembly->messages[0].text);
		kb_assemble_free(assembly);
		return false;
	}
	for (unsigned i = 0; i < assembly->message_count && i < KB_ASSEMBLE_MESSAGES; i++)
		print_message("%s:%u: Y%u: %s\n", assembly->messages[i].file, assembly->messages[i].line,
			assembly->messages[i].number, assembly->messages[i].text);
	assert_int_equal(error, 0);
	return true;
}

static inline bool port_assembled(const struct port *port, struct kb_assembly *assembly)
{
	const struct kb_assemble_block blocks[] = { block_of("prologue", 1, port->prologue), block_of("touch", 2, port->touch),
		block_of("epilogue", 3, port->epilogue) };

	return assembled(assembly, port->target, blocks, 3);
}

/* pagefault_func(m). */
static inline void port_compose(const struct port *port, const struct kb_assembly *assembly, struct kb_bits *bits, int m)
{
	*bits = (struct kb_bits){ 0 };
	kb_bits_again(bits, port->target, KB_BITS_LIMIT, true);
	kb_bits_append(bits, &assembly->blocks[0].fragment, NULL);
	for (int i = 0; i < m; i++)
		kb_bits_append(bits, &assembly->blocks[1].fragment, (struct kb_value[]){ KB_VALUE(port->step * i) });
	kb_bits_append(bits, &assembly->blocks[2].fragment, NULL);
	kb_bits_finish(bits);
}

#endif
