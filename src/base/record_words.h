/*
 * What the writer and the reader of a record must agree on: which first words make a line ours. A word that one
 * of them did not know would be in one CRC and not in the other. For record_write.c and record_read.c only.
 */
#ifndef KB_BASE_RECORD_WORDS_H
#define KB_BASE_RECORD_WORDS_H

#include "base/record.h"

/* The kind of line that a first word makes, KB_LINE_FOREIGN for any word that this version does not have. */
enum kb_line_kind kb_record_word_kind(struct kb_span word, unsigned version);

/* The four counts that `end` carries, wherever they are kept. */
struct kb_record_counts { uint64_t *observations, *bases, *singles, *evidence; };

/* Adds the line with this first word to its count, if it has one. */
void kb_record_count(struct kb_record_counts counts, struct kb_span word);

#endif
