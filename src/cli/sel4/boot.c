/*
 * kbench sel4 boot: an image for a machine that this program does not drive, a board above all. The image measures one benchmark by
 * the method that it is given when it is booted, prints record and table on the serial console and stops.
 */
#define _GNU_SOURCE
#include "cli/sel4/sel4.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/boot_text.h"
#include "base/nearest.h"
#include "base/plan.h"
#include "cli/cli.h"
#include "cli/files.h"
#include "io.h"
#include "measure/params.h"
#include "run/method.h"

static const struct kb_bench *find_bench(const struct kb_sel4_job *job, const char *name)
{
	struct kb_nearest nearest = { .typed = name };

	for (const struct kb_bench *const *bench = kb_sel4_benches; *bench; bench++) {
		if (strcmp((*bench)->name, name) == 0)
			return *bench;
		kb_nearest_offer(&nearest, (*bench)->name);
	}
	kb_usage(job->command, "no benchmark '%.60s'%s%s", name, nearest.best ? ", did you mean " : "; see 'kbench list sel4.*'",
		 nearest.best ? nearest.best : "");
}

static void put_params(const struct kb_sel4_job *job, const struct kb_bench *bench, FILE *text)
{
	struct kb_settings settings;
	char why[200];
	struct kb_text error = kb_text_in(why, sizeof why);
	/* The original called libsel4, and the root server knows which methods mean that: it chooses where no -p does. */
	bool chosen = false;

	kb_settings_default(&settings, bench);
	for (size_t i = 0; i < job->sets.count; i++) {
		if (kb_settings_pair(&settings, job->sets.at[i], &error))
			kb_usage(job->command, "-p %.60s: %s", job->sets.at[i], why);
		chosen |= strncmp(job->sets.at[i], "wait=", 5) == 0;
	}
	for (int i = 0; i < KB_PARAM_MAX && bench->params[i].name; i++) {
		if (!chosen && strcmp(bench->params[i].name, "wait") == 0)
			continue;
		fprintf(text, "param %s=%s\n", bench->params[i].name, settings.text[i]);
	}
}

/* Each boot has the same order: the image cannot know which boot it is. */
static void put_plan(const struct kb_bench *bench, FILE *text)
{
	struct kb_design design;

	kb_sel4_design(bench, &design, KB_METHOD_SLOPE);
	/* A board's clock may be coarse, and its readings cost more than a few operations. */
	for (unsigned i = 0; !bench->max_n && i < design.grid_count; i++)
		design.grid[i] *= 4;
	kb_design_write(&design, 1, text);
}

static void put_grid(const struct kb_sel4_job *job, FILE *text)
{
	const struct kb_kanata_options *grid = &job->grid;

	if ((uint64_t)grid->group_size * grid->groups > KB_SEL4_TESTS_MAX)
		kb_usage(job->command, "--group-size %u and --groups %u: together at most %d tests", grid->group_size, grid->groups,
			 KB_SEL4_TESTS_MAX);
	fprintf(text, "kanata init_test_size=%llu delta=%llu group_size=%u n_groups=%u\n", (unsigned long long)grid->initial,
		(unsigned long long)grid->delta, grid->group_size, grid->groups);
}

/* What the counter counts cannot be found out where the image is booted: on a board cycles of its core, in an emulator what
   that takes for them. */
static void put_clock(const struct kb_sel4_job *job, const char *arch, FILE *text)
{
	const char *cycles = strcmp(arch, "riscv64") == 0 ? "rdcycle" : strcmp(arch, "aarch64") == 0 ? "pmccntr" : NULL;

	if (!job->clock)
		return;
	if (strcmp(job->clock, "icount") != 0 && (!cycles || strcmp(job->clock, cycles) != 0))
		kb_usage(job->command, "--clock '%.40s': on %s it must be %s%sicount", job->clock, arch, cycles ? cycles : "", cycles ? " or " : "");
	fprintf(text, "set clock=%s\n", job->clock);
}

static void write_image(const struct kb_sel4_job *job, const char *from, const char *to, const char *text, size_t bytes)
{
	size_t length;
	char *image = kb_read_whole(from, &length);

	if (!image)
		kb_die(job->command, KB_EXIT_UNFIT, "cannot read %.200s: %s; run 'kbench sel4 build'", from, strerror(errno));
	if (kb_boot_text_write(image, length, text, bytes))
		kb_die(job->command, KB_EXIT_USAGE, "another version of kbench built the image %.200s: rebuild it with 'kbench sel4 build'", from);
	kb_output_write(job->command, to, image, length);
	free(image);
}

