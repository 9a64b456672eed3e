/*
 * Structs as JSON objects by a table of their fields, which is both what is written and what is read back: the order of the table is
 * the order of the keys. What is read may come from a later version or from a damaged store: keys that are not in the table are
 * skipped, a missing one leaves its field unknown, and a value of another type than its field's makes the whole object wrong.
 */
#ifndef KB_RESULT_JSON_FIELDS_H
#define KB_RESULT_JSON_FIELDS_H

#include <jansson.h>
#include <stddef.h>

#include "types.h"
#include "result/result.h"

enum kb_json_kind {
	KB_JSON_END,            /* of a table */
	KB_JSON_SPECIAL,        /* by its functions; without `read` it is only written */
	KB_JSON_TEXT,           /* char[]; longer text is cut */
	KB_JSON_REAL,           /* double; NAN is null */
	KB_JSON_SIZE,           /* double; missing or null is 0 */
	KB_JSON_WHOLE,          /* uint64_t below 2^53 */
	KB_JSON_COUNT,          /* unsigned; more than it holds can only be damage and is cut off */
	KB_JSON_TRUTH,          /* bool */
	KB_JSON_NAME,           /* an enum of `most` values by their `name`; `otherwise` of any other */
	KB_JSON_ESTIMATE,       /* struct kb_estimate; without a key its keys stand in this object */
	KB_JSON_VALUE,          /* the value of an estimate alone */
	KB_JSON_ENDS,           /* and its ends, read after the value */
	KB_JSON_OBJECT,         /* `inside`, of the struct at `at` */
	KB_JSON_ARRAY,          /* `inside`, of each element */
};

enum kb_json_flag {
	KB_JSON_OR_NULL = 1,    /* "", and numbers that are not above 0, are written as null */
	KB_JSON_OR_NONE = 2,    /* or have no key */
	KB_JSON_READ_ONLY = 4,  /* of version 1 */
	KB_JSON_NEEDED = 8,     /* where it is null, "" or a whole 0 the object is left out, and the element of an array skipped */
};

/* An object being read. */
struct kb_json_reader {
	const json_t *object;   /* NULL: there is none, and everything in it is unknown */
	bool *wrong;            /* set by any value of another type than asked for */
	bool first;             /* version 1, whose keys may be others */
};

struct kb_json_field {
	enum kb_json_kind kind;
	const char *key;        /* NULL: the keys of its object stand in this one */
	size_t at, size;        /* in the struct; size of one element of an array */
	unsigned flags;
	const char *first_key;  /* of version 1; NULL: the same */
	const struct kb_json_field *inside;
	size_t count_at, most;  /* of an array: its unsigned count in the struct, and the room */
	const char *(*name)(unsigned);
	unsigned otherwise;
	json_t *(*write)(const void *);         /* of the whole struct, whatever the kind; NULL leaves the key out */
	void (*read)(struct kb_json_reader, void *);    /* of the object that has the key */
};

/* The beginning of an entry. */
#define KB_JSON_FIELD(its_kind, its_key, type, member) \
	.kind = KB_JSON_##its_kind, .key = its_key, .at = offsetof(struct type, member), .size = sizeof ((struct type *)0)->member

/* A new reference; NULL: something is missing that it needs, or memory. */
json_t *kb_json_from_fields(const struct kb_json_field *, const void *from);

/* False: something is missing that it needs. */
bool kb_json_to_fields(struct kb_json_reader, const struct kb_json_field *, void *to);

/* ---- for functions of fields ------------------------------------------------------------------------ */

struct kb_json_reader kb_json_inside(struct kb_json_reader, const char *key);

/* NAN where there is null or nothing. */
double kb_json_get_real(struct kb_json_reader, const char *key);

/* 0 where there is null or nothing. */
uint64_t kb_json_get_whole(struct kb_json_reader, const char *key);

/* Of what a kernel of seL4 kept: kept.c. */
extern const struct kb_json_field kb_utilisation_fields[], kb_kernel_log_fields[];

#endif
