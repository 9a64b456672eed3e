/*
 * From blocks to an assembler file. The trap on x86: an immediate without OFFSET silently becomes a load from memory, so
 * OFFSET is written wherever a number stands outside brackets in an instruction. The other: a name of ours must never be
 * one of the program's, nor a register, which would change the meaning without a word.
 */
#define _GNU_SOURCE
#include "assemble/inside.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* ---- reading a block ----------------------------------------------------------------------------- */

struct scan {
	struct kb_assembling *work;
	unsigned number;                        /* of the block */
	const char *at, *end;
	unsigned brackets;
	unsigned owed;                          /* newlines that an expression or a comment held, for the statement's end */
	size_t statement;                       /* where it begins in the text written */
	uint32_t use, mark;                     /* met so far */
	const struct kb_value *numbers;         /* NULL: symbols are written */
	struct kb_assemble_text *out;           /* NULL: things are only collected */
};

static bool name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool starts(const char *at, const char *end, const char *word)
{
	return kb_span_starts((struct kb_span){ at, (size_t)(end - at) }, word);
}

/* Behind a comment, a string or a character constant that begins here; NULL if none does. */
static const char *past_quoted(const char *at, const char *end, bool characters)
{
	char quote = *at;
	const char *close;

	if (starts(at, end, "//")) {
		close = memchr(at, '\n', (size_t)(end - at));
		return close ? close : end;
	}
	if (starts(at, end, "/*")) {
		close = memmem(at + 2, (size_t)(end - at) - 2, "*/", 2);
		return close ? close + 2 : end;
	}
	if (quote != '"' && !(characters && quote == '\''))
		return NULL;
	for (at++; at < end && *at != quote && *at != '\n'; at++)
		if (*at == '\\' && at + 1 < end)
			at++;
	return at < end && *at == quote ? at + 1 : at;
}

/* The closing parenthesis of C text; NULL if there is none. */
static const char *expression_end(const char *at, const char *end)
{
	unsigned depth = 1;

	while (at < end) {
		const char *past = past_quoted(at, end, true);

		if (past) {
			at = past;
			continue;
		}
		depth += *at == '(';
		if (*at == ')' && --depth == 0)
			return at;
		at++;
	}
	return NULL;
}

/* Whether two expressions are the same but for blanks; a blank counts where it parts two words or two operators. */
static bool same_expression(const struct kb_assemble_value *a, const struct kb_assemble_value *b)
{
	size_t i = 0, j = 0;
	char last = ' ';

	for (;;) {
		bool gap_a = false, gap_b = false;

		for (; i < a->length && isspace((unsigned char)a->at[i]); i++)
			gap_a = true;
		for (; j < b->length && isspace((unsigned char)b->at[j]); j++)
			gap_b = true;
		if (i == a->length || j == b->length)
			return i == a->length && j == b->length;
		if (a->at[i] != b->at[j])
			return false;
		if (gap_a != gap_b && ((name_char(last) && name_char(a->at[i])) || last == a->at[i]))
			return false;
		last = a->at[i];
		i++;
		j++;
	}
}

/* The file of which a name stands right before the hole: the x of `x$(n)`. */
static const struct kb_register_file *file_of(const struct scan *scan)
{
	const char *start = scan->at, *text = scan->work->sources[scan->number].block->text;
	const struct kb_register_file *file = scan->work->target->registers;

	while (start > text && name_char(start[-1]))
		start--;
	for (; file->prefix; file++)
		if (strlen(file->prefix) == (size_t)(scan->at - start) && !strncasecmp(start, file->prefix, (size_t)(scan->at - start)))
			return file;
	return NULL;
}

static void collect_use(struct scan *scan, const char *from, const char *to)
{
	const struct kb_register_file *file = file_of(scan);
	struct kb_assembly *assembly = scan->work->assembly;
	struct kb_assemble_source *source = &scan->work->sources[scan->number];
	struct kb_assembled *assembled = &assembly->blocks[scan->number];
	struct kb_assemble_value value = { from, (size_t)(to - from), kb_assemble_line(source->block, scan->at) };
	uint32_t index = 0;

	while (index < assembled->value_count && !same_expression(&assembled->values[index], &value))
		index++;
	if (index == assembled->value_count) {
		assembled->values = kb_arena_room(&assembly->arena, assembled->values, index, &source->value_room, sizeof(value));
		assembled->values[assembled->value_count++] = value;
	}
	source->uses = kb_arena_room(&assembly->arena, source->uses, source->use_count, &source->use_room, sizeof(*source->uses));
	source->uses[source->use_count++] = (struct kb_assemble_use){ index, scan->at, value.line, file, source->register_count };
	source->register_count += file != NULL;
}

