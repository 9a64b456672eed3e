/* See floor.h. Only values that were measured stand here, each on an uncontended core by this project's own probe. */
#include "result/floor.h"

#include <string.h>

static const char *const from_names[] = {
	[KB_FLOOR_UNKNOWN] = "unknown", [KB_FLOOR_SHIPPED] = "shipped", [KB_FLOOR_STORED] = "stored", [KB_FLOOR_RUN] = "run",
};

/* Keys as kb_floor_key makes them: architecture and instructions of the probe, vendor, family, model, stepping, microcode. */
static const struct { const char *key; double k; } shipped[] = {
	{ "x86_64/293 AuthenticAMD 25 17 1 0x1000065", 36.60 },
};

double kb_floor_shipped(const char *key)
{
	for (unsigned i = 0; i < sizeof shipped / sizeof *shipped; i++) {
		if (!strcmp(key, shipped[i].key))
			return shipped[i].k;
	}
	return 0;
}

const char *kb_floor_from_name(enum kb_floor_from from)
{
	return (unsigned)from < sizeof from_names / sizeof *from_names ? from_names[from] : "unknown";
}

enum kb_floor_from kb_floor_from_find(const char *name)
{
	for (unsigned i = 0; i < sizeof from_names / sizeof *from_names; i++) {
		if (!strcmp(name, from_names[i]))
			return (enum kb_floor_from)i;
	}
	return KB_FLOOR_UNKNOWN;
}
