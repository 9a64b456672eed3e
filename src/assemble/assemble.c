/*
 * The pipeline: scan, write, assemble, read the object, make fragments, check. What an object may hold is a closed list:
 * a relocation, section or symbol that is not understood is an error, never a guess.
 */
#define _GNU_SOURCE
#include "assemble/assemble.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "assemble/inside.h"
#include "assemble/command.h"
#include "io.h"
#include "scratch.h"

/* ---- one block ----------------------------------------------------------------------------------- */

/* The block in the object. */
struct place {
	struct kb_assembling *work;
	const struct kb_object *object;
	const struct kb_assemble_index *index;
	unsigned number;
	const struct kb_assemble_block *block;
	struct kb_assembled *assembled;
	size_t section;                 /* its own */
	struct kb_hole *holes;
	struct kb_label *labels;
	uint8_t *bytes;
};

#define REPORT(place, number, at, line, ...) \
	kb_assemble_report((place)->work->assembly, number, (place)->block, at, line, __VA_ARGS__)

/* A generated symbol of the block; NULL where the assembler dropped it because nothing uses it. */
static const struct kb_object_symbol *find_symbol(const struct place *place, char kind, unsigned index)
{
	size_t low = 0, high = place->object->symbol_count;
	char name[40];

	snprintf(name, sizeof(name), "%s%u%c%u", place->work->prefix, place->number, kind, index);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct kb_object_symbol *symbol = place->index->symbols[middle];
		int order = strcmp(symbol->name, name);

		if (order == 0)
			return symbol;
		low = order < 0 ? middle + 1 : low;
		high = order < 0 ? high : middle;
	}
	return NULL;
}

/* Where the program wrote the name, as a word and not as a label of the function; NULL if it stands nowhere. */
static const char *find_word(const struct kb_assemble_block *block, const char *word)
{
	return kb_assemble_find(block->text, block->length, word, strlen(word));
}

/* The block must end where its section does: else it left the section, or moved about in it. */
static void check_section(const struct place *place)
{
	const struct kb_object_section *section = &place->object->sections[place->section];
	const struct kb_object_symbol *end = find_symbol(place, 'e', 0);
	static const char *const moves[] = { ".section", ".pushsection", ".data", ".bss", ".text", ".subsection", ".org", NULL };
	static const char *const aligns[] = { ".p2align", ".balign", ".align", NULL };

	if (!end || end->section != place->section || end->value != section->count)
		REPORT(place, 210, kb_assemble_find_any(place->block, moves), place->block->line,
			"the block leaves its section; write data into the block itself, without .section, .data and .bss");
	if (section->count > KB_ASSEMBLE_BLOCK_MAX)
		REPORT(place, 213, kb_assemble_find_any(place->block, kb_assemble_fills), place->block->line,
			"the block emits %zu bytes, and %u are the most; repeat a block with unroll", section->count, KB_ASSEMBLE_BLOCK_MAX);
	if (section->align > place->work->target->instruction_bytes)
		REPORT(place, 211, kb_assemble_find_any(place->block, aligns), place->block->line,
			"an asm block cannot align itself; put align(%zu) before it, which counts from the start of the function",
			section->align);
}

/* A misspelt register in Intel syntax is silently a memory operand at a symbol of that name: it ends here. */
static void report_unknown_symbol(const struct place *place, const char *symbol)
{
	bool private = !strncmp(symbol, ".L", 2);
	const char *name = private ? kb_assemble_private(place->work, symbol + 2) : symbol;
	char written[128];
	const char *at;

	snprintf(written, sizeof(written), "%s%s", private ? ".L" : "", name);
	at = find_word(place->block, written);

	REPORT(place, 212, at, place->block->line,
		"the symbol %s is no hole, no label and not defined in the block; correct a misspelt register, or write a number "
		"as $(expression) and a label of the function as @name", written[0] ? written : "of another section");
}

