/* Unknowns of a model that is linear in them, from its instances: weighted least squares. */
#ifndef KB_SUITE_MODEL_FIT_H
#define KB_SUITE_MODEL_FIT_H

#include "suite/model/model.h"

/* One instance: whole = fixed + sum over k of unknown[k] x[k]. */
struct kb_fit_point {
	bool usable;
	double x[KB_MODEL_UNKNOWNS];
	struct kb_estimate fixed, whole;
};

/* From all usable points; unknown where they are too few, or do not tell the unknowns apart. */
void kb_fit_unknowns(const struct kb_fit_point *, unsigned count, unsigned unknowns, struct kb_fit *);

/* That point by the line through all others. */
struct kb_estimate kb_fit_predict(const struct kb_fit_point *, unsigned count, unsigned unknowns, unsigned left_out);

#endif
