/* See forms.h: a file of templates, line by line. */
#include "yamba/forms/forms.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GROUP_KINDS 8

/* Kinds that a template takes in step: "r" is r8, r16, r32, r64. */
struct group {
	struct group *next;
	const char *name;
	const struct kb_form_kind *kind[GROUP_KINDS];
	unsigned count;
};

struct reader {
	struct kb_forms *forms;
	struct kb_form_kind **kinds_end;
	struct kb_form **forms_end;
	struct group *groups;
	const char *needs;              /* of the templates that follow */
	unsigned line;
};

static bool refuse(struct reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(struct reader *reader, const char *format, ...)
{
	char what[300];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	snprintf(reader->forms->error, sizeof reader->forms->error, "%.80s:%u: %.300s", reader->forms->path, reader->line, what);
	return false;
}

#define SHORT(span) ((span).length > 60 ? 60 : (int)(span).length), (span).at

static const char *keep(struct reader *reader, struct kb_span span)
{
	return kb_arena_string(reader->forms->arena, span);
}

/* "..." without its quotes, or a word. */
static struct kb_span take_text(struct kb_span *rest)
{
	size_t blanks = 0;

	while (blanks < rest->length && (rest->at[blanks] == ' ' || rest->at[blanks] == '\t'))
		blanks++;
	*rest = (struct kb_span){ rest->at + blanks, rest->length - blanks };
	const char *end = rest->length && *rest->at == '"' ? memchr(rest->at + 1, '"', rest->length - 1) : NULL;

	if (!end)
		return kb_span_word(rest);
	struct kb_span inside = { rest->at + 1, (size_t)(end - rest->at) - 1 };

	*rest = (struct kb_span){ end + 1, rest->length - (size_t)(end + 1 - rest->at) };
	return inside;
}

static const struct kb_form_kind *find_kind(const struct reader *reader, struct kb_span name)
{
	const struct kb_form_kind *kind = reader->forms->kinds;

	while (kind && !kb_span_is(name, kind->name))
		kind = kind->next;
	return kind;
}

static const struct group *find_group(const struct reader *reader, struct kb_span name)
{
	const struct group *group = reader->groups;

	while (group && !kb_span_is(name, group->name))
		group = group->next;
	return group;
}

/* ---- kinds --------------------------------------------------------------------------------------- */

static struct kb_form_kind *add_kind(struct reader *reader, struct kb_span name)
{
	struct kb_form_kind *kind = kb_arena_take(reader->forms->arena, sizeof *kind);

	kind->name = keep(reader, name);
	kind->needs = "";
	*reader->kinds_end = kind;
	reader->kinds_end = &kind->next;
	return kind;
}

/* register NAME FILE BITS WRITTEN... constant READ... [needs FEATURE...] */
static bool read_register(struct reader *reader, struct kb_span rest)
{
	struct kb_span name = kb_span_word(&rest), file = kb_span_word(&rest), word;
	struct kb_form_kind *kind = add_kind(reader, name);
	uint64_t bits;
	size_t room = 0;

	if (file.length != 1 || !kb_span_u64(kb_span_word(&rest), &bits))
		return refuse(reader, "a register is: register NAME FILE BITS WRITTEN... constant READ...; the file is one letter");
	kind->file = *file.at;
	kind->bits = (unsigned)bits;
	while ((word = kb_span_word(&rest)).length && !kb_span_is(word, "constant")) {
		kind->pool = kb_arena_room(reader->forms->arena, kind->pool, kind->pool_count, &room, sizeof *kind->pool);
		kind->pool[kind->pool_count++] = keep(reader, word);
	}
	while ((word = kb_span_word(&rest)).length && !kb_span_is(word, "needs") && kind->constants < KB_FORM_OPERANDS)
		kind->constant[kind->constants++] = keep(reader, word);
	if (!kind->pool_count || !kind->constants)
		return refuse(reader, "the register %s needs registers that are written, and behind 'constant' some that are not", kind->name);
	kind->needs = keep(reader, rest);
	return true;
}

/* memory NAME BITS "TEXT" "TEXT WITH %" */
static bool read_memory(struct reader *reader, struct kb_span rest)
{
	struct kb_form_kind *kind = add_kind(reader, kb_span_word(&rest));
	uint64_t bits;

	if (!kb_span_u64(kb_span_word(&rest), &bits))
		return refuse(reader, "memory is: memory NAME BITS \"ADDRESS\" \"ADDRESS WITH %%\"");
	kind->bits = (unsigned)bits;
	kind->constant[0] = keep(reader, take_text(&rest));
	kind->address = keep(reader, take_text(&rest));
	return strchr(kind->address, '%') ? true : refuse(reader, "the second address of %s needs a %% for the register that it waits for", kind->name);
}

/* value NAME TEXT */
static bool read_value(struct reader *reader, struct kb_span rest)
{
	struct kb_form_kind *kind = add_kind(reader, kb_span_word(&rest));

	kind->constant[0] = keep(reader, take_text(&rest));
	return kind->constant[0][0] ? true : refuse(reader, "a value is: value NAME TEXT");
}

/* group NAME KIND... */
static bool read_group(struct reader *reader, struct kb_span rest)
{
	struct group *group = kb_arena_take(reader->forms->arena, sizeof *group);
	struct kb_span word;

	group->name = keep(reader, kb_span_word(&rest));
	while ((word = kb_span_word(&rest)).length) {
		if (group->count == GROUP_KINDS)
			return refuse(reader, "a group has at most %d kinds", GROUP_KINDS);
		group->kind[group->count] = find_kind(reader, word);
		if (!group->kind[group->count++])
			return refuse(reader, "there is no kind '%.*s'; kinds stand above the groups", SHORT(word));
	}
	group->next = reader->groups;
	reader->groups = group;
	return group->count > 0 ? true : refuse(reader, "a group is: group NAME KIND...");
}

/* ---- templates ----------------------------------------------------------------------------------- */

/* Operands of a template: each is a group or a kind. */
struct template {
	struct kb_form_operand operand[KB_FORM_OPERANDS];
	const struct group *group[KB_FORM_OPERANDS];
	unsigned count, steps;          /* kinds of its groups; 0: it has none */
};

static bool read_operand(struct reader *reader, struct template *template, struct kb_span word)
{
	struct kb_form_operand *operand = &template->operand[template->count];
	char access = word.length ? *word.at : '\0';

	operand->writes = access == '=' || access == '+';
	operand->reads = access != '=';
	if (operand->writes)
		word = (struct kb_span){ word.at + 1, word.length - 1 };
	const struct group *group = template->group[template->count++] = find_group(reader, word);

	operand->kind = find_kind(reader, word);
	if (!group)
		return operand->kind ? true : refuse(reader, "there is no kind and no group '%.*s'", SHORT(word));
	if (template->steps > 0 && template->steps != group->count)
		return refuse(reader, "the groups of a template are taken in step; '%s' has %u kinds, the one before %u", group->name, group->count,
			      template->steps);
	template->steps = group->count;
	return true;
}

static const char *name_of(struct kb_arena *arena, const struct kb_form *form)
{
	const char *name = form->mnemonic;

	for (unsigned i = 0; i < form->count; i++)
		name = kb_arena_format(arena, "%s_%s", name, form->operand[i].kind->name);
	return name;
}

static bool add_form(struct reader *reader, const struct template *template, const char *mnemonic, unsigned step)
{
	struct kb_arena *arena = reader->forms->arena;
	struct kb_form *form = kb_arena_take(arena, sizeof *form);

	form->mnemonic = mnemonic;
	form->count = template->count;
	form->line = reader->line;
	form->needs = reader->needs;
	memcpy(form->operand, template->operand, sizeof form->operand);
	for (unsigned i = 0; i < form->count; i++) {
		if (template->group[i])
			form->operand[i].kind = template->group[i]->kind[step];
		form->needs = kb_arena_format(arena, "%s %s", form->needs, form->operand[i].kind->needs);
	}
	form->name = name_of(arena, form);
	for (const struct kb_form *other = reader->forms->forms; other; other = other->next)
		if (!strcmp(other->name, form->name))
			return refuse(reader, "%s is there already, by line %u", form->name, other->line);
	*reader->forms_end = form;
	reader->forms_end = &form->next;
	reader->forms->form_count++;
	return true;
}

/* MNEMONIC... : [=|+]OPERAND ... */
static bool read_template(struct reader *reader, struct kb_span line, const char *colon)
{
	struct kb_span names = { line.at, (size_t)(colon - line.at) }, rest = { colon + 1, line.length - names.length - 1 }, word;
	struct template template = { .steps = 0 };

	while ((word = kb_span_word(&rest)).length) {
		if (template.count == KB_FORM_OPERANDS)
			return refuse(reader, "an instruction has at most %d operands", KB_FORM_OPERANDS);
		if (!read_operand(reader, &template, word))
			return false;
	}
	while ((word = kb_span_word(&names)).length) {
		const char *mnemonic = keep(reader, word);

		for (unsigned step = 0; step < (template.steps ?: 1); step++)
			if (!add_form(reader, &template, mnemonic, step))
				return false;
	}
	return true;
}

/* ---- the file ------------------------------------------------------------------------------------ */

static bool read_line(void *context, struct kb_span line, unsigned number)
{
	struct reader *reader = context;
	const char *colon = memchr(line.at, ':', line.length);
	struct kb_span rest = line, word = kb_span_word(&rest);

	reader->line = number;
	if (!word.length)
		return true;
	if (kb_span_is(word, "register"))
		return read_register(reader, rest);
	if (kb_span_is(word, "memory"))
		return read_memory(reader, rest);
	if (kb_span_is(word, "value"))
		return read_value(reader, rest);
	if (kb_span_is(word, "group"))
		return read_group(reader, rest);
	if (kb_span_is(word, "frame"))
		return (reader->forms->frame = keep(reader, kb_span_word(&rest)));
	if (kb_span_is(word, "pipes"))
		return (reader->forms->pipes = kb_arena_format(reader->forms->arena, "%s %s", reader->forms->pipes, keep(reader, rest)));
	if (kb_span_is(word, "dispatch"))
		return (reader->forms->dispatch = keep(reader, kb_span_word(&rest)));
	if (kb_span_is(word, "needs"))
		return (reader->needs = keep(reader, rest));
	return colon ? read_template(reader, line, colon)
		     : refuse(reader, "'%.*s' begins no line; write 'INSTRUCTION... : OPERAND ...', or frame, register, memory, value, group, needs, pipes or dispatch",
			      SHORT(word));
}

unsigned kb_forms_lines(const char *text, bool (*take)(void *context, struct kb_span line, unsigned number), void *context)
{
	for (unsigned number = 1; *text; number++) {
		size_t length = strcspn(text, "\n");

		if (!take(context, (struct kb_span){ text, strcspn(text, "#\n") }, number))
			return number;
		text += length + (text[length] != '\0');
	}
	return 0;
}

bool kb_forms_read(struct kb_forms *forms, struct kb_arena *arena, const char *path, const char *text)
{
	struct reader reader = { .forms = forms, .kinds_end = &forms->kinds, .forms_end = &forms->forms, .needs = "" };

	*forms = (struct kb_forms){ .arena = arena, .path = path, .pipes = "", .dispatch = "" };
	if (kb_forms_lines(text, read_line, &reader))
		return false;
	return forms->frame && forms->forms ? true : refuse(&reader, "a file of templates needs a 'frame CLASS' and templates");
}
