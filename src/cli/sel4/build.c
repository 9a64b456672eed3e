/* kbench sel4 build: the root server for an installed kernel, whole or not at all, with the facts that results are told apart by. */
#define _GNU_SOURCE
#include "cli/sel4/sel4.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "io.h"
#include "workflow/build.h"

/* ---- facts ----------------------------------------------------------------------------------------------- */

static void put(FILE *out, const char *key, const char *value)
{
	bool quote = !value[0] || strpbrk(value, " \t\"\\");

	fprintf(out, "%s=%s", key, quote ? "\"" : "");
	for (; *value; value++)
		fprintf(out, strchr("\"\\", *value) ? "\\%c" : "%c", *value);
	fprintf(out, "%s\n", quote ? "\"" : "");
}

/* Keys of the configuration that change a timed loop; small letters in results. */
static const char *const shown[] = {
	"KERNEL_MCS", "FASTPATH", "SIGNAL_FASTPATH", "DEBUG_BUILD", "PRINTING", "KERNEL_BENCHMARK", "MAX_NUM_NODES", "NUM_DOMAINS",
	"TIMER_TICK_MS", "TIME_SLICE", "KERNEL_SKIM_WINDOW", "KERNEL_FSGS_BASE", "KERNEL_X86_MICRO_ARCH", "SUPPORT_PCID", "KERNEL_OPT_LEVEL",
	"LIB_SEL4_USE_THREAD_LOCALS", "LIB_SEL4_FUNCTION_ATTRIBUTE",
};

static void put_hash(FILE *out, const char *key, const char *path)
{
	char hash[72];

	kb_build_hash(path, hash);
	put(out, key, hash);
}

static int put_facts(const struct kb_sel4_job *job, const struct kb_sel4_config *config, const char *directory, struct kb_failure *failure)
{
	char path[PATH_MAX], line[200], compiler[200], program[64], key[64];
	FILE *out;

	kb_build_path(path, directory, "compiler");
	if (kb_read_file(path, compiler, sizeof compiler) < 0)
		compiler[0] = '\0';
	compiler[strcspn(compiler, "\n")] = '\0';
	kb_build_path(path, directory, "facts");
	out = fopen(path, "w");
	if (!out)
		return kb_refuse(failure, KB_EXIT_USAGE, "cannot write %s: %s", path, strerror(errno));
	put(out, "arch", config->arch);
	fprintf(out, "memory=%u\n", config->megabytes);
	fprintf(out, "peer=%08x\n", kb_sel4_config_but_counting(config));
	put_hash(out, "kernel", job->prefix.kernel);
	put_hash(out, "config", config->path);
	kb_build_path(path, directory, "text.bin");
	put_hash(out, "text", path);
	snprintf(program, sizeof program, "qemu-system-%s", config->arch);
	kb_build_line((const char *const[]){ program, "--version", NULL }, line, sizeof line);
	put(out, "qemu", line[0] ? line : "none");
	put(out, "accel", "tcg-icount");
	if (compiler[0])
		put(out, "compiler", compiler);
	for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
		for (size_t k = 0; k <= strlen(shown[i]); k++)
			key[k] = (char)tolower((unsigned char)shown[i][k]);
		put(out, key, kb_sel4_config_text(config, shown[i]));
	}
	return fclose(out) ? kb_refuse(failure, KB_EXIT_USAGE, "cannot write %s: %s", path, strerror(errno)) : 0;
}

/* ---- building ------------------------------------------------------------------------------------------------ */

/* A directory that is there is replaced: only one that we made, or an empty one. */
static void check_target(const struct kb_command *command, const char *into)
{
	char path[PATH_MAX], arch[KB_SEL4_ARCH_NAME];
	struct stat status;

	kb_build_path(path, into, "kb_root.elf");
	if (lstat(into, &status) < 0 || (access(path, F_OK) == 0 && kb_sel4_fact(into, "arch", arch, sizeof arch)))
		return;
	/* rmdir tells whether it is empty, and it will be made again. */
	if (rmdir(into) < 0)
		kb_die(command, KB_EXIT_USAGE, "%s: the directory holds other things than an image of kbench", into);
}

/* The script's code 3: this seL4 cannot be built for. */
static int compile(const struct kb_sel4_job *job, const struct kb_sel4_config *config, struct kb_build *build, struct kb_failure *failure)
{
	char script[PATH_MAX], kernel[PATH_MAX + 16], includes[PATH_MAX + 24], platform[PATH_MAX + 16];
	int status = 0, code = kb_build_sources("sel4/build", "sources of the root server", script, failure);

	if (code)
		return code;
	snprintf(kernel, sizeof kernel, "SEL4_KERNEL=%s", job->prefix.kernel);
	snprintf(includes, sizeof includes, "SEL4_INCLUDE_DIRS=%s", job->prefix.includes);
	snprintf(platform, sizeof platform, "SEL4_PLATFORM=%s", job->prefix.platform);
	code = kb_build_run(build, (const char *const[]){ "env", kernel, includes, platform, "sh", script, config->arch, build->made, NULL },
			    "the root server does not build", &status, failure);
	return status == 3 ? failure->code = KB_EXIT_UNFIT : code;
}

void kb_sel4_build(const struct kb_sel4_job *job, char into[PATH_MAX], char arch[KB_SEL4_ARCH_NAME])
{
	struct kb_sel4_config config;
	struct kb_failure failure;
	struct kb_build build;
	int code;

	kb_sel4_config_read(job, &config);

	const struct kb_sel4_rule *refusal = kb_sel4_next_rule(&config, NULL, KB_SEL4_REFUSED);

	if (refusal)
		kb_die(job->command, KB_EXIT_UNFIT, "%s", refusal->text);
	kb_build_target(job->command, job->into, job->into || kb_sel4_directory(&job->prefix, build.into), build.into);
	check_target(job->command, build.into);
	code = kb_build_begin(&build, &failure) ?: compile(job, &config, &build, &failure) ?: put_facts(job, &config, build.made, &failure)
		       ?: kb_build_put(&build, &failure);
	kb_build_end(&build);
	kb_die_if(job->command, code, &failure);
	snprintf(into, PATH_MAX, "%s", build.into);
	snprintf(arch, KB_SEL4_ARCH_NAME, "%s", config.arch);
	kb_sel4_config_free(&config);
}

static void build_one(const struct kb_sel4_job *job)
{
	char into[PATH_MAX], arch[KB_SEL4_ARCH_NAME];

	kb_sel4_build(job, into, arch);
	printf("the root server for %s (%s) is in %s\n", kb_shown(job->prefix.kernel).text, arch, kb_shown(into).text);
}

/* And that for the kernel that counts, which is evidence for the first. */
int kb_sel4_verb_build(struct kb_sel4_job *job, int argc, char **argv)
{
	struct kb_sel4_job counting = *job;
	char why[KB_SEL4_WHY];

	(void)argc, (void)argv;
	build_one(job);
	if (job->into || !kb_sel4_counted_prefix(&counting.prefix, why))
		return KB_EXIT_DONE;
	if (why[0])
		kb_die(job->command, KB_EXIT_UNFIT, "%s", why);
	build_one(&counting);
	return KB_EXIT_DONE;
}
