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
#include "code/memory.h"
#include "code/table.h"

/* Of one function, of all entries: what a signal handler walks along. None ever goes: what is forgotten has no bytes. */
struct code {
	struct code *older;
	const struct kb_yamba_program *program;
	struct kb_yamba_entry *entry;
	struct kb_mapped_code mapped;
	size_t words;                           /* of the arguments */
	uint64_t arguments[];
};

struct kb_program_settings kb_program_settings = { .max_code = KB_BITS_LIMIT };

static struct code *newest;

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

static uint32_t forgotten_hash;         /* of functions that are gone */
static size_t composed_bytes, composed_count;
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

static void hold(void)
{
	if (!depth++)
		pthread_mutex_lock(&lock);
}

static void release(void)
{
	if (!--depth)
		pthread_mutex_unlock(&lock);
}

/* A composed function that does not exist cannot be called: nothing comes back from here. */
static _Noreturn void give_up(const char *text)
{
	/* What was being composed is left as it is. */
	if (depth) {
		depth = 1;
		__atomic_store_n(&scratch_busy, 0, __ATOMIC_RELEASE);
		release();
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
	give_up(line);
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

void kb_yamba_freeze(struct kb_yamba_program *program)
{
	hold();
	if (program->kept) {
		check_kept(program);
	} else {
		kb_program_check_set(program);
		keep(program);
	}
	release();
}

/* ---- composing ----------------------------------------------------------------------------------- */

/* More than an address can tell is as much as it can: a limit still, or refused. */
static size_t size_of(uint64_t bytes)
{
	return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

static int compose_bits(const struct kb_yamba_program *program, const struct kb_yamba_entry *entry, const void *arguments,
	struct kb_bits *bits, bool noting)
{
	const struct kb_target *target = kb_target_find(program->platform);

	kb_bits_again(bits, target, size_of(kb_program_settings.max_code), noting);
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

/* The pieces of what is there already, in scratch, which the caller then frees by release_scratch; false if it comes out differently, or
   scratch is in use. */
static bool recall(const struct code *code)
{
	bool same;

	if (__atomic_exchange_n(&scratch_busy, 1, __ATOMIC_ACQUIRE))
		return false;
	same = compose_bits(code->program, code->entry, code->arguments, &scratch, true) == 0 &&
		scratch.head.used == code->mapped.bytes && !memcmp(scratch.head.at, code->mapped.entry, code->mapped.bytes);
	if (!same)
		__atomic_store_n(&scratch_busy, 0, __ATOMIC_RELEASE);
	return same;
}

static void release_scratch(void)
{
	__atomic_store_n(&scratch_busy, 0, __ATOMIC_RELEASE);
}

static void map(struct code *code, const struct kb_bits *bits, char *text, size_t room)
{
	const struct kb_yamba_program *program = code->program;
	const struct kb_code_options options = { .align = size_of(kb_program_settings.align), .offset = size_of(kb_program_settings.offset),
		.place = composed_count, .threads = !__libc_single_threaded };
	const char *class = code->entry->class_name, *name = code->entry->name;
	int error = kb_code_map(&code->mapped, bits->head.at, bits->head.used, &options);

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
static void compose(struct code *code)
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
		release_scratch();
	if (text[0])
		give_up(text);
	composed_bytes += code->mapped.bytes;
	composed_count++;
}

/* ---- look-ups ------------------------------------------------------------------------------------ */

static void show_table(struct kb_yamba_entry *entry)
{
	__atomic_store_n(&entry->table, on_look ? NULL : entry->all, __ATOMIC_RELEASE);
}

void kb_program_on_look(struct kb_yamba_program *program, void (*seen)(const struct kb_yamba_entry *))
{
	hold();
	on_look = seen;
	for (struct kb_yamba_entry **entry = program->entries; *entry; entry++)
		show_table(*entry);
	release();
}

/* Into the table when it is complete: a thread that finds it can call it. */
static void show_function(struct kb_yamba_entry *entry, const void *function, const uint64_t *words, size_t count)
{
	if (!kb_table_put(&entry->all, function, words, count))
		give_up("out of memory");
	show_table(entry);
}

/* One that was forgotten comes back as what it was. */
static struct code *new_code(struct kb_yamba_program *program, struct kb_yamba_entry *entry, const uint64_t *words, size_t count)
{
	struct code *code = newest;

	while (code && (code->entry != entry || code->mapped.bytes || memcmp(code->arguments, words, count * sizeof *words)))
		code = code->older;
	if (code)
		return code;
	code = calloc(1, sizeof *code + count * sizeof *words);
	if (!code)
		give_up("out of memory");
	code->program = program;
	code->entry = entry;
	code->words = count;
	memcpy(code->arguments, words, count * sizeof *words);
	code->older = newest;
	__atomic_store_n(&newest, code, __ATOMIC_RELEASE);
	return code;
}

static void *make(struct kb_yamba_program *program, struct kb_yamba_entry *entry, const uint64_t *words, size_t count)
{
	uint64_t there = entry->all ? *kb_table_place(entry->all, words, count) : 0;
	struct code *code;

	if (on_look)
		on_look(entry);
	if (there > KB_YAMBA_FORGOTTEN)
		return (void *)(uintptr_t)there;
	/* Through C functions, where nobody saw it before. */
	if (depth > DEPTH_MAX) {
		char text[256];

		snprintf(text, sizeof text, "%s: error Y121: %.60s.%.60s leads back to itself: composing it asks for it again",
			program->file, entry->class_name, entry->name);
		give_up(text);
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
	hold();
	function = make(program, entry, words, count);
	release();
	return function;
}

/* ---- composed functions -------------------------------------------------------------------------- */

static struct code *code_of(const void *function)
{
	struct code *code = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);

	while (code && (!function || code->mapped.entry != function))
		code = code->older;
	return code;
}

/* Of one function and where it stands. Only on demand: it takes longer than composing. */
static uint32_t hash_of(const struct code *code)
{
	uint32_t align = kb_crc32(0, &kb_program_settings.align, 2 * sizeof(uint64_t));

	return kb_crc32(align, code->mapped.entry, code->mapped.bytes);
}

void kb_yamba_forget(void *function)
{
	struct code *code;

	hold();
	code = code_of(function);
	if (code) {
		kb_table_forget(code->entry->all, code->arguments, code->words);
		forgotten_hash += hash_of(code);
		kb_code_forget(&code->mapped);
	}
	release();
}

size_t kb_yamba_code_size(void *function)
{
	const struct code *code;
	size_t bytes;

	hold();
	code = code_of(function);
	bytes = code ? code->mapped.bytes : 0;
	release();
	return bytes;
}

int kb_yamba_list(FILE *file, void *function)
{
	const struct code *code;
	int error;

	hold();
	code = code_of(function);
	error = !code ? -ENOENT : recall(code) ? 0 : -EBUSY;
	if (!error) {
		kb_bits_list_bytes(file, &scratch);
		release_scratch();
	}
	release();
	return error;
}

/* A sum, for the order in which functions were composed is no property of the code. */
uint32_t kb_program_hash(void)
{
	uint32_t hash = forgotten_hash;

	for (const struct code *code = newest; code; code = code->older)
		hash += code->mapped.bytes ? hash_of(code) : 0;
	return hash;
}

size_t kb_program_bytes(void)
{
	return composed_bytes;
}

/* ---- crashes ------------------------------------------------------------------------------------- */

bool kb_program_place(const void *address, struct kb_program_place *place)
{
	const struct code *code = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
	struct kb_text text = kb_text_in(place->text, sizeof place->text);
	struct kb_bits_span span;

	while (code && (uintptr_t)address - (uintptr_t)code->mapped.entry >= code->mapped.bytes)
		code = code->older;
	if (!code)
		return false;
	place->offset = (size_t)((uintptr_t)address - (uintptr_t)code->mapped.entry);
	place->platform = code->program->platform;
	place->rest = code->mapped.bytes - place->offset;
	bool recalled = recall(code), known = recalled && kb_bits_span_at(&scratch, place->offset, &span);

	if (known) {
		kb_bits_span_words(&span, &text);
	} else {
		kb_text_str(&text, code->entry->class_name);
		kb_text_str(&text, ".");
		kb_text_str(&text, code->entry->name);
	}
	kb_text_str(&text, " at +0x");
	kb_text_hex(&text, place->offset, 1);
	kb_text_str(&text, " (");
	kb_text_str(&text, known ? span.file : code->program->file);
	kb_text_str(&text, known ? ":" : "");
	if (known)
		kb_text_u64(&text, span.line);
	kb_text_str(&text, ")");
	if (recalled)
		release_scratch();
	return true;
}
