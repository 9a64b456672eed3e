/* See guest.h. */
#define _GNU_SOURCE
#include "workflow/guest/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/plan.h"
#include "base/text.h"
#include "evidence/evidence.h"
#include "io.h"
#include "run/backend/kernel.h"
#include "run/method.h"
#include "stamp.h"
#include "workflow/build.h"
#include "workflow/guest/cpio.h"
#include "workflow/import.h"
#include "workflow/machine.h"
#include "workflow/workflow.h"

#define INIT "kbench-guest-static"
#define HUNG "1800"             /* seconds, of an emulator that hangs: the guest ends by itself when it has executed too much */
#define ROWS_MAX 1000

/* What emulates one, and how its kernel is told to be quiet. A tick of the clock is an instruction on each. */
static const struct kb_guest_platform {
	const char *arch, *qemu, *package;
	const char *machine, *cpu, *words;
	const char *image;              /* in the directory that a kernel was built in */
	const char *init;               /* where kbench is of another architecture */
} platforms[] = {
	/* nolapic_timer: the timer of each CPU takes half of a boot under this clock; the one of the board does the same. */
	{ "x86_64", "qemu-system-x86_64", "qemu-system-x86", "pc", "max",
	  "console=ttyS0 loglevel=1 panic=-1 oops=panic tsc=reliable nokaslr mitigations=off no_timer_check nolapic_timer",
	  "arch/x86/boot/bzImage", "kbench-guest-x86_64" },
	/* Pointers are signed with a hash that takes the emulator as long as a function; the other one is as good here. */
	{ "aarch64", "qemu-system-aarch64", "qemu-system-arm", "virt,gic-version=3", "max,pauth-impdef=on,cntfrq=1000000000",
	  "console=ttyAMA0 loglevel=1 panic=-1 oops=panic nokaslr mitigations=off", "arch/arm64/boot/Image", "kbench-guest-aarch64" },
};

/* Each benchmark has the same number of the same blocks: nothing is probed, and what is counted needs no long samples. */
static const struct kb_design design = {
	.method = KB_METHOD_SLOPE, .grid = { 10, 20, 40, 80 }, .grid_count = 4, .repeats = 1, .blocks = 20, .base = true,
};

/* Operations whose length the scheduler or a clock decides. */
static const char uncertain[] = "kernel.hrtimer,kernel.kthread_wake,kernel.rcu_wait,kernel.smp_call,kernel.timer_wakeup,kernel.wait_queue,"
	"kernel.workqueue,kernel.random_bytes,kernel.random_u32";

struct job {
	const struct kb_guest_kernel *kernel;
	const struct kb_guest_request *request;
	struct kb_failure *failure;
	struct kb_build build;          /* where it works, and what ends it */
	char modules[PATH_MAX], archive[PATH_MAX];
	const char *patterns[ROWS_MAX]; /* those of the request, or all, and the user's own */
	size_t pattern_count;
	struct kb_row *rows;
	size_t count;
	char facts[10][240];             /* of the kernel and the emulator, for each record */
	unsigned fact_count;
	char consoles[KB_GUEST_BOOTS_MAX][PATH_MAX];
};

/* ---- the kernel -------------------------------------------------------------------------------------------- */

static bool is_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Up to the first blank: "6.1.0-56-amd64 (debian-kernel@...". */
static bool copy_release(const char *text, char release[100])
{
	snprintf(release, 100, "%.*s", (int)strcspn(text, " "), text);
	return release[0];
}

/* Where the header of a bzImage says. */
static bool read_bzimage(const char *image, size_t length, char release[100])
{
	const unsigned char *header = (const unsigned char *)image;
	size_t at;

	if (length < 0x210 || memcmp(image + 0x202, "HdrS", 4) != 0)
		return false;
	at = (size_t)(header[0x20e] | header[0x20f] << 8) + 0x200;
	return at + 100 < length && copy_release(image + at, release);
}

