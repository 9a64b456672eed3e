/*
 * Registers whose number is known at composition only, `x$(n)`. No relocation tells where the number is; but the assembler does: each block is
 * assembled once more for every number that each of its registers may have, all in one run, and what differs is where the number is. A
 * bit of the number turns the same bits of the code round, whatever the others are; a number for which that is not so, as one that takes
 * a longer instruction or that the assembler refuses, cannot be chosen.
 */
#define _GNU_SOURCE
#include "assemble/inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS 32

/* A block with one of its registers as that number. */
struct variant {
	unsigned block, number;
	const struct kb_assemble_use *use;
	bool refused;                           /* by the assembler */
	const struct kb_object_section *section;
};

struct variants { struct kb_assembling *work; struct variant *at; unsigned count; size_t room; };

static void add_variants(struct variants *variants, unsigned block, const struct kb_assemble_use *use)
{
	for (unsigned number = use->file->min; number <= use->file->max; number++) {
		variants->at = kb_arena_room(&variants->work->assembly->arena, variants->at, variants->count, &variants->room, sizeof *variants->at);
		variants->at[variants->count++] = (struct variant){ .block = block, .number = number, .use = use };
	}
}

/* ---- assembling -------------------------------------------------------------------------------------- */

/* "Ybw17x" instead of "Yb": symbols and sections of variant 17. */
static void write_all(const struct variants *variants, struct kb_assemble_text *text)
{
	struct kb_assembling *work = variants->work;
	char prefix[sizeof work->prefix];

	memcpy(prefix, work->prefix, sizeof prefix);
	for (unsigned i = 0; i < variants->count; i++) {
		const struct variant *variant = &variants->at[i];

		if (variant->refused)
			continue;
		snprintf(work->prefix, sizeof work->prefix, "%.8sw%ux", prefix, i);
		work->chosen = variant->use->number + 1;
		work->chosen_number = variant->number;
		kb_assemble_write_block(work, variant->block, text, NULL);
	}
	memcpy(work->prefix, prefix, sizeof prefix);
	work->chosen = 0;
}

/* The variant of "Ybw17x3:12: Error: ..." or of a section's name; NULL: of none. */
static struct variant *variant_of(const struct variants *variants, const char *name)
{
	size_t length = strlen(variants->work->prefix);
	char *end;

	if (strncmp(name, variants->work->prefix, length) || name[length] != 'w')
		return NULL;
	unsigned long number = strtoul(name + length + 1, &end, 10);

	return *end == 'x' && number < variants->count ? &variants->at[number] : NULL;
}

