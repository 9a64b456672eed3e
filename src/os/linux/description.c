/* See description.h. One table of the fields, by which they are written and read; numbers are whole ones in any locale. */
#define _GNU_SOURCE
#include "description.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/record.h"

#define FIRST "kbench-description "

/* REAL: the bits of a double, in hexadecimal digits. */
enum form { TEXT, FLAG, SMALL, LARGE, REAL };

struct field { const char *key; size_t at; enum form form; };

static const struct field bench_fields[] = {
	{ "name", offsetof(struct kb_bench, name), TEXT }, { "summary", offsetof(struct kb_bench, summary), TEXT },
	{ "per", offsetof(struct kb_bench, per), TEXT }, { "suite", offsetof(struct kb_bench, suite), SMALL },
	{ "portability", offsetof(struct kb_bench, portability), SMALL }, { "assumes", offsetof(struct kb_bench, assumes), TEXT },
	{ "lmbench", offsetof(struct kb_bench, lmbench), TEXT }, { "bound", offsetof(struct kb_bench, bound), SMALL },
	{ "method", offsetof(struct kb_bench, method), SMALL }, { "half_base", offsetof(struct kb_bench, half_base), FLAG },
	{ "needs", offsetof(struct kb_bench, needs), SMALL }, { "granule", offsetof(struct kb_bench, granule), LARGE },
	{ "period", offsetof(struct kb_bench, period), LARGE }, { "max_n", offsetof(struct kb_bench, max_n), LARGE },
	{ "bytes_per_op", offsetof(struct kb_bench, bytes_per_op), LARGE }, { "errors", offsetof(struct kb_bench, errors), TEXT },
	{ "base_does", offsetof(struct kb_bench, base_does), TEXT }, { "huge", offsetof(struct kb_bench, huge), FLAG },
	{ "parts", offsetof(struct kb_bench, parts), SMALL }, { "lmbench_with", offsetof(struct kb_bench, lmbench_with), TEXT },
	{ NULL, 0, TEXT },
};

static const struct field param_fields[] = {
	{ "name", offsetof(struct kb_param, name), TEXT }, { "summary", offsetof(struct kb_param, summary), TEXT },
	{ "kind", offsetof(struct kb_param, kind), SMALL }, { "values", offsetof(struct kb_param, values), TEXT },
	{ "min", offsetof(struct kb_param, min), LARGE }, { "max", offsetof(struct kb_param, max), LARGE },
	{ "choices", offsetof(struct kb_param, choices), TEXT }, { NULL, 0, TEXT },
};

static const struct field expect_fields[] = {
	{ "counter", offsetof(struct kb_expect, counter), SMALL }, { "per_op", offsetof(struct kb_expect, per_op), REAL },
	{ "per_sample", offsetof(struct kb_expect, per_sample), REAL }, { "tolerance", offsetof(struct kb_expect, tolerance), REAL },
	{ "who", offsetof(struct kb_expect, who), SMALL }, { "when", offsetof(struct kb_expect, when), TEXT }, { NULL, 0, TEXT },
};

static const struct field event_fields[] = {
	{ "name", offsetof(struct kb_event, name), TEXT }, { "per_op", offsetof(struct kb_event, per_op), REAL },
	{ "tolerance", offsetof(struct kb_event, tolerance), REAL }, { "when", offsetof(struct kb_event, when), TEXT }, { NULL, 0, TEXT },
};

_Static_assert(sizeof(enum kb_suite) == sizeof(unsigned), "SMALL is four bytes");

/* ---- functions ------------------------------------------------------------------------------------------- */

static int elsewhere(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	return -ENOSYS;
}

static int observe_elsewhere(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	*ticks = 0;
	return elsewhere(run, n);
}

