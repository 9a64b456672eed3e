/* What one operation costs, roughly: enough to choose n. Too low a cost would make intervals too long, never too short. */
#include "run/engine.h"

#include <math.h>

#include "run/samples.h"

#define PROBE_NS 20e3           /* an interval this long tells the cost well enough to choose n */
#define PROBE_STEPS 60
#define PROBE_MOST (UINT64_C(1) << 40)  /* more operations that take no time would take none, either */
#define PROBE_TRIES 12          /* on a busy CPU most intervals are hit: the shortest of so many is not */
#define PROBE_PATIENCE_NS 1e6   /* above: the operation itself is slow, three tries must do */

/* Ticks of the last `o` line of the record so far; 0 if there is none, negative if the record is garbled already. */
static double last_ticks(const struct kb_engine *engine)
{
	struct kb_span record = engine->transport->record(engine->transport->context);
	struct kb_record_reader reader;
	struct kb_line line;
	double ticks = 0;

	kb_record_open(&reader, record.at, record.length);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE) {
		if (line.kind == KB_LINE_OBS && line.obs.role == KB_ROLE_OP)
			ticks = (double)line.obs.ticks;
	}
	return reader.state == KB_RECORD_OPEN ? ticks : -1;
}

static uint64_t grow_n(const struct kb_bench *bench, uint64_t n, double ns)
{
	uint64_t most = bench->max_n ? bench->max_n : PROBE_MOST, factor = ns < PROBE_NS / 16 ? 8 : 2;

	return n < most / factor ? n * factor : bench->max_n ? most : n;
}

/* Growing warm-up blocks until one interval is long enough; then the cost is the shortest of some, clock taken off. */
double kb_probe_cost(const struct kb_engine *engine, const struct kb_bench *bench, uint64_t *blocks)
{
	double per_tick = engine->clock->hz ? 1e9 / (double)engine->clock->hz : 1, best = INFINITY;
	uint64_t n = bench->granule > 1 ? bench->granule : 1;
	unsigned settled = 0;

	for (unsigned step = 0; step < PROBE_STEPS && settled < PROBE_TRIES; step++) {
		struct kb_block block = { .warm = true, .index = *blocks, .count = 1, .steps = { { KB_STEP_OP, n } } };

		if (kb_engine_send(engine, &block) || !engine->transport->await(engine->transport->context, ++*blocks))
			return 0;
		double seen = last_ticks(engine), ns = fmax(seen - (double)engine->clock->cost, 1) * per_tick;

		if (seen < 0)
			return 0;
		uint64_t next = grow_n(bench, n, ns);

		best = fmin(best, ns);
		settled += best > PROBE_PATIENCE_NS ? PROBE_TRIES / 3 : 1;
		if (ns < PROBE_NS && next != n) { /* one short interval: the longer ones at this n were disturbed */
			n = next;
			settled = 0;
			best = INFINITY;
		}
	}
	return (isfinite(best) ? best : PROBE_NS) / (double)n;
}
