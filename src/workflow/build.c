/* See build.h: the part that every build has. */
#define _GNU_SOURCE
#include "workflow/build.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assemble/command.h"
#include "io.h"
#include "lacking.h"
#include "places.h"
#include "run/engine.h"
#include "run/process/child.h"
#include "run/process/mark.h"
#include "run/process/trust.h"
#include "workflow/machine.h"

void kb_build_path(char path[PATH_MAX], const char *directory, const char *name)
{
	if (snprintf(path, PATH_MAX, "%s/%s", directory, name) >= PATH_MAX)
		path[0] = '\0';
}

#define LINE_MS 120000

void kb_build_line(const char *const *words, char *line, size_t room)
{
	struct kb_command_output output = { NULL, 0 };

	line[0] = '\0';
	if (kb_command(words, LINE_MS, &output) == 0 && output.text)
		snprintf(line, room, "%.*s", (int)strcspn(output.text, "\n"), output.text);
	free(output.text);
}

void kb_build_hash(const char *path, char hash[72])
{
	kb_build_line((const char *const[]){ "sha256sum", path, NULL }, hash, 72);
	hash[strcspn(hash, " ")] = '\0';
}

int kb_build_sources(const char *part, const char *what, char path[PATH_MAX], struct kb_failure *failure)
{
	char installed[128], directory[KB_EXE_DIRECTORY_MAX], why[KB_TRUST_WHY];

	snprintf(installed, sizeof installed, "../share/kbench/%s", part);
	kb_exe_directory(directory);

	int error = kb_trust_own_part((const char *const[]){ part, installed }, 2, path, why);

	if (error == -EPERM)
		return kb_refuse(failure, KB_EXIT_USAGE, "%s", why);
	return error ? kb_refuse(failure, KB_EXIT_USAGE, "no %s: neither %s/%s nor %s/%s; install kbench again", what, directory, part,
				 directory, installed) : 0;
}

int kb_build_begin(struct kb_build *build, struct kb_failure *failure)
{
	char id[37], real[PATH_MAX], why[KB_TRUST_WHY];
	int error = kb_run_id(id) ? -errno : kb_guardian_start(&build->guardian, id);

	if (error)
		return kb_refuse(failure, KB_EXIT_FAILED, "cannot start the guardian: %s", kb_start_lack(-error));
	kb_mark(id);
	signal(SIGCHLD, SIG_DFL);       /* where it is ignored, the exit code of make is lost */
	if (snprintf(build->work, PATH_MAX, "%s.part-%d", build->into, (int)getpid()) >= PATH_MAX - 40)
		return kb_refuse(failure, KB_EXIT_USAGE, "%.200s: too long", build->into);
	kb_build_path(build->made, build->work, "made");
	kb_build_path(build->log, build->work, "log");
	if (kb_guardian_remove(&build->guardian, build->work) || mkdir(build->work, 0700) < 0)
		return kb_refuse(failure, KB_EXIT_USAGE, "%s: cannot be made", build->work);
	/* What is made there is run there, by make and to describe it. */
	if (kb_trust(build->work, KB_TRUST_US, real, why))
		return kb_refuse(failure, KB_EXIT_USAGE, "%s; or choose a place with -o DIR", why);
	kb_catch_signals();
	return 0;
}

/* A compiler that is killed leaves its own files: they lie where all goes when the build ends. A process group of its own ends as a whole. */
static int start_program(struct kb_build *build, const char *const *words, pid_t *child)
{
	const char *usual = getenv("TMPDIR");
	char *before = usual ? strdup(usual) : NULL;
	int error = (usual && !before) || setenv("TMPDIR", build->work, 1) < 0 ? -ENOMEM :
		    kb_child_start(words, &(struct kb_child_files){ .output = build->log }, KB_CHILD_GROUP, child);

	if (before)
		setenv("TMPDIR", before, 1);
	else if (!usual)
		unsetenv("TMPDIR");
	free(before);
	return error;
}

int kb_build_run(struct kb_build *build, const char *const *words, const char *what, int *status, struct kb_failure *failure)
{
	int ended = -1, error;
	pid_t child;

	error = start_program(build, words, &child);
	if (error)
		return kb_refuse(failure, KB_EXIT_FAILED, "%s: cannot be started, or write to a log: %s", words[0], kb_start_lack(-error));
	kb_guardian_group(&build->guardian, child);
	while (waitpid(child, &ended, WNOHANG) == 0) {
		if (kb_run_stop_signal())
			kill(-child, SIGKILL);
		kb_guardian_look(&build->guardian);
		kb_sleep_ns(5000000);
	}
	kb_guardian_group(&build->guardian, 0);
	if (kb_run_stop_signal())
		return kb_refuse(failure, KB_EXIT_SIGNAL + kb_run_stop_signal(), "stopped; nothing was built");
	ended = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
	if (status)
		*status = ended;
	return ended ? kb_build_refuse(build, what, failure) : 0;
}

/* Of a full disk the log itself may be empty. */
int kb_build_refuse(const struct kb_build *build, const char *what, struct kb_failure *failure)
{
	char line[400] = "failed without output; is the disk full?", text[400];
	FILE *log = fopen(build->log, "r");

	while (log && fgets(text, sizeof text, log)) {
		if (text[0] != '\n')
			snprintf(line, sizeof line, "%s", text);
		if (strstr(text, "error") || strstr(text, "Error") || strstr(text, "ERROR") || strstr(text, "*** "))
			break;
	}
	if (log)
		fclose(log);
	line[strcspn(line, "\n")] = '\0';
	return kb_refuse(failure, KB_EXIT_FAILED, "%s: %s", what, line);
}

/* Swapped with what is there, which then goes with `work`. */
int kb_build_put(struct kb_build *build, struct kb_failure *failure)
{
	if (rename(build->made, build->into) == 0 ||
	    renameat2(AT_FDCWD, build->made, AT_FDCWD, build->into, RENAME_EXCHANGE) == 0)
		return 0;
	return kb_refuse(failure, KB_EXIT_USAGE, "%s: cannot be replaced: %s", build->into, strerror(errno));
}

void kb_build_end(struct kb_build *build)
{
	kb_guardian_stop(&build->guardian);
}
