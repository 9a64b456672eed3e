/*
 * Models: what a composite operation should cost if its parts were all, as text that a user can read and extend
 * (doc/model.md). Pure: parsing, evaluation and judgement; what benchmarks cost, the caller finds out. A model points into
 * its text, which lives as long as the model does. Times are ns, amounts bytes, rates bytes/ns.
 */
#ifndef KB_SUITE_MODEL_MODEL_H
#define KB_SUITE_MODEL_MODEL_H

#include "types.h"
#include "base/text.h"
#include "result/result.h"

enum { KB_MODEL_QUANTITIES = 24, KB_MODEL_VALUES = 12, KB_MODEL_UNKNOWNS = 4, KB_MODEL_NODES = 160, KB_MODEL_LINES = 12 };

/* ---- expressions ----------------------------------------------------------------------------------------- */

/* Powers of ns and of bytes: a time is {1, 0}, a rate {-1, 1}, a plain number {0, 0}. */
struct kb_dimension { int ns, bytes; };

enum kb_node_kind {
	KB_NODE_NUMBER, KB_NODE_QUANTITY, KB_NODE_UNKNOWN, KB_NODE_PARAM, KB_NODE_ADD, KB_NODE_SUBTRACT, KB_NODE_MULTIPLY,
	KB_NODE_DIVIDE, KB_NODE_NEGATE, KB_NODE_MIN, KB_NODE_MAX, KB_NODE_HARMONIC
};

struct kb_node {
	enum kb_node_kind kind;
	double number;                  /* KB_NODE_NUMBER */
	unsigned index;                 /* of a quantity or an unknown */
	unsigned a, b;                  /* operands; of functions a chain: b is the next KB_NODE_* of the same kind, or the last */
	struct kb_dimension dimension;
};

struct kb_expression {
	struct kb_span text;            /* as written */
	unsigned root, line;
	bool given;
};

/* ---- a model --------------------------------------------------------------------------------------------- */

/* COUNT: events of an operation, as they were counted while it was measured; only of a part. */
enum kb_quantity_kind { KB_QUANTITY_TIME, KB_QUANTITY_RATE, KB_QUANTITY_COUNT };

/* A result of a run by a name: `part switch time ctx.switch token=futex via futex`. */
struct kb_quantity {
	struct kb_span name;            /* "whole" for the whole */
	enum kb_quantity_kind kind;
	struct kb_span counter;         /* of a COUNT: the name of what is counted */
	struct kb_span row;             /* benchmark and parameters as written; $NAME stands for the value of `over` */
	struct kb_span carrier;         /* behind `via`; empty: measured directly */
	unsigned line, column;          /* of the benchmark, for messages */
};

struct kb_unknown { struct kb_span name; enum kb_quantity_kind kind; };

/* Of `count PART EVENT...`: what a command is made of. */
struct kb_count { unsigned quantity; struct kb_span events; };

struct kb_model {
	char name[64];                  /* of its file */
	const char *path;
	struct kb_span text, about;
	struct kb_span param, values[KB_MODEL_VALUES];  /* of `over`; without it there is one instance */
	unsigned value_count;
	struct kb_quantity quantities[KB_MODEL_QUANTITIES];     /* the whole is the first, but in a model of counts */
	unsigned quantity_count;
	struct kb_unknown unknowns[KB_MODEL_UNKNOWNS];
	unsigned unknown_count;
	struct kb_count counts[KB_MODEL_QUANTITIES];
	unsigned count_count;
	struct kb_node nodes[KB_MODEL_NODES];
	unsigned node_count;
	struct kb_expression predict, least, most;
	struct kb_span above[KB_MODEL_LINES], below[KB_MODEL_LINES], notes[KB_MODEL_LINES];    /* above, below: suspects */
	unsigned above_count, below_count, note_count;
	bool circular;                  /* a part has the carrier of the whole, or its words */
};

/* Where a text is wrong and why. */
struct kb_model_error { unsigned line, column; char what[160]; };

/* Reads a text. name is the model's, path for messages; both texts stay the caller's. 0 or -EINVAL with *error. */
int kb_model_parse(struct kb_model *, const char *name, const char *path, const char *text, size_t length,
                   struct kb_model_error *error);

/* Two or three lines: "FILE:LINE:COLUMN: what", the source line, and a caret below the place. */
void kb_model_error_format(struct kb_text *, const char *path, struct kb_span text, const struct kb_model_error *);

/* How many times the model is predicted: once, or once for each value of its parameter. */
unsigned kb_model_instances(const struct kb_model *);

/* "copy size=16K" */
void kb_model_instance_name(struct kb_text *, const struct kb_model *, unsigned instance);

