/* See where.h. The kernel may move a thread in spite of its mask (a CPU that is taken away): a few samples elsewhere are no lie. */
#include "result/verdict/where.h"

#define FEW 0.02                /* of the samples */
#define OFTEN 0.2               /* of the looks at partners, which catch a moment each */
#define HELP 0.1                /* of the CPU time of the thread that measures */
#define SLEEPERS 0.002          /* the same, of partners */
#define IDLE 0.3                /* of the stretches: a partner on another CPU may be preempted for a while */
#define FEWEST_STRETCHES 3

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
		kb_verdict_add(&result->verdict, KB_CODE_partner_idle, "in %llu of %llu stretches of 20 ms", (unsigned long long)sum.partner_idle,
		               (unsigned long long)sum.stretches);
	/* In the kernel others work for everybody: its threads, those of rings, children that the operation makes. */
	if (result->bound != KB_KERNEL && (double)sum.others_us > HELP * (double)sum.own_us)
		kb_verdict_add(&result->verdict, KB_CODE_undeclared_help, "%.3g s of CPU time of others beside %.3g s of its own",
		               1e-6 * (double)sum.others_us, 1e-6 * (double)sum.own_us);
}
