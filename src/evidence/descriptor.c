/* See descriptor.h. One rule after the other, in the order in which the author wrote the fields; the first that is broken is told. */
#include "evidence/evidence.h"

#include "base/error.h"
#include "measure/params.h"

/* The parameter that kbench itself gives a result under interference. */
#define TAKEN "interference"

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

#define PARAM_NAME_MAX 31       /* bytes; results and records keep no more */

/* A result is called "BENCHMARK PARAMETER=VALUE ...", in records, in the store and on command lines: a name is one plain word. */
static bool is_param_name(const char *name)
{
	size_t length = 0;

	while (length <= PARAM_NAME_MAX && is_plain(name[length]))
		length++;
	return length > 0 && length <= PARAM_NAME_MAX && !name[length];
}

/* "NAME: WHAT IT IS ABOUT WORDS" */
static int refuse(struct kb_text *error, const char *what, const char *about, const char *words)
{
	kb_text_str(error, what);
	if (about) {
		kb_text_str(error, " ");
		kb_text_quoted(error, about);
	}
	kb_text_str(error, words);
	return -KB_EINVAL;
}

/* ---- texts ----------------------------------------------------------------------------------------------- */

static int check_text(const char *field, const char *text, struct kb_text *error)
{
	return !text || kb_is_visible(text) ? 0 : refuse(error, field, text, ": only visible characters in UTF-8 can stand there");
}

static int check_texts(const struct kb_bench *bench, struct kb_text *error)
{
	const struct { const char *field, *text; } texts[] = {
		{ "summary", bench->summary }, { "per", bench->per }, { "assumes", bench->assumes }, { "lmbench", bench->lmbench },
		{ "errors", bench->errors }, { "base_does", bench->base_does }, { "lmbench_with", bench->lmbench_with },
	};
	int wrong = 0;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0] && !wrong; i++)
		wrong = check_text(texts[i].field, texts[i].text, error);
	return wrong;
}

#define GRANULE_MAX (UINT64_C(1) << 24)
#define PER_MAX 23              /* of a record */

/* ---- numbers --------------------------------------------------------------------------------------------- */

static int check_numbers(const struct kb_bench *bench, struct kb_text *error)
{
	const struct { bool broken; const char *field, *words; } rules[] = {
		{ (unsigned)bench->suite > KB_MANUAL, "suite", ": must be one of enum kb_suite" },
		{ (unsigned)bench->portability > KB_PLATFORM, "portability", ": must be one of enum kb_class" },
		{ (unsigned)bench->bound > KB_NOTHING, "bound", ": must be one of enum kb_bound" },
		{ (unsigned)bench->method > KB_PAIRED, "method", ": must be one of enum kb_bench_method" },
		{ bench->needs & ~(unsigned)(KB_NEED_ROOT | KB_NEED_TWO_CPUS), "needs", ": must be bits of enum kb_need" },
		{ bench->max_n > 0 && bench->max_n < bench->granule, "max_n", ": is below granule, so no sample can be taken" },
		{ bench->max_n > 0 && bench->max_n < bench->period, "max_n", ": is below period, so no sample can be taken" },
		{ bench->granule > GRANULE_MAX, "granule", ": is above 16777216; no sample may need so many operations" },
		{ bench->method == KB_PAIRED && !bench->base, "method", ": KB_PAIRED needs a base" },
		{ bench->half_base && !bench->base, "half_base", ": there is no base that could do half of the operations" },
		{ bench->parts > KB_PARTS, "parts", ": is above 192, and a record has no room for more" },
		{ bench->parts > 0 && !bench->op, "parts", ": only op can be divided, observe has stamps of its own" },
	};

	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		if (rules[i].broken)
			return refuse(error, rules[i].field, NULL, rules[i].words);
	}
	if (bench->per && kb_strlen(bench->per) > PER_MAX)
		return refuse(error, "per", bench->per, ": is too long; what one operation is called has at most 23 characters");
	return 0;
}

/* ---- parameters ------------------------------------------------------------------------------------------ */

/* Each of the standard values and of those of the full selection must be one that -p would take. */
static int check_values(const struct kb_bench *bench, int index, struct kb_text *error)
{
	const struct kb_param *param = &bench->params[index];
	const struct kb_span name = { param->name, kb_strlen(param->name) };

	for (const char *at = param->values;; at++) {
		struct kb_settings settings = { .bench = bench };
		size_t length = 0;

		while (at[length] && at[length] != ',' && at[length] != ';')
			length++;
		if (kb_settings_set(&settings, name, (struct kb_span){ at, length }, error))
			return -KB_EINVAL;
		at += length;
		if (!*at)
			return 0;
	}
}

