/*
 * See commands.h: one run of a command. kbench-collect-command starts it in a process group of its own, so that its end is the end of what it
 * left behind, too; what leaves the group, the guardian finds by the run's id.
 */
#define _GNU_SOURCE
#include "workflow/commands/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "io.h"
#include "run/run.h"

#define REPORT 3
#define SLICE_MS 200            /* a signal that comes between a look and a wait is seen after so long */
#define GRACE_NS (50 * KB_MS)   /* for processes of a pipeline that end right after the command */
#define ERROR_MOST (16 << 20)   /* bytes of standard error that are kept in memory; of more only what comes later */
#define ERROR_LINES 4           /* of its end that are shown */

/* What goes on outside of the command while it runs. */
struct watched {
	pid_t child;
	int report, output;             /* ends to read; output -1: none */
	char line[1024];
	size_t length;
};

/* Shares our memory until its exec: only calls to the kernel. */
static _Noreturn void child_main(const struct kb_command_place *place, char *const *argv, int report, int output)
{
	cpu_set_t cpus;

	setpgid(0, 0);
	kb_default_signals();
	if (place->cpus) {
		CPU_ZERO(&cpus);
		for (unsigned i = 0; i < place->cpu_count; i++)
			CPU_SET(place->cpus[i], &cpus);
		sched_setaffinity(0, sizeof cpus, &cpus);
	}
	if (dup2(place->input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
	    dup2(place->error >= 0 ? place->error : output, STDERR_FILENO) >= 0 &&
	    (report == REPORT ? fcntl(report, F_SETFD, 0) : dup2(report, REPORT)) >= 0)
		execv(place->program, argv);
	_exit(127);
}

/* kbench-collect-command and its arguments. The caller frees the array. */
static char **collector_words(const struct kb_command_place *place, char *loops, char *const *argv)
{
	size_t count = 0;
	char **words;

	while (argv[count])
		count++;
	words = calloc(count + 4, sizeof *words);
	if (!words)
		return NULL;
	words[0] = (char *)(uintptr_t)place->program;
	words[1] = (char *)(uintptr_t)place->clock;
	words[2] = loops;
	memcpy(words + 3, argv, count * sizeof *words);
	return words;
}

static int start(const struct kb_command_place *place, char *const *argv, struct watched *watched)
{
	char **words, loops[24];
	int report[2], output[2] = { -1, -1 }, error = 0;

	snprintf(loops, sizeof loops, "%llu", (unsigned long long)place->loops);
	words = collector_words(place, loops, argv);
	if (!words)
		return -ENOMEM;
	if (pipe2(report, O_CLOEXEC)) {
		error = -errno;
		free(words);
		return error;
	}
	if (place->output < 0 && pipe2(output, O_CLOEXEC))
		error = -errno;
	if (!error && (watched->child = vfork()) == 0)
		child_main(place, words, report[1], place->output < 0 ? output[1] : place->output);
	if (!error && watched->child < 0)
		error = -errno;
	free(words);
	close(report[1]);
	if (output[1] >= 0)
		close(output[1]);
	watched->report = report[0];
	watched->output = output[0];
	if (error) {
		close(report[0]);
		if (output[0] >= 0)
			close(output[0]);
		return error;
	}
	/* On both sides, as either may come first: the group is there before it is needed. */
	setpgid(watched->child, watched->child);
	return 0;
}

/* What is there. False: the other end is closed. */
static bool take_report(struct watched *watched)
{
	ssize_t got = read(watched->report, watched->line + watched->length, sizeof watched->line - 1 - watched->length);

	if (got > 0)
		watched->length += (size_t)got;
	watched->line[watched->length] = '\0';
	return got > 0 || (got < 0 && errno == EINTR);
}

static void forget_output(struct watched *watched)
{
	char buffer[65536];

	if (read(watched->output, buffer, sizeof buffer) > 0)
		return;
	close(watched->output);
	watched->output = -1;
}

/* ---- standard error ---------------------------------------------------------------------------------------- */

/* It is written at the end of the file, wherever that is. */
static void empty_error(const struct kb_command_place *place, off_t most)
{
	struct stat file;

	if (place->keeps_error && fstat(place->error, &file) == 0 && file.st_size > most && ftruncate(place->error, 0) < 0)
		return; /* then it is longer */
}

/* Where the last lines of a text begin. */
static const char *last_lines(const char *text, unsigned lines)
{
	const char *at = text + strlen(text);

	while (at > text && (at[-1] != '\n' || --lines > 0))
		at--;
	return at;
}

void kb_command_error_end(const struct kb_command_place *place, char text[KB_COMMAND_ERROR_ROOM])
{
	char end[KB_COMMAND_ERROR_ROOM / 2];
	struct stat file;
	ssize_t got = -1;
	struct kb_text out = kb_text_in(text, KB_COMMAND_ERROR_ROOM);

	text[0] = '\0';
	if (place->keeps_error && fstat(place->error, &file) == 0)
		got = pread(place->error, end, sizeof end - 1, file.st_size < (off_t)sizeof end ? 0 : file.st_size - (off_t)sizeof end + 1);
	while (got > 0 && (end[got - 1] == '\n' || end[got - 1] == ' '))
		got--;
	end[got > 0 ? got : 0] = '\0';
	for (size_t i = 0; got > 0 && i < (size_t)got; i++)
		end[i] = end[i] ? end[i] : ' ';
	for (char *rest = (char *)(uintptr_t)last_lines(end, ERROR_LINES), *line; got > 0 && (line = strsep(&rest, "\n")) != NULL;) {
		kb_make_visible(line, '?');
		kb_text_str(&out, "  ");
		kb_text_str(&out, line);
		kb_text_str(&out, rest ? "\n" : "");
	}
}

/* ---- the run ----------------------------------------------------------------------------------------------- */

/* Until kbench-collect-command has reported and ended. */
static int watch(const struct kb_command_place *place, struct watched *watched)
{
	uint64_t deadline = kb_wall_ns() + place->limit_ns;

	for (;;) {
		struct pollfd ends[] = { { .fd = watched->report, .events = POLLIN }, { .fd = watched->output, .events = POLLIN } };
		uint64_t now = kb_wall_ns();

		if (place->heed_stop && kb_run_stop_signal())
			return -EINTR;
		if (now > deadline)
			return -ETIME;
		uint64_t left = (deadline - now) / KB_MS + 1;

		int ready = poll(ends, 2, left < SLICE_MS ? (int)left : SLICE_MS);

		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready == 0)
			empty_error(place, ERROR_MOST);
		if (ends[1].revents)
			forget_output(watched);
		if (ends[0].revents && !take_report(watched))
			return 0;
	}
}

