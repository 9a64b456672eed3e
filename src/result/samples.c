/*
 * A record's lines into arrays. Records may come from another machine and another version: a field that is missing reads as 0, a
 * word that is not known is passed over, and what is wrong with the record as a whole stands in `state`, for a verdict to say.
 */
#define _GNU_SOURCE
#include "result/samples.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interference.h"
#include "evidence/evidence.h"
#include "result/parts.h"

static int grow(void **array, size_t room, size_t size)
{
	void *grown = realloc(*array, room * size);

	if (!grown)
		return -ENOMEM;
	*array = grown;
	return 0;
}

static int grow_points(struct kb_points *points, size_t room)
{
	if (grow((void **)&points->n, room, sizeof *points->n) || grow((void **)&points->ticks, room, sizeof *points->ticks) ||
	    grow((void **)&points->twin, room, sizeof *points->twin) ||
	    grow((void **)&points->t, room, sizeof *points->t) || grow((void **)&points->probe, room, sizeof *points->probe) ||
	    grow((void **)&points->block, room, sizeof *points->block) ||
	    grow((void **)&points->flags, room, sizeof *points->flags))
		return -ENOMEM;
	points->room = room;
	return 0;
}

int kb_points_add(struct kb_points *points, const struct kb_obs *obs)
{
	if (points->count == points->room && grow_points(points, points->room ? 2 * points->room : 256))
		return -ENOMEM;
	points->n[points->count] = (double)obs->n;
	points->ticks[points->count] = (double)obs->ticks;
	points->twin[points->count] = (double)obs->twin;
	points->t[points->count] = (double)obs->t;
	points->probe[points->count] = 0;
	points->block[points->count] = (uint32_t)obs->block;
	points->flags[points->count++] = obs->flags;
	return 0;
}

static int add_probe(struct kb_samples *samples, uint64_t ticks, uint64_t block)
{
	return kb_samples_append(&samples->probe_blocks, &samples->probe_block_count, (double)block) ?:
	       kb_samples_append(&samples->probes, &samples->probe_count, (double)ticks);
}

/* Those at the points inside it. */
static int add_inner(struct kb_samples *samples, const struct kb_obs *obs)
{
	struct kb_span text = obs->part_text;
	struct kb_part part;
	int error = 0;

	for (unsigned i = 0; i + 1 < obs->part_count && !error && kb_record_part(&text, &part); i++)
		error = add_probe(samples, part.probe, obs->block);
	return error;
}

/* The probe before a sample is that after the one before it, unless too much time had passed. */
static int add_around(struct kb_samples *samples, const struct kb_obs *obs)
{
	uint64_t last = samples->probe_count > 0 ? (uint64_t)samples->probes[samples->probe_count - 1] : 0;

	if (obs->around.after == 0)
		return 0;
	return (obs->around.before != last ? add_probe(samples, obs->around.before, obs->block) : 0) ?:
	       add_inner(samples, obs) ?: add_probe(samples, obs->around.after, obs->block);
}

/* A point with the number of its probe. */
static int add_point(const struct kb_samples *samples, struct kb_points *points, const struct kb_obs *obs)
{
	int error = kb_points_add(points, obs);

	if (!error && obs->around.after > 0)
		points->probe[points->count - 1] = (uint32_t)samples->probe_count;
	return error;
}

static int add_observation(struct kb_samples *samples, const struct kb_obs *obs)
{
	uint64_t slack = obs->ticks / 16 + samples->hz / 1000000;

	if (add_around(samples, obs))
		return -ENOMEM;
	samples->sees_interrupts |= (obs->flags & KB_FLAG_IRQ) != 0;
	if (obs->flags & KB_FLAG_WARMUP)
		return 0;
	/* One process takes its samples one after the other: ticks that a benchmark took itself are held against that. Clocks of two CPUs
	   may differ a little; a record without times has 0. */
	samples->overlapping += samples->observed && obs->t > 0 && samples->ended > 0 && obs->t + slack < samples->ended;
	if (samples->ended == 0) {
		samples->began = obs->t;
		samples->first_block = obs->block;
	}
	samples->ended = obs->t + obs->ticks;
	samples->last_block = obs->block;
	switch (obs->role) {
	case KB_ROLE_OP: return kb_samples_annotate(samples, obs) ?: kb_parts_add(samples, obs) ?: add_point(samples, &samples->op, obs);
	case KB_ROLE_BASE: return add_point(samples, &samples->base, obs);
	case KB_ROLE_SINGLE: return kb_samples_annotate(samples, obs) ?: add_point(samples, &samples->single, obs);
	case KB_ROLE_CLOCK: return add_point(samples, &samples->empty, obs);
	}
	return 0;
}