/* A relocation that refers to a place of the block itself: a branch is final, an address cannot be. */
static void inside(const struct place *place, const struct kb_object_relocation *entry,
	const struct kb_relocation *relocation, int64_t addend, uint64_t target)
{
	struct kb_value distance = kb_value_signed((int64_t)target + addend - (int64_t)entry->offset);

	if (!relocation || relocation->kind != KB_HOLE_LABEL)
		REPORT(place, 220, NULL, place->block->line,
			"the block needs the absolute address of its own label (relocation %u); composed code has none: branch to it "
			"or load it relative to the program counter", entry->type);
	else if (!kb_target_fits(relocation, distance))
		REPORT(place, 313, NULL, place->block->line, "a label of the block is too far away");
	else
		kb_target_put(relocation, place->bytes + entry->offset, distance);
}

static void add_hole(const struct place *place, struct kb_hole hole)
{
	struct kb_fragment *fragment = &place->assembled->fragment;
	uint32_t at = fragment->hole_count++;

	/* Relocations are not sorted by offset. */
	for (; at > 0 && place->holes[at - 1].offset > hole.offset; at--)
		place->holes[at] = place->holes[at - 1];
	place->holes[at] = hole;
}

/* A number: only an encoding that takes the number itself will do, not a distance. A label: only a distance will do, for composed code
   has no address before it is mapped. */
static void take_hole(const struct place *place, const struct kb_relocation *relocation, struct kb_hole hole, bool is_label,
	unsigned index, uint32_t type)
{
	const struct kb_assemble_source *source = &place->work->sources[place->number];
	const struct kb_assemble_mark *mark = is_label ? &source->marks[index] : NULL;
	const struct kb_assemble_use *use = is_label ? NULL : &source->uses[index];
	const struct kb_assemble_value *value = is_label ? NULL : &place->assembled->values[use->value];

	hole.value = is_label ? index : use->value;
	hole.line = is_label ? mark->line : use->line;
	/* All that a number takes is its bytes: it can be put without a look at the table. */
	if (relocation && relocation->kind == KB_HOLE_VALUE && !relocation->mask && !hole.addend) {
		hole.bytes = relocation->bytes;
		hole.min = relocation->min;
		hole.max = relocation->max;
	}
	if (relocation && (relocation->kind == KB_HOLE_LABEL) == is_label)
		add_hole(place, hole);
	else if (is_label)
		REPORT(place, 220, mark->at, 0,
			"@%s is used as an address (relocation %u); a label can be the target of a branch, or be loaded relative to "
			"the program counter", mark->name, type);
	else
		REPORT(place, 220, use->at, 0,
			"the assembler asks for a relocation (%s, ELF number %u) that is not in the list of holes; write the operand so "
			"that $(%.*s) is a number by itself", relocation ? relocation->name : "unknown", type, (int)value->length, value->at);
}

/* Every relocation is a hole, final already, or an error: nothing is passed over. */
static void one_relocation(const struct place *place, const struct kb_object_relocation *entry)
{
	const struct kb_target *target = place->work->target;
	const struct kb_object_section *section = &place->object->sections[place->section];
	const struct kb_relocation *relocation = kb_target_relocation(target, entry->type);
	const struct kb_object_symbol *symbol = &place->object->symbols[entry->symbol];
	const struct kb_assemble_source *source = &place->work->sources[place->number];
	struct kb_hole hole = { .addend = entry->addend, .offset = (uint32_t)entry->offset };
	unsigned block = 0, index = 0;
	char kind = 0;

	if (relocation && entry->offset + relocation->bytes > section->count) {
		REPORT(place, 220, NULL, place->block->line, "relocation %u lies outside the block", entry->type);
		return;
	}
	if (relocation) {
		hole.relocation = (uint16_t)(relocation - target->relocations);
		hole.addend += kb_target_addend(target, relocation, place->bytes + entry->offset);
	}
	if (kb_assemble_symbol(place->work, symbol->name, &block, &kind, &index) && block == place->number &&
	    kind == 'h' && index < source->use_count)
		take_hole(place, relocation, hole, false, index, entry->type);
	else if (block == place->number && kind == 'u' && index < source->mark_count)
		take_hole(place, relocation, hole, true, index, entry->type);
	else if (entry->symbol && symbol->section == place->section)
		inside(place, entry, relocation, hole.addend, symbol->value);
	else if (entry->symbol)
		report_unknown_symbol(place, symbol->name);
	else
		REPORT(place, 220, NULL, place->block->line,
			"an operand refers to no symbol (relocation %u); branch to a label", entry->type);
}

