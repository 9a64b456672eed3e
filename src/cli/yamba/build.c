/*
 * `kbench yamba build`: a program as a shared object that `kbench run --plugin` takes, or as C to link into another program.
 * The C compiler is that of the platform; headers come out of this program, so that none need be installed.
 */
#define _GNU_SOURCE
#include "cli/yamba/yamba.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assemble/command.h"
#include "cli/cli.h"
#include "cli/files.h"
#include "lacking.h"
#include "scratch.h"

#define COMPILE_LIMIT_MS 120000

extern const char kb_text_kbench_h[], kb_text_kbench_yamba_h[], kb_text_run_time[];

/* ---- to C ---------------------------------------------------------------------------------------- */

static char *translate(struct kb_yamba_job *job, const struct kb_yamba_class *class, const struct kb_emit_options *options)
{
	struct kb_assembly assembly;
	int error = kb_yamba_assemble(&job->yamba, class, &assembly);
	struct kb_output output = { .text = NULL };

	if (kb_yamba_job_tell(job)) {
		if (error)
			kb_die(job->command, KB_EXIT_USAGE, "cannot assemble %.*s: %s", KB_SHORT(class->name),
				strerror(-error));
		kb_yamba_emit(kb_output_begin(job->command, &output), &job->yamba, class, &assembly, options);
		kb_output_end(job->command, &output);
	}
	kb_assemble_free(&assembly);
	return output.text;
}

/* ---- the compiler -------------------------------------------------------------------------------- */

/* Of the platform; `host`: of this machine. CC counts for the latter, as everywhere. */
static void compiler_of(const struct kb_yamba_class *class, bool host, char *name, size_t room)
{
	const char *given = getenv("CC");

	if (host || kb_yamba_is_native(class))
		snprintf(name, room, "%s", given && given[strspn(given, " ")] ? given : "cc");
	else if (kb_span_is(class->platform->name, "x86_32"))
		snprintf(name, room, "i686-linux-gnu-gcc");
	else
		snprintf(name, room, "%.*s-linux-gnu-gcc", KB_SHORT(class->platform->name));
}

/* Next to what is made, so that it moves to its place at once: a run that has an old one mapped keeps that. */
struct workshop { struct kb_scratch scratch; char directory[PATH_MAX], source[PATH_MAX + 8], made[PATH_MAX + 8]; };

static bool put_file(const char *directory, const char *name, const char *text)
{
	char path[PATH_MAX + 24];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", directory, name);
	file = fopen(path, "we");

	bool good = file && fputs(text, file) >= 0;

	return file && fclose(file) == 0 && good;
}

static void open_workshop(const struct kb_yamba_job *job, struct workshop *shop, const char *path, const char *text)
{
	int error = snprintf(shop->directory, sizeof shop->directory, "%s.XXXXXX", path) < PATH_MAX
		? kb_scratch_open(&shop->scratch, shop->directory) : -ENAMETOOLONG;

	if (error)
		kb_die(job->command, KB_EXIT_USAGE, "cannot write %s: %s; name another directory in TMPDIR, or for build with -o", path, strerror(-error));
	if (!put_file(shop->directory, "y.c", text) || !put_file(shop->directory, "kbench.h", kb_text_kbench_h) ||
	    !put_file(shop->directory, "kbench_yamba.h", kb_text_kbench_yamba_h))
		kb_die(job->command, KB_EXIT_USAGE, "cannot write into %s: %s", shop->directory, strerror(errno));
	snprintf(shop->source, sizeof shop->source, "%s/y.c", shop->directory);
	snprintf(shop->made, sizeof shop->made, "%s/made", shop->directory);
}

/* What is wrong in C is told as all that is wrong in the program; what is wrong with the disk is not. path: of what is made. */
static bool judge(struct kb_yamba_job *job, const struct kb_yamba_class *class, const char *compiler, const char *path, int status,
	struct kb_command_output *output)
{
	static const char full[] = "No space left on device";

