/* The checked first call of every composed function: what it does to its caller (arch/gate.h). */
#ifndef KB_COLLECT_LINUX_GATE_H
#define KB_COLLECT_LINUX_GATE_H

#include <stdbool.h>
#include <stdint.h>

struct kb_text;

/* From now on, functions are composed behind a gate. */
void kb_gates_shut(void);

/* Functions take the place of their gates. Returns NULL, or what the first one did that kept something from its caller:
   "pf.yamba:12: error Y324: C.f(m=5) does not bring back r12; ...". */
const char *kb_gates_open(void);

/* For one that crashed, in the handler: what is known of the call that it was in, where that is more than the place. */
bool kb_gates_fault(uintptr_t pc, uintptr_t stack, struct kb_text *);

#endif