/* Set-up and its end say nothing to a plan. */
static void write_hooks(struct kb_text *out, const struct kb_bench *bench)
{
	const struct { bool there; const char *name; } hooks[] = {
		{ bench->before, "before," }, { bench->op, "op," }, { bench->base, "base," }, { bench->observe, "observe," },
		{ bench->after, "after," }, { bench->check, "check," },
	};

	kb_text_str(out, " hooks=");
	for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
		kb_text_str(out, hooks[i].there ? hooks[i].name : "");
}

static void read_hooks(struct kb_span rest, struct kb_bench *bench)
{
	const struct { int (**hook)(struct kb_run *, uint64_t); const char *name; } hooks[] = {
		{ &bench->before, "before" }, { &bench->op, "op" }, { &bench->base, "base" }, { &bench->after, "after" }, { &bench->check, "check" },
	};
	char list[64];

	if (kb_record_field(rest, "hooks", list, sizeof list) < 0)
		return;
	for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
		*hooks[i].hook = kb_list_has(list, hooks[i].name) ? elsewhere : NULL;
	bench->observe = kb_list_has(list, "observe") ? observe_elsewhere : NULL;
}

/* ---- writing --------------------------------------------------------------------------------------------- */

static void write_field(struct kb_text *out, const struct field *field, const char *at)
{
	const char *text = NULL;
	uint64_t large = 0;
	unsigned small = 0;

	if (field->form == TEXT)
		memcpy(&text, at, sizeof text);
	else if (field->form == SMALL)
		memcpy(&small, at, sizeof small);
	else if (field->form != FLAG)
		memcpy(&large, at, sizeof large);
	if (field->form == TEXT && !text)
		return;
	kb_text_str(out, " ");
	kb_text_str(out, field->key);
	kb_text_str(out, "=");
	switch (field->form) {
	case TEXT: kb_text_quoted(out, text); break;
	case FLAG: kb_text_u64(out, *(const bool *)at); break;
	case SMALL: kb_text_u64(out, small); break;
	case LARGE: kb_text_u64(out, large); break;
	case REAL: kb_text_hex(out, large, 16); break;
	}
}

static void write_line(struct kb_text *out, const char *word, const struct field *fields, const void *at)
{
	kb_text_str(out, word);
	for (; fields->key; fields++)
		write_field(out, fields, (const char *)at + fields->at);
}

void kb_description_write(struct kb_text *out, const struct kb_bench *bench)
{
	kb_text_str(out, FIRST);
	kb_text_u64(out, KB_ABI);
	write_line(out, "\nbench", bench_fields, bench);
	write_hooks(out, bench);
	for (int i = 0; i < KB_PARAM_MAX && bench->params[i].name; i++)
		write_line(out, "\nparam", param_fields, &bench->params[i]);
	for (int i = 0; i < KB_EXPECT_MAX && bench->expect[i].counter; i++)
		write_line(out, "\nexpect", expect_fields, &bench->expect[i]);
	for (int i = 0; i < KB_EVENTS_MAX && bench->events[i].name; i++)
		write_line(out, "\nevent", event_fields, &bench->events[i]);
	kb_text_str(out, "\nend\n");
}

void kb_description_refuse(struct kb_text *out, const char *why)
{
	kb_text_str(out, FIRST);
	kb_text_u64(out, KB_ABI);
	kb_text_str(out, "\nrefused ");
	kb_text_quoted(out, why);
	kb_text_str(out, "\nend\n");
}

/* ---- reading --------------------------------------------------------------------------------------------- */

struct reading {
	struct kb_described *described;
	size_t used, room;              /* of its words */
	unsigned params, expects, events;
};

/* NULL where the line has no such field, or one that is no text. */
static const char *keep(struct reading *reading, struct kb_span rest, const char *key)
{
	char *at = reading->described->words + reading->used;
	int length = kb_record_field(rest, key, at, reading->room - reading->used);

	if (length < 0)
		return NULL;
	reading->used += (size_t)length + 1;
	return at;
}

