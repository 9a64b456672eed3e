/* See method_kanata.h. Plan and stopping; the numbers of its launches are made in result/summary/kanata.c. */
#define _GNU_SOURCE
#include "run/method_kanata.h"

#include <math.h>
#include <stdio.h>

#include "result/summary/kanata.h"
#include "run/backend/foreign.h"

/* Of a group, skipped ones included. */
static unsigned most_tests(const struct kb_bench *bench, const struct kb_kanata_options *options)
{
	unsigned tests = kb_foreign_tests(bench), room = tests / options->groups;

	return tests && room < KB_GROUP_TESTS_MAX ? room : KB_GROUP_TESTS_MAX;
}

bool kb_kanata_possible(const struct kb_bench *bench, const struct kb_kanata_options *options, char why[160])
{
	uint64_t steps = options->groups - 1, largest;

	if (__builtin_mul_overflow(steps, options->delta, &largest) || __builtin_add_overflow(largest, options->initial, &largest))
		largest = UINT64_MAX;
	if (bench->max_n && largest > bench->max_n) {
		snprintf(why, 160, "%s can do at most %llu operations in a sample, not %llu", bench->name,
		         (unsigned long long)bench->max_n, (unsigned long long)largest);
		return false;
	}
	if (bench->granule > 1 && (options->initial % bench->granule || options->delta % bench->granule)) {
		snprintf(why, 160, "%s does multiples of %llu operations: --initial and --delta must be such", bench->name,
		         (unsigned long long)bench->granule);
		return false;
	}
	if (options->group_size + options->skip > most_tests(bench, options)) {
		snprintf(why, 160, "%s has room for %u tests in a process: --group-size and --skip, times --groups", bench->name,
			 kb_foreign_tests(bench));
		return false;
	}
	return true;
}

void kb_kanata_design(struct kb_design *design, const struct kb_bench *bench, const struct kb_kanata_options *options)
{
	*design = (struct kb_design){
		.method = KB_KANATA, .grid = { options->initial }, .grid_count = 1, .repeats = 1, .delta = options->delta,
		.blocks = options->groups + 2, .tests = options->group_size, .skip = options->skip,
		.tests_max = most_tests(bench, options) - options->skip,
	};
	snprintf(design->header, sizeof design->header, "%s confidence=%.6g", KB_KANATA, options->confidence);
}

void kb_kanata_block(const struct kb_design *design, uint64_t index, struct kb_block *block)
{
	*block = (struct kb_block){ .index = index, .count = 1 };
	if (index == 0 || index + 1 >= design->blocks) {
		block->steps[0] = (struct kb_step){ KB_STEP_PROBE, 0 };
		return;
	}
	block->tests = design->tests;
	block->skip = design->skip;
	block->steps[0] = (struct kb_step){ KB_STEP_OP, design->grid[0] + (index - 1) * design->delta };
}

bool kb_kanata_met(const struct kb_kanata_options *options, const struct kb_launch_text *text, struct kb_design *design)
{
	struct kb_samples samples;
	double next = 0;
	bool met = false;

	if (kb_samples_load(&samples, text) == 0 && samples.state == KB_RECORD_WHOLE && !text->outcome[0]) {
		struct kb_kanata_launch all = kb_kanata_launch(&samples, options->confidence, options->half_width);

		met = all.known && all.half_percent <= 100 * options->half_width;
		next = all.next_size;
	}
	kb_samples_free(&samples);
	if (!met && next > design->tests)
		design->tests = (unsigned)fmin(ceil(next), design->tests_max);
	return met;
}
