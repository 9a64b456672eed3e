/* See leftovers.h. Whether something is new is checked when the call begins: what exists already is not of the benchmark. */
#define _GNU_SOURCE
#include "evidence/leftovers.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "grown.h"
#include "syscall_name.h"

#define MOST 4096       /* that are remembered; then those that are gone are forgotten */
#define PAGE 4096       /* no machine's pages are smaller */
#define NO_FLAGS (-1)

/* Where a call has its path, the directory that it starts from (-1: the current one), and flags that must hold O_CREAT. */
static const struct maker { const char *call; int directory, path, flags; } makers[] = {
	{ "openat", 0, 1, 2 }, { "open", -1, 0, 1 }, { "creat", -1, 0, NO_FLAGS }, { "mkdirat", 0, 1, NO_FLAGS }, { "mkdir", -1, 0, NO_FLAGS },
	{ "mknodat", 0, 1, NO_FLAGS }, { "mknod", -1, 0, NO_FLAGS }, { "symlinkat", 1, 2, NO_FLAGS }, { "symlink", -1, 1, NO_FLAGS },
	{ "linkat", 2, 3, NO_FLAGS }, { "link", -1, 1, NO_FLAGS }, { "renameat2", 2, 3, NO_FLAGS }, { "renameat", 2, 3, NO_FLAGS },
	{ "rename", -1, 1, NO_FLAGS },
};

#define SEGMENT "a segment of shared memory"
#define SEMAPHORES "a set of semaphores"
#define MESSAGES "a queue of messages"
#define QUEUE "the message queue "      /* and its name */

/* ---- what a call would make ---------------------------------------------------------------------- */

/* Up to the end of a page at a time: the next one may not be there. */
static bool read_text(pid_t pid, uint64_t address, char *text, size_t room)
{
	for (size_t used = 0; used < room - 1;) {
		size_t step = PAGE - (size_t)((address + used) % PAGE);
		struct iovec to = { text + used, step < room - 1 - used ? step : room - 1 - used };
		struct iovec from = { (void *)(uintptr_t)(address + used), to.iov_len };
		ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);

		if (got <= 0)
			return false;
		if (memchr(text + used, '\0', (size_t)got))
			return true;
		used += (size_t)got;
	}
	return false;
}

/* The absolute path. */
static bool resolve(const struct kb_task *task, int directory, const char *path, char *whole, size_t room)
{
	char link[64], start[256];

	if (path[0] == '/')
		return snprintf(whole, room, "%s", path) < (int)room;
	if (directory == AT_FDCWD)
		snprintf(link, sizeof link, "/proc/%d/cwd", task->pid);
	else
		snprintf(link, sizeof link, "/proc/%d/fd/%d", task->pid, directory);

	ssize_t length = readlink(link, start, sizeof start - 1);

	return length > 0 && path[0] && snprintf(whole, room, "%.*s/%s", (int)length, start, path) < (int)room;
}

