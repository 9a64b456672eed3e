/* See fields.h. */
#include "result/json/fields.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "result/json/json.h"

/* ---- writing ------------------------------------------------------------------------------------------ */

/* An end belongs to an interval; a value alone has none, and 0 would be read as a bound. */
static json_t *write_ends(const struct kb_estimate *estimate)
{
	bool bounded = estimate->known && estimate->bounded;

	return json_pack("{s:o, s:o}", "low", kb_json_real(bounded ? estimate->low : NAN), "high",
			 kb_json_real(bounded ? estimate->high : NAN));
}

static json_t *write_value(const struct kb_estimate *estimate)
{
	return kb_json_real(estimate->known ? estimate->value : NAN);
}

json_t *kb_json_estimate(const struct kb_estimate *estimate)
{
	json_t *object = json_pack("{s:o}", "value", write_value(estimate)), *ends = write_ends(estimate);

	json_object_update(object, ends);
	json_decref(ends);
	return object;
}

static json_t *write_array(const struct kb_json_field *field, const char *elements, unsigned count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count && i < field->most; i++)
		json_array_append_new(array, kb_json_from_fields(field->inside, elements + i * field->size));
	return array;
}

static json_t *write_field(const struct kb_json_field *field, const char *from)
{
	const void *at = from + field->at;

	if (field->write)
		return field->write(from);
	switch (field->kind) {
	case KB_JSON_TEXT: return kb_json_string(at);
	case KB_JSON_REAL:
	case KB_JSON_SIZE: return kb_json_real(*(const double *)at);
	case KB_JSON_WHOLE: return kb_json_whole(*(const uint64_t *)at);
	case KB_JSON_COUNT: return kb_json_whole(*(const unsigned *)at);
	case KB_JSON_TRUTH: return json_boolean(*(const bool *)at);
	case KB_JSON_NAME: return json_string(field->name(*(const unsigned *)at));
	case KB_JSON_ESTIMATE: return kb_json_estimate(at);
	case KB_JSON_VALUE: return write_value(at);
	case KB_JSON_ENDS: return write_ends(at);
	case KB_JSON_OBJECT: return kb_json_from_fields(field->inside, at);
	case KB_JSON_ARRAY: return write_array(field, at, *(const unsigned *)(const void *)(from + field->count_at));
	default: return NULL;
	}
}

/* Costs may be 0, and less: that is no reason to leave them out. */
static bool is_nothing(const json_t *value, unsigned flags)
{
	bool positive = flags & (KB_JSON_OR_NULL | KB_JSON_OR_NONE);

	return json_is_string(value) ? !json_string_value(value)[0] : json_is_integer(value) ? json_integer_value(value) == 0 :
	       json_is_real(value) ? positive && !(json_real_value(value) > 0) : json_is_null(value);
}

json_t *kb_json_from_fields(const struct kb_json_field *fields, const void *from)
{
	json_t *object = json_object();

	for (const struct kb_json_field *field = fields; field->kind != KB_JSON_END && object; field++) {
		json_t *value = field->flags & KB_JSON_READ_ONLY ? NULL : write_field(field, from);
		bool nothing = field->flags && is_nothing(value, field->flags);

		if (!field->key)
			json_object_update(object, value);
		else if (!nothing)
			json_object_set(object, field->key, value);
		else if (field->flags & KB_JSON_OR_NULL)
			json_object_set_new(object, field->key, json_null());
		json_decref(value);
		if (nothing && field->flags & KB_JSON_NEEDED) {
			json_decref(object);
			object = NULL;
		}
	}
	return object;
}

/* ---- reading ------------------------------------------------------------------------------------------ */

struct kb_json_reader kb_json_inside(struct kb_json_reader reader, const char *key)
{
	const json_t *member = json_object_get(reader.object, key);

	if (member && !json_is_object(member))
		*reader.wrong = true;
	reader.object = json_is_object(member) ? member : NULL;
	return reader;
}

/* NULL where there is null or nothing; what has another type is damage. */
static const json_t *typed(struct kb_json_reader reader, const char *key, bool number)
{
	const json_t *member = json_object_get(reader.object, key);

	if (!member || json_is_null(member))
		return NULL;
	if (number ? json_is_number(member) : json_is_string(member))
		return member;
	*reader.wrong = true;
	return NULL;
}