static void read_field(struct reading *reading, struct kb_span rest, const struct field *field, char *at)
{
	uint64_t number = 0;
	unsigned small;
	char digits[24];
	const char *text;

	switch (field->form) {
	case TEXT:
		text = keep(reading, rest, field->key);
		memcpy(at, &text, sizeof text);
		break;
	case REAL:
		number = kb_record_field(rest, field->key, digits, sizeof digits) < 0 ? 0 : strtoull(digits, NULL, 16);
		memcpy(at, &number, sizeof number);
		break;
	case FLAG:
		kb_record_field_u64(rest, field->key, &number);
		*(bool *)at = number != 0;
		break;
	case SMALL:
		kb_record_field_u64(rest, field->key, &number);
		small = number > UINT32_MAX ? UINT32_MAX : (unsigned)number;
		memcpy(at, &small, sizeof small);
		break;
	case LARGE:
		kb_record_field_u64(rest, field->key, &number);
		memcpy(at, &number, sizeof number);
		break;
	}
}

static void read_fields(struct reading *reading, struct kb_span rest, const struct field *fields, void *at)
{
	for (; fields->key; fields++)
		read_field(reading, rest, fields, (char *)at + fields->at);
}

static void read_line(struct reading *reading, struct kb_span line)
{
	struct kb_bench *bench = &reading->described->bench;
	struct kb_span rest = line, word = kb_span_word(&rest);

	if (kb_span_is(word, "bench")) {
		read_fields(reading, rest, bench_fields, bench);
		read_hooks(rest, bench);
	} else if (kb_span_is(word, "param") && reading->params < KB_PARAM_MAX) {
		read_fields(reading, rest, param_fields, &bench->params[reading->params++]);
	} else if (kb_span_is(word, "expect") && reading->expects < KB_EXPECT_MAX) {
		read_fields(reading, rest, expect_fields, &bench->expect[reading->expects++]);
	} else if (kb_span_is(word, "event") && reading->events < KB_EVENTS_MAX) {
		read_fields(reading, rest, event_fields, &bench->events[reading->events++]);
	}
}

/* Without its newline. False: there is none. */
static bool take_line(struct kb_span *text, struct kb_span *line)
{
	const char *end = text->length > 0 ? memchr(text->at, '\n', text->length) : NULL;

	if (!end)
		return false;
	*line = (struct kb_span){ text->at, (size_t)(end - text->at) };
	*text = (struct kb_span){ end + 1, text->length - line->length - 1 };
	return true;
}

bool kb_description_is_whole(struct kb_span text)
{
	struct kb_span line;

	while (take_line(&text, &line)) {
		if (kb_span_is(line, "end"))
			return true;
	}
	return false;
}

static int is_of_this_version(struct kb_span text)
{
	struct kb_span line;
	uint64_t version;

	return take_line(&text, &line) && kb_span_starts(line, FIRST) &&
	       kb_span_u64((struct kb_span){ line.at + strlen(FIRST), line.length - strlen(FIRST) }, &version) && version == KB_ABI;
}

int kb_description_read(struct kb_span text, struct kb_described *described, char error[256])
{
	struct reading reading = { .described = described, .room = text.length + 1 };
	struct kb_span line;

	*described = (struct kb_described){ .bench = { .abi = KB_ABI, .size = sizeof described->bench } };
	if (!is_of_this_version(text) || !kb_description_is_whole(text)) {
		snprintf(error, 256, "no description of a benchmark that this version of kbench knows");
		return -EPROTO;
	}
	described->words = malloc(reading.room);
	if (!described->words) {
		snprintf(error, 256, "out of memory");
		return -ENOMEM;
	}
	while (take_line(&text, &line) && !kb_span_is(line, "end")) {
		if (kb_span_starts(line, "refused ")) {
			if (kb_span_unquote((struct kb_span){ line.at + 8, line.length - 8 }, error, 256) <= 0)
				snprintf(error, 256, "refused, for a reason that cannot be read");
			free(described->words);
			return -EINVAL;
		}
		read_line(&reading, line);
	}
	return 0;
}
