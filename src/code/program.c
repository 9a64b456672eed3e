/*
 * The run time of translated programs: every function is composed once for the same arguments. What would make it wrong
 * is a param that changes after code was composed from it: kb_yamba_freeze keeps what params held, and a composition that
 * finds another value is refused.
 */
#define _GNU_SOURCE
#include "code/program.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>

#include "base/crc32.h"
#include "base/text.h"
#include "code/made.h"
#include "code/processor.h"
#include "code/table.h"

struct kb_program_settings kb_program_settings = { .max_code = KB_BITS_LIMIT };

struct kb_program_code *kb_code_newest = NULL;

/* Whoever changes something holds it; readers look at what is complete. A composer may ask for other functions: then its thread holds it
   already, as often as its depth. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local unsigned depth;
#define DEPTH_MAX 64

/*
 * Where everything is composed. It keeps its memory, since pages that are touched for the first time would take longer than
 * composing. Who wrote which byte is not kept: it is composed again for whoever asks, also in the handler of a crash, where
 * the memory is there already, most of it.
 */
static struct kb_bits scratch;
static int scratch_busy;               /* a composer may ask for another function, and a handler interrupt all */

size_t kb_code_composed_bytes = 0;
static size_t composed_count;
static void (*on_error)(const char *text);
static void (*on_compose)(const struct kb_yamba_entry *);
static void (*on_look)(const struct kb_yamba_entry *);
static void (*on_record)(const char *name, double value);

/* ---- who is told --------------------------------------------------------------------------------- */

void kb_yamba_on_error(void (*handler)(const char *text))
{
	on_error = handler;
}

void kb_program_on_compose(void (*seen)(const struct kb_yamba_entry *))
{
	on_compose = seen;
}

void kb_program_on_record(void (*record)(const char *name, double value))
{
	on_record = record;
}

void kb_yamba_record(const char *name, double value)
{
	if (on_record)
		on_record(name, value);
}

void kb_code_hold(void)
{
	if (!depth++)
		pthread_mutex_lock(&lock);
}

void kb_code_release(void)
{
	if (!--depth)
		pthread_mutex_unlock(&lock);
}

/* A composed function that does not exist cannot be called: nothing comes back from here. */
void kb_code_give_up(const char *text)
{
	/* What was being composed is left as it is. */
	if (depth) {
		depth = 1;
		__atomic_store_n(&scratch_busy, 0, __ATOMIC_RELEASE);
		kb_code_release();
	}
	if (on_error)
		on_error(text);
	fprintf(stderr, "%s\n", text);
	exit(2);
}

static _Noreturn void give_up_at(const struct kb_yamba_param *param, unsigned number, const char *text)
{
	char line[512];

	snprintf(line, sizeof line, "%s:%u: error Y%u: %s", param->file, param->line, number, text);
	kb_code_give_up(line);
}

/* ---- params keep their values -------------------------------------------------------------------- */

/* A text is kept as its address: the characters belong to the program. */
static void keep(struct kb_yamba_program *program)
{
	size_t bytes = 1;       /* a program without params is frozen, too */
	uint8_t *kept;

	for (const struct kb_yamba_param *param = program->params; param && param->name; param++)
		bytes += param->bytes;
	program->kept = kept = malloc(bytes);
	for (const struct kb_yamba_param *param = program->params; kept && param && param->name; param++) {
		memcpy(kept, param->at, param->bytes);
		kept += param->bytes;
	}
}

static void check_kept(const struct kb_yamba_program *program)
{
	const uint8_t *kept = program->kept;

	for (const struct kb_yamba_param *param = program->params; kept && param && param->name; param++) {
		char text[256];

		if (memcmp(kept, param->at, param->bytes)) {
			snprintf(text, sizeof text, "param '%s' of '%s' changed after code was composed with it; set it in setup() first",
				param->name, param->class_name);
			give_up_at(param, 161, text);
		}
		kept += param->bytes;
	}
}

