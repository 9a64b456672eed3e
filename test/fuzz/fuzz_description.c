/*
 * Any bytes as what a plug-in or a module says of itself. What is accepted is a benchmark that the checks of descriptors take, whose texts can
 * be shown, and that is written and read again as the same; a refusal has a reason.
 */
#include "fuzz.h"

#include "run/process/describe.h"

static void same_again(const struct kb_described *described)
{
	static char first[KB_DESCRIPTION_MAX * 2], second[KB_DESCRIPTION_MAX * 2];
	struct kb_text text = kb_text_in(first, sizeof first), other = kb_text_in(second, sizeof second);
	struct kb_described again;
	char error[256] = "";

	kb_description_write(&text, &described->bench);
	if (text.used > KB_DESCRIPTION_MAX)
		return;
	require(!text.cut && kb_description_is_whole((struct kb_span){ first, text.used }));
	require(kb_description_read((struct kb_span){ first, text.used }, &again, error) == 0);
	kb_description_write(&other, &again.bench);
	require(!strcmp(first, second));
	free(again.words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = malloc(size + 1), error[256] = "";
	struct kb_span text = { bytes, size };
	struct kb_described found;

	require(bytes != NULL);
	memcpy(bytes, size ? data : (const uint8_t *)"", size);
	bytes = realloc(bytes, size ? size : 1);
	text.at = bytes;
	kb_description_is_whole(text);
	if (kb_description_read(text, &found, error) == 0) {
		require(found.words != NULL && !error[0]);
		if (found.bench.name)
			same_again(&found);
		free(found.words);
	} else {
		require(error[0]);
	}
	error[0] = '\0';
	if (kb_describe_read(text, &found, error) == 0) {
		require(kb_is_bench_name(found.bench.name) && (found.bench.op || found.bench.observe));
		free(found.words);
	} else {
		require(error[0]);
	}
	free(bytes);
	return 0;
}
