/* See method.h. */
#include "result/method.h"

#include <string.h>

const struct kb_method_facts kb_methods[KB_METHODS] = {
	[KB_METHOD_NONE] = { "", .series = true },
	[KB_METHOD_SLOPE] = { "slope", .series = true },
	[KB_METHOD_SINGLE] = { "single", .one_by_one = true, .series = true },
	[KB_METHOD_PAIRED] = { "paired", .one_by_one = true, .series = true },
	[KB_METHOD_KANATA] = { "kanata" },
	[KB_METHOD_COMMAND] = { "command", .one_by_one = true },
	[KB_METHOD_REPORTED] = { "reported", .one_by_one = true },
	[KB_METHOD_PROOF] = { "proof", .series = true },
	[KB_METHOD_PILOT] = { "probe", .series = true },
};

enum kb_method kb_method_find(const char *name)
{
	enum kb_method method = KB_METHODS - 1;

	while (method > KB_METHOD_NONE && strcmp(kb_methods[method].name, name))
		method--;
	return method;
}
