/*
 * See turns.h. The order of each block was drawn by lot, so the mean ratio holds half of either order's effect in any case; this tells how
 * large that is. All differences are logarithms.
 */
#include "analysis/turns.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define FEWEST 6u       /* blocks of either order */

/* Surely not zero, at the level of a decision. */
static bool is_sure(const struct kb_difference *d)
{
	return d->ln.known && (d->sure_low > 0 || d->sure_high < 0);
}

static bool times_known(const struct kb_turn *turn)
{
	return turn->base > 0 && turn->new > 0;
}

/* Values of one kind of block against those of the others: a difference of means. False: too few of either. */
static bool compare_kinds(const double *ln, const bool *kind, size_t count, double *room, struct kb_difference *difference)
{
	static const struct kb_occasion none = { .sd = 0 };
	size_t is = 0, is_not = 0;

	for (size_t i = 0; i < count; i++) {
		if (kind[i])
			room[is++] = ln[i];
		else
			room[count - ++is_not] = ln[i];
	}
	if (is < FEWEST || is_not < FEWEST)
		return false;
	*difference = kb_compare_unpaired(room, is, room + count - is_not, is_not, &none, 0);
	return true;
}

static void find_order(const struct kb_turn *turns, size_t count, double margin, double *room, bool *kind, struct kb_turn_effects *effects)
{
	struct kb_difference difference;
	double *ln = room + count;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (!times_known(&turns[i]))
			continue;
		ln[n] = log(turns[i].new / turns[i].base);
		kind[n++] = turns[i].new_before;
	}
	if (compare_kinds(ln, kind, n, room, &difference)) {
		effects->order = difference.ln;
		effects->order_matters = is_sure(&difference) && fabs(difference.ln.value) > margin;
	}
	for (size_t i = n = 0; i < count; i++) {
		if (!(turns[i].new > 0))
			continue;
		ln[n] = log(turns[i].new);
		kind[n++] = !turns[i].new_first;
	}
	if (compare_kinds(ln, kind, n, room, &difference)) {
		effects->first = difference.ln;
		effects->first_matters = is_sure(&difference) && fabs(difference.ln.value) > margin;
	}
}

static void find_clock(const struct kb_turn *turns, size_t count, double margin, double *time, double *clock, struct kb_turn_effects *effects)
{
	double *cycles = time + count;
	struct kb_difference of_time, of_clock, of_cycles;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (!times_known(&turns[i]) || !(turns[i].base_mhz > 0) || !(turns[i].new_mhz > 0))
			continue;
		time[n] = log(turns[i].new / turns[i].base);
		clock[n] = log(turns[i].new_mhz / turns[i].base_mhz);
		cycles[n] = time[n] + clock[n];
		n++;
	}
	if (n < FEWEST)
		return;
	of_time = kb_compare_handful(time, n, 0);
	of_clock = kb_compare_handful(clock, n, 0);
	of_cycles = kb_compare_handful(cycles, n, margin);
	effects->clock = of_clock.ln;
	effects->cycles = of_cycles.ln;
	effects->clock_explains = is_sure(&of_time) && fabs(of_time.ln.value) > margin && is_sure(&of_clock) &&
				  of_cycles.ln.low >= -margin && of_cycles.ln.high <= margin;
}

int kb_turn_effects_find(const struct kb_turn *turns, size_t count, double margin, struct kb_turn_effects *effects)
{
	double *room = calloc(3 * count + 1, sizeof *room);
	bool *kind = calloc(count + 1, sizeof *kind);

	*effects = (struct kb_turn_effects){ .order_matters = false };
	if (room && kind) {
		find_order(turns, count, margin, room, kind, effects);
		find_clock(turns, count, margin, room, room + 2 * count, effects);
	}
	free(kind);
	free(room);
	return room && kind ? 0 : -ENOMEM;
}
