/* The descriptor is copied, so that the name can be set; the code stays mapped until the program ends. */
#include "description.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *plugin_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t length = strcspn(base, ".");
	char *name = malloc(sizeof "plugin." + length);

	if (name)
		sprintf(name, "plugin.%.*s", (int)length, base);
	return name;
}

/* Bytes of the descriptor when ABI 3 began. */
#define ABI_SIZE_LEAST (offsetof(struct kb_bench, teardown) + sizeof ((struct kb_bench *)0)->teardown)

/* As much of the descriptor as it has: fields that were added since are zero. The smallest ends where ABI 3 began. */
static int copy(const char *path, const struct kb_bench *found, struct kb_bench *bench, char error[256])
{
	if (found->abi != KB_ABI || found->size < ABI_SIZE_LEAST)
		snprintf(error, 256, "%s: built for plug-in ABI %u, this kbench has ABI %u; rebuild it with the installed kbench.h", path,
			 found->abi, KB_ABI);
	else if (found->size > sizeof *bench)
		snprintf(error, 256, "%s: built with a newer kbench.h than this kbench's; rebuild it with the installed one", path);
	if (found->abi != KB_ABI || found->size < ABI_SIZE_LEAST || found->size > sizeof *bench)
		return -EPROTO;
	*bench = (struct kb_bench){ 0 };
	memcpy(bench, found, found->size);
	bench->size = sizeof *bench;
	return 0;
}

int kb_plugin_load(const char *path, struct kb_bench *bench, char error[256])
{
	char *full = realpath(path, NULL); /* dlopen would search the library path for a name without a slash */

	if (!full) {
		int code = errno;

		snprintf(error, 256, "cannot open the plug-in %s: %s", path, strerror(code));
		return -code;
	}

	void *object = dlopen(full, RTLD_LAZY | RTLD_LOCAL);

	free(full);
	if (!object) {
		snprintf(error, 256, "cannot load the plug-in, a shared object for this machine: %s", dlerror());
		return -ENOEXEC;
	}

	const struct kb_bench *found = dlsym(object, "kb_plugin");

	if (!found) {
		snprintf(error, 256, "%s: no symbol kb_plugin; end the file with KB_BENCHMARK(...)", path);
		return -ENOEXEC;
	}

	int wrong = copy(path, found, bench, error);

	if (wrong)
		return wrong;
	if (!bench->name && !(bench->name = plugin_name(path))) {
		snprintf(error, 256, "out of memory");
		return -ENOMEM;
	}
	return 0;
}
