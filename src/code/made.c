/* Functions that were composed: forgotten, listed, named, and found by those who crash in one. See program.h and made.h. */
#define _GNU_SOURCE
#include "code/made.h"

#include <errno.h>
#include <string.h>
#include <sys/single_threaded.h>

#include "base/crc32.h"
#include "base/text.h"
#include "code/table.h"

/* ---- composed functions -------------------------------------------------------------------------- */

static uint32_t forgotten_hash;         /* of functions that are gone */

static struct kb_program_code *code_of(const void *function)
{
	struct kb_program_code *code = __atomic_load_n(&kb_code_newest, __ATOMIC_ACQUIRE);

	while (code && (!function || code->mapped.entry != function))
		code = code->older;
	return code;
}

/* Of one function and where it stands. Only on demand: it takes longer than composing. */
static uint32_t hash_of(const struct kb_program_code *code)
{
	uint32_t align = kb_crc32(0, &kb_program_settings.align, 2 * sizeof(uint64_t));

	return kb_crc32(align, kb_code_bytes_of(code), code->mapped.bytes);
}

void kb_yamba_forget(void *function)
{
	struct kb_program_code *code;

	kb_code_hold();
	code = code_of(function);
	if (code) {
		kb_table_forget(code->entry->all, code->arguments, code->words);
		forgotten_hash += hash_of(code);
		kb_code_forget(&code->mapped);
		kb_code_forget(&code->behind);
	}
	kb_code_release();
}

size_t kb_yamba_code_size(void *function)
{
	const struct kb_program_code *code;
	size_t bytes;

	kb_code_hold();
	code = code_of(function);
	bytes = code ? code->mapped.bytes : 0;
	kb_code_release();
	return bytes;
}

int kb_yamba_list(FILE *file, void *function)
{
	const struct kb_program_code *code;
	const struct kb_bits *bits;
	int error;

	kb_code_hold();
	code = code_of(function);
	bits = code ? kb_code_recall(code) : NULL;
	error = !code ? -ENOENT : bits ? 0 : -EBUSY;
	if (!error) {
		kb_bits_list_bytes(file, bits);
		kb_code_release_scratch();
	}
	kb_code_release();
	return error;
}

/* A sum, for the order in which functions were composed is no property of the code. */
uint32_t kb_program_hash(void)
{
	uint32_t hash = forgotten_hash;

	for (const struct kb_program_code *code = kb_code_newest; code; code = code->older)
		hash += code->mapped.bytes ? hash_of(code) : 0;
	return hash;
}

size_t kb_program_bytes(void)
{
	return kb_code_composed_bytes;
}

/* ---- gates ---------------------------------------------------------------------------------------- */

static kb_program_gate *make_gate;

/* Both have as many pages, for the function moves to where its gate is. */
int kb_code_map_gated(struct kb_program_code *code, const struct kb_bits *bits, const struct kb_code_options *given)
{
	struct kb_code_options options = *given;
	uint8_t gate[KB_GATE_BYTES];
	size_t count;
	int error;

	if (!make_gate)
		return kb_code_map(&code->mapped, bits->head.at, bits->head.used, &options);
	options.room = bits->head.used < sizeof gate ? sizeof gate : bits->head.used;
	error = kb_code_map(&code->behind, bits->head.at, bits->head.used, &options);
	if (error)
		return error;
	count = make_gate(gate, code, code->behind.entry);
	error = count ? kb_code_map(&code->mapped, gate, count, &options) : -ENOMEM;
	if (error)
		kb_code_forget(&code->behind);
	else
		code->mapped.bytes = bits->head.used;
	return error;
}

/* A thread may be in the function where it is: then that stays, and a copy moves. */
static int open_gate(struct kb_program_code *code, bool threads)
{
	size_t align = kb_program_settings.align ? kb_code_size_of(kb_program_settings.align) : KB_CODE_ALIGN;
	struct kb_mapped_code copy;
	const struct kb_code_options options = { .align = align, .offset = (uintptr_t)code->behind.entry % align, .place = code->behind.place,
		.room = KB_GATE_BYTES, .threads = threads };
	int error = threads ? kb_code_map(&copy, code->behind.entry, code->mapped.bytes, &options) : 0;

	if (!error)
		error = kb_code_move(threads ? &copy : &code->behind, &code->mapped);
	code->behind = (struct kb_mapped_code){ .entry = NULL };
	return error;
}