/* A %lo takes the low part of the %hi of the same number. */
static void pair(const struct place *place)
{
	const struct kb_target *target = place->work->target;
	uint32_t count = place->assembled->fragment.hole_count;

	for (uint32_t i = 0; i < count; i++) {
		struct kb_hole *low = &place->holes[i];

		for (uint32_t j = 0; j < count && kb_target_of_hole(target, low)->kind == KB_HOLE_LOW; j++) {
			const struct kb_hole *high = &place->holes[j];

			if (kb_target_of_hole(target, high)->kind == KB_HOLE_HIGH && high->value == low->value &&
			    high->addend == low->addend)
				low->paired = true;
		}
	}
}

/* A hole that left no relocation would be a number that never arrives, as in a comment of the assembler. */
static void check_uses(const struct place *place)
{
	const struct kb_assemble_source *source = &place->work->sources[place->number];

	for (uint32_t i = 0; i < source->use_count; i++) {
		const struct kb_assemble_value *value = &place->assembled->values[source->uses[i].value];
		const struct kb_object_symbol *symbol = find_symbol(place, 'h', i);
		bool found = source->uses[i].file != NULL;

		for (size_t j = place->index->relocations[place->section]; j < place->index->relocations[place->section + 1] && symbol && !found; j++)
			found = &place->object->symbols[place->object->relocations[j].symbol] == symbol;
		if (!found)
			REPORT(place, 220, source->uses[i].at, 0,
				"the assembler left no place for $(%.*s); it must be an operand of an instruction or of a data directive",
				(int)value->length, value->at);
	}
}

/* Every mark is a label of the fragment, of the same index. */
static void fill_labels(const struct place *place)
{
	const struct kb_assemble_source *source = &place->work->sources[place->number];

	for (uint32_t i = 0; i < source->mark_count; i++) {
		const struct kb_assemble_mark *mark = &source->marks[i];
		const struct kb_object_symbol *symbol = mark->defined ? find_symbol(place, 'd', i) : NULL;

		place->labels[i] = (struct kb_label){ mark->name, symbol ? (uint32_t)symbol->value : 0, mark->line, mark->defined };
	}
	place->assembled->fragment.label_count = source->mark_count;
}

static void make_fragment(struct place *place)
{
	struct kb_fragment *fragment = &place->assembled->fragment;
	const struct kb_object_section *section = &place->object->sections[place->section];
	uint32_t marks = place->work->sources[place->number].mark_count;
	struct kb_arena *arena = &place->work->assembly->arena;
	size_t first = place->index->relocations[place->section], holes = place->index->relocations[place->section + 1] - first;

	fragment->bytes = place->bytes = kb_arena_take(arena, section->count);
	fragment->holes = place->holes = kb_arena_take(arena, holes * sizeof(*place->holes));
	fragment->labels = place->labels = kb_arena_take(arena, marks * sizeof(*place->labels));
	fragment->count = section->bytes ? (uint32_t)section->count : 0;
	if (fragment->count)
		memcpy(place->bytes, section->bytes, section->count);
	for (size_t i = first; i < first + holes; i++)
		one_relocation(place, &place->object->relocations[i]);
	pair(place);
	check_uses(place);
	fill_labels(place);
}

/* ---- the program --------------------------------------------------------------------------------- */

static void block_from(struct kb_assembling *work, const struct kb_object *object, const struct kb_assemble_index *index, unsigned number)
{
	struct place place = { .work = work, .object = object, .index = index, .number = number, .block = work->sources[number].block,
		.assembled = &work->assembly->blocks[number], .section = index->sections[number] };

	if (place.section > 0) {
		check_section(&place);
		if (object->sections[place.section].count <= KB_ASSEMBLE_BLOCK_MAX)
			make_fragment(&place);
	} else {
		REPORT(&place, 210, NULL, place.block->line, "the block's section is gone");
	}
}

/* What belongs to no block: .data and the like, left again by the end of the block. What is not loaded counts where a block
   names it: else the assembler made it. */
