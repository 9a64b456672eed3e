/*
 * The self-check: what a filled hole means must be what the number means when one writes it out. Every block is assembled
 * again with numbers in place of its holes, for two choices of numbers, and the disassembly is compared, not the bytes:
 * for a written number the assembler may pick a shorter encoding. It would catch a missing OFFSET, for instance.
 */
#define _GNU_SOURCE
#include "assemble/inside.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "assemble/disassemble.h"

/* ---- the numbers --------------------------------------------------------------------------------- */

static bool fits_all(const struct kb_target *target, const struct kb_fragment *fragment, uint32_t value, int64_t number)
{
	for (uint32_t i = 0; i < fragment->hole_count; i++) {
		const struct kb_hole *hole = &fragment->holes[i];
		const struct kb_relocation *relocation = kb_target_of_hole(target, hole);
		struct kb_value sum = kb_value_signed(number);

		if (relocation->kind == KB_HOLE_LABEL || hole->value != value)
			continue;
		if (!kb_value_add(&sum, hole->addend) || !(hole->paired || kb_target_fits(relocation, sum)))
			return false;
	}
	for (uint32_t i = 0; i < fragment->register_count; i++) {
		const struct kb_register_hole *hole = &fragment->registers[i];

		if (hole->value == value && (number < 0 || number > 31 || !(hole->allowed >> number & 1)))
			return false;
	}
	return true;
}

/* Multiples of 16 that are not 0, which objdump writes in ways of its own; different ones for different values. */
static bool choose(const struct kb_target *target, const struct kb_fragment *fragment, uint32_t value, unsigned round,
	struct kb_value *number)
{
	static const int64_t wide[] = { 0x123456789abcdef0, 0x123456789ab0, 0x76543210, 0xedc0, 0x7ff0, 0x7650, 0xfe0, 0x760,
		0x70 };

	for (size_t i = 0; round == 1 && i < sizeof(wide) / sizeof(wide[0]); i++) {
		*number = kb_value_signed(wide[i] - (int64_t)(value % 4) * 16);
		if (fits_all(target, fragment, value, (int64_t)number->bits))
			return true;
	}
	for (int64_t i = 0; i < 64; i++) {
		/* Small ones are all that registers take: in one round the least that fit, in the other the largest. */
		*number = kb_value_signed(i < 32 ? 16 * (int64_t)(value % 4 + 1) + 16 * i : round ? 63 - i : i - 31);
		if (fits_all(target, fragment, value, (int64_t)number->bits))
			return true;
	}
	return false;
}

/* A number for every value of every block; reports where there is none. */
static const struct kb_value *const *choose_all(struct kb_assembling *work, unsigned round)
{
	struct kb_arena *arena = &work->assembly->arena;
	const struct kb_value **numbers = kb_arena_take(arena, work->count * sizeof(*numbers));

	for (unsigned i = 0; i < work->count; i++) {
		const struct kb_assembled *assembled = &work->assembly->blocks[i];
		struct kb_value *of_block = kb_arena_take(arena, assembled->value_count * sizeof(*of_block));

		numbers[i] = of_block;
		for (uint32_t j = 0; j < assembled->value_count; j++)
			if (!choose(work->target, &assembled->fragment, j, round, &of_block[j]))
				kb_assemble_report(work->assembly, 221, work->sources[i].block, assembled->values[j].at, 0,
					"no number fits all holes of $(%.*s)", (int)assembled->values[j].length,
					assembled->values[j].at);
	}
	return numbers;
}

/* ---- the two objects ----------------------------------------------------------------------------- */

/* The fragment with the numbers in its holes, over the section of the block in an object file. */
static int write_block(const struct kb_assembling *work, const struct kb_object_section *section, unsigned number,
	const struct kb_value *numbers, FILE *file)
{
	const struct kb_fragment *fragment = &work->assembly->blocks[number].fragment;
	uint8_t *bytes = (uint8_t *)kb_arena_string(
		&work->assembly->arena, (struct kb_span){ (const char *)fragment->bytes, fragment->count });

	for (uint32_t i = 0; i < fragment->hole_count; i++) {
		const struct kb_hole *hole = &fragment->holes[i];
		const struct kb_relocation *relocation = kb_target_of_hole(work->target, hole);

		if (relocation->kind == KB_HOLE_LABEL)
			continue;
		struct kb_value number_there = numbers[hole->value];

		kb_value_add(&number_there, hole->addend);
		kb_target_put(relocation, bytes + hole->offset, number_there);
	}
	kb_turn_bits(fragment, numbers, bytes);
	return fseek(file, (long)section->file_offset, SEEK_SET) == 0 &&
		fwrite(bytes, 1, fragment->count, file) == fragment->count ? 0 : -EIO;
}

