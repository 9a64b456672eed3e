/*
 * The run time of translated programs: every function is composed once for the same arguments. What would make it wrong
 * is a param that changes after code was composed from it: kb_yamba_freeze keeps what params held, and a composition that
 * finds another value is refused.
 */
#define _GNU_SOURCE
#include "code/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>

#include "base/crc32.h"
#include "base/text.h"
#include "code/memory.h"

struct kb_yamba_made {
	struct kb_yamba_made *next;             /* of the same entry, the last one used first */
	struct kb_yamba_made *older;            /* of all entries: what a signal handler walks along */
	const struct kb_yamba_program *program;
	struct kb_yamba_entry *entry;
	struct kb_mapped_code code;
	size_t bytes;
	uint8_t arguments[];
};

struct kb_program_settings kb_program_settings = { .max_code = KB_BITS_LIMIT };

static struct kb_yamba_made *newest;

/*
 * Where everything is composed. It keeps its memory, some 100 bytes for each fragment, since pages that are touched for the
 * first time would take longer than composing. Who wrote which byte is not kept: it is composed again for whoever asks, also
 * in the handler of a crash, where the memory is there already.
 */
static struct kb_bits scratch;
static volatile bool scratch_busy;              /* a composer may ask for another function */
static unsigned depth;                          /* of such asking */
#define DEPTH_MAX 64

static uint32_t forgotten_hash;         /* of functions that are gone */
static size_t composed_bytes;
static void (*on_error)(const char *text);
static void (*on_compose)(const struct kb_yamba_entry *);
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

/* A composed function that does not exist cannot be called: nothing comes back from here. */
static _Noreturn void give_up(const char *text)
{
	/* What was being composed is left as it is. */
	scratch_busy = false;
	depth = 0;
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
	if (program->kept) {
		check_kept(program);
		return;
	}
	kb_program_check_set(program);
	keep(program);
}

/* ---- composing ----------------------------------------------------------------------------------- */

