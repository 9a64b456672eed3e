#define _GNU_SOURCE
#include "trace/entries/cost.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "io.h"
#include "trace/entries/entries.h"

#define ROUNDS 12
#define CALLS 1000
#define RING (UINT64_C(256) << 10)      /* holds the raw entries of a round */

/* ns a call: the least of five, for whatever else runs here only adds. */
static double call_ns(void)
{
	double least = 0;

	for (int turn = 0; turn < 5; turn++) {
		uint64_t start = kb_wall_ns();
		double ns;

		for (int i = 0; i < CALLS / 5; i++)
			syscall(SYS_getppid);
		ns = (double)(kb_wall_ns() - start) / (CALLS / 5);
		if (turn == 0 || ns < least)
			least = ns;
	}
	return least;
}

/* From stamp to stamp, of what the ring has; and empties it. */
static size_t logged(struct kb_entries *entries, double *values, size_t room)
{
	struct kb_raw_entry raw[128];
	uint64_t begin = 0;
	size_t got, count = 0;

	while ((got = kb_entries_take(entries, raw, 128)) > 0) {
		for (size_t i = 0; i < got; i++) {
			if (raw[i].point == 0)
				begin = raw[i].value == SYS_getppid ? raw[i].ns : 0;
			else if (raw[i].point == 1 && begin && count < room)
				values[count++] = (double)(raw[i].ns - begin);
		}
	}
	return count;
}

/* The programs are taken away and put back for each round: switched off only, they would still cost a part of it. */
static bool round_of(struct kb_entries *entries, double *plain, double *traced)
{
	if (kb_entries_calls(entries, false))
		return false;
	*plain = call_ns();
	if (kb_entries_calls(entries, true))
		return false;
	kb_entries_switch(entries, true);
	*traced = call_ns();
	kb_entries_switch(entries, false);
	return true;
}

struct kb_entries_cost kb_entries_cost(void)
{
	double plain[ROUNDS], traced[ROUNDS], added[ROUNDS], lasted[CALLS], scratch[CALLS];
	struct kb_entries_cost cost = { .known = false };
	struct kb_entries entries;
	size_t count = 0;
	int round;

	if (kb_entries_open(&entries, RING, false))
		return cost;
	if (kb_members_add(&entries.members, (uint32_t)gettid()) == 0) {
		for (round = 0; round < ROUNDS && round_of(&entries, &plain[round], &traced[round]); round++) {
			added[round] = traced[round] - plain[round];
			count = logged(&entries, lasted, CALLS);
		}
		cost = (struct kb_entries_cost){
			.known = round == ROUNDS && count > 0, .plain_ns = kb_t_interval(plain, ROUNDS, 0.95),
			.traced_ns = kb_t_interval(traced, ROUNDS, 0.95), .added_ns = kb_t_interval(added, ROUNDS, 0.95),
			.logged_ns = kb_median(lasted, count, scratch),
		};
	}
	kb_entries_close(&entries);
	return cost;
}

struct kb_interval kb_entries_slowdown(const double *ratios, size_t pairs)
{
	return kb_geometric_mean(ratios, pairs, 0.95);
}
