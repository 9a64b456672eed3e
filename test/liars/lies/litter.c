/*
 * Says: a system call. Hidden: each process of the run leaves something on the machine that outlives it: a file, a piece of
 * shared memory, a queue, a process.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "liar.h"

/* Whatever is left has one of so many names or keys, by the id of the process: the runner need not look around for it. */
#define KEY 0x6b626c00
#define NAMES 250

static char name[64];

static int leave_socket(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof address.sun_path, "/tmp/%s", name);
	return fd < 0 ? -1 : bind(fd, (struct sockaddr *)&address, sizeof address);
}

static int leave_file(const char *directory)
{
	char path[128];
	int fd;

	snprintf(path, sizeof path, "%s/%s", directory, name);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	return fd < 0 || write(fd, path, sizeof path) < 0 ? -1 : close(fd);
}

static int leave_directory(void)
{
	char path[128];

	snprintf(path, sizeof path, "/var/tmp/%s", name);
	return mkdir(path, 0700);
}

static int leave_shm(void)
{
	char path[128];
	int fd;

	snprintf(path, sizeof path, "/%s", name);
	fd = shm_open(path, O_CREAT | O_RDWR, 0600);
	return fd < 0 ? -1 : ftruncate(fd, 65536);
}

static int leave_queue(void)
{
	struct mq_attr attributes = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	char path[128];

	snprintf(path, sizeof path, "/%s", name);
	return mq_open(path, O_CREAT | O_RDWR, 0600, &attributes) < 0 ? -1 : 0;
}

/* In a session of its own, without what would end it. */
static int leave_process(void)
{
	pid_t child = fork();

	if (child == 0) {
		setsid();
		if (fork() == 0) {
			for (int fd = 0; fd < 64; fd++)
				close(fd);
			sleep(20);
		}
		_exit(0);
	}
	return child < 0 ? -1 : 0;
}

static int leave_something(const struct kb_run *run)
{
	key_t key = KEY + getpid() % NAMES;

	if (lie(run, "file"))
		return leave_file("/tmp");
	if (lie(run, "working_folder"))
		return leave_file(".");
	if (lie(run, "folder"))
		return leave_directory();
	if (lie(run, "socket"))
		return leave_socket();
	if (lie(run, "shared_memory"))
		return leave_shm();
	if (lie(run, "segment"))
		return shmget(key, 4096, IPC_CREAT | 0600) < 0 ? -1 : 0;
	if (lie(run, "messages"))
		return msgget(key, IPC_CREAT | 0600) < 0 ? -1 : 0;
	if (lie(run, "semaphores"))
		return semget(key, 1, IPC_CREAT | 0600) < 0 ? -1 : 0;
	if (lie(run, "queue"))
		return leave_queue();
	return lie(run, "process") ? leave_process() : 0;
}

static int setup(struct kb_run *run)
{
	snprintf(name, sizeof name, "kbench-liar-%d", (int)getpid() % NAMES);
	/* An earlier process of the run may have had the same name. */
	if (leave_something(run) && errno != EEXIST && errno != EADDRINUSE)
		return kb_fail(run, errno, "something to leave behind");
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (syscall(SYS_getppid) < 0)
			return kb_fail(run, errno, "getppid");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "a system call, by one that does not clear up", .per = "call",
	.params = { LIE_PARAM("file,working_folder,folder,socket,shared_memory,segment,messages,semaphores,queue,process") },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
