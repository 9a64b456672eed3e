/* How a cost was measured. It is text only where it is read or written: the header of a record, JSON, the command line. */
#ifndef KB_RESULT_METHOD_H
#define KB_RESULT_METHOD_H

#include "types.h"

enum kb_method {
	KB_METHOD_NONE,                 /* not known; of what is asked for: chosen by the cost of an operation */
	KB_METHOD_SLOPE,                /* samples of a grid of n */
	KB_METHOD_SINGLE,               /* one operation a sample */
	KB_METHOD_PAIRED,               /* samples of op and base in pairs, all of one n */
	KB_METHOD_KANATA,               /* groups of growing n, by the source document's statistics */
	KB_METHOD_COMMAND,              /* runs of a whole command in batches, less those of an empty shell if there is one */
	KB_METHOD_REPORTED,             /* statistics that another program made of values that nobody has any more */
	KB_METHOD_PROOF,                /* nothing was measured: system calls were counted */
	KB_METHOD_PILOT,                /* nothing was measured: n was looked for */
	KB_METHODS
};

struct kb_method_facts {
	const char *name;
	bool one_by_one;                /* each sample has a value of its own, and no grid of n tells the cost of a sample */
	bool series;                    /* its samples are a series in time; else the method has statistics of its own */
};

extern const struct kb_method_facts kb_methods[KB_METHODS];

/* KB_METHOD_NONE: there is no such method. */
enum kb_method kb_method_find(const char *name);

#endif
