/* See cli.h and values.h. */
#include "cli/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A limit of less than `least` would end before the first process; more than a week is a typing error. */
static int read_time(const char *option, const char *value, uint64_t least, uint64_t *ns, struct kb_failure *failure)
{
	if (!kb_parse_duration(value, ns))
		return kb_refuse_typed(failure, "--%s '%.40s': not a time such as 60s, 500ms or 2m", option, value);
	if (*ns < least || *ns > 7 * 24 * 3600 * KB_S)
		return kb_refuse_typed(failure, "--%s '%.40s': must be between %llums and a week", option, value,
				       (unsigned long long)(least / KB_MS));
	return 0;
}

/* Decimal only, and the whole word: "5x" and "0x10" are no numbers here. */
static int read_number(const char *option, const char *value, uint64_t least, uint64_t most, uint64_t *number, struct kb_failure *failure)
{
	if (kb_span_u64((struct kb_span){ value, strlen(value) }, number) && *number >= least && *number <= most)
		return 0;
	return kb_refuse_typed(failure, "--%s '%.40s': must be a number from %llu to %llu", option, value, (unsigned long long)least,
			       (unsigned long long)most);
}

/* A bare 1 is as likely to mean 1 % as all of it, and 100 % accepts everything: the sign must say which. */
static int read_percent(const char *option, const char *value, double *fraction, struct kb_failure *failure)
{
	char *end;

	*fraction = strtod(value, &end);
	if (end != value && *end == '\0' && *fraction >= 1 && *fraction <= 100)
		return kb_refuse_typed(failure, "--%s '%.40s': %.40s%% or a fraction below 1? type the %%", option, value, value);
	if (end != value && strcmp(end, "%") == 0)
		*fraction /= 100;
	else if (end == value || *end)
		*fraction = 0;
	/* Written this way round, it refuses NaN, too. */
	if (!(*fraction >= 1e-5 && *fraction <= 1))
		return kb_refuse_typed(failure, "--%s '%.40s': must be between 0.001%% and 100%%", option, value);
	return 0;
}

static int read_margin(const char *option, const char *value, double *fraction, struct kb_failure *failure)
{
	*fraction = 0;
	return strcmp(value, "0%") == 0 ? 0 : read_percent(option, value, fraction, failure);
}

static int read_label(const char *value, const char **label, struct kb_failure *failure)
{
	*label = value;
	if (strlen(value) <= KB_LABEL_MAX && kb_is_visible(value))
		return 0;
	return kb_refuse_typed(failure, "--label: must be at most %d bytes of text in UTF-8, without line ends or other control characters",
			       KB_LABEL_MAX);
}

/* Which of "a|b|c"; else the failure names them: "a, b or c". */
static int read_choice(const struct kb_option *option, const char *value, int *index, struct kb_failure *failure)
{
	char words[200];
	struct kb_text text = kb_text_in(words, sizeof words);

	*index = 0;
	for (const char *word = option->value, *end; word; word = *end ? end + 1 : NULL, ++*index) {
		end = word + strcspn(word, "|");
		if (strlen(value) == (size_t)(end - word) && strncmp(value, word, (size_t)(end - word)) == 0)
			return 0;
		kb_text_str(&text, *index == 0 ? "" : *end ? ", " : " or ");
		kb_text_bytes(&text, word, (size_t)(end - word));
	}
	return kb_refuse_typed(failure, "--%s '%.40s': must be %s", option->name, value, words);
}

static int add_word(const char *value, struct kb_words *words, struct kb_failure *failure)
{
	const char **more = reallocarray(words->at, words->count + 1, sizeof *more);

	if (!more)
		return kb_refuse_memory(failure);
	words->at = more;
	words->at[words->count++] = value;
	return 0;
}

int kb_read_option(const struct kb_option *option, const char *value, void *structure, struct kb_failure *failure)
{
	const struct kb_option_value *into = &option->into;
	void *place = (char *)structure + into->place;
	uint64_t number;
	int index, code;

	switch (into->type) {
	case KB_OPTION_FLAG: *(bool *)place = true; return 0;
	case KB_OPTION_WORD: *(const char **)place = value; return 0;
	case KB_OPTION_WORDS: return add_word(value, place, failure);
	case KB_OPTION_LABEL: return read_label(value, place, failure);
	case KB_OPTION_TIME: return read_time(option->name, value, into->least, place, failure);
	case KB_OPTION_PERCENT: return read_percent(option->name, value, place, failure);
	case KB_OPTION_MARGIN: return read_margin(option->name, value, place, failure);
	case KB_OPTION_READ: return into->read(value, place, failure);
	case KB_OPTION_NUMBER:
		code = read_number(option->name, value, into->least, into->most, &number, failure);
		if (into->size == sizeof number)
			*(uint64_t *)place = number;
		else
			*(unsigned *)place = (unsigned)number;
		return code;
	case KB_OPTION_CHOICE:
		code = read_choice(option, value, &index, failure);
		*(int *)place = index + (int)into->least;
		return code;
	case KB_OPTION_CHOICE_WORD:
		*(const char **)place = value;
		return read_choice(option, value, &index, failure);
	}
	return 0;
}

int kb_read_clock_name(const char *value, void *place, struct kb_failure *failure)
{
	static const struct kb_option clock = { .name = "clock", .value = "auto|ns" };
	int index, code = read_choice(&clock, value, &index, failure);

	*(const char **)place = index == 1 ? "ns" : NULL;
	return code;
}