/* The value of `over` as a number: bytes where it has a unit. False: it is none. */
bool kb_model_number(const struct kb_model *, unsigned instance, uint64_t *value);

/* The benchmark of a quantity in one instance, $NAME replaced: "mem.bw_copy size=16K". */
void kb_model_row(struct kb_text *, const struct kb_model *, unsigned quantity, unsigned instance);

/* ---- evaluation ------------------------------------------------------------------------------------------ */

/* A dual number over the quantities and unknowns: a value and how it changes with each of them. */
enum { KB_MODEL_SLOPES = KB_MODEL_QUANTITIES + KB_MODEL_UNKNOWNS };
struct kb_dual { double value, slope[KB_MODEL_SLOPES]; };

/* The expression where quantities have these values, unknowns are those, and the parameter is that of the instance. */
struct kb_dual kb_model_evaluate(const struct kb_model *, const struct kb_expression *, unsigned instance,
                                 const struct kb_estimate *quantities, const double *unknowns);

/*
 * The interval of a function of independent estimates: each quantity moves it by its slope times the distance to the end
 * of its own interval, and the moves are added as squares (delta method of the first order with the intervals as they
 * are, MOVER: Zou and Donner 2008). same[i] is the first quantity that is the same result as i: those move together.
 */
struct kb_estimate kb_model_spread(const struct kb_model *, const struct kb_dual *, const struct kb_estimate *quantities,
                                   const unsigned *same);

enum kb_judgement {
	KB_JUDGED_FITS,         /* all of the interval is within KB_MODEL_LIMIT */
	KB_JUDGED_INTERACTION,  /* beyond it, and the interval excludes 0 */
	KB_JUDGED_UNSETTLED,    /* neither: the interval is too wide, or there is none */
	KB_JUDGED_NOT,          /* a result has no number; why tells which */
	KB_JUDGEMENTS
};

/* The deviation beyond which the parts are not all there is (primitives: more than what noise of two results makes). */
#define KB_MODEL_LIMIT 0.15

struct kb_quantity_value {
	char row[320];                  /* the whole key */
	struct kb_estimate estimate;    /* ns, or bytes/ns */
	enum kb_status status;
	char why[200];                  /* not known: the reason */
};

struct kb_prediction {
	const struct kb_model *model;
	unsigned instance;
	struct kb_quantity_value quantities[KB_MODEL_QUANTITIES];
	struct kb_estimate predicted, least, most;
	struct kb_estimate deviation;   /* (measured - predicted) / predicted */
	enum kb_judgement judgement;
	bool circular;                  /* the model is, or a part is the very result of the whole */
	char why[320];
};

/* What the fit over the parameter found; unknown without enough values. */
struct kb_fit { struct kb_estimate unknowns[KB_MODEL_UNKNOWNS]; };

/*
 * Fills predicted, bounds, deviation and judgement of all instances of one model from their quantities. With unknowns
 * each instance is predicted by the line through the others, or its own value would help to predict itself.
 */
void kb_model_judge(const struct kb_model *, struct kb_prediction *instances, struct kb_fit *);

/* "fits", "interaction", "unsettled", "no number" */
extern const char *const kb_judgement_names[KB_JUDGEMENTS];

/* ---- models of counts ------------------------------------------------------------------------------------ */

/* The quantity that pays for an event: a system call by name, or @switch, @minor, @major, @start; -1: none. `*` stands for
   every other system call. */
int kb_model_pays(const struct kb_model *, const char *event);

/* Sum of counts x costs with its interval; counts by quantity. Not known where a quantity with a count is not. */
struct kb_estimate kb_model_total(const struct kb_model *, const struct kb_quantity_value *, const double *counts);

/* What a program cost, and what the operations that it asks for cost. */
enum { KB_MODEL_CALLS = 200 };

struct kb_model_call { char name[32]; double count; int part; };       /* part -1: nothing pays for it */

struct kb_model_account {
	const struct kb_model *model;
	char *const *argv;
	int status;                     /* of waitpid */
	bool exit_differs;              /* not every run ended alike */
	unsigned repeats, cpu;
	double counts[KB_MODEL_QUANTITIES];     /* by part, less those of the programs that do nothing */
	double unpaid;                  /* events that no part pays for */
	double excess;                  /* that programs that do nothing make and this one does not: in what is paid for its starts */
	struct kb_quantity_value values[KB_MODEL_QUANTITIES];
	struct kb_model_call calls[KB_MODEL_CALLS];
	unsigned call_count;
	struct kb_estimate predicted, measured, remainder, user, system;       /* ns */
	struct kb_estimate cpu_time, idle;      /* ns of a run: user and system together, and what is neither */
	double switches;                /* of a run */
	struct kb_estimate empty;       /* a program that does nothing, run the same way */
};

#endif
