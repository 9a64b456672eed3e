/* See sent.h. */
#define _GNU_SOURCE
#include "result/sent.h"

#include <stdio.h>
#include <string.h>

#include "base/plan.h"

void kb_sent_add(struct kb_sent *sent, struct kb_span line)
{
	struct kb_block block;

	if (line.length == 0 || kb_plan_parse((struct kb_span){ line.at, line.length - 1 }, &block))
		return;
	sent->blocks++;
	sent->samples += block.skip + block.tests;
	for (unsigned i = 0; i < block.count && block.tests == 0; i++)
		sent->samples += block.steps[i].kind != KB_STEP_PROBE;
}

/* Lines of that kind; each letter is a word. */
static uint64_t lines_of(struct kb_span record, const char *letters)
{
	const char *end = record.at + record.length, *at = record.at;
	uint64_t count = 0;

	while ((at = memchr(at, '\n', (size_t)(end - at))) && ++at + 2 < end)
		count += strchr(letters, *at) != NULL && *at && at[1] == ' ';
	return count;
}

bool kb_sent_ended(struct kb_span record)
{
	const char *last = record.length > 1 ? memrchr(record.at, '\n', record.length - 1) : NULL;

	return last && last + 5 < record.at + record.length && !memcmp(last + 1, "end ", 4);
}

bool kb_sent_all(const struct kb_sent *sent, struct kb_span record, char *outcome, size_t room)
{
	if (sent->blocks == 0 || !kb_sent_ended(record))
		return true;
	uint64_t samples = lines_of(record, "obcq"), blocks = lines_of(record, "k");

	if (samples < sent->samples)
		snprintf(outcome, room, KB_SENT_SHORT ": %llu of %llu planned samples", (unsigned long long)samples,
		         (unsigned long long)sent->samples);
	else if (blocks < sent->blocks)
		snprintf(outcome, room, KB_SENT_SHORT ": %llu of %llu planned blocks", (unsigned long long)blocks, (unsigned long long)sent->blocks);
	return samples >= sent->samples && blocks >= sent->blocks;
}
