/* See sel4.h. */
#define _GNU_SOURCE
#include "run/backend/sel4.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/boot_text.h"
#include "base/crc32.h"
#include "io.h"
#include "places.h"
#include "run/backend/backend.h"
#include "run/process/trust.h"

#define COUNTED_PREFIX "SEL4_COUNTED_PREFIX"

/* ---- what is named ----------------------------------------------------------------------------------------- */

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] ? value : NULL;
}

static bool is_file(const char *path)
{
	return access(path, R_OK) == 0;
}

/* bin/kernel.elf of what CMake installed, elf/sel4.elf of a Microkit SDK. */
static void in_prefix(struct kb_sel4_prefix *prefix, const char *directory)
{
	snprintf(prefix->kernel, PATH_MAX, "%s/elf/sel4.elf", directory);
	prefix->sdk = is_file(prefix->kernel);
	if (!prefix->sdk)
		snprintf(prefix->kernel, PATH_MAX, "%s/bin/kernel.elf", directory);
	snprintf(prefix->includes, PATH_MAX, "%s/%sinclude", directory, prefix->sdk ? "" : "libsel4/");
	snprintf(prefix->platform, PATH_MAX, "%s/%splatform_gen.json", directory, prefix->sdk ? "" : "support/");
	if (!is_file(prefix->platform))
		prefix->platform[0] = '\0';
}

void kb_sel4_choose(const char *directory)
{
	unsetenv(COUNTED_PREFIX);
	if (!directory)
		return;
	setenv("SEL4_PREFIX", directory, 1);
	unsetenv("SEL4_KERNEL");
	unsetenv("SEL4_INCLUDE_DIRS");
}

bool kb_sel4_prefix(struct kb_sel4_prefix *prefix, char why[KB_SEL4_WHY])
{
	const char *directory = variable("SEL4_PREFIX"), *kernel = variable("SEL4_KERNEL"), *includes = variable("SEL4_INCLUDE_DIRS");

	*prefix = (struct kb_sel4_prefix){ .sdk = false };
	if (directory)
		in_prefix(prefix, directory);
	if (kernel)
		snprintf(prefix->kernel, PATH_MAX, "%s", kernel);
	if (includes)
		snprintf(prefix->includes, PATH_MAX, "%s", includes);
	if (!prefix->kernel[0] || !prefix->includes[0])
		snprintf(why, KB_SEL4_WHY, "no seL4 is named: set SEL4_PREFIX to the directory an seL4 kernel was installed into (doc/sel4.md)");
	else if (!is_file(prefix->kernel))
		snprintf(why, KB_SEL4_WHY, "no kernel %.120s: set SEL4_PREFIX to the directory an seL4 kernel was installed into", prefix->kernel);
	else
		return true;
	return false;
}

bool kb_sel4_counted_prefix(struct kb_sel4_prefix *prefix, char why[KB_SEL4_WHY])
{
	const char *directory = variable(COUNTED_PREFIX);

	why[0] = '\0';
	if (!directory)
		return false;
	*prefix = (struct kb_sel4_prefix){ .sdk = false };
	in_prefix(prefix, directory);
	if (!is_file(prefix->kernel))
		snprintf(why, KB_SEL4_WHY, COUNTED_PREFIX ": no kernel %.120s", prefix->kernel);
	return true;
}

bool kb_sel4_directory(const struct kb_sel4_prefix *prefix, char directory[PATH_MAX])
{
	char real[PATH_MAX], part[16];
	uint32_t key;

	if (!realpath(prefix->kernel, real))
		return false;
	key = kb_crc32(kb_crc32(0, real, strlen(real)), prefix->includes, strlen(prefix->includes));
	snprintf(part, sizeof part, "sel4/%08x", key);
	return kb_cache_directory(directory, part);
}

/* ---- the image --------------------------------------------------------------------------------------------- */

bool kb_sel4_fact(const char *directory, const char *key, char *value, size_t room)
{
	char path[PATH_MAX + 16], text[4096];

	value[0] = '\0';
	snprintf(path, sizeof path, "%s/facts", directory);
	return directory[0] && kb_read_file(path, text, sizeof text) >= 0 && kb_boot_fact(text, key, value, room);
}

/* As make would see it. */
static bool is_newer(const char *kernel, const char *directory)
{
	char path[PATH_MAX + 16];
	struct stat of_kernel, of_facts;

	snprintf(path, sizeof path, "%s/facts", directory);
	return stat(kernel, &of_kernel) == 0 && stat(path, &of_facts) == 0 && of_kernel.st_mtime > of_facts.st_mtime;
}

/* What the collector would find out: whether the image takes the lines of today. */
static bool is_of_this_version(const char *directory, const char *arch)
{
	char path[PATH_MAX + 16];
	size_t length;
	char *image;

	snprintf(path, sizeof path, "%s/%s", directory, strcmp(arch, "x86_64") == 0 ? "kb_root.elf" : "kb_image.elf");
	image = kb_read_whole(path, &length);

	bool fits = !image || kb_boot_text_fits(image, length); /* the collector reports one that is missing */

	free(image);
	return fits;
}

bool kb_sel4_image_fits(const char *directory)
{
	char arch[KB_SEL4_ARCH_NAME];

	return kb_sel4_fact(directory, "arch", arch, sizeof arch) && is_of_this_version(directory, arch);
}

