/* Which memory the operations touch, and in which pages. Only `op` counts: what a hook touches is left out where one sample is enough. */
#define _GNU_SOURCE
#include "collect/linux/context.h"

#include "evidence/working_set.h"
#include "io.h"
#include "record_format.h"

#define LIMIT_NS UINT64_C(2000000000)
#define NS_PER_BYTE UINT64_C(8)         /* a miss for each line takes half of it on a busy machine; of large sets, up to four times the limit */
#define FIRST_MOST UINT64_C(1024)       /* operations of the first step: each may be a millisecond */
#define GROWTH 4u                       /* of the number of operations from step to step */
#define STEPS 40u
#define STILL 1.5                       /* operations x GROWTH touch so much more, at the least, while there is more to touch */
#define CHANCE 131072                   /* bytes that a process may touch by itself: its stack, its libraries */
#define SMALL_FAULTS 16u                /* operations in which a huge page would be seen */
#define TRIES 3u                        /* the kernel also makes huge pages by itself, at times */

struct step { uint64_t operations, total, touched; };  /* total: since it was forgotten what was touched */

/* The largest n up to this one that is legal. */
static uint64_t legal(const struct kb_run *run, uint64_t n)
{
	uint64_t granule = run->granule > 1 ? run->granule : 1, most = run->bench->max_n;

	if (run->bench->method == KB_PAIRED)
		return granule;
	if (most && n > most)
		n = most;
	return n < granule ? granule : n / granule * granule;
}

/* What is read right before and after the operations of a sample: memory that they touched, or without a set memory on huge pages that they
   brought. A kernel that does not tell is no failure of the operation. */
struct watch { const struct kb_working_set *set; uint64_t bytes, before; bool unknown; };

static int sample(struct kb_run *run, uint64_t n, struct watch *watch, bool begins, bool ends)
{
	const struct kb_bench *bench = run->bench;
	uint64_t ticks, now = 0;
	int error = bench->before ? bench->before(run, n) : 0;

	if (!error && begins)
		watch->unknown |= (watch->set ? kb_working_set_begin(watch->set) : kb_huge_bytes(&watch->before)) != 0;
	error = error ?: bench->op ? bench->op(run, n) : bench->observe(run, n, &ticks);
	if (!error && ends && watch->set) {
		watch->unknown |= kb_working_set_seen(watch->set, 1 + run->context->peer_count, &watch->bytes) != 0;
	} else if (!error && ends) {
		watch->unknown |= kb_huge_bytes(&now) != 0;
		watch->bytes = now > watch->before ? now - watch->before : 0;
	}
	return error ?: bench->after ? bench->after(run, n) : 0;
}

/* ---- working set --------------------------------------------------------------------------------------------- */

/* Hooks touch memory, too: with them each step begins anew, else they add up. */
static bool has_hooks(const struct kb_run *run)
{
	return run->bench->before || run->bench->after;
}

/* As many samples as so many operations need. Where that is more than one, what the hooks between them touch counts, too. */
static int take_step(struct kb_run *run, struct watch *watch, const struct step *last, struct step *step)
{
	bool anew = !last || has_hooks(run);
	uint64_t n = legal(run, step->operations), times = step->operations / n;
	int error = 0;

	times = times ? times : 1;
	step->operations = times * n;
	step->total = step->operations + (anew ? 0 : last->total);
	for (uint64_t i = 0; i < times && !error; i++)
		error = sample(run, n, watch, i == 0 && anew, i == times - 1);
	step->touched = watch->bytes;
	return error;
}

/* Of the next step, which ends in time; 0: there is none that would tell more. */
static uint64_t next_operations(const struct kb_run *run, uint64_t operations, uint64_t took_ns, uint64_t left_ns)
{
	took_ns = took_ns ? took_ns : 1;
	if (left_ns / took_ns >= GROWTH)
		return operations * GROWTH;
	if (has_hooks(run))
		return left_ns / took_ns > 1 ? operations * (left_ns / took_ns) : 0;
	return (uint64_t)((double)operations * (double)left_ns / (double)took_ns);
}

/* Nothing but more of the same is touched by GROWTH times the operations. Else time was too short to tell. */
static bool stands_still(const struct step *steps, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (steps[i].total * GROWTH <= steps[count - 1].total)
			continue;
		return i > 0 && (double)steps[count - 1].touched < STILL * (double)steps[i - 1].touched + CHANCE;
	}
	return false;
}