/* An Image has no such place, but what it prints first. */
static bool read_arm64(const char *image, size_t length, char release[100])
{
	static const char first[] = "Linux version ";
	const char *text = length > 0x40 && memcmp(image + 0x38, "ARM\x64", 4) == 0 ? memmem(image, length, first, sizeof first - 1) : NULL;

	return text && copy_release(text + sizeof first - 1, release);
}

/* NULL: it is a kernel of no platform that is known. */
static const struct kb_guest_platform *read_release(const char *image, char release[100])
{
	size_t length;
	char *bytes = kb_read_whole(image, &length);
	const struct kb_guest_platform *platform = bytes && read_bzimage(bytes, length, release) ? &platforms[0] :
						   bytes && read_arm64(bytes, length, release) ? &platforms[1] : NULL;

	free(bytes);
	return platform;
}

/* The image that was built in a directory, for whichever platform. */
static void find_image(struct kb_guest_kernel *kernel, const char *path)
{
	snprintf(kernel->image, PATH_MAX, "%s", path);
	for (size_t i = 0; is_directory(path) && i < sizeof platforms / sizeof platforms[0]; i++) {
		kb_build_path(kernel->image, path, platforms[i].image);
		if (access(kernel->image, F_OK) == 0)
			return;
	}
}

int kb_guest_find(struct kb_guest_kernel *kernel, const char *path, const char *headers, struct kb_failure *failure)
{
	char of_image[100], of_headers[65];

	*kernel = (struct kb_guest_kernel){ .name = path };
	find_image(kernel, path);
	kernel->platform = read_release(kernel->image, of_image);
	if (!kernel->platform)
		return kb_refuse(failure, KB_EXIT_USAGE, "%.300s: no kernel for x86_64 or arm64: name a bzImage, such as /boot/vmlinuz-..., an Image, or the "
				 "directory that one was built in", kernel->image);
	if (headers || is_directory(path))
		snprintf(kernel->headers, PATH_MAX, "%s", headers ? headers : path);
	else
		snprintf(kernel->headers, PATH_MAX, "/lib/modules/%s/build", of_image);
	if (!kb_kernel_headers_release(kernel->headers, of_headers))
		return kb_refuse(failure, KB_EXIT_USAGE, "%.200s: no headers of a kernel: it has no include/generated/utsrelease.h; name those of %s",
				 kernel->headers, of_image);
	if (strcmp(of_image, of_headers) != 0)
		return kb_refuse(failure, KB_EXIT_USAGE, "%.200s is kernel %s, and %.200s are headers of %s", kernel->image, of_image, kernel->headers,
				 of_headers);
	return 0;
}

static void add_fact(struct job *job, const char *key, const char *value)
{
	snprintf(job->facts[job->fact_count++], sizeof job->facts[0], "line env %s=\"%.200s\"", key, value[0] ? value : "none");
}

/* What tells one kernel and one emulator from another. */
static void find_facts(struct job *job, const char *id)
{
	char path[PATH_MAX], hash[72], line[200], release[100];

	kb_build_hash(job->kernel->image, hash);
	add_fact(job, "kernel", hash);
	kb_build_path(path, job->kernel->headers, "include/config/auto.conf");
	kb_build_hash(path, hash);
	add_fact(job, "config", hash);
	kb_build_line((const char *const[]){ job->kernel->platform->qemu, "--version", NULL }, line, sizeof line);
	add_fact(job, "qemu", line);
	add_fact(job, "accel", "tcg-icount");
	read_release(job->kernel->image, release);
	add_fact(job, "release", release);
	add_fact(job, "platform", job->kernel->platform->arch);
	add_fact(job, "run", id);
}

/* ---- rows and modules ---------------------------------------------------------------------------------------- */

static void add_pattern(struct job *job, const char *pattern)
{
	if (job->pattern_count < ROWS_MAX)
		job->patterns[job->pattern_count++] = pattern;
}

