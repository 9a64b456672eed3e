/* Which processor this is, as tables of microarchitectures name it. */
#ifndef KB_CODE_PROCESSOR_H
#define KB_CODE_PROCESSOR_H

#include <stdbool.h>

/* Whether it is one of a list: "AuthenticAMD 25 16 31, AuthenticAMD 25 160 175", vendor, family and the first and the last model; or
   "0x41 0xd0c", implementer and part of Arm. False where the system does not tell. */
bool kb_processor_is(const char *list);

#endif
