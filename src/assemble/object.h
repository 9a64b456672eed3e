/* A relocatable object file as the assembler writes it: sections, symbols and relocations, no more. */
#ifndef KB_ASSEMBLE_OBJECT_H
#define KB_ASSEMBLE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kb_object_section {
	const char *name;
	const uint8_t *bytes;
	size_t count, file_offset, align;
	bool loaded;            /* part of a program: neither table nor debugging information */
};

struct kb_object_symbol {
	const char *name;       /* "" of a section's own */
	size_t section;         /* 0: undefined */
	uint64_t value;
};

struct kb_object_relocation {
	size_t section;         /* that it is in */
	uint64_t offset;
	uint32_t type;
	int64_t addend;         /* 0 where the section holds it */
	size_t symbol;          /* 0: none */
};

struct kb_object {
	struct kb_object_section *sections;     /* numbered as in the file */
	struct kb_object_symbol *symbols;
	struct kb_object_relocation *relocations;
	size_t section_count, symbol_count, relocation_count;
	uint16_t machine;
	bool is_64;
	void *library;          /* what the reader keeps open; names and bytes live until kb_object_free */
	int file;
};

/* 0, -ENOSYS without libelf, -ENOMEM, or -EINVAL for what is no object file. Free it in either case. */
int kb_object_read(struct kb_object *, const char *path);
void kb_object_free(struct kb_object *);

#endif