void kb_program_check_set(const struct kb_yamba_program *program)
{
	for (const struct kb_yamba_param *param = program->params; param && param->name; param++) {
		char text[384];

		if (param->set)
			continue;
		snprintf(text, sizeof text, "param '%s' of '%s' has no value: %s; set it with -p %s=VALUE, or in the class", param->name,
			param->class_name, param->summary && param->summary[0] ? param->summary : "it has no comment", param->name);
		give_up_at(param, 160, text);
	}
}

bool kb_program_lacks(const struct kb_yamba_program *program, char *why, size_t room)
{
	for (const struct kb_yamba_need *need = program->needs; need && need->class_name; need++) {
		const char *lacking = need->lacking ? need->lacking() : kb_processor_is(need->processors) ? NULL : "this is another processor";

		if (!lacking)
			continue;
		snprintf(why, room, "%s: %s", need->class_name, lacking);
		return true;
	}
	return false;
}

/* An instruction that the processor does not have would be a crash. */
static void check_needs(const struct kb_yamba_program *program)
{
	char why[160], text[320];

	if (!kb_program_lacks(program, why, sizeof why))
		return;
	snprintf(text, sizeof text, "%s: error Y154: '%s' cannot run here: %s", program->file, program->name, why);
	kb_code_give_up(text);
}

void kb_yamba_freeze(struct kb_yamba_program *program)
{
	kb_code_hold();
	if (program->kept) {
		check_kept(program);
	} else {
		check_needs(program);
		kb_program_check_set(program);
		keep(program);
	}
	kb_code_release();
}

/* ---- composing ----------------------------------------------------------------------------------- */

static int compose_bits(const struct kb_yamba_program *program, const struct kb_yamba_entry *entry, const void *arguments,
	struct kb_bits *bits, bool noting)
{
	const struct kb_target *target = kb_target_find(program->platform);

	kb_bits_again(bits, target, kb_code_size_of(kb_program_settings.max_code), noting);
	if (!target)
		return -EPROTO;
	entry->compose(bits, arguments);
	return kb_bits_finish(bits) ? -ENOTSUP : 0;
}

int kb_program_bits(const struct kb_yamba_program *program, const struct kb_yamba_entry *entry, const void *arguments,
	struct kb_bits *bits)
{
	*bits = (struct kb_bits){ .limit = 0 };
	return compose_bits(program, entry, arguments, bits, true);
}

const struct kb_bits *kb_code_recall(const struct kb_program_code *code)
{
	bool same;

	if (__atomic_exchange_n(&scratch_busy, 1, __ATOMIC_ACQUIRE))
		return NULL;
	same = compose_bits(code->program, code->entry, code->arguments, &scratch, true) == 0 &&
		scratch.head.used == code->mapped.bytes && !memcmp(scratch.head.at, kb_code_bytes_of(code), code->mapped.bytes);
	if (!same)
		kb_code_release_scratch();
	return same ? &scratch : NULL;
}

void kb_code_release_scratch(void)
{
	__atomic_store_n(&scratch_busy, 0, __ATOMIC_RELEASE);
}

static void map(struct kb_program_code *code, const struct kb_bits *bits, char *text, size_t room)
{
	const struct kb_yamba_program *program = code->program;
	const struct kb_code_options options = { .align = kb_code_size_of(kb_program_settings.align), .offset = kb_code_size_of(kb_program_settings.offset),
		.place = composed_count, .threads = !__libc_single_threaded };
	const char *class = code->entry->class_name, *name = code->entry->name;
	int error = kb_code_map_gated(code, bits, &options);

	if (error == 0)
		return;
	if (bits->head.used == 0)
		snprintf(text, room, "%s: error: %s.%s composed no bytes; an entry ends with a return", program->file, class, name);
	else if (error == -EINVAL)
		snprintf(text, room, "%s: error: yamba.align=%zu and yamba.offset=%zu cannot be: a power of two up to the page, "
			"and an offset below it in whole instructions", program->file, options.align, options.offset);
	else
		snprintf(text, room, "%s: error: no executable memory for the %zu bytes of %s.%s: %s", program->file,
			bits->head.used, class, name, strerror(-error));
}

/* What is wrong has a place only among notes: then it is composed once more. Errors are told when scratch is free again: whoever is told
   jumps away. */
