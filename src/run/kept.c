/* Records of processes, packed; see engine.h. */
#define _GNU_SOURCE
#include "run/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LEVEL 1                 /* the fastest */

int kb_kept_pack(struct kb_kept *kept, const struct kb_launch_text *text)
{
	uLongf room = compressBound(text->length);
	Bytef *packed = malloc(room);
	char *outcome = strdup(text->outcome);

	if (!packed || !outcome ||
	    compress2(packed, &room, text->length > 0 ? (const Bytef *)text->record : (const Bytef *)"", text->length, LEVEL) != Z_OK) {
		free(packed);
		free(outcome);
		return -ENOMEM;
	}
	void *shrunk = realloc(packed, room);

	*kept = (struct kb_kept){ text->launch, outcome, shrunk ? shrunk : packed, room, text->length };
	return 0;
}

void kb_kept_free(struct kb_kept *kept)
{
	free(kept->outcome);
	free(kept->packed);
}

static bool unpack(const struct kb_kept *kept, struct kb_launch_text *text)
{
	uLongf length = kept->length;
	char *record = malloc(kept->length + 1);

	*text = (struct kb_launch_text){ kept->launch, kept->outcome, record, kept->length };
	return record && uncompress((Bytef *)record, &length, kept->packed, kept->packed_length) == Z_OK;
}

struct kb_launch_text *kb_kept_unpack(const struct kb_kept *kept, size_t count)
{
	struct kb_launch_text *texts = calloc(count + 1, sizeof *texts);

	for (size_t i = 0; texts && i < count; i++) {
		if (unpack(&kept[i], &texts[i]))
			continue;
		kb_kept_release(texts, i + 1);
		return NULL;
	}
	return texts;
}

void kb_kept_release(struct kb_launch_text *texts, size_t count)
{
	for (size_t i = 0; texts && i < count; i++)
		free((void *)(uintptr_t)texts[i].record);
	free(texts);
}