	fflush(stdout);
	if (status == -ENOENT) {
		unsigned line, column;

		kb_place_find(kb_class_place(class), &line, &column);
		fprintf(stderr, "%s:%u:%u: error Y201: no C compiler '%s'\n    install it, or name one in CC\n",
			kb_shown(class->source->path).text, line, column, kb_shown(compiler).text);
	} else if (status < 0) {
		kb_complain(job->command, "cannot start %.200s: %s", compiler, kb_start_lack(-status));
	} else if (status && output->length && strstr(output->text, full)) {
		kb_complain(job->command, "'%.200s' cannot write next to %s: %s; free some space there", compiler, path, full);
	} else if (status && output->length &&
		   kb_yamba_take_c_errors(&job->yamba, kb_class_place(class), output->text, output->length)) {
		kb_yamba_job_tell(job);
		return false;
	} else if (status && output->length && strchr(output->text, '\n') == output->text + output->length - 1) {
		/* No error of its own kind: one of the system's, before it could begin. */
		output->text[output->length - 1] = '\0';
		kb_complain(job->command, "'%.100s' cannot run: %.300s; raise its limits (ulimit -v), or name another compiler in CC", compiler, output->text);
	} else if (output->length) {
		kb_print_lines(stderr, output->text, output->length);
	} else if (status) {
		fprintf(stderr, "%s: failed without output (status %d)\n", kb_shown(compiler).text, status);
	}
	job->errors += status != 0;
	return status == 0;
}

struct words { const char *at[KB_COMMAND_WORDS]; unsigned count; };

/* The last one is NULL; what finds no room was not foreseen here. */
static void add(struct words *words, const char *const *more)
{
	for (; *more && words->count + 1 < KB_COMMAND_WORDS; more++)
		words->at[words->count++] = *more;
}

static void add_options(struct words *words, const struct kb_yamba_class *class, const struct kb_yamba_product *product)
{
	/* A tab is one column: it is one byte. */
	static const char *const always[] = { "-O2", "-g", "-ftabstop=1", "-Werror=int-conversion", "-Werror=incompatible-pointer-types",
		"-Werror=implicit-function-declaration", NULL };
	static const char *const shared[] = { "-shared", "-fPIC", NULL }, *const alone[] = { "-static", "-no-pie", "-fno-pie", NULL };
	/* As the collectors of this platform are built: no x87, and files and times as large as anywhere. */
	static const char *const x86_32[] = { "-msse2", "-mfpmath=sse", "-D_FILE_OFFSET_BITS=64", "-D_TIME_BITS=64", NULL };

	add(words, always);
	add(words, product->collector ? alone : shared);
	if (!product->host && class->platform && kb_span_is(class->platform->name, "x86_32"))
		add(words, x86_32);
	if (product->headers)
		add(words, (const char *const[]){ "-MMD", "-MF", product->headers, NULL });
}

bool kb_yamba_job_compile(
	struct kb_yamba_job *job, const struct kb_yamba_class *class, const char *text, const struct kb_yamba_product *product)
{
	const char *slash = strrchr(class->source->path, '/');
	char compiler[PATH_MAX], quote[PATH_MAX + 8], include[PATH_MAX + 2], *rest = NULL;
	struct workshop shop;
	struct words words = { .count = 0 };
	struct kb_command_output output;

