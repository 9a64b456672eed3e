/* A list that is nearly right ("0-", "1 2", "3-1") is refused whole: measuring on other CPUs than asked is worse. */
#include "env/cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* Digits at *text as a CPU number; false without digits or beyond the largest number. Moves *text behind them. */
static bool take_number(const char **text, unsigned *value)
{
	const char *at = *text;

	for (*value = 0; isdigit((unsigned char)*at) && *value < KB_CPULIST_MAX; at++)
		*value = *value * 10 + (unsigned)(*at - '0');
	if (at == *text || *value >= KB_CPULIST_MAX)
		return false;
	*text = at;
	return true;
}

/* "3" or "3-5". */
static bool take_range(const char **text, unsigned *first, unsigned *last)
{
	if (!take_number(text, first))
		return false;
	*last = *first;
	if (**text != '-')
		return true;
	++*text;
	return take_number(text, last) && *first <= *last;
}

/* Numbers each in turn; cpus may be NULL to count only. */
int kb_cpulist_parse(const char *text, unsigned *cpus, size_t room)
{
	size_t count = 0;
	unsigned first, last;

	for (;; text++) {
		if (!take_range(&text, &first, &last) || last - first >= room - count)
			return -EINVAL;
		for (unsigned cpu = first; cpu <= last; cpu++, count++) {
			if (cpus)
				cpus[count] = cpu;
		}
		if (!*text)
			return (int)count;
		if (*text != ',')
			return -EINVAL;
	}
}

bool kb_cpulist_has(const char *text, unsigned cpu)
{
	unsigned first, last;

	for (;; text++) {
		if (!take_range(&text, &first, &last))
			return false;
		if (first <= cpu && cpu <= last)
			return true;
		if (*text != ',')
			return false;
	}
}

int kb_cpulist_count(const char *text)
{
	return kb_cpulist_parse(text, NULL, KB_CPULIST_MAX);
}
