/* See throttle.h. A quota may lie on any group above the process's own, and only that group counts its stops. */
#define _GNU_SOURCE
#include "evidence/throttle.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "io.h"

#define TEXT 65536              /* of /proc/self/mountinfo: hosts of many containers have long ones */

#define GROUP 1024              /* a path of a group, as sscanf reads it */

/* A line of /proc/self/mountinfo: what of the hierarchy is seen, and where. */
struct mount { char *root, *point; bool unified; };

/* "36 35 0:29 ROOT POINT OPTIONS [TAG...] - TYPE SOURCE OPTIONS"; proc_pid_mountinfo(5). Takes the line apart. */
static bool parse_mount(char *line, struct mount *mount)
{
	char *rest = strstr(line, " - "), *state, *type, *options;

	if (!rest)
		return false;
	*rest = '\0';
	type = strtok_r(rest + 3, " ", &state);
	strtok_r(NULL, " ", &state);
	options = strtok_r(NULL, " ", &state);
	mount->unified = type && !strcmp(type, "cgroup2");
	if (!mount->unified && !(type && !strcmp(type, "cgroup") && options && kb_list_has(options, "cpu")))
		return false;
	strtok_r(line, " ", &state);
	strtok_r(NULL, " ", &state);
	strtok_r(NULL, " ", &state);
	mount->root = strtok_r(NULL, " ", &state);
	mount->point = strtok_r(NULL, " ", &state);
	return mount->root && mount->point;
}

/* The growing number behind its name, in us; false: this group has no quota, or is the root of its hierarchy. */
static bool read_stat(int fd, uint64_t *us)
{
	char text[4096];
	const char *at;

	if (kb_read_at_start(fd, text, sizeof text) <= 0)
		return false;
	if ((at = strstr(text, "throttled_usec ")) != NULL)
		*us = strtoull(at + strlen("throttled_usec "), NULL, 10);
	else if ((at = strstr(text, "throttled_time ")) != NULL)
		*us = strtoull(at + strlen("throttled_time "), NULL, 10) / 1000;
	return at != NULL;
}

static void open_group(struct kb_throttle *throttle, const char *root, const char *point, const char *group)
{
	char path[PATH_MAX];

	if (throttle->count == KB_THROTTLE_GROUPS ||
	    snprintf(path, sizeof path, "%s%s%s/cpu.stat", root, point, group) >= (int)sizeof path)
		return;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && read_stat(fd, &throttle->before[throttle->count]))
		throttle->stat[throttle->count++] = fd;
	else if (fd >= 0)
		close(fd);
}

/* The group and all above it, as far as the mount shows them: in a container it may begin at the container's own group. */
static void open_groups(struct kb_throttle *throttle, const char *root, const struct mount *mount, const char *group)
{
	size_t hidden = strcmp(mount->root, "/") ? strlen(mount->root) : 0;
	char below[PATH_MAX];

	if (strncmp(group, mount->root, hidden) != 0 || (group[hidden] != '/' && group[hidden] != '\0') ||
	    snprintf(below, sizeof below, "%s", group + hidden) >= (int)sizeof below)
		return;
	for (char *slash; (slash = strrchr(below, '/')) != NULL; *slash = '\0') {
		if (slash[1])
			open_group(throttle, root, mount->point, below);
	}
	open_group(throttle, root, mount->point, "");
}

/* Of the text of /proc/self/cgroup, "ID:CONTROLLERS:GROUP" a line: the group in the hierarchy of that mount. False: none. */
static bool find_group(const char *text, bool unified, char group[GROUP])
{
	char controllers[256];
	bool found = false;

	for (const char *line = text; !found && line[0]; line += strcspn(line, "\n"), line += line[0] == '\n') {
		if (unified)
			found = sscanf(line, "0::%1023[^\n]", group) == 1;
		else
			found = sscanf(line, "%*u:%255[^:\n]:%1023[^\n]", controllers, group) == 2 && kb_list_has(controllers, "cpu");
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

void kb_throttle_open(struct kb_throttle *throttle, const char *root)
{
	char *groups = read_text(root, "/proc/self/cgroup"), *mounts = read_text(root, "/proc/self/mountinfo"), group[GROUP], *state;

	*throttle = (struct kb_throttle){ .count = 0 };
	for (char *line = groups && mounts ? strtok_r(mounts, "\n", &state) : NULL; line; line = strtok_r(NULL, "\n", &state)) {
		struct mount mount;

		if (parse_mount(line, &mount) && find_group(groups, mount.unified, group))
			open_groups(throttle, root, &mount, group);
	}
	free(groups);
	free(mounts);
}

void kb_throttle_start(struct kb_throttle *throttle)
{
	for (unsigned i = 0; i < throttle->count; i++)
		read_stat(throttle->stat[i], &throttle->before[i]);
}

uint64_t kb_throttle_us(const struct kb_throttle *throttle)
{
	uint64_t most = 0, now;

	for (unsigned i = 0; i < throttle->count; i++) {
		if (read_stat(throttle->stat[i], &now) && now > throttle->before[i] && now - throttle->before[i] > most)
			most = now - throttle->before[i];
	}
	return most;
}