/* "" where there is null or nothing. Names and words are printed as they are and may come from elsewhere: they are made visible. */
static void get_text(struct kb_json_reader reader, const char *key, char *text, size_t room)
{
	const json_t *member = typed(reader, key, false);

	kb_visible_copy(text, room, member ? json_string_value(member) : "");
}

double kb_json_get_real(struct kb_json_reader reader, const char *key)
{
	const json_t *member = typed(reader, key, true);

	return member ? json_number_value(member) : NAN;
}

/* Through a double, for other programs write 5 as 5.0; exact below 2^53. */
uint64_t kb_json_get_whole(struct kb_json_reader reader, const char *key)
{
	double value = kb_json_get_real(reader, key);

	if (value < 0 || value > (double)KB_JSON_WHOLE_MAX)
		*reader.wrong = true;
	return value >= 0 && value <= (double)KB_JSON_WHOLE_MAX ? (uint64_t)value : 0;
}

static void read_value(struct kb_json_reader reader, const char *key, struct kb_estimate *estimate)
{
	double value = kb_json_get_real(reader, key);

	/* Null is "not known", which is a fact about the measurement and no damage. */
	estimate->known = !isnan(value);
	estimate->value = estimate->known ? value : 0;
}

/* One end without the other is no interval. */
static void read_ends(struct kb_json_reader reader, struct kb_estimate *estimate)
{
	double low = kb_json_get_real(reader, "low"), high = kb_json_get_real(reader, "high");

	estimate->bounded = estimate->known && !isnan(low) && !isnan(high);
	estimate->low = estimate->bounded ? low : 0;
	estimate->high = estimate->bounded ? high : 0;
}

static void read_array(struct kb_json_reader reader, const struct kb_json_field *field, const json_t *array, char *to)
{
	unsigned *count = (void *)(to + field->count_at);
	size_t i;

	json_array_foreach(array, i, reader.object) {
		if (*count == field->most)
			return;
		if (kb_json_to_fields(reader, field->inside, to + field->at + *count * field->size))
			++*count;
	}
}

static unsigned read_name(struct kb_json_reader reader, const struct kb_json_field *field)
{
	char name[16];

	get_text(reader, field->key, name, sizeof name);
	for (unsigned i = 0; i < field->most; i++) {
		if (strcmp(name, field->name(i)) == 0)
			return i;
	}
	return field->otherwise;
}

static void read_field(struct kb_json_reader reader, const struct kb_json_field *field, const char *key, char *to)
{
	const json_t *member = json_object_get(reader.object, key);
	double real = field->kind == KB_JSON_REAL || field->kind == KB_JSON_SIZE ? kb_json_get_real(reader, key) : NAN;
	void *at = to + field->at;

	switch (field->kind) {
	case KB_JSON_TEXT: get_text(reader, key, at, field->size); break;
	case KB_JSON_REAL: *(double *)at = real; break;
	case KB_JSON_SIZE: *(double *)at = isnan(real) ? 0 : real; break;
	case KB_JSON_WHOLE: *(uint64_t *)at = kb_json_get_whole(reader, key); break;
	case KB_JSON_COUNT: *(unsigned *)at = (unsigned)fmin((double)kb_json_get_whole(reader, key), UINT32_MAX); break;
	case KB_JSON_TRUTH: *(bool *)at = json_is_true(member); break;
	case KB_JSON_NAME: *(unsigned *)at = read_name(reader, field); break;
	case KB_JSON_ESTIMATE:
		read_value(key ? kb_json_inside(reader, key) : reader, "value", at);
		read_ends(key ? kb_json_inside(reader, key) : reader, at);
		break;
	case KB_JSON_VALUE: read_value(reader, key, at); break;
	case KB_JSON_ENDS: read_ends(kb_json_inside(reader, key), at); break;
	case KB_JSON_OBJECT: kb_json_to_fields(kb_json_inside(reader, key), field->inside, at); break;
	case KB_JSON_ARRAY: read_array(reader, field, member, to); break;
	default:
		if (field->read)
			field->read(reader, to);
	}
}

bool kb_json_to_fields(struct kb_json_reader reader, const struct kb_json_field *fields, void *to)
{
	bool whole = true;

	for (const struct kb_json_field *field = fields; field->kind != KB_JSON_END; field++) {
		const char *key = reader.first && field->first_key ? field->first_key : field->key;
		const json_t *member = json_object_get(reader.object, key);

		read_field(reader, field, key, to);
		whole &= !(field->flags & KB_JSON_NEEDED) || (member && !json_is_null(member));
	}
	return whole;
}
