/*
 * `kbench yamba show`: what a program's machine code looks like. Without a call its fragments as assembled, with what each
 * hole is filled with; with a call, 'touch_func(5)', what the composer makes of it, which is never run: it is C, so that of
 * another platform composes here as well.
 */
#define _GNU_SOURCE
#include "cli/yamba/yamba.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assemble/command.h"
#include "assemble/disassemble.h"
#include "assemble/lint.h"
#include "code/program.h"
#include "io.h"
#include "lacking.h"
#include "run/process/trust.h"
#include "scratch.h"

#define COMPOSE_S 10u

/* ---- fragments ----------------------------------------------------------------------------------- */

static void print_line(const struct kb_assembled *block, const struct kb_target *target, size_t offset, size_t count, const char *text)
{
	for (uint32_t i = 0; i < block->fragment.label_count; i++) {
		const struct kb_label *label = &block->fragment.labels[i];

		if (label->defined && label->offset == offset)
			printf("  @%s:\n", label->name);
	}
	kb_code_print_line(stdout, block->fragment.bytes, offset, count, text);
	/* "$(8 * i)" or "@top" for each hole that begins in these bytes. */
	for (uint32_t i = 0; i < block->fragment.hole_count; i++) {
		const struct kb_hole *hole = &block->fragment.holes[i];
		const struct kb_relocation *relocation = kb_target_of_hole(target, hole);

		if (hole->offset < offset || hole->offset >= offset + count)
			continue;
		if (relocation->kind == KB_HOLE_LABEL)
			printf("   <- @%s", block->fragment.labels[hole->value].name);
		else
			printf("   <- $(%.*s)", (int)block->values[hole->value].length, block->values[hole->value].at);
		printf(" %s", relocation->name);
	}
	putchar('\n');
}

static void print_fragment(const struct kb_assembled *block, const struct kb_target *target)
{
	const struct kb_fragment *fragment = &block->fragment;
	struct kb_code_listing listing;

	printf("%s.%s  %s:%u\n", fragment->class, fragment->member, fragment->file, fragment->line);
	if (kb_code_disassemble(&listing, target, fragment->bytes, fragment->count))
		print_line(block, target, 0, fragment->count, "");
	for (size_t i = 0; i < listing.line_count; i++)
		print_line(block, target, listing.lines[i].offset, listing.lines[i].count, listing.lines[i].text);
	kb_code_listing_free(&listing);
}

static bool show_fragments(struct kb_yamba_job *job, const struct kb_yamba_class *class)
{
	struct kb_assembly assembly;
	int error = kb_yamba_assemble(&job->yamba, class, &assembly);
	bool good = !error && kb_yamba_job_good(job);
	const struct kb_target *target =
		class->platform ? kb_target_find(kb_arena_string(&job->arena, class->platform->name)) : NULL;

	kb_yamba_job_tell(job);
	for (unsigned i = 0; i < assembly.block_count && good && target; i++)
		print_fragment(&assembly.blocks[i], target);
	if (good && !assembly.block_count)
		printf("%.*s has no asm block\n", KB_SHORT(class->name));
	kb_assemble_free(&assembly);
	return good;
}

/* ---- composing ----------------------------------------------------------------------------------- */

struct shown {
	struct kb_yamba_job *job;
	const char *call, *path;        /* "touch_func(5)"; of the shared object */
	bool quiet;                     /* only what is suspicious is told */
	struct kb_yamba_program *program;
	struct kb_yamba_entry *entry;
	void *arguments;
};

static void list_entries(const struct shown *shown)
{
	char line[400] = "none";
	size_t used = 0;

	for (struct kb_yamba_entry **entry = shown->program->entries; *entry && used < sizeof line - 1; entry++)
		used += (size_t)snprintf(line + used, sizeof line - used, "%s%s.%s", used ? ", " : "", (*entry)->class_name,
			(*entry)->name);
	kb_usage(shown->job->command, "no entry '%.60s' in %s; it has %s", shown->call, shown->program->name, line);
}

/* "f" or "CLASS.f" before the parenthesis. */
static bool is_called(const struct kb_yamba_entry *entry, const char *call, size_t length)
{
	size_t class = strlen(entry->class_name);

	if (length > class && !strncmp(call, entry->class_name, class) && call[class] == '.')
		return strlen(entry->name) == length - class - 1 && !strncmp(call + class + 1, entry->name, length - class - 1);
	return strlen(entry->name) == length && !strncmp(call, entry->name, length);
}

