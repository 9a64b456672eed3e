/* See values.h. */
#include "cli/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

/* A limit of less than `least` would end before the first launch; more than a week is a typing error. */
uint64_t kb_value_time(const struct kb_command *command, const char *option, const char *value, uint64_t least)
{
	uint64_t ns;

	if (!kb_parse_duration(value, &ns))
		kb_usage(command, "--%s '%.40s': not a time such as 60s, 500ms or 2m", option, value);
	if (ns < least || ns > 7 * 24 * 3600 * KB_S)
		kb_usage(command, "--%s '%.40s': must be between %llums and a week", option, value,
			 (unsigned long long)(least / KB_MS));
	return ns;
}

/* Decimal only, and the whole word: "5x" and "0x10" are no numbers here. */
uint64_t kb_value_number(const struct kb_command *command, const char *option, const char *value, uint64_t least,
			 uint64_t most)
{
	uint64_t result;

	if (!kb_span_u64((struct kb_span){ value, strlen(value) }, &result) || result < least || result > most)
		kb_usage(command, "--%s '%.40s': must be a number from %llu to %llu", option, value,
			 (unsigned long long)least, (unsigned long long)most);
	return result;
}

/* A bare 1 is as likely to mean 1 % as all of it, and 100 % accepts everything: the sign must say which. */
double kb_value_percent(const struct kb_command *command, const char *option, const char *value)
{
	char *end;
	double result = strtod(value, &end);

	if (end != value && *end == '\0' && result >= 1 && result <= 100)
		kb_usage(command, "--%s '%.40s': %.40s%% or a fraction below 1? type the %%", option, value, value);
	if (end != value && strcmp(end, "%") == 0)
		result /= 100;
	else if (end == value || *end)
		result = 0;
	/* Written this way round, it refuses NaN, too. */
	if (!(result >= 1e-5 && result <= 1))
		kb_usage(command, "--%s '%.40s': must be between 0.001%% and 100%%", option, value);
	return result;
}

double kb_value_margin(const struct kb_command *command, const char *value)
{
	return strcmp(value, "0%") == 0 ? 0 : log1p(kb_value_percent(command, "margin", value));
}

const char *kb_value_label(const struct kb_command *command, const char *value)
{
	if (strlen(value) > KB_LABEL_MAX || !kb_is_visible(value))
		kb_usage(command, "--label: must be at most %d bytes of text in UTF-8, without line ends or other control characters",
			 KB_LABEL_MAX);
	return value;
}

const char *kb_value_clock(const struct kb_command *command, const char *value)
{
	if (strcmp(value, "auto") == 0)
		return NULL;
	if (strcmp(value, "ns") != 0)
		kb_usage(command, "--clock '%.40s': must be auto or ns", value);
	return "ns";
}

enum kb_selection kb_value_suite(const struct kb_command *command, const char *text)
{
	enum kb_selection suite = kb_selection_find(text);

	if (suite == KB_SELECTIONS)
		kb_usage(command, "--suite '%.40s': must be quick, standard, full or lmbench", text);
	return suite;
}
