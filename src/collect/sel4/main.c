/*
 * kbench-collect-sel4: one process of a measurement on seL4, which is one boot. It takes the whole plan, writes it into a copy of
 * the image, boots that in QEMU and hands the record on, whose lines the root server wrote. It looks at none of its numbers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/boot_text.h"
#include "base/plan.h"
#include "base/record.h"
#include "collect/common/record.h"
#include "collect/sel4/qemu.h"
#include "io.h"

#define END_MS 5000             /* after the last byte of the console */
#define PROOF_N 200u            /* operations of a test */
#define ASK_MS 1000             /* how often the guest's clock is read while nothing comes */

extern const struct kb_bench *const kb_sel4_benches[]; /* made by tools/target-list */

static struct kb_collect_options options;
static bool begun;              /* the record has its first line */
static bool ended;              /* or its last */
static const struct kb_failure_record record = { .options = &options, .clock = "icount hz=0 quantum=1 cost=0 ordered=1", .begun = &begun };

#define fail(stage, unmet, ...) kb_failure_record(&record, stage, KB_NO_ERRNO, unmet, __VA_ARGS__)

/* What `kbench sel4 build` wrote next to the image: key=value lines. */
static char facts[4096];

/* ---- what is to be measured ----------------------------------------------------------------------------------------- */

/* All facts are readings of the process, but what QEMU needs, and what tells which kernels are alike. */
static void put_facts(FILE *text)
{
	char copy[sizeof facts], *rest = copy, *line;

	memcpy(copy, facts, sizeof copy);
	while ((line = strsep(&rest, "\n")) != NULL) {
		if (line[0] && strncmp(line, "memory=", 7) != 0 && strncmp(line, "peer=", 5) != 0)
			fprintf(text, "line env %s\n", line);
	}
}

/* Groups are the source document's parameters in another form: I and D from the sizes of the first two, S, G. */
static int read_plan(FILE *text, bool kanata)
{
	struct { uint64_t size[2]; unsigned tests, skip, count; } groups = { .count = 0 };
	struct kb_span line;
	struct kb_block block;
	int more;

	while ((more = kb_plan_line(STDIN_FILENO, &line)) > 0) {
		if (kb_plan_parse(line, &block))
			return fail("plan", false, "not a line of a plan: %.*s", (int)(line.length < 60 ? line.length : 60), line.at);
		if (block.tests == 0 && !kanata)
			fprintf(text, "%.*s\n", (int)line.length, line.at);
		if (block.tests == 0)
			continue;
		if (groups.count < 2)
			groups.size[groups.count] = block.steps[0].n;
		groups.tests = block.skip + block.tests;
		groups.skip = block.skip;
		groups.count++;
	}
	if (more < 0)
		return fail("plan", false, "the plan cannot be read: %s", strerror(-more));
	if (kanata)
		fprintf(text, "kanata init_test_size=%llu delta=%llu group_size=%u n_groups=%u skip=%u\n", (unsigned long long)groups.size[0],
			(unsigned long long)(groups.count > 1 ? groups.size[1] - groups.size[0] : 0), groups.tests, groups.count, groups.skip);
	return 0;
}

/* Of a proof, which is for what the kernel counts. */
static void put_proof(const struct kb_bench *bench, FILE *text)
{
	unsigned n = bench->max_n && bench->max_n < PROOF_N ? (unsigned)bench->max_n : PROOF_N;

	fprintf(text, "block 0 o%u o%u\n", n, n);
}

static int make_text(FILE *text)
{
	const struct kb_bench *bench = options.settings.bench;
	bool kanata = strncmp(options.method, "kanata", 6) == 0;

	fprintf(text, "bench %s\n", bench->name);
	for (int i = 0; i < KB_PARAM_MAX && bench->params[i].name; i++)
		fprintf(text, "param %s=%s\n", bench->params[i].name, options.settings.text[i]);
	fprintf(text, "method %s seed=%llu process=%llu\n", options.prove ? "slope" : options.method, (unsigned long long)options.seed, (unsigned long long)options.process);
	fprintf(text, "set output=record clock=icount exit=qemu\n");
	put_facts(text);
	if (!options.prove)
		return read_plan(text, kanata);
	put_proof(bench, text);
	return 0;
}

/* ---- the image --------------------------------------------------------------------------------------------- */

static int write_image(const char *path, const char *image, size_t length)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), error;

	if (fd < 0)
		return -errno;
	error = kb_write_all(fd, image, length);
	return close(fd) && !error ? -errno : error;
}

/* Next to the copy lies what it is booted with: QEMU is given names, no paths. */
static int prepare(const char *arch, const char *text, size_t length, char scratch[PATH_MAX])
{
	const char *name = strcmp(arch, "x86_64") == 0 ? "kb_root.elf" : "kb_image.elf";
	char path[PATH_MAX + 64], kernel[PATH_MAX + 64];
	size_t size;

	/* Of the run, so that the guardian removes it whatever happens. */
	if (options.scratch[0])
		snprintf(scratch, PATH_MAX, "%s/sel4.XXXXXX", options.scratch);
	else
		kb_temporary_name(scratch, PATH_MAX, "kbench-sel4");
	if (!mkdtemp(scratch))
		return fail("setup", false, "cannot create the directory %s: %s", scratch, strerror(errno));
	snprintf(path, sizeof path, "%s/%s", options.device, name);
	char *image = kb_read_whole(path, &size);

	if (!image)
		return fail("setup", true, "no image %s: kbench sel4 build", path);
	int error = kb_boot_text_write(image, size, text, length);

	if (error)
		return fail("setup", false, "%s: %s", path, error == -EOVERFLOW ? "the plan is longer than its room" :
			    "another version of kbench built the image: rebuild it with 'kbench sel4 build'");
	snprintf(path, sizeof path, "%s/boot.elf", scratch);
	error = write_image(path, image, size);
	free(image);
	snprintf(kernel, sizeof kernel, "%s/kernel32.elf", options.device);
	snprintf(path, sizeof path, "%s/kernel32.elf", scratch);
	if (!error && strcmp(arch, "x86_64") == 0 && symlink(kernel, path))
		error = -errno;
	return error ? fail("setup", false, "cannot write into %s: %s", scratch, strerror(-error)) : 0;
}

