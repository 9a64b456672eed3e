/* See kernel.h: benchmarks of the user's own, which `kbench kernel build --bench` put beside ours. */
#define _GNU_SOURCE
#include "run/kernel.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "plugin.h"

#define OWN_MAX 32u

struct own { struct kb_bench bench; char path[PATH_MAX]; };

static struct own all[OWN_MAX];
static unsigned count;
static char refused[256];

/* Only what goes with a module of its name, and is none of ours: a description of another version would make nonsense of it. */
static bool take(const char *path, struct own *own)
{
	char module[KB_KERNEL_MODULE_MAX], error[256];
	const char *name = strrchr(path, '/') + 1;
	int wrong = snprintf(own->path, PATH_MAX, "%s", path) >= PATH_MAX ? -ENAMETOOLONG : kb_plugin_load(path, &own->bench, error);

	if (wrong == -EPROTO && !refused[0])
		memcpy(refused, error, sizeof refused);
	if (wrong)
		return false;
	for (const struct kb_bench *const *bench = kb_kernel_benches; *bench; bench++) {
		if (!strcmp((*bench)->name, own->bench.name))
			return false;
	}
	kb_kernel_module_of(own->bench.name, module);
	return !strncmp(own->bench.name, KB_KERNEL ".", sizeof KB_KERNEL) && !strncmp(name, module, strlen(module));
}

static void look(const char *folder)
{
	char pattern[PATH_MAX];
	glob_t found = { 0 };

	if (snprintf(pattern, sizeof pattern, "%s/" KB_KERNEL_MODULE "_*.so", folder) < PATH_MAX)
		glob(pattern, 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc && count < OWN_MAX; i++)
		count += take(found.gl_pathv[i], &all[count]);
	globfree(&found);
}

const struct kb_bench *kb_kernel_own(unsigned number)
{
	static bool looked;
	char folder[PATH_MAX];

	if (!looked && kb_kernel_own_folder(folder))
		look(folder);
	looked = true;
	return number < count ? &all[number].bench : NULL;
}

const char *kb_kernel_own_refused(void)
{
	kb_kernel_own(0);
	return refused[0] ? refused : NULL;
}

const char *kb_kernel_own_file(const struct kb_bench *bench)
{
	for (unsigned i = 0; kb_kernel_own(i); i++) {
		if (&all[i].bench == bench)
			return all[i].path;
	}
	return NULL;
}
