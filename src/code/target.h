/*
 * What composing and assembling must know of an instruction set: data and pure functions, all four in every build, so
 * that each is tested on any machine. The holes of machine code are ELF relocations of a closed list: the assembler
 * tells where an operand lies and how it is encoded, and no encoder of instructions is needed.
 */
#ifndef KB_CODE_TARGET_H
#define KB_CODE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kbench_yamba.h"

enum kb_hole_kind {
	KB_HOLE_VALUE,  /* a number */
	KB_HOLE_HIGH,   /* a number whose low 12 bits a KB_HOLE_LOW adds, sign-extended */
	KB_HOLE_LOW,    /* the low part of the number of a KB_HOLE_HIGH, or a short number by itself */
	KB_HOLE_LABEL   /* the distance from the hole to a label of the composed function */
};

/* One accepted relocation. A number fits if min <= number <= max and it is a multiple of step. */
struct kb_relocation {
	const char *name;               /* of ELF, without R_X86_64_ and the like */
	uint32_t type;                  /* of ELF */
	enum kb_hole_kind kind;
	uint8_t bytes;                  /* of code that are read and written */
	uint8_t shift;                  /* the field counts units of 1 << shift */
	uint8_t step;
	int64_t min;
	uint64_t max;
	uint32_t mask;                  /* bits of the instruction word that the field is; 0: the field is all bytes */
	uint8_t at;                     /* its lowest bit */
	uint32_t (*encode)(uint64_t field);     /* where the field is not in one piece: its bits in their places */
};

struct kb_register_file;

struct kb_target {
	const char *name;               /* of the platform class: x86_64 x86_32 aarch64 riscv64 */
	const char *family;             /* as in the names of machines: both x86 are "x86" */
	const struct kb_relocation *relocations;
	unsigned relocation_count;
	uint16_t elf_machine;
	bool is_64, has_rel;            /* has_rel: the addend lies in the section, as two's complement of `bytes` */
	bool intel;                     /* .intel_syntax: an immediate needs OFFSET */
	uint8_t instruction_bytes;      /* every instruction starts on a multiple; 1 on x86 */
	uint8_t fill;                   /* around composed code: what traps if it is run */
	uint32_t nop;                   /* no operation, of 4 bytes; 0: those of x86 */
	const struct kb_register_file *registers;       /* end with a NULL prefix */
	const char *const *assembler;   /* name of the program without prefix and options, NULL at the end */
	const char *prefix;             /* of the tools on machines of another family */
	const char *raw_machine;        /* objdump -m for a file of bare bytes */
	const char *all_extensions;     /* for objdump, where it shows no instruction that is not announced; NULL: it shows all */
	const char *prelude;            /* of the assembler, before every block */
	const char *restore;            /* behind a block that chose other instructions; NULL: there is no such choice */
};

/* Registers that a number chooses: "x" and 0 to 30; base: a number that stands for the others where something must be written. */
struct kb_register_file { const char *prefix; uint8_t min, max, base; };

extern const struct kb_target kb_target_x86_64, kb_target_x86_32, kb_target_aarch64, kb_target_riscv64;

/* All of them, NULL at the end. */
extern const struct kb_target *const kb_targets[];

/* By name; NULL if there is none. */
const struct kb_target *kb_target_find(const char *name);

/* That of this process. */
const struct kb_target *kb_target_host(void);

/* What a hole names by its index in the table of the target. */
static inline const struct kb_relocation *kb_target_of_hole(const struct kb_target *target, const struct kb_hole *hole)
{
	return &target->relocations[hole->relocation];
}

/* By its number in ELF; NULL for one that is not accepted. */
const struct kb_relocation *kb_target_relocation(const struct kb_target *, uint32_t type);

/* The addend that the assembler left in the section, where the target keeps it there; else 0. */
int64_t kb_target_addend(const struct kb_target *, const struct kb_relocation *, const uint8_t *place);

/* Fills with the platform's nops; what comes before the first whole instruction, if the start lies askew, with zeros. */
void kb_target_pad(const struct kb_target *, uint8_t *base, size_t from, size_t to);

/* The next three stand here, for composing calls them for each hole and a call costs as much as they do. */

/* number + addend, exactly; false if it lies outside -2^64 .. 2^64 - 1, where nothing fits. */
static inline bool kb_value_add(struct kb_value *value, int64_t addend)
{
	uint64_t sum = value->bits + (uint64_t)addend;
	int above = (sum < value->bits) - value->negative - (addend < 0);    /* what belongs above bit 63 */

	*value = (struct kb_value){ sum, above < 0 };
	return above == 0 || above == -1;
}

/* Whether it fits, with its step, a power of two. */
static inline bool kb_target_fits(const struct kb_relocation *relocation, struct kb_value value)
{
	return kb_value_between(value, relocation->min, relocation->max) && !(value.bits & (relocation->step - 1u));
}

/* Writes what fits; bits beyond the field are dropped. Little-endian, as all targets are, and needing no alignment. */
static inline void kb_target_put(const struct kb_relocation *relocation, uint8_t *place, struct kb_value value)
{
	uint64_t field = (uint64_t)((int64_t)value.bits >> relocation->shift);
	uint32_t word;

	if (!relocation->mask && relocation->bytes == sizeof word) {
		word = (uint32_t)field;
		memcpy(place, &word, sizeof word);
		return;
	}
	if (!relocation->mask) {
		memcpy(place, &field, relocation->bytes);
		return;
	}
	memcpy(&word, place, sizeof word);
	word &= ~relocation->mask;
	word |= (relocation->encode ? relocation->encode(field) : (uint32_t)field << relocation->at) & relocation->mask;
	memcpy(place, &word, sizeof word);
}

/* The numbers of all registers of a fragment, which fit, into the bytes of its copy. */
static inline void kb_turn_bits(const struct kb_fragment *fragment, const struct kb_value *values, uint8_t *at)
{
	for (uint32_t i = 0; i < fragment->register_count; i++) {
		const struct kb_register_hole *hole = &fragment->registers[i];
		uint64_t turned = values[hole->value].bits ^ hole->base;

		for (uint32_t bit = 0; bit < KB_REGISTER_BITS; bit++)
			for (uint32_t j = 0; j < hole->bytes && turned >> bit & 1; j++)
				at[hole->offset + j] ^= hole->masks[bit][j];
	}
}

#endif
