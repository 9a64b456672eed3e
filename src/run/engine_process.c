/*
 * One process of a result: opened, sent its plan, extended where it saw too little uncontended time, and kept. What is measured in which
 * order is the schedule's (engine.c).
 */
#define _GNU_SOURCE
#include "run/engine.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/rng.h"
#include "grown.h"
#include "io.h"
#include "result/summary/summary.h"
#include "run/backend/backend.h"

#define EXTENSIONS (2 * (KB_EXTENDED - 1))      /* of a process, by half of its blocks each */
#define GRACE_NS UINT64_C(5000000000)    /* after the end of the budget, for the process in flight */

int kb_engine_send(const struct kb_engine *engine, const struct kb_block *block)
{
	char line[KB_PLAN_LINE_MAX];
	struct kb_text text = kb_text_in(line, sizeof line);

	kb_plan_format(&text, block);
	return engine->transport->send(engine->transport->context, line, text.used);
}

static int send_blocks(const struct kb_engine *engine, const struct kb_row_state *state, struct kb_rng *rng, unsigned count, bool warm,
                       uint64_t *blocks)
{
	struct kb_block block;
	int error = 0;

	for (unsigned i = 0; i < count && !error; i++) {
		kb_design_block(&state->design, rng, (*blocks)++, warm, &block);
		error = kb_engine_send(engine, &block);
	}
	return error;
}

unsigned kb_engine_clean_blocks(const struct kb_engine *engine)
{
	struct kb_span record = engine->transport->record(engine->transport->context);
	struct kb_process_text text = { 1, "", record.at, record.length };
	struct kb_samples samples;
	unsigned blocks = KB_CLEAN_BLOCKS;

	if (!engine->floor || engine->floor->k <= 0)
		return blocks;
	if (kb_samples_load(&samples, &text) == 0 && samples.probe > 0) {
		kb_contention_flag(&samples, engine->floor);
		blocks = kb_clean_blocks(&samples);
	}
	kb_samples_free(&samples);
	return blocks;
}

/* Sends the whole plan: the parent then sleeps while the blocks run. A send that fails means that the process ended. */
static void send_plan(const struct kb_engine *engine, const struct kb_row_state *state, struct kb_rng *rng)
{
	uint64_t blocks = 0;

	if (state->design.tests == 0) /* groups know what to skip, and their table shows the warm-up */
		send_blocks(engine, state, rng, 2, true, &blocks);
	if (send_blocks(engine, state, rng, state->design.blocks, false, &blocks) || state->design.probe == 0 || !engine->floor ||
	    engine->floor->k <= 0 || engine->options->blocks)
		return;
	/* A process that saw too little uncontended time goes on for a while; one that saw none is over soon, for the neighbours of the
	   next one are others. */
	for (unsigned i = 0; i < EXTENSIONS && engine->transport->await(engine->transport->context, blocks); i++) {
		unsigned clean = kb_engine_clean_blocks(engine);

		if (clean >= KB_CLEAN_BLOCKS || (i > 0 && clean == 0) || kb_wall_ns() + state->process_ns / 2 > state->share_end_ns ||
		    send_blocks(engine, state, rng, state->design.blocks / 2, false, &blocks))
			return;
	}
}

/* What this run's probes say of the floor counts only where nothing else is known of it. */
static void learn_floor(const struct kb_engine *engine, const struct kb_process_text *text)
{
	struct kb_samples samples;

	if (!kb_floor_is_learned(engine->floor))
		return;
	if (kb_samples_load(&samples, text) == 0)
		kb_ratios_add(engine->ratios, &samples);
	kb_samples_free(&samples);
	kb_ratios_floor(engine->ratios, engine->options->core_alone, engine->floor);
}

int kb_engine_keep(const struct kb_engine *engine, struct kb_row *row, const struct kb_process_text *text)
{
	const struct kb_run_observer *observer = engine->observer;
	struct kb_row_state *state = row->state;
	int error = KB_GROW(state->texts, state->text_count) ? kb_kept_pack(&state->texts[state->text_count], text) : -ENOMEM;

	state->text_count += !error;
	if (!error && engine->ratios)
		learn_floor(engine, text);
	if (!error && observer->process_done)
		error = observer->process_done(observer->context, row, text->process, text->outcome, text->record, text->length);
	return error;
}

