/* The parameters one by one: which points are measured, and what follows from them. */
#ifndef KB_SUITE_PARAMS_FIND_H
#define KB_SUITE_PARAMS_FIND_H

#include "suite/params_measure.h"
#include "suite/params_system.h"

#define KB_INFERRED_MAX 48
#define KB_PICTURES_MAX 4
#define KB_PICTURE_CURVES 4

/* Curves for people, each with its label; x is `axis`. */
struct kb_picture {
	char title[80], axis[16];
	bool sizes;             /* x is in bytes */
	unsigned count;
	char labels[KB_PICTURE_CURVES][32];
	struct kb_curve curves[KB_PICTURE_CURVES];
};

struct kb_params {
	struct kb_inferred inferred[KB_INFERRED_MAX];
	unsigned count;
	struct kb_picture pictures[KB_PICTURES_MAX];
	unsigned picture_count;
};

struct kb_parameter {
	const char *name, *summary;
	void (*find)(struct kb_prober *, const struct kb_system *, struct kb_params *);
};

/* All that can be asked for, in the order in which they are measured; ends with a null name. */
extern const struct kb_parameter kb_parameters[];

/* Measures one; its budget is prober->run.budget_ns. What cannot be said is an entry, too. */
void kb_parameter_find(const struct kb_parameter *, struct kb_prober *, const struct kb_system *, struct kb_params *);

/* ---- only for the files beside params_find.c ------------------------------------------------------------- */

/* A new entry; the last one once there is no room. */
struct kb_inferred *kb_params_add(struct kb_params *, const char *parameter, enum kb_unit, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
struct kb_picture *kb_params_picture(struct kb_params *, const char *axis, bool sizes, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Says of an entry what the system says, without and with what it says it by. A value of 0 is no word. */
void kb_inferred_system(struct kb_inferred *, double low, double high, const char *source);

/* Makes it `not inferable`, and says why; or the same as `unverified`. */
void kb_inferred_not(struct kb_inferred *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kb_inferred_unverified(struct kb_inferred *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kb_inferred_why(struct kb_inferred *, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct kb_inferred_value kb_inferred_between(double low, double high);

/* The name of a cache for data: L1d, L2, L3. */
const char *kb_cache_name(unsigned level);

void kb_find_clock(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_cache(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_line(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_assoc(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_tlb(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_page_walk(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_memory(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_core(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_sharing(struct kb_prober *, const struct kb_system *, struct kb_params *);

#endif
