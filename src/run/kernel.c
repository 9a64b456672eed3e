/* See kernel.h. */
#define _GNU_SOURCE
#include "run/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"
#include "run/foreign.h"

extern char **environ;

#define PATIENCE_ROUNDS 100
#define PATIENCE_PAUSE_NS 20000000
#define IMAGE_MAX (64 << 20)    /* a module with all debugging information has some megabytes */

/* ---- names ------------------------------------------------------------------------------------------- */

static const char *stand_in(void)
{
	const char *device = getenv("KBENCH_DEVICE");

	return device && device[0] ? device : NULL;
}

const char *kb_kernel_device(void)
{
	const char *other = stand_in();

	return other ? other : "/dev/kbench";
}

void kb_kernel_module_of(const char *bench, char module[KB_KERNEL_MODULE_MAX])
{
	const char *dot = strchr(bench, '.');

	snprintf(module, KB_KERNEL_MODULE_MAX, "%s_%s", KB_KERNEL_MODULE, dot ? dot + 1 : bench);
}

bool kb_kernel_folder(const char *release, char folder[PATH_MAX])
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int used;

	if (cache && cache[0] == '/')
		used = snprintf(folder, PATH_MAX, "%s/kbench/kernel/%s", cache, release);
	else if (home && home[0] == '/')
		used = snprintf(folder, PATH_MAX, "%s/.cache/kbench/kernel/%s", home, release);
	else
		return false;
	return used < PATH_MAX;
}

static bool is_there(char path[PATH_MAX], const char *folder, const char *module)
{
	return snprintf(path, PATH_MAX, "%s/%s.ko", folder, module) < PATH_MAX && access(path, R_OK) == 0;
}

bool kb_kernel_find(const char *module, char path[PATH_MAX])
{
	struct utsname names;
	char folder[PATH_MAX];

	uname(&names);
	if (kb_kernel_folder(names.release, folder) && is_there(path, folder, module))
		return true;
	snprintf(folder, sizeof folder, "/lib/modules/%s/kbench", names.release);
	return is_there(path, folder, module);
}

bool kb_kernel_own_folder(char folder[PATH_MAX])
{
	bool found = kb_kernel_find(KB_KERNEL_MODULE, folder);

	if (found)
		*strrchr(folder, '/') = '\0';
	return found;
}

bool kb_kernel_is_loaded(const char *module)
{
	char path[128], state[16];

	/* Code that is built into the kernel has a folder there, too, but no state; another run may just be unloading it. */
	snprintf(path, sizeof path, "/sys/module/%s/initstate", module);
	return kb_read_file(path, state, sizeof state) > 0 && !strncmp(state, "live", 4);
}

static bool is_known(const char *module)
{
	char path[128];

	snprintf(path, sizeof path, "/sys/module/%s", module);
	return access(path, F_OK) == 0;
}

/* ---- loading ----------------------------------------------------------------------------------------- */

/* What the kernel means by it, and what can be done. */
static const char *meaning(int error)
{
	switch (error) {
	case ENOSYS: return "this kernel is built without modules: boot one that has them, such as a distribution's";
	case EPERM:
		return geteuid() != 0 ? "loading modules needs root" :
		       "this kernel refuses modules: CAP_SYS_MODULE is missing, kernel.modules_disabled is 1, or it is locked down";
	case EKEYREJECTED: return "it is not signed, and this kernel wants that (Secure Boot): sign it with a key that is enrolled";
	case EINVAL: return "it does not fit the kernel or the kbench.ko that is loaded: 'kbench kernel unload', then 'build' again";
	case ENOEXEC: return "it is built for another kernel: run 'kbench kernel build' again";
	case ENOENT: return "this kernel lacks a function that it calls, which dmesg names";
	default: return "dmesg may say more";
	}
}

static int refused(char why[KB_KERNEL_WHY], const char *what, const char *module, int error)
{
	const char *name = strerrorname_np(error);

	snprintf(why, KB_KERNEL_WHY, "%s%s: %s: %s", what, module, name ? name : "?", meaning(error));
	return -error;
}

int kb_kernel_try(char why[KB_KERNEL_WHY])
{
	int error = syscall(SYS_init_module, "", 0ul, "") < 0 ? errno : 0;

	why[0] = '\0';
	/* That it is no module can only be found out by who may load one. */
	return error == 0 || error == ENOEXEC ? 0 : refused(why, "cannot load modules", "", error);
}

int kb_kernel_tools(char why[KB_KERNEL_WHY])
{
	char path[PATH_MAX];
	bool make = kb_in_path("make", path), compiler = kb_in_path("gcc", path) || kb_in_path("cc", path) || kb_in_path("clang", path);

	snprintf(why, KB_KERNEL_WHY, "%s%s%s", make ? "" : "no make", make || compiler ? "" : ", ", compiler ? "" : "no C compiler");
	return make && compiler ? 0 : -ENOENT;
}

