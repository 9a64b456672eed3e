/*
 * What KBench's own rules would take for K of the probes that were written on standard input: a line a process, its probes in core
 * cycles a loop. Prints K, or 0 where they refuse; what they would take on a core that is nobody else's; and the instructions of a loop.
 */
#include <stdio.h>
#include <stdlib.h>

#include "measure/measure.h"
#include "result/contention.h"
#include "result/parts.h"

/* Flags of samples are no matter here, nor are their parts. */
void kb_parts_complete(struct kb_samples *samples) { (void)samples; }
void kb_parts_restore(struct kb_samples *samples) { (void)samples; }

#define PROBES 200000u
#define LOOP_SCALE 1000.0       /* ticks of a core cycle */

extern const unsigned kb_contention_loop;       /* arch/chain.h, which cannot be had beside base/verdict.h: both name an enum kb_code */

int main(void)
{
	static double probes[PROBES], blocks[PROBES];
	static struct kb_ratios ratios;
	double quick[1] = { KB_CLOCK_PROBE_SHORT * LOOP_SCALE }, slow[1] = { KB_CLOCK_PROBE_LONG * LOOP_SCALE };
	struct kb_samples samples = {
		.probe = 1, .probes = probes, .probe_blocks = blocks, .add_short = quick, .add_long = slow, .add_count = 1, .add_long_count = 1,
	};
	struct kb_floor shared, alone;
	char after;

	while (scanf("%lf%c", &probes[samples.probe_count], &after) == 2) {
		probes[samples.probe_count] *= LOOP_SCALE;
		samples.probe_count += samples.probe_count + 1 < PROBES;
		if (after != '\n')
			continue;
		kb_ratios_add(&ratios, &samples);
		samples.probe_count = 0;
	}
	kb_ratios_floor(&ratios, false, &shared);
	kb_ratios_floor(&ratios, true, &alone);
	printf("%.4f %.4f %u\n", shared.k, alone.k, kb_contention_loop);
	return 0;
}
