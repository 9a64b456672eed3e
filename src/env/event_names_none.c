/* See event_names.h, where libpfm4 was missing when kbench was built. */
#include "env/event_names.h"

#include <errno.h>
#include <stdio.h>

const char *kb_event_library(void)
{
	return NULL;
}

int kb_event_find(const char *name, struct kb_event_code *code, char why[120])
{
	(void)name;
	(void)code;
	snprintf(why, 120, "this kbench was built without libpfm4 (install libpfm4-dev, configure and build again)");
	return -ENOSYS;
}
