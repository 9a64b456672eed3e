/* The parameters one by one: which points are measured, and what follows from them. */
#ifndef KB_SUITE_PARAMS_FIND_H
#define KB_SUITE_PARAMS_FIND_H

#include "suite/params/measure.h"
#include "suite/params/mhz.h"
#include "suite/params/system.h"

#define KB_INFERRED_MAX 80
#define KB_PICTURES_MAX 10
#define KB_PICTURE_CURVES 6
#define KB_PICTURE_MARKS 24

/* curve < 0: a vertical line at x, with its label. Else the point of that curve at x is drawn as the label's first letter. */
struct kb_mark { double x; int curve; char label[8]; };

/* Where a curve was wanted and has no value, and why. */
#define KB_GAPS_MAX 16
struct kb_gaps { unsigned count; double x[KB_GAPS_MAX]; char why[120]; };

/* Curves for people, each with its label; x is `axis`. */
struct kb_picture {
	char title[96], axis[16];
	bool sizes;             /* x is in bytes */
	bool microseconds;      /* y is drawn in us; points are ns in any case */
	bool rate;              /* y is drawn in GB/s, of so many bytes a point */
	double bytes;
	struct kb_mark marks[KB_PICTURE_MARKS];
	unsigned mark_count;
	char note[160];         /* below the labels; "": none */
	unsigned count;
	char labels[KB_PICTURE_CURVES][32];
	struct kb_curve curves[KB_PICTURE_CURVES];
	struct kb_gaps gaps[KB_PICTURE_CURVES];
};

/* The mhz method on all nine expressions, by the lecture's rules: their times, and the line for each i. i of the best one; 0: none. */
struct kb_mhz_table {
	bool known;
	double mhz;             /* core clock at which the times were cycles */
	double ns[KB_MHZ_EXPRESSIONS], again[KB_MHZ_EXPRESSIONS];       /* the smallest, and the one after it */
	unsigned i;
	struct kb_mhz_fit lines[KB_MHZ_LINES];  /* i 0: there is no line */
};

struct kb_params {
	struct kb_inferred inferred[KB_INFERRED_MAX];
	unsigned count;
	struct kb_picture pictures[KB_PICTURES_MAX];
	unsigned picture_count;
	struct kb_mhz_table mhz;
};

struct kb_params_finder {
	const char *name;
	void (*find)(struct kb_prober *, const struct kb_system *, struct kb_params *);
	unsigned seconds;       /* that it needs while others want the CPUs too, and its share of a budget */
};

/* All that can be asked for, in the order in which they are measured; ends with a null name. */
extern const struct kb_params_finder kb_parameters[];

/* Measures those that are named, without a name all. Each gets its share of what is left of prober->run.budget_ns when it begins,
   so what one leaves the others have; without a budget what they need. What cannot be inferred is an entry, too. */
void kb_parameters_find(char *const *names, struct kb_prober *, const struct kb_system *, struct kb_params *);

/* ---- only for the files of this directory ------------------------------------------------------------- */

/* A new entry; the last one once there is no room. */
struct kb_inferred *kb_params_add(struct kb_params *, const char *parameter, enum kb_unit, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
struct kb_picture *kb_params_picture(struct kb_params *, const char *axis, bool sizes, const char *title);

/* Bytes of the cache of that level for data, by the first source that reports it; 0: none. */
double kb_cache_bytes(const struct kb_system *, unsigned level);

/* The next curve of a picture. */
void kb_picture_curve(struct kb_picture *, const struct kb_curve *, const char *label);

/* Marks in a picture: the caches on its axis of bytes; one mark. */
void kb_picture_caches(struct kb_picture *, const struct kb_system *);
void kb_picture_mark(struct kb_picture *, int curve, double x, const char *label);

/* On a curve over a number of working sets of `bytes` each, of which the smallest number is `least`: the first point at which
   they exceed a cache together carries the number of its level. */
void kb_picture_passing(struct kb_picture *, unsigned curve, const struct kb_system *, double bytes, double least);

/* Points that were wanted of a curve and are not on it, and why; a reason "" stands for work in between. */
void kb_picture_gaps(struct kb_picture *, unsigned curve, const double *wanted, size_t count, const char *why);

/* The system's value of an entry, and by which source. A value of 0 is none. */
void kb_inferred_system(struct kb_inferred *, double low, double high, const char *source);

/* What each source reports of the cache of that level: sysfs, CPUID, hwloc. */
enum kb_cache_part { KB_CACHE_BYTES, KB_CACHE_WAYS, KB_CACHE_LINE, KB_CACHE_SPAN };
void kb_inferred_cache(struct kb_inferred *, const struct kb_system *, unsigned level, enum kb_cache_part);

/* Tells why an entry is what it is, and what that makes it: KB_MATCH_NOT takes its value away. The last reason stays. */
void kb_inferred_is(struct kb_inferred *, enum kb_match, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The times of a result over sweeps, ns; bytes of one operation. */
struct kb_range { double low, high, bytes; unsigned count; };
void kb_range_widen(struct kb_range *, const struct kb_row *);
void kb_range_put(struct kb_inferred *, double low, double high, double best, unsigned sweeps);

/* best: the value; 0: there is none but the interval. */
struct kb_inferred_value kb_inferred_between(double low, double high, double best);

/* The name of a cache for data: L1d, L2, L3. */
const char *kb_cache_name(unsigned level);

void kb_find_clock(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_cache(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_line(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_assoc(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_tlb(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_tlb_huge(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_page_walk(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_memory(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_core(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_sharing(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_latency(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_bandwidth(struct kb_prober *, const struct kb_system *, struct kb_params *);
void kb_find_ring(struct kb_prober *, const struct kb_system *, struct kb_params *);

#endif
