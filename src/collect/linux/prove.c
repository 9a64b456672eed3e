/*
 * The samples of a proof. Code that knows that a proof comes first could behave until it is over: so the marked samples come after as many
 * samples as a process begins with, samples of op and of base in turn, and n depends on the seed.
 */
#define _GNU_SOURCE
#include "collect/linux/context.h"

#include "evidence/proof.h"
#include "io.h"

#define REHEARSED 30                            /* samples */
#define REHEARSAL_NS UINT64_C(100000000)        /* no more of them behind this */
#define MARKED_NS UINT64_C(1000000000)          /* that all marked samples may take */
#define MARKED 3                                /* of n: one and one of two */

static int run_op(struct kb_run *run, uint64_t n, enum kb_proof_part part)
{
	const struct kb_bench *bench = run->bench;
	uint64_t ticks;
	int error = bench->before ? bench->before(run, n) : 0;

	if (error)
		return error;
	if (part)
		kb_proof_mark(part, n);
	error = bench->observe ? bench->observe(run, n, &ticks) : bench->op(run, n);
	if (part)
		kb_proof_mark(KB_PROOF_APART, 0);
	error = error ?: bench->check ? bench->check(run, n) : 0;
	return error ?: bench->after ? bench->after(run, n) : 0;
}

static int run_base(struct kb_run *run, uint64_t n, enum kb_proof_part part)
{
	if (!run->bench->base)
		return 0;
	if (part)
		kb_proof_mark(part, n);
	int error = run->bench->base(run, n);

	if (part)
		kb_proof_mark(KB_PROOF_APART, 0);
	return error;
}

static uint64_t least_n(const struct kb_run *run)
{
	return run->granule > 1 ? run->granule : 1;
}

/* Of one to three granules. *cost_ns: of an operation, traced. */
static int rehearse(struct kb_run *run, uint64_t *cost_ns)
{
	uint64_t most = run->max_n ? run->max_n : UINT64_MAX, begin = kb_wall_ns(), operations = 0;
	int error = 0;

	for (unsigned i = 0; i < REHEARSED && !error && (i == 0 || kb_wall_ns() - begin < REHEARSAL_NS); i++) {
		uint64_t n = least_n(run) * (1 + i % 3);

		n = n < most ? n : least_n(run);
		error = run_op(run, n, KB_PROOF_APART) ?: run_base(run, n, KB_PROOF_APART);
		operations += n;
	}
	*cost_ns = (kb_wall_ns() - begin) / operations;
	return error;
}

/* A multiple of the granule that samples of n and of 2n have time and room for. */
static uint64_t fit(const struct kb_run *run, uint64_t n, uint64_t cost_ns)
{
	uint64_t granule = least_n(run), affordable = MARKED_NS / MARKED / (cost_ns + 1);

	n = n < affordable ? n : affordable;
	n = (n + granule - 1) / granule * granule;
	if (run->max_n && 2 * n > run->max_n)
		n = run->max_n / 2 / granule * granule;
	return n > granule ? n : granule;
}

/* The sample of n. What costs more in many operations than in few has a smaller one. */
static int run_once(struct kb_run *run, uint64_t *n)
{
	uint64_t begin = kb_wall_ns(), asked = *n;
	int error = run_op(run, asked, KB_PROOF_OP);

	*n = fit(run, asked, (kb_wall_ns() - begin) / asked);
	if (*n > asked / 2)
		*n = asked;
	else if (!error)
		error = run_op(run, *n, KB_PROOF_OP);
	return error;
}

int kb_prove_samples(struct kb_run *run, uint64_t n)
{
	uint64_t cost_ns;
	int error = rehearse(run, &cost_ns);

	n = fit(run, n, cost_ns);
	return error ?: run_once(run, &n) ?: run_base(run, n, KB_PROOF_BASE) ?: run_op(run, 2 * n, KB_PROOF_OP_TWICE) ?:
	       run_base(run, 2 * n, KB_PROOF_BASE_TWICE);
}
