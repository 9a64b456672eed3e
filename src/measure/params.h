/* Parameter values of one result, checked against the benchmark's declaration. Used by the parent and by collectors. */
#ifndef KB_MEASURE_PARAMS_H
#define KB_MEASURE_PARAMS_H

#include "types.h"
#include "kbench.h"
#include "base/text.h"

#define KB_PARAM_VALUE_MAX 64

struct kb_settings {
	const struct kb_bench *bench;
	char text[KB_PARAM_MAX][KB_PARAM_VALUE_MAX];    /* as given, in the order of bench->params */
	uint64_t number[KB_PARAM_MAX];                  /* of KB_NUMBER and KB_SIZE */
};

/* All parameters at their default, the first of `values`. */
void kb_settings_default(struct kb_settings *, const struct kb_bench *bench);

/* Sets one parameter. -ENOENT: no such parameter; -EINVAL: not a value of its kind; -ERANGE: outside its bounds.
   error gets one line: what is wrong and what is legal. */
int kb_settings_set(struct kb_settings *, struct kb_span name, struct kb_span value, struct kb_text *error);

/* The same of "name=value". */
int kb_settings_pair(struct kb_settings *, const char *pair, struct kb_text *error);

/* "op=add size=64K", sizes in their shortest form, without what is empty; "" without parameters. */
void kb_settings_format(struct kb_text *, const struct kb_settings *);

/* Index of the parameter of that name, -1 if there is none. */
int kb_param_index(const struct kb_bench *bench, struct kb_span name);

/* Whether an expectation's `when` ("name=value", several with blanks between, NULL) holds. */
bool kb_settings_match(const struct kb_settings *, const char *when);

/* Whether a claim of the descriptor that holds for these values is about that counter. */
bool kb_settings_claim(const struct kb_settings *, enum kb_counter);

#endif