void kb_program_gates(kb_program_gate *maker)
{
	int error = 0;

	kb_code_hold();
	make_gate = maker;
	for (struct kb_program_code *code = kb_code_newest; code && !maker && !error; code = code->older)
		error = code->behind.entry ? open_gate(code, !__libc_single_threaded) : 0;
	if (error) {
		char text[128];

		snprintf(text, sizeof text, "error: composed code cannot move to its place: %s", strerror(-error));
		kb_code_give_up(text);
	}
	kb_code_release();
}

void kb_program_each(void (*found)(void *context, const struct kb_program_code *), void *context)
{
	size_t count = 0;

	for (const struct kb_program_code *code = kb_code_newest; code; code = code->older)
		count++;
	while (count--) {
		const struct kb_program_code *code = kb_code_newest;

		for (size_t i = 0; i < count; i++)
			code = code->older;
		if (code->mapped.bytes)
			found(context, code);
	}
}

size_t kb_program_code_bytes(const struct kb_program_code *code)
{
	return code->mapped.bytes;
}

static void name_bitstring(const struct kb_yamba_program *program, const void *at, char *name, size_t room)
{
	const struct kb_bitstring *value;

	memcpy(&value, at, sizeof value);
	for (const struct kb_yamba_bitstring *known = program->bitstrings; known && known->name; known++)
		if (known->value == value)
			snprintf(name, room, "%s", known->name);
}

void kb_program_code_words(const struct kb_program_code *code, bool names, struct kb_text *text)
{
	const struct kb_yamba_argument *argument = code->entry->arguments;

	kb_text_str(text, code->entry->class_name);
	kb_text_str(text, ".");
	kb_text_str(text, code->entry->name);
	kb_text_str(text, "(");
	for (const char *comma = ""; argument && argument->name; argument++, comma = ", ") {
		const struct kb_yamba_param as_param = { .type = argument->type, .bytes = (uint8_t)argument->bytes,
			.at = (uint8_t *)(uintptr_t)code->arguments + argument->offset };
		char value[64] = "...";

		if (argument->type == KB_YAMBA_BITSTRING)
			name_bitstring(code->program, as_param.at, value, sizeof value);
		else if (argument->type != KB_YAMBA_TEXT && argument->bytes <= 8)
			kb_program_value(&as_param, value, sizeof value);
		kb_text_str(text, comma);
		kb_text_str(text, names ? argument->name : "");
		kb_text_str(text, names ? "=" : "");
		kb_text_str(text, value);
	}
	kb_text_str(text, ")");
}

void kb_program_code_place(const struct kb_program_code *code, struct kb_text *text)
{
	struct kb_bits_span span;
	const struct kb_bits *bits = kb_code_recall(code);
	bool known = bits && kb_bits_span_at(bits, 0, &span);

	kb_text_str(text, known ? span.file : code->program->file);
	if (known) {
		kb_text_str(text, ":");
		kb_text_u64(text, span.line);
	}
	if (bits)
		kb_code_release_scratch();
}

/* ---- crashes ------------------------------------------------------------------------------------- */

bool kb_program_place(const void *address, struct kb_program_place *place)
{
	const struct kb_program_code *code = __atomic_load_n(&kb_code_newest, __ATOMIC_ACQUIRE);
	struct kb_text text = kb_text_in(place->text, sizeof place->text);
	struct kb_bits_span span;

	while (code && (uintptr_t)address - (uintptr_t)code->mapped.entry >= code->mapped.bytes &&
	       (uintptr_t)address - (uintptr_t)kb_code_bytes_of(code) >= code->mapped.bytes)
		code = code->older;
	if (!code)
		return false;
	place->offset = (size_t)((uintptr_t)address - (uintptr_t)code->mapped.entry);
	if (place->offset >= code->mapped.bytes)
		place->offset = (size_t)((uintptr_t)address - (uintptr_t)kb_code_bytes_of(code));
	place->platform = code->program->platform;
	place->rest = code->mapped.bytes - place->offset;
	const struct kb_bits *bits = kb_code_recall(code);
	bool known = bits && kb_bits_span_at(bits, place->offset, &span);

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
	if (bits)
		kb_code_release_scratch();
	return true;
}