static void collect_mark(struct scan *scan, const char *from, const char *to, bool defined)
{
	struct kb_arena *arena = &scan->work->assembly->arena;
	struct kb_assemble_source *source = &scan->work->sources[scan->number];

	source->marks = kb_arena_room(arena, source->marks, source->mark_count, &source->mark_room, sizeof(*source->marks));
	source->marks[source->mark_count++] = (struct kb_assemble_mark){
		kb_arena_string(arena, (struct kb_span){ from, (size_t)(to - from) }), defined, scan->at,
		kb_assemble_line(source->block, scan->at),
	};
}

static void collect_name(struct scan *scan, struct kb_span **names, uint32_t *count, size_t *room, struct kb_span name)
{
	if (!name.length)
		return;
	*names = kb_arena_room(&scan->work->assembly->arena, *names, *count, room, sizeof **names);
	(*names)[(*count)++] = name;
}

static const char *past_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

static struct kb_span name_at(const char *at, const char *end)
{
	const char *start = past_blanks(at, end);

	for (at = start; at < end && name_char(*at); at++)
		;
	return (struct kb_span){ start, (size_t)(at - start) };
}

/* What a statement defines for the rest of the file, as the assembler sees it: here, for the rest of the block. */
static void collect_definition(struct scan *scan, const char *statement)
{
	static const char *const sets[] = { ".set", ".equ", ".equiv" };
	struct kb_assemble_source *source = &scan->work->sources[scan->number];
	const char *end = scan->end, *at = past_blanks(statement, end);
	struct kb_span name = name_at(at, end);
	const char *behind = past_blanks(name.at + name.length, end);

	for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
		if (starts(at, end, sets[i]) && isspace((unsigned char)at[strlen(sets[i])]))
			collect_name(scan, &source->sets, &source->set_count, &source->set_room, name_at(at + strlen(sets[i]), end));
	if (starts(at, end, ".macro") && at + 6 < end && isspace((unsigned char)at[6]))
		collect_name(scan, &source->macros, &source->macro_count, &source->macro_room, name_at(at + 6, end));
	if (behind < end && *behind == '=' && !isdigit((unsigned char)*name.at))
		collect_name(scan, &source->sets, &source->set_count, &source->set_room, name);
}

static bool is_set(const struct scan *scan, struct kb_span name)
{
	const struct kb_assemble_source *source = &scan->work->sources[scan->number];

	for (uint32_t i = 0; i < source->set_count; i++)
		if (kb_span_equal(source->sets[i], name))
			return true;
	return false;
}

/* ---- writing a block ----------------------------------------------------------------------------- */

/* Whether the statement that is being written is a directive: `name: .byte`. */
static bool in_directive(const struct scan *scan)
{
	const char *at = scan->out->at + scan->statement, *end = scan->out->at + scan->out->used;

	for (;;) {
		const char *word;

		while (at < end && isspace((unsigned char)*at))
			at++;
		word = at;
		while (at < end && (name_char(*at) || *at == '.' || *at == '$'))
			at++;
		if (at == word || at >= end || *at != ':')
			return *word == '.';
		at++;
	}
}

/* Whether the text written ends with the word, in any case of letters. */
static bool behind_word(const struct scan *scan, const char *word)
{
	const char *end = scan->out->at + scan->out->used;
	size_t length = strlen(word);

	while (end > scan->out->at + scan->statement && isspace((unsigned char)end[-1]))
		end--;
	if ((size_t)(end - scan->out->at) < scan->statement + length || strncasecmp(end - length, word, length))
		return false;
	end -= length;
	return !name_char(*word) || end == scan->out->at || !name_char(end[-1]);
}

static bool before_bracket(const struct scan *scan, const char *past)
{
	while (past < scan->end && (*past == ' ' || *past == '\t'))
		past++;
	return past < scan->end && *past == '[';
}

/* The operand that a modifier of AArch64 makes of a number, which the assembler would not take together: `:lo12:8`. */
static void write_modified(struct scan *scan, uint64_t number)
{
	struct kb_assemble_text *out = scan->out;
	const char *statement = out->at + scan->statement, *modifier = out->at + out->used;
	int shift = 0;

	if (modifier > statement && modifier[-1] == ':')
		modifier--;
	while (modifier > statement && modifier[-1] != ':')
		modifier--;
	if (!starts(modifier, out->at + out->used, "lo12:") && !starts(modifier, out->at + out->used, "abs_g")) {
		kb_assemble_print(out, "0x%llx", (unsigned long long)number);
		return;
	}
	bool is_move = modifier[0] == 'a' && modifier[5] >= '0' && modifier[5] <= '3';
	char *movn = is_move && strstr(modifier, "_s:") ? strcasestr(out->at + scan->statement, "movn") : NULL;

	/* Composition chooses by the sign, and the number is not negative. */
	if (movn)
		movn[3] = 'z';
	if (is_move)
		shift = 16 * (modifier[5] - '0');
	out->used = (size_t)(modifier - out->at) - (modifier > out->at && modifier[-1] == ':');
	if (is_move)
		kb_assemble_print(out, "0x%llx, lsl #%d", (unsigned long long)(number >> shift & 0xffff), shift);
	else
		kb_assemble_print(out, "0x%llx", (unsigned long long)number);
}

