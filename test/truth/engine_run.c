#include "engine_run.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32.h"

#define FOREVER (UINT64_MAX / 2)

static int process_done(void *context, const struct kb_row *row, unsigned process, const char *outcome,
                       const char *record, size_t length)
{
	struct engine_run *run = context;

	(void)row;
	run->processes += process > 0;
	if (run->wish->record)
		run->wish->record(run->wish->context, &(struct kb_process_text){ process, outcome, record, length });
	run->records_hash = kb_crc32(run->records_hash, record, length);
	/* The engine asks the real clock; moving its deadline makes the end of the budget a certain one. */
	if (run->wish->stop_after && run->processes == run->wish->stop_after)
		run->engine.deadline_ns = 0;
	if (run->wish->interrupt_after && run->processes == run->wish->interrupt_after)
		kb_run_stop(SIGINT);
	return 0;
}

/* Probed as a real run is, by a floor that is shipped for this CPU model unless the wish is to do without. */
static void probe_contention(struct engine_run *run)
{
	run->floor = run->wish->floor_unknown ? (struct kb_floor){ .k = 0 } : (struct kb_floor){ SYNTHETIC_K, KB_FLOOR_SHIPPED };
	run->engine.probe = SYNTHETIC_PROBE_LOOPS;
	run->engine.floor = &run->floor;
	run->engine.ratios = &run->ratios;
}

void engine_run(struct engine_run *run, const struct kb_synthetic *model, const struct engine_wish *wish)
{
	*run = (struct engine_run){ .wish = wish };
	kb_synthetic_open(&run->machine, model);
	run->options = (struct kb_run_options){
		.id = "synthetic", .seed = wish->seed ? wish->seed : 1, .processes = wish->processes ? wish->processes : model->sibling.probes ? 6 : 5,
		.precision = wish->precision > 0 ? wish->precision : 10, .budget_ns = FOREVER, .timeout_ns = FOREVER,
	};
	run->options.method = wish->method;
	run->options.blocks = wish->blocks;
	run->options.core_alone = wish->core_alone;
	if (wish->kanata) {
		run->options.method = KB_METHOD_KANATA;
		run->options.kanata = *wish->kanata;
		run->options.precision = wish->kanata->half_width;
	}
	run->observer = (struct kb_run_observer){ .context = run, .process_done = process_done };
	run->engine = (struct kb_engine){
		.transport = &run->machine.transport, .clock = &run->machine.clock, .options = &run->options, .observer = &run->observer,
		.deadline_ns = wish->no_budget ? 0 : FOREVER,
	};
	if (model->sibling.probes)
		probe_contention(run);
	kb_settings_default(&run->row.settings, &run->machine.bench);
	run->row.collector = wish->collector;
	snprintf(run->row.key, sizeof run->row.key, "%s", run->machine.bench.name);
	run->status = kb_engine_run(&run->engine, &run->row, 1, &run->outcome, run->error);
}

void engine_run_close(struct engine_run *run)
{
	kb_row_release(&run->row);
	kb_synthetic_close(&run->machine);
}

void engine_codes(const struct kb_result *result, char *text, size_t room)
{
	size_t used = 0;

	text[0] = '\0';
	for (enum kb_reason_code code = 0; code < KB_CODE_COUNT; code++) {
		if (kb_code_severity(code) > KB_NOTE && kb_verdict_has(&result->verdict, code) && used < room)
			used += (size_t)snprintf(text + used, room - used, "%s%s", used ? " " : "", kb_code_name(code));
	}
}

bool engine_has_no_number(const struct kb_result *result)
{
	bool none = !result->estimate.known && !result->observed.known && !result->mean.known && result->observations == 0;

	for (unsigned i = 0; i < KB_QUANTILES; i++)
		none = none && !result->quantile[i].known;
	return none;
}