static uint64_t limit_ns(uint64_t bytes)
{
	if (bytes >= 4 * LIMIT_NS / NS_PER_BYTE)
		return 4 * LIMIT_NS;
	return bytes * NS_PER_BYTE > LIMIT_NS ? bytes * NS_PER_BYTE : LIMIT_NS;
}

/* Until all was seen, or never will be: then it is known. Else time was too short, or the kernel does not tell. */
static int inspect_steps(struct kb_run *run, struct watch *watch, bool *known)
{
	uint64_t pieces = watch->set->bytes >> 16, now = kb_wall_ns(), end = now + limit_ns(watch->set->bytes);
	struct step steps[STEPS] = { { pieces < 1 ? 1 : pieces < FIRST_MOST ? pieces : FIRST_MOST, 0, 0 } };

	*known = false;
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t before = now;
		int error = take_step(run, watch, i > 0 ? &steps[i - 1] : NULL, &steps[i]);

		if (error || watch->unknown)
			return error;
		now = kb_wall_ns();
		uint64_t more = now < end && i + 1 < STEPS ? next_operations(run, steps[i].operations, now - before, end - now) : 0;

		*known = (double)steps[i].touched >= KB_WORKING_SET_SHARE * (double)watch->set->bytes || (more == 0 && stands_still(steps, i + 1));
		if (*known || more == 0)
			return 0;
		steps[i + 1].operations = more;
	}
	return 0;
}

static int inspect_working_set(struct kb_run *run)
{
	struct kb_record_writer *out = &run->context->out;
	const struct kb_working_set *set = &run->context->working_set;
	struct watch watch = { .set = set };
	bool known;
	int error = inspect_steps(run, &watch, &known);

	if (!known && !watch.unknown) {
		kb_record_format(out, "note", "expect_unknown \"in the time there is, operations touch %llu MB of %llu MB\"",
				 (unsigned long long)(watch.bytes >> 20), (unsigned long long)(set->bytes >> 20));
		return error;
	}
	kb_record_format(out, "expect", KB_WORKING_SET " per_op=%llu per_sample=0 tolerance=%.9g who=self", (unsigned long long)set->bytes,
			 (1 - KB_WORKING_SET_SHARE) * (double)set->bytes);
	if (known)
		kb_record_evidence(out, &(struct kb_evidence){ KB_WORKING_SET, "self", false,
				   watch.bytes < set->bytes ? watch.bytes : set->bytes, 1, 1 });
	return error;
}

/* ---- faults -------------------------------------------------------------------------------------------------- */

/* A claim that would fail without faults. */
static bool claims_faults(const struct kb_expect *expect)
{
	return expect->counter == KB_MINFLT && expect->per_op > expect->tolerance;
}

static bool claims_small_faults(const struct kb_run *run)
{
	const struct kb_context *context = run->context;
	const struct kb_bench *bench = run->bench;

	for (int i = 0; i < KB_EXPECT_MAX && bench->expect[i].counter; i++) {
		if (claims_faults(&bench->expect[i]) && kb_settings_match(&context->options->settings, bench->expect[i].when))
			return !bench->huge;
	}
	for (unsigned i = 0; i < context->probe.found_count; i++) {
		if (claims_faults(&context->probe.found[i]))
			return !bench->huge;
	}
	return false;
}

static int inspect_faults(struct kb_run *run)
{
	uint64_t n = legal(run, SMALL_FAULTS), least = UINT64_MAX;
	struct watch watch = { .set = NULL };
	int error = 0;

	for (unsigned i = 0; i < TRIES && least > 0 && !error; i++) {
		error = sample(run, n, &watch, true, true);
		least = watch.bytes < least ? watch.bytes : least;
	}
	kb_record_line(&run->context->out, "expect", KB_HUGE_BYTES " per_op=0 per_sample=0 tolerance=0 who=self");
	if (!error && !watch.unknown)
		kb_record_evidence(&run->context->out, &(struct kb_evidence){ KB_HUGE_BYTES, "self", false, least, n, 1 });
	return error;
}

int kb_inspect_memory(struct kb_run *run)
{
	int error = run->context->working_set.bytes ? inspect_working_set(run) : 0;

	return error ?: claims_small_faults(run) ? inspect_faults(run) : 0;
}
