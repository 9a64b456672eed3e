/*
 * Where a member of a kernel structure lies, from the kernel's own description of its types (Documentation/bpf/btf.rst). The
 * file is read once from front to end: types have no table of their places.
 */
#define _GNU_SOURCE
#include "trace/btf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "types.h"

#define BTF_BYTES_MAX ((size_t)64 << 20)

struct types {
	const struct btf_header *header;
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

static int find(struct types *types, const char *structure, const char *name)
{
	while (types->end - types->at >= (long)sizeof(struct btf_type)) {
		const struct btf_type *type = (const void *)types->at;
		long tail = tail_bytes(type);

		if (tail < 0 || tail > types->end - types->at - (long)sizeof *type)
			return -ENOENT;
		if (BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT && named(types, type->name_off, structure))
			return offset_in(types, type, name);
		types->at += (long)sizeof *type + tail;
	}
	return -ENOENT;
}

/* What the file is made of; false: it is none. */
static bool parts(struct types *types, const char *bytes, size_t length)
{
	const struct btf_header *header = (const void *)bytes;

	if (length < sizeof *header || header->magic != BTF_MAGIC || header->hdr_len > length)
		return false;
	length -= header->hdr_len;
	if (header->type_off > length || header->type_len > length - header->type_off || header->str_off > length ||
	    header->str_len > length - header->str_off)
		return false;
	types->header = header;
	types->at = bytes + header->hdr_len + header->type_off;
	types->end = types->at + header->type_len;
	types->names = bytes + header->hdr_len + header->str_off;
	types->name_bytes = header->str_len;
	return true;
}

static int look(const char *bytes, size_t length, const char *structure, const char *name)
{
	struct types types;

	return parts(&types, bytes, length) ? find(&types, structure, name) : -ENOENT;
}

/* Types have numbers from 1 in the order of the file. */
static int number_of(struct types *types, const char *name)
{
	for (int number = 1; types->end - types->at >= (long)sizeof(struct btf_type); number++) {
		const struct btf_type *type = (const void *)types->at;
		unsigned kind = BTF_INFO_KIND(type->info);
		long tail = tail_bytes(type);

		if (tail < 0 || tail > types->end - types->at - (long)sizeof *type)
			break;
		if ((kind == BTF_KIND_FUNC || kind == BTF_KIND_TYPEDEF) && named(types, type->name_off, name))
			return number;
		types->at += (long)sizeof *type + tail;
	}
	return -ESRCH;
}

/* The file says no size that could be asked for; a read ends early at the end alone. */
static char *read_all(size_t *length)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	char *bytes = fd < 0 ? NULL : malloc(BTF_BYTES_MAX);
	ssize_t got = 1;

	*length = 0;
	while (bytes && got > 0 && *length < BTF_BYTES_MAX) {
		got = read(fd, bytes + *length, BTF_BYTES_MAX - *length);
		*length += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	return bytes;
}

int kb_btf_offset(const char *structure, const char *member)
{
	size_t length;
	char *bytes = read_all(&length);
	int offset = bytes ? look(bytes, length, structure, member) : -ENOENT;

	free(bytes);
	return offset;
}

int kb_btf_id(const char *name)
{
	struct types types;
	size_t length;
	char *bytes = read_all(&length);
	int id = bytes && parts(&types, bytes, length) ? number_of(&types, name) : -ESRCH;

	free(bytes);
	return id;
}
