/* Object files of all targets by libelf, which hides the differences between 32 and 64 bits, REL and RELA. */
#include "assemble/object.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

/* The section with its header; NULL at the end. */
static Elf_Scn *section_at(Elf *elf, size_t index, GElf_Shdr *header)
{
	Elf_Scn *section = elf_getscn(elf, index);

	return section && gelf_getshdr(section, header) ? section : NULL;
}

static int read_sections(struct kb_object *object, Elf *elf)
{
	size_t names;

	if (elf_getshdrnum(elf, &object->section_count) < 0 || elf_getshdrstrndx(elf, &names) < 0)
		return -EINVAL;
	object->sections = calloc(object->section_count + 1, sizeof(*object->sections));
	if (!object->sections)
		return -ENOMEM;
	for (size_t i = 0; i < object->section_count; i++) {
		struct kb_object_section *section = &object->sections[i];
		GElf_Shdr header;
		Elf_Scn *at = section_at(elf, i, &header);
		Elf_Data *data = at ? elf_rawdata(at, NULL) : NULL;
		const char *name = at ? elf_strptr(elf, names, header.sh_name) : NULL;

		if (!at || (!name && i > 0))
			return -EINVAL;
		section->name = name ? name : "";
		section->bytes = data ? data->d_buf : NULL;
		section->count = header.sh_size;
		section->file_offset = header.sh_offset;
		section->align = header.sh_addralign;
		section->loaded = header.sh_flags & SHF_ALLOC;
		/* Of section 0 the size is no size: it counts the sections of a large file. */
		if (i > 0 && header.sh_type != SHT_NOBITS && section->count > 0 &&
		    (!section->bytes || data->d_size < section->count))
			return -EINVAL;
	}
	return 0;
}

static int read_symbols(struct kb_object *object, Elf_Scn *at, const GElf_Shdr *header, Elf *elf)
{
	Elf_Data *data = elf_getdata(at, NULL);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	/* What is not in the file must not ask for memory. */
	if (!data && count > 0)
		return -EINVAL;
	object->symbols = calloc(count + 1, sizeof(*object->symbols));
	if (!object->symbols)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		GElf_Sym symbol;
		const char *name;

		if (!gelf_getsym(data, (int)i, &symbol))
			return -EINVAL;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		object->symbols[i] = (struct kb_object_symbol){ name ? name : "", symbol.st_shndx, symbol.st_value };
	}
	object->symbol_count = count;
	return 0;
}

/* Of one section; all go into one list, each with the section that it patches. */
static int read_relocations(struct kb_object *object, Elf_Scn *at, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(at, NULL);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	struct kb_object_relocation *grown =
		data || count == 0 ? reallocarray(object->relocations, object->relocation_count + count + 1, sizeof(*grown)) : NULL;

	if (!data && count > 0)
		return -EINVAL;
	if (!grown)
		return -ENOMEM;
	object->relocations = grown;
	for (size_t i = 0; i < count; i++) {
		GElf_Rela entry = { 0 };
		GElf_Rel rel;

		if (header->sh_type == SHT_REL && gelf_getrel(data, (int)i, &rel))
			entry = (GElf_Rela){ rel.r_offset, rel.r_info, 0 };
		else if (header->sh_type == SHT_REL || !gelf_getrela(data, (int)i, &entry))
			return -EINVAL;
		grown[object->relocation_count++] = (struct kb_object_relocation){ header->sh_info, entry.r_offset,
			(uint32_t)GELF_R_TYPE(entry.r_info), entry.r_addend, GELF_R_SYM(entry.r_info) };
	}
	return 0;
}

static int read_all(struct kb_object *object, Elf *elf)
{
	GElf_Ehdr head;
	int error = 0;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &head) || head.e_type != ET_REL)
		return -EINVAL;
	object->machine = head.e_machine;
	object->is_64 = gelf_getclass(elf) == ELFCLASS64;
	error = read_sections(object, elf);
	for (size_t i = 1; i < object->section_count && !error; i++) {
		GElf_Shdr header;
		Elf_Scn *at = section_at(elf, i, &header);

		if (at && header.sh_type == SHT_SYMTAB && !object->symbols)
			error = read_symbols(object, at, &header, elf);
		else if (at && (header.sh_type == SHT_REL || header.sh_type == SHT_RELA))
			error = read_relocations(object, at, &header);
	}
	for (size_t i = 0; i < object->relocation_count && !error; i++)
		if (object->relocations[i].symbol >= object->symbol_count ||
		    object->relocations[i].section >= object->section_count)
			error = -EINVAL;
	return error;
}

int kb_object_read(struct kb_object *object, const char *path)
{
	*object = (struct kb_object){ .file = open(path, O_RDONLY | O_CLOEXEC) };
	if (object->file < 0)
		return -errno;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return -ENOSYS;
	object->library = elf_begin(object->file, ELF_C_READ, NULL);
	return object->library ? read_all(object, object->library) : -EINVAL;
}

void kb_object_free(struct kb_object *object)
{
	free(object->sections);
	free(object->symbols);
	free(object->relocations);
	if (object->library)
		elf_end(object->library);
	if (object->file >= 0)
		close(object->file);
	*object = (struct kb_object){ .file = -1 };
}