int kb_samples_append(double **array, size_t *count, double value)
{
	if ((*count & (*count - 1)) == 0 && grow((void **)array, *count ? 2 * *count : 1, sizeof **array))
		return -ENOMEM;
	(*array)[(*count)++] = value;
	return 0;
}

static int add_clock_probe(struct kb_samples *samples, const struct kb_probe_line *probe)
{
	double ticks = (double)probe->ticks;

	if (strcmp(probe->name, "clock") && strcmp(probe->name, "add")) /* as version 1 called it */
		return 0;
	/* A chain of so many instructions is that long by definition, and says nothing of a core's cycles. */
	if (samples->counts)
		return 0;
	if (probe->n == KB_CLOCK_PROBE_SHORT)
		return kb_samples_append(&samples->add_short, &samples->add_count, ticks);
	return kb_samples_append(&samples->add_long, &samples->add_long_count, ticks);
}

/* ---- header -------------------------------------------------------------------------------------- */

static void copy(char *to, size_t room, struct kb_span from)
{
	snprintf(to, room, "%.*s", (int)(from.length < room ? from.length : room - 1), from.at ? from.at : "");
}

static void read_real(struct kb_span rest, const char *key, double *value)
{
	char text[48];

	if (kb_record_field(rest, key, text, sizeof text) >= 0)
		*value = strtod(text, NULL);
}

static const char *take_word(struct kb_span rest, char *to, size_t room)
{
	copy(to, room, kb_span_word(&rest));
	return to;
}

static void read_method(struct kb_samples *samples, struct kb_span rest)
{
	char name[16];

	samples->method = kb_method_find(take_word(rest, name, sizeof name));
	read_real(rest, "confidence", &samples->confidence);
	read_real(rest, "pilot", &samples->pilot);
	kb_record_field_u64(rest, "probe", &samples->probe);
}

static void read_clock(struct kb_samples *samples, struct kb_span rest)
{
	uint64_t ladder = 1; /* a record without the field comes from a clock that needs no test */

	take_word(rest, samples->clock, sizeof samples->clock);
	samples->counts = kb_counts_instructions(samples->clock);
	kb_record_field_u64(rest, "ladder", &ladder);
	samples->ladder_ok = ladder != 0;
	/* Instructions have no rate, whatever a record says of it: no time is made of them. */
	if (!samples->counts)
		kb_record_field_u64(rest, "hz", &samples->hz);
	kb_record_field_u64(rest, "quantum", &samples->quantum);
	kb_record_field_u64(rest, "cost", &samples->clock_cost);
}

static void read_expect(struct kb_samples *samples, struct kb_span rest)
{
	if (samples->claim_count == sizeof samples->claims / sizeof *samples->claims)
		return;
	struct kb_claim *claim = &samples->claims[samples->claim_count++];

	take_word(rest, claim->counter, sizeof claim->counter);
	if (kb_record_field(rest, "who", claim->who, sizeof claim->who) < 0)
		strcpy(claim->who, "self");
	read_real(rest, "per_op", &claim->per_op);
	read_real(rest, samples->version == 1 ? "per_interval" : "per_sample", &claim->per_sample);
	read_real(rest, "tolerance", &claim->tolerance);
}

/* A place for a note, or NULL. */
static struct kb_reason *add_note(struct kb_samples *samples, enum kb_reason_code code)
{
	if (code == KB_CODE_COUNT || samples->note_count == KB_NOTES_MAX)
		return NULL;
	struct kb_reason *note = &samples->notes[samples->note_count++];

	*note = (struct kb_reason){ .code = code };
	return note;
}

static void read_note(struct kb_samples *samples, struct kb_span rest)
{
	char name[32];
	struct kb_span word = kb_span_word(&rest);

	copy(name, sizeof name, word);
	struct kb_reason *note = add_note(samples, kb_code_find(name));

	if (!note)
		return;
	word = kb_span_word(&rest);
	if (word.length == 0 || kb_span_unquote(word, note->detail, sizeof note->detail) < 0)
		note->detail[0] = '\0';
}

static void read_param(struct kb_samples *samples, struct kb_span rest)
{
	size_t used = strlen(samples->params);
	bool old = samples->version == 1 && kb_interference_is_old(rest);

	if (old)
		rest = (struct kb_span){ rest.at + strlen("beside"), rest.length - strlen("beside") };
	snprintf(samples->params + used, sizeof samples->params - used, "%s%s%.*s", used ? " " : "", old ? "interference" : "",
	         (int)rest.length, rest.at);
}

