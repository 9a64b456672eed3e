/* See throttle.h. A quota may lie on any group above the process's own, and only that group counts its stops. */
#define _GNU_SOURCE
#include "evidence/throttle.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control_groups.h"
#include "io.h"

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

static void open_group(void *context, const char *root, const char *directory, bool unified)
{
	struct kb_throttle *throttle = context;
	char path[PATH_MAX];

	(void)unified;
	if (throttle->count == KB_THROTTLE_GROUPS || snprintf(path, sizeof path, "%s%s/cpu.stat", root, directory) >= (int)sizeof path)
		return;

	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && read_stat(fd, &throttle->before[throttle->count]))
		throttle->stat[throttle->count++] = fd;
	else if (fd >= 0)
		close(fd);
}

void kb_throttle_open(struct kb_throttle *throttle, const char *root)
{
	*throttle = (struct kb_throttle){ .count = 0 };
	kb_control_groups_each(root, "cpu", open_group, throttle);
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
