/*
 * A look into an ELF symbol table: enough to name the function that crashed, without a library. Code that a Yamba program
 * composed is in no table; for it the record has the words, and the bytes of the instruction.
 */
#define _GNU_SOURCE
#include "run/process/symbol.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assemble/disassemble.h"
#include "base/record.h"

/* ---- composed code ------------------------------------------------------------------------------- */

static size_t bytes_of(const char *hex, uint8_t *bytes, size_t room)
{
	unsigned byte;
	size_t count = 0;

	while (count < room && hex[2 * count] && hex[2 * count + 1] && sscanf(hex + 2 * count, "%2x", &byte) == 1)
		bytes[count++] = (uint8_t)byte;
	return count;
}

/* "mov    al,BYTE PTR [rax]" with single blanks. Nothing where there is no disassembler. */
static void add_instruction(struct kb_text *text, const struct kb_target *target, const char *hex)
{
	struct kb_code_listing listing;
	uint8_t bytes[16];
	size_t count = bytes_of(hex, bytes, sizeof bytes);
	bool blank = true;

	if (kb_code_disassemble(&listing, target, bytes, count) == 0 && listing.line_count > 0) {
		kb_text_str(text, ": ");
		for (const char *at = listing.lines[0].text; *at && *at != '#'; at++) {
			if (*at != ' ' || !blank)
				kb_text_bytes(text, at, 1);
			blank = *at == ' ';
		}
	}
	kb_code_listing_free(&listing);
}

static bool in_composed(struct kb_span record, char *where, size_t room)
{
	struct kb_record_reader reader;
	struct kb_line line;
	char code[400], hex[40], platform[16];

	kb_record_open(&reader, record.at, record.length);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE) {
		struct kb_text text = kb_text_in(where, room);

		if (line.kind != KB_LINE_HEADER || !kb_span_is(line.word, "fault") ||
		    kb_record_field(line.rest, "code", code, sizeof code) < 0)
			continue;
		kb_text_str(&text, code);
		if (kb_record_field(line.rest, "bytes", hex, sizeof hex) >= 0 &&
		    kb_record_field(line.rest, "platform", platform, sizeof platform) >= 0 && kb_target_find(platform))
			add_instruction(&text, kb_target_find(platform), hex);
		return true;
	}
	return false;
}

/* ---- functions of the program and of a plug-in --------------------------------------------------- */

#define NAME_SHOWN 100          /* bytes of a function's name: C++ has longer ones */

struct module { const char *path; uint64_t base; };

/* The module with the highest load address not above pc. */
static bool find_fault(struct kb_span record, const char *program, const char *plugin, struct module *module, uint64_t *pc)
{
	struct kb_record_reader reader;
	struct kb_line line;
	struct module modules[2] = { { NULL, 0 }, { NULL, 0 } };
	bool found = false;

	kb_record_open(&reader, record.at, record.length);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE) {
		if (line.kind != KB_LINE_HEADER)
			continue;
		if (kb_span_is(line.word, "fault"))
			found = kb_record_field_u64(line.rest, "pc", pc);
		if (kb_span_is(line.word, "module")) {
			bool is_program = kb_span_starts(line.rest, "program");

			modules[!is_program].path = is_program ? program : plugin;
			kb_record_field_u64(line.rest, "base", &modules[!is_program].base);
		}
	}
	for (int i = 0; i < 2 && found; i++) {
		if (modules[i].path && modules[i].base <= *pc && (!module->path || modules[i].base > module->base))
			*module = modules[i];
	}
	return found && module->path;
}

/* All bounds are checked: the file may be anything by now. The name ends within `room` bytes, with a null byte or with the file. */
static const char *search(const char *image, size_t size, uint64_t offset, uint64_t *into, size_t *room)
{
	const ElfW(Ehdr) *header = (const void *)image;

	/* A collector of another word size is left to its program counter. */
	if (size < sizeof *header || memcmp(image, ELFMAG, SELFMAG) || image[EI_CLASS] != __ELF_NATIVE_CLASS / 32 ||
	    header->e_shoff > size || header->e_shoff % _Alignof(ElfW(Shdr)) || (size_t)header->e_shnum * sizeof(ElfW(Shdr)) > size - header->e_shoff)
		return NULL;
	const ElfW(Shdr) *sections = (const void *)(image + header->e_shoff);

	for (unsigned i = 0; i < header->e_shnum; i++) {
		const ElfW(Shdr) *table = &sections[i];

		if (table->sh_type != SHT_SYMTAB || table->sh_link >= header->e_shnum || table->sh_offset > size ||
		    table->sh_size > size - table->sh_offset || table->sh_offset % _Alignof(ElfW(Sym)))
			continue;
		const ElfW(Shdr) *names = &sections[table->sh_link];
		const ElfW(Sym) *symbols = (const void *)(image + table->sh_offset);

		for (size_t s = 0; s < table->sh_size / sizeof *symbols; s++) {
			bool inside = (symbols[s].st_info & 0xf) == STT_FUNC && offset >= symbols[s].st_value &&
				      offset < symbols[s].st_value + symbols[s].st_size;

			if (inside && names->sh_offset < size && symbols[s].st_name < size - names->sh_offset) {
				*into = offset - symbols[s].st_value;
				*room = size - names->sh_offset - symbols[s].st_name;
				return image + names->sh_offset + symbols[s].st_name;
			}
		}
	}
	return NULL;
}

void kb_symbol_of_fault(struct kb_span record, const char *program, const char *plugin, char *where, size_t room)
{
	struct module module = { NULL, 0 };
	struct stat info;
	uint64_t pc = 0, into = 0;
	size_t left = 0;

	where[0] = '\0';
	if (in_composed(record, where, room) || !find_fault(record, program, plugin, &module, &pc))
		return;
	snprintf(where, room, "pc 0x%llx", (unsigned long long)pc);
	int fd = open(module.path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (fstat(fd, &info) == 0 && info.st_size > 0) {
		size_t size = (size_t)info.st_size;
		char *image = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (image != MAP_FAILED) {
			const char *name = search(image, size, pc - module.base, &into, &left);

			if (name)
				snprintf(where, room, "%.*s+0x%llx", (int)strnlen(name, left < NAME_SHOWN ? left : NAME_SHOWN), name, (unsigned long long)into);
			munmap(image, size);
		}
	}
	close(fd);
}
