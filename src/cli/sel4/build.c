/* kbench sel4 build: the root server for an installed kernel, whole or not at all, with the facts that results are told apart by. */
#define _GNU_SOURCE
#include "cli/sel4/sel4.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assemble/command.h"
#include "cli/files.h"
#include "cli/print.h"
#include "places.h"
#include "run/backend/backend.h"
#include "run/process/trust.h"

#define LIMIT_MS 120000
#define COMPILE_MS 600000        /* seconds where nothing else runs */

static void find_script(const struct kb_sel4_job *job, char path[PATH_MAX])
{
	static const char *const places[] = { "sel4/build", "../share/kbench/sel4/build" };
	char folder[KB_OWN_FOLDER_MAX], why[KB_TRUST_WHY];
	int error = kb_trust_own_part(places, 2, path, why);

	kb_own_folder(folder);
	if (error == -EPERM)
		kb_die(job->command, KB_EXIT_USAGE, "%s", why);
	if (error)
		kb_die(job->command, KB_EXIT_USAGE, "no sources of the root server beside %s; install kbench again", folder);
}

/* The first line that a program prints, without its newline; "" where it cannot be had. */
static void first_line(const char *const *words, char *line, size_t room)
{
	struct kb_command_output output = { NULL, 0 };

	line[0] = '\0';
	if (kb_command(words, LIMIT_MS, &output) == 0 && output.text)
		snprintf(line, room, "%.*s", (int)strcspn(output.text, "\n"), output.text);
	free(output.text);
}

static void hash_of(const char *path, char hash[65])
{
	const char *const words[] = { "sha256sum", path, NULL };
	char line[PATH_MAX + 80];

	first_line(words, line, sizeof line);
	snprintf(hash, 65, "%.64s", line);
}

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

static void put_facts(const struct kb_sel4_job *job, const struct kb_sel4_config *config, const char *folder)
{
	char path[PATH_MAX + 32], hash[65], line[200], program[64];
	FILE *out;
	char key[64];

	snprintf(path, sizeof path, "%s/facts", folder);
	out = fopen(path, "w");
	if (!out)
		kb_die(job->command, KB_EXIT_USAGE, "cannot write %s: %s", path, strerror(errno));
	put(out, "arch", config->arch);
	fprintf(out, "memory=%u\n", config->megabytes);
	hash_of(job->prefix.kernel, hash);
	put(out, "kernel", hash);
	hash_of(config->path, hash);
	put(out, "config", hash);
	snprintf(path, sizeof path, "%s/text.bin", folder);
	hash_of(path, hash);
	put(out, "text", hash);
	snprintf(program, sizeof program, "qemu-system-%s", config->arch);
	first_line((const char *const[]){ program, "--version", NULL }, line, sizeof line);
	put(out, "qemu", line[0] ? line : "none");
	put(out, "accel", "tcg-icount");
	snprintf(path, sizeof path, "%s/compiler", folder);

	FILE *name = fopen(path, "r");

	if (name && fgets(line, sizeof line, name)) {
		line[strcspn(line, "\n")] = '\0';
		put(out, "compiler", line);
	}
	if (name)
		fclose(name);
	for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
		size_t length = strlen(shown[i]);

		for (size_t k = 0; k <= length; k++)
			key[k] = (char)(shown[i][k] >= 'A' && shown[i][k] <= 'Z' ? shown[i][k] + 32 : shown[i][k]);
		put(out, key, kb_sel4_config_text(config, shown[i]));
	}
	if (fclose(out))
		kb_die(job->command, KB_EXIT_USAGE, "cannot write %s/facts: %s", folder, strerror(errno));
}

/* ---- building ------------------------------------------------------------------------------------------------ */

/* The first line of what compiler and script said that speaks of an error, else the last. */
static void telling_line(const char *text, char line[400])
{
	line[0] = '\0';
	for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		if (*at != '\n')
			snprintf(line, 400, "%.*s", (int)strcspn(at, "\n"), at);
		if (strstr(line, "error: "))
			return;
	}
}

