/*
 * What a benchmark says of single observations: that one is refuted, and numbers that go with it. Hooks say it between
 * samples, so it is only kept there; text is made of it when the block is over.
 */
#define _GNU_SOURCE
#include "collect/linux/context.h"
#include "record_format.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_BYTES 23       /* of a covariate, as of other names of the record */
#define TEXT_MAX 79             /* of a refutation */

/* Of the observations of one block, or group: pages that nobody writes to are never there. */
static struct {
	char names[KB_COVARIATES][NAME_MAX_BYTES + 1];
	unsigned count;
	double values[KB_GROUP_TESTS_MAX][KB_COVARIATES];
	bool has[KB_GROUP_TESTS_MAX][KB_COVARIATES];
	char refuted[KB_GROUP_TESTS_MAX][TEXT_MAX + 1];
	char wrong[160];        /* the first thing that cannot be recorded */
} annotations;

/* No part of a UTF-8 character: results hand this text to JSON. */
static int clipped(const char *text)
{
	size_t length = strlen(text);

	if (length <= TEXT_MAX)
		return (int)length;
	for (length = TEXT_MAX; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80; length--)
		;
	return (int)length;
}

int kb_refute(struct kb_run *run, const char *text)
{
	struct kb_measure *measure = run->context->measure;

	if (!measure) /* a proof counts system calls, and nothing else */
		return 0;
	measure->observations[measure->at].flags |= KB_FLAG_REFUTED;
	text = text && text[0] ? text : "no reason given";
	snprintf(annotations.refuted[measure->at], sizeof annotations.refuted[0], "%.*s", clipped(text), text);
	return 0;
}

/* It stands in front of an `=`, and outside quotes. */
static bool is_name(const char *name)
{
	size_t length = name ? strlen(name) : 0;

	for (size_t i = 0; i < length; i++) {
		if (name[i] <= ' ' || name[i] > '~' || strchr("=\"\\", name[i]))
			return false;
	}
	return length > 0 && length <= NAME_MAX_BYTES;
}

static unsigned index_of(const char *name)
{
	unsigned i = 0;

	while (i < annotations.count && strcmp(annotations.names[i], name))
		i++;
	return i;
}

static void refuse(const char *format, const char *name)
{
	if (!annotations.wrong[0])
		snprintf(annotations.wrong, sizeof annotations.wrong, format, name);
}

void kb_covariate(struct kb_run *run, const char *name, double value)
{
	struct kb_measure *measure = run->context->measure;

	if (!measure)
		return;
	if (!is_name(name)) {
		refuse("covariate '%.40s': a name has 1 to 23 visible characters without = \" \\", name ? name : "");
		return;
	}
	unsigned i = index_of(name);

	if (i == KB_COVARIATES) {
		refuse("covariate '%s': a process may have at most 8", name);
	} else if (!isfinite(value)) {
		refuse("covariate '%s' is not a number", name);
	} else if (i < annotations.count && annotations.has[measure->at][i]) {
		refuse("covariate '%s' was given twice for one sample", name);
	} else {
		if (i == annotations.count)
			strcpy(annotations.names[annotations.count++], name);
		annotations.values[measure->at][i] = value;
		annotations.has[measure->at][i] = true;
	}
}

static void put_refuted(struct kb_text *fields, unsigned index)
{
	if (!annotations.refuted[index][0])
		return;
	kb_text_str(fields, "refuted=");
	kb_text_quoted(fields, annotations.refuted[index]);
	annotations.refuted[index][0] = '\0';
}

/* As many digits as bring the same number back. */
static void put_covariate(struct kb_text *fields, unsigned index, unsigned i)
{
	char field[NAME_MAX_BYTES + 40];

	if (!annotations.has[index][i])
		return;
	kb_format(field, sizeof field, "%sx.%s=%.17g", fields->used ? " " : "", annotations.names[i], annotations.values[index][i]);
	kb_text_str(fields, field);
	annotations.has[index][i] = false;
}

size_t kb_annotations(unsigned index, char *fields, size_t room)
{
	struct kb_text text = kb_text_in(fields, room);

	put_refuted(&text, index);
	for (unsigned i = 0; i < annotations.count; i++)
		put_covariate(&text, index, i);
	return text.used;
}

int kb_annotations_wrong(struct kb_run *run)
{
	return annotations.wrong[0] ? kb_fail(run, EINVAL, "%s", annotations.wrong) : 0;
}