/* The value of depends= in a module's list of facts, "" without: each fact ends with a null byte. */
static void read_depends(const char *path, char *depends, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat info;
	char *image = fd >= 0 && fstat(fd, &info) == 0 && info.st_size < IMAGE_MAX ? malloc((size_t)info.st_size + 1) : NULL;
	ssize_t length = image ? read(fd, image, (size_t)info.st_size) : 0;
	const char *fact = length > 0 ? memmem(image, (size_t)length, "\0depends=", 9) : NULL;

	if (image && length >= 0)
		image[length] = '\0';
	snprintf(depends, room, "%s", fact ? fact + 9 : "");
	free(image);
	if (fd >= 0)
		close(fd);
}

static void modprobe(const char *module)
{
	char *arguments[] = { "modprobe", "-q", (char *)(uintptr_t)module, NULL };
	pid_t child;

	if (posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ) == 0) {
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
}

/* Of others than ours. Where that fails, loading ours does, and says which function is missing. */
static void load_depends(struct kb_guardian *guardian, const char *path)
{
	char depends[512], *rest = depends;

	read_depends(path, depends, sizeof depends);
	for (char *name; (name = strsep(&rest, ",")) != NULL;) {
		if (!name[0] || !strncmp(name, KB_KERNEL_MODULE, strlen(KB_KERNEL_MODULE)) || is_known(name))
			continue;
		if (kb_guardian_unload(guardian, name) == 0)
			modprobe(name);
	}
}

static int load_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error = 0;

	if (fd < 0)
		return errno;
	if (syscall(SYS_finit_module, fd, "", 0) < 0)
		error = errno;
	close(fd);
	return error;
}

/* One of the same name may be on its way in or out, by another run: that is over soon. */
static int load_patiently(const char *module, const char *path)
{
	int error = load_file(path);

	for (int i = 0; (error == EEXIST || error == EBUSY) && !kb_kernel_is_loaded(module) && i < PATIENCE_ROUNDS; i++) {
		kb_sleep_ns(PATIENCE_PAUSE_NS);
		error = load_file(path);
	}
	return error;
}

static int load(struct kb_guardian *guardian, const char *module, const char *path, char why[KB_KERNEL_WHY])
{
	int error;

	load_depends(guardian, path);
	error = -kb_guardian_unload(guardian, module);
	if (error)
		return refused(why, "the guardian is gone, which would unload ", module, error);
	error = load_patiently(module, path);
	if (error)
		kb_guardian_forget_unload(guardian, module); /* it is not there, or somebody else's */
	return error && error != EEXIST ? refused(why, "cannot load ", module, error) : 0;
}

int kb_kernel_load(struct kb_guardian *guardian, const char *module, char why[KB_KERNEL_WHY])
{
	char path[PATH_MAX];
	int error;

	why[0] = '\0';
	if (kb_kernel_is_loaded(module))
		return 0;
	error = kb_kernel_try(why);
	if (error)
		return error;
	if (kb_kernel_find(module, path))
		return load(guardian, module, path, why);
	snprintf(why, KB_KERNEL_WHY, "no module %s for this kernel: run 'kbench kernel build' as this user", module);
	return -ENOENT;
}

int kb_kernel_unload(const char *module, char why[KB_KERNEL_WHY])
{
	why[0] = '\0';
	if (syscall(SYS_delete_module, module, O_NONBLOCK) == 0 || errno == ENOENT)
		return 0;
	if (errno == EAGAIN || errno == EBUSY) {
		snprintf(why, KB_KERNEL_WHY, "%s is in use: end the runs that measure in it", module);
		return -EBUSY;
	}
	return refused(why, "cannot unload ", module, errno);
}

/* ---- for runs ---------------------------------------------------------------------------------------- */

bool kb_kernel_can(char why[KB_KERNEL_WHY])
{
	char path[PATH_MAX];

	why[0] = '\0';
	if (stand_in())
		return true;
	if (kb_kernel_is_loaded(KB_KERNEL_MODULE)) {
		if (access(kb_kernel_device(), R_OK | W_OK) == 0)
			return true;
		snprintf(why, KB_KERNEL_WHY, "%s: %s: measuring in the kernel needs root", kb_kernel_device(), strerrorname_np(errno));
		return false;
	}
	if (kb_kernel_try(why))
		return false;
	if (kb_kernel_find(KB_KERNEL_MODULE, path))
		return true;
	snprintf(why, KB_KERNEL_WHY, "no modules for this kernel: run 'kbench kernel build' as this user");
	return false;
}

int kb_kernel_ready(struct kb_guardian *guardian, const struct kb_bench *bench, char why[KB_KERNEL_WHY])
{
	char module[KB_KERNEL_MODULE_MAX];
	int error;

	why[0] = '\0';
	if (stand_in())
		return 0;
	error = kb_kernel_load(guardian, KB_KERNEL_MODULE, why);
	if (error)
		return error;
	kb_kernel_module_of(bench->name, module);
	return kb_kernel_load(guardian, module, why);
}
