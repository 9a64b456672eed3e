/* See kernel.h. */
#define _GNU_SOURCE
#include "run/backend/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/module_version.h"
#include "io.h"
#include "places.h"
#include "run/backend/backend.h"
#include "run/backend/module.h"
#include "run/process/describe.h"
#include "run/process/trust.h"

/* ---- names ------------------------------------------------------------------------------------------- */

static const char *stand_in(void)
{
	const char *device = getenv("KBENCH_DEVICE");

	return device && device[0] ? device : NULL;
}

const char *kb_kernel_device(void)
{
	return stand_in() ?: "/dev/kbench";
}

void kb_kernel_module_of(const char *bench, char module[KB_KERNEL_MODULE_MAX])
{
	const char *dot = strchr(bench, '.');

	snprintf(module, KB_KERNEL_MODULE_MAX, "%s_%s", KB_KERNEL_MODULE, dot ? dot + 1 : bench);
}

bool kb_kernel_directory(const char *release, char directory[PATH_MAX])
{
	char part[80];

	snprintf(part, sizeof part, "kernel/%s", release);
	return kb_cache_directory(directory, part);
}

static int find_in(const char *directory, const char *module, char path[PATH_MAX], char why[KB_KERNEL_WHY])
{
	char named[PATH_MAX];
	int error = -ENAMETOOLONG;

	if (snprintf(named, PATH_MAX, "%s/%s.ko", directory, module) < PATH_MAX)
		error = kb_trust(named, KB_TRUST_US, path, why);
	return !error && access(path, R_OK) < 0 ? -ENOENT : error;
}

