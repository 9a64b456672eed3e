/* Between the two halves of the parser of models: lines (parse.c) and expressions (expression.c). */
#ifndef KB_SUITE_MODEL_PARSE_H
#define KB_SUITE_MODEL_PARSE_H

#include "suite/model/model.h"

/* One line being read. The first error stays; after it nothing else is done. */
struct kb_model_reader {
	struct kb_model *model;
	struct kb_model_error *error;
	const char *start, *at, *end;   /* of the line; without its comment and newline */
	unsigned line, depth;
	bool failed;
};

/* Notes the error at this place, unless there is one already. */
void kb_model_wrong(struct kb_model_reader *, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));

void kb_model_blanks(struct kb_model_reader *);
bool kb_model_letter(char c);           /* of a name: letters, digits, '_' */

bool kb_model_equal(struct kb_span, struct kb_span);

/* The rest of the line as an expression of this dimension. */
void kb_model_expression(struct kb_model_reader *, struct kb_expression *, struct kb_dimension wanted);

#endif
