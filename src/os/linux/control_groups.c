/* See control_groups.h. */
#define _GNU_SOURCE
#include "control_groups.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io.h"

#define TEXT_ROOM 8192          /* of a group's file */
#define TEXT 65536              /* of /proc/self/mountinfo: hosts of many containers have long ones */
#define GROUP 1024              /* a path of a group, as sscanf reads it */

/* A line of /proc/self/mountinfo: what of the hierarchy is seen, and where. */
struct mount { char *root, *point; bool unified; };

/* "36 35 0:29 ROOT POINT OPTIONS [TAG...] - TYPE SOURCE OPTIONS"; proc_pid_mountinfo(5). Takes the line apart. */
static bool parse_mount(char *line, const char *controller, struct mount *mount)
{
	char *rest = strstr(line, " - "), *state, *type, *options;

	if (!rest)
		return false;
	*rest = '\0';
	type = strtok_r(rest + 3, " ", &state);
	strtok_r(NULL, " ", &state);
	options = strtok_r(NULL, " ", &state);
	mount->unified = type && !strcmp(type, "cgroup2");
	if (!mount->unified && !(type && !strcmp(type, "cgroup") && options && kb_list_has(options, controller)))
		return false;
	strtok_r(line, " ", &state);
	strtok_r(NULL, " ", &state);
	strtok_r(NULL, " ", &state);
	mount->root = strtok_r(NULL, " ", &state);
	mount->point = strtok_r(NULL, " ", &state);
	return mount->root && mount->point;
}

/* Of the text of /proc/self/cgroup, "ID:CONTROLLERS:GROUP" a line: the group in the hierarchy of that mount. False: none. */
static bool find_group(const char *text, const char *controller, bool unified, char group[GROUP])
{
	char controllers[256];
	bool found = false;

	for (const char *line = text; !found && line[0]; line += strcspn(line, "\n"), line += line[0] == '\n') {
		if (unified)
			found = sscanf(line, "0::%1023[^\n]", group) == 1;
		else
			found = sscanf(line, "%*u:%255[^:\n]:%1023[^\n]", controllers, group) == 2 && kb_list_has(controllers, controller);
	}
	return found;
}

static char *read_text(const char *root, const char *path)
{
	char full[PATH_MAX], *text = malloc(TEXT);

	snprintf(full, sizeof full, "%s%s", root, path);
	if (text && kb_read_file(full, text, TEXT) <= 0)
		text[0] = '\0';
	return text;
}

/* The group and all above it, as far as the mount shows them: in a container it may begin at the container's own group. */
static void visit_all(const char *root, const struct mount *mount, const char *group, kb_control_group_visit *visit, void *context)
{
	size_t hidden = strcmp(mount->root, "/") ? strlen(mount->root) : 0, top = strlen(mount->point);
	char directory[PATH_MAX];

	if (strncmp(group, mount->root, hidden) != 0 || (group[hidden] != '/' && group[hidden] != '\0') ||
	    snprintf(directory, sizeof directory, "%s%s", mount->point, strcmp(group + hidden, "/") ? group + hidden : "") >= (int)sizeof directory)
		return;
	for (char *end = directory + strlen(directory); end >= directory + top; end = strrchr(directory, '/')) {
		*end = '\0';
		visit(context, root, directory, mount->unified);
	}
}

void kb_control_groups_each(const char *root, const char *controller, kb_control_group_visit *visit, void *context)
{
	char *groups = read_text(root, "/proc/self/cgroup"), *mounts = read_text(root, "/proc/self/mountinfo"), group[GROUP], *state;

	if (mounts && !mounts[0]) /* the usual places */
		snprintf(mounts, TEXT, "1 0 0:1 / /sys/fs/cgroup/%s rw - cgroup cgroup %s\n2 0 0:2 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
			 controller, controller);
	for (char *line = groups && mounts ? strtok_r(mounts, "\n", &state) : NULL; line; line = strtok_r(NULL, "\n", &state)) {
		struct mount mount;

		if (parse_mount(line, controller, &mount) && find_group(groups, controller, mount.unified, group))
			visit_all(root, &mount, group, visit, context);
	}
	free(groups);
	free(mounts);
}

static const struct version { const char *limit, *used, *files[2]; } versions[] = {
	{ "memory.limit_in_bytes", "memory.usage_in_bytes", { "\ntotal_inactive_file ", "\ntotal_active_file " } },
	{ "memory.max", "memory.current", { "\ninactive_file ", "\nactive_file " } },
};

/* A file of a group behind a newline; "\n" where there is none. */
static void read_file(const char *root, const char *directory, const char *name, char text[TEXT_ROOM])
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s%s/%s", root, directory, name);
	text[0] = '\n';
	if (kb_read_file(path, text + 1, TEXT_ROOM - 1) <= 0)
		text[1] = '\0';
}

/* Pages of files count as used, but make room when it is needed. No limit is the word "max", or of version 1 a number that no machine
   has. */
static void take_memory(void *context, const char *root, const char *directory, bool unified)
{
	const struct version *version = &versions[unified];
	uint64_t *least = context, limit, used;
	char text[TEXT_ROOM], *end;

	read_file(root, directory, version->limit, text);
	limit = strtoull(text, &end, 10);
	if (end == text || text[1] == '-' || limit > INT64_MAX / 2)
		return;
	read_file(root, directory, version->used, text);
	used = strtoull(text, NULL, 10);
	read_file(root, directory, "memory.stat", text);
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
