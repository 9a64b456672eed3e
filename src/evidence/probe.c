/*
 * One reading after a sample also serves as the reading before the next only if nothing ran in between; the
 * benchmark's untimed hooks do run in between, so both sides are read. Sources that no expectation names stay closed.
 */
#define _GNU_SOURCE
#include "evidence/evidence.h"
#include "kbench_parties.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"

/* Time that a thread spends outside itself before a sample is flagged; the readings' own jitter is below 1 us. */
#define GAP_NS 5000

/* Of the stack, by a sample and what stands around it; and no machine's pages are smaller. */
#define STACK_USED 16384
#define PAGE_LEAST 4096

#define BIT(counter) (UINT64_C(1) << (counter))
#define SWITCH_BITS (BIT(KB_NVCSW) | BIT(KB_NIVCSW) | BIT(KB_SWITCHES))
#define RUSAGE_BITS (BIT(KB_MINFLT) | BIT(KB_MAJFLT) | SWITCH_BITS)
#define IO_BITS (BIT(KB_SYSCR) | BIT(KB_SYSCW) | BIT(KB_RCHAR) | BIT(KB_WCHAR))
#define OWN_BITS (BIT(KB_SEEN) | BIT(KB_ABSENT))

/* ---- reading ------------------------------------------------------------------------------------- */

static void read_rusage(uint64_t *counts)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	counts[KB_MINFLT] = (uint64_t)usage.ru_minflt;
	counts[KB_MAJFLT] = (uint64_t)usage.ru_majflt;
	counts[KB_NVCSW] = (uint64_t)usage.ru_nvcsw;
	counts[KB_NIVCSW] = (uint64_t)usage.ru_nivcsw;
	counts[KB_SWITCHES] = counts[KB_NVCSW] + counts[KB_NIVCSW];
}

