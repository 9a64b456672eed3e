/*
 * See btf.h and the kernel's Documentation/bpf/btf.rst. The file is read once from front to end: types have no table of their places.
 */
#include "trace/btf.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#include "io.h"

#define KERNEL "/sys/kernel/btf/vmlinux"

/* at NULL: there is no such file. */
struct types {
	const char *at, *end, *names;
	size_t name_bytes;
};

/* Bytes behind the head of a type; -1: a kind that is later than this. */
static long tail_bytes(const struct btf_type *type)
{
	long count = (long)BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_PTR: case BTF_KIND_FWD: case BTF_KIND_TYPEDEF: case BTF_KIND_VOLATILE: case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT: case BTF_KIND_FUNC: case BTF_KIND_FLOAT: case BTF_KIND_TYPE_TAG: return 0;
	case BTF_KIND_INT: case BTF_KIND_VAR: case BTF_KIND_DECL_TAG: return 4;
	case BTF_KIND_ARRAY: return sizeof(struct btf_array);
	case BTF_KIND_STRUCT: case BTF_KIND_UNION: return count * (long)sizeof(struct btf_member);
	case BTF_KIND_ENUM: return count * (long)sizeof(struct btf_enum);
	case BTF_KIND_ENUM64: return count * 12;
	case BTF_KIND_FUNC_PROTO: return count * (long)sizeof(struct btf_param);
	case BTF_KIND_DATASEC: return count * (long)sizeof(struct btf_var_secinfo);
	default: return -1;
	}
}

static bool named(const struct types *types, uint32_t offset, const char *name)
{
	size_t length = strlen(name) + 1;

	return offset < types->name_bytes && length <= types->name_bytes - offset &&
	       memcmp(types->names + offset, name, length) == 0;
}

static int offset_in(const struct types *types, const struct btf_type *type, const char *name)
{
	const struct btf_member *member = (const void *)(type + 1);

	for (unsigned i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		if (named(types, member[i].name_off, name)) {
			uint32_t bits = BTF_INFO_KFLAG(type->info) ? BTF_MEMBER_BIT_OFFSET(member[i].offset) : member[i].offset;

			return (int)(bits / 8);
		}
	}
	return -ENOENT;
}

/* Of a file that begins at an aligned place. Nothing of one that is damaged: its types are words of four bytes, and so lie at such. */
static struct types read_types(const char *bytes, size_t length)
{
	const struct btf_header *header = (const void *)bytes;

	if (!bytes || length < sizeof *header || header->magic != BTF_MAGIC || header->hdr_len > length)
		return (struct types){ .at = NULL };
	length -= header->hdr_len;
	if (header->type_off > length || header->type_len > length - header->type_off || header->str_off > length ||
	    header->str_len > length - header->str_off || (header->hdr_len + header->type_off) % sizeof(uint32_t))
		return (struct types){ .at = NULL };

	const char *types = bytes + header->hdr_len + header->type_off;

	return (struct types){ types, types + header->type_len, bytes + header->hdr_len + header->str_off, header->str_len };
}

/* NULL: behind the last one, and at a kind that is later than this. */
static const struct btf_type *next_type(struct types *types)
{
	const struct btf_type *type = (const void *)types->at;
	long left = types->end - types->at - (long)sizeof *type, tail = left < 0 ? -1 : tail_bytes(type);

	if (tail < 0 || tail > left)
		return NULL;
	types->at += (long)sizeof *type + tail;
	return type;
}

/* The first type of these kinds that has this name, and its number: they have numbers from 1 in the order of the file. NULL: none. */
static const struct btf_type *find_type(struct types *types, unsigned kinds, const char *name, int *number)
{
	const struct btf_type *type;

	for (*number = 1; (type = next_type(types)); ++*number) {
		if (kinds >> BTF_INFO_KIND(type->info) & 1 && named(types, type->name_off, name))
			break;
	}
	return type;
}

int kb_btf_offset_in(const char *bytes, size_t length, const char *structure, const char *member)
{
	struct types types = read_types(bytes, length);
	int number;
	const struct btf_type *type = find_type(&types, 1u << BTF_KIND_STRUCT, structure, &number);

	return type ? offset_in(&types, type, member) : -ENOENT;
}

int kb_btf_id_in(const char *bytes, size_t length, const char *name)
{
	struct types types = read_types(bytes, length);
	int number;

	return find_type(&types, 1u << BTF_KIND_FUNC | 1u << BTF_KIND_TYPEDEF, name, &number) ? number : -ESRCH;
}

int kb_btf_offset(const char *structure, const char *member)
{
	size_t length = 0;
	char *bytes = kb_read_whole(KERNEL, &length);
	int offset = kb_btf_offset_in(bytes, length, structure, member);

	free(bytes);
	return offset;
}

int kb_btf_id(const char *name)
{
	size_t length = 0;
	char *bytes = kb_read_whole(KERNEL, &length);
	int id = kb_btf_id_in(bytes, length, name);

	free(bytes);
	return id;
}
