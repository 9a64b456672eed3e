/* One primitive on several targets: what each layer's benchmark came to, where, and by which evidence. */
#ifndef KB_REPORT_TEXT_LAYERS_H
#define KB_REPORT_TEXT_LAYERS_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/table.h"
#include "suite/layers.h"

#define KB_LAYERS_SCHEMA "kbench-layers/1"

/* What was found of one layer. */
struct kb_layer_answer {
	const struct kb_layer *layer;
	struct kb_result result;        /* valid where found */
	bool found, here;               /* here: on this machine, as it is now */
	char run[37], started[24];      /* of the result */
	char machine[160];              /* whose it is, where that is another one */
	char why[320];                  /* not found: the reason, and what to do */
};

/* A model whose whole is a result of these layers; NULL: there is none, or it has not been measured (why). */
struct kb_layers_model {
	const struct kb_model *model;
	const struct kb_prediction *predictions;        /* one an instance */
	struct kb_fit fit;
	char machine[160];              /* whose it is, where that is another one */
	char why[320];
};

struct kb_layers_shown {
	const char *name;
	const struct kb_layers *layers;
	const struct kb_layer_answer *answers;  /* one a layer */
	const struct kb_layers_model *model;
};

void kb_layers_print(FILE *out, const struct kb_layers_shown *, const struct kb_style *);

/* An element of `layers` in kbench-layers/1, and of `questions`, which have no answers. */
json_t *kb_layers_json(const struct kb_layers_shown *);
json_t *kb_layers_question_json(const char *name, const struct kb_layers *);

#endif
