/*
 * Parameters of the system from discontinuities in times. Everything here is a pure function of measured points, so that
 * synthetic curves can test it; measure.h measures. Sizes are bytes, latencies ns. A size is never one number: it
 * lies between the last point that still fits and the first that does not.
 */
#ifndef KB_SUITE_PARAMS_PARAMS_H
#define KB_SUITE_PARAMS_PARAMS_H

#include "types.h"

/* ---- curves ---------------------------------------------------------------------------------------------- */

#define KB_CURVE_MAX 128

/* x ascending and positive: bytes, pages, lines. ns: the smallest seen; again: the second smallest, 0 where there was one only.
   fit: made by kb_curve_fit or kb_curve_floor. */
struct kb_curve {
	size_t count;
	double x[KB_CURVE_MAX], ns[KB_CURVE_MAX], again[KB_CURVE_MAX], fit[KB_CURVE_MAX];
};

/* Enters a point in its place; of two at one x the smaller counts, for what disturbs adds time. False: no room, no number. */
bool kb_curve_add(struct kb_curve *, double x, double ns);

/* All points of another. */
void kb_curve_add_all(struct kb_curve *, const struct kb_curve *more);

/* ns at exactly this x, 0 if it was not measured. */
double kb_curve_at(const struct kb_curve *, double x);

/* A larger working set cannot be faster: pools adjacent violators of log(ns), each point of weight 1. */
void kb_curve_fit(struct kb_curve *);

/* The lower envelope as the fit: the smallest of a point and all behind it. What disturbs adds time and a larger working set
   takes none away, so a point that is slower than a later one was disturbed by the difference. */
void kb_curve_floor(struct kb_curve *);

/* A range of x with one latency, and the way up behind it. */
struct kb_plateau {
	double first, last;     /* points; last is the last one that fits: at most `rise` above the level */
	double ns;              /* level: median of the fit in it */
	double next;            /* first point that is beyond; 0: none */
	bool sure;              /* two processes up to `next` were slow */
	bool twice;             /* two of `next` itself */
	bool halved;            /* placed by kb_plateau_halve */
};

#define KB_PLATEAUS_MAX 8

/*
 * Levels of the isotonic fit over log(x), divided by the search for changes (stats/series/changepoint.h) on a grid of log(x). A segment
 * that rises by a quarter or more an octave is a slope between levels and not one. rise: relative, what still counts as on the level.
 * Returns how many; 0 also without memory.
 */
unsigned kb_curve_plateaus(struct kb_curve *, double rise, struct kb_plateau plateaus[KB_PLATEAUS_MAX]);

/*
 * The end of a level where rings fill their cache evenly, as in memory without gaps: a ring that is a little too large then misses
 * most of the time, so the end is sharp, and what comes behind need not be a level, as in a last cache that others empty. Places
 * `last` by the lower envelope, and `next` at the first point behind it that is three quarters of the way up to a ring half as
 * large again as `last`, in two processes of rings up to this size; where none nearby was yet, at the first that is slow once.
 * next 0: none, or that ring is not twice as slow.
 */
void kb_plateau_sharpen(const struct kb_curve *, double rise, struct kb_plateau *);

/*
 * The end of a level where pages lie anywhere, as in memory of small ones: they fall into the sets of their cache at random. Of a ring
 * as large as the cache every second line is in a set that has too many, whatever the number of ways is; of one of two thirds few are,
 * of half as much again nearly all. Places `last` at the last point of the fit with a quarter of the way to the level behind it, `next` at
 * the first with three quarters that is so in two processes of rings up to it. The way ends at beyond_ns, or at what KB_PLATEAU_FULL times the last that fits costs, if that is less.
 * Nothing moves where that is no way up, or where no ring was so large.
 */
#define KB_PLATEAU_FULL 3
void kb_plateau_halve(const struct kb_curve *, double beyond_ns, struct kb_plateau *);

/* The knee behind points that lie at one level from the first on: the last point on it, and the first that is `rise`
   above it with all that follow. False: it never rises, or not from a level of `least` points. */
struct kb_knee { double on, off, on_ns, off_ns; };
bool kb_curve_knee(const struct kb_curve *, double rise, size_t least, struct kb_knee *);

/*
 * Of a cache that fills step by step, as its sets or its sharers have it: moves `off` to where `part` of the way is gone from the
 * level to the cost of KB_KNEE_BEYOND times `on`, where none of it is left, or of the last point. Fits the curve.
 */
#define KB_KNEE_BEYOND 2.5
void kb_knee_complete(struct kb_curve *, double part, struct kb_knee *);

/* Whether two processes saw the knee: `on` becomes the last point up to it that was fast in two, `off` the first from it on that was slow
   in two. What disturbs adds time, so a slow process more does not count against the former, and a fast one does against the latter. */
