/* The annotated listing of composed code, for whoever composes: in this tree only tests do. */
#ifndef KB_ASSEMBLE_LIST_H
#define KB_ASSEMBLE_LIST_H

#include <stdio.h>

#include "code/bits.h"

/*
 * For every append "C.touch(i=3), unroll i=3  file:line", and below it address, bytes and text of its instructions; an
 * instruction that several appends make up stands below the first. Without a disassembler the bytes stand alone. 0,
 * -ENOENT if they do, or another -errno; an error of the file is left in the file.
 */
int kb_bits_list(FILE *, const struct kb_bits *);

#endif