static void check_other_sections(struct kb_assembling *work, const struct kb_object *object)
{
	for (size_t i = 1; i < object->section_count; i++) {
		const struct kb_object_section *section = &object->sections[i];
		unsigned number = 0;
		const char *at = NULL;

		if (section->count == 0 ||
		    (section->name[0] == '.' && !strncmp(section->name + 1, work->prefix, strlen(work->prefix))))
			continue;
		while (number < work->count && !(at = find_word(work->sources[number].block, section->name)))
			number++;
		if (!at && (!section->loaded || !strncmp(section->name, ".note.", 6)))
			continue;
		const struct kb_assemble_block *block = at ? work->sources[number].block : kb_assemble_only(work);

		kb_assemble_report(work->assembly, 210, block, at, block ? block->line : 0,
			"an asm block fills the section %s; only its own may hold something", section->name);
	}
}

static int from_object(struct kb_assembling *work)
{
	struct kb_object object;
	char path[160];
	int error;

	snprintf(path, sizeof(path), "%s/blocks.o", work->directory);
	error = kb_object_read(&object, path);
	if (error == -ENOSYS)
		kb_assemble_report(work->assembly, 201, NULL, NULL, 0,
			"this kbench was built without libelf and cannot assemble; install libelf-dev and build it again");
	else if (!error && (object.machine != work->target->elf_machine || object.is_64 != work->target->is_64))
		error = -EINVAL;
	if (error == -EINVAL)
		kb_assemble_report(work->assembly, 201, NULL, NULL, 0, "the assembler wrote no object file for %s; install its binutils",
			work->target->name);
	if (!error) {
		struct kb_assemble_index index;

		kb_assemble_make_index(work, &object, &index);
		check_other_sections(work, &object);
		for (unsigned i = 0; i < work->count; i++)
			block_from(work, &object, &index, i);
		if (!work->assembly->error_count)
			error = kb_assemble_registers(work);
		if (!error && !work->assembly->error_count)
			kb_assemble_check(work, &object, &index);
	}
	kb_object_free(&object);
	return error;
}

static int assemble(struct kb_assembling *work, const struct kb_assemble_block *blocks)
{
	struct kb_assembly *assembly = work->assembly;
	struct kb_assemble_text text = { .arena = &assembly->arena };
	int error = 0;

	assembly->blocks = kb_arena_take(&assembly->arena, work->count * sizeof(*assembly->blocks));
	work->sources = kb_arena_take(&assembly->arena, work->count * sizeof(*work->sources));
	for (unsigned i = 0; i < work->count; i++) {
		work->sources[i].block = &blocks[i];
		assembly->blocks[i].fragment = (struct kb_fragment){ .class = blocks[i].class, .member = blocks[i].member,
			.file = blocks[i].file, .line = blocks[i].line };
	}
	kb_assemble_scan(work);
	if (!assembly->error_count) {
		kb_assemble_write(work, &text, NULL);
		error = kb_assemble_run(work, "blocks", &text, false) ?: from_object(work);
	}
	return error ? error : assembly->error_count ? -EINVAL : 0;
}

static void no_memory(struct kb_arena *arena)
{
	longjmp(*(jmp_buf *)arena->context, 1);
}

int kb_assemble(struct kb_assembly *assembly, const struct kb_target *target, const struct kb_assemble_block *blocks,
	unsigned count)
{
	struct kb_assembling work = { .assembly = assembly, .target = target, .count = count };
	struct kb_scratch scratch;
	jmp_buf out_of_memory;
	int error;

	*assembly = (struct kb_assembly){ .block_count = count, .arena = { .no_memory = no_memory, .context = &out_of_memory } };
	if (count == 0)
		return 0;
	kb_temporary_name(work.directory, sizeof(work.directory), "kbench-as");
	error = kb_scratch_open(&scratch, work.directory);
	if (error)
		return error;
	if (setjmp(out_of_memory) == 0)
		error = assemble(&work, blocks);
	else
		error = -ENOMEM;
	kb_scratch_close(&scratch);
	return error;
}

void kb_assemble_free(struct kb_assembly *assembly)
{
	kb_arena_free(&assembly->arena);
	*assembly = (struct kb_assembly){ .blocks = NULL };
}
