/*
 * Whether the operation was what it was said to be: what the proof saw, where it ran, with which partners. Of a few calls in hundreds of
 * operations nothing follows: a library may ask for memory. And the kernel may move a thread in spite of its mask (a CPU that is taken
 * away): a few samples elsewhere are no lie.
 */
#include <string.h>

#include "evidence/evidence.h"
#include "result/summary/summary.h"

#define FEW 0.02                /* of the operations of a proof, and of the samples */
#define MOST_OF_THEM 0.5        /* operations that transfer something: transfers are what the benchmark is about */
#define BYTES_SHORT 0.01
#define WORD_BYTES 16

#define OFTEN 0.2               /* of the looks at partners, which catch a moment each */
#define HELP 0.1                /* of the CPU time of the thread that measures */
#define SLEEPERS 0.002          /* the same, of partners */
#define IDLE 0.3                /* of the stretches: a partner on another CPU may be preempted for a while */
#define FEWEST_STRETCHES 3

/* ---- the proof -------------------------------------------------------------------------------------- */

static bool are_many(uint64_t count, const struct kb_proof *proof)
{
	return (double)count > FEW * (double)proof->operations;
}

static void judge_failing(const struct kb_proof *proof, struct kb_result *result)
{
	bool of_base = !are_many(proof->op.failed, proof);
	uint64_t failed = of_base ? proof->base.failed : proof->op.failed;

	if (are_many(failed, proof))
		kb_verdict_add(&result->verdict, KB_CODE_calls_failed, "%llu failing calls in %llu %s%s%s: %s", (unsigned long long)failed,
		               (unsigned long long)proof->operations, of_base ? "turns of the empty loop, " : "operations, ", proof->call,
		               proof->call[0] ? "" : "?", proof->error);
}

/* What the processor alone limits makes no system calls: it neither sleeps nor lets others work. */
static void judge_user_space(const struct kb_proof *proof, const struct kb_samples *samples, struct kb_result *result)
{
	bool claims_calls = false;

	for (unsigned i = 0; i < samples->claim_count; i++)
		claims_calls |= !strcmp(samples->claims[i].counter, kb_counter_name(KB_SYSCALLS));
	if (samples->bound == KB_KERNEL || samples->bound == KB_NOTHING || claims_calls || !are_many(proof->op.own, proof))
		return;
	kb_verdict_add(&result->verdict, KB_CODE_expect_failed, "%llu system calls in %llu operations that are bound by %s",
	               (unsigned long long)proof->op.own, (unsigned long long)proof->operations, kb_bound_name(samples->bound));
}

static void judge_bytes(const struct kb_proof *proof, const struct kb_samples *samples, struct kb_result *result)
{
	double claimed = (double)samples->bytes_per_op * (double)proof->operations, moved = (double)proof->op.bytes;
	/* What says that bytes are there, in memory that is shared, and moves none of them itself. */
	bool words = proof->op.bytes > 0 && proof->op.bytes < WORD_BYTES * proof->op.transfers;

	if (!proof->counts_bytes || samples->bound != KB_KERNEL || moved >= (1 - BYTES_SHORT) * claimed ||
	    (double)proof->op.transfers < MOST_OF_THEM * (double)proof->operations || words)
		return;
	kb_verdict_add(&result->verdict, KB_CODE_bytes_missing, "%.6g bytes are claimed, %llu calls moved %.6g", claimed,
	               (unsigned long long)proof->op.transfers, moved);
}

void kb_proof_judge(const struct kb_proof *proof, const struct kb_samples *from, struct kb_result *result)
{
	if (proof->operations == 0)
		return;
	judge_failing(proof, result);
	if (!from->half_base && !from->base_works && are_many(proof->base.own, proof))
		kb_verdict_add(&result->verdict, KB_CODE_base_works, "%llu system calls in %llu turns", (unsigned long long)proof->base.own,
		               (unsigned long long)proof->operations);
	judge_user_space(proof, from, result);
	judge_bytes(proof, from, result);
	if (proof->op.changes > 0)
		kb_verdict_add(&result->verdict, KB_CODE_wrong_cpu, "it changes the CPUs that it may run on in each sample");
	if (proof->op.tasks > 0 && from->bound != KB_KERNEL)
		kb_verdict_add(&result->verdict, KB_CODE_undeclared_help, "it starts %llu tasks in each sample", (unsigned long long)proof->op.tasks);
	if (proof->left[0])
		kb_verdict_add(&result->verdict, KB_CODE_left_behind, "the process left %s", proof->left);
}

/* ---- where it ran ----------------------------------------------------------------------------------- */

static struct kb_where sum_of(const struct kb_summary *summary)
{
	struct kb_where sum = { .samples = 0 };

	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_where *where = &summary->samples[i].where;

		sum.samples += where->samples;
		sum.away += where->away;
		sum.free += where->free;
		sum.own_us += where->own_us;
		sum.others_us += where->others_us;
		sum.looks += where->looks;
		sum.partner_away += where->partner_away;
		sum.stretches += where->stretches;
		sum.partner_us += where->partner_us;
		sum.partner_idle += where->partner_idle;
	}
	return sum;
}

static void judge_cpu(const struct kb_where *sum, struct kb_verdict *verdict)
{
	if ((double)sum->away > FEW * (double)sum->samples)
		kb_verdict_add(verdict, KB_CODE_wrong_cpu, "%llu of %llu samples ended on another CPU", (unsigned long long)sum->away,
		               (unsigned long long)sum->samples);
	else if (sum->free > 0)
		kb_verdict_add(verdict, KB_CODE_wrong_cpu, "its thread may run on other CPUs than the one it was given");
	else if ((double)sum->partner_away > OFTEN * (double)sum->looks)
		kb_verdict_add(verdict, KB_CODE_wrong_cpu, "the partner had run on another CPU than its own in %llu of %llu looks",
		               (unsigned long long)sum->partner_away, (unsigned long long)sum->looks);
}

void kb_where_judge(const struct kb_summary *summary, struct kb_result *result)
{
	const struct kb_where sum = sum_of(summary);

	judge_cpu(&sum, &result->verdict);
	/* Some partners only sleep, to be there: those do not begin to work, either. */
	if ((double)sum.partner_us > SLEEPERS * (double)sum.own_us && sum.stretches >= FEWEST_STRETCHES && (double)sum.partner_idle > IDLE * (double)sum.stretches)
		kb_verdict_add(&result->verdict, KB_CODE_partner_idle, "in %llu of %llu stretches", (unsigned long long)sum.partner_idle,
		               (unsigned long long)sum.stretches);
	/* In the kernel others work for everybody: its threads, those of rings, children that the operation makes. */
	if (result->bound != KB_KERNEL && (double)sum.others_us > HELP * (double)sum.own_us)
		kb_verdict_add(&result->verdict, KB_CODE_undeclared_help, "%.3g s of CPU time of others during %.3g s of its own",
		               1e-6 * (double)sum.others_us, 1e-6 * (double)sum.own_us);
}
