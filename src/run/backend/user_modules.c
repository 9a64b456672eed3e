/* See kernel.h: benchmarks of the user's own, which `kbench kernel build --bench` put next to ours. */
#define _GNU_SOURCE
#include "run/backend/kernel.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io.h"
#include "run/process/describe.h"
#include "run/process/trust.h"

#define OWN_MAX 32u

struct own { struct kb_described described; char path[PATH_MAX]; };

static struct own all[OWN_MAX];
static unsigned count;
static char refused[256];

/* One of another version would make nonsense of it. */
static int read(const char *path, struct own *own)
{
	char why[KB_TRUST_WHY], error[256];
	size_t length = 0;
	char *text = kb_trust(path, KB_TRUST_US, own->path, why) ? NULL : kb_read_whole(own->path, &length);
	int wrong = text ? kb_describe_read((struct kb_span){ text, length }, &own->described, error) : -ENOENT;

	free(text);
	if (wrong == -EPROTO && !refused[0])
		snprintf(refused, sizeof refused, "%.100s: another version of kbench made it: rebuild it with 'kbench kernel build'", path);
	return wrong;
}

/* Only what goes with a module of its name, and is none of ours. */
static bool take(const char *path, struct own *own)
{
	char module[KB_KERNEL_MODULE_MAX];
	const char *file = strrchr(path, '/') + 1, *name;

	if (read(path, own))
		return false;
	name = own->described.bench.name;
	for (const struct kb_bench *const *bench = kb_kernel_benches; *bench; bench++) {
		if (!strcmp((*bench)->name, name))
			return false;
	}
	kb_kernel_module_of(name, module);
	return !strncmp(name, KB_KERNEL ".", sizeof KB_KERNEL) && !strncmp(file, module, strlen(module));
}

static void find_all(const char *directory)
{
	char pattern[PATH_MAX];
	glob_t found = { 0 };

	if (snprintf(pattern, sizeof pattern, "%s/" KB_KERNEL_MODULE "_*" KB_DESCRIPTION_SUFFIX, directory) < PATH_MAX)
		glob(pattern, 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc && count < OWN_MAX; i++)
		count += take(found.gl_pathv[i], &all[count]);
	globfree(&found);
}

const struct kb_bench *kb_kernel_user(unsigned number)
{
	static bool found;
	char directory[PATH_MAX];

	if (!found && kb_kernel_user_directory(directory))
		find_all(directory);
	found = true;
	return number < count ? &all[number].described.bench : NULL;
}

const char *kb_kernel_user_refused(void)
{
	kb_kernel_user(0);
	return refused[0] ? refused : NULL;
}

const char *kb_kernel_user_file(const struct kb_bench *bench)
{
	for (unsigned i = 0; kb_kernel_user(i); i++) {
		if (&all[i].described.bench == bench)
			return all[i].path;
	}
	return NULL;
}
