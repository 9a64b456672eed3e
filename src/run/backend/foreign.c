/* See foreign.h. */
#define _GNU_SOURCE
#include "run/backend/foreign.h"

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

#include "run/backend/kernel.h"
#include "run/backend/sel4.h"
#include "run/process/trust.h"
#include "stamp.h"

/* The worlds. A platform: what Debian calls the parts that its collector is built with, the emulator of its processes, and the
   platform that runs it directly. Others: what is asked before anything is started. */
static const struct world {
	const char *name, *packages, *emulator, *runs_on;
	const struct kb_bench *const *benches;          /* NULL: its programs are among kb_foreigns */
	const struct kb_bench *(*own)(unsigned number); /* further ones, of the user's; NULL behind the last */
	bool (*can)(char why[KB_FOREIGN_LACKS]);
	bool (*is_outdated)(void);                      /* that is why it cannot */
	int (*ready)(struct kb_guardian *, const struct kb_bench *, char why[KB_FOREIGN_LACKS]);
	const char *(*device)(void);
	void (*design)(struct kb_design *, const char *method);
	unsigned launches;                              /* that are enough; 0: as many as planned */
	unsigned tests;                                 /* of method kanata that a launch has room for; 0: any number */
	const char *alone;                              /* why two launches cannot take turns; NULL: they can */
} worlds[] = {
	{ "x86_64", "gcc-x86-64-linux-gnu libc6-dev-amd64-cross", "qemu-x86_64", .runs_on = NULL },
	{ "x86_32", "gcc-i686-linux-gnu libc6-dev-i386-cross", "qemu-i386", .runs_on = "x86_64" },
	{ "aarch64", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross", "qemu-aarch64", .runs_on = NULL },
	{ "riscv64", "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross", "qemu-riscv64", .runs_on = NULL },
	{ KB_KERNEL, .benches = kb_kernel_benches, .own = kb_kernel_own, .can = kb_kernel_can, .is_outdated = kb_kernel_is_outdated, .ready = kb_kernel_ready,
	  .device = kb_kernel_device, .alone = "only one process at a time can open the kernel's device" },
	{ KB_SEL4, .benches = kb_sel4_benches, .can = kb_sel4_can, .is_outdated = kb_sel4_is_outdated, .ready = kb_sel4_ready, .device = kb_sel4_device,
	  .design = kb_sel4_design, .launches = 3, .tests = KB_SEL4_TESTS_MAX, .alone = "a process is a boot whose plan is fixed before it starts" },
};

#define WORLDS (sizeof worlds / sizeof worlds[0])

static const struct world *find(const char *name)
{
	for (size_t i = 0; i < WORLDS; i++) {
		if (!strcmp(worlds[i].name, name))
			return &worlds[i];
	}
	return NULL;
}

/* Of the user's. */
static struct kb_foreign added;
static const char *added_collector;

void kb_foreign_add(const struct kb_bench *bench, const char *platform, const char *collector)
{
	added = (struct kb_foreign){ bench, platform };
	added_collector = collector;
}

const char *kb_foreign_collector(const struct kb_bench *bench)
{
	return added.bench && bench == added.bench ? added_collector : NULL;
}

static struct kb_foreign built_in(unsigned number)
{
	unsigned before = 0;

	for (; kb_foreigns[before].bench; before++) {
		if (before == number)
			return kb_foreigns[before];
	}
	for (size_t i = 0; i < WORLDS; i++) {
		for (const struct kb_bench *const *bench = worlds[i].benches; bench && *bench; bench++) {
			if (before++ == number)
				return (struct kb_foreign){ *bench, worlds[i].name };
		}
		for (unsigned k = 0; worlds[i].own && worlds[i].own(k); k++) {
			if (before++ == number)
				return (struct kb_foreign){ worlds[i].own(k), worlds[i].name };
		}
	}
	return (struct kb_foreign){ NULL, NULL };
}

struct kb_foreign kb_foreign_at(unsigned number)
{
	struct kb_foreign found;
	unsigned at = 0;

	if (!added.bench)
		return built_in(number);
	if (number == 0)
		return added;
	do {
		found = built_in(at++);
		number -= !found.bench || strcmp(found.bench->name, added.bench->name) != 0;
	} while (found.bench && number > 0);
	return found;
}

const char *kb_foreign_platform(const struct kb_bench *bench)
{
	struct kb_foreign foreign;

	for (unsigned i = 0; (foreign = kb_foreign_at(i)).bench; i++) {
		if (foreign.bench == bench)
			return foreign.platform;
	}
	return NULL;
}

bool kb_foreign_is_direct(const char *platform)
{
	const struct world *known = find(platform);

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

bool kb_in_path(const char *program, char path[PATH_MAX])
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
	return kb_in_path(emulator, path) || kb_in_path(name, path);
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

int kb_foreign_ready(const struct kb_foreign_way *way, struct kb_guardian *guardian, const struct kb_bench *bench,
                     char why[KB_FOREIGN_LACKS])
{
	const struct world *known = way ? find(way->platform) : NULL;

	why[0] = '\0';
	return known && known->ready ? known->ready(guardian, bench, why) : 0;
}

const char *kb_foreign_device(const struct kb_foreign_way *way)
{
	const struct world *known = way ? find(way->platform) : NULL;

	return known && known->device ? known->device() : NULL;
}

static const struct world *of(const struct kb_row *row)
{
	return row->way ? find(row->way->platform) : NULL;
}

bool kb_foreign_design(const struct kb_row *row, const char *method, struct kb_design *design)
{
	const struct world *known = of(row);

	if (known && known->design)
		known->design(design, method);
	return known && known->design;
}

unsigned kb_foreign_tests(const struct kb_bench *bench)
{
	const char *platform = kb_foreign_platform(bench);
	const struct world *known = platform ? find(platform) : NULL;

	return known ? known->tests : 0;
}

unsigned kb_foreign_launches(const struct kb_row *row, unsigned planned)
{
	const struct world *known = of(row);

	return known && known->launches && known->launches < planned ? known->launches : planned;
}

void kb_foreign_take_turns(struct kb_foreign_way *way)
{
	const struct world *known = find(way->platform);

	if (known && known->alone)
		snprintf(way->lacks, sizeof way->lacks, "kbench ab interleaves its sides, but %s: measure each with 'kbench run --label NAME', then "
			 "'kbench compare NAME NAME'", known->alone);
	way->skips = false;
}

/* Of a platform: the processor's other mode, or an emulator. */
static void find_way(const struct world *known, struct kb_foreign_way *way)
{
	if (!(kb_foreign_is_direct(way->platform) && executes(way->collector)) && !find_emulator(known->emulator, way->emulator))
		snprintf(way->lacks, sizeof way->lacks, "no %s: install qemu-user", known->emulator);
}

void kb_foreign_find(const char *collector, const char *platform, struct kb_foreign_way *way)
{
	const struct world *known = find(platform);

	*way = (struct kb_foreign_way){ .platform = platform };
	if (!known) {
		snprintf(way->lacks, sizeof way->lacks, "nothing is known of %s", platform);
		return;
	}
	char named[PATH_MAX], why[KB_TRUST_WHY];
	int error = snprintf(named, PATH_MAX, "%s-%s", collector, platform) < PATH_MAX ? 0 : -ENAMETOOLONG;

	error = error ? error : kb_trust(named, KB_TRUST_OWNER, way->collector, why);

	bool there = !error && access(way->collector, X_OK) == 0;

	if (error == -EPERM)
		snprintf(way->lacks, sizeof way->lacks, "%s", why);
	else if (!there && known->packages)
		snprintf(way->lacks, sizeof way->lacks, "no collector for %s: install %s and build kbench again", platform,
			 known->packages);
	else if (!there)
		snprintf(way->lacks, sizeof way->lacks, "no kbench-collect-%s: build or install kbench again", platform);
	else if (known->can)
		known->can(way->lacks);
	else
		find_way(known, way);
	way->skips = there && known->can && !(way->lacks[0] && known->is_outdated());
}
