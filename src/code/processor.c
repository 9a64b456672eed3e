/* See processor.h. /proc/cpuinfo is what an unprivileged program can read on each architecture, also in an emulator. */
#include "code/processor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct processor { char vendor[32]; long family, model, implementer, part; };

/* "model\t\t: 17" of the first processor. */
static void read_line(const char *line, struct processor *this)
{
	static const char *const names[] = { "cpu family", "model", "CPU implementer", "CPU part" };
	long *const numbers[] = { &this->family, &this->model, &this->implementer, &this->part };
	const char *colon = strchr(line, ':');
	size_t length = strcspn(line, "\t:");

	if (!colon)
		return;
	if (length == 9 && !strncmp(line, "vendor_id", 9) && !this->vendor[0])
		sscanf(colon + 1, "%31s", this->vendor);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strlen(names[i]) == length && !strncmp(line, names[i], length) && *numbers[i] < 0)
			*numbers[i] = strtol(colon + 1, NULL, 0);
}

static bool is_one(const struct processor *this, const char *words)
{
	char vendor[32];
	long numbers[3], implementer, part;
	char *end;

	if (sscanf(words, "%31s %ld %ld %ld", vendor, &numbers[0], &numbers[1], &numbers[2]) == 4)
		return !strcmp(vendor, this->vendor) && numbers[0] == this->family && this->model >= numbers[1] && this->model <= numbers[2];
	implementer = strtol(words, &end, 0);
	part = strtol(end, &end, 0);
	return this->implementer == implementer && this->part == part;
}

bool kb_processor_is(const char *list)
{
	struct processor this = { .family = -1, .model = -1, .implementer = -1, .part = -1 };
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[512];

	if (!file)
		return false;
	while (fgets(line, sizeof line, file))
		read_line(line, &this);
	fclose(file);
	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (is_one(&this, at))
			return true;
	return false;
}
