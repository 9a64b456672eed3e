/*
 * Annotations of single observations by the benchmark: that one is refuted, and covariates. Hooks annotate between samples, so the
 * annotations are only kept there; they become text when the block is over.
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

/* Of the observations of one block, or group: pages that are never written are never resident. */
static struct {
	char names[KB_COVARIATES][NAME_MAX_BYTES + 1];
	unsigned count;
	double values[KB_GROUP_TESTS_MAX][KB_COVARIATES];
	bool has[KB_GROUP_TESTS_MAX][KB_COVARIATES];
	char refuted[KB_GROUP_TESTS_MAX][TEXT_MAX + 1];
	char wrong[160];        /* the first thing that cannot be recorded */
} annotations;

int kb_refute(struct kb_run *run, const char *text)
{
	struct kb_measure *measure = run->context->measure;

	if (!measure) /* a proof counts system calls, and nothing else */
		return 0;
	measure->observations[measure->at].flags |= KB_FLAG_REFUTED;
	text = text && text[0] ? text : "no reason given";
	snprintf(annotations.refuted[measure->at], sizeof annotations.refuted[0], "%.*s", (int)kb_clipped(text, TEXT_MAX), text);
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
	unsigned i = 0;

	while (i < annotations.count && strcmp(annotations.names[i], name))
		i++;

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

size_t kb_annotations(unsigned index, char *fields, size_t room)
{
	struct kb_text text = kb_text_in(fields, room);
	char field[NAME_MAX_BYTES + 40];

	if (annotations.refuted[index][0]) {
		kb_text_str(&text, "refuted=");
		kb_text_quoted(&text, annotations.refuted[index]);
		annotations.refuted[index][0] = '\0';
	}
	for (unsigned i = 0; i < annotations.count; i++) {
		if (!annotations.has[index][i])
			continue;
		/* As many digits as bring the same number back. */
		kb_format(field, sizeof field, "%sx.%s=%.17g", text.used ? " " : "", annotations.names[i], annotations.values[index][i]);
		kb_text_str(&text, field);
		annotations.has[index][i] = false;
	}
	return text.used;
}

int kb_annotations_wrong(struct kb_run *run)
{
	return annotations.wrong[0] ? kb_fail(run, EINVAL, "%s", annotations.wrong) : 0;
}