static void print_found(void *context, const struct kb_lint *found)
{
	struct kb_yamba_job *job = context;

	job->errors += found->error;
	fflush(stdout);
	fprintf(stderr, "%s: %s %c%u: %s\n", found->place, found->error ? "error" : "warning", found->error ? 'Y' : 'W', found->number,
		found->text);
}

/* Of the code with m as the only argument; SIZE_MAX if there is none. */
static size_t bytes_at(struct shown *shown, long long m)
{
	char call[64], error[64];
	struct kb_bits bits = { .limit = 0 };
	size_t bytes = SIZE_MAX;

	snprintf(call, sizeof call, "(%lld)", m);
	if (!kb_program_arguments(shown->program, shown->entry, call, shown->arguments, error, sizeof error) &&
	    !kb_program_bits(shown->program, shown->entry, shown->arguments, &bits))
		bytes = bits.head.used;
	kb_bits_free(&bits);
	return bytes;
}

/* The largest argument whose code still fits, told where the only one is a number, with which it does not. */
static void print_largest(struct shown *shown, size_t cache, const char *name)
{
	const struct kb_yamba_argument *argument = shown->entry->arguments;
	long long low = 0, high;
	char given[32];

	if (!argument || !argument->name || argument[1].name || argument->type > KB_YAMBA_UNSIGNED)
		return;
	kb_program_value(&(struct kb_yamba_param){ .type = argument->type, .bytes = (uint8_t)argument->bytes,
		.at = (uint8_t *)shown->arguments + argument->offset }, given, sizeof given);
	high = strtoll(given, NULL, 10);
	if (high <= 0 || bytes_at(shown, 0) > cache)
		return;
	while (high - low > 1) {
		long long middle = low + (high - low) / 2;

		if (bytes_at(shown, middle) <= cache)
			low = middle;
		else
			high = middle;
	}
	fprintf(stderr, "    the largest %s that fits into %s is %lld\n", argument->name, name, low);
}

static void check_caches(struct shown *shown, size_t bytes)
{
	static const struct { int name; const char *words; } caches[] = {
		{ _SC_LEVEL2_CACHE_SIZE, "L2" }, { _SC_LEVEL1_ICACHE_SIZE, "L1i" },
	};

	for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
		long cache = sysconf(caches[i].name);

		if (cache <= 0 || bytes <= (size_t)cache)
			continue;
		fflush(stdout);
		fprintf(stderr, "%s: warning W323: %zu bytes of code, and %s of this machine holds %ld\n", shown->program->file, bytes,
			caches[i].words, cache);
		print_largest(shown, (size_t)cache, caches[i].words);
		return;
	}
}

static bool show_composed(struct shown *shown)
{
	struct kb_bits bits;
	char text[800];
	int error = kb_program_bits(shown->program, shown->entry, shown->arguments, &bits);

	if (error) {
		kb_bits_message(&bits, text, sizeof text);
		fprintf(stderr, "%s\n", error == -EPROTO ? "the program has no platform" : text);
		kb_bits_free(&bits);
		return false;
	}
	if (!shown->quiet)
		printf("%s.%s: %zu bytes of %s, %s\n", shown->program->name, shown->call, bits.head.used, shown->program->platform,
			shown->entry->signature ? shown->entry->signature : "");
	if (!shown->quiet && kb_bits_list(stdout, &bits) == -ENOENT)
		fprintf(stderr, "the bytes alone: there is no objdump for %s here\n", shown->program->platform);
	kb_lint(&bits, print_found, shown->job);
	check_caches(shown, bits.head.used);
	kb_bits_free(&bits);
	return true;
}

/* What Y160 would be at a start. The handler must not return, and a message is all that is needed. */
static struct kb_yamba_job *stopping;

static void on_error(const char *text)
{
	fflush(stdout);
	fprintf(stderr, "%s\n", text);
	exit(kb_finish_output(stopping->command, KB_EXIT_USAGE));
}

static struct kb_yamba_program *open_program(const char *path)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	struct kb_yamba_program **found = object ? dlsym(object, "kb_yamba_shown") : NULL;

	if (!found)
		fprintf(stderr, "%s\n", dlerror());
	return found ? *found : NULL;
}

