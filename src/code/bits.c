/*
 * Composes fragments: copy and patch. What would make it wrong is a number that is cut without a word, so every write
 * goes through kb_target_fits or a check of its width. A few nanoseconds a fragment, and some 20 with notes: a composer may be
 * called for tens of thousands of copies.
 */
#include "code/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/inside.h"

static uint64_t most_steps(const struct kb_bits *bits)
{
	return bits->limit / 8 > KB_BITS_STEPS ? bits->limit / 8 : KB_BITS_STEPS;
}

void kb_bits_again(struct kb_bits *bits, const struct kb_target *target, size_t limit, bool noting)
{
	bits->target = target;
	bits->limit = limit < INT32_MAX ? limit : INT32_MAX;
	bits->head.room = bits->reserved < bits->limit ? bits->reserved : bits->limit;
	bits->head.used = 0;
	bits->noting = noting;
	bits->steps = most_steps(bits);
	bits->head.steps = noting ? 0 : bits->steps;
	bits->piece_count = bits->scope_count = bits->value_count = bits->label_count = bits->use_count = 0;
	bits->scope = 0;
	bits->error = (struct kb_bits_error){ 0 };
}

void kb_bits_free(struct kb_bits *bits)
{
	free(bits->head.at);
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
	kb_bits_fail(bits, 312, NULL, 0, "no memory for composed code beyond %zu bytes", bits->head.used);
	return false;
}

/* Room for one more element of an array that doubles. */
static bool grow(struct kb_bits *bits, void *array, uint32_t *room, size_t size)
{
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
	size_t wanted = bits->head.used + count, room = bits->reserved ? 2 * bits->reserved : 4096;

	if (count > bits->limit || wanted > bits->limit) {
		kb_bits_fail(bits, 312, file, line, "composed code is larger than %zu bytes", bits->limit);
		return false;
	}
	while (room < wanted)
		room *= 2;

	uint8_t *grown = realloc(bits->head.at, room);

	if (!grown)
		return no_memory(bits);
	bits->head.at = grown;
	bits->reserved = room;
	bits->head.room = room < bits->limit ? room : bits->limit;
	return true;
}

/* Where the next count bytes go; NULL after an error. */
static uint8_t *claim(struct kb_bits *bits, size_t count, const struct kb_fragment *fragment, const struct kb_bits_place *place)
{
	if (bits->error.number)
		return NULL;
	if ((!bits->head.at || count > bits->head.room - bits->head.used) &&
	    !grow_bytes(bits, count, fragment ? fragment->file : place->file, fragment ? fragment->line : place->line))
		return NULL;
	if (!bits->noting)
		return bits->head.at + bits->head.used;
	if (!ROOM_FOR_ONE(bits, piece))
		return NULL;
	bits->pieces[bits->piece_count++] =
		(struct kb_bits_piece){ fragment, place, (uint32_t)bits->head.used, bits->scope };
	return bits->head.at + bits->head.used;
}

/* ---- scopes -------------------------------------------------------------------------------------- */

bool kb_bits_enter(struct kb_bits *bits, const struct kb_scope *scope, const struct kb_value *values)
{
	uint64_t *left = bits->noting ? &bits->steps : &bits->head.steps;

	if (bits->error.number)
		return false;
	if (!*left) {
		kb_bits_fail(bits, 312, NULL, 0, "composing takes more than %llu steps; a larger yamba.max_code allows more",
			(unsigned long long)most_steps(bits));
		return false;
	}
	--*left;
	if (!bits->noting)
		return true;
	if (!ROOM_FOR_ONE(bits, scope))
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
	if (bits->labels[index].fragment) {
		const struct kb_fragment *first = bits->labels[index].fragment;
		char scope[128];

		kb_bits_scope_words(bits, bits->labels[index].scope, scope, sizeof(scope));
		kb_bits_fail(bits, 310, fragment->file, label->line, "label @%s is emitted twice; first by %s.%s%s%s",
			label->name, first->class, first->member, scope[0] ? " in " : "", scope);
		return;
	}
	bits->labels[index].fragment = fragment;
	bits->labels[index].scope = bits->scope;
	bits->labels[index].offset = (uint32_t)bits->head.used + label->offset;
}