/* What QEMU calls its way without the processor's help, what it calls itself in CPUID, and what kbench calls both. */
static bool is_emulator(const char *name)
{
	return !strcmp(name, "tcg") || !strcmp(name, "tcg-icount") || !strcmp(name, "qemu-tcg") || !strcmp(name, "TCGTCGTCGTCG");
}

static void read_env(struct kb_samples *samples, struct kb_span rest)
{
	uint64_t checked;
	char base[8], partner[16], ticks[16], accel[24];

	kb_record_field_u64(rest, "bytes_per_op", &samples->bytes_per_op);
	if (kb_record_field_u64(rest, "checked", &checked))
		samples->checked = checked != 0;
	if (kb_record_field(rest, "base", base, sizeof base) >= 0) {
		samples->half_base = !strcmp(base, "half");
		samples->base_works = !strcmp(base, "works");
	}
	if (kb_record_field(rest, "ticks", ticks, sizeof ticks) >= 0)
		samples->observed = !strcmp(ticks, "observed");
	if (kb_record_field(rest, "partner", partner, sizeof partner) >= 0)
		samples->elsewhere = !strcmp(partner, "elsewhere") || (samples->other_machine = !strcmp(partner, "machine"));
	kb_record_field(rest, "twin", samples->twin, sizeof samples->twin);
	kb_record_field(rest, "own", samples->own, sizeof samples->own);
	read_real(rest, "reported_mean", &samples->reported.mean);
	read_real(rest, "reported_sd", &samples->reported.sd);
	read_real(rest, "reported_median", &samples->reported.median);
	read_real(rest, "reported_samples", &samples->reported.samples);
	read_real(rest, "reported_cost", &samples->reported.cost);
	read_real(rest, "reported_low", &samples->reported.low);
	read_real(rest, "reported_high", &samples->reported.high);
	read_real(rest, "reported_repetitions", &samples->reported.repetitions);
	kb_record_field_u64(rest, "throttled_us", &samples->throttled_us);
	kb_record_field_u64(rest, "ran_us", &samples->ran_us);
	kb_record_field_u64(rest, "waited_us", &samples->waited_us);
	kb_record_field_u64(rest, "started_ms", &samples->started_ms);
	kb_record_field(rest, "code", samples->code, sizeof samples->code);
	kb_record_field(rest, "arch", samples->arch, sizeof samples->arch);
	if (kb_record_field(rest, "accel", accel, sizeof accel) >= 0 || kb_record_field(rest, "hypervisor", accel, sizeof accel) >= 0)
		samples->emulated |= is_emulator(accel);
}

static void read_header(struct kb_samples *samples, const struct kb_line *line)
{
	struct kb_span rest = line->rest;
	char name[16];

	if (kb_span_is(line->word, "bench"))
		copy(samples->bench, sizeof samples->bench, rest);
	else if (kb_span_is(line->word, "per"))
		copy(samples->per, sizeof samples->per, rest);
	else if (kb_span_is(line->word, "method"))
		read_method(samples, rest);
	else if (kb_span_is(line->word, "param"))
		read_param(samples, rest);
	else if (kb_span_is(line->word, "clock"))
		read_clock(samples, rest);
	else if (kb_span_is(line->word, "bound"))
		samples->bound = kb_bound_find(take_word(rest, name, sizeof name));
	else if (kb_span_is(line->word, "env"))
		read_env(samples, rest);
	else if (kb_span_is(line->word, "expect"))
		read_expect(samples, rest);
	else if (kb_span_is(line->word, "proof"))
		kb_proof_read(rest, &samples->proof);
	else if (kb_span_is(line->word, "where"))
		kb_where_read(rest, &samples->where);
	else if (kb_span_is(line->word, "note"))
		read_note(samples, rest);
}

/* ---- body ---------------------------------------------------------------------------------------- */

static void read_block(struct kb_samples *samples, struct kb_span rest)
{
	uint64_t steal = 0, interrupts = 0;

	kb_record_field_u64(rest, "steal", &steal);
	samples->sees_interrupts |= kb_record_field_u64(rest, "irq", &interrupts);
	samples->steal_ticks += steal;
	samples->interrupts += interrupts;
}

