/* kbench kernel build: puts the directory with all modules in its place in one step. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/kernel/kernel.h"
#include "run/backend/kernel.h"
#include "run/process/describe.h"
#include "workflow/build.h"

static int is_not_ours(const struct dirent *entry)
{
	const char *name = entry->d_name, *dot = strrchr(name, '.');
	/* .so: descriptions of former versions. */
	bool made = dot && (strcmp(dot, ".ko") == 0 || strcmp(dot, KB_DESCRIPTION_SUFFIX) == 0 || strcmp(dot, ".so") == 0) &&
		    strncmp(name, KB_KERNEL_MODULE, sizeof KB_KERNEL_MODULE - 1) == 0;

	return !made && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* A directory that is there is replaced with all in it: nothing of the user's may be among that. */
static void check_target(const struct kb_command *command, const char *into)
{
	struct dirent **entries = NULL;
	int count = scandir(into, &entries, is_not_ours, NULL);
	bool refused = count > 0 || (count < 0 && errno != ENOENT);

	while (count > 0)
		free(entries[--count]);
	free(entries);
	if (strpbrk(into, " \t\n:%#$\"'\\*?[]{}()<>|&;`!~="))
		kb_die(command, KB_EXIT_USAGE, "--into '%s': make cannot work with blanks or special characters in a path", into);
	if (refused)
		kb_die(command, KB_EXIT_USAGE, "--into %s: the directory holds other things than modules of kbench", into);
}

int kb_kernel_verb_build(struct kb_kernel_job *job, int argc, char **argv)
{
	struct kb_kernel_build build = { .own = job->own };
	struct kb_failure failure;
	char *into = build.build.into;
	unsigned count;

	(void)argc, (void)argv;
	while (build.own_count < KB_KERNEL_USER_MAX && job->own[build.own_count])
		build.own_count++;
	kb_die_if(job->command, kb_kernel_build_find(&build, job->headers, &failure), &failure);
	kb_build_target(job->command, job->into, job->into || kb_kernel_directory(build.release, into), into);
	check_target(job->command, into);
	kb_die_if(job->command, kb_kernel_build(&build, &count, &failure), &failure);
	printf("%u modules for kernel %s in %s\n", count, build.release, kb_shown(into).text);
	return KB_EXIT_DONE;
}
