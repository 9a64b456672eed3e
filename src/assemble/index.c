/* See inside.h: symbols, sections and relocations of an object file, found without a search through all of them. */
#include "assemble/inside.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *first, const void *second)
{
	return strcmp((*(const struct kb_object_symbol *const *)first)->name, (*(const struct kb_object_symbol *const *)second)->name);
}

static void index_symbols(struct kb_arena *arena, const struct kb_object *object, struct kb_assemble_index *index)
{
	index->symbols = kb_arena_take(arena, (object->symbol_count + 1) * sizeof(const struct kb_object_symbol *));
	for (size_t i = 0; i < object->symbol_count; i++)
		index->symbols[i] = &object->symbols[i];
	qsort(index->symbols, object->symbol_count, sizeof(const struct kb_object_symbol *), by_name);
}

/* ".Yb17" is that of block 17. */
static void index_sections(const struct kb_assembling *work, const struct kb_object *object, struct kb_assemble_index *index)
{
	size_t length = strlen(work->prefix);

	index->sections = kb_arena_take(&work->assembly->arena, (work->count + 1) * sizeof *index->sections);
	for (size_t i = object->section_count; i-- > 1;) {
		const char *name = object->sections[i].name;
		char *end;

		if (name[0] != '.' || strncmp(name + 1, work->prefix, length) || !name[1 + length])
			continue;
		unsigned long block = strtoul(name + 1 + length, &end, 10);

		if (!*end && block < work->count)
			index->sections[block] = i;
	}
}

/* They stand in the order of the sections that hold them, which need not be that of the sections that they patch. */
static int by_section(const void *first, const void *second)
{
	const struct kb_object_relocation *a = first, *b = second;

	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void index_relocations(struct kb_arena *arena, const struct kb_object *object, struct kb_assemble_index *index)
{
	size_t at = 0;

	if (object->relocation_count)
		qsort(object->relocations, object->relocation_count, sizeof *object->relocations, by_section);
	index->relocations = kb_arena_take(arena, (object->section_count + 1) * sizeof *index->relocations);
	for (size_t i = 0; i <= object->section_count; i++) {
		while (at < object->relocation_count && object->relocations[at].section < i)
			at++;
		index->relocations[i] = at;
	}
}

void kb_assemble_make_index(const struct kb_assembling *work, const struct kb_object *object, struct kb_assemble_index *index)
{
	index_symbols(&work->assembly->arena, object, index);
	index_sections(work, object, index);
	index_relocations(&work->assembly->arena, object, index);
}
