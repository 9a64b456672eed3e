/* Partners that meet in shared memory: where they run and what they share. See kbench_spin.h. */
#define _GNU_SOURCE
#include "kbench_spin.h"
#include "kbench_parties.h"

#include <errno.h>

#include "collect/linux/context.h"
#include "io.h"

static unsigned self;                   /* a child's copy keeps the number it was forked with */
static int (*serve_function)(struct kb_run *);

uint64_t *kb_spin_stop;

void *kb_spin_memory(struct kb_run *run, size_t bytes)
{
	size_t stop = (bytes + KB_SPIN_BYTES - 1) / KB_SPIN_BYTES * KB_SPIN_BYTES;
	char *memory = kb_shared_memory(run, stop + KB_SPIN_BYTES);

	if (memory)
		kb_spin_stop = (uint64_t *)(void *)(memory + stop);
	return memory;
}

void kb_spin_end(struct kb_run *run)
{
	(void)run;
	kb_spin_write(kb_spin_stop, 1);
}

unsigned kb_spin_self(void)
{
	return self;
}

static int serve_on_cpu(struct kb_run *run)
{
	int error = kb_pin((unsigned)kb_cpu(run, self));

	return error ? error : serve_function(run);
}

int kb_spin_start_one(struct kb_run *run, int (*serve)(struct kb_run *), unsigned number)
{
	if (kb_cpu(run, number) < 0)
		return kb_skip(run, "needs %u CPUs; give more with --cpus", number + 1);
	serve_function = serve;
	self = number;

	int error = kb_peer_start(run, serve_on_cpu, "other-cpu");
	struct kb_context *context = run->context;

	self = 0;
	if (!error)
		kb_lookout_partner(&context->probe.lookout, context->peers[context->peer_count - 1], (unsigned)kb_cpu(run, number));
	return error;
}

int kb_spin_start(struct kb_run *run, int (*serve)(struct kb_run *), unsigned count)
{
	int error = 0;

	for (unsigned number = count; number > 1 && !error; number--)
		error = kb_spin_start_one(run, serve, number - 1);
	return error;
}

#define ATTEMPTS 500    /* a CPU comes back after some scheduler slices */
#define FEW 64          /* operations that may be over before a partner's next one */
#define PARTS 8

/* Looking at partners and beginning anew cost time, which would be in the slope if longer samples had more parts: all have as many
   as the shortest of the process can have. Single operations have no slope. */
static unsigned parts_of(uint64_t n, uint64_t granule)
{
	static uint64_t shortest = UINT64_MAX;

	if (n < 2 || n < granule)
		return 1;
	shortest = n < shortest ? n : shortest;
	return shortest / granule >= PARTS ? PARTS : (unsigned)(shortest / granule);
}

/* Since the look that began a stretch of work; anew: this one begins the next. */
static bool all_get_on(unsigned threads, uint64_t (*progress)(unsigned thread), uint64_t *before, bool anew)
{
	bool all = true;

	for (unsigned i = 1; i < threads; i++) {
		uint64_t now = progress(i);

		all &= now != before[i];
		before[i] = anew ? now : before[i];
	}
	return all;
}

/* In half of the stretches all partners must get on, as an unfair lock may leave one out for a while: who is away for most of an
   sample would leave the others alone, and a low quantile would find just those samples. The first operations of a sample
   belong to its first part, the rest of the division too; the first and the last look are not in the time. */
static uint64_t work_in_parts(struct kb_run *run, uint64_t n, uint64_t *ticks, unsigned threads, uint64_t (*work)(uint64_t n),
			      uint64_t (*progress)(unsigned thread), bool *alongside)
{
	uint64_t granule = run->granule > 1 ? run->granule : 1, done = 0, judged = 0, before[KB_PEERS_MAX + 1] = { 0 };
	unsigned parts = parts_of(n, granule), stretches = 0, together = 0;
	uint64_t part = n / parts / granule * granule;

	all_get_on(threads, progress, before, true);
	for (uint64_t i = 0, start = kb_now(run); i < parts; i++) {
		uint64_t now = work(i ? part : n - (parts - 1) * part);

		if (i + 1 == parts)
			*ticks = kb_now(run) - start;
		done += now;
		if (!now)
			return 0;

		bool over = done - judged >= FEW;

		together += all_get_on(threads, progress, before, over) && over;
		stretches += over;
		judged = over ? done : judged;
	}
	*alongside = 2 * together >= stretches;
	return done;
}

int kb_spin_observe(struct kb_run *run, uint64_t n, uint64_t *ticks, unsigned threads, uint64_t (*work)(uint64_t n),
		    uint64_t (*progress)(unsigned thread))
{
	for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
		bool alongside = true;
		uint64_t done = work_in_parts(run, n, ticks, threads, work, progress, &alongside);

		if (n > 0 && done == 0)
			return kb_fail(run, EPIPE, "a partner does not answer");
		if (alongside) {
			kb_count(run, KB_SEEN, done);
			return 0;
		}
		kb_sleep_ns(1000000);
	}
	return kb_fail(run, EAGAIN, "the partners do not run at the same time");
}
