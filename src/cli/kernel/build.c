/*
 * kbench kernel build: compiles the modules in a copy of their sources, which goes whatever happens, and puts the folder with
 * all of them in its place in one step: there is never half of one.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/files.h"
#include "cli/kernel/kernel.h"
#include "cli/print.h"
#include "io.h"
#include "places.h"
#include "run/backend/kernel.h"
#include "run/engine.h"
#include "run/process/describe.h"
#include "run/process/trust.h"
#include "workflow/machine.h"

extern char **environ;

struct build {
	const struct kb_command *command;
	struct kb_guardian guardian;
	const char *const *own;         /* the user's files, KB_KERNEL_OWN_MAX or a NULL behind the last */
	char root[PATH_MAX];            /* holds kmod/, src/ and include/ */
	char release[65];
	char headers[PATH_MAX], into[PATH_MAX];
	char work[PATH_MAX], made[PATH_MAX], log[PATH_MAX];     /* beside `into`: the copy, the folder to be, what make said */
};

static void path_in(char path[PATH_MAX], const char *folder, const char *name)
{
	if (snprintf(path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
		path[0] = '\0';
}

/* Cleans up and ends the program. */
static _Noreturn void give_up(struct build *build, int code, const char *what, const char *detail)
{
	kb_guardian_stop(&build->guardian);
	kb_die(build->command, code, "%s%s", what, detail);
}

/* ---- what with ------------------------------------------------------------------------------------------- */

static void find_sources(struct build *build)
{
	static const char *const places[] = { "kmod", "../share/kbench/kmod" };
	char folder[KB_OWN_FOLDER_MAX], why[KB_TRUST_WHY];
	int error = kb_trust_own_part(places, 2, build->root, why);

	kb_own_folder(folder);
	if (error == -EPERM)
		kb_die(build->command, KB_EXIT_USAGE, "%s", why);
	if (error)
		kb_die(build->command, KB_EXIT_USAGE, "no sources of the modules in %s/kmod or %s/../share/kbench/kmod; install kbench again",
		       folder, folder);
	*strrchr(build->root, '/') = '\0';
}

static bool has_modules(const struct build *build)
{
	char path[PATH_MAX], line[256];
	bool yes = false;

	path_in(path, build->headers, "include/config/auto.conf");

	FILE *file = fopen(path, "r");

	while (file && !yes && fgets(line, sizeof line, file))
		yes = strcmp(line, "CONFIG_MODULES=y\n") == 0;
	if (file)
		fclose(file);
	return yes;
}

/* "#define UTS_RELEASE \"6.1.0-56-amd64\"": what uname says, which distributions make other than the version of the sources. */
static bool read_release(struct build *build)
{
	char path[PATH_MAX], text[256];
	const char *quote;

	path_in(path, build->headers, "include/generated/utsrelease.h");
	if (!build->headers[0] || kb_read_file(path, text, sizeof text) <= 0 || !(quote = strchr(text, '"')))
		return false;
	snprintf(build->release, sizeof build->release, "%.*s", (int)strcspn(quote + 1, "\""), quote + 1);
	return build->release[0] != '\0';
}

/* Its name becomes that of a module, a folder and a row. */
static void check_own(const struct build *build, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
	char ours[PATH_MAX];
	glob_t found = { 0 };

	if (length == 0 || length > 40 || strcmp(name + length, ".c") != 0)
		kb_die(build->command, KB_EXIT_USAGE, "--bench %.200s: a-z, 0-9 and _ make X of X.c, which becomes the name kernel.X", path);
	if (access(path, R_OK) < 0)
		kb_die(build->command, KB_EXIT_USAGE, "--bench %.200s: %s", path, strerror(errno));
	if (snprintf(ours, sizeof ours, "%s/kmod/bench/*/%s", build->root, name) < PATH_MAX && glob(ours, 0, NULL, &found) == 0)
		kb_die(build->command, KB_EXIT_USAGE, "--bench %.200s: kbench has a kernel.%.*s of its own; call the file otherwise", path,
		       (int)length, name);
}

static void find_headers(struct build *build, const char *asked)
{
	char path[PATH_MAX];
	struct utsname names;

	uname(&names);
	snprintf(path, sizeof path, "/lib/modules/%s/build", names.release);
	if (!realpath(asked ? asked : path, build->headers))
		build->headers[0] = '\0';
	if (!read_release(build) && asked)
		kb_die(build->command, KB_EXIT_USAGE, "--headers %.200s: no headers of a kernel: it has no include/generated/utsrelease.h",
		       asked);
	if (!build->release[0])
		kb_die(build->command, KB_EXIT_UNFIT, "no headers of kernel %s: install linux-headers-%s, or say where others are with "
		       "--headers DIR", names.release, names.release);
	if (!has_modules(build))
		kb_die(build->command, KB_EXIT_UNFIT, "kernel %s is built without modules", build->release);
}

/* ---- where to -------------------------------------------------------------------------------------------- */

static int is_not_ours(const struct dirent *entry)
{
	const char *name = entry->d_name, *dot = strrchr(name, '.');
	/* .so: where descriptions are today. */
	bool made = dot && (strcmp(dot, ".ko") == 0 || strcmp(dot, KB_DESCRIPTION_SUFFIX) == 0 || strcmp(dot, ".so") == 0) &&
		    strncmp(name, KB_KERNEL_MODULE, sizeof KB_KERNEL_MODULE - 1) == 0;

	return !made && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* A folder that is there is replaced with all in it: nothing of the user's may be among that. */
static void check_target(const struct build *build)
{
	struct dirent **entries = NULL;
	int count = scandir(build->into, &entries, is_not_ours, NULL);
	bool refused = count > 0 || (count < 0 && errno != ENOENT);

	while (count > 0)
		free(entries[--count]);
	free(entries);
	if (refused)
		kb_die(build->command, KB_EXIT_USAGE, "--into %s: it is there and holds other things than modules of kbench", build->into);
}

static void find_target(struct build *build, const char *asked)
{
	char folder[PATH_MAX / 2];

	if (!asked)
		kb_cache_make(build->command, kb_kernel_folder(build->release, build->into), build->into, "say where with --into DIR");
	if (asked && asked[0] == '/')
		snprintf(build->into, PATH_MAX, "%s", asked);
	else if (asked && getcwd(folder, sizeof folder))
		path_in(build->into, folder, asked);
	while (build->into[0] && build->into[1] && build->into[strlen(build->into) - 1] == '/')
		build->into[strlen(build->into) - 1] = '\0';
	if (!build->into[0] || strpbrk(build->into, " \t\n:%#$\"'\\*?[]{}()<>|&;`!~="))
		kb_die(build->command, KB_EXIT_USAGE, "--into '%s': make cannot work with blanks or special characters in a path",
		       build->into);
	if (asked)
		kb_make_folders(build->command, build->into, "say where with --into DIR");
	check_target(build);
}

/* ---- compiling ------------------------------------------------------------------------------------------- */

/* How it ended; -1: nobody knows. */
static int wait_for(pid_t child)
{
	int status = -1;

	while (waitpid(child, &status, WNOHANG) == 0) {
		if (kb_run_stop_signal())
			kill(-child, SIGKILL);
		kb_sleep_ns(5000000);
	}
	return status;
}

/* A group of its own ends as a whole. What it says goes to the log. True: it ended well. */
static bool run(struct build *build, const char *const *words)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	char problem[128];
	pid_t child;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, build->log, O_WRONLY | O_CREAT | O_APPEND, 0644);
	posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);

	int error = posix_spawnp(&child, words[0], &files, &attributes, (char *const *)(uintptr_t)words, environ);

	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	if (error) {
		snprintf(problem, sizeof problem, ": cannot be started, or write to a log: %s", strerror(error));
		give_up(build, KB_EXIT_FAILED, words[0], problem);
	}
	kb_guardian_group(&build->guardian, child);

	int status = wait_for(child);

	kb_guardian_group(&build->guardian, 0);
	if (kb_run_stop_signal())
		give_up(build, KB_EXIT_SIGNAL + kb_run_stop_signal(), "stopped; nothing was built", "");
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* With the first line of the log that speaks of an error, else its last; of a full disk the log itself may be empty. */
static void failed(struct build *build, const char *what)
{
	char line[400] = "nothing was said; is the disk full?", text[400];
	FILE *log = fopen(build->log, "r");

	while (log && fgets(text, sizeof text, log)) {
		snprintf(line, 400, "%s", text);
		if (strstr(text, "error") || strstr(text, "Error") || strstr(text, "ERROR") || strstr(text, "*** "))
			break;
	}
	if (log)
		fclose(log);
	line[strcspn(line, "\n")] = '\0';
	give_up(build, KB_EXIT_FAILED, what, line);
}

/* In the layout that kmod/Kbuild knows. */
static void copy_sources(struct build *build)
{
	static const char *const parts[][2] = {
		{ "kmod", "." }, { "include", "." }, { "src/base", "src" }, { "src/arch", "src" }, { "src/measure", "src" },
		{ "src/trace", "src" }, { "src/os/kernel", "src/os" },
	};
	char from[PATH_MAX], to[PATH_MAX];

	path_in(to, build->work, "src/os");
	if (!run(build, (const char *const[]){ "mkdir", "-p", to, NULL }))
		failed(build, "cannot copy the sources: ");
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		path_in(from, build->root, parts[i][0]);
		path_in(to, build->work, parts[i][1]);
		if (!run(build, (const char *const[]){ "cp", "-RL", from, to, NULL }))
			failed(build, "cannot copy the sources: ");
	}
}

