/* kbench kernel load and unload. Until all that was asked for is loaded, the guardian would unload it again. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/kernel/kernel.h"
#include "run/backend/kernel.h"
#include "run/backend/module.h"
#include "suite/nearest.h"
#include "workflow/machine.h"

/* ---- load ---------------------------------------------------------------------------------------------- */

/* Ours, and behind them those of the user; NULL behind the last. */
static const struct kb_bench *bench_at(unsigned number)
{
	unsigned ours = 0;

	while (kb_kernel_benches[ours] && ours < number)
		ours++;
	return kb_kernel_benches[ours] ? kb_kernel_benches[ours] : kb_kernel_own(number - ours);
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

/* The program ends; what was loaded so far, goes. */
static _Noreturn void give_up(const struct kb_command *command, struct kb_guardian *guardian, int error, const char *why)
{
	kb_guardian_stop(guardian);
	kb_die(command, kb_kernel_exit(error), "%s", why);
}

/* One that lacks a function in this kernel is no reason to do without the others. Returns how many there are. */
static unsigned load_all(const struct kb_command *command, struct kb_guardian *guardian)
{
	char module[KB_KERNEL_MODULE_MAX], why[KB_KERNEL_WHY];
	const struct kb_bench *bench;
	unsigned count = 0;

	for (unsigned i = 0; (bench = bench_at(i)); i++) {
		kb_kernel_module_of(bench->name, module);
		if (kb_kernel_load(guardian, module, true, why))
			kb_complain(command, "left out: %s", why);
		else
			count++;
	}
	return count;
}

static void start_guardian(const struct kb_command *command, struct kb_guardian *guardian)
{
	char id[37];
	int error = kb_run_id(id) ? -errno : kb_guardian_start(guardian, id);

	if (error)
		kb_die(command, KB_EXIT_FAILED, "cannot start the guardian: %s", strerror(-error));
}

/* A benchmark counts once, by whichever of its names. Ends the program if it is none. */
static bool is_first(const struct kb_command *command, char **names, int i)
{
	const struct kb_bench *bench = find(command, names[i]);

	for (int k = 0; k < i; k++) {
		if (find(command, names[k]) == bench)
			return false;
	}
	return true;
}

int kb_kernel_verb_load(struct kb_kernel_job *job, int argc, char **argv)
{
	struct kb_guardian guardian;
	char module[KB_KERNEL_MODULE_MAX] = KB_KERNEL_MODULE, why[KB_KERNEL_WHY];
	unsigned count = 0;

	for (int i = 0; i < argc; i++)
		count += is_first(job->command, argv, i);
	start_guardian(job->command, &guardian);

	/* What they all need first. */
	for (int i = -1; i < argc; i++) {
		if (i >= 0)
			kb_kernel_module_of(find(job->command, argv[i])->name, module);

		int error = kb_kernel_load(&guardian, module, true, why);

		if (error)
			give_up(job->command, &guardian, error, why);
	}
	if (argc == 0)
		count = load_all(job->command, &guardian);
	if (count == 0)
		give_up(job->command, &guardian, -ENOEXEC, "none of the modules can be loaded");
	kb_guardian_keep_modules(&guardian);
	kb_guardian_stop(&guardian);
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
