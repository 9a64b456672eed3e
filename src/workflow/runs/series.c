/* See series.h. */
#define _GNU_SOURCE

#include "workflow/runs/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "base/text.h"
#include "grown.h"

/* The place of a name, or the one that it would have. */
static size_t *find_place(const struct kb_names *names, const char *name)
{
	size_t at = kb_crc32(0, name, strlen(name)) & (names->room - 1);

	while (names->places[at] && strcmp(names->names[names->places[at] - 1], name) != 0)
		at = (at + 1) & (names->room - 1);
	return &names->places[at];
}

static int make_room(struct kb_names *names)
{
	size_t room = names->room ? 2 * names->room : 64, *places;

	if (2 * (names->count + 1) <= names->room)
		return 0;
	places = calloc(room, sizeof *places);
	if (!places)
		return -ENOMEM;
	free(names->places);
	names->places = places;
	names->room = room;
	for (size_t i = 0; i < names->count; i++)
		*find_place(names, names->names[i]) = i + 1;
	return 0;
}

int kb_name_number(struct kb_names *names, const char *name, size_t *number)
{
	size_t *place;
	char *copy;

	if (make_room(names))
		return -ENOMEM;
	place = find_place(names, name);
	if (!*place) {
		copy = strdup(name);
		if (!copy || !KB_GROW(names->names, names->count)) {
			free(copy);
			return -ENOMEM;
		}
		names->names[names->count++] = copy;
		*place = names->count;
	}
	*number = *place;
	return 0;
}

void kb_names_release(struct kb_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
	free(names->places);
	*names = (struct kb_names){ 0 };
}

/* Behind a word of a command line, which may be quoted. */
static const char *skip_word(const char *at)
{
	bool quoted = false;

	for (; *at && (quoted || *at != ' '); at++)
		quoted ^= *at == '\'';
	return at;
}

/* A store's place is another one for each fleet, and labels tell runs of a series apart. */
static void put_command(struct kb_text *text, const char *command)
{
	for (const char *end; *command; command = *end ? end + 1 : end) {
		end = skip_word(command);
		if (strncmp(command, "--store=", 8) == 0 || strncmp(command, "--label=", 8) == 0)
			continue;
		if (strncmp(command, "--store ", 8) == 0 || strncmp(command, "--label ", 8) == 0) {
			end = *end ? skip_word(end + 1) : end;
			continue;
		}
		kb_text_bytes(text, command, (size_t)(end - command));
		kb_text_str(text, " ");
	}
}

int kb_series_number(struct kb_names *names, const struct kb_run_brief *run, size_t *number)
{
	size_t room = strlen(run->command) + strlen(run->environment) + strlen(run->node) + 64;
	char *key = malloc(room);
	struct kb_text text = kb_text_in(key, key ? room : 0);
	int error;

	if (!key)
		return -ENOMEM;
	put_command(&text, run->command);
	kb_text_str(&text, run->node);
	kb_text_bytes(&text, (const char[]){ '\n', run->side ? run->side : '-', '\n' }, 3);
	if (!run->fleet[0]) {
		kb_text_i64(&text, run->cpu);
		kb_text_str(&text, run->environment);
	}
	error = kb_name_number(names, key, number);
	free(key);
	return error;
}
