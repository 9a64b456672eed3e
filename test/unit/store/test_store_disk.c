/*
 * The store in a hostile world: directories that may not be written, full disks, writers that are killed. A child does
 * what would harm this process: it gives up its rights, mounts a small disk, lowers a limit, dies.
 */
#include "fixture.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

/* ---- directories and files that may not be written ------------------------------------------------ */

static int count_all(const char *path, unsigned *count)
{
	struct kb_store *store;
	int error = kb_store_open(&store, path, KB_STORE_READ);

	*count = 0;
	if (!error)
		error = kb_store_all_processes(store, RUN, count_process, count);
	if (error)
		fprintf(stderr, "%s\n", kb_store_error(store));
	kb_store_close(store);
	return error;
}

/* WRITE is refused with EACCES; READ gives all processes. */
static int reads_only(const struct place *place)
{
	struct kb_store *store;
	unsigned count;

	if (drop_rights(place))
		return CANNOT;
	MUST(kb_store_open(&store, place->path, KB_STORE_WRITE) == -EACCES);
	MUST(strstr(kb_store_error(store), place->path) && strstr(kb_store_error(store), "--store FILE"));
	kb_store_close(store);
	MUST(!count_all(place->path, &count));
	MUST(count == PROCESSES);
	return 0;
}

static int refuses_hidden_log(const struct place *place)
{
	struct kb_store *store;

	if (drop_rights(place))
		return CANNOT;
	MUST(kb_store_open(&store, place->path, KB_STORE_READ) == -EROFS);
	MUST(strstr(kb_store_error(store), "kbench.db-wal"));
	kb_store_close(store);
	return 0;
}

static int refuses_secret(const struct place *place)
{
	struct kb_store *store;

	if (drop_rights(place))
		return CANNOT;
	MUST(kb_store_open(&store, place->path, KB_STORE_READ) == -EACCES);
	MUST(strstr(kb_store_error(store), "Permission denied"));
	kb_store_close(store);
	return 0;
}

static void read_only_directory(void **state)
{
	struct place *place = *state;
	int code;

	/* A name with all that has a meaning in the URI by which such a file is opened. */
	snprintf(place->path, sizeof(place->path), "%s/a?b#c%%41 d.db", place->directory);
	make_store(place->path);
	chmod(place->path, 0444);
	chmod(place->directory, 0555);
	child_passes(in_child(reads_only, place, 20), "another user cannot reach the temporary folder");
	chmod(place->path, 0);
	code = in_child(refuses_secret, place, 20);
	chmod(place->path, 0444);
	assert_int_equal(code, 0);
}