/* Reaps what has ended, of the group or out of it: what a command leaves is ours. True: somebody is still in it after the time for what ends by itself. */
static bool has_left(pid_t group, uint64_t grace_ns)
{
	uint64_t deadline = kb_wall_ns() + grace_ns;

	for (;;) {
		while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
			;
		if (kill(-group, 0) < 0 && errno != EPERM)
			return false;
		if (kb_wall_ns() > deadline)
			return true;
		kb_sleep_ns(200000);
	}
}

static uint64_t number(const struct watched *watched, const char *key)
{
	uint64_t value = 0;

	kb_record_field_u64(kb_span_of(watched->line), key, &value);
	return value;
}

static void read_use(const struct watched *watched, struct kb_command_use *use)
{
	*use = (struct kb_command_use){
		.block = use->block, .place = use->place, .start = number(watched, "start"), .ticks = number(watched, "ticks"),
		.user_ns = 1e3 * (double)number(watched, "user_us"), .system_ns = 1e3 * (double)number(watched, "system_us"),
		.memory_bytes = 1024 * (double)number(watched, "memory_kb"), .minor = (double)number(watched, "minor"),
		.major = (double)number(watched, "major"), .voluntary = (double)number(watched, "voluntary"),
		.forced = (double)number(watched, "forced"), .status = (int)number(watched, "status"), .cpu = (unsigned)number(watched, "cpu"),
		.around = { number(watched, "before"), number(watched, "after") },
		.chain = { { number(watched, "short_before"), number(watched, "long_before") },
			   { number(watched, "short_after"), number(watched, "long_after") } },
	};
}

int kb_command_use(const struct kb_command_place *place, char *const *argv, bool keep, struct kb_command_use *use)
{
	struct watched watched = { .length = 0 };
	int error, status = 0;

	empty_error(place, 0);
	error = start(place, argv, &watched);
	if (error)
		return error;
	error = watch(place, &watched);
	/* Before it is waited for, its number is nobody else's. */
	if (error)
		kill(-watched.child, SIGKILL);
	if (waitpid(watched.child, &status, 0) < 0 && !error)
		error = -errno;
	/* A line that has its end is whole. */
	if (!error && (!WIFEXITED(status) || WEXITSTATUS(status) || !strchr(watched.line, '\n')))
		error = -EPROTO;
	watched.line[strcspn(watched.line, "\n")] = '\0';
	if (!error)
		error = -(int)number(&watched, "error");
	read_use(&watched, use);
	if ((!keep || error) && has_left(watched.child, error ? 0 : GRACE_NS)) {
		kill(-watched.child, SIGKILL);
		error = error ? error : -ECHILD;
		has_left(watched.child, GRACE_NS);
	}
	close(watched.report);
	if (watched.output >= 0)
		close(watched.output);
	return error;
}
