/*
 * Results as JSON, schema kbench-result/2 (doc/result.md). Numbers have their unit in the name or next to them, are
 * finite or null, and whole numbers stay below 2^53, so that every reader gets what was written.
 * Functions that return json_t give a new reference, NULL only without memory.
 */
#ifndef KB_RESULT_JSON_JSON_H
#define KB_RESULT_JSON_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "types.h"
#include "env/env.h"
#include "result/result.h"

/* The largest whole number that a double holds together with all smaller ones, and so every JSON reader. */
#define KB_JSON_WHOLE_MAX (1ull << 53)

/* One element of results[]. */
json_t *kb_result_to_json(const struct kb_result *result);

/* The way back. Unknown keys are skipped, reasons with an unknown code kept as they were written; a missing key leaves its
   field unknown. -EINVAL: not an element of results[]: no object, no name, or a value of the wrong type. */
int kb_result_from_json(struct kb_result *result, const json_t *json);

/* {"value", "low", "high"}: all three keys are always there, for a script asks for `low` without asking first whether there
   is an interval. */
json_t *kb_json_estimate(const struct kb_estimate *);

/* "op=add size=64K" as an object. Values stay text: 64K is what the user typed and what -p takes. */
json_t *kb_json_params(const char *params);

/* `reasons` of a verdict. */
json_t *kb_json_reasons(const struct kb_verdict *);

extern const char *const kb_json_quantiles[KB_QUANTILES];       /* "p1" ... */

/* {"id", "facts": {stable ones}, "readings": {those that vary}} */
json_t *kb_env_to_json(const struct kb_env *env);

/* The ID of an environment, which stored runs of version 1 call its class; NULL: it has none. Text of the object. */
const char *kb_json_env_id(const json_t *env);

/* Text as it is, or "?" where it is not UTF-8: one broken name from a record or a BIOS must not cost the document. */
json_t *kb_json_string(const char *text);

/* A number of a JSON object: null if it is not finite or too large. */
json_t *kb_json_real(double value);
json_t *kb_json_whole(uint64_t value);

/* A copy, a new reference, in which all strings and keys are visible (base/text.h): of what comes from a store and is printed. */
json_t *kb_json_visible(json_t *json);

/* Prints with two blanks of indent and a newline at the end. What is not visible is printed as an escape (\u202E), so that JSON on a
   terminal moves no cursor and reads back as it was. 0 or -EIO. */
int kb_json_print(FILE *out, const json_t *json);

/* The same, in a format of jansson's flags and without the newline. */
int kb_json_write(FILE *out, const json_t *json, size_t flags);

/* A member of an object that is a string; "" where it is none. */
const char *kb_json_string_of(const json_t *object, const char *key);

/* The same on one line, for the store. Free it. take: of a reference that it takes over. */
char *kb_json_text(const json_t *json);
char *kb_json_take_text(json_t *json);

#endif
