/* See module.h. */
#define _GNU_SOURCE
#include "run/backend/module.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "assemble/command.h"
#include "io.h"
#include "run/backend/kernel.h"

#define PAUSE_NS 20000000
#define LOAD_ROUNDS 100
#define MODPROBE_MS 60000
#define GATE_ROUNDS 1000        /* another run may be loading a large module */
#define UNLOAD_ROUNDS 4000      /* it is busy until the last process has left it: an operation in it may take a minute */
#define OTHERS_ROUNDS 50        /* what the kernel has of its own may have found other users, who stay */

bool kb_module_is_live(const char *module)
{
	char path[128], state[16];

	/* Code that is built into the kernel has a directory there, too, but no state; another run may just be unloading it. */
	snprintf(path, sizeof path, "/sys/module/%s/initstate", module);
	return kb_read_file(path, state, sizeof state) > 0 && !strncmp(state, "live", 4);
}

/* ---- locks ------------------------------------------------------------------------------------------------- */

/* Only root can open the first one, so no other user can block us; where /sys is read-only there is the directory. */
static int open_lock(const char *module)
{
	char path[128];
	int fd;

	snprintf(path, sizeof path, "/sys/module/%s/uevent", module);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	*strrchr(path, '/') = '\0';
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* One process at a time loads or unloads modules. After a time in which any load has ended it goes on without the lock. */
static int enter(void)
{
	int gate = open_lock("kernel");

	for (int round = 0; gate >= 0 && flock(gate, LOCK_EX | LOCK_NB) < 0 && round < GATE_ROUNDS; round++)
		kb_sleep_ns(PAUSE_NS);
	return gate;
}

static void leave(int gate)
{
	if (gate >= 0)
		close(gate);
}

static bool is_held(const char *module)
{
	int lock = open_lock(module);
	bool held = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;

	if (lock >= 0)
		close(lock);
	return held;
}

static struct kb_module_hold hold(const char *module)
{
	struct kb_module_hold hold = { .ours = true, .lock = open_lock(module) };

	if (hold.lock >= 0)
		flock(hold.lock, LOCK_SH | LOCK_NB);
	return hold;
}

/* ---- loading ----------------------------------------------------------------------------------------------- */

static int load_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error = 0;

	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, "", 0) < 0)
		error = -errno;
	close(fd);
	return error;
}

static int modprobe(const char *module)
{
	struct kb_command_output output;

	kb_command((const char *const[]){ "modprobe", "-q", module, NULL }, MODPROBE_MS, &output);
	free(output.text);
	return kb_module_is_live(module) ? 0 : -ENOENT;
}

/* Another run may be loading or unloading one of this name: that is over soon. -EEXIST: it is in. */
static int load(const char *module, const char *path)
{
	int error = path[0] ? load_file(path) : modprobe(module);

	for (int i = 0; (error == -EEXIST || error == -EBUSY) && !kb_module_is_live(module) && i < LOAD_ROUNDS; i++) {
		kb_sleep_ns(PAUSE_NS);
		error = load_file(path);
	}
	return error;
}

int kb_module_take(const char *module, const char *path, struct kb_module_hold *held)
{
	int gate = enter(), error = -EEXIST;

	*held = (struct kb_module_hold){ .lock = -1 };
	if (!kb_module_is_live(module))
		error = load(module, path);
	/* There, and no run relies on it: then the user loaded it. */
	bool joined = error == -EEXIST && is_held(module);

	if (error == 0 || joined)
		*held = hold(module);
	leave(gate);
	return error == -EEXIST ? joined ? KB_MODULE_SHARED : KB_MODULE_USERS : error;
}

void kb_module_rely_again(const char *module, struct kb_module_hold *held)
{
	*held = hold(module);
}

/* ---- unloading --------------------------------------------------------------------------------------------- */

void kb_module_loosen(struct kb_module_hold *held)
{
	if (held->lock >= 0)
		close(held->lock);
	held->lock = -1;
}

void kb_module_let_go(struct kb_module_hold *held)
{
	kb_module_loosen(held);
	held->ours = false;
}

static int unload(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) < 0 && errno != ENOENT ? -errno : 0;
}

static bool is_busy(int error)
{
	return error == -EAGAIN || error == -EBUSY;
}

/* One that another run relies on is that run's from now on. While it is busy it stays ours, for others may come. */
static int try_to_give_back(const char *module, const struct kb_module_hold *held)
{
	int gate = enter(), error = 0;

	if (held->lock < 0 || flock(held->lock, LOCK_EX | LOCK_NB) == 0)
		error = unload(module);
	if (is_busy(error) && held->lock >= 0)
		flock(held->lock, LOCK_SH | LOCK_NB);
	leave(gate);
	return error;
}

int kb_module_give_back(const char *module, struct kb_module_hold *held)
{
	bool own = !strncmp(module, KB_KERNEL_MODULE, strlen(KB_KERNEL_MODULE));
	int error = held->ours ? try_to_give_back(module, held) : 0;

	for (int round = 0; is_busy(error) && round < (own ? UNLOAD_ROUNDS : OTHERS_ROUNDS); round++) {
		kb_sleep_ns(PAUSE_NS);
		error = try_to_give_back(module, held);
	}
	kb_module_let_go(held);
	return error;
}

int kb_module_unload(const char *module)
{
	int gate = enter(), error = is_held(module) ? -EBUSY : unload(module);

	leave(gate);
	return error;
}
