/* See build.h: modules for a kernel, from a copy of their sources. */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.h"
#include "io.h"
#include "run/backend/backend.h"
#include "run/backend/kernel.h"
#include "run/process/describe.h"
#include "stamp.h"
#include "workflow/build.h"
#include "workflow/machine.h"

/* ---- what with ------------------------------------------------------------------------------------------- */

/* option: "CONFIG_MODULES=y\n". */
static bool is_configured(const char *headers, const char *option)
{
	char path[PATH_MAX];
	size_t length;

	kb_build_path(path, headers, "include/config/auto.conf");

	char *text = kb_read_whole(path, &length);
	bool yes = text && strstr(text, option);

	free(text);
	return yes;
}

/* "#define UTS_RELEASE \"6.1.0-56-amd64\"": what uname reports, which distributions make other than the version of the sources. */
bool kb_kernel_headers_release(const char *headers, char release[65])
{
	char path[PATH_MAX], text[256];
	const char *quote;

	kb_build_path(path, headers, "include/generated/utsrelease.h");
	if (!headers[0] || kb_read_file(path, text, sizeof text) <= 0 || !(quote = strchr(text, '"')))
		return false;
	snprintf(release, 65, "%.*s", (int)strcspn(quote + 1, "\""), quote + 1);
	return release[0] != '\0';
}

/* How the kernel's own makefiles call an architecture, and the option that tells it. */
static const struct kb_kernel_platform { const char *arch, *option, *linux_arch, *compiler; } platforms[] = {
	{ "x86_64", "CONFIG_X86_64=y\n", "ARCH=x86", "x86_64-linux-gnu-" }, { "aarch64", "CONFIG_ARM64=y\n", "ARCH=arm64", "aarch64-linux-gnu-" },
};

/* Of headers for another machine than this: what compiles for it; NULL: they are for this one. */
static int find_cross(const struct kb_kernel_build *job, const struct kb_kernel_platform **cross, struct kb_failure *failure)
{
	char gcc[64], path[PATH_MAX];

	*cross = NULL;
	for (size_t i = 0; i < sizeof platforms / sizeof platforms[0]; i++) {
		if (strcmp(platforms[i].arch, KB_ARCH_NAME) != 0 && is_configured(job->headers, platforms[i].option))
			*cross = &platforms[i];
	}
	if (!*cross)
		return 0;
	snprintf(gcc, sizeof gcc, "%sgcc", (*cross)->compiler);
	return kb_in_path(gcc, path) ? 0 : kb_refuse(failure, KB_EXIT_UNFIT, "kernel %s is for %s, and there is no %s: install gcc-%s-linux-gnu",
						     job->release, (*cross)->arch, gcc, (*cross)->arch);
}

/* Its name becomes that of a module, a file and a benchmark. */
static int check_own(const struct kb_kernel_build *job, const char *path, struct kb_failure *failure)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
	char ours[PATH_MAX];
	glob_t found = { 0 };

	if (length == 0 || length > 40 || strcmp(name + length, ".c") != 0)
		return kb_refuse(failure, KB_EXIT_USAGE,
				 "--bench %.200s: a-z, 0-9 and _ make X of X.c, which becomes the name kernel.X", path);
	if (access(path, R_OK) < 0)
		return kb_refuse(failure, KB_EXIT_USAGE, "--bench %.200s: %s", path, strerror(errno));
	if (snprintf(ours, sizeof ours, "%s/kmod/bench/*/%s", job->root, name) >= PATH_MAX || glob(ours, 0, NULL, &found) != 0)
		return 0;
	globfree(&found);
	return kb_refuse(failure, KB_EXIT_USAGE, "--bench %.200s: kbench has a kernel.%.*s of its own; give the file another name", path,
			 (int)length, name);
}

int kb_kernel_build_find(struct kb_kernel_build *job, const char *headers, struct kb_failure *failure)
{
	char path[PATH_MAX], why[KB_KERNEL_WHY];
	struct utsname names;
	int code = kb_build_sources("kmod", "sources of the modules", job->root, failure);

	if (code)
		return code;
	*strrchr(job->root, '/') = '\0';
	for (unsigned i = 0; i < job->own_count && !code; i++)
		code = check_own(job, job->own[i], failure);
	if (code)
		return code;
	uname(&names);
	snprintf(path, sizeof path, "/lib/modules/%s/build", names.release);
	if (!realpath(headers ? headers : path, job->headers))
		job->headers[0] = '\0';
	if (!kb_kernel_headers_release(job->headers, job->release))
		return headers ? kb_refuse(failure, KB_EXIT_USAGE, "--headers %.200s: no headers of a kernel: it has no "
					   "include/generated/utsrelease.h", headers)
			       : kb_refuse(failure, KB_EXIT_UNFIT, "no headers of kernel %s: install linux-headers-%s, or name others with "
					   "--headers DIR", names.release, names.release);
	if (!is_configured(job->headers, "CONFIG_MODULES=y\n"))
		return kb_refuse(failure, KB_EXIT_UNFIT, "kernel %s is built without modules", job->release);
	if (kb_kernel_tools(why))
		return kb_refuse(failure, KB_EXIT_UNFIT, "%s: install make and gcc", why);
	return find_cross(job, &job->cross, failure);
}

