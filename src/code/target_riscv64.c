/*
 * RISC-V, 64 bit, no compressed instructions. lui adds a sign-extended low part, so that the largest number of a pair is
 * 0x7ffff7ff: the next one would become negative. RISC-V ELF psABI, "Relocations"; unprivileged ISA 2.3 for the formats.
 */
#include "code/target.h"

#include <elf.h>

static uint32_t high(uint64_t field)
{
	return (uint32_t)field + 0x800;
}

/* A store: bits 11:5 on top, 4:0 in 11:7. */
static uint32_t low_s(uint64_t field)
{
	return (uint32_t)field >> 5 << 25 | ((uint32_t)field & 0x1f) << 7;
}

/* imm[12|10:5] in 31:25, imm[4:1|11] in 11:7. */
static uint32_t branch(uint64_t field)
{
	uint32_t d = (uint32_t)field;

	return (d >> 12 & 1) << 31 | (d >> 5 & 0x3f) << 25 | (d >> 1 & 0xf) << 8 | (d >> 11 & 1) << 7;
}

/* imm[20|10:1|11|19:12] in 31:12. */
static uint32_t jal(uint64_t field)
{
	uint32_t d = (uint32_t)field;

	return (d >> 20 & 1) << 31 | (d >> 1 & 0x3ff) << 21 | (d >> 11 & 1) << 20 | (d >> 12 & 0xff) << 12;
}

static const struct kb_relocation relocations[] = {
	{ "HI20", R_RISCV_HI20, KB_HOLE_HIGH, 4, 0, 1, INT32_MIN, 0x7ffff7ff, .mask = 0xfffff000, .encode = high },
	{ "LO12_I", R_RISCV_LO12_I, KB_HOLE_LOW, 4, 0, 1, -2048, 2047, .mask = 0xfffu << 20, .at = 20 },
	{ "LO12_S", R_RISCV_LO12_S, KB_HOLE_LOW, 4, 0, 1, -2048, 2047, .mask = 0xfe000f80, .encode = low_s },
	{ "32", R_RISCV_32, KB_HOLE_VALUE, 4, 0, 1, INT32_MIN, UINT32_MAX, .mask = 0 },
	{ "64", R_RISCV_64, KB_HOLE_VALUE, 8, 0, 1, INT64_MIN, UINT64_MAX, .mask = 0 },
	{ "BRANCH", R_RISCV_BRANCH, KB_HOLE_LABEL, 4, 0, 2, -4096, 4094, .mask = 0xfe000f80, .encode = branch },
	{ "JAL", R_RISCV_JAL, KB_HOLE_LABEL, 4, 0, 2, -1048576, 1048574, .mask = 0xfffff000, .encode = jal }
};

static const char *const assembler[] = { "as", "-march=rv64gc", NULL };

static const struct kb_register_file registers[] = { { "x", 0, 31, 5 }, { "f", 0, 31, 5 }, { "v", 0, 31, 5 }, { NULL, 0, 0, 0 } };

const struct kb_target kb_target_riscv64 = {
	.name = "riscv64", .family = "riscv64", .elf_machine = EM_RISCV, .is_64 = true,
	.relocations = relocations, .relocation_count = sizeof(relocations) / sizeof(relocations[0]),
	.instruction_bytes = 4, .fill = 0, .nop = 0x00000013,
	.registers = registers, .assembler = assembler, .prefix = "riscv64-linux-gnu-", .raw_machine = "riscv:rv64", .all_extensions = "rv64gcv_zba_zbb_zbc_zbs",
	.prelude = ".option push\n.option norelax\n.option norvc\n", .restore = ".option pop\n"
};