static void find_patterns(struct job *job)
{
	const struct kb_guest_request *request = job->request;

	for (size_t i = 0; i < request->pattern_count; i++)
		add_pattern(job, request->patterns[i]);
	for (size_t i = 0; kb_kernel_benches[i] && request->pattern_count == 0 && request->own_count == 0; i++) {
		if (!kb_list_has(uncertain, kb_kernel_benches[i]->name))
			add_pattern(job, kb_kernel_benches[i]->name);
	}
}

static bool is_wanted(const struct job *job, const char *name)
{
	bool wanted = false;

	for (size_t i = 0; i < job->pattern_count; i++)
		wanted |= kb_pattern_match(job->patterns[i], name);
	return wanted;
}

/* Only what is measured: all of them take minutes. */
static int build_modules(struct job *job)
{
	struct kb_kernel_build build = { .own = job->request->own, .own_count = job->request->own_count };
	char names[4096] = "";
	struct kb_text only = kb_text_in(names, sizeof names);
	unsigned count;

	for (size_t i = 0; kb_kernel_benches[i]; i++) {
		if (!is_wanted(job, kb_kernel_benches[i]->name))
			continue;
		kb_text_str(&only, names[0] ? " " : "");
		kb_text_str(&only, strchr(kb_kernel_benches[i]->name, '.') + 1);
	}
	/* Nothing is named: what this kernel lacks is left out. */
	build.only = job->request->pattern_count == 0 && build.own_count == 0 ? NULL : names[0] ? names : "-";
	build.notes = job->request->notes;
	kb_build_path(build.build.into, job->build.work, "modules");
	memcpy(job->modules, build.build.into, sizeof job->modules);
	return kb_kernel_build_find(&build, job->kernel->headers, job->failure) ?: kb_kernel_build(&build, &count, job->failure);
}

static bool is_built(const struct job *job, const char *bench)
{
	char module[KB_KERNEL_MODULE_MAX], file[KB_KERNEL_MODULE_MAX + 4], path[PATH_MAX];

	kb_kernel_module_of(bench, module);
	snprintf(file, sizeof file, "%s.ko", module);
	kb_build_path(path, job->modules, file);
	return access(path, F_OK) == 0;
}

static void drop_missing(struct job *job)
{
	size_t kept = 0;

	for (size_t i = 0; i < job->count; i++) {
		if (is_built(job, job->rows[i].settings.bench->name))
			job->rows[kept++] = job->rows[i];
		else
			kb_row_release(&job->rows[i]);
	}
	job->count = kept;
}

/* Those of the user have their descriptions next to the modules. */
static int select_rows(struct job *job)
{
	struct kb_collectors collectors;
	struct kb_selected wanted = {
		.collectors = &collectors, .suite = KB_SELECT_NAMED, .sets = job->request->sets, .set_count = job->request->set_count,
		.reach = KB_REACH_FIRST,
	};
	int code;

	kb_kernel_users_in(job->modules);
	for (unsigned i = 0; i < job->request->own_count && kb_kernel_user(i); i++)
		add_pattern(job, kb_kernel_user(i)->name);
	wanted.patterns = job->patterns;
	wanted.pattern_count = job->pattern_count;
	kb_collectors_find(&collectors, NULL);
	code = kb_select_rows(&wanted, &job->request->notes, &job->rows, &job->count, job->failure);
	for (size_t i = 0; i < job->count && !code; i++) {
		if (strncmp(job->rows[i].settings.bench->name, KB_KERNEL ".", sizeof KB_KERNEL) != 0)
			code = kb_refuse(job->failure, KB_EXIT_USAGE, "'%.64s' is no benchmark inside the kernel; see 'kbench list kernel'",
					 job->rows[i].settings.bench->name);
	}
	if (!code)
		drop_missing(job);
	return code;
}

/* ---- what is booted ------------------------------------------------------------------------------------------ */

