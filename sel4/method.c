/*
 * The methods. kanata runs its grid without a pause and makes the record from the table; slope executes the host's plan with the
 * engine that Linux has, each sample of op being one test; single takes single operations as sel4bench does, and next to them the
 * raw cost of taking one.
 */
#include "timed_loop.h"
#include "base/error.h"

#define IGNORED 10u                     /* first samples of method single, which sel4bench drops: flagged, not dropped */

static struct kb_measure measure;
static struct kb_block block;

/* ---- what the engine calls ----------------------------------------------------------------------------------- */

static bool is_stamped(const struct kb_root *root)
{
	return root->loop->stamped || root->way != KB_BOTH;
}

/* Of stamped loops: what all operations took, without what reading the clock around each did. */
static uint64_t sum_samples(const struct kb_root *root, uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += kb_samples[i] - root->stamps;
	return sum;
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	struct kb_root *root = &kb_root;

	(void)run;
	if (is_stamped(root) && n > KB_SAMPLES_MAX)
		kb_wrong("plan", "each operation has a sample: 4096 are the most");
	*ticks = kb_flow_test(root, n);
	if (is_stamped(root))
		*ticks = sum_samples(root, n);
	return root->wrong ? -KB_EIO : 0;
}

static int empty_loop(struct kb_run *run, uint64_t n)
{
	(void)run;
	do {
		kb_clobber();
	} while (--n);
	return 0;
}

static void describe(struct kb_root *root)
{
	root->bench = *root->loop->about;
	root->bench.observe = observe;
	root->bench.base = is_stamped(root) ? 0 : empty_loop;
	root->run = (struct kb_run){ .bench = &root->bench, .bound = root->bench.bound, .seed = root->seed };
	measure.run = &root->run;
	measure.clock = &root->clock;
	measure.probe = &kb_tracking;
	measure.out = &root->out;
}

/* each: with a sample for each operation. */
static void enter_loop(struct kb_root *root, bool each)
{
	const struct kb_timed_loop *loop = root->loop;
	bool libsel4 = root->libsel4 && loop->low_libsel4;

	if (root->way != KB_BOTH)
		kb_threads_enter(root, root->way == KB_THERE ? loop->low_there : loop->low_back, loop->high_stamps);
	else if (each)
		kb_threads_enter(root, loop->low_single, loop->high);
	else
		kb_threads_enter(root, libsel4 ? loop->low_libsel4 : loop->low, libsel4 ? loop->high_libsel4 : loop->high);
}

/* Two readings and nothing between them, so many times. */
static void sample_readings(struct kb_root *root, uint64_t samples)
{
	kb_threads_enter(root, root->way == KB_BACK ? kb_loop_overhead_back : kb_loop_overhead, 0);
	(void)kb_flow_test(root, samples);
}

/* The fewest of some: a tick may fall into one. */
static void measure_stamps(struct kb_root *root)
{
	enum { READINGS = 30 };

	sample_readings(root, READINGS);
	root->stamps = kb_samples[0];
	for (unsigned i = 1; i < READINGS; i++)
		root->stamps = kb_samples[i] < root->stamps ? kb_samples[i] : root->stamps;
}

/* A failing invocation gives a fine, stable number: of an error path. */
static void check_wrong(const struct kb_root *root)
{
	if (root->wrong)
		kb_broken("invocation in the timed loop", root->wrong);
}

/* ---- kanata -------------------------------------------------------------------------------------------------- */

static void touch(uint64_t *cells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		((volatile uint64_t *)cells)[i] = 0;
}

/* In order of time: group by group. */
static void emit_table(struct kb_root *root)
{
	for (uint64_t j = 0; j < root->n_groups; j++) {
		for (uint64_t k = 0; k < root->group_size; k++) {
			uint64_t cell = k * root->n_groups + j;
			struct kb_obs obs = {
				.role = KB_ROLE_OP, .n = root->init_test_size + j * root->delta, .ticks = kb_table[cell],
				.t = kb_starts[cell] - kb_starts[0], .block = j, .flags = k < root->skip ? KB_FLAG_WARMUP : 0,
			};

			kb_record_obs(&root->out, &obs);
		}
		measure.probe->block_end(measure.probe->context, &root->out, j);
	}
}

