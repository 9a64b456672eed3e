/* Settings of the machine (collect/linux/context.h), and what a program in Yamba, which knows no run, asks its collector for. */
#define _GNU_SOURCE
#include "collect/linux/context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collect/common/record.h"
#include "io.h"
#include "kbench_files.h"
#include "kbench_yamba.h"

#define NOTED_MAX 8             /* settings of a process; a ninth is noted again and again, which does no harm */
#define PATH_BYTES 128
#define VALUE_BYTES 256

static struct kb_run *here;
static int line = -1;
static char noted[NOTED_MAX][PATH_BYTES];

void kb_settings_open(struct kb_run *run, int guardian)
{
	here = run;
	line = guardian;
	if (guardian >= 0)
		fcntl(guardian, F_SETFD, FD_CLOEXEC);
}

/* The process's process group names it: a traced or forked part of it is in it, too. */
static int ask(const char *path, const char *before)
{
	static int asked;
	char text[PATH_BYTES + VALUE_BYTES + 48], name[32], answer[48];

	snprintf(name, sizeof name, "%d %d", (int)getpgrp(), ++asked);
	int length = snprintf(text, sizeof text, "%s restore %s\t%s", name, path, before);

	if (length >= (int)sizeof text)
		return -ENAMETOOLONG;
	if (send(line, text, (size_t)length, MSG_NOSIGNAL) < 0)
		return -EPIPE;
	for (;;) {
		ssize_t got = recv(line, answer, sizeof answer - 1, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 3)
			return -EPIPE;
		answer[got] = '\0';
		if (!strcmp(answer + 2, name))  /* else it was for a process that died before it heard it, or is told again */
			return answer[0] == 'y' ? 0 : -EPIPE;
	}
}

/* Copies of a process share the line: one asks at a time. */
static int note(struct kb_run *run, const char *path, const char *before)
{
	int lock = open(run->context->options->scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;

	if (lock < 0)
		return -errno;
	error = flock(lock, LOCK_EX) < 0 ? -errno : ask(path, before);
	close(lock);
	return error;
}

/* "always [madvise] never" of /sys: what is chosen, for the file takes no more than that. */
static void keep_chosen(char *value)
{
	char *start = strchr(value, '['), *end = start ? strchr(start, ']') : NULL;
	bool word = end && (start == value || start[-1] == ' ') && (!end[1] || end[1] == ' ');

	if (word && (size_t)(end - start) == strcspn(start, " ]")) {
		*end = '\0';
		memmove(value, start + 1, (size_t)(end - start));
	}
}

static int note_once(struct kb_run *run, const char *path)
{
	char before[VALUE_BYTES];
	int i = 0, error;

	while (i < NOTED_MAX && noted[i][0] && strcmp(noted[i], path) != 0)
		i++;
	if (i < NOTED_MAX && noted[i][0])
		return 0;
	long length = kb_read_file(path, before, sizeof before);

	if (length < 0)
		return (int)length;
	before[strcspn(before, "\n")] = '\0';
	keep_chosen(before);
	error = note(run, path, before);
	if (!error && i < NOTED_MAX)
		snprintf(noted[i], PATH_BYTES, "%s", path);
	return error;
}

int kb_setting(struct kb_run *run, const char *path, const char *value)
{
	if (line < 0)
		return -EPIPE;
	if (strlen(path) >= PATH_BYTES)
		return -ENAMETOOLONG;
	return note_once(run, path) ?: kb_write_file(path, value);
}

/* ---- for the C text of programs in Yamba --------------------------------------------------------------- */

int kb_yamba_setting(const char *path, const char *value)
{
	return kb_setting(here, path, value);
}

const char *kb_yamba_directory(void)
{
	return here->context->options->scratch;
}

void kb_yamba_expect(const char *counter, double per_operation, double tolerance)
{
	static const enum kb_counter counters[] = { KB_MINFLT, KB_MAJFLT, KB_NVCSW, KB_NIVCSW };
	char why[128];

	for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
		if (!strcmp(counter, kb_counter_name(counters[i]))) {
			kb_expect(here, counters[i], per_operation, tolerance);
			return;
		}
	}
	/* An unchecked claim would look like one that holds. */
	snprintf(why, sizeof why, "the counter '%.40s' is none: minflt, majflt, nvcsw, nivcsw", counter);
	kb_yamba_give_up(false, why);
}

/* What kbench-collect does after a setup that failed. What must be undone, the guardian undoes. */
void kb_yamba_give_up(bool lacking, const char *why)
{
	struct kb_context *context = here->context;

	if (lacking)
		kb_record_note(&context->out, "need_unmet", why);
	kb_record_fail(&context->out, "setup", lacking ? EOPNOTSUPP : 0, why);
	kb_output_flush();
	kb_peers_kill(context);
	exit(KB_COLLECT_FAILED);        /* the program's own teardown() still runs */
}