static void remove_scratch(const char *scratch)
{
	static const char *const names[] = { "boot.elf", "kernel32.elf" };
	char path[PATH_MAX + 64];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/%s", scratch, names[i]);
		unlink(path);
	}
	rmdir(scratch);
}

/* ---- the boot ---------------------------------------------------------------------------------------------- */

struct console { char line[KB_RECORD_LINE_MAX]; size_t used; const char *refusal; char last[160]; bool outdated, endless; };

/* From the first line of the record on everything is handed on: its reader skips what the kernel prints between. */
static int take_line(struct console *console)
{
	console->line[console->used] = '\0';
	if (!begun && strncmp(console->line, "kbench-record ", 14) == 0) {
		console->outdated = strtoul(console->line + 14, NULL, 10) != KB_RECORD_VERSION;
		if (console->outdated)
			return -EPROTO;
		begun = true;
	}
	if (begun && (strncmp(console->line, "end ", 4) == 0 || strncmp(console->line, "fail ", 5) == 0))
		ended = true;
	if (!ended && !console->refusal)
		console->refusal = kb_qemu_refusal(console->line);
	if (console->used > 1)
		snprintf(console->last, sizeof console->last, "%.*s", (int)strcspn(console->line, "\r\n"), console->line);
	int error = begun ? kb_write_all(STDOUT_FILENO, console->line, console->used) : 0;

	console->used = 0;
	return error;
}

/* Until a byte can be read. False: the guest has executed more than it may. How busy the host is decides nothing. */
static bool await_byte(const struct kb_qemu *qemu)
{
	struct pollfd console = { .fd = qemu->console, .events = POLLIN };

	while (poll(&console, 1, ASK_MS) == 0) {
		if (options.guest_limit > 0 && kb_qemu_insns(qemu) > options.guest_limit)
			return false;
	}
	return true;
}

static int listen(const struct kb_qemu *qemu, struct console *console)
{
	char buffer[4096];
	ssize_t got;
	int error = 0;

	while (!error && !console->refusal) {
		if (!await_byte(qemu)) {
			console->endless = true;
			return 0;
		}
		got = read(qemu->console, buffer, sizeof buffer);
		if (got == 0)
			break;
		if (got < 0 && errno != EINTR)
			return -errno;
		for (ssize_t i = 0; i < got && !error; i++) {
			console->line[console->used++] = buffer[i];
			if (buffer[i] == '\n' || console->used + 1 == sizeof console->line)
				error = take_line(console);
		}
	}
	return error;
}

static int boot(const char *arch, const char *scratch)
{
	static struct console console;
	struct kb_qemu qemu = { .arch = arch, .directory = scratch, .image = "boot.elf" };
	char megabytes[16];
	int end;

	kb_boot_fact(facts, "memory", megabytes, sizeof megabytes);
	qemu.megabytes = (unsigned)strtoul(megabytes, NULL, 10);

	int error = kb_qemu_start(&qemu);

	if (error)
		return fail("boot", false, "cannot start %s: %s", kb_qemu_program(arch) ?: arch, strerror(-error));
	error = listen(&qemu, &console);
	end = kb_qemu_wait(&qemu, console.refusal || console.endless || error ? 0 : END_MS);
	if (console.outdated)
		return fail("boot", false, "another version of kbench built the image, which writes records of another version: rebuild it with "
			    "'kbench sel4 build'");
	if (console.refusal && !ended)
		return fail("boot", true, "%s (the console has: %.100s)", console.refusal, console.last);
	if (end == KB_SEL4_UNFIT && !ended)
		return fail("boot", true, "the kernel is unfit: %.120s", console.last);
	if (console.endless)
		return fail("boot", false, "the guest executed %.3g instructions and did not end (--timeout); last line: %.120s",
			    (double)options.guest_limit, console.last);
	if (!begun)
		return fail("boot", false, "nothing came from the root server; QEMU ended with %d, last line: %.120s", end, console.last);
	return end == KB_SEL4_COMPLETE && ended && !error ? 0 : KB_COLLECT_FAILED;
}

static int read_facts(char arch[32])
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof path, "%s/facts", options.device);
	if (kb_read_file(path, facts, sizeof facts) < 0 || !kb_boot_fact(facts, "arch", arch, 32) || !kb_qemu_program(arch))
		return fail("setup", true, "no image in %s: kbench sel4 build", options.device);
	return 0;
}

int main(int argc, char **argv)
{
	char scratch[PATH_MAX] = "", arch[32], *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int code = kb_collect_begin(argc, argv, kb_sel4_benches, &options, &record);

	if (!code && options.interference)
		code = fail("setup", true, "--interfere works on this machine, not in an emulator");
	if (!code && !out)
		code = fail("setup", false, "no memory");
	code = code ?: read_facts(arch) ?: make_text(out);
	if (out)
		fclose(out);
	code = code ?: prepare(arch, text, length, scratch) ?: boot(arch, scratch);
	if (scratch[0])
		remove_scratch(scratch);
	return code;
}