static void put_row(FILE *plan, const struct job *job, const struct kb_row *row)
{
	const struct kb_bench *bench = row->settings.bench;
	char buffer[KB_PLAN_LINE_MAX];

	fprintf(plan, "bench %s\n", strchr(bench->name, '.') + 1);
	for (int i = 0; i < KB_PARAM_MAX && bench->params[i].name; i++)
		fprintf(plan, "param %s=%s\n", bench->params[i].name, row->settings.text[i]);
	for (unsigned i = 0; i < job->fact_count; i++)
		fprintf(plan, "%s\n", job->facts[i]);
	for (int i = 0; i < KB_EXPECT_MAX && bench->expect[i].counter; i++) {
		if (!kb_settings_match(&row->settings, bench->expect[i].when))
			continue;
		kb_expect_format(buffer, sizeof buffer, &bench->expect[i]);
		fprintf(plan, "line expect %s\n", buffer);
	}
	/* The same in each boot of either kernel, its randomness too, with which it might take other paths. Whoever reads the boots numbers them. */
	fprintf(plan, "process method=%s seed=1 process=1\n", kb_methods[design.method].name);
	kb_design_write(&design, 1, plan);
	fputs("end\n", plan);
}

static void put_plan(const struct job *job, FILE *plan, glob_t *modules)
{
	for (size_t i = 0; i < modules->gl_pathc; i++)
		fprintf(plan, "module /modules%s\n", strrchr(modules->gl_pathv[i], '/'));
	for (size_t i = 0; i < job->count; i++)
		put_row(plan, job, &job->rows[i]);
}

static bool put_file(FILE *archive, const char *from, const char *name, unsigned mode)
{
	size_t length;
	char *bytes = kb_read_whole(from, &length);
	bool done = bytes && kb_cpio_put(archive, name, mode, bytes, length);

	free(bytes);
	return done;
}

/* The module kbench sorts before those that need it. */
static bool write_archive(const struct job *job, const char *path, const char *init, glob_t *modules)
{
	char name[PATH_MAX], *plan = NULL;
	size_t length = 0;
	FILE *archive = fopen(path, "we"), *text = open_memstream(&plan, &length);
	bool done = archive && text;

	if (text)
		put_plan(job, text, modules);
	done = text && fclose(text) == 0 && done && kb_cpio_put(archive, "dev", S_IFDIR | 0755, "", 0) &&
	       kb_cpio_put(archive, "modules", S_IFDIR | 0755, "", 0) && put_file(archive, init, "init", S_IFREG | 0755) &&
	       kb_cpio_put(archive, "plan", S_IFREG | 0644, plan, length);
	for (size_t i = 0; i < modules->gl_pathc && done; i++) {
		snprintf(name, sizeof name, "modules%s", strrchr(modules->gl_pathv[i], '/'));
		done = put_file(archive, modules->gl_pathv[i], name, S_IFREG | 0644);
	}
	done = done && kb_cpio_end(archive);
	free(plan);
	return archive && fclose(archive) == 0 && done;
}

static int find_init(const struct kb_guest_platform *platform, char path[PATH_MAX], struct kb_failure *failure)
{
	const char *name = strcmp(platform->arch, KB_ARCH_NAME) == 0 ? INIT : platform->init;
	char why[KB_TRUST_WHY], installed[80];

	snprintf(installed, sizeof installed, "../libexec/kbench/%s", name);
	return kb_trust_own_part((const char *const[]){ name, installed }, 2, path, why)
		       ? kb_refuse(failure, KB_EXIT_UNFIT, "no %s next to kbench, which a build with a compiler for %s makes: install gcc-%s-linux-gnu, then "
				   "configure and build kbench again", name, platform->arch, platform->arch) : 0;
}

static int make_archive(struct job *job)
{
	char init[PATH_MAX], pattern[PATH_MAX];
	glob_t modules = { 0 };
	int code = find_init(job->kernel->platform, init, job->failure);

	kb_build_path(pattern, job->modules, "*.ko");
	kb_build_path(job->archive, job->build.work, "initrd");
	if (!code && (glob(pattern, 0, NULL, &modules) || !write_archive(job, job->archive, init, &modules)))
		code = kb_refuse(job->failure, KB_EXIT_FAILED, "%.200s: cannot be written: %s", job->archive, strerror(errno));
	globfree(&modules);
	return code;
}

