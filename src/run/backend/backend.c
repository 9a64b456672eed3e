/* See backend.h. */
#define _GNU_SOURCE
#include "run/backend/backend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assemble/command.h"
#include "run/backend/kernel.h"
#include "run/backend/sel4.h"
#include "run/process/trust.h"
#include "stamp.h"

static const struct kb_backend here = { KB_ARCH_NAME, .native = true };

static const struct kb_backend backends[KB_COLLECTORS] = {
	{ "x86_64", .packages = "gcc-x86-64-linux-gnu libc6-dev-amd64-cross", .emulator = "qemu-x86_64" },
	{ "x86_32", .packages = "gcc-i686-linux-gnu libc6-dev-i386-cross", .emulator = "qemu-i386", .runs_on = "x86_64" },
	{ "aarch64", .packages = "gcc-aarch64-linux-gnu libc6-dev-arm64-cross", .emulator = "qemu-aarch64" },
	{ "riscv64", .packages = "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross", .emulator = "qemu-riscv64" },
	{ KB_KERNEL, .benches = kb_kernel_benches, .users = kb_kernel_user, .description = kb_kernel_user_file, .available = kb_kernel_available,
	  .ready = kb_kernel_ready, .device = kb_kernel_device, .alone = "only one process at a time can open the kernel's device" },
	{ KB_SEL4, .benches = kb_sel4_benches, .available = kb_sel4_available, .device = kb_sel4_device, .witness = kb_sel4_witness, .design = kb_sel4_design,
	  .processes = 3, .tests = KB_SEL4_TESTS_MAX, .patience = 40, .alone = "a process is a boot whose plan is fixed before it starts" },
};

const struct kb_backend *kb_backend_find(const char *name)
{
	for (size_t i = 0; i < KB_COLLECTORS; i++) {
		if (!strcmp(backends[i].name, name))
			return &backends[i];
	}
	return NULL;
}

const struct kb_backend *kb_backend_of(const struct kb_row *row)
{
	return row->collector ? row->collector->backend : &here;
}

bool kb_is_emulated(const struct kb_row *row)
{
	return row->collector && row->collector->emulator[0];
}

unsigned kb_backend_processes(const struct kb_row *row, const struct kb_run_options *options)
{
	unsigned enough = kb_backend_of(row)->processes;

	return enough && enough < options->processes && !options->processes_given ? enough : options->processes;
}

uint64_t kb_backend_limit(const struct kb_row *row, uint64_t timeout_ns)
{
	unsigned patience = kb_backend_of(row)->patience;

	return timeout_ns < UINT64_MAX / 64 && patience > 0 ? patience * timeout_ns : timeout_ns;
}

const struct kb_clock *kb_backend_clock(const struct kb_row *row, const struct kb_clock *ours)
{
	static const struct kb_clock clock = { .name = "ns", .hz = 1000000000, .quantum = 1, .cost = 1, .ladder_ok = true };

	return kb_is_emulated(row) ? &clock : ours;
}

int kb_backend_ready(const struct kb_row *row, struct kb_guardian *guardian, char why[KB_BACKEND_WHY])
{
	const struct kb_backend *backend = kb_backend_of(row);

	why[0] = '\0';
	if (backend->ready)
		return backend->ready(guardian, row->settings.bench, why);
	return backend->available ? backend->available(why) : 0;
}

/* ---- benchmarks ----------------------------------------------------------------------------------- */

static struct kb_cross_bench added;     /* the user's */
static const char *added_collector;
static struct kb_cross_bench *list;

static void put(struct kb_cross_bench *to, unsigned *count, const struct kb_bench *bench, const struct kb_backend *backend)
{
	if (added.bench && *count > 0 && !strcmp(bench->name, added.bench->name))
		return;
	if (to)
		to[*count] = (struct kb_cross_bench){ bench, backend };
	++*count;
}

/* Where `to` is NULL they are only counted. */
static unsigned put_all(struct kb_cross_bench *to)
{
	unsigned count = 0;

	if (added.bench)
		put(to, &count, added.bench, added.backend);
	for (const struct kb_cross_program *program = kb_cross_programs; program->bench; program++)
		put(to, &count, program->bench, kb_backend_find(program->platform));
	for (const struct kb_backend *backend = backends; backend < backends + KB_COLLECTORS; backend++) {
		const struct kb_bench *user;

		for (const struct kb_bench *const *bench = backend->benches; bench && *bench; bench++)
			put(to, &count, *bench, backend);
		for (unsigned i = 0; backend->users && (user = backend->users(i)); i++)
			put(to, &count, user, backend);
	}
	return count;
}

