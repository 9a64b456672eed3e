/*
 * Pairs of processes that were measured in turn, block by block, as ABBA or BAAB: from their records to differences.
 * Blocks 0 and 1 of a record are its warm-up; after them two blocks of each side make one comparison block.
 */
#ifndef KB_RESULT_PAIRS_H
#define KB_RESULT_PAIRS_H

#include "result/contention.h"
#include "stats/comparison/compare.h"
#include "stats/comparison/levels.h"

#define KB_PAIR_WARM 2u         /* blocks of warm-up on each side */

#define KB_PAIR_BLOCKS 15u      /* comparison blocks that a pair needs */

/* What a pair's difference is of, the best first: the ratios to a twin, the uncontended costs, the observed ones by the median over blocks. */
enum kb_pair_kind { KB_PAIR_RATIO, KB_PAIR_UNCONTENDED, KB_PAIR_OBSERVED, KB_PAIR_KINDS };

struct kb_pair {
	unsigned process;                /* of both sides */
	enum kb_reason_code why;               /* if the observed difference is not known */
	double ln[KB_PAIR_KINDS];       /* ln B - ln A; NAN: not known */
	double a12;                     /* within blocks, averaged */
	size_t blocks;                  /* that could be used */
	bool single;                    /* single operations were measured, enough of them on both sides: */
	double shift[KB_DECILES];       /* ln B - ln A at each decile of theirs */
};

/* Of one row; zero is empty. The differences of all blocks stand pair after pair. */
struct kb_pairs {
	struct kb_pair *pairs;
	size_t count;
	double *differences;
	size_t difference_count, difference_room;
};

/* Reads two records. Core-bound rows are compared in core cycles. 0 or -ENOMEM. */
int kb_pairs_add(struct kb_pairs *, const struct kb_process_text *a, const struct kb_process_text *b, const struct kb_floor *);
void kb_pairs_free(struct kb_pairs *);

/* The first kind that as many pairs have as a decision needs, or most of those that have any: that is compared. */
enum kb_pair_kind kb_pairs_kind(const struct kb_pairs *);

/* Whether uncontended pairs come often enough, one in four, that a decision is worth waiting for them. */
bool kb_pairs_wait(const struct kb_pairs *);

/* Over the usable pairs, and how many these are. */
struct kb_difference kb_pairs_difference(const struct kb_pairs *, double margin);
unsigned kb_pairs_usable(const struct kb_pairs *);
double kb_pairs_a12(const struct kb_pairs *);

/* At each decile, over the pairs that have them. False unless at least two have. */
bool kb_pairs_shift(const struct kb_pairs *, struct kb_interval shift[KB_DECILES]);

/* Blocks in processes, of the usable pairs. Needs two of them. */
bool kb_pairs_levels(const struct kb_pairs *, struct kb_levels *);

#endif
