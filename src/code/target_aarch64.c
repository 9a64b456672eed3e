/*
 * AArch64. The number of a `:lo12:` hole is the whole immediate, scaled by the access: the ABI would mask an address to
 * 12 bits, which here would silently fold a large offset. ELF for the Arm 64-bit Architecture, 5.7.
 */
#include "code/target.h"

#include <elf.h>

/* Bit 30 tells movz from movn, whose immediate is inverted: the sign of the number chooses. */
static uint32_t signed_imm16(uint64_t field)
{
	bool negative = (int64_t)field < 0;

	return (negative ? 0 : 1u << 30) | (uint32_t)(negative ? ~field : field) << 5;
}

/* adr: the two lowest bits in 30:29, the others in 23:5. */
static uint32_t adr(uint64_t field)
{
	return (uint32_t)field << 29 | ((uint32_t)(field >> 2) & 0x7ffff) << 5;
}

#define IMM12 .mask = 0xfffu << 10, .at = 10
#define IMM14 .mask = 0x3fffu << 5, .at = 5
#define IMM16 .mask = 0xffffu << 5, .at = 5
#define IMM19 .mask = 0x7ffffu << 5, .at = 5
#define IMM26 .mask = 0x3ffffff
#define SIGNED_IMM16 .mask = 1u << 30 | 0xffffu << 5, .encode = signed_imm16
#define ADR .mask = 3u << 29 | 0x7ffffu << 5, .encode = adr

#define DATA(name, type, bytes, min, max) { name, type, KB_HOLE_VALUE, bytes, 0, 1, min, max, .mask = 0 }
#define LO12(name, type, shift) \
	{ name, type, KB_HOLE_VALUE, 4, shift, 1 << shift, 0, 4095u << shift, IMM12 }
#define MOVW(name, type, shift, max) { name, type, KB_HOLE_VALUE, 4, shift, 1, 0, max, IMM16 }
#define MOVW_NC(name, type, shift) { name, type, KB_HOLE_VALUE, 4, shift, 1, INT64_MIN, UINT64_MAX, IMM16 }
#define MOVW_SIGNED(name, type, shift, limit) \
	{ name, type, KB_HOLE_VALUE, 4, shift, 1, -(limit), (uint64_t)(limit) - 1, SIGNED_IMM16 }
#define LABEL(name, type, shift, limit, ...) \
	{ name, type, KB_HOLE_LABEL, 4, shift, 1 << shift, -(limit), (limit) - (1 << shift), __VA_ARGS__ }
#define KIB 1024ll
#define MIB (1024 * KIB)

static const struct kb_relocation relocations[] = {
	LO12("LDST64_ABS_LO12_NC", R_AARCH64_LDST64_ABS_LO12_NC, 3),
	LO12("LDST8_ABS_LO12_NC", R_AARCH64_LDST8_ABS_LO12_NC, 0),
	LO12("LDST16_ABS_LO12_NC", R_AARCH64_LDST16_ABS_LO12_NC, 1),
	LO12("LDST32_ABS_LO12_NC", R_AARCH64_LDST32_ABS_LO12_NC, 2),
	LO12("LDST128_ABS_LO12_NC", R_AARCH64_LDST128_ABS_LO12_NC, 4),
	LO12("ADD_ABS_LO12_NC", R_AARCH64_ADD_ABS_LO12_NC, 0),
	MOVW("MOVW_UABS_G0", R_AARCH64_MOVW_UABS_G0, 0, UINT16_MAX),
	MOVW("MOVW_UABS_G1", R_AARCH64_MOVW_UABS_G1, 16, UINT32_MAX),
	MOVW("MOVW_UABS_G2", R_AARCH64_MOVW_UABS_G2, 32, UINT64_MAX >> 16),
	MOVW("MOVW_UABS_G3", R_AARCH64_MOVW_UABS_G3, 48, UINT64_MAX),
	MOVW_NC("MOVW_UABS_G0_NC", R_AARCH64_MOVW_UABS_G0_NC, 0),
	MOVW_NC("MOVW_UABS_G1_NC", R_AARCH64_MOVW_UABS_G1_NC, 16),
	MOVW_NC("MOVW_UABS_G2_NC", R_AARCH64_MOVW_UABS_G2_NC, 32),
	MOVW_SIGNED("MOVW_SABS_G0", R_AARCH64_MOVW_SABS_G0, 0, 1ll << 16),
	MOVW_SIGNED("MOVW_SABS_G1", R_AARCH64_MOVW_SABS_G1, 16, 1ll << 32),
	MOVW_SIGNED("MOVW_SABS_G2", R_AARCH64_MOVW_SABS_G2, 32, 1ll << 48),
	DATA("ABS16", R_AARCH64_ABS16, 2, INT16_MIN, UINT16_MAX),
	DATA("ABS32", R_AARCH64_ABS32, 4, INT32_MIN, UINT32_MAX),
	DATA("ABS64", R_AARCH64_ABS64, 8, INT64_MIN, UINT64_MAX),
	LABEL("JUMP26", R_AARCH64_JUMP26, 2, 128 * MIB, IMM26),
	LABEL("CALL26", R_AARCH64_CALL26, 2, 128 * MIB, IMM26),
	LABEL("CONDBR19", R_AARCH64_CONDBR19, 2, MIB, IMM19),
	LABEL("TSTBR14", R_AARCH64_TSTBR14, 2, 32 * KIB, IMM14),
	LABEL("ADR_PREL_LO21", R_AARCH64_ADR_PREL_LO21, 0, MIB, ADR),
	LABEL("LD_PREL_LO19", R_AARCH64_LD_PREL_LO19, 2, MIB, IMM19)
};

/* Landing pads and single-instruction atomics are known from this architecture on. */
static const char *const assembler[] = { "as", "-march=armv8.5-a", NULL };

/* 31 is the stack pointer or zero, which have names. */
static const struct kb_register_file registers[] = {
	{ "x", 0, 30, 5 }, { "w", 0, 30, 5 }, { "v", 0, 31, 5 }, { "q", 0, 31, 5 }, { "d", 0, 31, 5 }, { "s", 0, 31, 5 }, { "h", 0, 31, 5 }, { "b", 0, 31, 5 },
	{ "z", 0, 31, 5 }, { "p", 0, 15, 5 }, { NULL, 0, 0, 0 }
};

const struct kb_target kb_target_aarch64 = {
	.name = "aarch64", .family = "aarch64", .elf_machine = EM_AARCH64, .is_64 = true,
	.relocations = relocations, .relocation_count = sizeof(relocations) / sizeof(relocations[0]),
	.instruction_bytes = 4, .fill = 0, .nop = 0xd503201f,
	.registers = registers, .assembler = assembler, .prefix = "aarch64-linux-gnu-", .raw_machine = "aarch64", .prelude = "", .restore = ".arch armv8.5-a\n"
};