	compiler_of(class, product->host, compiler, sizeof compiler);
	/* CC may be several words. */
	for (char *word = strtok_r(compiler, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		add(&words, (const char *const[]){ word, NULL });
	/* The directory of the program, where its own headers are. */
	snprintf(quote, sizeof quote, "-iquote%.*s", slash ? (int)(slash - class->source->path) : 1, slash ? class->source->path : ".");
	open_workshop(job, &shop, product->path, text);
	snprintf(include, sizeof include, "-I%s", shop.directory);
	add_options(&words, class, product);
	if (product->checked)
		add(&words, (const char *const[]){ include, quote, "-fsyntax-only", shop.source, NULL });
	else
		add(&words, (const char *const[]){ include, quote, "-o", shop.made, shop.source, product->collector, NULL });
	if (!product->checked)
		add(&words, (const char *const[]){ "-lm", NULL });

	int status = kb_command_within(words.at, COMPILE_LIMIT_MS, &(struct kb_command_bounds){ .temporary = shop.directory }, &output);
	bool good = product->checked && (status == -ENOENT || status == 0);

	job->missing_compiler |= product->checked && status == -ENOENT;
	if (!good)
		good = judge(job, class, compiler, product->path, status, &output);
	free(output.text);
	if (good && !product->checked && rename(shop.made, product->path))
		kb_die(job->command, KB_EXIT_USAGE, "cannot write %s: %s", product->path, strerror(errno));
	kb_scratch_close(&shop.scratch);
	return good;
}

bool kb_yamba_job_make(struct kb_yamba_job *job, const struct kb_yamba_class *class, bool benchmark, const char *tail,
	const struct kb_yamba_product *product)
{
	struct kb_emit_options options = { .benchmark = benchmark };
	char *text, *whole = NULL;
	bool good;

	if (product->headers && kb_yamba_is_fresh(product))
		return true;
	text = translate(job, class, &options);
	if (text && asprintf(&whole, "%s%s", text, tail) < 0)
		kb_no_memory(job->command);
	good = whole && kb_yamba_job_compile(job, class, whole, product);
	free(whole);
	free(text);
	return good;
}

/* ---- the verb ------------------------------------------------------------------------------------ */

static void path_of(const struct kb_yamba_job *job, const struct kb_yamba_class *class, const char *suffix, char *path)
{
	if (snprintf(path, PATH_MAX, "%s/%.*s%s", job->directory ?: ".", (int)class->name.length, class->name.at, suffix) >= PATH_MAX)
		kb_die(job->command, KB_EXIT_USAGE, "the path %.60s... is too long", path);
}

static void put_output(const struct kb_yamba_job *job, const struct kb_yamba_class *class, const char *suffix, const char *text)
{
	char path[PATH_MAX];

	path_of(job, class, suffix, path);
	kb_output_write(job->command, path, text, strlen(text));
	printf("%s\n", kb_shown(path).text);
}

/* The run time stands first, so that macros of the program cannot reach it. */
static bool write_c(struct kb_yamba_job *job, const struct kb_yamba_class *class)
{
	struct kb_emit_options options = { .exported = true, .embedded = true, .line = 1 };
	char *text, *whole = NULL;

	for (const char *c = kb_text_run_time; *c; c++)
		options.line += *c == '\n';
	text = translate(job, class, &options);
	if (!text)
		return false;
	if (asprintf(&whole, "%s%s", kb_text_run_time, text) < 0)
		kb_no_memory(job->command);
	put_output(job, class, ".c", whole);
	free(whole);
	free(text);
	return true;
}

static void write_header(struct kb_yamba_job *job, const struct kb_yamba_class *class)
{
	struct kb_output output;

	kb_yamba_emit_header(kb_output_begin(job->command, &output), &job->yamba, class);
	put_output(job, class, ".h", kb_output_end(job->command, &output));
	free(output.text);
}

static void build_class(struct kb_yamba_job *job, const struct kb_yamba_class *class)
{
	bool object = !job->emit_c && !job->header, good = true;

	if (object && !kb_yamba_is_benchmark(class)) {
		unsigned line, column;

		kb_place_find(kb_class_place(class), &line, &column);
		fprintf(stderr, "%s:%u:%u: '%.*s' has no benchmark(): use --emit-c and --header to call it from C\n",
			kb_shown(class->source->path).text, line, column, KB_SHORT(class->name));
		return;
	}
	job->classes++;
	if (job->emit_c)
		good = write_c(job, class);
	if (good && job->header)
		write_header(job, class);
	if (object) {
		char path[PATH_MAX];

		path_of(job, class, ".so", path);
		if (kb_yamba_job_make(job, class, true, "", &(struct kb_yamba_product){ .path = path }))
			printf("%s\n", kb_shown(path).text);
	}
}

/* All programs of a file, or the one that a class means here. */
static void build(struct kb_yamba_job *job, const char *operand)
{
	bool all = kb_yamba_is_file(operand) && !job->start;
	struct kb_yamba_class *class;

	kb_yamba_job_load(job, operand);
	if (all) {
		for (class = job->yamba.sources->classes; class; class = class->next)
			kb_yamba_check_class(&job->yamba, class);
		class = kb_yamba_job_tell(job) ? job->yamba.sources->classes : NULL;
	} else {
		class = kb_yamba_job_program(job, operand);
	}
	for (; class; class = all ? class->next : NULL) {
		if (!class->abstract)
			build_class(job, class);
	}
	kb_arena_free(&job->arena);
}

int kb_yamba_verb_build(struct kb_yamba_job *job, int argc, char **argv)
{
	if (job->directory && mkdir(job->directory, 0777) && errno != EEXIST)
		kb_die(job->command, KB_EXIT_USAGE, "cannot create the directory %s: %s", job->directory, strerror(errno));
	for (int i = 0; i < argc; i++)
		build(job, argv[i]);
	if (!job->errors && !job->classes)
		kb_die(job->command, KB_EXIT_USAGE, "%s%s: nothing to build: no class there is a program", argc > 0 ? argv[0] : "the library",
		       argc > 1 ? " and others" : "");
	return job->errors ? KB_EXIT_USAGE : KB_EXIT_DONE;
}