int kb_kernel_find(const char *module, char path[PATH_MAX], char why[KB_KERNEL_WHY])
{
	struct utsname names;
	char directory[PATH_MAX], other[KB_KERNEL_WHY];
	int in_cache = -ENOENT, installed;

	uname(&names);
	if (kb_kernel_directory(names.release, directory))
		in_cache = find_in(directory, module, path, why);
	if (!in_cache)
		return 0;
	snprintf(directory, sizeof directory, "/lib/modules/%s/kbench", names.release);
	installed = find_in(directory, module, path, in_cache == -EPERM ? other : why);
	if (!installed || in_cache == -EPERM || installed == -EPERM)
		return installed ? -EPERM : 0;
	snprintf(why, KB_KERNEL_WHY, "no module %s for this kernel: run 'kbench kernel build' as this user", module);
	return -ENOENT;
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
	case EPROTO: return "another version of kbench built it: 'kbench kernel unload', then rebuild it with 'kbench kernel build'";
	case ENOEXEC: return "it is built for another kernel: run 'kbench kernel build' again";
	case ENOENT: return "this kernel does not have a function that it calls, which dmesg names";
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

/* Of others than ours: the value of depends= in the module's list of facts, each of which ends with a null byte. Where that fails,
   loading ours does, and the kernel's log names the function that is missing. */
static void load_depends(struct kb_guardian *guardian, const char *image, size_t length, bool keep)
{
	const char *fact = length > 0 ? memmem(image, length, "\0depends=", 9) : NULL;
	char depends[512], *rest = depends;

	snprintf(depends, sizeof depends, "%s", fact ? fact + 9 : "");
	for (char *name; (name = strsep(&rest, ",")) != NULL;) {
		if (name[0] && strncmp(name, KB_KERNEL_MODULE, strlen(KB_KERNEL_MODULE)))
			kb_guardian_load(guardian, name, "", keep);
	}
}

/* Modules of versions before there was one have none. */
static bool fits(const char *image, size_t length)
{
	static const char version[] = "version=" KB_MODULE_VERSION; /* with the null byte behind it */

	return length > 0 && memmem(image, length, version, sizeof version);
}

static bool live_fits(const char *module)
{
	char path[128], version[64];

	snprintf(path, sizeof path, "/sys/module/%s/version", module);
	return kb_read_file(path, version, sizeof version) > 0 && !strcmp(version, KB_MODULE_VERSION "\n");
}

/* The linker gives each build a number, which stands in the file and in /sys. */
static bool is_of_this_build(const char *module, const char *image, size_t length)
{
	char path[128], note[128];

	snprintf(path, sizeof path, "/sys/module/%s/notes/.note.gnu.build-id", module);

	long bytes = kb_read_file(path, note, sizeof note);

	return bytes <= 0 || length == 0 || memmem(image, length, note, (size_t)bytes);
}

/* Whether this run has loaded it, and that it has now: a build meanwhile is the next run's. */
static bool was_loaded(const char *module, bool now)
{
	static char all[4096] = " ";    /* names between blanks */
	char name[KB_KERNEL_MODULE_MAX + 2];
	size_t used = strlen(all);

	snprintf(name, sizeof name, " %s ", module);

	bool before = strstr(all, name);

	if (now && !before && used + strlen(name) <= sizeof all)
		snprintf(all + used, sizeof all - used, "%s", name + 1);
	return before;
}

static int load(struct kb_guardian *guardian, const char *module, const char *path, bool keep, char why[KB_KERNEL_WHY])
{
	size_t length = 0;
	char *image = path[0] && !was_loaded(module, false) ? kb_read_whole(path, &length) : NULL;
	int result, error;

	if (kb_module_is_live(module) ? !live_fits(module) : image && !fits(image, length)) {
		free(image);
		return refused(why, "cannot use ", module, EPROTO);
	}
	load_depends(guardian, image, length, keep);
	result = kb_guardian_load(guardian, module, path, keep);
	error = result < 0 ? result : 0;
	if (error == -EPIPE) {
		refused(why, "the guardian is gone, which would unload ", module, EPIPE);
	} else if (error) {
		refused(why, "cannot load ", module, -error);
	} else if (keep && result == KB_MODULE_SHARED) {
		snprintf(why, KB_KERNEL_WHY, "a run that measures now has loaded %s and will unload it: load it when that run is over", module);
		error = -EBUSY;
	} else if (result != KB_MODULE_NEW && !is_of_this_build(module, image, length)) {
		snprintf(why, KB_KERNEL_WHY, "%s is loaded, but of another build than %.120s: 'kbench kernel unload' first", module, path);
		error = -EEXIST;
	}
	if (!error)
		was_loaded(module, true);
	free(image);
	return error;
}

int kb_kernel_load(struct kb_guardian *guardian, const char *module, bool keep, char why[KB_KERNEL_WHY])
{
	char path[PATH_MAX], reason[KB_KERNEL_WHY];
	bool live = kb_module_is_live(module);
	int missing = kb_kernel_find(module, path, reason), error;

	why[0] = '\0';
	error = live ? 0 : kb_kernel_try(why);
	if (error)
		return error;
	if (missing && !live) {
		memcpy(why, reason, sizeof reason);
		return missing;
	}
	return load(guardian, module, missing ? "" : path, keep, why);
}

int kb_kernel_unload(const char *module, char why[KB_KERNEL_WHY])
{
	int error = kb_module_unload(module);

	why[0] = '\0';
	if (error == -EAGAIN || error == -EBUSY) {
		snprintf(why, KB_KERNEL_WHY, "%s is in use: end the runs that measure in it", module);
		return -EBUSY;
	}
	return error ? refused(why, "cannot unload ", module, -error) : 0;
}

/* ---- for runs ---------------------------------------------------------------------------------------- */

/* Of the module that is loaded, or would be. */
static int check_version(const char *path, char why[KB_KERNEL_WHY])
{
	size_t length;
	char *image = path ? kb_read_whole(path, &length) : NULL;
	bool outdated = path ? image && !fits(image, length) : !live_fits(KB_KERNEL_MODULE);

	free(image);
	return outdated ? refused(why, "cannot use ", KB_KERNEL_MODULE, EPROTO) : 0;
}

int kb_kernel_available(char why[KB_KERNEL_WHY])
{
	char path[PATH_MAX];
	int error;

	why[0] = '\0';
	if (stand_in())
		return 0;
	if (kb_module_is_live(KB_KERNEL_MODULE)) {
		if (access(kb_kernel_device(), R_OK | W_OK) == 0)
			return check_version(NULL, why);
		error = -errno;
		snprintf(why, KB_KERNEL_WHY, "%s: %s: measuring in the kernel needs root", kb_kernel_device(), strerrorname_np(-error));
		return error;
	}
	error = kb_kernel_try(why);
	if (error)
		return error == -EPROTO ? -ENODEV : error;
	error = kb_kernel_find(KB_KERNEL_MODULE, path, why);
	if (error == -ENOENT)
		snprintf(why, KB_KERNEL_WHY, "no modules for this kernel: run 'kbench kernel build' as this user");
	return error ? error : check_version(path, why);
}

int kb_kernel_ready(struct kb_guardian *guardian, const struct kb_bench *bench, char why[KB_KERNEL_WHY])
{
	char module[KB_KERNEL_MODULE_MAX];

	why[0] = '\0';
	if (stand_in())
		return 0;
	kb_kernel_module_of(bench->name, module);
	return kb_kernel_load(guardian, KB_KERNEL_MODULE, false, why) ?: kb_kernel_load(guardian, module, false, why);
}

/* ---- benchmarks of the user, which `kbench kernel build --bench` put next to ours -------------------- */

#define OWN_MAX 32u

struct own { struct kb_described described; char path[PATH_MAX]; };

static struct own users[OWN_MAX];
static unsigned user_count;
static char outdated[256];

/* One of another version would make nonsense of it. */
static int read_own(const char *path, struct own *own)
{
	char why[KB_TRUST_WHY], error[256];
	size_t length = 0;
	char *text = kb_trust(path, KB_TRUST_US, own->path, why) ? NULL : kb_read_whole(own->path, &length);
	int wrong = text ? kb_describe_read((struct kb_span){ text, length }, &own->described, error) : -ENOENT;

	free(text);
	if (wrong == -EPROTO && !outdated[0])
		snprintf(outdated, sizeof outdated, "%.100s: another version of kbench made it: rebuild it with 'kbench kernel build'", path);
	return wrong;
}

/* Only what goes with a module of its name, and is none of ours. */
static bool take(const char *path, struct own *own)
{
	char module[KB_KERNEL_MODULE_MAX];
	const char *file = strrchr(path, '/') + 1, *name;

	if (read_own(path, own))
		return false;
	name = own->described.bench.name;
	for (const struct kb_bench *const *bench = kb_kernel_benches; *bench; bench++) {
		if (!strcmp((*bench)->name, name))
			return false;
	}
	kb_kernel_module_of(name, module);
	return !strncmp(name, KB_KERNEL ".", sizeof KB_KERNEL) && !strncmp(file, module, strlen(module));
}

static void find_all(const char *directory)
{
	char pattern[PATH_MAX];
	glob_t found = { 0 };

	if (snprintf(pattern, sizeof pattern, "%s/" KB_KERNEL_MODULE "_*" KB_DESCRIPTION_SUFFIX, directory) < PATH_MAX)
		glob(pattern, 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc && user_count < OWN_MAX; i++)
		user_count += take(found.gl_pathv[i], &users[user_count]);
	globfree(&found);
}

static bool found_users;

void kb_kernel_users_in(const char *directory)
{
	user_count = 0;
	find_all(directory);
	found_users = true;
}

const struct kb_bench *kb_kernel_user(unsigned number)
{
	char directory[PATH_MAX], why[KB_KERNEL_WHY];

	if (!found_users && !kb_kernel_find(KB_KERNEL_MODULE, directory, why)) {
		*strrchr(directory, '/') = '\0';
		find_all(directory);
	}
	found_users = true;
	return number < user_count ? &users[number].described.bench : NULL;
}

const char *kb_kernel_user_refused(void)
{
	kb_kernel_user(0);
	return outdated[0] ? outdated : NULL;
}

const char *kb_kernel_user_file(const struct kb_bench *bench)
{
	for (unsigned i = 0; kb_kernel_user(i); i++) {
		if (&users[i].described.bench == bench)
			return users[i].path;
	}
	return NULL;
}
