/* kbench kernel load and unload. Until all that was asked for is loaded, the guardian would unload it again. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/kernel/kernel.h"
#include "lacking.h"
#include "run/backend/kernel.h"
#include "run/backend/module.h"
#include "workflow/machine.h"

/* ---- load ---------------------------------------------------------------------------------------------- */

/* Ours, and behind them those of the user; NULL behind the last. */
static const struct kb_bench *bench_at(unsigned number)
{
	unsigned ours = 0;

	while (kb_kernel_benches[ours] && ours < number)
		ours++;
	return kb_kernel_benches[ours] ? kb_kernel_benches[ours] : kb_kernel_user(number - ours);
}

/* Of "fib_lookup", "kernel.fib_lookup" or "kbench_fib_lookup". */
static const struct kb_bench *find(const struct kb_command *command, const char *name)
{
	struct kb_nearest nearest = { .typed = name };
	const struct kb_bench *bench;

	for (unsigned i = 0; (bench = bench_at(i)); i++) {
		const char *shorter = strchr(bench->name, '.') + 1;
		char module[KB_KERNEL_MODULE_MAX];

		kb_kernel_module_of(bench->name, module);
		if (strcmp(name, bench->name) == 0 || strcmp(name, shorter) == 0 || strcmp(name, module) == 0)
			return bench;
		kb_nearest_offer(&nearest, shorter);
	}
	if (nearest.best)
		kb_usage(command, "no benchmark '%.60s' in the kernel, did you mean %s?", name, nearest.best);
	kb_usage(command, "no benchmark '%.60s' in the kernel; see 'kbench list kernel'", name);
}

/* A benchmark counts once, by whichever of its names. Ends the program where one is none. How many there are. */
static unsigned find_all(const struct kb_command *command, char **names, unsigned count, const struct kb_bench **found)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned k = 0;

		found[kept] = find(command, names[i]);
		while (found[k] != found[kept])
			k++;
		kept += k == kept;
	}
	found[kept] = NULL;
	return kept;
}

const char *kb_kernel_named(const struct kb_kernel_job *job, int argc, char **argv, char *text, size_t room)
{
	struct kb_text only = kb_text_in(text, room);

	for (int i = 0; i < argc; i++) {
		kb_text_str(&only, i > 0 ? " " : "");
		kb_text_str(&only, strchr(find(job->command, argv[i])->name, '.') + 1);
	}
	if (argc == 0 && job->own[0])
		kb_text_str(&only, "-");         /* the user's alone */
	return argc > 0 || job->own[0] ? text : NULL;
}

int kb_kernel_verb_load(struct kb_kernel_job *job, int argc, char **argv)
{
	const struct kb_command *command = job->command;
	const struct kb_bench **found = calloc((size_t)argc + 1, sizeof *found), *bench;
	char id[37], module[KB_KERNEL_MODULE_MAX], why[KB_KERNEL_WHY];
	struct kb_guardian guardian;
	unsigned wanted, count = 0;

	if (!found)
		kb_no_memory(command);
	wanted = find_all(command, argv, (unsigned)argc, found);

	int error = kb_run_id(id) ? -errno : kb_guardian_start(&guardian, id);

	if (error)
		kb_die(command, KB_EXIT_FAILED, "cannot start the guardian: %s", kb_start_lack(-error));
	/* What they all need first. */
	error = kb_kernel_load(&guardian, KB_KERNEL_MODULE, true, why);
	for (unsigned i = 0; !error && (bench = wanted ? found[i] : bench_at(i)) != NULL; i++) {
		kb_kernel_module_of(bench->name, module);
		error = kb_kernel_load(&guardian, module, true, why);
		count += !error;
		/* Of all of them one that needs what this kernel does not have is no reason to do without the others. */
		if (error && !wanted) {
			kb_complain(command, "left out: %s", why);
			error = 0;
		}
	}
	if (!error && count > 0)
		kb_guardian_keep_modules(&guardian);
	/* Without that, what was loaded so far, goes. */
	kb_guardian_stop(&guardian);
	if (error || count == 0)
		kb_die(command, kb_kernel_exit(error ? error : -ENOEXEC), "%s", error ? why : "none of the modules can be loaded");
	free(found);
	printf("%u benchmark%s in the kernel: kbench run kernel, or cat /sys/kernel/kbench/NAME/run\n", count, count == 1 ? " is" : "s are");
	return KB_EXIT_DONE;
}

/* ---- unload -------------------------------------------------------------------------------------------- */

static int is_ours(const struct dirent *entry)
{
	return strncmp(entry->d_name, KB_KERNEL_MODULE "_", sizeof KB_KERNEL_MODULE) == 0 && kb_module_is_live(entry->d_name);
}

int kb_kernel_verb_unload(struct kb_kernel_job *job, int argc, char **argv)
{
	struct dirent **entries = NULL;
	char why[KB_KERNEL_WHY] = "";
	int count = scandir("/sys/module", &entries, is_ours, alphasort), error = 0, gone = 0;

	(void)argc, (void)argv;
	for (int i = 0; i < count; i++) {
		if (!error)
			error = kb_kernel_unload(entries[i]->d_name, why);
		gone += !error;
		free(entries[i]);
	}
	free(entries);
	if (!error && kb_module_is_live(KB_KERNEL_MODULE)) {
		error = kb_kernel_unload(KB_KERNEL_MODULE, why);
		gone += !error;
	}
	if (error)
		kb_die(job->command, kb_kernel_exit(error), "%s", why);
	if (gone)
		printf("%d module%s unloaded\n", gone, gone == 1 ? "" : "s");
	else
		puts("no module of kbench is loaded");
	return KB_EXIT_DONE;
}