/* More than an address can tell is as much as it can: a limit still, or refused. */
static size_t size_of(uint64_t bytes)
{
	return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

static int compose_again(const struct kb_yamba_program *program, const struct kb_yamba_entry *entry, const void *arguments,
	struct kb_bits *bits)
{
	const struct kb_target *target = kb_target_find(program->platform);

	kb_bits_again(bits, target, size_of(kb_program_settings.max_code));
	if (!target)
		return -EPROTO;
	entry->compose(bits, arguments);
	return kb_bits_finish(bits) ? -ENOTSUP : 0;
}

int kb_program_bits(const struct kb_yamba_program *program, const struct kb_yamba_entry *entry, const void *arguments,
	struct kb_bits *bits)
{
	*bits = (struct kb_bits){ .used = 0 };
	return compose_again(program, entry, arguments, bits);
}

/* The pieces of what is there already, in scratch; false if it comes out differently, or scratch is in use. */
static bool recall(const struct kb_yamba_made *made)
{
	bool same;

	if (scratch_busy)
		return false;
	scratch_busy = true;
	same = compose_again(made->program, made->entry, made->arguments, &scratch) == 0 &&
		scratch.used == made->code.bytes && !memcmp(scratch.at, made->code.entry, made->code.bytes);
	scratch_busy = false;
	return same;
}

static void map(struct kb_yamba_made *made, const struct kb_bits *bits, char *text, size_t room)
{
	const struct kb_yamba_program *program = made->program;
	const struct kb_code_options options = { .align = size_of(kb_program_settings.align), .offset = size_of(kb_program_settings.offset),
		.threads = !__libc_single_threaded };
	const char *class = made->entry->class_name, *name = made->entry->name;
	int error = kb_code_map(&made->code, bits->at, bits->used, &options);

	if (error == 0)
		return;
	if (bits->used == 0)
		snprintf(text, room, "%s: error: %s.%s composed no bytes; an entry ends with a return", program->file, class, name);
	else if (error == -EINVAL)
		snprintf(text, room, "%s: error: yamba.align=%zu and yamba.offset=%zu cannot be: a power of two up to the page, "
			"and an offset below it in whole instructions", program->file, options.align, options.offset);
	else
		snprintf(text, room, "%s: error: no executable memory for the %zu bytes of %s.%s: %s", program->file,
			bits->used, class, name, strerror(-error));
}

/* Errors are told when scratch is free again: whoever is told jumps away. */
static void compose(struct kb_yamba_made *made)
{
	const struct kb_yamba_program *program = made->program;
	bool nested = scratch_busy;
	struct kb_bits own = { .used = 0 }, *bits = nested ? &own : &scratch;
	char text[768] = "";

	scratch_busy = true;
	depth++;
	int error = compose_again(program, made->entry, made->arguments, bits);

	depth--;
	scratch_busy = nested;
	if (error == -EPROTO || bits->target != kb_target_host())
		snprintf(text, sizeof text, "%s: error: '%s' is for %s; its code cannot be called on %s", program->file, program->name,
			program->platform, kb_target_host()->name);
	else if (error)
		kb_bits_message(bits, text, sizeof text);
	if (!text[0])
		map(made, bits, text, sizeof text);
	kb_bits_free(&own);
	if (text[0]) {
		free(made);
		give_up(text);
	}
	composed_bytes += made->code.bytes;
}

static struct kb_yamba_made *make(struct kb_yamba_program *program, struct kb_yamba_entry *entry, const void *arguments,
	size_t bytes)
{
	/* Through C functions, where nobody saw it before. */
	if (depth == DEPTH_MAX) {
		char text[256];

		snprintf(text, sizeof text, "%s: error Y121: %.60s.%.60s leads back to itself: composing it asks for it again",
			program->file, entry->class_name, entry->name);
		give_up(text);
	}
	if (on_compose)
		on_compose(entry);
	kb_yamba_freeze(program);

	struct kb_yamba_made *made = calloc(1, sizeof *made + bytes);

	if (!made)
		give_up("out of memory");
	made->program = program;
	made->entry = entry;
	made->bytes = bytes;
	if (bytes)
		memcpy(made->arguments, arguments, bytes);
	compose(made);
	made->next = entry->made;
	entry->made = made;
	made->older = newest;
	/* A handler that interrupts here finds the old list or the whole new one. */
	__atomic_store_n(&newest, made, __ATOMIC_RELEASE);
	return made;
}

/* Moved to the front: a benchmark that asks for its function in the timed region finds it at once. */
static struct kb_yamba_made *find(struct kb_yamba_entry *entry, const void *arguments, size_t bytes)
{
	for (struct kb_yamba_made **at = &entry->made; *at; at = &(*at)->next) {
		struct kb_yamba_made *made = *at;

		if (made->bytes != bytes || (bytes && memcmp(made->arguments, arguments, bytes)))
			continue;
		*at = made->next;
		made->next = entry->made;
		entry->made = made;
		return made;
	}
	return NULL;
}

void *kb_yamba_compose(struct kb_yamba_program *program, struct kb_yamba_entry *entry, const void *arguments, size_t bytes)
{
	struct kb_yamba_made *made = find(entry, arguments, bytes);

	if (!made)
		made = make(program, entry, arguments, bytes);
	return made->code.entry;
}

/* ---- composed functions -------------------------------------------------------------------------- */

static struct kb_yamba_made *made_of(const void *function)
{
	struct kb_yamba_made *made = newest;

	while (made && made->code.entry != function)
		made = made->older;
	return made;
}

/* Of one function and where it stands. Only on demand: it takes longer than composing. */
static uint32_t hash_of(const struct kb_yamba_made *made)
{
	uint32_t align = kb_crc32(0, &kb_program_settings.align, 2 * sizeof(uint64_t));

	return kb_crc32(align, made->code.entry, made->code.bytes);
}

void kb_yamba_forget(void *function)
{
	struct kb_yamba_made *made = made_of(function), **at;

	if (!made)
		return;
	for (at = &newest; *at != made; at = &(*at)->older)
		;
	*at = made->older;
	for (at = &made->entry->made; *at != made; at = &(*at)->next)
		;
	*at = made->next;
	forgotten_hash += hash_of(made);
	kb_code_forget(&made->code);
	free(made);
}

size_t kb_yamba_code_size(void *function)
{
	const struct kb_yamba_made *made = made_of(function);

	return made ? made->code.bytes : 0;
}

int kb_yamba_list(FILE *file, void *function)
{
	const struct kb_yamba_made *made = made_of(function);

	if (!made)
		return -ENOENT;
	if (!recall(made))
		return -EBUSY;
	kb_bits_list_bytes(file, &scratch);
	return 0;
}

/* A sum, for the order in which functions were composed is no property of the code. */
uint32_t kb_program_hash(void)
{
	uint32_t hash = forgotten_hash;

	for (const struct kb_yamba_made *made = newest; made; made = made->older)
		hash += hash_of(made);
	return hash;
}

size_t kb_program_bytes(void)
{
	return composed_bytes;
}

/* ---- crashes ------------------------------------------------------------------------------------- */

bool kb_program_place(const void *address, struct kb_program_place *place)
{
	const struct kb_yamba_made *made = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
	struct kb_text text = kb_text_in(place->text, sizeof place->text);
	struct kb_bits_span span;

	while (made && (uintptr_t)address - (uintptr_t)made->code.entry >= made->code.bytes)
		made = made->older;
	if (!made)
		return false;
	place->offset = (size_t)((uintptr_t)address - (uintptr_t)made->code.entry);
	place->platform = made->program->platform;
	place->rest = made->code.bytes - place->offset;
	bool known = recall(made) && kb_bits_span_at(&scratch, place->offset, &span);

	if (known) {
		kb_bits_span_words(&span, &text);
	} else {
		kb_text_str(&text, made->entry->class_name);
		kb_text_str(&text, ".");
		kb_text_str(&text, made->entry->name);
	}
	kb_text_str(&text, " at +0x");
	kb_text_hex(&text, place->offset, 1);
	kb_text_str(&text, " (");
	kb_text_str(&text, known ? span.file : made->program->file);
	kb_text_str(&text, known ? ":" : "");
	if (known)
		kb_text_u64(&text, span.line);
	kb_text_str(&text, ")");
	return true;
}