/* ---- compiling ------------------------------------------------------------------------------------------- */

#define RUN(job, what, failure, ...) kb_build_run(&(job)->build, (const char *const[]){ __VA_ARGS__, NULL }, what, NULL, failure)

/* In the layout that kmod/Kbuild knows. */
static int copy_sources(struct kb_kernel_build *job, struct kb_failure *failure)
{
	static const char *const parts[][2] = {
		{ "kmod", "." }, { "include", "." }, { "src/base", "src" }, { "src/arch", "src" }, { "src/measure", "src" },
		{ "src/trace", "src" }, { "src/os/kernel", "src/os" },
	};
	char from[PATH_MAX], to[PATH_MAX];

	kb_build_path(to, job->build.work, "src/os");

	int code = RUN(job, "cannot copy the sources", failure, "mkdir", "-p", to);

	for (size_t i = 0; i < sizeof parts / sizeof parts[0] && !code; i++) {
		kb_build_path(from, job->root, parts[i][0]);
		kb_build_path(to, job->build.work, parts[i][1]);
		code = RUN(job, "cannot copy the sources", failure, "cp", "-RL", from, to);
	}
	return code;
}

/* The description of a plug-in without functions, which the collector loads: kept as text. */
static int describe(const char *stem, struct kb_failure *failure)
{
	char collector[PATH_MAX], plugin[PATH_MAX + 8], path[PATH_MAX + 8], text[KB_DESCRIPTION_MAX], error[256];
	struct kb_described described;
	int code = kb_find_collector(collector, failure);

	if (code)
		return code;
	snprintf(plugin, sizeof plugin, "%s.so", stem);
	snprintf(path, sizeof path, "%s" KB_DESCRIPTION_SUFFIX, stem);
	if (kb_describe_text(collector, plugin, KB_DESCRIBE_NS, text, error) ||
	    kb_describe_read((struct kb_span){ text, strlen(text) }, &described, error))
		return kb_refuse(failure, KB_EXIT_FAILED, "the benchmark's description: %s", error);
	free(described.words);

	FILE *file = fopen(path, "we");

	if (!file || fputs(text, file) < 0 || fclose(file))
		return kb_refuse(failure, KB_EXIT_FAILED, "%s: cannot be written", path);
	return 0;
}

/* The module is made from a copy, the description from what the file has. */
static int add_own(struct kb_kernel_build *job, const char *path, struct kb_failure *failure)
{
	static char script[] = "sh \"$1/tools/target-list\" own \"$2\" >\"$3.c\" && "
			       "${CC:-$(command -v cc || command -v gcc || command -v clang)} -shared -fPIC -I\"$1/include\" \"$3.c\" -o \"$3.so\"";
	char to[PATH_MAX], name[128], described[PATH_MAX];
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;

	kb_build_path(to, job->build.work, "kmod/bench");
	snprintf(name, sizeof name, "kmod/" KB_KERNEL_MODULE "_%.*s", (int)strcspn(file, "."), file);
	kb_build_path(described, job->build.work, name);
	return RUN(job, "cannot copy the benchmark", failure, "cp", "-L", "--", path, to)
		       ?: RUN(job, "the benchmark's description", failure, "sh", "-c", script, "sh", job->root, path, described)
		       ?: describe(described, failure);
}

/* Those that were asked for, and the user's. */
static void put_only(const struct kb_kernel_build *job, char *only, size_t room)
{
	struct kb_text text = kb_text_in(only, room);

	kb_text_str(&text, "KB_ONLY=");
	kb_text_str(&text, job->only ? job->only : "");
	for (unsigned i = 0; job->only && i < job->own_count; i++) {
		const char *slash = strrchr(job->own[i], '/'), *file = slash ? slash + 1 : job->own[i];

		kb_text_str(&text, " ");
		kb_text_bytes(&text, file, strcspn(file, "."));
	}
}

/* Where the headers come with the kernel's own types, Kbuild calls pahole for those of each module. */
static bool lacks_pahole(const struct kb_kernel_build *job)
{
	char path[PATH_MAX];

	kb_build_path(path, job->headers, "vmlinux");
	return access(path, F_OK) == 0 && is_configured(job->headers, "CONFIG_DEBUG_INFO_BTF_MODULES=y\n") && !kb_in_path("pahole", path);
}

