/* Any bytes as a file of Yamba: read, resolved, checked, printed and translated, without a crash, a hang or much memory. */
#define _GNU_SOURCE
#include "fuzz.h"

#include "assemble/inside.h"
#include "yamba/emit/inside.h"

/* What a file of the size that the front end takes can need at most; the bound is 256 MB for all of the process. */
#define BYTES_MAX (200u << 20)

/* One file can be transcluded: the input itself under another name; nothing is read from the disk. */
static const char *input;
static size_t input_length;

static int read_input(struct kb_arena *arena, const char *path, const char **text, size_t *length)
{
	(void)arena;
	if (strchr(path, 'a') == NULL)
		return -ENOENT;
	*text = input;
	*length = input_length;
	return 0;
}

/* Whether nothing is wrong: what is said of settings and choices below would hide it. */
static bool check_all(struct kb_yamba *yamba)
{
	for (size_t i = 0; i < yamba->class_count; i++)
		kb_yamba_check_class(yamba, yamba->classes[i]);
	return kb_diagnostics_errors(&yamba->diagnostics) == 0;
}

static void start_all(struct kb_yamba *yamba, FILE *out)
{
	static const char *const settings[] = { "n=4K", "m", "a=-1" };

	for (size_t i = 0; i < yamba->class_count; i++) {
		struct kb_yamba_class *class = yamba->classes[i];

		/* Printing how each port wrote it grows with the square of the classes. */
		if (yamba->class_count < 40)
			kb_yamba_port(out, yamba, class);
		class = kb_yamba_choose(yamba, class, "x86_64", "linux");
		if (class)
			kb_yamba_check_start(yamba, class, settings, 3);
	}
}

/* ---- translating ----------------------------------------------------------------------------------------- */

static struct kb_assemble_block *blocks;

static void keep_block(void *context, const struct kb_member *member, struct kb_item *item)
{
	struct kb_arena *arena = context;

	blocks[item->assembly.block] = (struct kb_assemble_block){ kb_arena_string(arena, member->owner->name),
		kb_arena_string(arena, member->name), member->owner->source->path, 1, item->assembly.text.at,
		item->assembly.text.length };
}

/* One byte, with a hole for each number and each label: what the assembler would make of it counts for nothing here. */
static void invent_fragment(struct kb_arena *arena, struct kb_assembled *made, const struct kb_assemble_source *source)
{
	static const uint8_t byte[] = { 0x90 };
	uint32_t count = made->value_count + source->mark_count;
	struct kb_hole *holes = kb_arena_take(arena, count * sizeof *holes);
	struct kb_label *labels = kb_arena_take(arena, source->mark_count * sizeof *labels);

	for (uint32_t i = 0; i < made->value_count; i++)
		holes[i] = (struct kb_hole){ .value = i, .line = made->values[i].line };
	for (uint32_t i = 0; i < source->mark_count; i++)
		labels[i] = (struct kb_label){ source->marks[i].name, 0, source->marks[i].line, source->marks[i].defined };
	made->fragment = (struct kb_fragment){ source->block->class, source->block->member, source->block->file, 1, 1, byte, holes,
		labels, count, source->mark_count };
}

static void emit(struct kb_yamba *yamba, const struct kb_yamba_class *class, const struct kb_assembly *assembly, FILE *out)
{
	struct kb_emit_options options = { .benchmark = true, .exported = true };

	kb_yamba_emit(out, yamba, class, assembly, &options);
	options = (struct kb_emit_options){ .exported = true, .embedded = true, .prefix = "a\"b\\", .line = 7 };
	kb_yamba_emit(out, yamba, class, assembly, &options);
	kb_yamba_emit_header(out, yamba, class);
	kb_yamba_emit_description(out, yamba, class);
}

/* As kb_yamba_assemble does, but for the run of the assembler. */
static void translate(struct kb_yamba *yamba, const struct kb_yamba_class *class, FILE *out)
{
	struct kb_emit e = { .yamba = yamba, .program = class };
	struct kb_assembly assembly = { .arena = { 0 } };
	struct kb_assembling work = { .assembly = &assembly };

	kb_emit_start(&e);
	work.count = assembly.block_count = kb_emit_blocks(&e, NULL, NULL);
	work.target = class->platform ? kb_target_find(kb_arena_string(yamba->arena, class->platform->name)) : NULL;
	if (work.count && !work.target)
		return;
	blocks = kb_arena_take(yamba->arena, (work.count + 1) * sizeof *blocks);
	work.sources = kb_arena_take(yamba->arena, work.count * sizeof *work.sources);
	assembly.blocks = kb_arena_take(yamba->arena, work.count * sizeof *assembly.blocks);
	kb_emit_blocks(&e, keep_block, yamba->arena);
	for (unsigned i = 0; i < work.count; i++)
		work.sources[i].block = &blocks[i];
	if (work.count)
		kb_assemble_scan(&work);
	for (unsigned i = 0; i < work.count; i++)
		invent_fragment(yamba->arena, &assembly.blocks[i], &work.sources[i]);
	if (!assembly.error_count)
		emit(yamba, class, &assembly, out);
	kb_assemble_free(&assembly);
}

static void translate_some(struct kb_yamba *yamba, FILE *out)
{
	unsigned left = 3;

	for (size_t i = 0; i < yamba->class_count && left; i++) {
		if (!yamba->classes[i]->abstract && !yamba->classes[i]->source->shipped) {
			translate(yamba, yamba->classes[i], out);
			left--;
		}
	}
}

/* A library without a file of its own: code of the machine needs a platform. */
static void add_library(struct kb_yamba *yamba)
{
	static const char text[] = "yamba x86_64 { const int page_size = 4096; bitstring cast_imm_32(int v) { le32(v) } }\n"
		"yamba aarch64 { bitstring cast_imm_32(int v) { le32(v) } }\nyamba linux { long page_size(void) { return 4096; } }\n"
		"yamba compiler_x86_64 { import(x86_64); bitstring prologue_standard { asm { endbr64 } }\n"
		"bitstring epilogue_standard { asm { leave; ret } } }\n";

	kb_yamba_add_text(yamba, "library.yamba", text, sizeof text - 1, true);
}

/* What is printed can be shown, whatever stands in the source: its tabs and line ends stay. */
static void print_diagnostics(const struct kb_diagnostics *diagnostics)
{
	char *printed = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&printed, &length);

	require(out != NULL);
	kb_diagnostics_print(out, diagnostics, 20);
	require(fclose(out) == 0 && strlen(printed) == length);
	for (char *at = printed; (at = strpbrk(at, "\n\t")); *at++ = ' ')
		;
	require(kb_is_visible(printed));
	free(printed);
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
	add_library(&yamba);
	kb_yamba_resolve(&yamba);
	if (check_all(&yamba))
		translate_some(&yamba, out);
	start_all(&yamba, out);
	kb_diagnostics_sort(&yamba.diagnostics);
	for (size_t i = 0; i < yamba.diagnostics.count; i++) {
		const struct kb_diagnostic *d = yamba.diagnostics.list[i];

		require(d->cause && d->remedy && d->at.at >= d->at.source->text &&
			d->at.at <= d->at.source->text + d->at.source->length);
	}
	print_diagnostics(&yamba.diagnostics);
out:
	if (out)
		fclose(out);
	kb_arena_free(&arena);
	return 0;
}