/* A writer in a process of its own (locks of one process do not stop itself): holds its store open until killed. */
static pid_t start_writer(const char *path)
{
	int ready[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	fflush(NULL);
	child = fork();
	if (!child) {
		struct kb_store *store;

		alarm(30);
		if (kb_store_open(&store, path, KB_STORE_WRITE) || add_run(store, RUN, "1", ""))
			_exit(1);
		for (unsigned i = 1; i <= PROCESSES; i++)
			if (add_process(store, RUN, i, i, LENGTH(i)))
				_exit(1);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return child;
}

/* Processes that stand only in the log: of a living writer, then of a killed one, then without its index. */
static void read_only_with_log(void **state)
{
	struct place *place = *state;
	char index[PATH_MAX + 8];
	int living, killed, hidden, status;
	pid_t writer = start_writer(place->path);

	chmod(place->path, 0444);
	chmod(place->directory, 0555);
	living = in_child(reads_only, place, 20);
	kill(writer, SIGKILL);
	assert_int_equal(waitpid(writer, &status, 0), writer);
	killed = in_child(reads_only, place, 20);
	chmod(place->directory, 0755);
	snprintf(index, sizeof(index), "%s-shm", place->path);
	assert_int_equal(unlink(index), 0);
	chmod(place->directory, 0555);
	hidden = in_child(refuses_hidden_log, place, 20);
	child_passes(living, "another user cannot reach the temporary folder");
	assert_int_equal(killed, 0);
	assert_int_equal(hidden, 0);
}

/* ---- full disks -------------------------------------------------------------------------------- */

/* Adds processes until one is refused with `error`; all before it are there, and the handle still works. */
static int fill(struct kb_store *store, int error, const char *words)
{
	unsigned stored = 0, count = 0;
	int got = 0;

	MUST(!add_run(store, RUN, "1", ""));
	for (; stored < 2000 && !got; stored += !got)
		got = add_process(store, RUN, stored + 1, stored, 20000);
	MUST(got == error && stored > 0);
	MUST(strstr(kb_store_error(store), words) && strstr(kb_store_error(store), kb_store_path(store)));
	MUST(strstr(kb_store_error(store), "--store FILE") && !strchr(kb_store_error(store), '\n'));
	MUST(!kb_store_all_processes(store, RUN, count_process, &count));
	MUST(count == stored);
	return 0;
}

static int read_only_disk(const struct place *place)
{
	struct kb_store *store;

	MUST(!mount("kbench", place->directory, NULL, MS_REMOUNT | MS_RDONLY, NULL));
	MUST(kb_store_open(&store, place->path, KB_STORE_WRITE) == -EROFS);
	MUST(strstr(kb_store_error(store), "Read-only file system"));
	kb_store_close(store);
	MUST(!kb_store_open(&store, place->path, KB_STORE_READ));
	MUST(kb_store_finish_run(store, RUN, "x") < 0);
	kb_store_close(store);
	MUST(!mount("kbench", place->directory, NULL, MS_REMOUNT, "size=2m"));
	return 0;
}

/* A new store on a disk that is full to the last byte, and once there is room again. */
static int no_room_to_begin(const struct place *place, const char *filler)
{
	struct kb_store *store;
	char bytes[4096] = "";
	int fd = open(filler, O_WRONLY | O_CLOEXEC);

	MUST(fd >= 0 && !unlink(place->path));
	while (write(fd, bytes, sizeof(bytes)) > 0)
		;
	MUST(kb_store_open(&store, place->path, KB_STORE_WRITE) == -ENOSPC);
	kb_store_close(store);
	MUST(!ftruncate(fd, 0));
	close(fd);
	MUST(!kb_store_open(&store, place->path, KB_STORE_WRITE));
	kb_store_close(store);
	return 0;
}

/* A disk of two megabytes, seen by this process only, so that it goes with it. */
static int small_disk(const struct place *place)
{
	char filler[PATH_MAX];
	struct kb_store *store;
	int fd;

	if (geteuid() || unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("kbench", place->directory, "tmpfs", 0, "size=2m"))
		return CANNOT;
	snprintf(filler, sizeof(filler), "%s/filler", place->directory);
	fd = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	MUST(fd >= 0 && !posix_fallocate(fd, 0, 1 << 20));
	MUST(!kb_store_open(&store, place->path, KB_STORE_WRITE));
	MUST(!fill(store, -ENOSPC, "No space left on device"));
	MUST(!ftruncate(fd, 0) && !close(fd));
	MUST(!add_process(store, RUN, 5000, 5000, 20000));
	kb_store_close(store);
	MUST(ask(place->path, INTEGRITY) == 1);
	MUST(!read_only_disk(place));
	return no_room_to_begin(place, filler);
}

static void full_disk(void **state)
{
	child_passes(in_child(small_disk, *state, 30), "mounting a small disk needs root");
}

static int limited_file(const struct place *place)
{
	struct rlimit limit = { 1 << 20, RLIM_INFINITY };
	struct kb_store *store;

	signal(SIGXFSZ, SIG_IGN);
	MUST(!kb_store_open(&store, place->path, KB_STORE_WRITE));
	MUST(!setrlimit(RLIMIT_FSIZE, &limit));
	MUST(!fill(store, -EFBIG, "ulimit -f"));
	limit.rlim_cur = RLIM_INFINITY;
	MUST(!setrlimit(RLIMIT_FSIZE, &limit));
	MUST(!add_process(store, RUN, 5000, 5000, 20000));
	kb_store_close(store);
	MUST(ask(place->path, INTEGRITY) == 1);
	return 0;
}

static void file_size_limit(void **state)
{
	assert_int_equal(in_child(limited_file, *state, 30), 0);
}

/* ---- kills ------------------------------------------------------------------------------------- */

#define KILLS 50

static size_t killed_length(unsigned process)
{
	return 1 + process * 7919 % 50000;
}

/* Stores processes until killed and says so after each: one byte through the pipe. */
static void write_until_killed(const char *path, const char *run, int acknowledge)
{
	struct kb_store *store;

	alarm(30);
	if (kb_store_open(&store, path, KB_STORE_WRITE) || add_run(store, run, "1", ""))
		_exit(1);
	for (unsigned i = 1; i < 60000; i++)
		if (add_process(store, run, i, i, killed_length(i)) || write(acknowledge, "x", 1) != 1)
			break;
	_exit(1);
}

/* Kills a writer `delay_us` after it was started or, if `processes`, after it promised so many. Returns how many it
   had promised by then. */
static unsigned kill_writer(const char *path, const char *run, unsigned processes, unsigned delay_us)
{
	unsigned promised = 0;
	int pipes[2], status;
	pid_t child;
	char byte;

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	fflush(NULL);
	child = fork();
	if (!child)
		write_until_killed(path, run, pipes[1]);
	close(pipes[1]);
	while (promised < processes && read(pipes[0], &byte, 1) == 1)
		promised++;
	usleep(delay_us);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	while (read(pipes[0], &byte, 1) == 1)
		promised++;
	close(pipes[0]);
	return promised;
}

static int check_killed(void *context, const struct kb_stored_process *process)
{
	unsigned *count = context;

	assert_int_equal(process->process, ++*count);
	assert_true(same_record(process, *count, killed_length(*count)));
	return 0;
}

static void killed_writers(void **state)
{
	struct place *place = *state;
	struct kb_rng rng;
	unsigned processes = 0;

	kb_rng_seed(&rng, 3);
	for (int i = 0; i < KILLS; i++) {
		unsigned promised, count = 0;
		struct kb_store *store;
		char run[37];
		int error;

		snprintf(run, sizeof(run), "run-%d", i);
		/* The first after unlink() hits the making of the store, the others processes and the log's checkpoints. */
		promised = kill_writer(place->path, run, i % 5 ? 1 + (unsigned)kb_rng_below(&rng, 40) : 0,
				       (unsigned)kb_rng_below(&rng, 4000));
		error = kb_store_open(&store, place->path, KB_STORE_READ);
		if (!error)
			error = kb_store_all_processes(store, run, check_killed, &count);
		if (error && (error != -ENOENT || promised))
			fail_msg("after kill %d: %s", i, kb_store_error(store));
		kb_store_close(store);
		assert_in_range(count, promised, promised + 1);
		assert_true(ask(place->path, INTEGRITY) == 1 || access(place->path, F_OK));
		processes += count;
		if (i % 5 == 4)
			unlink(place->path);
	}
	assert_true(processes >= KILLS / 5 * 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(read_only_directory), TEST(read_only_with_log), TEST(full_disk), TEST(file_size_limit),
		TEST(killed_writers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