/* Of a register: that which stands for all, but one of them may have another. Two that are next to each other have not the same, which an
   instruction might refuse. */
static void write_register(struct scan *scan, const struct kb_assemble_use *use)
{
	const struct kb_assembling *work = scan->work;
	uint64_t number = scan->numbers ? scan->numbers[use->value].bits
		: work->chosen == use->number + 1 ? work->chosen_number : kb_assemble_base(use);

	kb_assemble_print(scan->out, "%llu", (unsigned long long)number);
}

static void write_use(struct scan *scan, const char *past)
{
	const struct kb_assembling *work = scan->work;
	const struct kb_assemble_use *use = &work->sources[scan->number].uses[scan->use];
	bool bare = work->target->intel && scan->brackets == 0 && !in_directive(scan) && !before_bracket(scan, past);
	/* `fs:$(n)`, `qword ptr $(n)`: memory without brackets, which a bare number there would not be. */
	bool memory = bare && (behind_word(scan, ":") || behind_word(scan, "ptr"));

	if (use->file) {
		write_register(scan, use);
		return;
	}
	if (!scan->numbers) {
		kb_assemble_print(scan->out, "%s%s%uh%u", bare && !memory && !behind_word(scan, "offset") ? "OFFSET " : "", work->prefix,
			scan->number, scan->use);
		return;
	}
	uint64_t number = scan->numbers[work->sources[scan->number].uses[scan->use].value].bits;

	if (memory)
		kb_assemble_print(scan->out, "[0x%llx]", (unsigned long long)number);
	else
		write_modified(scan, number);
}

/* A newline would end the instruction here: it is written where the instruction ends, so that lines keep their numbers. */
static void owe_newlines(struct scan *scan, const char *past)
{
	for (const char *at = scan->at; at < past; at++)
		scan->owed += *at == '\n';
}

static void pay_newlines(struct scan *scan)
{
	for (; scan->owed > 0; scan->owed--)
		kb_assemble_put(scan->out, "\n", 1);
}

static void hole(struct scan *scan)
{
	const char *close = expression_end(scan->at + 2, scan->end);

	if (!close) {
		kb_assemble_report(scan->work->assembly, 102, scan->work->sources[scan->number].block, scan->at, 0,
			"$( is not closed; write $(c_expr)");
		scan->at = scan->end;
		return;
	}
	if (scan->out) {
		write_use(scan, close + 1);
		owe_newlines(scan, close);
	} else {
		collect_use(scan, scan->at + 2, close);
	}
	scan->use++;
	scan->at = close + 1;
}

/* Uses and definitions are different symbols, also within a block: every use then is a hole, joined at composition. */
static void mark(struct scan *scan)
{
	const char *name = scan->at + 1, *past = name, *colon;

	while (past < scan->end && name_char(*past))
		past++;
	for (colon = past; colon < scan->end && (*colon == ' ' || *colon == '\t'); colon++)
		;
	bool defined = colon < scan->end && *colon == ':';

	if (!scan->out)
		collect_mark(scan, name, past, defined);
	else
		kb_assemble_print(scan->out, "%s%u%c%u", scan->work->prefix, scan->number, defined ? 'd' : 'u', scan->mark);
	scan->mark++;
	scan->at = past;
}

static void plain(struct scan *scan)
{
	char c = *scan->at++;

	scan->brackets = c == '[' ? scan->brackets + 1 : c == ']' && scan->brackets ? scan->brackets - 1 : scan->brackets;
	if (scan->out)
		kb_assemble_put(scan->out, &c, 1);
	if (c != '\n' && c != ';')
		return;
	scan->brackets = 0;
	if (!scan->out)
		collect_definition(scan, scan->at);
	if (scan->out && c == '\n')
		pay_newlines(scan);
	scan->statement = scan->out ? scan->out->used : 0;
}

