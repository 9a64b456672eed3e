/* See func.h: the functions that the kernel describes to programs (BTF), in itself and in its modules. */
#define _GNU_SOURCE
#include "trace/func/func.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include <bpf/btf.h>

#define DIRECTORY "/sys/kernel/btf"

struct listing {
	const char *pattern;
	void (*found)(void *context, const char *name, const char *module);
	void *context;
};

/* first: a module's types come behind those of the kernel. */
static void list(const struct listing *listing, const struct btf *btf, uint32_t first, const char *module)
{
	uint32_t count = btf__type_cnt(btf);

	for (uint32_t i = first; i < count; i++) {
		const struct btf_type *type = btf__type_by_id(btf, i);
		const char *name = btf_is_func(type) ? btf__name_by_offset(btf, type->name_off) : NULL;

		if (name && fnmatch(listing->pattern, name, 0) == 0)
			listing->found(listing->context, name, module);
	}
}

static void list_modules(const struct listing *listing, struct btf *kernel)
{
	DIR *directory = opendir(DIRECTORY);

	for (struct dirent *entry; directory && (entry = readdir(directory));) {
		struct btf *module;

		if (entry->d_name[0] == '.' || strcmp(entry->d_name, "vmlinux") == 0)
			continue;
		module = btf__load_module_btf(entry->d_name, kernel);
		if (!module)
			continue;
		list(listing, module, btf__type_cnt(kernel), entry->d_name);
		btf__free(module);
	}
	if (directory)
		closedir(directory);
}

int kb_func_list(const char *pattern, void (*found)(void *context, const char *name, const char *module), void *context,
		 struct kb_bpf_refusal *refusal)
{
	struct listing listing = { pattern, found, context };
	struct btf *kernel = btf__load_vmlinux_btf();

	if (!kernel)
		return kb_bpf_refuse(refusal, errno, "a kernel built with DEBUG_INFO_BTF has it", DIRECTORY "/vmlinux");
	list(&listing, kernel, 1, NULL);
	list_modules(&listing, kernel);
	btf__free(kernel);
	return 0;
}
