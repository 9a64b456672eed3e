/* See control_groups.h. */
#define _GNU_SOURCE
#include "control_groups.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io.h"

#define TEXT_ROOM 8192
#define GROUP_MAX 1024

/* Lines of /proc/self/cgroup are "0::/inside" of version 2 and "4:cpu,memory:/inside" of version 1. */
void kb_control_groups_each(const char *root, const char *controller, kb_control_group_visit *visit, void *context)
{
	char path[PATH_MAX], text[TEXT_ROOM], *rest = text, *line;

	snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
	if (kb_read_file(path, text, sizeof text) <= 0)
		return;
	while ((line = strsep(&rest, "\n"))) {
		char *names = strchr(line, ':'), *inside = names ? strchr(names + 1, ':') : NULL;

		if (!inside || strlen(inside) > GROUP_MAX)
			continue;
		*inside++ = '\0';
		names++;
		if (names[0] && !kb_list_has(names, controller))
			continue;
		/* "/" is the root, whose name is "" as that of what is left when the last part is taken off. */
		for (char *end = inside + (strcmp(inside, "/") ? strlen(inside) : 0); end; end = strrchr(inside, '/')) {
			*end = '\0';
			visit(context, root, !names[0], inside);
		}
	}
}

static const struct version { const char *directory, *limit, *used, *files[2]; } versions[] = {
	{ "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", { "\ntotal_inactive_file ", "\ntotal_active_file " } },
	{ "/sys/fs/cgroup", "memory.max", "memory.current", { "\ninactive_file ", "\nactive_file " } },
};

/* A file of a group behind a newline; "\n" where there is none. */
static void read_file(const char *root, const struct version *version, const char *group, const char *name, char text[TEXT_ROOM])
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s%s%s/%s", root, version->directory, group, name);
	text[0] = '\n';
	if (kb_read_file(path, text + 1, TEXT_ROOM - 1) <= 0)
		text[1] = '\0';
}

/* Pages of files count as used, but make room when it is needed. No limit is the word "max", or of version 1 a number that no machine
   has. */
static void take_memory(void *context, const char *root, bool unified, const char *group)
{
	const struct version *version = &versions[unified];
	uint64_t *least = context, limit, used;
	char text[TEXT_ROOM], *end;

	read_file(root, version, group, version->limit, text);
	limit = strtoull(text, &end, 10);
	if (end == text || text[1] == '-' || limit > INT64_MAX / 2)
		return;
	read_file(root, version, group, version->used, text);
	used = strtoull(text, NULL, 10);
	read_file(root, version, group, "memory.stat", text);
	for (unsigned i = 0; i < 2; i++) {
		const char *at = strstr(text, version->files[i]);
		uint64_t bytes = at ? strtoull(at + strlen(version->files[i]), NULL, 10) : 0;

		used -= bytes < used ? bytes : used;
	}
	uint64_t left = used < limit ? limit - used : 0;

	*least = left < *least ? left : *least;
}

uint64_t kb_control_groups_memory_left(const char *root)
{
	uint64_t least = UINT64_MAX;

	kb_control_groups_each(root, "memory", take_memory, &least);
	return least;
}
