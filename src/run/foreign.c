/* See foreign.h. */
#define _GNU_SOURCE
#include "run/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stamp.h"

/* What Debian calls the parts that a collector of the platform is built with, and the emulator of its processes. */
static const struct platform { const char *name, *packages, *emulator, *runs_on; } platforms[] = {
	{ "x86_64", "gcc-x86-64-linux-gnu libc6-dev-amd64-cross", "qemu-x86_64", NULL },
	{ "x86_32", "gcc-i686-linux-gnu libc6-dev-i386-cross", "qemu-i386", "x86_64" },
	{ "aarch64", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross", "qemu-aarch64", NULL },
	{ "riscv64", "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross", "qemu-riscv64", NULL },
};

static const struct platform *find(const char *name)
{
	for (size_t i = 0; i < sizeof platforms / sizeof platforms[0]; i++) {
		if (!strcmp(platforms[i].name, name))
			return &platforms[i];
	}
	return NULL;
}

const char *kb_foreign_platform(const struct kb_bench *bench)
{
	for (const struct kb_foreign *foreign = kb_foreigns; foreign->bench; foreign++) {
		if (foreign->bench == bench)
			return foreign->platform;
	}
	return NULL;
}

bool kb_foreign_is_direct(const char *platform)
{
	const struct platform *known = find(platform);

	return known && known->runs_on && !strcmp(known->runs_on, KB_ARCH_NAME);
}

bool kb_foreign_is_emulated(const struct kb_row *row)
{
	return row->way && row->way->emulator[0];
}

const struct kb_clock *kb_foreign_clock(const struct kb_row *row, const struct kb_clock *ours)
{
	static const struct kb_clock clock = { .name = "ns", .hz = 1000000000, .quantum = 1, .cost = 1, .ladder_ok = true };

	return kb_foreign_is_emulated(row) ? &clock : ours;
}

/* As a shell would find it. */
static bool in_path(const char *program, char path[PATH_MAX])
{
	const char *at = getenv("PATH");

	for (size_t length; at && *at; at += length + (at[length] == ':')) {
		length = strcspn(at, ":");
		int used = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, at, program);

		if (used < PATH_MAX && access(path, X_OK) == 0)
			return true;
	}
	path[0] = '\0';
	return false;
}

/* Debian has it linked to shared libraries, and in another package to none. */
static bool find_emulator(const char *emulator, char path[PATH_MAX])
{
	char name[64];

	snprintf(name, sizeof name, "%s-static", emulator);
	return in_path(emulator, path) || in_path(name, path);
}

/* Within a second, or it is killed: a list must not hang for a collector that does. */
static bool ends(pid_t child)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	pid_t gone = 0;

	for (int i = 0; i < 1000 && gone == 0; i++) {
		gone = waitpid(child, NULL, WNOHANG);
		if (gone == 0)
			nanosleep(&pause, NULL);
	}
	if (gone == 0) {
		kill(child, SIGKILL);
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	return gone == child;
}

/* A processor has its other mode, but a kernel may be built or booted without: only trying tells. Without a plan the
   collector ends at once. */
static bool executes(const char *collector)
{
	char *arguments[] = { (char *)(uintptr_t)collector, NULL }, *environment[] = { NULL };
	posix_spawn_file_actions_t quiet;
	pid_t child;
	bool good;

	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	good = posix_spawn(&child, collector, &quiet, NULL, arguments, environment) == 0;
	posix_spawn_file_actions_destroy(&quiet);
	return good && ends(child);
}

void kb_foreign_find(const char *collector, const char *platform, struct kb_foreign_way *way)
{
	const struct platform *known = find(platform);

	*way = (struct kb_foreign_way){ .platform = platform };
	if (!known) {
		snprintf(way->lacks, sizeof way->lacks, "nothing is known of %s", platform);
		return;
	}
	if (snprintf(way->collector, PATH_MAX, "%s-%s", collector, platform) >= PATH_MAX || access(way->collector, X_OK) < 0)
		snprintf(way->lacks, sizeof way->lacks, "no collector for %s: install %s and build kbench again", platform,
			 known->packages);
	else if (!(kb_foreign_is_direct(platform) && executes(way->collector)) && !find_emulator(known->emulator, way->emulator))
		snprintf(way->lacks, sizeof way->lacks, "no %s: install qemu-user", known->emulator);
}
