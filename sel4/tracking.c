/*
 * Kernel entries, schedules and shares of time of tests, as a kernel with KERNEL_BENCHMARK=track_utilisation counts them for the
 * whole core; entries also from the log of track_kernel_entries. Such a kernel proves what a timed loop did; its times are another's.
 */
#include "timed_loop.h"

/* Words of the caller's message that GetThreadUtilisation leaves: 4 of the thread, 5 of the idle thread, 4 of the core. */
enum { THREAD_TICKS = 0, IDLE_TICKS = 4, CORE_TICKS = 9, CORE_SCHEDULES = 10, CORE_KERNEL_TICKS = 11, CORE_ENTRIES = 12 };

/* What a test does besides its operations: seven calls of init that start, await and stop it, Low's word that it is done, High's
   first wait. A passive server, whose first wait is its word that it waits, adds init's wait for that, giving and taking its
   scheduling context, and Low's standing aside. */
#define TEST_ENTRIES 9u
#define TEST_SCHEDULES 5u
#define PASSIVE_ENTRIES 5u
#define PASSIVE_SCHEDULES 2u

/* What counting adds to what it counts: around each test of a plan, once around the grid of kanata. */
#define READING_ENTRIES 1u
#define READING_SCHEDULES 2u

/* Where the time of tests went: fields of one `env` line. */
enum share { OF_LOW, OF_HIGH, OF_INIT, OF_IDLE, OF_KERNEL, OF_ALL, SHARES };
static const char *const share_names[SHARES] = {
	"util_low", "util_high", "util_init", "util_idle", "util_kernel", "util_total",
};

static struct { uint64_t entries, schedules, operations, samples, group, ticks[SHARES]; bool full; } seen = { .group = 1 };

static void group(void *context, uint64_t samples)
{
	(void)context;
	seen.group = samples;
}

static seL4_CPtr thread_of(enum share who)
{
	return who == OF_INIT ? seL4_CapInitThreadTCB : kb_root.party[who == OF_LOW ? KB_LOW : KB_HIGH].tcb;
}

static void before(void *context, enum kb_role role)
{
	(void)context;
	if (role != KB_ROLE_OP || !(KB_HAS_UTILISATION || KB_HAS_LOG))
		return;
	for (enum share who = OF_LOW; who <= OF_INIT; who++)
		seL4_BenchmarkResetThreadUtilisation(thread_of(who));
	KB_MUST(seL4_BenchmarkResetLog());
}

static void take_utilisation(void)
{
	for (enum share who = OF_LOW; who <= OF_INIT; who++) {
		seL4_BenchmarkGetThreadUtilisation(thread_of(who));
		seen.ticks[who] += seL4_GetMR(THREAD_TICKS);
	}
	/* These are the same for whichever thread. */
	seen.ticks[OF_IDLE] += seL4_GetMR(IDLE_TICKS);
	seen.ticks[OF_KERNEL] += seL4_GetMR(CORE_KERNEL_TICKS);
	seen.ticks[OF_ALL] += seL4_GetMR(CORE_TICKS);
	seen.entries += seL4_GetMR(CORE_ENTRIES);
	seen.schedules += seL4_GetMR(CORE_SCHEDULES);
}

static unsigned after(void *context, enum kb_role role, uint64_t n, uint64_t ticks, unsigned *cpu)
{
	(void)context;
	(void)ticks;
	(void)cpu;
	if (!(KB_HAS_UTILISATION || KB_HAS_LOG) || role != KB_ROLE_OP)
		return 0;

	uint64_t logged = seL4_BenchmarkFinalizeLog();

	if (KB_HAS_UTILISATION)
		take_utilisation();
	if (KB_HAS_LOG)
		seen.full |= !kb_log_took(logged, n, seen.group);
	if (KB_HAS_ENTRIES)
		seen.entries += logged;
	seen.entries -= READING_ENTRIES;
	seen.schedules -= READING_SCHEDULES;
	seen.operations += n;
	seen.samples += seen.group;
	return 0;
}

static void block_end(void *context, struct kb_record_writer *out, uint64_t block)
{
	char digits[24];
	struct kb_text text = kb_text_in(digits, sizeof digits);

	(void)context;
	kb_text_u64(&text, block);
	kb_record_line(out, "k", digits);
}

const struct kb_probe kb_tracking = { .before = before, .after = after, .group = group, .block_end = block_end };

static void put(struct kb_root *root, const char *name, uint64_t count)
{
	struct kb_evidence evidence = { .who = "all", .count = count, .operations = seen.operations, .samples = seen.samples };
	struct kb_text text = kb_text_in(evidence.counter, sizeof evidence.counter);

	kb_text_str(&text, name);
	kb_record_evidence(&root->out, &evidence);
}

static void put_shares(struct kb_root *root)
{
	char line[240];
	struct kb_text text = kb_text_in(line, sizeof line);

	kb_text_str(&text, "util_tests=");
	kb_text_u64(&text, seen.samples);
	for (enum share who = OF_LOW; who < SHARES; who++) {
		kb_text_str(&text, " ");
		kb_text_str(&text, share_names[who]);
		kb_text_str(&text, "=");
		kb_text_u64(&text, seen.ticks[who]);
	}
	kb_record_line(&root->out, "env", line);
}

void kb_tracking_counts(struct kb_root *root)
{
	if (seen.samples == 0)
		return;
	/* A full log has lost some: what is left counts for nothing. */
	if (KB_HAS_UTILISATION || (KB_HAS_ENTRIES && !seen.full))
		put(root, "kernel_entries", seen.entries);
	if (!KB_HAS_UTILISATION)
		return;
	put(root, "schedules", seen.schedules);
	put_shares(root);
}

static void claim(struct kb_root *root, const char *name, unsigned per_op, unsigned per_sample)
{
	/* Ticks of the timer are entries, and schedules where a slice ends: far fewer than one in fifty operations, or of many calls in 500. */
	unsigned hundredths = root->entries < 10 ? 2 : root->entries / 5;
	char line[128];
	struct kb_text text = kb_text_in(line, sizeof line);

	kb_text_str(&text, name);
	kb_text_str(&text, " per_op=");
	kb_text_u64(&text, per_op);
	kb_text_str(&text, " per_sample=");
	kb_text_u64(&text, per_sample);
	kb_text_str(&text, " tolerance=");
	kb_text_u64(&text, hundredths / 100);
	kb_text_str(&text, hundredths % 100 < 10 ? ".0" : ".");
	kb_text_u64(&text, hundredths % 100);
	kb_text_str(&text, " who=all");
	kb_record_line(&root->out, "expect", line);
}

/* What a test does besides its operations. */
static void overhead(const struct kb_root *root, unsigned *entries, unsigned *schedules)
{
	*entries = TEST_ENTRIES;
	*schedules = TEST_SCHEDULES;
	if (KB_MCS && root->loop->passive) {
		*entries += PASSIVE_ENTRIES;
		*schedules += PASSIVE_SCHEDULES;
	}
	*entries -= root->alone;
	*schedules -= root->alone;
}

void kb_tracking_claims(struct kb_root *root)
{
	unsigned entries, schedules;

	overhead(root, &entries, &schedules);
	if (KB_HAS_UTILISATION || KB_HAS_ENTRIES)
		claim(root, "kernel_entries", root->entries, entries);
	if (KB_HAS_UTILISATION)
		claim(root, "schedules", root->switches, schedules);
	if (!KB_HAS_UTILISATION && !KB_HAS_ENTRIES && !root->counted)
		kb_record_line(&root->out, "note", "no_entry_count");
}
