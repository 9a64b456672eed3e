/*
 * See number_format.h. The rule for digits is that of physicists' tables (Particle Data Group, Review of Particle Physics,
 * introduction): the interval keeps one or two digits, the value ends where the interval ends.
 */
#include "report/text/number_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* More digits than this no machine repeats; it also keeps a column at the width of "100.123 ±0.001". */
#define DIGITS_MAX 6

/* Largest first: the first in which the number is at least 1 is taken. */
static const struct kb_scale scales[] = {
	{ "s", 1e-9 }, { "ms", 1e-6 }, { "us", 1e-3 }, { "ns", 1.0 },
};

struct kb_scale kb_scale_by_size(double ns)
{
	size_t i = 0;

	while (i + 1 < sizeof scales / sizeof scales[0] && !(ns * scales[i].factor >= 1))
		i++;
	return scales[i];
}

struct kb_scale kb_scale_by_name(const struct kb_result *result, const char *unit)
{
	for (size_t i = 0; unit && result->ticks_per_ns > 0 && i < sizeof scales / sizeof scales[0]; i++) {
		if (strcmp(unit, scales[i].unit) == 0)
			return scales[i];
	}
	return kb_scale_of(result);
}

struct kb_scale kb_scale_of(const struct kb_result *result)
{
	const struct kb_estimate *cost = result->estimate.known ? &result->estimate : &result->quiet;

	if (result->ticks_per_ns <= 0)
		return (struct kb_scale){ kb_time_unit(result), 1.0 };
	/* A cost below zero is a verdict, and its number must still be readable. */
	return kb_scale_by_size(cost->known ? fabs(cost->value) : 0);
}

/* Decimal places that show `digits` significant digits of the value. */
static int places(double value, int digits)
{
	double size = fabs(value);

	return size > 0 ? digits - 1 - (int)floor(log10(size)) : digits - 1;
}

/* printf would take negative places as if none were given, and print six. */
static int clamp(int n, int low, int high)
{
	return n < low ? low : n > high ? high : n;
}

/* Places for a value that is known to within `half`: two digits of it if the first is a 1, else one. */
static int places_for(double value, double half)
{
	int most = clamp(places(value, DIGITS_MAX), 0, DIGITS_MAX);

	if (half <= 0)
		return clamp(places(value, KB_NUMBER_DIGITS), 0, DIGITS_MAX);

	int one = places(half, 1);
	double lead = half * pow(10, one);

	/* A value that drowns in its interval has no digits of its own to limit. */
	return clamp(lead < 2 ? one + 1 : one, 0, fabs(value) > half ? most : DIGITS_MAX);
}

/* To that many places; adding 0 turns the -0 that rounding may leave into 0. */
static double rounded(double value, int decimals)
{
	double scale = pow(10, decimals);

	return round(value * scale) / scale + 0.0;
}

void kb_format_value(char *text, double value, int digits)
{
	int decimals = isfinite(value) ? clamp(places(value, digits), 0, DIGITS_MAX) : 0;

	if (isfinite(value))
		snprintf(text, KB_NUMBER_ROOM, "%.*f", decimals, rounded(value, decimals));
	else
		snprintf(text, KB_NUMBER_ROOM, "-");
}

void kb_format_exact(char *text, double value)
{
	snprintf(text, KB_NUMBER_ROOM, "%.10g", rint(1e3 * value) / 1e3);
}

void kb_format_estimate(char *text, const struct kb_estimate *estimate, double factor, bool utf8)
{
	double value = estimate->value * factor;
	double half = fmax(estimate->high - estimate->value, estimate->value - estimate->low) * factor;

	if (!estimate->known || !isfinite(value)) {
		snprintf(text, KB_NUMBER_ROOM, "-");
		return;
	}
	if (!estimate->bounded || !isfinite(half)) {
		kb_format_value(text, value, KB_NUMBER_DIGITS);
		return;
	}

	int decimals = places_for(value, half);
	double step = pow(10, -decimals);

	/* Up, for a narrower interval than was computed would be a lie; the small term forgives 3.0000000001,
	   and + 0.0 makes 0 of the -0 that it can lead to. */
	half = half > 0 ? ceil(half / step - 1e-6) * step + 0.0 : 0;
	snprintf(text, KB_NUMBER_ROOM, "%.*f %s%.*f", decimals, rounded(value, decimals), utf8 ? "\u00b1" : "+-",
		 decimals, half);
}

void kb_format_number(char *text, const struct kb_estimate *estimate, double factor, int least, int most)
{
	double value = estimate->value * factor;
	double half = fmax(estimate->high - estimate->value, estimate->value - estimate->low) * factor;

	if (!estimate->known || !isfinite(value)) {
		snprintf(text, KB_NUMBER_ROOM, "-");
		return;
	}

	bool drowned = estimate->bounded && isfinite(half) && fabs(value) < half;
	int decimals = estimate->bounded && isfinite(half) ? places_for(value, half) : places(value, KB_NUMBER_DIGITS);

	/* A value that drowns in its interval has no digits of its own: 0.000, not -0.00008. */
	decimals = clamp(clamp(decimals, drowned ? 0 : places(value, least), places(value, most)), 0, DIGITS_MAX);
	snprintf(text, KB_NUMBER_ROOM, "%.*f", decimals, rounded(value, decimals));
}

void kb_format_interval(char *value, char *low, char *high, const struct kb_estimate *estimate)
{
	int decimals = places_for(estimate->value, (estimate->high - estimate->low) / 2);
	double scale = pow(10, decimals);

	snprintf(value, KB_NUMBER_ROOM, "%.*f", decimals, rounded(estimate->value, decimals));
	snprintf(low, KB_NUMBER_ROOM, "%.*f", decimals, floor(estimate->low * scale + 1e-6) / scale + 0.0);
	snprintf(high, KB_NUMBER_ROOM, "%.*f", decimals, ceil(estimate->high * scale - 1e-6) / scale + 0.0);
}

void kb_format_percent(char *text, double percent)
{
	if (!isfinite(percent))
		snprintf(text, KB_NUMBER_ROOM, "-");
	else if (percent >= 1000)
		snprintf(text, KB_NUMBER_ROOM, ">999 %%");
	else
		snprintf(text, KB_NUMBER_ROOM, "%.*f %%", percent >= 9.95 ? 0 : percent >= 0.095 ? 1 : 2, percent);
}

void kb_format_bytes(char text[KB_NUMBER_ROOM], int64_t bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	double value = (double)bytes;
	unsigned unit = 0;

	for (; value >= 999.5 && unit < 4; unit++)
		value /= 1000;
	snprintf(text, KB_NUMBER_ROOM, "%.*f %s", unit > 0 && value < 9.95 ? 1 : 0, value, units[unit]);
}
