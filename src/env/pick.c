/*
 * Preferences instead of a rule per machine: an isolated CPU before others, and CPU 0 with its siblings last, because
 * most interrupts are served there.
 */
#include "env/pick.h"

static bool same_core(const struct kb_candidate *a, const struct kb_candidate *b)
{
	return a->cpu == b->cpu || (a->core >= 0 && a->core == b->core);
}

static bool known_apart(const struct kb_candidate *a, const struct kb_candidate *b)
{
	return a->core >= 0 && b->core >= 0 && a->core != b->core;
}

/* CPU 0 if it is among them, else NULL. */
static const struct kb_candidate *find_zero(const struct kb_candidate *candidates, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (candidates[i].cpu == 0)
			return &candidates[i];
	}
	return NULL;
}

static int merit(const struct kb_candidate *candidate, const struct kb_candidate *zero)
{
	return (candidate->isolated ? 2 : 0) + (zero && same_core(candidate, zero) ? 0 : 1);
}

/*
 * The best candidate but `taken` (NULL: any), the first of equals. Apart from `taken` outweighs all merits, and where
 * the user gave the order his order is the only merit.
 */
static const struct kb_candidate *best(const struct kb_candidate *candidates, size_t count, bool ordered,
				       const struct kb_candidate *taken)
{
	const struct kb_candidate *zero = find_zero(candidates, count), *found = NULL;
	int found_merit = -1;

	for (size_t i = 0; i < count; i++) {
		const struct kb_candidate *candidate = &candidates[i];

		if (taken && candidate->cpu == taken->cpu)
			continue;
		int score = (ordered ? 0 : merit(candidate, zero)) + (taken && known_apart(candidate, taken) ? 4 : 0);

		if (score > found_merit) {
			found = candidate;
			found_merit = score;
		}
	}
	return found;
}

void kb_cpus_pick(const struct kb_candidate *candidates, size_t count, bool ordered, bool hidden, struct kb_cpus *cpus)
{
	const struct kb_candidate *measure = best(candidates, count, ordered, NULL);
	const struct kb_candidate *other = best(candidates, count, ordered, measure);

	*cpus = (struct kb_cpus){ .measure = measure->cpu, .other = other ? other->cpu : measure->cpu, .two = other };
	cpus->maybe_sibling = other && (hidden || !known_apart(measure, other));
	cpus->siblings = other && same_core(measure, other);
}