static bool is_there(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

static void makes_path(struct kb_task *task, const struct maker *maker, const uint64_t *arguments)
{
	char path[256];
	int directory = maker->directory < 0 ? AT_FDCWD : (int)arguments[maker->directory];

	if (maker->flags >= 0 && !(arguments[maker->flags] & O_CREAT))
		return;
	if (!read_text(task->pid, arguments[maker->path], path, sizeof path) ||
	    !resolve(task, directory, path, task->makes, sizeof task->makes) || is_there(task->makes))
		task->makes[0] = '\0';
}

static void makes_socket(struct kb_task *task, const uint64_t *arguments)
{
	struct sockaddr_un address = { 0 };
	struct iovec to = { &address, sizeof address - 1 }, from = { (void *)(uintptr_t)arguments[1], (size_t)arguments[2] };

	to.iov_len = from.iov_len < to.iov_len ? from.iov_len : to.iov_len;
	if (process_vm_readv(task->pid, &to, 1, &from, 1, 0) <= 0 || address.sun_family != AF_UNIX || !address.sun_path[0])
		return;
	if (!resolve(task, AT_FDCWD, address.sun_path, task->makes, sizeof task->makes) || is_there(task->makes))
		task->makes[0] = '\0';
}

/* Objects in a namespace of the task's own are gone with it, and their IDs mean others here. */
static bool has_own_objects(pid_t pid)
{
	char path[64], theirs[64] = "", ours[64] = "";

	snprintf(path, sizeof path, "/proc/%d/ns/ipc", pid);
	return readlink(path, theirs, sizeof theirs - 1) > 0 && readlink("/proc/self/ns/ipc", ours, sizeof ours - 1) > 0 && strcmp(theirs, ours);
}

static void makes_object(struct kb_task *task, const char *kind, key_t key, uint64_t flags, int there)
{
	if ((key == IPC_PRIVATE || ((flags & IPC_CREAT) && there < 0)) && !has_own_objects(task->pid))
		snprintf(task->makes, sizeof task->makes, "%s", kind);
}

/* The kernel's name of a queue has no slash, the library's has one. */
static void makes_queue(struct kb_task *task, const uint64_t *arguments)
{
	char name[256] = "/";

	if (!(arguments[1] & O_CREAT) || !read_text(task->pid, arguments[0], name + 1, sizeof name - 1))
		return;
	mqd_t queue = mq_open(name, O_RDONLY);

	if (queue >= 0)
		mq_close(queue);
	else if (!has_own_objects(task->pid))
		snprintf(task->makes, sizeof task->makes, QUEUE "%s", name);
}

void kb_leftovers_entered(struct kb_task *task, const uint64_t *arguments)
{
	const char *call = kb_syscall_name(task->number);

	task->makes[0] = '\0';
	for (size_t i = 0; call && i < sizeof makers / sizeof makers[0]; i++) {
		if (!strcmp(call, makers[i].call)) {
			makes_path(task, &makers[i], arguments);
			return;
		}
	}
	if (!call)
		return;
	key_t key = (key_t)arguments[0];

	if (!strcmp(call, "bind"))
		makes_socket(task, arguments);
	else if (!strcmp(call, "shmget"))
		makes_object(task, SEGMENT, key, arguments[2], key == IPC_PRIVATE ? -1 : shmget(key, 0, 0));
	else if (!strcmp(call, "semget"))
		makes_object(task, SEMAPHORES, key, arguments[2], key == IPC_PRIVATE ? -1 : semget(key, 0, 0));
	else if (!strcmp(call, "msgget"))
		makes_object(task, MESSAGES, key, arguments[1], key == IPC_PRIVATE ? -1 : msgget(key, 0));
	else if (!strcmp(call, "mq_open"))
		makes_queue(task, arguments);
}

/* ---- what is left -------------------------------------------------------------------------------- */

static bool is_left(const struct kb_leftover *one)
{
	union { struct shmid_ds segment; struct msqid_ds queue; struct semid_ds set; } status;
	union semun { int value; struct semid_ds *set; } argument = { .set = &status.set };

	if (one->what[0] == '/')
		return is_there(one->what);
	if (!strcmp(one->what, SEGMENT))
		return shmctl((int)one->id, IPC_STAT, &status.segment) == 0;
	if (!strcmp(one->what, MESSAGES))
		return msgctl((int)one->id, IPC_STAT, &status.queue) == 0;
	if (!strcmp(one->what, SEMAPHORES))
		return semctl((int)one->id, 0, IPC_STAT, argument) == 0;
	mqd_t queue = mq_open(one->what + strlen(QUEUE), O_RDONLY);

	if (queue >= 0)
		mq_close(queue);
	return queue >= 0;
}

static void forget_gone(struct kb_leftovers *leftovers)
{
	size_t kept = 0;

	for (size_t i = 0; i < leftovers->count; i++) {
		if (is_left(&leftovers->at[i]))
			leftovers->at[kept++] = leftovers->at[i];
		else
			free(leftovers->at[i].what);
	}
	leftovers->count = kept;
}

void kb_leftovers_left(struct kb_leftovers *leftovers, const struct kb_task *task, int64_t value)
{
	for (size_t i = 0; i < leftovers->count && task->makes[0] == '/'; i++) {
		if (!strcmp(leftovers->at[i].what, task->makes))
			return;
	}
	if (!task->makes[0])
		return;
	if (leftovers->count == MOST)
		forget_gone(leftovers);

	char *what = leftovers->count < MOST && KB_GROW(leftovers->at, leftovers->count) ? strdup(task->makes) : NULL;

	if (what)
		leftovers->at[leftovers->count++] = (struct kb_leftover){ what, value };
}

static bool lies_in(const char *path, const char *directory)
{
	size_t length = directory ? strlen(directory) : 0;

	return length > 0 && !strncmp(path, directory, length) && (path[length] == '/' || !path[length]);
}

void kb_leftovers_find(const struct kb_leftovers *leftovers, const char *directory, char *text, size_t room)
{
	const struct kb_leftover *first = NULL;
	unsigned count = 0;

	text[0] = '\0';
	for (size_t i = 0; i < leftovers->count; i++) {
		const struct kb_leftover *one = &leftovers->at[i];

		if (lies_in(one->what, directory) || !is_left(one))
			continue;
		first = first ? first : one;
		count++;
	}
	if (count == 1)
		snprintf(text, room, "%.120s", first->what);
	else if (count > 1)
		snprintf(text, room, "%.120s and %u more", first->what, count - 1);
}

void kb_leftovers_free(struct kb_leftovers *leftovers)
{
	for (size_t i = 0; i < leftovers->count; i++)
		free(leftovers->at[i].what);
	free(leftovers->at);
	*leftovers = (struct kb_leftovers){ 0 };
}

/* ---- tasks: few live at a time, so that they are searched one by one ------------------------------ */

struct kb_task *kb_task_of(struct kb_tasks *tasks, pid_t pid)
{
	for (size_t i = 0; i < tasks->count; i++) {
		if (tasks->at[i].pid == pid)
			return &tasks->at[i];
	}
	if (!KB_GROW(tasks->at, tasks->count))
		return NULL;
	tasks->at[tasks->count] = (struct kb_task){ .pid = pid, .number = KB_NO_CALL };
	return &tasks->at[tasks->count++];
}

void kb_task_forget(struct kb_tasks *tasks, pid_t pid)
{
	struct kb_task *task = kb_task_of(tasks, pid);

	if (task)
		*task = tasks->at[--tasks->count];
}

void kb_tasks_free(struct kb_tasks *tasks)
{
	free(tasks->at);
	*tasks = (struct kb_tasks){ 0 };
}
