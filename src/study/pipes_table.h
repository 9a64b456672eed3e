/* Execution pipes of this processor as inferred, alongside what is publicly described. */
#ifndef KB_STUDY_PIPES_TABLE_H
#define KB_STUDY_PIPES_TABLE_H

#include <jansson.h>
#include <stdio.h>

#include "study/forms.h"
#include "study/pipes.h"

#define KB_PIPES_SCHEMA "kbench-pipes/1"

struct kb_pipes_table {
	const struct kb_form *form[KB_PIPES_KINDS];
	const struct kb_result *alone[KB_PIPES_KINDS], *dispatch;
	const struct kb_result *both[KB_PIPES_KINDS][KB_PIPES_KINDS];
	const struct kb_known_pipes *known[KB_PIPES_KINDS];     /* NULL: nothing is documented */
	const struct kb_known *source;
	struct kb_pipes found;
	unsigned counts, counts_agree;          /* instructions with a documented number of pipes */
	unsigned pairs, pairs_agree;            /* of them, whose shared pipes are documented and known here */
};

/* Instructions a cycle; 0: not known. */
double kb_pipes_rate(const struct kb_result *);

/* Infers from the results, and holds it against what is documented. */
void kb_pipes_table_find(struct kb_pipes_table *, const struct kb_known *);

void kb_pipes_table_print(FILE *, const struct kb_pipes_table *, const struct kb_style *);
json_t *kb_pipes_table_json(const struct kb_pipes_table *);

#endif