/* A copy of the object with the numbers in its holes: objdump then sees the same symbols and data marks in both. */
static int write_filled(struct kb_assembling *work, const struct kb_object *object, const struct kb_assemble_index *index,
	const struct kb_value *const *numbers, unsigned round)
{
	char from[160], to[160];
	int source, error;
	ssize_t copied = 1;
	FILE *file;

	snprintf(from, sizeof(from), "%s/blocks.o", work->directory);
	snprintf(to, sizeof(to), "%s/filled%u.o", work->directory, round);
	source = open(from, O_RDONLY | O_CLOEXEC);
	file = source < 0 ? NULL : fopen(to, "we");
	while (file && copied > 0)
		copied = sendfile(fileno(file), source, NULL, 1 << 20);
	error = !file || copied < 0 ? -errno : 0;
	if (source >= 0)
		close(source);
	for (unsigned i = 0; i < work->count && !error; i++)
		error = write_block(work, &object->sections[index->sections[i]], i, numbers[i], file);
	return !file || fclose(file) == 0 ? error : -EIO;
}

/* ---- comparing ----------------------------------------------------------------------------------- */

struct instruction { size_t address; const char *text; };

/* The instructions of one block in one object. */
struct listed { struct instruction *at; size_t count, room; };

/* The blocks of one object, from objdump's text, which is cut up. */
static void list(const struct kb_assembling *work, char *text, struct listed *blocks)
{
	struct listed *block = NULL;
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct instruction found;
		unsigned number;

		if (!strncmp(line, "Disassembly of section .", 24)) {
			const char *name = line + 24;
			bool ours = !strncmp(name, work->prefix, strlen(work->prefix)) &&
				sscanf(name + strlen(work->prefix), "%u", &number) == 1 && number < work->count;

			block = ours ? &blocks[number] : NULL;
		} else if (block && kb_code_objdump_line(line, &found.address, &found.text)) {
			block->at = kb_arena_room(&work->assembly->arena, block->at, block->count, &block->room, sizeof(found));
			block->at[block->count++] = found;
		}
	}
}

/* The number of the instruction at the address; beyond the last one, or within one, the distance. */
static void put_target(const struct listed *block, size_t own, size_t address, struct kb_assemble_text *out)
{
	size_t i = 0;

	while (i < block->count && block->at[i].address != address)
		i++;
	if (i < block->count)
		kb_assemble_print(out, "@%zu", i);
	else if (own + 1 == block->count)
		kb_assemble_print(out, "@out");
	else
		kb_assemble_print(out, "@%+lld", (long long)(address - block->at[own + 1].address));
}

/* The text with branch targets, "2d <.kb0+0x2d>", as numbers of instructions: encodings may differ in length. */
static void normal(const struct listed *block, size_t own, struct kb_assemble_text *out)
{
	const char *text = block->at[own].text, *angle = strstr(text, " <");
	const char *digits = angle;

	out->used = 0;
	while (digits && digits > text && isxdigit((unsigned char)digits[-1]))
		digits--;
	if (!angle || digits == angle) {
		kb_assemble_put(out, text, strlen(text));
		return;
	}
	if (digits - text >= 2 && digits[-1] == 'x' && digits[-2] == '0')
		digits -= 2;
	size_t address = strtoull(digits, NULL, 16);
	const char *relative = strstr(text, "[rip");

	if (relative && relative < digits) {
		const char *close = strchr(relative, ']');

		kb_assemble_put(out, text, (size_t)(relative - text));
		kb_assemble_print(out, "[rip]%.*s", close ? (int)(strcspn(close + 1, "#")) : 0, close ? close + 1 : "");
	} else {
		kb_assemble_put(out, text, (size_t)(digits - text));
	}
	put_target(block, own, address, out);
}

