/* What a program cost, and what the operations that it asks for cost. */
#ifndef KB_SUITE_MODEL_ACCOUNT_H
#define KB_SUITE_MODEL_ACCOUNT_H

#include "suite/model/model.h"

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
	struct kb_quantity_value values[KB_MODEL_QUANTITIES];
	struct kb_model_call calls[KB_MODEL_CALLS];
	unsigned call_count;
	struct kb_estimate predicted, measured, remainder, user, system;       /* ns */
	struct kb_estimate empty;       /* a program that does nothing, run the same way */
};

#endif
