/* See fleet.h: which nodes there are. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "grown.h"
#include "io.h"
#include "workflow/fleet/fleet.h"

int kb_fleet_add(struct kb_fleet *fleet, const char *name, struct kb_failure *failure)
{
	if (fleet->count == KB_FLEET_NODES_MOST)
		return kb_refuse_typed(failure, "more than %d nodes", KB_FLEET_NODES_MOST);
	if (!KB_GROW(fleet->nodes, fleet->count))
		return kb_refuse_memory(failure);
	fleet->nodes[fleet->count] = (struct kb_fleet_node){ .rank = (unsigned)fleet->count, .exit = KB_FLEET_NONE };
	snprintf(fleet->nodes[fleet->count].name, sizeof fleet->nodes[0].name, "%s", name);
	fleet->count++;
	return 0;
}

static int add_host(struct kb_fleet *fleet, const char *where, struct kb_span word, struct kb_failure *failure)
{
	char name[KB_PLACE_NODE + 2];

	snprintf(name, sizeof name, "%.*s", (int)word.length, word.at);
	if (word.length > KB_PLACE_NODE || !kb_place_is_name(name))
		return kb_refuse_typed(failure, "%s: '%.*s' is no name of a host: at most %d letters, digits and ._-@:[]%%, and no '-' or '.' first", where,
				       (int)(word.length < 80 ? word.length : 80), word.at, KB_PLACE_NODE);
	for (size_t i = 0; i < fleet->count; i++) {
		/* Two at once on one machine would measure each other. */
		if (!strcmp(fleet->nodes[i].name, name))
			return kb_refuse_typed(failure, "%s: host '%s' stands there twice", where, name);
	}
	return kb_fleet_add(fleet, name, failure);
}

int kb_fleet_add_hosts(struct kb_fleet *fleet, const char *list, struct kb_failure *failure)
{
	int code = 0;

	for (const char *at = list, *end; at && !code; at = *end ? end + 1 : NULL) {
		end = at + strcspn(at, ",");
		code = add_host(fleet, "--hosts", (struct kb_span){ at, (size_t)(end - at) }, failure);
	}
	return code;
}

int kb_fleet_add_hosts_of(struct kb_fleet *fleet, const char *path, struct kb_failure *failure)
{
	size_t length, before = fleet->count;
	char *text, where[120];
	unsigned number = 0;
	int code = 0;

	errno = 0;
	text = kb_read_whole(path, &length);
	if (!text && errno)
		return kb_refuse_typed(failure, "--hosts-file %.200s: cannot be read: %s", path, strerror(errno));
	for (char *at = text, *end; at && !code; at = *end ? end + 1 : NULL) {
		struct kb_span line = { at, strcspn(at, "\n") }, word;

		end = at + line.length;
		line.length = strcspn(at, "#\n");
		word = kb_span_word(&line);
		snprintf(where, sizeof where, "%.80s line %u", path, ++number);
		if (word.length > 0)
			code = add_host(fleet, where, word, failure);
		if (!code && kb_span_word(&line).length > 0)
			code = kb_refuse_typed(failure, "%s: one name of a host a line", where);
	}
	free(text);
	if (!code && fleet->count == before)
		return kb_refuse_typed(failure, "--hosts-file %.200s: names no host", path);
	return code;
}
