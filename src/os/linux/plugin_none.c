/* The plug-ins of a collector without a dynamic linker: there are none. Stands in for plugin.c in the collectors of other architectures. */
#include "description.h"

#include <errno.h>
#include <stdio.h>

int kb_plugin_load(const char *path, struct kb_bench *bench, char error[256])
{
	(void)bench;
	snprintf(error, 256, "%s: a collector for another platform loads no plug-ins", path);
	return -ENOEXEC;
}
