/*
 * Any bytes as the text of two asm blocks. Values lie in their text, what is written holds every line at its number, and
 * with numbers instead of symbols it names no hole.
 */
#include "fuzz.h"

#include "assemble/inside.h"

static void require_values(const struct kb_assembling *work)
{
	for (unsigned i = 0; i < work->count; i++) {
		const struct kb_assemble_block *block = work->sources[i].block;

		for (uint32_t j = 0; j < work->assembly->blocks[i].value_count; j++) {
			const struct kb_assemble_value *value = &work->assembly->blocks[i].values[j];

			require(value->at >= block->text && value->at + value->length < block->text + block->length);
		}
	}
}

static size_t newlines(const char *at, size_t count)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += at[i] == '\n';
	return found;
}

/* A last statement may owe newlines to nobody: what follows has a line mark of its own. */
static void write_both(struct kb_assembling *work, size_t lines)
{
	static struct kb_value numbers[2][4096];
	const struct kb_value *const of_block[2] = { numbers[0], numbers[1] };
	struct kb_assemble_text symbols = { .arena = &work->assembly->arena }, plain = symbols;
	char hole[32];

	kb_assemble_write(work, &symbols, NULL);
	require(newlines(symbols.at, symbols.used) <= lines);
	if (work->assembly->blocks[0].value_count < 4096 && work->assembly->blocks[1].value_count < 4096) {
		kb_assemble_write(work, &plain, of_block);
		snprintf(hole, sizeof(hole), "%s0h", work->prefix);
		require(!strstr(plain.at, hole));
		require(newlines(plain.at, plain.used) <= lines);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct kb_target *const targets[] = { &kb_target_x86_64, &kb_target_aarch64 };
	static struct kb_assembly assembly;
	size_t half = size / 2;
	struct kb_assemble_block blocks[2] = { { "A", "a", "a", 1, (const char *)data, half, NULL },
		{ "A", "b", "a", 1, (const char *)data + half, size - half, NULL } };
	struct kb_assemble_source sources[2] = { { .block = &blocks[0] }, { .block = &blocks[1] } };
	struct kb_assembling work = { .assembly = &assembly, .sources = sources, .count = 2 };

	if (size == 0)
		return 0;
	work.target = targets[data[0] & 1];
	memset(&assembly, 0, sizeof(assembly));
	assembly.block_count = 2;
	assembly.blocks = kb_arena_take(&assembly.arena, 2 * sizeof(*assembly.blocks));
	kb_assemble_scan(&work);
	require_values(&work);
	/* Behind a block stand a line for each macro that it defines, and one for what it chose of the instruction set. */
	if (!assembly.error_count)
		write_both(&work, newlines((const char *)data, size) + 2 * newlines(work.target->prelude, strlen(work.target->prelude)) + 10 +
			sources[0].macro_count + sources[1].macro_count);
	kb_assemble_free(&assembly);
	return 0;
}
