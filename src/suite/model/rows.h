/* The benchmarks with parameters that models ask for, each once, whichever models want it; and what their results come to. */
#ifndef KB_SUITE_MODEL_ROWS_H
#define KB_SUITE_MODEL_ROWS_H

#include "run/run.h"
#include "suite/model/model.h"

struct kb_model_rows {
	struct kb_row *rows;
	size_t count;
	bool *found;                    /* it has a result */
	bool observed;                  /* values are the observed costs, else the headlines */
};

/* Adds what one quantity of an instance needs; *index is where it is. 0, -ENOMEM, or -EINVAL: there is no such benchmark, and why. */
int kb_model_rows_add(struct kb_model_rows *, const struct kb_model *, unsigned quantity, unsigned instance, size_t *index,
		      struct kb_model_error *);

/* What the one at `index` came to, as a quantity of that kind. */
void kb_model_rows_value(const struct kb_model_rows *, size_t index, const struct kb_quantity *, struct kb_quantity_value *);

void kb_model_rows_free(struct kb_model_rows *);

/* ---- all of one model ------------------------------------------------------------------------------------- */

/* Where the quantities of a model's instances are among them. */
struct kb_model_index { size_t row[KB_MODEL_VALUES][KB_MODEL_QUANTITIES]; };

int kb_model_choose(struct kb_model_rows *, const struct kb_model *, struct kb_model_index *, struct kb_model_error *);

/* Its instances with what those came to, judged; owned by the caller. NULL without memory. */
struct kb_prediction *kb_model_predict(const struct kb_model_rows *, const struct kb_model *, const struct kb_model_index *, struct kb_fit *);

#endif