/* The first difference of a block is enough: later ones mostly follow from it. */
static void compare(struct kb_assembling *work, unsigned number, const struct listed *filled, const struct listed *plain)
{
	struct kb_assemble_text a = { .arena = &work->assembly->arena }, b = a;
	size_t count = filled->count > plain->count ? filled->count : plain->count;
	const struct kb_assemble_block *block = work->sources[number].block;
	bool same = true;

	for (size_t i = 0; i < count && same; i++) {
		a.used = b.used = 0;
		kb_assemble_put(&a, "", 0);
		kb_assemble_put(&b, "", 0);
		if (i < filled->count)
			normal(filled, i, &a);
		if (i < plain->count)
			normal(plain, i, &b);
		same = a.used == b.used && !memcmp(a.at, b.at, a.used);
		if (!same)
			kb_assemble_report(work->assembly, 221, block, NULL, block->line,
				"instruction %zu with a hole is `%.*s', with the number written out `%.*s'; write the operand so "
				"that both mean the same", i + 1, (int)a.used, a.at, (int)b.used, b.at);
	}
}

/* Options of objdump for the blocks that have numbers, in a file: the time it takes grows with the square of the sections. */
static int write_sections(const struct kb_assembling *work, char *path, size_t room)
{
	FILE *file;

	snprintf(path, room, "@%s/sections", work->directory);
	file = fopen(path + 1, "we");
	if (!file)
		return -errno;
	for (unsigned i = 0; i < work->count; i++)
		if (work->assembly->blocks[i].value_count)
			fprintf(file, "-j .%s%u\n", work->prefix, i);
	return fclose(file) == 0 ? 0 : -EIO;
}

/* One objdump for both objects; a line "...: file format ..." heads each. */
static int disassemble_both(struct kb_assembling *work, unsigned round, struct listed *filled, struct listed *plain,
	struct kb_command_output *output)
{
	char sections[170], first[160], second[160], *between;
	const char *options[] = { "-d", sections, first, second, NULL };
	int status = write_sections(work, sections, sizeof(sections));

	if (status)
		return status;
	snprintf(first, sizeof(first), "%s/filled%u.o", work->directory, round);
	snprintf(second, sizeof(second), "%s/plain%u.o", work->directory, round);
	status = kb_code_objdump(work->target, options, output);
	if (status == -ENOENT)
		kb_assemble_report(work->assembly, 201, NULL, NULL, 0, "the disassembler is missing; install binutils for %s",
			work->target->name);
	between = status == 0 && output->text ? strstr(output->text, second) : NULL;
	if (!between)
		return status < 0 ? status : -EIO;
	between[-1] = '\0';
	list(work, output->text, filled);
	list(work, between, plain);
	return 0;
}

static int compare_all(struct kb_assembling *work, unsigned round)
{
	struct kb_arena *arena = &work->assembly->arena;
	struct listed *filled = kb_arena_take(arena, work->count * sizeof(*filled));
	struct listed *plain = kb_arena_take(arena, work->count * sizeof(*plain));
	struct kb_command_output output = { NULL, 0 };
	int error = disassemble_both(work, round, filled, plain, &output);

	for (unsigned i = 0; i < work->count && !error; i++)
		if (work->assembly->blocks[i].value_count)
			compare(work, i, &filled[i], &plain[i]);
	free(output.text);
	return error;
}

/* Round 0 has short numbers, round 1 as wide ones as fit: encodings differ by the width. */
static int check_round(struct kb_assembling *work, const struct kb_object *object, const struct kb_assemble_index *index, unsigned round)
{
	const struct kb_value *const *numbers = choose_all(work, round);
	struct kb_assemble_text plain = { .arena = &work->assembly->arena };
	char name[16];
	int error = 0;

	if (!work->assembly->error_count)
		error = write_filled(work, object, index, numbers, round);
	/* The program with the numbers written out; messages of this run would only repeat. */
	if (!error && !work->assembly->error_count) {
		snprintf(name, sizeof(name), "plain%u", round);
		kb_assemble_write(work, &plain, numbers);
		error = kb_assemble_run(work, name, &plain, true);
	}
	if (!error && !work->assembly->error_count)
		error = compare_all(work, round);
	return error;
}

void kb_assemble_check(struct kb_assembling *work, const struct kb_object *object, const struct kb_assemble_index *index)
{
	uint32_t values = 0;

	for (unsigned i = 0; i < work->count; i++)
		values += work->assembly->blocks[i].value_count;
	for (unsigned round = 0; values && round < 2 && !work->assembly->error_count; round++) {
		int error = check_round(work, object, index, round);

		const struct kb_assemble_block *block = kb_assemble_only(work);

		if (error && !work->assembly->error_count)
			kb_assemble_report(work->assembly, 221, block, NULL, block ? block->line : 0,
				"the self-check cannot be made: %s", error == -EINVAL ?
				"a block that assembles with holes does not with numbers" : strerror(-error));
	}
}
