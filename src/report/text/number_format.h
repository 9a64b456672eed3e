/* Numbers for people: a unit that fits, and only digits that the interval supports. JSON has the exact numbers. */
#ifndef KB_REPORT_TEXT_NUMBER_FORMAT_H
#define KB_REPORT_TEXT_NUMBER_FORMAT_H

#include "types.h"
#include "result/result.h"

#define KB_NUMBER_ROOM 48

/* A unit to show a number in: shown = number x factor. */
struct kb_scale {
	const char *unit;
	double factor;
};

/* The unit for all times of one result: ns us ms s by the size of its cost, ticks where the clock has no known rate. */
struct kb_scale kb_scale_of(const struct kb_result *result);

/* The same of so many ns, and the one of this name; NULL, or of a clock without a known rate: as above. */
struct kb_scale kb_scale_by_size(double ns);
struct kb_scale kb_scale_by_name(const struct kb_result *result, const char *unit);

/* A count that is exact: all its digits, and a thousandth where it is a mean of whole ones. */
void kb_format_exact(char *text, double value);

/* "102.4 ±0.3": the wider half of the interval, rounded up; "102.4" where there is no interval, "-" where there is no
   number. utf8 = false: "+-" for the sign. text has KB_NUMBER_ROOM bytes. */
void kb_format_estimate(char *text, const struct kb_estimate *estimate, double factor, bool utf8);

/* The value with that many significant digits (at most six decimals), or "-" for what is not a finite number. */
void kb_format_value(char *text, double value, int digits);

/* The value alone, with as many significant digits as its interval supports, but `least` to `most` of them. */
void kb_format_number(char *text, const struct kb_estimate *estimate, double factor, int least, int most);

/* "6.1 MB", "830 kB", "12 B": powers of ten, as disks are sold and df -H prints. */
void kb_format_bytes(char text[KB_NUMBER_ROOM], int64_t bytes);

/* The value and both ends of its interval, each alone, with as many decimals as half of it supports; the ends are rounded outwards. Texts as above. */
void kb_format_interval(char *value, char *low, char *high, const struct kb_estimate *estimate);

/* "0.2 %", "58 %", ">999 %", "-": the width of an interval. */
void kb_format_percent(char *text, double percent);

#define KB_NUMBER_DIGITS 4      /* where no interval says how many */

#endif
