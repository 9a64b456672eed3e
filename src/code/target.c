/* What the four targets share: finding things in their tables. */
#include "code/target.h"

#include <string.h>

#include "stamp.h"

const struct kb_target *const kb_targets[] = {
	&kb_target_x86_64, &kb_target_x86_32, &kb_target_aarch64, &kb_target_riscv64, NULL
};

const struct kb_target *kb_target_find(const char *name)
{
	for (const struct kb_target *const *target = kb_targets; *target; target++)
		if (!strcmp((*target)->name, name))
			return *target;
	return NULL;
}

const struct kb_target *kb_target_host(void)
{
	return kb_target_find(KB_ARCH_NAME);
}

const struct kb_relocation *kb_target_relocation(const struct kb_target *target, uint32_t type)
{
	for (unsigned i = 0; i < target->relocation_count; i++)
		if (target->relocations[i].type == type)
			return &target->relocations[i];
	return NULL;
}

int64_t kb_target_addend(const struct kb_target *target, const struct kb_relocation *relocation, const uint8_t *place)
{
	uint64_t bits = 0;
	unsigned unused = 64 - 8u * relocation->bytes;

	if (target->has_rel)
		memcpy(&bits, place, relocation->bytes);
	return (int64_t)(bits << unused) >> unused;
}

/* The sequences that Intel recommends: Software Developer's Manual, volume 2, NOP, table 4-12. */
static void put_nops_of_x86(uint8_t *at, size_t bytes)
{
	static const uint8_t words[9][9] = {
		{ 0x90 }, { 0x66, 0x90 }, { 0x0f, 0x1f, 0x00 }, { 0x0f, 0x1f, 0x40, 0 }, { 0x0f, 0x1f, 0x44, 0, 0 },
		{ 0x66, 0x0f, 0x1f, 0x44, 0, 0 }, { 0x0f, 0x1f, 0x80, 0, 0, 0, 0 }, { 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 },
		{ 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 }
	};

	while (bytes > 0) {
		size_t length = bytes < 9 ? bytes : 9;

		memcpy(at, words[length - 1], length);
		at += length;
		bytes -= length;
	}
}

void kb_target_pad(const struct kb_target *target, uint8_t *base, size_t from, size_t to)
{
	/* Before and behind whole instructions lie zeros. */
	memset(base + from, 0, to - from);
	from = (from + target->instruction_bytes - 1) / target->instruction_bytes * target->instruction_bytes;
	if (!target->nop && from < to)
		put_nops_of_x86(base + from, to - from);
	for (; target->nop && from + 4 <= to; from += 4)
		memcpy(base + from, &target->nop, 4);
}