int kb_engine_finish(const struct kb_engine *engine, struct kb_row *row, uint64_t started_ns)
{
	struct kb_process_text text = engine->transport->close(engine->transport->context);
	uint64_t now = kb_wall_ns(), elapsed = now - started_ns;
	/* It was ended because the budget was over, before its own time limit: no fault of its own. */
	bool by_budget = !strncmp(text.outcome, "timeout", 7) && now >= engine->deadline_ns &&
			 elapsed < kb_backend_limit(row, engine->options->timeout_ns);

	if (text.outcome[0] && (kb_run_stop_signal() || by_budget)) {
		row->state->processes -= row->state->processes > 0;
		return 0;
	}
	if (elapsed > row->state->process_ns)
		row->state->process_ns = elapsed;
	return kb_engine_keep(engine, row, &text);
}

int kb_engine_open(const struct kb_engine *engine, struct kb_row *row, const char *method, unsigned process,
                   uint64_t prove, uint64_t seed, char error[256])
{
	/* A process that hangs must not outlive the budget by much; one that is a little late may still end. */
	uint64_t now = kb_wall_ns(), own = now + kb_backend_limit(row, engine->options->timeout_ns);
	uint64_t last = (engine->deadline_ns > now ? engine->deadline_ns : now) + GRACE_NS;
	struct kb_process_request request = {
		.row = row, .clock = kb_backend_clock(row, engine->clock), .method = method, .process = process, .seed = seed, .prove = prove,
		.deadline_ns = own < last ? own : last,
	};

	return engine->transport->open(engine->transport->context, &request, error);
}

int kb_engine_prove_with(const struct kb_engine *engine, struct kb_row *row, uint64_t operations, uint64_t seed, char error[256])
{
	int result = kb_engine_open(engine, row, "proof", 0, operations, seed, error) ?: kb_engine_finish(engine, row, kb_wall_ns());

	row->state->process_ns = 0; /* a proof says nothing about the length of a process */
	return result;
}

int kb_engine_run_process(const struct kb_engine *engine, struct kb_row *row, uint64_t seed, char error[256])
{
	struct kb_row_state *state = row->state;
	uint64_t started_ns;
	struct kb_rng rng;
	int result;

	if (engine->options->one_order)
		seed = engine->options->seed;
	if (!state->designed) {
		result = kb_engine_design(engine, row, seed, error);
		/* Without a design there was no process that says why: it was ended by the budget. */
		if (result || state->processes || !state->designed || kb_run_stop_signal())
			return result;
	}
	started_ns = kb_wall_ns();
	result = kb_engine_open(engine, row, state->design.header, ++state->processes, 0, seed, error);
	if (result)
		return result;
	kb_rng_seed(&rng, seed);
	send_plan(engine, state, &rng);
	return kb_engine_finish(engine, row, started_ns);
}

/* ---- records of processes, packed ---------------------------------------------------------------- */

#define LEVEL 1                 /* the fastest */

int kb_kept_pack(struct kb_kept *kept, const struct kb_process_text *text)
{
	uLongf room = compressBound(text->length);
	Bytef *packed = malloc(room);
	char *outcome = strdup(text->outcome);

	if (!packed || !outcome ||
	    compress2(packed, &room, text->length > 0 ? (const Bytef *)text->record : (const Bytef *)"", text->length, LEVEL) != Z_OK) {
		free(packed);
		free(outcome);
		return -ENOMEM;
	}
	void *shrunk = realloc(packed, room);

	*kept = (struct kb_kept){ text->process, outcome, shrunk ? shrunk : packed, room, text->length };
	return 0;
}

void kb_kept_free(struct kb_kept *kept)
{
	free(kept->outcome);
	free(kept->packed);
}

static bool unpack(const struct kb_kept *kept, struct kb_process_text *text)
{
	uLongf length = kept->length;
	char *record = malloc(kept->length + 1);

	*text = (struct kb_process_text){ kept->process, kept->outcome, record, kept->length };
	return record && uncompress((Bytef *)record, &length, kept->packed, kept->packed_length) == Z_OK;
}

struct kb_process_text *kb_kept_unpack(const struct kb_kept *kept, size_t count)
{
	struct kb_process_text *texts = calloc(count + 1, sizeof *texts);

	for (size_t i = 0; texts && i < count; i++) {
		if (unpack(&kept[i], &texts[i]))
			continue;
		kb_kept_release(texts, i + 1);
		return NULL;
	}
	return texts;
}

void kb_kept_release(struct kb_process_text *texts, size_t count)
{
	for (size_t i = 0; texts && i < count; i++)
		free((void *)(uintptr_t)texts[i].record);
	free(texts);
}
