/*
 * Composes fragments: copy and patch. What would make it wrong is a number that is cut without a word, so every write
 * goes through kb_target_fits or a check of its width. Some 20 ns a fragment: a composer may be called off the clock for
 * tens of thousands of copies.
 */
#include "code/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/inside.h"

void kb_bits_again(struct kb_bits *bits, const struct kb_target *target, size_t limit)
{
	bits->target = target;
	bits->limit = limit < INT32_MAX ? limit : INT32_MAX;
	bits->used = 0;
	bits->piece_count = bits->scope_count = bits->value_count = bits->label_count = bits->use_count = 0;
	bits->scope = 0;
	bits->error = (struct kb_bits_error){ 0 };
}

void kb_bits_free(struct kb_bits *bits)
{
	free(bits->at);
	free(bits->pieces);
	free(bits->scopes);
	free(bits->values);
	free(bits->labels);
	free(bits->uses);
	*bits = (struct kb_bits){ 0 };
}

/* ---- room ---------------------------------------------------------------------------------------- */

static bool no_memory(struct kb_bits *bits)
{
	kb_bits_fail(bits, 312, NULL, 0, "no memory for composed code beyond %zu bytes", bits->used);
	return false;
}

/* What is noted of a step takes more room than what it appends, and one that appends nothing is noted, too. Looked at only where
   an array grows: so up to twice as many are there. */
static bool too_many(struct kb_bits *bits)
{
	uint64_t noted = (uint64_t)bits->piece_count + bits->scope_count + bits->value_count;
	size_t most = bits->limit / 8 > KB_BITS_STEPS ? bits->limit / 8 : KB_BITS_STEPS;

	if (noted >= most)
		kb_bits_fail(bits, 312, NULL, 0, "composing takes more than %zu steps; a larger yamba.max_code allows more", most);
	return noted >= most;
}

/* Room for one more element of an array that doubles. */
static bool grow(struct kb_bits *bits, void *array, uint32_t *room, size_t size)
{
	if (too_many(bits))
		return false;

	uint32_t more = *room ? 2 * *room : 64;
	void *grown = more > *room ? reallocarray(*(void **)array, more, size) : NULL;

	if (!grown)
		return no_memory(bits);
	*(void **)array = grown;
	*room = more;
	return true;
}