/* One token. A .L label gets the block's number, for it is private to the block and all blocks share a file. */
static void step(struct scan *scan)
{
	const char *past = past_quoted(scan->at, scan->end, false);
	char c = *scan->at, before = scan->at > scan->work->sources[scan->number].block->text ? scan->at[-1] : ' ';

	if (past) {
		/* A comment becomes a blank, a string stays. */
		if (scan->out && *scan->at == '/') {
			owe_newlines(scan, past);
			kb_assemble_put(scan->out, " ", 1);
			if (scan->out->used - scan->statement == strspn(scan->out->at + scan->statement, " \t\n"))
				pay_newlines(scan);
		} else if (scan->out) {
			kb_assemble_put(scan->out, scan->at, (size_t)(past - scan->at));
		}
		scan->at = past;
	} else if (starts(scan->at, scan->end, "$(")) {
		hole(scan);
	} else if (c == '@' && scan->at + 1 < scan->end && (isalpha((unsigned char)scan->at[1]) || scan->at[1] == '_') &&
		   !name_char(before) && before != '@') {
		mark(scan);
	} else if (starts(scan->at, scan->end, ".L") && !name_char(before) && before != '.' && before != '$') {
		if (scan->out)
			kb_assemble_print(scan->out, ".L%s%u_", scan->work->prefix, scan->number);
		scan->at += 2;
	} else if (scan->out && name_char(c) && !name_char(before) && before != '.' && before != '$' && before != '\\' &&
		   is_set(scan, name_at(scan->at, scan->end))) {
		struct kb_span name = name_at(scan->at, scan->end);

		kb_assemble_print(scan->out, "%s%u_%.*s", scan->work->prefix, scan->number, (int)name.length, name.at);
		scan->at += name.length;
	} else {
		plain(scan);
	}
}

static void run(struct kb_assembling *work, unsigned number, struct kb_assemble_text *out, const struct kb_value *numbers)
{
	const struct kb_assemble_block *block = work->sources[number].block;
	struct scan scan = { .work = work, .number = number, .at = block->text, .end = block->text + block->length,
		.numbers = numbers, .out = out, .statement = out ? out->used : 0 };

	if (!out)
		collect_definition(&scan, scan.at);
	while (scan.at < scan.end)
		step(&scan);
}

/* ---- all blocks ---------------------------------------------------------------------------------- */

static bool in_program(const struct kb_assembling *work, const char *word)
{
	for (unsigned i = 0; i < work->count; i++)
		if (memmem(work->sources[i].block->text, work->sources[i].block->length, word, strlen(word)))
			return true;
	return false;
}

void kb_assemble_scan(struct kb_assembling *work)
{
	/* What no text of the program has. */
	snprintf(work->prefix, sizeof(work->prefix), "Yb");
	for (unsigned i = 1; in_program(work, work->prefix); i++)
		snprintf(work->prefix, sizeof(work->prefix), "Y%ub", i);
	for (unsigned i = 0; i < work->count; i++)
		run(work, i, NULL, NULL);
}

/* What else would last to the end of the file. */
static void end_block(const struct kb_assembling *work, unsigned number, struct kb_assemble_text *out)
{
	static const char *const chooses[] = { ".arch", ".arch_extension", ".cpu", ".option", NULL };
	const struct kb_assemble_source *source = &work->sources[number];

	for (uint32_t i = 0; i < source->macro_count; i++) {
		bool again = false;

		for (uint32_t j = 0; j < i; j++)
			again |= kb_span_equal(source->macros[i], source->macros[j]);
		if (!again && !kb_assemble_find_any(source->block, (const char *const[]){ ".purgem", NULL }))
			kb_assemble_print(out, ".purgem %.*s\n", (int)source->macros[i].length, source->macros[i].at);
	}
	if (work->target->restore && ((source->block->directives && source->block->directives[0]) || kb_assemble_find_any(source->block, chooses)))
		kb_assemble_print(out, "%s", work->target->restore);
}

void kb_assemble_write_block(struct kb_assembling *work, unsigned block, struct kb_assemble_text *out, const struct kb_value *numbers)
{
	const char *directives = work->sources[block].block->directives;

	/* With the prelude each time: a directive of the block before, .code32 or .att_syntax, ends with it. */
	kb_assemble_print(out, ".section .%s%u,\"ax\"\n%s", work->prefix, block, work->target->prelude);
	if (directives)
		kb_assemble_put(out, directives, strlen(directives));
	kb_assemble_print(out, "# %u \"%s%u\"\n", work->sources[block].block->line, work->prefix, block);
	run(work, block, out, numbers);
	kb_assemble_print(out, "\n%s%ue0:\n", work->prefix, block);
	end_block(work, block, out);
}

void kb_assemble_write(struct kb_assembling *work, struct kb_assemble_text *out, const struct kb_value *const *numbers)
{
	for (unsigned i = 0; i < work->count; i++)
		kb_assemble_write_block(work, i, out, numbers ? numbers[i] : NULL);
}
