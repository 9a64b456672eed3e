/*
 * One primitive in several targets: which result of each answers the same question, as text that a user can read and extend
 * (doc/layers.md). Pure: parsing and matching. It points into its text, which lives as long as it does.
 */
#ifndef KB_SUITE_LAYERS_H
#define KB_SUITE_LAYERS_H

#include "base/text.h"
#include "suite/model/model.h"

enum { KB_LAYERS_MAX = 32 };

/* `layer kernel kernel.page_alloc order=0`, or `without yamba WORDS`: that target has no such benchmark, and why. */
struct kb_layer {
	struct kb_span target, row, why;         /* row empty: why is not */
	unsigned line;
};

struct kb_layers {
	struct kb_span about, model;            /* model: its name; empty: none */
	struct kb_layer layers[KB_LAYERS_MAX];
	unsigned count;
};

/* 0 or -EINVAL with *error. */
int kb_layers_parse(struct kb_layers *, const char *text, size_t length, struct kb_model_error *error);

/* Whether a stored result is the one meant: the same benchmark, and all parameters that are named have these values. One of copies, or
   under interference, is meant only where these are named. */
bool kb_layers_match(struct kb_span row, const char *key);

#endif