static const char *device, *witness;    /* the directories of the images that kb_sel4_available() found */

bool kb_sel4_image(const struct kb_sel4_prefix *prefix, char directory[PATH_MAX], char arch[KB_SEL4_ARCH_NAME], char why[KB_SEL4_WHY])
{
	static const char *const files[] = { "facts", "kb_root.elf", "kb_image.elf" };
	char path[PATH_MAX + 16], real[PATH_MAX];
	bool known = kb_sel4_directory(prefix, directory);

	for (size_t i = 0; known && i < sizeof files / sizeof files[0]; i++) {
		snprintf(path, sizeof path, "%s/%s", directory, files[i]);
		if (kb_trust(path, KB_TRUST_US, real, why) == -EPERM)
			return false;
	}
	if (!known || !kb_sel4_fact(directory, "arch", arch, KB_SEL4_ARCH_NAME)) {
		snprintf(why, KB_SEL4_WHY, "no image for %.120s: run 'kbench sel4 build'", prefix->kernel);
		return false;
	}
	if (is_newer(prefix->kernel, directory)) {
		snprintf(why, KB_SEL4_WHY, "the kernel is newer than the image: run 'kbench sel4 build'");
		return false;
	}
	/* x86_64 has no kb_image.elf, and whoever asks takes a reason for a refusal. */
	why[0] = '\0';
	return true;
}

/* It tells nothing about a kernel that is configured otherwise than in what counts. */
static int find_witness(const char *measured, char why[KB_SEL4_WHY])
{
	static char directory[PATH_MAX];
	struct kb_sel4_prefix prefix;
	char arch[KB_SEL4_ARCH_NAME], of_it[16], of_measured[16], counts[32];

	if (!kb_sel4_counted_prefix(&prefix, why))
		return 0;
	if (why[0] || !kb_sel4_image(&prefix, directory, arch, why))
		return -ENOENT;
	if (!is_of_this_version(directory, arch) || !kb_sel4_fact(directory, "peer", of_it, sizeof of_it) ||
	    !kb_sel4_fact(measured, "peer", of_measured, sizeof of_measured)) {
		snprintf(why, KB_SEL4_WHY, "another version of kbench built an image: rebuild both with 'kbench sel4 build'");
		return -EPROTO;
	}
	if (!kb_sel4_fact(directory, "kernel_benchmark", counts, sizeof counts) || strcmp(counts, "track_utilisation") != 0)
		snprintf(why, KB_SEL4_WHY, COUNTED_PREFIX ": this kernel does not track utilisation: KernelBenchmarks=track_utilisation");
	else if (strcmp(of_it, of_measured) != 0)
		snprintf(why, KB_SEL4_WHY, COUNTED_PREFIX ": the two kernels differ in more than KernelBenchmarks");
	else
		witness = directory;
	return witness ? 0 : -ENOENT;
}

int kb_sel4_available(char why[KB_SEL4_WHY])
{
	static char directory[PATH_MAX];
	struct kb_sel4_prefix prefix;
	char arch[KB_SEL4_ARCH_NAME], program[64], found[PATH_MAX];

	device = witness = NULL;
	if (!kb_sel4_prefix(&prefix, why) || !kb_sel4_image(&prefix, directory, arch, why))
		return -ENOENT;
	if (!is_of_this_version(directory, arch)) {
		snprintf(why, KB_SEL4_WHY, "another version of kbench built the image for %.120s: rebuild it with 'kbench sel4 build'", prefix.kernel);
		return -EPROTO;
	}
	snprintf(program, sizeof program, "qemu-system-%s", arch);
	if (!kb_in_path(program, found)) {
		snprintf(why, KB_SEL4_WHY, "no %s: install %s", program, strcmp(arch, "x86_64") == 0 ? "qemu-system-x86" :
			 strcmp(arch, "aarch64") == 0 ? "qemu-system-arm" : "qemu-system-misc");
		return -ENOENT;
	}
	int error = find_witness(directory, why);

	device = error ? NULL : directory;
	return error;
}

const char *kb_sel4_witness(void)
{
	return witness;
}

const char *kb_sel4_device(void)
{
	return device ? device : "";
}

/* ---- how it is measured ------------------------------------------------------------------------------------ */

void kb_sel4_design(const struct kb_bench *bench, struct kb_design *design, enum kb_method method)
{
	if (method == KB_METHOD_SINGLE)
		*design = (struct kb_design){ .method = method, .grid = { 1 }, .grid_count = 1, .repeats = 1, .blocks = 1, .fewest = 1 };
	else
		/* In the emulator no longer than a tick's period, as far as the operation allows: tests with a tick are left out. */
		*design = (struct kb_design){
			.method = KB_METHOD_SLOPE, .grid = { 25, 50, 100, 200 }, .grid_count = 4, .repeats = 1, .blocks = 30, .base = true,
		};
	for (unsigned i = 0; bench->max_n && bench->max_n < design->grid[design->grid_count - 1] && i < design->grid_count; i++)
		design->grid[i] = bench->max_n * (i + 1) / design->grid_count;
	snprintf(design->header, sizeof design->header, "%s", kb_methods[design->method].name);
}