static void compile(const struct kb_sel4_job *job, const struct kb_sel4_config *config, struct kb_scratch *scratch, const char *folder)
{
	struct kb_command_output output = { NULL, 0 };
	char script[PATH_MAX], line[400];
	const char *const words[] = { "sh", script, config->arch, folder, NULL };
	int status;

	find_script(job, script);
	setenv("SEL4_INCLUDE_DIRS", job->prefix.includes, 1);
	setenv("SEL4_KERNEL", job->prefix.kernel, 1);
	status = kb_command(words, COMPILE_MS, &output);
	if (status != 0) {
		telling_line(output.text, line);
		if (status == -ETIMEDOUT)
			snprintf(line, sizeof line, "the compiler took more than %d s", COMPILE_MS / 1000);
		kb_scratch_close(scratch);
		kb_die(job->command, status == 3 ? KB_EXIT_UNFIT : KB_EXIT_FAILED, "the root server does not build: %s",
		       line[0] ? line : status < 0 ? strerror(-status) : "no reason was given");
	}
	free(output.text);
}

/* ---- where to ------------------------------------------------------------------------------------------------ */

static void find_target(const struct kb_sel4_job *job, char into[PATH_MAX])
{
	char path[PATH_MAX + 16], arch[KB_SEL4_ARCH_NAME];
	struct stat status;

	if (job->into)
		snprintf(into, PATH_MAX, "%s", job->into);
	else
		kb_cache_make(job->command, kb_sel4_folder(&job->prefix, into), into, "say where with --into DIR");
	while (into[0] && into[1] && into[strlen(into) - 1] == '/')
		into[strlen(into) - 1] = '\0';
	if (job->into)
		kb_make_folders(job->command, into, "say where with --into DIR");
	/* A folder that is there is replaced: only one that we made, or an empty one. */
	snprintf(path, sizeof path, "%s/kb_root.elf", into);
	if (lstat(into, &status) < 0 || (access(path, F_OK) == 0 && kb_sel4_fact(into, "arch", arch, sizeof arch)))
		return;
	/* rmdir tells whether it is empty, and it will be made again. */
	if (rmdir(into) < 0)
		kb_die(job->command, KB_EXIT_USAGE, "%s: it is there and holds other things than an image of kbench", into);
}

int kb_sel4_verb_build(struct kb_sel4_job *job, int argc, char **argv)
{
	char into[PATH_MAX], work[PATH_MAX + 8], made[PATH_MAX + 16];
	struct kb_sel4_config config;
	struct kb_scratch scratch;
	const char *refusal;

	(void)argc, (void)argv;
	kb_sel4_config_read(job, &config);
	refusal = kb_sel4_refusal(&config);
	if (refusal)
		kb_die(job->command, KB_EXIT_UNFIT, "%s", refusal);
	find_target(job, into);
	snprintf(work, sizeof work, "%s.XXXXXX", into);

	int error = kb_scratch_open(&scratch, work);

	if (error)
		kb_die(job->command, KB_EXIT_USAGE, "cannot make %s: %s", work, strerror(-error));
	snprintf(made, sizeof made, "%s/image", work);
	compile(job, &config, &scratch, made);
	put_facts(job, &config, made);
	/* Swapped with what is there, which then goes with the rest of the work. */
	if (rename(made, into) < 0 && renameat2(AT_FDCWD, made, AT_FDCWD, into, RENAME_EXCHANGE) < 0)
		kb_die(job->command, KB_EXIT_USAGE, "%s cannot be replaced: %s", into, strerror(errno));
	kb_scratch_close(&scratch);
	printf("the root server for %s (%s) is in %s\n", kb_shown(job->prefix.kernel).text, config.arch, kb_shown(into).text);
	kb_sel4_config_free(&config);
	return KB_EXIT_DONE;
}
