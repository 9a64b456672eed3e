/* See pairs.h. */
#include "suite/params/pairs.h"

#include <math.h>

#define GAP 1.3                 /* between two distances; times of one distance differ by the home of the line, up to a fifth */
#define REVERSED 1.1            /* a nearer kin may seem that much slower by chance */
#define SLOWED 1.3              /* in a shared cache each load is one of the next level, which is three times slower */
#define NOT_SLOWED 1.15         /* what a busy neighbour costs without a shared cache: rises of a level, too, may be that large */

static unsigned pairs_of(const unsigned *cpus, unsigned count, enum kb_kin (*kin)(const void *, unsigned, unsigned), const void *context,
                         unsigned seen[KB_KINS])
{
	unsigned total = 0;

	for (unsigned i = 0; i < count; i++) {
		for (unsigned k = i + 1; k < count; k++) {
			seen[kin(context, cpus[i], cpus[k])] += cpus[i] != cpus[k]; /* a list may name a CPU twice */
			total += cpus[i] != cpus[k];
		}
	}
	return total;
}

unsigned kb_pairs_choose(const unsigned *cpus, unsigned count, enum kb_kin (*kin)(const void *context, unsigned a, unsigned b),
                         const void *context, struct kb_cpu_pair pairs[KB_PAIRS_MAX])
{
	unsigned seen[KB_KINS] = { 0 }, met[KB_KINS] = { 0 }, kinds = 0, used = 0;
	unsigned total = pairs_of(cpus, count, kin, context, seen);

	for (unsigned i = 0; i < KB_KINS; i++)
		kinds += seen[i] > 0;
	unsigned share = total <= KB_PAIRS_MAX ? total : KB_PAIRS_MAX / (kinds ? kinds : 1);

	for (unsigned i = 0; i < count; i++) {
		for (unsigned k = i + 1; k < count; k++) {
			if (cpus[i] == cpus[k])
				continue;
			enum kb_kin one = kin(context, cpus[i], cpus[k]);
			unsigned wanted = seen[one] < share ? seen[one] : share, at = met[one]++;

			/* Number `at` of seen[one] is taken where the count of those due rises: wanted of them, evenly. */
			if ((at + 1) * wanted / seen[one] == at * wanted / seen[one] || used == KB_PAIRS_MAX)
				continue;
			pairs[used++] = (struct kb_cpu_pair){ .a = cpus[i], .b = cpus[k], .kin = one };
		}
	}
	return used;
}

/* The measured pair with the shortest time of those without a distance yet. */
static int next_of(const struct kb_cpu_pair *pairs, unsigned count, const unsigned distance[KB_PAIRS_MAX])
{
	int found = -1;

	for (unsigned i = 0; i < count; i++) {
		if (pairs[i].low > 0 && !distance[i] && (found < 0 || pairs[i].low < pairs[found].low))
			found = (int)i;
	}
	return found;
}

unsigned kb_pairs_distances(const struct kb_cpu_pair *pairs, unsigned count, unsigned distance[KB_PAIRS_MAX])
{
	unsigned distances = 0;
	double before = 0;
	int at;

	for (unsigned i = 0; i < count; i++)
		distance[i] = 0;
	while ((at = next_of(pairs, count, distance)) >= 0) {
		distances += distances == 0 || pairs[at].low > before * GAP;
		distance[at] = distances;
		before = pairs[at].low;
	}
	return distances;
}

enum kb_pairs_word kb_pairs_judge(const struct kb_cpu_pair *pairs, unsigned count, enum kb_kin *kin)
{
	unsigned distance[KB_PAIRS_MAX], measured = 0;

	kb_pairs_distances(pairs, count, distance);
	for (unsigned i = 0; i < count; i++) {
		measured += distance[i] > 0;
		for (unsigned k = 0; k < count && distance[i]; k++) {
			*kin = pairs[i].kin;
			if (distance[k] && pairs[k].kin == pairs[i].kin && distance[k] != distance[i])
				return KB_PAIRS_SPLIT;
			if (distance[k] > distance[i] && pairs[k].kin < pairs[i].kin && pairs[k].low > pairs[i].low * REVERSED)
				return KB_PAIRS_REVERSED;
		}
	}
	return measured < 2 ? KB_PAIRS_TOO_FEW : KB_PAIRS_FIT;
}

enum kb_shared kb_shared_infer(double worst, double best)
{
	if (worst >= SLOWED)
		return KB_SHARED_YES;
	return best <= NOT_SLOWED ? KB_SHARED_NO : KB_SHARED_UNSURE;
}