/* What a plug-in without functions says of itself, which the collector loads: kept as text. */
static void describe(struct build *build, const char *stem)
{
	char collector[PATH_MAX], plugin[PATH_MAX + 8], path[PATH_MAX + 8], text[KB_DESCRIPTION_MAX], error[256];
	struct kb_described described;
	struct kb_failure failure;
	FILE *file;

	snprintf(plugin, sizeof plugin, "%s.so", stem);
	snprintf(path, sizeof path, "%s" KB_DESCRIPTION_SUFFIX, stem);
	kb_die_if(build->command, kb_find_collector(collector, &failure), &failure);
	if (kb_describe_text(collector, plugin, KB_DESCRIBE_NS, text, error) ||
	    kb_describe_read((struct kb_span){ text, strlen(text) }, &described, error))
		give_up(build, KB_EXIT_FAILED, "the benchmark's description: ", error);
	file = fopen(path, "we");
	if (!file || fputs(text, file) < 0 || fclose(file))
		give_up(build, KB_EXIT_FAILED, path, ": cannot be written");
	free(described.words);
}

/* The module is made from a copy, the description from what the file says of itself. */
static void add_own(struct build *build, const char *path)
{
	static char script[] = "sh \"$1/tools/target-list\" own \"$2\" >\"$3.c\" && "
			       "${CC:-$(command -v cc || command -v gcc || command -v clang)} -shared -fPIC -I\"$1/include\" \"$3.c\" -o \"$3.so\"";
	char to[PATH_MAX], name[128], described[PATH_MAX];
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;

	path_in(to, build->work, "kmod/bench");
	if (!run(build, (const char *const[]){ "cp", "-L", "--", path, to, NULL }))
		failed(build, "cannot copy the benchmark: ");
	snprintf(name, sizeof name, "kmod/" KB_KERNEL_MODULE "_%.*s", (int)strcspn(file, "."), file);
	path_in(described, build->work, name);
	if (!run(build, (const char *const[]){ "sh", "-c", script, "sh", build->root, path, described, NULL }))
		failed(build, "the benchmark's description: ");
	describe(build, described);
}

