/* Lines of text that a user writes, models and layers: each begins with a word that tells what it is. */
#ifndef KB_SUITE_MODEL_READER_H
#define KB_SUITE_MODEL_READER_H

#include "suite/layers.h"
#include "suite/model/model.h"

/* One line being read. The first error stays; after it nothing else is done. */
struct kb_model_reader {
	struct kb_model *model;         /* what is read: this one or that one */
	struct kb_layers *layers;
	struct kb_model_error *error;
	const char *start, *at, *end;   /* of the line; without its comment and newline */
	unsigned line, depth;           /* depth: of an expression */
	bool failed;
};

/* From the first word of a line to the reader of what stands behind it. */
struct kb_model_keyword { const char *word; void (*read)(struct kb_model_reader *); };

/* Line by line; the first error ends it, as the second is often only its consequence. Afterwards the reader is at the last line. */
void kb_model_read_lines(struct kb_model_reader *, const char *text, size_t length, const struct kb_model_keyword *, size_t count);

/* Notes the error at this place, unless there is one already. */
void kb_model_wrong(struct kb_model_reader *, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));

void kb_model_blanks(struct kb_model_reader *);
bool kb_model_letter(char c);           /* of a name: letters, digits, '_' */

/* The next word up to a blank, empty at the end; the rest of the line, which must not be empty. */
struct kb_span kb_model_word(struct kb_model_reader *);
struct kb_span kb_model_rest(struct kb_model_reader *, const char *what);

/* Where a name is in the model; their count: nowhere. */
unsigned kb_model_find_quantity(const struct kb_model *, struct kb_span name);
unsigned kb_model_find_unknown(const struct kb_model *, struct kb_span name);

/* The rest of the line as an expression of this dimension. */
void kb_model_expression(struct kb_model_reader *, struct kb_expression *, struct kb_dimension wanted);

#endif