static void join(struct kb_bits *bits, const struct kb_bits_use *use)
{
	const struct kb_bits_label *label = &bits->labels[use->label];
	const struct kb_relocation *relocation = kb_target_of_hole(bits->target, use->hole);
	const char *file = use->fragment->file;

	bits->scope = use->scope;
	if (!label->fragment) {
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
	kb_target_put(relocation, bits->head.at + use->offset, kb_value_signed(distance));
}

int kb_bits_finish(struct kb_bits *bits)
{
	for (uint32_t i = 0; i < bits->use_count && !bits->error.number; i++)
		join(bits, &bits->uses[i]);
	return bits->error.number ? -EINVAL : 0;
}

/* ---- appending ----------------------------------------------------------------------------------- */

/* Most fragments are short, and then a call of memcpy would take longer than what it does. */
static inline void copy(uint8_t *to, const uint8_t *from, size_t count)
{
	uint64_t first, last;
	uint32_t first_half, last_half;

	if (count > 16) {
		memcpy(to, from, count);
	} else if (count >= 8) {
		memcpy(&first, from, 8);
		memcpy(&last, from + count - 8, 8);
		memcpy(to, &first, 8);
		memcpy(to + count - 8, &last, 8);
	} else if (count >= 4) {
		memcpy(&first_half, from, 4);
		memcpy(&last_half, from + count - 4, 4);
		memcpy(to, &first_half, 4);
		memcpy(to + count - 4, &last_half, 4);
	} else {
		for (size_t i = 0; i < count; i++)
			to[i] = from[i];
	}
}

/* Apart, as all that is rare: with it inside, each append would save the registers that it needs. */
__attribute__((noinline))
static void misfit(struct kb_bits *bits, const struct kb_fragment *fragment, const struct kb_hole *hole,
	const struct kb_value *value)
{
	const struct kb_relocation *relocation = kb_target_of_hole(bits->target, hole);

	kb_bits_misfit(bits, fragment->file, hole->line, "hole value", *value, hole->addend, relocation->min, relocation->max,
		relocation->step);
}

/* The addend of the relocation belongs to the number, and the sum must fit, exactly. The number is read field by field: the caller has
   just written it so, and a load of both would wait for both stores. */
static inline void fill(struct kb_bits *bits, const struct kb_fragment *fragment, const struct kb_hole *hole,
	const struct kb_value *value, uint8_t *at)
{
	const struct kb_relocation *relocation = kb_target_of_hole(bits->target, hole);
	struct kb_value sum = { value->bits, value->negative };

	if (kb_value_add(&sum, hole->addend) && (hole->paired || kb_target_fits(relocation, sum)))
		kb_target_put(relocation, at + hole->offset, sum);
	else
		misfit(bits, fragment, hole, value);
}

__attribute__((noinline))
static void turn_bits(struct kb_bits *bits, const struct kb_fragment *fragment, const struct kb_value *values, uint8_t *at)
{
	for (uint32_t i = 0; i < fragment->register_count; i++) {
		const struct kb_register_hole *hole = &fragment->registers[i];
		const struct kb_value *value = &values[hole->value];

		if (value->negative || value->bits > 31 || !(hole->allowed >> value->bits & 1)) {
			kb_bits_no_register(bits, fragment->file, hole->line, *value, hole->allowed);
			return;
		}
	}
	kb_turn_bits(fragment, values, at);
}

/* A label may be used before it is defined: uses are joined when everything is composed. */
__attribute__((noinline))
static void take_labels(struct kb_bits *bits, const struct kb_fragment *fragment)
{
	uint32_t index;

	for (uint32_t i = 0; i < fragment->label_count; i++)
		if (fragment->labels[i].defined)
			define(bits, fragment, &fragment->labels[i]);
	for (uint32_t i = 0; i < fragment->hole_count; i++) {
		const struct kb_hole *hole = &fragment->holes[i];

		if (kb_target_of_hole(bits->target, hole)->kind == KB_HOLE_LABEL &&
		    label_index(bits, fragment->labels[hole->value].name, &index) && ROOM_FOR_ONE(bits, use))
			bits->uses[bits->use_count++] =
				(struct kb_bits_use){ hole, fragment, index, (uint32_t)bits->head.used + hole->offset, bits->scope };
	}
}

__attribute__((noinline))
static uint8_t *claim_fragment(struct kb_bits *bits, const struct kb_fragment *fragment)
{
	return claim(bits, fragment->count, fragment, NULL);
}

void kb_bits_append(struct kb_bits *bits, const struct kb_fragment *fragment, const struct kb_value *values)
{
	/* Steps are left in the head: no error so far, and nobody notes. */
	bool quick = bits->head.steps && fragment->count <= bits->head.room - bits->head.used;
	uint8_t *at = quick ? bits->head.at + bits->head.used : claim_fragment(bits, fragment);

	if (!at)
		return;
	copy(at, fragment->bytes, fragment->count);
	if (fragment->label_count)
		take_labels(bits, fragment);
	if (fragment->register_count)
		turn_bits(bits, fragment, values, at);
	for (uint32_t i = 0; i < fragment->hole_count; i++) {
		const struct kb_hole *hole = &fragment->holes[i];

		if (kb_target_of_hole(bits->target, hole)->kind != KB_HOLE_LABEL)
			fill(bits, fragment, hole, &values[hole->value], at);
	}
	bits->head.used += fragment->count;
}

void kb_bits_plain(struct kb_bits *bits, const struct kb_plain *plain)
{
	if (!kb_bits_enter(bits, &plain->scope, NULL))
		return;
	for (const struct kb_fragment *const *fragment = plain->fragments; *fragment; fragment++)
		kb_bits_append(bits, *fragment, NULL);
	kb_bits_leave(bits);
}

void kb_bits_value(struct kb_bits *bits, const struct kb_bitstring *value)
{
	if (value->plain)
		kb_bits_plain(bits, value->plain);
	else
		value->compose(bits);
}

void kb_bits_bytes(struct kb_bits *bits, const struct kb_bits_place *place, const uint8_t *bytes, size_t count)
{
	uint8_t *at = claim(bits, count, NULL, place);

	if (!at || count == 0)
		return;
	memcpy(at, bytes, count);
	bits->head.used += count;
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
	size_t count = (size_t)(-bits->head.used & (n.bits - 1));

	if (count == 0 || !claim(bits, count, NULL, place))
		return;
	kb_target_pad(bits->target, bits->head.at, bits->head.used, bits->head.used + count);
	bits->head.used += count;
}
