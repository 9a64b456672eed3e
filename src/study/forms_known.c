/* See forms.h: files of documented values. */
#include "study/forms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct kb_known *known;
	struct kb_arena *arena;
	bool (*is_here)(const char *processors);
	struct kb_known_form **forms_end;
	struct kb_known_reason **reasons_end;
	struct kb_known_pipes **pipes_end;
	unsigned columns, column;       /* of forms, and which of them is this processor's, */
	bool own;                       /* if one is */
};

static struct kb_span without_blanks(struct kb_span text)
{
	while (text.length && *text.at == ' ')
		text = (struct kb_span){ text.at + 1, text.length - 1 };
	return text;
}

/* cpu NAME VENDOR FAMILY FIRST LAST */
static bool take_cpu(struct reader *reader, struct kb_span rest)
{
	struct kb_span name = kb_span_word(&rest), numbers = rest;
	const char *processor = kb_arena_string(reader->arena, without_blanks(rest));
	uint64_t number;

	kb_span_word(&numbers);
	for (unsigned i = 0; i < 3; i++)
		if (!kb_span_u64(kb_span_word(&numbers), &number))
			return false;
	if (reader->is_here(processor))
		reader->known->core = kb_arena_string(reader->arena, name);
	return true;
}

static bool take_cycles(struct reader *reader, struct kb_span word, double *cycles)
{
	const char *text = kb_arena_string(reader->arena, word);
	char *end;

	*cycles = strcmp(text, "-") ? strtod(text, &end) : NAN;
	return !strcmp(text, "-") || (end != text && !*end && *cycles > 0);
}

/* "1/0.25" */
static bool take_pair(struct reader *reader, struct kb_span word, struct kb_known_form *form)
{
	const char *slash = memchr(word.at, '/', word.length);

	return slash && take_cycles(reader, (struct kb_span){ word.at, (size_t)(slash - word.at) }, &form->latency) &&
	       take_cycles(reader, (struct kb_span){ slash + 1, word.length - (size_t)(slash + 1 - word.at) }, &form->throughput);
}

/* FORM LATENCY/THROUGHPUT..., of which one column is this processor's. */
static bool take_form(struct reader *reader, struct kb_span name, struct kb_span rest)
{
	struct kb_known_form *form = kb_arena_take(reader->arena, sizeof *form);
	struct kb_span word = kb_span_word(&rest);

	for (unsigned i = 0; i < reader->column && word.length; i++)
		word = kb_span_word(&rest);
	if (!reader->columns || !word.length)
		return false;
	if (!reader->own || kb_span_is(word, "-"))
		return true;
	form->name = kb_arena_string(reader->arena, name);
	*reader->forms_end = form;
	reader->forms_end = &form->next;
	return take_pair(reader, word, form);
}

/* Whether the next word is this processor's core. */
static bool is_own(const struct reader *reader, struct kb_span *rest)
{
	struct kb_span core = kb_span_word(rest);

	return reader->known->core && kb_span_is(core, reader->known->core);
}

/* why CORE latency|throughput PATTERN TEXT */
static bool take_reason(struct reader *reader, struct kb_span rest)
{
	struct kb_known_reason *reason = kb_arena_take(reader->arena, sizeof *reason);

	if (!is_own(reader, &rest))
		return true;
	reason->what = kb_arena_string(reader->arena, kb_span_word(&rest));
	reason->pattern = kb_arena_string(reader->arena, kb_span_word(&rest));
	reason->text = kb_arena_string(reader->arena, without_blanks(rest));
	*reader->reasons_end = reason;
	reader->reasons_end = &reason->next;
	return (!strcmp(reason->what, "latency") || !strcmp(reason->what, "throughput")) && reason->text[0];
}

/* cores CORE... */
static bool take_columns(struct reader *reader, struct kb_span rest)
{
	struct kb_span word;

	reader->columns = 0;
	reader->own = false;
	while ((word = kb_span_word(&rest)).length) {
		if (reader->known->core && kb_span_is(word, reader->known->core)) {
			reader->column = reader->columns;
			reader->own = true;
		}
		reader->columns++;
	}
	return reader->columns > 0;
}

/* pipes CORE PIPE,PIPE... FORM... */
static bool take_pipes(struct reader *reader, struct kb_span rest)
{
	struct kb_known_pipes *pipes = kb_arena_take(reader->arena, sizeof *pipes);

	if (!is_own(reader, &rest))
		return true;
	pipes->name = kb_arena_string(reader->arena, kb_span_word(&rest));
	pipes->forms = kb_arena_string(reader->arena, without_blanks(rest));
	*reader->pipes_end = pipes;
	reader->pipes_end = &pipes->next;
	return pipes->forms[0];
}

static bool take(void *context, struct kb_span line, unsigned number)
{
	struct reader *reader = context;
	struct kb_span rest = line, word = kb_span_word(&rest);

	(void)number;
	if (!word.length)
		return true;
	if (kb_span_is(word, "cpu"))
		return take_cpu(reader, rest);
	if (kb_span_is(word, "why"))
		return take_reason(reader, rest);
	if (kb_span_is(word, "pipes"))
		return take_pipes(reader, rest);
	if (kb_span_is(word, "cores"))
		return take_columns(reader, rest);
	if (!kb_span_is(word, "source"))
		return take_form(reader, word, rest);
	if (is_own(reader, &rest))
		reader->known->source = kb_arena_string(reader->arena, without_blanks(rest));
	return true;
}

bool kb_known_read(struct kb_known *known, struct kb_arena *arena, const char *path, const char *text, bool (*is_here)(const char *processors))
{
	struct reader reader = {
		.known = known, .arena = arena, .is_here = is_here, .forms_end = &known->forms, .reasons_end = &known->reasons,
		.pipes_end = &known->pipes,
	};

	*known = (struct kb_known){ .source = "" };
	unsigned wrong = kb_forms_lines(text, take, &reader);

	if (wrong)
		snprintf(known->error, sizeof known->error, "%.160s:%u: no documented value; the head of forms_x86_64.known has the lines that may stand here",
			 path, wrong);
	return wrong == 0;
}

const struct kb_known_form *kb_known_of(const struct kb_known *known, const char *form)
{
	const struct kb_known_form *at = known->forms;

	while (at && strcmp(at->name, form))
		at = at->next;
	return at;
}