/* ---- a boot --------------------------------------------------------------------------------------------------- */

/* Of a console: records that it has, and its last line. */
static size_t count_records(const char *path, char last[160])
{
	size_t length, count = 0;
	char *text = kb_read_whole(path, &length);

	last[0] = '\0';
	for (char *rest = text, *line; text && (line = strsep(&rest, "\n")) != NULL;) {
		count += strncmp(line, "end ", 4) == 0 || strncmp(line, "fail ", 5) == 0;
		if (line[0])
			snprintf(last, 160, "%.*s", (int)strcspn(line, "\r"), line);
	}
	free(text);
	return count;
}

static int boot(struct job *job, unsigned process)
{
	const struct kb_guest_platform *platform = job->kernel->platform;
	char name[24], last[160];
	size_t records;

	snprintf(name, sizeof name, "boot%u", process);
	kb_build_path(job->consoles[process - 1], job->build.work, name);
	memcpy(job->build.log, job->consoles[process - 1], sizeof job->build.log);
	if (kb_build_run(&job->build, (const char *const[]){ "timeout", "-k", "5", HUNG, platform->qemu, "-M", platform->machine, "-accel", "tcg",
			 "-cpu", platform->cpu, "-m", "512", "-smp", "1", "-icount", "shift=0,sleep=off", "-rtc",
			 "base=2026-01-01T00:00:00,clock=vm", "-seed", "1", "-display", "none", "-serial", "stdio", "-no-reboot", "-nodefaults",
			 "-kernel", job->kernel->image, "-initrd", job->archive, "-append", platform->words, NULL },
			 "the guest did not end well", NULL, job->failure))
		return job->failure->code;
	records = count_records(job->build.log, last);
	return records >= job->count ? 0 : kb_refuse(job->failure, KB_EXIT_FAILED, "boot %u of %.200s gave %zu of %zu records; its console ends with: %s",
						     process, job->kernel->name, records, job->count, last);
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

static int store(struct job *job, char id[37])
{
	char *files[KB_GUEST_BOOTS_MAX];
	struct kb_import_request request = {
		.files = files, .file_count = job->request->boots, .store = job->request->store, .command = job->request->command, .label = "insn",
	};
	struct kb_imported imported;
	int code;

	for (unsigned i = 0; i < job->request->boots; i++)
		files[i] = job->consoles[i];
	code = kb_import_runs(&request, &imported, job->failure);
	if (!code)
		snprintf(id, 37, "%s", imported.runs[0].id);
	kb_imported_release(&imported);
	return code;
}

int kb_guest_count(const struct kb_guest_kernel *kernel, const struct kb_guest_request *request, char id[37], struct kb_failure *failure)
{
	struct job *job = calloc(1, sizeof *job);
	char found[PATH_MAX], nonce[37];
	int code;

	if (!job || kb_run_id(nonce))
		return kb_refuse_memory(failure);
	*job = (struct job){ .kernel = kernel, .request = request, .failure = failure };
	if (!kb_in_path(kernel->platform->qemu, found)) {
		free(job);
		return kb_refuse(failure, KB_EXIT_UNFIT, "no %s: install %s", kernel->platform->qemu, kernel->platform->package);
	}
	find_patterns(job);
	find_facts(job, nonce);
	snprintf(job->build.into, PATH_MAX, "%s", request->directory);
	code = kb_build_begin(&job->build, failure) ?: build_modules(job) ?: select_rows(job) ?: make_archive(job);
	for (unsigned i = 1; i <= request->boots && !code; i++)
		code = boot(job, i);
	code = code ?: store(job, id);
	kb_build_end(&job->build);
	for (size_t i = 0; i < job->count; i++)
		kb_row_release(&job->rows[i]);
	free(job->rows);
	free(job);
	return code;
}
