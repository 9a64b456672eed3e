/*
 * Both x86. Numbers are little-endian fields of whole bytes. A displacement counts from the end of its field, which the
 * assembler writes as the addend -4 (or -1); x86_32 keeps it in the section. System V ABI: AMD64 table 4.9, i386 table 4.9.
 */
#include "code/target.h"

#include <elf.h>

#define VALUE(name, type, bytes, min, max) { name, type, KB_HOLE_VALUE, bytes, 0, 1, min, max, .mask = 0 }
#define LABEL(name, type, bytes, min, max) { name, type, KB_HOLE_LABEL, bytes, 0, 1, min, max, .mask = 0 }

static const struct kb_relocation of_64[] = {
	VALUE("32S", R_X86_64_32S, 4, INT32_MIN, INT32_MAX),
	VALUE("32", R_X86_64_32, 4, INT32_MIN, UINT32_MAX),
	VALUE("8", R_X86_64_8, 1, INT8_MIN, UINT8_MAX),
	VALUE("16", R_X86_64_16, 2, INT16_MIN, UINT16_MAX),
	VALUE("64", R_X86_64_64, 8, INT64_MIN, UINT64_MAX),
	LABEL("PC8", R_X86_64_PC8, 1, INT8_MIN, INT8_MAX),
	LABEL("PC32", R_X86_64_PC32, 4, INT32_MIN, INT32_MAX),
	LABEL("PLT32", R_X86_64_PLT32, 4, INT32_MIN, INT32_MAX)
};

static const struct kb_relocation of_32[] = {
	VALUE("32", R_386_32, 4, INT32_MIN, UINT32_MAX),
	VALUE("8", R_386_8, 1, INT8_MIN, UINT8_MAX),
	VALUE("16", R_386_16, 2, INT16_MIN, UINT16_MAX),
	LABEL("PC8", R_386_PC8, 1, INT8_MIN, INT8_MAX),
	LABEL("PC32", R_386_PC32, 4, INT32_MIN, INT32_MAX),
	LABEL("PLT32", R_386_PLT32, 4, INT32_MIN, INT32_MAX)
};

/* Others have names instead of numbers. */
static const struct kb_register_file registers_64[] = {
	{ "r", 8, 15, 10 }, { "xmm", 0, 15, 3 }, { "ymm", 0, 15, 3 }, { "zmm", 0, 31, 3 }, { "k", 0, 7, 3 }, { "mm", 0, 7, 3 }, { NULL, 0, 0, 0 }
};
static const struct kb_register_file registers_32[] = {
	{ "xmm", 0, 7, 3 }, { "ymm", 0, 7, 3 }, { "zmm", 0, 7, 3 }, { "k", 0, 7, 3 }, { "mm", 0, 7, 3 }, { NULL, 0, 0, 0 }
};
static const char *const assembler_64[] = { "as", "--64", NULL };
static const char *const assembler_32[] = { "as", "--32", NULL };

const struct kb_target kb_target_x86_64 = {
	.name = "x86_64", .family = "x86", .elf_machine = EM_X86_64, .is_64 = true, .intel = true,
	.relocations = of_64, .relocation_count = sizeof(of_64) / sizeof(of_64[0]),
	.instruction_bytes = 1, .fill = 0xcc,
	.registers = registers_64, .assembler = assembler_64, .prefix = "x86_64-linux-gnu-", .raw_machine = "i386:x86-64",
	.prelude = ".code64\n.intel_syntax noprefix\n", .restore = ".arch default\n"
};

const struct kb_target kb_target_x86_32 = {
	.name = "x86_32", .family = "x86", .elf_machine = EM_386, .has_rel = true, .intel = true,
	.relocations = of_32, .relocation_count = sizeof(of_32) / sizeof(of_32[0]),
	.instruction_bytes = 1, .fill = 0xcc,
	.registers = registers_32, .assembler = assembler_32, .prefix = "x86_64-linux-gnu-", .raw_machine = "i386",
	.prelude = ".code32\n.intel_syntax noprefix\n", .restore = ".arch default\n"
};