static void compile(struct build *build)
{
	char module_folder[PATH_MAX + 8], jobs[24];

	snprintf(module_folder, sizeof module_folder, "M=%s/kmod", build->work);
	snprintf(jobs, sizeof jobs, "-j%ld", sysconf(_SC_NPROCESSORS_ONLN));
	if (!run(build, (const char *const[]){ "make", "-C", build->headers, module_folder, jobs, "modules", NULL }))
		failed(build, "the modules do not compile: ");
}

/* ---- and putting it in its place -------------------------------------------------------------------------- */

static unsigned collect(struct build *build)
{
	char pattern[PATH_MAX], to[PATH_MAX];
	glob_t found = { 0 };
	unsigned count = 0;

	path_in(pattern, build->work, "kmod/*.ko");
	if (mkdir(build->made, 0755) < 0 || glob(pattern, 0, NULL, &found))
		failed(build, "make ended well and made no modules: ");
	path_in(pattern, build->work, "kmod/*" KB_DESCRIPTION_SUFFIX);
	glob(pattern, GLOB_APPEND, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		path_in(to, build->made, strrchr(found.gl_pathv[i], '/') + 1);
		if (rename(found.gl_pathv[i], to) < 0)
			failed(build, "the modules cannot be put together: ");
		count += strcmp(strrchr(to, '.'), ".ko") == 0;
	}
	globfree(&found);
	path_in(to, build->made, KB_KERNEL_MODULE ".ko");
	if (access(to, F_OK) < 0)
		failed(build, "make ended well and did not make " KB_KERNEL_MODULE ".ko: ");
	return count;
}