const struct kb_cross_bench *kb_cross_benches(void)
{
	static const struct kb_cross_bench none;

	if (!list && (list = calloc(put_all(NULL) + 1, sizeof *list)))
		put_all(list);
	return list ? list : &none;
}

unsigned kb_cross_count(void)
{
	return put_all(NULL);
}

void kb_cross_add(const struct kb_bench *bench, const char *platform, const char *collector)
{
	added = (struct kb_cross_bench){ bench, kb_backend_find(platform) };
	added_collector = collector;
	free(list);
	list = NULL;
}

const struct kb_backend *kb_backend_of_bench(const struct kb_bench *bench)
{
	const struct kb_cross_bench *cross = kb_cross_benches();

	while (cross->bench && cross->bench != bench)
		cross++;
	return cross->bench ? cross->backend : &here;
}

/* ---- collectors ----------------------------------------------------------------------------------- */

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

/* A processor has its other mode, but a kernel may be built or booted without: only trying tells. Without a plan the collector ends at
   once; a list must not hang for one that does not. */
static bool executes(const char *collector)
{
	struct kb_command_output output;
	int status = kb_command((const char *const[]){ collector, NULL }, 1000, &output);

	free(output.text);
	return status >= 0;
}

void kb_collector_take_turns(struct kb_collector *collector)
{
	if (collector->backend && collector->backend->alone)
		snprintf(collector->unavailable_reason, KB_BACKEND_WHY, "kbench ab interleaves its sides, but %s: measure each with 'kbench run "
		         "--label NAME', then 'kbench compare NAME NAME'", collector->backend->alone);
	collector->skips = false;
}

bool kb_collector_measures(const struct kb_collector *collector, bool emulate, char why[256])
{
	why[0] = '\0';
	if (collector && collector->unavailable_reason[0])
		snprintf(why, 256, "%s", collector->unavailable_reason);
	else if (collector && collector->emulator[0] && !emulate)
		snprintf(why, 256, "%s runs emulated only, which checks it and measures no times: use run --emulate", collector->backend->name);
	return !why[0];
}

void kb_collector_find(const char *ours, const char *platform, struct kb_collector *collector)
{
	const struct kb_backend *backend = kb_backend_find(platform);
	char named[PATH_MAX], *reason = collector->unavailable_reason;

	*collector = (struct kb_collector){ .backend = backend };
	if (!backend) {
		snprintf(reason, KB_BACKEND_WHY, "%s is no platform of kbench", platform);
		return;
	}
	int error = snprintf(named, PATH_MAX, "%s-%s", ours, platform) < PATH_MAX ? 0 : -ENAMETOOLONG;

	error = error ? error : kb_trust(named, KB_TRUST_OWNER, collector->path, reason);
	if (error == -EPERM)
		return;
	reason[0] = '\0';
	if (error || access(collector->path, X_OK) < 0) {
		if (backend->packages)
			snprintf(reason, KB_BACKEND_WHY, "no collector for %s: install %s and build kbench again", platform, backend->packages);
		else
			snprintf(reason, KB_BACKEND_WHY, "no kbench-collect-%s: build or install kbench again", platform);
	} else if (backend->available) {
		collector->skips = backend->available(reason) != -EPROTO;
	} else if (!(backend->runs_on && !strcmp(backend->runs_on, KB_ARCH_NAME) && executes(collector->path)) &&
	           !find_emulator(backend->emulator, collector->emulator)) {
		snprintf(reason, KB_BACKEND_WHY, "no %s: install qemu-user", backend->emulator);
	}
}

/* Next to this program in a build directory, below libexec when installed: both move together, so no path is built in. */
int kb_collector_ours(char path[PATH_MAX], char why[KB_BACKEND_WHY])
{
	static const char *const places[] = { "kbench-collect", "../libexec/kbench/kbench-collect" };

	return kb_trust_own_part(places, 2, path, why);
}

void kb_collectors_find(struct kb_collectors *collectors, const char *ours)
{
	char ours_here[PATH_MAX], why[KB_BACKEND_WHY];

	if (!ours && kb_collector_ours(ours_here, why))
		ours_here[0] = '\0';
	for (size_t i = 0; i < KB_COLLECTORS; i++)
		kb_collector_find(ours ? ours : ours_here, backends[i].name, &collectors->each[i]);
	if (added.bench)
		kb_collector_find(added_collector, added.backend->name, &collectors->users);
}

const struct kb_collector *kb_collectors_of(const struct kb_collectors *collectors, const struct kb_bench *bench)
{
	const struct kb_backend *backend = kb_backend_of_bench(bench);

	return backend->native ? NULL : bench == added.bench ? &collectors->users : &collectors->each[backend - backends];
}