/* How many the assembler names. */
static unsigned take_refusals(const struct variants *variants, char *output)
{
	unsigned count = 0;
	char *rest = NULL;

	for (char *line = strtok_r(output, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct variant *variant = strstr(line, " Error: ") ? variant_of(variants, line) : NULL;

		if (variant && !variant->refused)
			count += variant->refused = true;
	}
	return count;
}

/* What is refused is left out, and the rest assembled again. */
static int assemble_all(struct variants *variants)
{
	unsigned refused = 1;
	int status = 1;

	while (status > 0 && refused) {
		struct kb_assemble_text text = { .arena = &variants->work->assembly->arena };
		char *output;

		write_all(variants, &text);
		status = kb_assemble_try(variants->work, "registers", &text, &output);
		refused = status > 0 && output ? take_refusals(variants, output) : 0;
		free(output);
	}
	return status > 0 ? -EINVAL : status;
}

/* ---- one register ------------------------------------------------------------------------------------ */

struct bytes { const uint8_t *of[NUMBERS]; size_t count; };     /* of each number; NULL: it cannot be */

/* The bits that a bit of the number turns round: of any two numbers that differ in it alone. False: there are no such two. */
static bool find_mask(const struct bytes *bytes, unsigned bit, uint8_t *mask)
{
	for (unsigned number = 0; number < NUMBERS; number++) {
		const uint8_t *one = bytes->of[number], *other = bytes->of[number ^ 1u << bit];

		for (size_t i = 0; one && other && i < bytes->count; i++)
			mask[i] = one[i] ^ other[i];
		if (one && other)
			return true;
	}
	return false;
}

static bool follows(const struct bytes *bytes, unsigned base, unsigned number, uint8_t *const masks[KB_REGISTER_BITS], unsigned known)
{
	for (size_t i = 0; bytes->of[number] && i < bytes->count; i++) {
		uint8_t byte = bytes->of[base][i];

		for (unsigned bit = 0; bit < KB_REGISTER_BITS; bit++)
			byte ^= (number ^ base) >> bit & 1 ? masks[bit][i] : 0;
		if (byte != bytes->of[number][i])
			return false;
	}
	return bytes->of[number] && !((number ^ base) & ~known);
}

/* False: the bytes that differ are too far apart for one instruction. */
static bool keep_masks(struct kb_register_hole *hole, size_t count, uint8_t *const masks[KB_REGISTER_BITS])
{
	size_t first = count, last = 0;

	for (size_t i = 0; i < count; i++) {
		for (unsigned bit = 0; bit < KB_REGISTER_BITS; bit++) {
			if (!masks[bit][i])
				continue;
			first = first == count ? i : first;
			last = i;
		}
	}
	if (first == count || last - first >= KB_REGISTER_BYTES)
		return false;
	hole->offset = (uint32_t)first;
	hole->bytes = (uint8_t)(last - first + 1);
	for (unsigned bit = 0; bit < KB_REGISTER_BITS; bit++)
		memcpy(hole->masks[bit], masks[bit] + first, hole->bytes);
	return true;
}

static bool make_hole(struct kb_assembling *work, struct kb_register_hole *hole, const struct kb_assemble_use *use, const struct bytes *bytes)
{
	uint8_t *masks[KB_REGISTER_BITS];
	unsigned known = 0;

	*hole = (struct kb_register_hole){ .value = use->value, .line = use->line, .base = kb_assemble_base(use) };
	if (!bytes->of[hole->base])
		return false;
	for (unsigned bit = 0; bit < KB_REGISTER_BITS; bit++) {
		masks[bit] = kb_arena_take(&work->assembly->arena, bytes->count + 1);
		known |= (unsigned)find_mask(bytes, bit, masks[bit]) << bit;
	}
	for (unsigned number = 0; number < NUMBERS; number++)
		hole->allowed |= (uint32_t)follows(bytes, hole->base, number, masks, known) << number;
	return keep_masks(hole, bytes->count, masks);
}

/* ---- all --------------------------------------------------------------------------------------------- */

/* Those of one register stand next to each other. */
static void make_holes(const struct variants *variants)
{
	struct kb_assembling *work = variants->work;

	for (unsigned i = 0, end; i < variants->count; i = end) {
		const struct variant *variant = &variants->at[i];
		struct kb_fragment *fragment = &work->assembly->blocks[variant->block].fragment;
		struct bytes bytes = { .count = fragment->count };

		for (end = i; end < variants->count && variants->at[end].use == variant->use; end++) {
			const struct kb_object_section *section = variants->at[end].section;

			bytes.of[variants->at[end].number] = section && section->count == fragment->count ? section->bytes : NULL;
		}
		if (!make_hole(work, (struct kb_register_hole *)(uintptr_t)&fragment->registers[variant->use->number], variant->use, &bytes))
			kb_assemble_report(work->assembly, 222, work->sources[variant->block].block, variant->use->at, 0,
				"the number of this register is in no place of one instruction; write the register's name");
	}
}

static int read_all(struct variants *variants, struct kb_object *object)
{
	char path[160];
	int error;

	snprintf(path, sizeof path, "%s/registers.o", variants->work->directory);
	error = kb_object_read(object, path);
	for (size_t i = 1; i < object->section_count && !error; i++) {
		struct variant *variant = object->sections[i].name[0] == '.' ? variant_of(variants, object->sections[i].name + 1) : NULL;

		if (variant)
			variant->section = &object->sections[i];
	}
	return error;
}

int kb_assemble_registers(struct kb_assembling *work)
{
	struct variants variants = { .work = work };
	struct kb_object object = { .file = -1 };
	int error;

	for (unsigned i = 0; i < work->count; i++) {
		const struct kb_assemble_source *source = &work->sources[i];
		struct kb_fragment *fragment = &work->assembly->blocks[i].fragment;

		fragment->registers = kb_arena_take(&work->assembly->arena, source->register_count * sizeof *fragment->registers);
		fragment->register_count = source->register_count;
		for (uint32_t j = 0; j < source->use_count; j++)
			if (source->uses[j].file)
				add_variants(&variants, i, &source->uses[j]);
	}
	if (!variants.count)
		return 0;
	error = assemble_all(&variants) ?: read_all(&variants, &object);
	if (!error)
		make_holes(&variants);
	kb_object_free(&object);
	return error;
}