/* The number behind "name" in a /proc text of "name: value" lines. */
static uint64_t field(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* What the probe itself reads is no read of the operation. */
static void count_own(struct kb_linux_probe *probe, uint64_t reads, uint64_t chars)
{
	probe->own_reads += reads;
	probe->own_chars += chars;
}

/* Files of /proc give all that they have at once. */
static bool read_proc(struct kb_linux_probe *probe, int fd, char *text, size_t room)
{
	ssize_t got = pread(fd, text, room - 1, 0);

	text[got > 0 ? got : 0] = '\0';
	count_own(probe, 1, got > 0 ? (uint64_t)got : 0);
	return got > 0;
}

/* The kernel counts a read when it is over: this one is in the next numbers. */
static void read_io(struct kb_linux_probe *probe, uint64_t *counts)
{
	uint64_t reads = probe->own_reads, chars = probe->own_chars;
	char text[512];

	if (!read_proc(probe, probe->io, text, sizeof text))
		return;
	counts[KB_RCHAR] = field(text, "rchar:") - chars;
	counts[KB_WCHAR] = field(text, "wchar:");
	counts[KB_SYSCR] = field(text, "syscr:") - reads;
	counts[KB_SYSCW] = field(text, "syscw:");
}

/* Adds what one partner has counted. */
static void read_peer(struct kb_linux_probe *probe, int fd, uint64_t *counts)
{
	char text[4096];

	if (!read_proc(probe, fd, text, sizeof text))
		return;

	uint64_t voluntary = field(text, "\nvoluntary_ctxt_switches:"), other = field(text, "nonvoluntary_ctxt_switches:");

	counts[KB_NVCSW] += voluntary;
	counts[KB_NIVCSW] += other;
	counts[KB_SWITCHES] += voluntary + other;
}

/* The number of this process's network namespace; 0: not known. */
static uint64_t network_namespace(void)
{
	struct stat info;

	return stat("/proc/self/ns/net", &info) ? 0 : info.st_ino;
}

/* Opened late, for it is setup that moves the process to a network of its own. Without one nothing is counted: others send there. */
static void read_network(struct kb_linux_probe *probe, uint64_t *counts)
{
	char text[8192] = "\n";

	if (probe->network < 0 && network_namespace() != probe->shared_network)
		probe->network = open("/proc/self/net/snmp", O_RDONLY | O_CLOEXEC);
	if (probe->network < 0 || !read_proc(probe, probe->network, text + 1, sizeof text - 1))
		return;
	counts[KB_SEGMENTS] = kb_number_below(text, "\nTcp:", "OutSegs");
	probe->readable |= BIT(KB_SEGMENTS);
}

static void read_all(struct kb_linux_probe *probe, struct kb_counts *counts)
{
	if (probe->wanted & BIT(KB_SEGMENTS))
		read_network(probe, counts->self);
	if (probe->io >= 0)
		read_io(probe, counts->self);
	counts->peer[KB_NVCSW] = counts->peer[KB_NIVCSW] = counts->peer[KB_SWITCHES] = 0;
	for (unsigned i = 0; i < probe->peer_count; i++)
		read_peer(probe, probe->peer_status[i], counts->peer);
	for (int i = KB_SW_FAULTS; i <= KB_SW_MIGRATIONS; i++) {
		if (probe->perf[i] < 0)
			continue;
		counts->self[i] = kb_perf_read(probe->perf[i]);
		count_own(probe, 1, sizeof(uint64_t));
	}
	counts->self[KB_SEEN] = probe->own[KB_SEEN];
	counts->self[KB_ABSENT] = probe->own[KB_ABSENT];
	read_rusage(counts->self);
	counts->self[KB_SWITCHES] += probe->own[KB_SWITCHES];
}

struct stat_counts { uint64_t steal, interrupts; };

/* A line of /proc/stat: of the CPU its eighth column, in clock ticks of the kernel (proc(5)); of the interrupts their sum, which
   comes first. These stand behind all CPUs. True: they were it, nothing more is asked for. */
static bool take_stat_line(const char *line, const char *cpu, struct stat_counts *counts)
{
	unsigned long long number = 0;

	if (!strncmp(line, cpu, strlen(cpu)) && sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %llu", &number) == 1)
		counts->steal = number;
	if (sscanf(line, "intr %llu", &number) != 1)
		return false;
	counts->interrupts = number;
	return true;
}

/* All whole lines of the text; what is left of it moves to the front. */
static bool take_stat_lines(char *text, const char *cpu, struct stat_counts *counts)
{
	char *line = text, *end;

	for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		if (take_stat_line(line, cpu, counts))
			return true;
	}
	memmove(text, line, strlen(line) + 1);
	return false;
}

/* Piece by piece, for the file has a line a CPU: of hundreds of them any buffer holds only the first. The one line that may be
   longer than the buffer is that of the interrupts, of which the beginning will do. */
static struct stat_counts read_stat(const struct kb_linux_probe *probe)
{
	struct stat_counts counts = { 0, 0 };
	char text[8192] = "", cpu[16];
	size_t held = 0;
	off_t offset = 0;
	ssize_t got;

	snprintf(cpu, sizeof cpu, "cpu%u ", probe->stat_cpu);
	while (held + 1 < sizeof text && (got = pread(probe->stat, text + held, sizeof text - 1 - held, offset)) > 0) {
		text[held + (size_t)got] = '\0';
		if (take_stat_lines(text, cpu, &counts))
			return counts;
		offset += got;
		held = strlen(text);
	}
	take_stat_line(text, cpu, &counts);
	return counts;
}

/* ---- hooks --------------------------------------------------------------------------------------- */

static void block_begin(void *context, bool warm)
{
	struct kb_linux_probe *probe = context;
	struct stat_counts counts;

	probe->warm = warm;
	probe->stat_cpu = probe->cpu_before;
	counts = read_stat(probe);
	probe->steal_before = counts.steal;
	probe->interrupts_before = counts.interrupts;
	kb_lookout_block_begin(&probe->lookout);
}

/* Below here lie the frames of all that runs until the sample is read again. */
static __attribute__((noinline)) void touch_stack(void)
{
	volatile unsigned char frames[STACK_USED];

	for (size_t i = 0; i < sizeof frames; i += PAGE_LEAST)
		frames[i] = 0;
	frames[STACK_USED - 1] = 0;
}

static void touch(struct kb_linux_probe *probe)
{
	touch_stack();
	*(volatile uint64_t *)probe->before.self = probe->before.self[0];
	*(volatile uint64_t *)&probe->own_reads = probe->own_reads;
	*(volatile uint64_t *)&probe->thread_before = probe->thread_before;
	*(volatile unsigned *)&probe->cpu_before = probe->cpu_before;
}

static void before(void *context, enum kb_role role)
{
	struct kb_linux_probe *probe = context;

	(void)role;
	/* What the hooks count before the sample (pages made absent) belongs to it: own counts run on from `after`. */
	uint64_t seen = probe->before.self[KB_SEEN], absent = probe->before.self[KB_ABSENT];

	/* Written before it is read what was written so far: behind a fork each page is copied at its first write. */
	touch(probe);
	read_all(probe, &probe->before);
	probe->before.self[KB_SEEN] = seen;
	probe->before.self[KB_ABSENT] = absent;
	probe->cpu_before = (unsigned)sched_getcpu();
	probe->thread_before = kb_thread_ns();
	probe->wall_before = kb_wall_ns();
}

static void arm(void *context)
{
	struct kb_linux_probe *probe = context;

	kb_events_before(&probe->events);
	count_own(probe, probe->events.count, probe->events.count * sizeof(uint64_t));
}

static void disarm(void *context, enum kb_role role)
{
	struct kb_linux_probe *probe = context;

	kb_events_after(&probe->events, role, probe->warm);
	count_own(probe, probe->events.count, probe->events.count * sizeof(uint64_t));
}

static void add_difference(uint64_t *sum, const uint64_t *after, const uint64_t *from)
{
	for (unsigned i = 0; i < KB_COUNTERS; i++)
		sum[i] += after[i] - from[i];
}

static void tally(struct kb_linux_probe *probe, enum kb_role role, uint64_t n, const struct kb_counts *now)
{
	struct kb_evidence_tally *into = role == KB_ROLE_BASE ? &probe->base : &probe->op;

	if (!probe->warm && role != KB_ROLE_CLOCK) {
		add_difference(into->counts.self, now->self, probe->before.self);
		add_difference(into->counts.peer, now->peer, probe->before.peer);
		into->operations += n;
		into->samples += probe->bracketed;
	}
	probe->before.self[KB_SEEN] = now->self[KB_SEEN];
	probe->before.self[KB_ABSENT] = now->self[KB_ABSENT];
}

static unsigned flags_of(const struct kb_linux_probe *probe, enum kb_role role, uint64_t n, const struct kb_counts *now,
                         uint64_t wall_ns, uint64_t thread_ns)
{
	bool is_op = role == KB_ROLE_OP || role == KB_ROLE_SINGLE;
	uint64_t faults = now->self[KB_MINFLT] - probe->before.self[KB_MINFLT];
	uint64_t majors = now->self[KB_MAJFLT] - probe->before.self[KB_MAJFLT];
	double allowed = is_op ? probe->minflt_per_op * (double)n + probe->minflt_slack * (double)probe->bracketed : 0;
	unsigned flags = 0;

	if ((double)(faults + (probe->may_block ? 0 : majors)) > allowed)
		flags |= KB_FLAG_FAULT;
	if (is_op && probe->may_block)
		return flags;
	if (now->self[KB_NIVCSW] != probe->before.self[KB_NIVCSW])
		flags |= KB_FLAG_SWITCH;
	if (wall_ns > thread_ns + GAP_NS)
		flags |= KB_FLAG_GAP;
	return flags;
}

static unsigned after(void *context, enum kb_role role, uint64_t n, uint64_t ticks, unsigned *cpu)
{
	struct kb_linux_probe *probe = context;

	uint64_t wall_ns = kb_wall_ns() - probe->wall_before;
	uint64_t thread_ns = kb_thread_ns() - probe->thread_before;
	struct kb_counts now = { 0 };

	(void)ticks;
	*cpu = (unsigned)sched_getcpu();
	read_all(probe, &now);

	unsigned flags = flags_of(probe, role, n, &now, wall_ns, thread_ns);

	if (*cpu != probe->cpu_before)
		flags |= KB_FLAG_MIGRATED;
	if (!probe->warm)
		kb_lookout_sample(&probe->lookout, *cpu);
	tally(probe, role, n, &now);
	return flags;
}

/* A CPU that is taken away begins anew when it comes back: what went down has not grown. */
static unsigned long long grown(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

static void block_end(void *context, struct kb_record_writer *out, uint64_t block)
{
	struct kb_linux_probe *probe = context;
	struct stat_counts now = read_stat(probe);
	char line[128];

	kb_lookout_block_end(&probe->lookout, probe->warm);
	snprintf(line, sizeof line, "%llu steal=%llu irq=%llu", (unsigned long long)block,
	         grown(probe->steal_before, now.steal), grown(probe->interrupts_before, now.interrupts));
	kb_record_line(out, "k", line);
}

static void group(void *context, uint64_t intervals)
{
	struct kb_linux_probe *probe = context;

	probe->bracketed = intervals;
}

struct kb_probe kb_linux_probe_hooks(struct kb_linux_probe *probe)
{
	return (struct kb_probe){
		.context = probe, .block_begin = block_begin, .before = before, .arm = arm, .disarm = disarm, .after = after,
		.block_end = block_end, .group = group,
	};
}

/* ---- opening and closing ------------------------------------------------------------------------- */

static void want(struct kb_linux_probe *probe, const struct kb_expect *expect)
{
	probe->wanted |= BIT(expect->counter);
	if (expect->counter == KB_MINFLT) {
		probe->minflt_per_op = expect->per_op + expect->tolerance;
		probe->minflt_slack = expect->per_sample;
	}
	if ((BIT(expect->counter) & (SWITCH_BITS | BIT(KB_MAJFLT))) && expect->per_op > 0)
		probe->may_block = true;
}

static void open_perf(struct kb_linux_probe *probe)
{
	for (int i = KB_SW_FAULTS; i <= KB_SW_MIGRATIONS; i++) {
		if (probe->wanted & BIT(i))
			probe->perf[i] = kb_perf_open((enum kb_counter)i);
		if (probe->perf[i] >= 0)
			probe->readable |= BIT(i);
	}
}

void kb_linux_probe_open(struct kb_linux_probe *probe, const struct kb_bench *bench, const struct kb_settings *settings,
                         unsigned cpu)
{
	*probe = (struct kb_linux_probe){ .bench = bench, .settings = settings, .bracketed = 1, .io = -1, .network = -1 };
	for (unsigned i = 0; i < KB_COUNTERS; i++)
		probe->perf[i] = -1;
	probe->cpu_before = cpu;
	kb_lookout_open(&probe->lookout, cpu);
	for (unsigned i = 0; i < KB_EXPECT_MAX && bench->expect[i].counter; i++) {
		if (kb_settings_match(settings, bench->expect[i].when))
			want(probe, &bench->expect[i]);
	}
	probe->readable = RUSAGE_BITS | OWN_BITS;
	probe->shared_network = network_namespace();
	probe->stat = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	if (probe->wanted & IO_BITS)
		probe->io = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
	if (probe->io >= 0)
		probe->readable |= IO_BITS;
	open_perf(probe);
}

void kb_linux_probe_expect(struct kb_linux_probe *probe, const struct kb_expect *expect)
{
	if (probe->found_count == sizeof probe->found / sizeof *probe->found)
		return;
	probe->found[probe->found_count++] = *expect;
	want(probe, expect);
}

void kb_linux_probe_peer(struct kb_linux_probe *probe, int pid, unsigned cpu)
{
	char path[64];

	kb_lookout_partner(&probe->lookout, pid, cpu);
	if (!(probe->wanted & SWITCH_BITS) || probe->peer_count == KB_PEERS_MAX)
		return;
	snprintf(path, sizeof path, "/proc/%d/status", pid);

	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		probe->peer_status[probe->peer_count++] = fd;
}

/* ---- reporting ----------------------------------------------------------------------------------- */

static void report(const struct kb_linux_probe *probe, const struct kb_expect *expect, struct kb_record_writer *out)
{
	bool of_peers = probe->peer_count > 0 && (BIT(expect->counter) & SWITCH_BITS);

	if (!(probe->readable & BIT(expect->counter)) || (expect->who != KB_SELF && !of_peers))
		return;
	for (int base = 0; base < 2; base++) {
		const struct kb_evidence_tally *tally = base ? &probe->base : &probe->op;
		uint64_t self = tally->counts.self[expect->counter], peer = tally->counts.peer[expect->counter];
		struct kb_evidence line = {
			.base = base, .count = expect->who == KB_SELF ? self : expect->who == KB_PEER ? peer : self + peer,
			.operations = tally->operations, .samples = tally->samples,
		};

		snprintf(line.counter, sizeof line.counter, "%s", kb_counter_name(expect->counter));
		snprintf(line.who, sizeof line.who, "%s", kb_who_name(expect->who));
		if (!base || tally->samples > 0)
			kb_record_evidence(out, &line);
	}
}

void kb_linux_probe_report(const struct kb_linux_probe *probe, struct kb_record_writer *out)
{
	for (unsigned i = 0; i < KB_EXPECT_MAX && probe->bench->expect[i].counter; i++) {
		if (kb_settings_match(probe->settings, probe->bench->expect[i].when))
			report(probe, &probe->bench->expect[i], out);
	}
	for (unsigned i = 0; i < probe->found_count; i++)
		report(probe, &probe->found[i], out);
	kb_events_report(&probe->events, &probe->op, &probe->base, out);
}