static int check_param(const struct kb_bench *bench, int index, struct kb_text *error)
{
	const struct kb_param *param = &bench->params[index];
	int wrong;

	if (!is_param_name(param->name))
		return refuse(error, "parameter", param->name, ": is no name; use at most 31 letters, digits, _ and -");
	if (kb_streq(TAKEN, param->name))
		return refuse(error, "parameter", param->name, ": kbench gives results a parameter of this name; use another");
	if (kb_param_index(bench, (struct kb_span){ param->name, kb_strlen(param->name) }) != index)
		return refuse(error, "parameter", param->name, ": there are two of this name");
	wrong = check_text("summary", param->summary, error);
	if (wrong)
		return wrong;
	if ((unsigned)param->kind > KB_HOST)
		return refuse(error, "parameter", param->name, ": its kind must be one of enum kb_kind");
	if (!param->values || (!param->values[0] && param->kind != KB_HOST))
		return refuse(error, "parameter", param->name, ": it has no values; the first of them is the default");
	if (param->kind == KB_CHOICE && (!param->choices || !param->choices[0]))
		return refuse(error, "parameter", param->name, ": a KB_CHOICE needs choices, all values that it can have");
	wrong = param->values[0] ? check_text("values", param->values, error) : 0;
	if (!wrong && (param->kind == KB_CHOICE || param->kind == KB_HOST))
		wrong = check_text("choices", param->choices, error);
	if (!wrong && param->kind <= KB_SIZE && param->min > param->max)
		return refuse(error, "parameter", param->name, ": its min is above its max");
	return wrong ? wrong : check_values(bench, index, error);
}

static int check_params(const struct kb_bench *bench, struct kb_text *error)
{
	int wrong = 0;

	for (int i = 0; i < KB_PARAM_MAX && bench->params[i].name && !wrong; i++)
		wrong = check_param(bench, i, error);
	return wrong;
}

/* ---- claims ---------------------------------------------------------------------------------------------- */

/* A claim for a parameter or a value that does not exist would never be asked for. */
static int check_when(const struct kb_bench *bench, const char *when, struct kb_text *error)
{
	struct kb_settings settings = { .bench = bench };
	struct kb_span rest = { when, when ? kb_strlen(when) : 0 }, word = kb_span_word(&rest), name, value;

	if (when && (!word.length || !kb_is_visible(when)))
		return refuse(error, "when", when, ": must be \"parameter=value\", several with blanks between");
	for (; word.length > 0; word = kb_span_word(&rest)) {
		if (!kb_span_pair(word, &name, &value))
			return refuse(error, "when", when, ": must be \"parameter=value\", several with blanks between");
		int index = kb_param_index(bench, name);

		if (index >= 0 && bench->params[index].kind == KB_HOST && kb_span_is(value, "*"))
			continue;
		if (kb_settings_set(&settings, name, value, error)) {
			kb_text_str(error, ": so the claim with .when ");
			kb_text_quoted(error, when);
			kb_text_str(error, " would never be checked");
			return -KB_EINVAL;
		}
		if (!kb_span_is(value, settings.text[kb_param_index(bench, name)]))
			return refuse(error, "when", when, ": a result spells the value differently (64K, not 65536), so the claim would never be checked");
	}
	return 0;
}

/* Also false for what is not a number. */
static bool is_between(double value, double least, double most)
{
	return value >= least && value <= most;
}

#define COUNT_MAX 1e15          /* of an operation; what is above is a slip, infinite ones too */

static int check_claim(const struct kb_bench *bench, const char *what, double per_op, double per_sample, double tolerance,
		       const char *when, struct kb_text *error)
{
	if (!is_between(per_op, 0, COUNT_MAX) || !is_between(per_sample, 0, COUNT_MAX))
		return refuse(error, what, NULL, ": per_op and per_sample must be numbers from 0 on");
	if (!is_between(tolerance, 0, COUNT_MAX))
		return refuse(error, what, NULL, ": tolerance must be a number from 0 on");
	return check_when(bench, when, error);
}

static int check_claims(const struct kb_bench *bench, struct kb_text *error)
{
	int wrong = 0;

	for (int i = 1; i < KB_EXPECT_MAX; i++) {
		if (bench->expect[i].counter && !bench->expect[i - 1].counter)
			return refuse(error, "expect", NULL, ": a claim stands after a gap, where claims are not read");
	}
	for (int i = 0; i < KB_EXPECT_MAX && bench->expect[i].counter && !wrong; i++) {
		const struct kb_expect *expect = &bench->expect[i];

		if ((unsigned)expect->counter >= KB_COUNTERS)
			return refuse(error, "expect", NULL, ": its counter must be one of enum kb_counter");
		if ((unsigned)expect->who > KB_ALL)
			return refuse(error, "expect", NULL, ": its who must be one of enum kb_who");
		wrong = check_claim(bench, "expect", expect->per_op, expect->per_sample, expect->tolerance, expect->when, error);
	}
	for (int i = 0; i < KB_EVENTS_MAX && bench->events[i].name && !wrong; i++) {
		const struct kb_event *event = &bench->events[i];

		wrong = check_text("event", event->name, error) ?:
			check_claim(bench, "event", event->per_op, 0, event->tolerance, event->when, error);
	}
	return wrong;
}

int kb_descriptor_check(const struct kb_bench *bench, struct kb_text *error)
{
	if (!bench->name || !kb_is_bench_name(bench->name))
		return refuse(error, "name", bench->name, bench->name && kb_span_starts(kb_span_of(bench->name), "plugin.") /* of the file */
			      ? ": is no name for a benchmark; rename the file to at most 56 letters, digits, _ and -"
			      : ": is no name for a benchmark; use at most 63 letters, digits, _ - and .");
	if (!bench->op && !bench->observe)
		return refuse(error, "op", NULL, ": it has neither op nor observe; give KB_BENCHMARK one of them");
	return check_texts(bench, error) ?: check_numbers(bench, error) ?: check_params(bench, error) ?: check_claims(bench, error);
}