static int read_line(struct kb_samples *samples, const struct kb_line *line)
{
	switch (line->kind) {
	case KB_LINE_HEADER: read_header(samples, line); return 0;
	case KB_LINE_OBS: return add_observation(samples, &line->obs);
	case KB_LINE_PROBE: return add_clock_probe(samples, &line->probe);
	case KB_LINE_BLOCK: read_block(samples, line->block.rest); return 0;
	case KB_LINE_EVIDENCE:
		if (samples->evidence_count < sizeof samples->evidence / sizeof *samples->evidence)
			samples->evidence[samples->evidence_count++] = line->evidence;
		return 0;
	case KB_LINE_FAIL:
		snprintf(samples->fail_stage, sizeof samples->fail_stage, "%s", line->fail.stage);
		snprintf(samples->fail_detail, sizeof samples->fail_detail, "%s", line->fail.detail);
		samples->fail_error = line->fail.error;
		return 0;
	default: return 0;
	}
}

/*
 * All that results, verdicts and reports know of a record's texts is in here, and they print it as it is: so this is where it becomes
 * visible. Not in the reader, which tells what the record holds, byte by byte, also to those that copy or compare it.
 */
static void make_visible(struct kb_samples *samples)
{
	char *const texts[] = {
		samples->bench, samples->params, samples->per, samples->clock, samples->code, samples->arch,
		samples->fail_stage, samples->fail_detail, samples->refuted_text, samples->proof.error, samples->proof.call, samples->proof.left,
	};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		kb_make_visible(texts[i], '?');
	for (unsigned i = 0; i < samples->note_count; i++)
		kb_make_visible(samples->notes[i].detail, '?');
	for (unsigned i = 0; i < samples->claim_count; i++) {
		kb_make_visible(samples->claims[i].counter, '?');
		kb_make_visible(samples->claims[i].who, '?');
	}
	for (unsigned i = 0; i < samples->evidence_count; i++)
		kb_make_visible(samples->evidence[i].counter, '?');
	kb_make_visible(samples->twin, '?');
	for (unsigned i = 0; i < samples->covariate_count; i++)
		kb_make_visible(samples->covariates[i].name, '?');
}

static bool has_note(const struct kb_samples *samples, enum kb_reason_code code)
{
	for (unsigned i = 0; i < samples->note_count; i++) {
		if (samples->notes[i].code == code)
			return true;
	}
	return false;
}

/* An emulator that counts instructions has a clock that means something; by any other clock its speed is its own. A record that names
   an emulator and has no note of it gets one. */
static void judge_emulation(struct kb_samples *samples)
{
	if (samples->emulated && !samples->counts && !has_note(samples, KB_CODE_emulated_clock)) {
		struct kb_reason *note = add_note(samples, KB_CODE_emulated_clock);

		if (note)
			snprintf(note->detail, sizeof note->detail, "the record states that an emulator ran it");
		samples->untimed = true;
	}
	if (has_note(samples, KB_CODE_emulated_clock))
		samples->untimed = !samples->counts;
	/* No core decides how many instructions there are, and nothing is to be made of its cycles. */
	if (samples->counts && kb_core_bound(samples->bound))
		samples->bound = KB_KERNEL;
}

int kb_samples_load(struct kb_samples *samples, const struct kb_process_text *text)
{
	struct kb_record_reader reader;
	struct kb_line line;
	int error = 0;

	*samples = (struct kb_samples){ .process = text->process, .outcome = text->outcome ? text->outcome : "", .clean_share = NAN };
	kb_record_open(&reader, text->record, text->length);
	while (!error && kb_record_next(&reader, &line) != KB_LINE_NONE) {
		samples->version = reader.version;
		error = read_line(samples, &line);
	}
	error = error ? error : kb_samples_settle(samples);
	if (!error)
		kb_samples_count_ticks(samples);
	make_visible(samples);
	samples->state = reader.state;
	judge_emulation(samples);
	samples->foreign = reader.foreign;
	return error;
}

void kb_points_free(struct kb_points *points)
{
	free(points->n);
	free(points->ticks);
	free(points->twin);
	free(points->t);
	free(points->probe);
	free(points->block);
	free(points->flags);
	*points = (struct kb_points){ 0 };
}

void kb_samples_free(struct kb_samples *samples)
{
	kb_points_free(&samples->op);
	kb_points_free(&samples->base);
	kb_points_free(&samples->single);
	kb_points_free(&samples->empty);
	kb_points_free(&samples->pairs);
	kb_parts_free(samples);
	for (unsigned i = 0; i < samples->covariate_count; i++)
		free(samples->covariates[i].values);
	free(samples->add_short);
	free(samples->add_long);
	free(samples->probes);
	free(samples->probe_blocks);
	*samples = (struct kb_samples){ 0 };
}