/* In the child. */
static void compose(void *context)
{
	struct shown shown = *(struct shown *)context;
	struct kb_yamba_job *job = shown.job;
	size_t length = strcspn(shown.call, "(");
	bool good;
	char error[256];

	shown.program = open_program(shown.path);
	if (!shown.program)
		exit(KB_EXIT_USAGE);
	stopping = job;
	kb_yamba_on_error(on_error);
	for (size_t i = 0; i < job->settings.count; i++)
		if (kb_yamba_set(shown.program, job->settings.at[i], error, sizeof error))
			kb_die(job->command, KB_EXIT_USAGE, "error Y162: %s", error);
	/* An entry of the program goes before one of an import, which stands earlier. */
	while (length && isspace((unsigned char)shown.call[length - 1]))
		length--;
	for (struct kb_yamba_entry **entry = shown.program->entries; *entry; entry++)
		if (is_called(*entry, shown.call, length))
			shown.entry = *entry;
	if (!shown.entry)
		list_entries(&shown);
	shown.arguments = kb_need_memory(job->command, calloc(1, shown.entry->bytes + 1));
	if (kb_program_arguments(shown.program, shown.entry, strchr(shown.call, '('), shown.arguments, error, sizeof error))
		kb_usage(job->command, "%s", error);
	kb_program_check_set(shown.program);
	good = show_composed(&shown);
	exit(kb_finish_output(job->command, good && !job->errors ? KB_EXIT_DONE : KB_EXIT_USAGE));
}

/* Composing runs the C of the program, and constructors of what it links: in a process of its own, with a limit. */
static int compose_apart(struct kb_yamba_job *job, const char *path, const char *call, bool quiet)
{
	struct shown shown = { .job = job, .call = call, .path = path, .quiet = quiet };
	int signal, code = kb_command_apart(compose, &shown, 1000 * COMPOSE_S, &signal);

	if (code == -EINTR)
		kb_complain(job->command, "the program's C code crashed by signal %d while composing %s", signal, call);
	else if (code == -ETIMEDOUT)
		kb_complain(job->command, "the program's C code did not end within %u s while composing %s", COMPOSE_S, call);
	else if (code < 0)
		kb_die(job->command, KB_EXIT_USAGE, "cannot start a process: %s", kb_start_lack(-code));
	return code < 0 ? KB_EXIT_USAGE : code;
}

/* Each of them in turn, until one fails. The object is made once. */
static int show_calls(struct kb_yamba_job *job, const struct kb_yamba_class *class, char *const *calls, size_t count, bool quiet)
{
	struct kb_scratch scratch;
	char directory[PATH_MAX - 16], path[PATH_MAX], real[PATH_MAX], why[KB_TRUST_WHY];
	int error, code = KB_EXIT_USAGE;
	bool good = true;

	/* What is loaded must not have a name that others can foretell. */
	kb_temporary_name(directory, sizeof directory, "kbench-show");
	error = kb_scratch_open(&scratch, directory);
	if (error)
		kb_die(job->command, KB_EXIT_USAGE, "cannot create the directory %s: %s", directory, strerror(-error));
	snprintf(path, sizeof path, "%s/shown.so", directory);
	if (kb_trust(directory, KB_TRUST_US, real, why)) {
		kb_scratch_close(&scratch);
		kb_die(job->command, KB_EXIT_USAGE, "%s; or name another directory in TMPDIR", why);
	}
	if (kb_yamba_job_make(job, class, false, "\nstruct kb_yamba_program *const kb_yamba_shown = &y_program;\n",
		&(struct kb_yamba_product){ .path = path, .host = true })) {
		for (size_t i = 0; i < count && good; i++) {
			code = compose_apart(job, path, calls[i], quiet);
			good = code == KB_EXIT_DONE || quiet;
		}
	}
	kb_yamba_job_tell(job);
	kb_scratch_close(&scratch);
	return code;
}

void kb_yamba_job_lint(struct kb_yamba_job *job, const struct kb_yamba_class *class, const struct kb_words *calls)
{
	if (calls->count)
		show_calls(job, class, (char *const *)(uintptr_t)calls->at, calls->count, true);
}

int kb_yamba_verb_show(struct kb_yamba_job *job, int argc, char **argv)
{
	struct kb_yamba_class *class;
	bool good = true;

	kb_yamba_job_load(job, argv[0]);
	class = kb_yamba_job_program(job, argv[0]);
	if (!class)
		return KB_EXIT_USAGE;
	if (argc == 1)
		good = show_fragments(job, class);
	else
		good = show_calls(job, class, argv + 1, (size_t)argc - 1, false) == KB_EXIT_DONE;
	kb_arena_free(&job->arena);
	return good && !job->errors ? KB_EXIT_DONE : KB_EXIT_USAGE;
}
