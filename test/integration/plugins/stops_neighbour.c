/* Stops the neighbour of its own launch: what is measured then is nobody's effect. */
#define _GNU_SOURCE
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kbench.h>

static bool is_mine(const char *pid)
{
	char path[64], name[32];
	int parent = 0;

	snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	int fields = fscanf(file, "%*d (%31[^)]) %*c %d", name, &parent);

	fclose(file);
	return fields == 2 && parent == getpid() && !strcmp(name, "kbench-interfer");
}

static int setup(struct kb_run *run)
{
	DIR *all = opendir("/proc");

	(void)run;
	for (struct dirent *entry; all && (entry = readdir(all));) {
		if (atoi(entry->d_name) > 1 && is_mine(entry->d_name))
			kill(atoi(entry->d_name), SIGSTOP);
	}
	if (all)
		closedir(all);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		kb_clobber();
	kb_count(run, KB_SEEN, n);
	return 0;
}

KB_BENCHMARK(
	.summary = "stops its neighbour", .per = "call", .bound = KB_ISSUE,
	.expect = { { KB_SEEN, .per_op = 1 } },
	.setup = setup, .op = op,
);
