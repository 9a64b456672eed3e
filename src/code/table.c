/* See table.h. */
#include "code/table.h"

#include <stdlib.h>
#include <string.h>

#define PLACES 16       /* at first; a power of two */

/* There is an end to the search: a table is never full. */
uint64_t *kb_table_place(struct kb_yamba_table *table, const uint64_t *words, size_t count)
{
	uint64_t place = kb_yamba_hash(words, count) >> table->shift;
	uint64_t *at = &table->at[place * (count + 1)];

	while (*at && memcmp(at + 1, words, count * sizeof *words) != 0) {
		place = (place + 1) & table->mask;
		at = &table->at[place * (count + 1)];
	}
	return at;
}

/* A reader that finds the function finds its arguments, too. */
static void store(uint64_t *at, uint64_t function, const uint64_t *words, size_t count)
{
	if (count && !*at)
		memcpy(at + 1, words, count * sizeof *words);
	__atomic_store_n(at, function, __ATOMIC_RELEASE);
}

/* Twice as large, with all that was in it; NULL: no memory. */
static struct kb_yamba_table *larger(struct kb_yamba_table *old, size_t count)
{
	uint32_t places = old ? 2 * (old->mask + 1) : PLACES;
	struct kb_yamba_table *table = calloc(1, sizeof *table + places * (count + 1) * sizeof(uint64_t));

	if (!table)
		return NULL;
	table->older = old;
	table->mask = places - 1;
	table->shift = 64 - (uint32_t)__builtin_ctz(places);
	table->used = old ? old->used : 0;
	for (uint32_t i = 0; old && i <= old->mask; i++) {
		const uint64_t *at = &old->at[i * (count + 1)];

		if (*at)
			store(kb_table_place(table, at + 1, count), *at, at + 1, count);
	}
	return table;
}

bool kb_table_put(struct kb_yamba_table **table, const void *function, const uint64_t *words, size_t count)
{
	uint64_t *at = *table ? kb_table_place(*table, words, count) : NULL;

	if (!*table || (!*at && 2 * (*table)->used > (*table)->mask)) {
		struct kb_yamba_table *grown = larger(*table, count);

		if (!grown)
			return false;
		*table = grown;
		at = kb_table_place(grown, words, count);
	}
	(*table)->used += !*at;
	store(at, (uintptr_t)function, words, count);
	return true;
}

void kb_table_forget(struct kb_yamba_table *table, const uint64_t *words, size_t count)
{
	__atomic_store_n(kb_table_place(table, words, count), KB_YAMBA_FORGOTTEN, __ATOMIC_RELEASE);
}