bool kb_knee_confirm(const struct kb_curve *, struct kb_knee *);

/* Whole numbers from `on` to `off` at equal steps, both again. Returns how many. */
#define KB_KNEE_POINTS 6
size_t kb_knee_points(const struct kb_knee *, double points[KB_KNEE_POINTS]);

/* ---- single parameters ----------------------------------------------------------------------------------- */

/*
 * Cycles of a chain over sweeps, each by the clock probes of its own process: the core's clock moves from one process to the next,
 * by some percent on some machines, and only what is measured side by side has a ratio. Sure: three sweeps and half of all are
 * within KB_WHOLE of one whole number from `least` to `most`. value: the median of those, low and high their ends; where none
 * is sure, of all.
 */
#define KB_WHOLE 0.02
struct kb_whole { double low, high, value; unsigned agree, count; bool sure; };
struct kb_whole kb_whole_infer(const double *cycles, size_t count, double least, double most);

/* The clock over processes, MHz: its median and ends. moved: they are more than a thousandth apart. */
struct kb_clock_range { double low, high, value; bool moved; };
struct kb_clock_range kb_clock_infer(const double *mhz, size_t count);

/* Of pairs of loads by the distance between both. The first is a miss, the second a hit while both lie in one line: the line is the
   smallest distance from which on it is none. A hit instead of a miss is more than this of a pair, on every core. */
#define KB_PAIR_RISE 0.25

/* fit[i]: the knee of the number of lines at stride[i], strides ascending. ways: the count that no larger stride lowers
   further; span: the smallest such stride, which is the distance of two lines of one set. */
struct kb_ways { unsigned ways; double span; };
bool kb_ways_infer(const double *stride, const struct kb_knee *fit, size_t count, struct kb_ways *);

/* A knee of pages is of the translation only where as many lines side by side have none: whether the control rises by less
   than half of what the pages do, between the same two points. */
bool kb_control_flat(const struct kb_curve *control, const struct kb_knee *knee, double rise);

/* near: lines that lie side by side at the distance of small pages, inside of huge ones. Where the processor sees huge pages,
   many of them share an entry, and `many` lines cost what `few` do. False also where either was not measured. */
bool kb_pages_are_huge(const struct kb_curve *near, double few, double many, double rise);

/* ---- entries --------------------------------------------------------------------------------------------- */

enum kb_match {
	KB_MATCH_AGREE,         /* the system reports the same */
	KB_MATCH_DISAGREE,      /* it reports something else; why explains */
	KB_MATCH_ALONE,         /* the system reports nothing */
	KB_MATCH_UNVERIFIED,    /* seen, but not more often than not, or in the control, too */
	KB_MATCH_NOT,           /* not inferable; why tells what is missing */
	KB_MATCHES
};

enum kb_unit { KB_UNIT_BYTES, KB_UNIT_NS, KB_UNIT_MHZ, KB_UNIT_COUNT, KB_UNIT_RATE, KB_UNIT_RATIO, KB_UNITS };

struct kb_inferred_value {
	bool known;
	double low, high;       /* equal: a value without interval */
	double value;           /* best guess within; 0: there is none */
};

/* What one source reports. Several sources may differ, and each then stands for itself. */
#define KB_SYSTEM_CLAIMS_MAX 4
struct kb_system_claim { double value; char source[32]; };

struct kb_inferred {
	char parameter[16];     /* clock, cache, line ...: what was asked for */
	char name[40];          /* "l1d size" */
	enum kb_unit unit;
	struct kb_inferred_value value;
	char confidence[64];    /* "95 %", "2 of 2 sweeps" */
	struct kb_inferred_value system;
	char source[64];        /* of the system's value: "sysfs", "CPUID 0x80000006"; all that report the same, with commas */
	struct kb_system_claim claims[KB_SYSTEM_CLAIMS_MAX];
	unsigned claim_count;
	enum kb_match match;
	char why[240];
};

/* Adds what a source reports; 0 is nothing. The first one is the system's value, and those that report the same join it. */
void kb_inferred_claim(struct kb_inferred *, double value, const char *source);

/* Whether two sources report different values. */
bool kb_inferred_differ(const struct kb_inferred *);

extern const char *const kb_match_names[KB_MATCHES], *const kb_unit_names[KB_UNITS];

/* Sets `match` from both values: the system's must lie in the interval, widened by `slack` of itself. In an interval of more
   than a factor of four it is unverified. */
void kb_inferred_judge(struct kb_inferred *, double slack);

/* For a judged size: a step wider than a factor of two agrees with nothing, and a cache that seems smaller than it is said to
   be contradicts nothing where points around the step were disturbed or the step is wider than half its size. Makes both unverified. */
void kb_size_doubt(struct kb_inferred *, unsigned refused, unsigned points);

#endif