static void compose(struct kb_program_code *code)
{
	const struct kb_yamba_program *program = code->program;
	bool nested = __atomic_exchange_n(&scratch_busy, 1, __ATOMIC_ACQUIRE);
	struct kb_bits own = { .limit = 0 }, *bits = nested ? &own : &scratch;
	char text[768] = "";
	int error = compose_bits(program, code->entry, code->arguments, bits, false);

	if (error == -ENOTSUP)
		error = compose_bits(program, code->entry, code->arguments, bits, true);
	if (error == -EPROTO || bits->target != kb_target_host())
		snprintf(text, sizeof text, "%s: error: '%s' is for %s; its code cannot be called on %s", program->file, program->name,
			program->platform, kb_target_host()->name);
	else if (error)
		kb_bits_message(bits, text, sizeof text);
	if (!text[0])
		map(code, bits, text, sizeof text);
	kb_bits_free(&own);
	if (!nested)
		kb_code_release_scratch();
	if (text[0])
		kb_code_give_up(text);
	kb_code_composed_bytes += code->mapped.bytes;
	composed_count++;
}

/* ---- look-ups ------------------------------------------------------------------------------------ */

static void show_table(struct kb_yamba_entry *entry)
{
	__atomic_store_n(&entry->table, on_look ? NULL : entry->all, __ATOMIC_RELEASE);
}

void kb_program_on_look(struct kb_yamba_program *program, void (*seen)(const struct kb_yamba_entry *))
{
	kb_code_hold();
	on_look = seen;
	for (struct kb_yamba_entry **entry = program->entries; *entry; entry++)
		show_table(*entry);
	kb_code_release();
}

/* Into the table when it is complete: a thread that finds it can call it. */
static void show_function(struct kb_yamba_entry *entry, const void *function, const uint64_t *words, size_t count)
{
	if (!kb_table_put(&entry->all, function, words, count))
		kb_code_give_up("out of memory");
	show_table(entry);
}

/* One that was forgotten comes back as what it was. */
static struct kb_program_code *new_code(struct kb_yamba_program *program, struct kb_yamba_entry *entry, const uint64_t *words, size_t count)
{
	struct kb_program_code *code = kb_code_newest;

	while (code && (code->entry != entry || code->mapped.bytes || memcmp(code->arguments, words, count * sizeof *words)))
		code = code->older;
	if (code)
		return code;
	code = calloc(1, sizeof *code + count * sizeof *words);
	if (!code)
		kb_code_give_up("out of memory");
	code->program = program;
	code->entry = entry;
	code->words = count;
	memcpy(code->arguments, words, count * sizeof *words);
	code->older = kb_code_newest;
	__atomic_store_n(&kb_code_newest, code, __ATOMIC_RELEASE);
	return code;
}

static void *make(struct kb_yamba_program *program, struct kb_yamba_entry *entry, const uint64_t *words, size_t count)
{
	uint64_t there = entry->all ? *kb_table_place(entry->all, words, count) : 0;
	struct kb_program_code *code;

	if (on_look)
		on_look(entry);
	if (there > KB_YAMBA_FORGOTTEN)
		return (void *)(uintptr_t)there;
	/* Through C functions, where nobody saw it before. */
	if (depth > DEPTH_MAX) {
		char text[256];

		snprintf(text, sizeof text, "%s: error Y121: %.60s.%.60s leads back to itself: composing it asks for it again",
			program->file, entry->class_name, entry->name);
		kb_code_give_up(text);
	}
	if (on_compose)
		on_compose(entry);
	kb_yamba_freeze(program);
	code = new_code(program, entry, words, count);
	compose(code);
	show_function(entry, code->mapped.entry, words, count);
	return code->mapped.entry;
}

void *kb_yamba_compose(struct kb_yamba_program *program, struct kb_yamba_entry *entry, const void *arguments, size_t bytes)
{
	size_t count = (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
	uint64_t words[count + 1];
	void *function;

	words[count ? count - 1 : 0] = 0;
	if (bytes)
		memcpy(words, arguments, bytes);
	kb_code_hold();
	function = make(program, entry, words, count);
	kb_code_release();
	return function;
}
