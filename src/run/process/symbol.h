/* From a record's raw program counter to a name. */
#ifndef KB_RUN_PROCESS_SYMBOL_H
#define KB_RUN_PROCESS_SYMBOL_H

#include "types.h"
#include "base/text.h"

/* Reads the `fault` and `module` lines of a record; where becomes "function+0x12", of composed code
   "C.touch(i=17) at +0xac (pf.yamba:94): mov al, [rax]", or "" if unknown. */
void kb_symbol_of_fault(struct kb_span record, const char *program, const char *plugin, char *where, size_t room);

#endif
