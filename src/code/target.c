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

	if (!target->has_rel)
		return 0;
	for (unsigned i = 0; i < relocation->bytes; i++)
		bits |= (uint64_t)place[i] << 8 * i;
	return (int64_t)(bits << unused) >> unused;
}

void kb_target_pad(const struct kb_target *target, uint8_t *base, size_t from, size_t to)
{
	size_t askew = from % target->instruction_bytes;
	size_t zeros = askew ? target->instruction_bytes - askew : 0;

	if (zeros > to - from)
		zeros = to - from;
	memset(base + from, 0, zeros);
	target->nops(base + from + zeros, to - from - zeros);
}