/* Swapped with what is there, which then goes with the rest of the work. */
static void put(struct build *build)
{
	if (rename(build->made, build->into) < 0 && renameat2(AT_FDCWD, build->made, AT_FDCWD, build->into, RENAME_EXCHANGE) < 0)
		give_up(build, KB_EXIT_USAGE, build->into, ": cannot be replaced");
}

static void begin(struct build *build)
{
	char id[37], real[PATH_MAX], why[KB_TRUST_WHY];
	int error = kb_run_id(id) ? -errno : kb_guardian_start(&build->guardian, id);

	if (error)
		kb_die(build->command, KB_EXIT_FAILED, "cannot start the guardian: %s", strerror(-error));
	setenv("KBENCH_RUN", id, 1);
	signal(SIGCHLD, SIG_DFL);       /* who starts this may ignore it, and then nobody learns how make ended */
	if (snprintf(build->work, PATH_MAX, "%s.part-%d", build->into, (int)getpid()) >= PATH_MAX - 40)
		give_up(build, KB_EXIT_USAGE, build->into, ": too long");
	path_in(build->made, build->work, "modules");
	path_in(build->log, build->work, "log");
	if (kb_guardian_remove(&build->guardian, build->work) || mkdir(build->work, 0700) < 0)
		give_up(build, KB_EXIT_USAGE, build->work, ": cannot be made");
	/* What is made there is run there, by make and to describe it. */
	if (kb_trust(build->work, KB_TRUST_US, real, why))
		give_up(build, KB_EXIT_USAGE, why, "; or say where with --into DIR");
	kb_catch_signals();
}

int kb_kernel_verb_build(struct kb_kernel_job *job, int argc, char **argv)
{
	struct build build = { .command = job->command, .own = job->own };
	char why[KB_KERNEL_WHY];
	unsigned count;

	(void)argc, (void)argv;
	find_sources(&build);
	for (unsigned i = 0; i < KB_KERNEL_OWN_MAX && build.own[i]; i++)
		check_own(&build, build.own[i]);
	find_headers(&build, job->headers);
	if (kb_kernel_tools(why))
		kb_die(job->command, KB_EXIT_UNFIT, "%s: install make and gcc", why);
	find_target(&build, job->into);
	begin(&build);
	copy_sources(&build);
	for (unsigned i = 0; i < KB_KERNEL_OWN_MAX && build.own[i]; i++)
		add_own(&build, build.own[i]);
	compile(&build);
	count = collect(&build);
	put(&build);
	kb_guardian_stop(&build.guardian);
	printf("%u modules for kernel %s in %s\n", count, build.release, kb_shown(build.into).text);
	return KB_EXIT_DONE;
}
