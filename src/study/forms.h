/*
 * A table of instructions: what was measured of each form, alongside what others published of this microarchitecture. Where both differ the
 * table says why, or that nobody knows.
 */
#ifndef KB_STUDY_FORMS_H
#define KB_STUDY_FORMS_H

#include <jansson.h>
#include <stdio.h>

#include "assemble/arena.h"
#include "report/text/style.h"
#include "result/result.h"
#include "yamba/forms/forms.h"

#define KB_FORMS_SCHEMA "kbench-instructions/1"
#define KB_FORMS_APART 0.03             /* from what is documented: a difference that wants a reason */
#define KB_FORMS_CLOSE 0.01

/* ---- what is documented -------------------------------------------------------------------------- */

/* Core cycles of a form, as published; NAN: not. */
struct kb_known_form { struct kb_known_form *next; const char *name; double latency, throughput; };

/* Why what is measured may differ from what is documented. */
struct kb_known_reason { struct kb_known_reason *next; const char *pattern, *what, *text; };

/* "FP0,FP1" take these forms: names or patterns between blanks. */
struct kb_known_pipes { struct kb_known_pipes *next; const char *name, *forms; };

struct kb_known {
	const char *core;               /* of this processor; NULL: nothing is documented */
	const char *source;             /* "" */
	struct kb_known_form *forms;
	struct kb_known_reason *reasons;
	struct kb_known_pipes *pipes;
	char error[320];
};

/* Takes what a file says of this processor, as kb_processor_is tells it. False: error says what is wrong in it. */
bool kb_known_read(struct kb_known *, struct kb_arena *, const char *path, const char *text, bool (*is_here)(const char *processors));
const struct kb_known_form *kb_known_of(const struct kb_known *, const char *form);

/* ---- the table ------------------------------------------------------------------------------------- */

/* A form with its latencies and its throughput; results are the run's, NULL: not measured. */
#define KB_FORM_LATENCIES 12
struct kb_form_line {
	const struct kb_form *form;
	const struct kb_form_measure *measure[KB_FORM_LATENCIES];
	const struct kb_result *latency[KB_FORM_LATENCIES];
	unsigned latencies;
	const struct kb_result *throughput;
	const struct kb_known_form *known;
	const struct kb_result *told;   /* the latency that the documented one is held against; NULL: none */
	const char *why_latency, *why_throughput;       /* the measured one is more than 3 % off, and this is why; NULL: it is not */
};

struct kb_form_count { unsigned rows, ok, near, both; };

struct kb_form_table {
	const struct kb_known *known;
	struct kb_form_line *lines;
	size_t count, lacking;          /* forms that the processor does not have */
	struct kb_form_count latency, throughput;       /* documented ones: those that are ok, within 1 %, and both */
};

/* results: one a measure, by its number; NULL: not measured. */
void kb_form_table_make(struct kb_form_table *, const struct kb_forms *, const struct kb_result *const *results, const struct kb_known *);

void kb_form_table_print(FILE *, const struct kb_form_table *, const struct kb_style *);
void kb_form_table_csv(FILE *, const struct kb_form_table *);
void kb_form_table_page(FILE *, const struct kb_form_table *, const char *machine);
json_t *kb_form_table_json(const struct kb_form_table *);

/* ---- its cells --------------------------------------------------------------------------------------- */

/* A chain that takes less than a cycle a copy was not executed: the renamer took it away, so it has no latency. */
bool kb_form_renamed(const struct kb_result *);

/* Core cycles of a result; not known where it has none. */
struct kb_estimate kb_form_cycles(const struct kb_result *);

/* "1.000 ±0.1 %", "renamed", "-" */
#define KB_FORM_CELL 48
const char *kb_form_cell(char text[KB_FORM_CELL], const struct kb_result *);

/* "1 / 0.25": what is documented */
const char *kb_form_known(char text[KB_FORM_CELL], const struct kb_known_form *);

/* "2-1", "a-1" */
const char *kb_form_pair(const struct kb_form_measure *);

/* Why it is not ok; NULL: it is, or it is renamed. */
const char *kb_form_reason(const struct kb_result *);

/* "ok" ..., "renamed"; and the worst of a form. */
const char *kb_form_verdict(const struct kb_result *);
enum kb_status kb_form_worst(const struct kb_form_line *);

#endif
