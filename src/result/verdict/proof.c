/* See proof.h. Of a few calls in hundreds of operations nothing follows: a library may ask for memory. */
#include "result/verdict/proof.h"

#include <string.h>

#include "evidence/evidence.h"

#define FEW 0.02                /* of the operations */
#define MOST_OF_THEM 0.5        /* operations that transfer something: transfers are what the benchmark is about */
#define BYTES_SHORT 0.01
#define WORD_BYTES 16

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

static void judge_base(const struct kb_proof *proof, const struct kb_samples *samples, struct kb_result *result)
{
	if (!samples->half_base && !samples->base_works && are_many(proof->base.own, proof))
		kb_verdict_add(&result->verdict, KB_CODE_base_works, "%llu system calls in %llu turns", (unsigned long long)proof->base.own,
		               (unsigned long long)proof->operations);
}

static bool claims_calls(const struct kb_samples *samples)
{
	for (unsigned i = 0; i < samples->claim_count; i++) {
		if (!strcmp(samples->claims[i].counter, kb_counter_name(KB_SYSCALLS)))
			return true;
	}
	return false;
}

/* What the processor alone limits makes no system calls: it neither sleeps nor lets others work. */
static void judge_user_space(const struct kb_proof *proof, const struct kb_samples *samples, struct kb_result *result)
{
	if (samples->bound == KB_KERNEL || samples->bound == KB_NOTHING || claims_calls(samples) || !are_many(proof->op.own, proof))
		return;
	kb_verdict_add(&result->verdict, KB_CODE_expect_failed, "%llu system calls in %llu operations that are bound by %s",
	               (unsigned long long)proof->op.own, (unsigned long long)proof->operations, kb_bound_name(samples->bound));
}

/* What says that bytes are there, in memory that is shared, and moves none of them itself. */
static bool are_words(const struct kb_proof *proof)
{
	return proof->op.bytes > 0 && proof->op.bytes < WORD_BYTES * proof->op.transfers;
}

static void judge_bytes(const struct kb_proof *proof, const struct kb_samples *samples, struct kb_result *result)
{
	double claimed = (double)samples->bytes_per_op * (double)proof->operations, moved = (double)proof->op.bytes;

	if (!proof->counts_bytes || samples->bound != KB_KERNEL || moved >= (1 - BYTES_SHORT) * claimed ||
	    (double)proof->op.transfers < MOST_OF_THEM * (double)proof->operations || are_words(proof))
		return;
	kb_verdict_add(&result->verdict, KB_CODE_bytes_missing, "%.6g bytes are claimed, %llu calls moved %.6g", claimed,
	               (unsigned long long)proof->op.transfers, moved);
}

void kb_proof_judge(const struct kb_proof *proof, const struct kb_samples *from, struct kb_result *result)
{
	if (proof->operations == 0)
		return;
	judge_failing(proof, result);
	judge_base(proof, from, result);
	judge_user_space(proof, from, result);
	judge_bytes(proof, from, result);
	if (proof->op.changes > 0)
		kb_verdict_add(&result->verdict, KB_CODE_wrong_cpu, "it changes the CPUs that it may run on in each sample");
	if (proof->op.tasks > 0 && from->bound != KB_KERNEL)
		kb_verdict_add(&result->verdict, KB_CODE_undeclared_help, "it starts %llu tasks in each sample", (unsigned long long)proof->op.tasks);
	if (proof->left[0])
		kb_verdict_add(&result->verdict, KB_CODE_left_behind, "the process left %s", proof->left);
}
