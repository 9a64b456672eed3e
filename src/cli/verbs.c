/* See cli.h: commands whose verbs are commands with options of their own, and words of before. */
#include "cli/cli.h"

#include <string.h>

#define VERBS_MAX 16

const struct kb_command *kb_find_verb(const struct kb_command *command, const char *typed)
{
	const char *names[VERBS_MAX] = { NULL };

	for (unsigned i = 0; i + 1 < VERBS_MAX && command->verbs[i]; i++)
		names[i] = strrchr(command->verbs[i]->name, ' ') + 1;
	return command->verbs[kb_subcommand(command, names, typed)];
}

static const struct { const char *command, *word, *now; } moved[] = {
	{ NULL, "env", "doctor --facts" }, { "kernel", "doctor", "doctor kernel" }, { "sel4", "doctor", "doctor sel4" },
	{ "show", "--runs", "runs" }, { "analyze", "--rebuild", "maintain" },
};

const char *kb_word_now(const struct kb_command *command, const char *typed)
{
	for (size_t i = 0; i < sizeof moved / sizeof moved[0]; i++) {
		bool there = command && moved[i].command ? strcmp(command->name, moved[i].command) == 0 : !command == !moved[i].command;

		if (there && strcmp(moved[i].word, typed) == 0)
			return moved[i].now;
	}
	return NULL;
}