#define WORDS_MAX 16

static int compile(struct kb_kernel_build *job, struct kb_failure *failure)
{
	bool untyped = lacks_pahole(job);
	char prefix[64];
	char modules[PATH_MAX + 8], jobs[24], only[4096];

	put_only(job, only, sizeof only);

	snprintf(modules, sizeof modules, "M=%s/kmod", job->build.work);
	snprintf(jobs, sizeof jobs, "-j%ld", sysconf(_SC_NPROCESSORS_ONLN));
	if (untyped)
		kb_note(&job->notes, "no pahole: the modules are built without their types (BTF), so fentry cannot trace functions in them; install "
			"dwarves for that");
	const char *words[WORDS_MAX] = { "make", "-C", job->headers, modules, jobs, only, "KBUILD_MODPOST_WARN=1", "modules" };
	unsigned count = 8;

	if (untyped)
		words[count++] = "CONFIG_DEBUG_INFO_BTF_MODULES=";
	if (job->cross) {
		snprintf(prefix, sizeof prefix, "CROSS_COMPILE=%s", job->cross->compiler);
		words[count++] = job->cross->linux_arch;
		words[count++] = prefix;
	}
	return kb_build_run(&job->build, words, "the modules do not compile", NULL, failure);
}

/* WARNING: modpost: "crypto_skcipher_encrypt" [.../kbench_aes.ko] undefined! */
static bool lacks_symbol(const char *log, const char *module, char symbol[80])
{
	char end[300];
	const char *at, *quote;

	snprintf(end, sizeof end, "/%.200s] undefined!", module);
	at = log ? strstr(log, end) : NULL;
	while (at && at > log && *at != '\n')
		at--;
	quote = at ? strchr(at, '"') : NULL;
	snprintf(symbol, 80, "%.*s", quote ? (int)strcspn(quote + 1, "\"") : 0, quote ? quote + 1 : "");
	return at != NULL;
}

/* A function that a kernel does not export costs one benchmark. */
static int leave_out(const struct kb_kernel_build *job, struct kb_failure *failure)
{
	char pattern[PATH_MAX], symbol[80];
	size_t length;
	char *log = kb_read_whole(job->build.log, &length);
	glob_t found = { 0 };
	int code = 0;

	kb_build_path(pattern, job->build.work, "kmod/*.ko");
	glob(pattern, 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc && !code; i++) {
		const char *module = strrchr(found.gl_pathv[i], '/') + 1;
		int stem = (int)strlen(module) - 3;

		if (!lacks_symbol(log, module, symbol))
			continue;
		if (job->only)
			code = kb_refuse(failure, KB_EXIT_FAILED, "%.*s: kernel %s has no %s for modules", stem, module, job->release, symbol);
		else
			kb_note(&job->notes, "left out %.*s: kernel %s has no %s for modules", stem, module, job->release, symbol);
		unlink(found.gl_pathv[i]);
	}
	globfree(&found);
	free(log);
	return code;
}

static int collect(struct kb_kernel_build *job, unsigned *count, struct kb_failure *failure)
{
	char pattern[PATH_MAX], to[PATH_MAX];
	glob_t found = { 0 };
	int error = 0;

	*count = 0;
	kb_build_path(pattern, job->build.work, "kmod/*.ko");
	if (mkdir(job->build.made, 0755) < 0 || glob(pattern, 0, NULL, &found))
		return kb_build_refuse(&job->build, "make ended well and made no modules", failure);
	kb_build_path(pattern, job->build.work, "kmod/*" KB_DESCRIPTION_SUFFIX);
	glob(pattern, GLOB_APPEND, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc && !error; i++) {
		kb_build_path(to, job->build.made, strrchr(found.gl_pathv[i], '/') + 1);
		error = rename(found.gl_pathv[i], to);
		*count += strcmp(strrchr(to, '.'), ".ko") == 0;
	}
	globfree(&found);
	if (error)
		return kb_build_refuse(&job->build, "the modules cannot be put together", failure);
	kb_build_path(to, job->build.made, KB_KERNEL_MODULE ".ko");
	return access(to, F_OK) < 0 ? kb_build_refuse(&job->build, "make ended well and did not make " KB_KERNEL_MODULE ".ko", failure) : 0;
}

int kb_kernel_build(struct kb_kernel_build *job, unsigned *count, struct kb_failure *failure)
{
	int code = kb_build_begin(&job->build, failure) ?: copy_sources(job, failure);

	for (unsigned i = 0; i < job->own_count && !code; i++)
		code = add_own(job, job->own[i], failure);
	code = code ?: compile(job, failure) ?: leave_out(job, failure) ?: collect(job, count, failure) ?: kb_build_put(&job->build, failure);
	kb_build_end(&job->build);
	return code;
}