static uint64_t all_operations(const struct kb_root *root)
{
	uint64_t groups = root->n_groups;

	return root->group_size * (groups * root->init_test_size + groups * (groups - 1) / 2 * root->delta);
}

/* The empty loop, once for each group and outside of the grid, which the original's flow does not interrupt. */
static void emit_bases(struct kb_root *root)
{
	kb_threads_enter(root, kb_loop_empty, 0);
	for (uint64_t j = 0; j < root->n_groups; j++) {
		struct kb_obs obs = { .role = KB_ROLE_BASE, .n = root->init_test_size + j * root->delta, .block = j };

		obs.ticks = kb_flow_test(root, obs.n);
		obs.t = root->start - kb_starts[0];
		kb_record_obs(&root->out, &obs);
	}
}

static void run_kanata(struct kb_root *root)
{
	const struct kb_probe *probe = measure.probe;

	if (is_stamped(root))
		kb_unfit("method kanata times whole iterations: way=both, or another method");
	touch(kb_table, KB_TABLE_CELLS);
	touch(kb_starts, KB_TABLE_CELLS);
	enter_loop(root, false);
	if (probe->group)
		probe->group(probe->context, root->group_size * root->n_groups);
	if (probe->before)
		probe->before(probe->context, KB_ROLE_OP);
	kb_flow_kanata(root);
	if (probe->after)
		(void)probe->after(probe->context, KB_ROLE_OP, all_operations(root), 0, 0);
	check_wrong(root);
	emit_table(root);
	emit_bases(root);
}

/* ---- slope --------------------------------------------------------------------------------------------------- */

static void run_slope(struct kb_root *root)
{
	unsigned blocks = 0;

	if (is_stamped(root))
		measure_stamps(root);
	enter_loop(root, root->loop->stamped);
	while (kb_request_block(root, &block)) {
		block.probe = root->probe; /* what the record's header has for all samples */
		if (kb_measure_block(&measure, &block)) {
			check_wrong(root);
			kb_finish(KB_STATUS_FAILED);
		}
		blocks++;
	}
	if (blocks == 0)
		kb_wrong("plan", "method slope needs a plan");
}

/* ---- single -------------------------------------------------------------------------------------------------- */

static void emit_samples(struct kb_root *root, enum kb_role role, uint64_t samples)
{
	for (uint64_t i = 0; i < samples; i++) {
		struct kb_obs obs = {
			.role = role, .n = role == KB_ROLE_OP, .ticks = kb_samples[i], .block = i, .flags = i < IGNORED ? KB_FLAG_WARMUP : 0,
		};

		kb_record_obs(&root->out, &obs);
	}
}

static void run_single(struct kb_root *root)
{
	const struct kb_timed_loop *loop = root->loop;

	if (!loop->low_single)
		kb_wrong("method", "this benchmark has no single operation to time");
	if (root->libsel4)
		kb_unfit("method single goes by bare instructions: wait=bare");
	enter_loop(root, true);
	measure.probe->before(measure.probe->context, KB_ROLE_OP);
	(void)kb_flow_test(root, root->samples_asked);
	(void)measure.probe->after(measure.probe->context, KB_ROLE_OP, root->samples_asked, 0, 0);
	check_wrong(root);
	emit_samples(root, KB_ROLE_OP, root->samples_asked);
	sample_readings(root, root->samples_asked);
	emit_samples(root, KB_ROLE_CLOCK, root->samples_asked);
}

void kb_method_run(struct kb_root *root)
{
	describe(root);
	touch(kb_samples, KB_SAMPLES_MAX);
	root->samples = kb_samples;
	if (kb_streq(root->method, "kanata"))
		run_kanata(root);
	else if (kb_streq(root->method, "slope"))
		run_slope(root);
	else
		run_single(root);
	kb_tracking_counts(root);
	kb_log_print(root);
}