static void print_how(const struct kb_sel4_job *job, const char *arch, const char *to, const char *kernel)
{
	if (strcmp(arch, "x86_64") == 0)
		printf("Boot it by a multiboot loader: the kernel is %s (a 32-bit copy lies next to the built image),\n"
		       "its only boot module %s. GRUB: multiboot2 /kernel.elf, then module2 /%s.\n", kernel, to, to);
	else
		printf("%s holds kernel and root server and starts them: %s, %s.\n", to,
		       job->flat ? "give it to a loader of Linux images (U-Boot: booti), which may put it anywhere from the start of memory on" :
				   "load it at the address that its ELF header names",
		       strcmp(arch, "riscv64") == 0 ? "in S-mode behind OpenSBI" : "at EL2 or EL1");
	printf("The console is the kernel's own, or on x86_64 the first serial port. Keep it and read it:\n"
	       "  kbench import CONSOLE --label NAME        a file, - for a pipe, or the tty itself\n");
}

int kb_sel4_verb_boot(struct kb_sel4_job *job, int argc, char **argv)
{
	struct kb_output plan;
	FILE *text = kb_output_begin(job->command, &plan);
	char directory[PATH_MAX], from[PATH_MAX + 16], arch[KB_SEL4_ARCH_NAME], why[KB_SEL4_WHY];
	const char *to = job->into ? job->into : job->flat ? "kb_boot.bin" : "kb_boot.elf", *method = job->method ? job->method : "kanata";
	char path[PATH_MAX + 16], facts[4096];

	if (argc != 1)
		kb_usage(job->command, "boot which benchmark? see 'kbench list sel4.*'");
	const struct kb_bench *bench = find_bench(job, argv[0]);

	fprintf(text, "bench %s\n", bench->name);
	put_params(job, bench, text);
	if (job->kanata && strcmp(method, "kanata") != 0)
		kb_usage(job->command, "--%s belongs to --method kanata", job->kanata);
	fputs("set probe=yes\n", text);           /* where the clock that is found there tells time */
	fprintf(text, "method %s seed=1 process=1\n", method);
	if (strcmp(method, "kanata") == 0)
		put_grid(job, text);
	else if (strcmp(method, "slope") == 0)
		put_plan(bench, text);
	else if (strcmp(method, "single") != 0)
		kb_usage(job->command, "--method '%.40s': must be slope, single or kanata", method);
	if (!kb_sel4_image(&job->prefix, directory, arch, why))
		kb_die(job->command, KB_EXIT_UNFIT, "%s", why);
	put_clock(job, arch, text);
	fputs("set output=both exit=none\n", text);
	/* The facts go into the record, so that the console alone tells which kernel it was. */
	snprintf(path, sizeof path, "%s/facts", directory);
	if (kb_read_file(path, facts, sizeof facts) < 0)
		kb_die(job->command, KB_EXIT_UNFIT, "no image for %.200s: run 'kbench sel4 build'", job->prefix.kernel);
	for (char *rest = facts, *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (line[0] && strncmp(line, "memory=", 7) != 0 && strncmp(line, "peer=", 5) != 0 && strncmp(line, "qemu=", 5) != 0 && strncmp(line, "accel=", 6) != 0)
			fprintf(text, "line env %s\n", line);
	}
	if (job->flat && strcmp(arch, "x86_64") == 0)
		kb_usage(job->command, "--flat: on x86_64 a multiboot loader starts the kernel, and the root server is its module");
	snprintf(from, sizeof from, "%s/%s", directory, strcmp(arch, "x86_64") == 0 ? "kb_root.elf" : job->flat ? "kb_image.bin" : "kb_image.elf");
	kb_output_end(job->command, &plan);
	write_image(job, from, to, plan.text, plan.length);
	free(plan.text);
	printf("%s measures %s by method %s.\n", kb_shown(to).text, bench->name, method);
	print_how(job, arch, kb_shown(to).text, kb_shown(job->prefix.kernel).text);
	return KB_EXIT_DONE;
}
