/* Stands in where libelf is not installed. */
#include "assemble/object.h"

#include <errno.h>

int kb_object_read(struct kb_object *object, const char *path)
{
	(void)path;
	*object = (struct kb_object){ .file = -1 };
	return -ENOSYS;
}

void kb_object_free(struct kb_object *object)
{
	*object = (struct kb_object){ .file = -1 };
}
