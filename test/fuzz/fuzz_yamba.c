/* Any bytes as a file of Yamba: read, resolved, checked and printed, without a crash, a hang or much memory. */
#include "yamba/yamba.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a file of the size that the front end takes can need at most; the bound is 256 MB for all of the process. */
#define BYTES_MAX (200u << 20)

/* One file can be transcluded: the input itself under another name; nothing is read from the disk. */
static const char *input;
static size_t input_length;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_input(struct kb_arena *arena, const char *path, const char **text, size_t *length)
{
	(void)arena;
	if (strchr(path, 'a') == NULL)
		return -ENOENT;
	*text = input;
	*length = input_length;
	return 0;
}

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_all(struct kb_yamba *yamba, FILE *out)
{
	static const char *const settings[] = { "n=4K", "m", "a=-1" };

	for (size_t i = 0; i < yamba->class_count; i++) {
		struct kb_yamba_class *class = yamba->classes[i];

		kb_yamba_check(yamba, class);
		/* Printing how each port wrote it grows with the square of the classes. */
		if (yamba->class_count < 40)
			kb_yamba_port(out, yamba, class);
		class = kb_yamba_choose(yamba, class, "x86_64", "linux");
		if (class)
			kb_yamba_check_start(yamba, class, settings, 3);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { .limit = BYTES_MAX };
	struct kb_yamba yamba;
	FILE *out = fopen("/dev/null", "w");

	if (!out || size > KB_YAMBA_FILE_MAX)
		goto out;
	input = size ? (const char *)data : "";
	input_length = size;
	kb_yamba_start(&yamba, &arena);
	yamba.read = read_input;
	kb_yamba_add_text(&yamba, "input.yamba", input, size, false);
	kb_yamba_resolve(&yamba);
	check_all(&yamba, out);
	kb_diagnostics_sort(&yamba.diagnostics);
	for (size_t i = 0; i < yamba.diagnostics.count; i++) {
		const struct kb_diagnostic *d = yamba.diagnostics.list[i];

		require(d->cause && d->remedy && d->at.at >= d->at.source->text &&
			d->at.at <= d->at.source->text + d->at.source->length);
	}
	kb_diagnostics_print(out, &yamba.diagnostics, 20);
out:
	if (out)
		fclose(out);
	kb_arena_free(&arena);
	return 0;
}
