/* Names of events, as libpfm4 knows them for this processor and kernel. kbench alone has the library. */
#ifndef KB_ENV_EVENT_NAMES_H
#define KB_ENV_EVENT_NAMES_H

#include "evidence/events.h"

/* The numbers behind a name such as "branch-misses:u". 0; -ENOSYS: this kbench was built without libpfm4; -ENAMETOOLONG;
   -EINVAL: it knows no such event here. why gets the reason, without the name. */
int kb_event_find(const char *name, struct kb_event_code *, char why[120]);

/* "libpfm4"; NULL: built without. */
const char *kb_event_library(void);

#endif