#define ROOM_FOR_ONE(bits, of) \
	((bits)->of##_count < (bits)->of##_room || grow(bits, &(bits)->of##s, &(bits)->of##_room, sizeof(*(bits)->of##s)))

static bool grow_bytes(struct kb_bits *bits, size_t count, const char *file, uint32_t line)
{
	size_t wanted = bits->used + count, room = bits->room ? 2 * bits->room : 4096;

	if (count > bits->limit || wanted > bits->limit) {
		kb_bits_fail(bits, 312, file, line, "composed code is larger than %zu bytes", bits->limit);
		return false;
	}
	while (room < wanted)
		room *= 2;

	uint8_t *grown = realloc(bits->at, room);

	if (!grown)
		return no_memory(bits);
	bits->at = grown;
	bits->room = room;
	return true;
}

/* Where the next count bytes go; NULL after an error. */
static uint8_t *claim(struct kb_bits *bits, size_t count, const struct kb_fragment *fragment, const struct kb_bits_place *place)
{
	if (bits->error.number)
		return NULL;
	if ((!bits->at || count > bits->room - bits->used || bits->used + count > bits->limit) &&
	    !grow_bytes(bits, count, fragment ? fragment->file : place->file, fragment ? fragment->line : place->line))
		return NULL;
	if (!ROOM_FOR_ONE(bits, piece))
		return NULL;
	bits->pieces[bits->piece_count++] =
		(struct kb_bits_piece){ fragment, place, (uint32_t)bits->used, bits->scope };
	return bits->at + bits->used;
}

/* ---- scopes -------------------------------------------------------------------------------------- */

bool kb_bits_enter(struct kb_bits *bits, const struct kb_scope *scope, const struct kb_value *values)
{
	if (bits->error.number || !ROOM_FOR_ONE(bits, scope))
		return false;
	bits->scopes[bits->scope_count] = (struct kb_bits_scope){ scope, bits->scope, bits->value_count };
	for (uint32_t i = 0; i < scope->name_count; i++) {
		if (!ROOM_FOR_ONE(bits, value))
			return false;
		struct kb_value *value = &bits->values[bits->value_count++];

		/* Field by field: the caller has just written them so, and a load of both would wait for both stores. */
		value->bits = values[i].bits;
		value->negative = values[i].negative;
	}
	bits->scope = ++bits->scope_count;
	return true;
}

/* After an error the scopes stay as they were when it happened. */
void kb_bits_leave(struct kb_bits *bits)
{
	if (!bits->error.number && bits->scope)
		bits->scope = bits->scopes[bits->scope - 1].parent;
}

/* ---- labels -------------------------------------------------------------------------------------- */

/* A program has some tens of names at most, mostly one: a list does. */
static bool label_index(struct kb_bits *bits, const char *name, uint32_t *index)
{
	for (uint32_t i = 0; i < bits->label_count; i++) {
		if (bits->labels[i].name == name || !strcmp(bits->labels[i].name, name)) {
			*index = i;
			return true;
		}
	}
	if (!ROOM_FOR_ONE(bits, label))
		return false;
	*index = bits->label_count;
	bits->labels[bits->label_count++] = (struct kb_bits_label){ .name = name };
	return true;
}

/* Twice would leave a branch with two targets. */
static void define(struct kb_bits *bits, const struct kb_fragment *fragment, const struct kb_label *label)
{
	uint32_t index;

	if (!label_index(bits, label->name, &index))
		return;
	if (bits->labels[index].defined) {
		const struct kb_bits_piece *first = &bits->pieces[bits->labels[index].piece];
		char scope[128];

		kb_bits_scope_words(bits, first->scope, scope, sizeof(scope));
		kb_bits_fail(bits, 310, fragment->file, label->line, "label @%s is emitted twice; first by %s.%s%s%s",
			label->name, first->fragment->class, first->fragment->member, scope[0] ? " in " : "", scope);
		return;
	}
	bits->labels[index].defined = true;
	bits->labels[index].offset = (uint32_t)bits->used + label->offset;
	bits->labels[index].piece = bits->piece_count - 1;
}

static void join(struct kb_bits *bits, const struct kb_bits_use *use)
{
	const struct kb_bits_label *label = &bits->labels[use->label];
	const struct kb_relocation *relocation = kb_target_of_hole(bits->target, use->hole);
	const char *file = bits->pieces[use->piece].fragment->file;

	bits->scope = bits->pieces[use->piece].scope;
	if (!label->defined) {
		kb_bits_fail(bits, 311, file, use->hole->line, "label @%s is not defined by any fragment", label->name);
		return;
	}
	int64_t distance = (int64_t)label->offset + use->hole->addend - use->offset;

	if (!kb_target_fits(relocation, kb_value_signed(distance))) {
		kb_bits_fail(bits, 313, file, use->hole->line,
			"label @%s is %lld bytes away, and %s reaches from %lld to %lld in steps of %u", label->name,
			(long long)distance, relocation->name, (long long)relocation->min, (long long)relocation->max,
			relocation->step);
		return;
	}
	kb_target_put(relocation, bits->at + use->offset, kb_value_signed(distance));
}

int kb_bits_finish(struct kb_bits *bits)
{
	for (uint32_t i = 0; i < bits->use_count && !bits->error.number; i++)
		join(bits, &bits->uses[i]);
	return bits->error.number ? -EINVAL : 0;
}

/* ---- appending ----------------------------------------------------------------------------------- */

/* The addend of the relocation belongs to the number, and the sum must fit, exactly. */
static void fill(struct kb_bits *bits, const struct kb_fragment *fragment, const struct kb_hole *hole,
	struct kb_value value, uint8_t *at)
{
	const struct kb_relocation *relocation = kb_target_of_hole(bits->target, hole);
	struct kb_value sum = value;

	if (kb_value_add(&sum, hole->addend) && (hole->paired || kb_target_fits(relocation, sum)))
		kb_target_put(relocation, at + hole->offset, sum);
	else
		kb_bits_misfit(bits, fragment->file, hole->line, "hole value", value, hole->addend, relocation->min,
			relocation->max, relocation->step);
}

void kb_bits_append(struct kb_bits *bits, const struct kb_fragment *fragment, const struct kb_value *values)
{
	uint8_t *at = claim(bits, fragment->count, fragment, NULL);
	uint32_t index;

	if (!at)
		return;
	if (fragment->count)
		memcpy(at, fragment->bytes, fragment->count);
	for (uint32_t i = 0; i < fragment->label_count; i++)
		if (fragment->labels[i].defined)
			define(bits, fragment, &fragment->labels[i]);
	for (uint32_t i = 0; i < fragment->hole_count; i++) {
		const struct kb_hole *hole = &fragment->holes[i];

		/* A label may be defined later: uses are joined when everything is composed. */
		if (kb_target_of_hole(bits->target, hole)->kind != KB_HOLE_LABEL)
			fill(bits, fragment, hole, values[hole->value], at);
		else if (label_index(bits, fragment->labels[hole->value].name, &index) && ROOM_FOR_ONE(bits, use))
			bits->uses[bits->use_count++] =
				(struct kb_bits_use){ hole, index, (uint32_t)bits->used + hole->offset, bits->piece_count - 1 };
	}
	bits->used += fragment->count;
}

void kb_bits_bytes(struct kb_bits *bits, const struct kb_bits_place *place, const uint8_t *bytes, size_t count)
{
	uint8_t *at = claim(bits, count, NULL, place);

	if (!at || count == 0)
		return;
	memcpy(at, bytes, count);
	bits->used += count;
}

/* Of a number that fits into such a width, if it is one. */
static void cast(struct kb_bits *bits, const struct kb_bits_place *place, unsigned width_bits, struct kb_value value, bool big_endian)
{
	if (width_bits != 8 && width_bits != 16 && width_bits != 32 && width_bits != 64) {
		kb_bits_fail(bits, 301, place->file, place->line, "a cast has no width of %u bits", width_bits);
		return;
	}
	uint64_t field = big_endian ? __builtin_bswap64(value.bits << (64 - width_bits)) : value.bits;
	int64_t min = INT64_MIN >> (64 - width_bits);
	uint64_t max = UINT64_MAX >> (64 - width_bits);

	if (kb_value_between(value, min, max))
		kb_bits_bytes(bits, place, (const uint8_t *)&field, width_bits / 8);
	else
		kb_bits_misfit(bits, place->file, place->line, "cast value", value, 0, min, max, 1);
}

void kb_bits_le(struct kb_bits *bits, const struct kb_bits_place *place, unsigned width_bits, struct kb_value value)
{
	cast(bits, place, width_bits, value, false);
}

void kb_bits_be(struct kb_bits *bits, const struct kb_bits_place *place, unsigned width_bits, struct kb_value value)
{
	cast(bits, place, width_bits, value, true);
}

void kb_bits_align(struct kb_bits *bits, const struct kb_bits_place *place, struct kb_value n)
{
	if (n.negative || n.bits == 0 || (n.bits & (n.bits - 1)) || n.bits > bits->limit) {
		kb_bits_misfit(bits, place->file, place->line, "align needs a power of two;", n, 0, 1, bits->limit, 1);
		return;
	}
	size_t count = (size_t)(-bits->used & (n.bits - 1));

	if (count == 0 || !claim(bits, count, NULL, place))
		return;
	kb_target_pad(bits->target, bits->at, bits->used, bits->used + count);
	bits->used += count;
}
