/*
 * mem.latency_loaded: a chase while every other usable CPU streams through memory of its own, `load` percent of the
 * time: how long a miss waits when others want the memory, too. A sample in which a stream does not get on is
 * made again. On a sibling of the core a stream takes issue slots, too: such a machine is noted as maybe_sibling.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <kbench_memory.h>
#include <kbench_parties.h>
#include <kbench_spin.h>

#define BLOCK_BYTES (256u << 10)        /* 64 pages of 4 KB: what the first TLB of a current core holds */
#define SIZE (64u << 20)                /* working set of the chase, and of each stream */
enum { PIECE_BYTES = 16384, TURNS = 10000 };    /* turns of 10 us and more, for streams to begin or go on */

/* A stream's turns are its pieces, and its looks at the clock in between: at a low load there may be no piece for longer than an
   sample. */
struct control { uint64_t stop; struct kb_spin_word turns[KB_PEERS_MAX]; };

static struct control *control;
static struct kb_chase ring;
static uint64_t seen[KB_PEERS_MAX], load;
static unsigned streams;

static uint64_t progress(unsigned stream) { return kb_spin_read(&control->turns[stream - 1].value); }

static int serve(struct kb_run *run)
{
	kb_stream_loop *loop = kb_stream(KB_STREAM_READ, kb_stream_widest(), &(uint32_t){ 0 });
	char *memory = kb_memory(run, SIZE, kb_param_text(run, "pages"));
	cpu_set_t mine = { { 0 } };

	CPU_SET((size_t)kb_cpu(run, streams + 1), &mine);
	if (!memory || sched_setaffinity(0, sizeof mine, &mine))
		return -1;
	for (uint64_t at = 0, turns = 0; !kb_spin_read(&control->stop); at = (at + PIECE_BYTES) % SIZE) {
		uint64_t begin = kb_now(run), end;

		loop(NULL, memory + at, NULL, PIECE_BYTES, 0);
		end = kb_now(run);
		do
			kb_spin_write(&control->turns[streams].value, ++turns);
		while (!kb_spin_read(&control->stop) && (kb_now(run) - end) * load < (end - begin) * (100 - load));
	}
	return 0;
}

static int start_streams(struct kb_run *run)
{
	int error = 0;

	control = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (control == MAP_FAILED)
		return kb_fail(run, errno, "memory to share with the streams");
	for (; load && !error && streams < KB_PEERS_MAX && kb_cpu(run, streams + 1) >= 0; streams++)
		error = kb_peer_start(run, serve, "other-cpu");
	return error;
}

static int setup(struct kb_run *run)
{
	load = kb_param_number(run, "load");
	ring = (struct kb_chase){ .stride = 64, .lines = SIZE / 64, .block = BLOCK_BYTES / 64 };
	ring.memory = kb_memory(run, SIZE, kb_param_text(run, "pages"));
	return ring.memory ? kb_chase_link(run, &ring) ?: start_streams(run) : -1;
}

/* Each sample begins with all streams under way: on a busy machine they are at times off their CPUs. */
static int before(struct kb_run *run, uint64_t n)
{
	(void)run, (void)n;
	for (unsigned i = 0, turns = 0; i < streams && turns < TURNS; i += progress(i + 1) != seen[i]) {
		seen[i] = progress(i + 1);
		for (; progress(i + 1) == seen[i] && turns < TURNS; turns++)
			usleep(10);
	}
	return 0;
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	return kb_chase_observe(run, &ring, n, ticks, streams + 1, progress);
}

static int check(struct kb_run *run, uint64_t n) { return (void)n, kb_chase_check(run, &ring, ring.walked); }

static void teardown(struct kb_run *run) { (void)run, kb_spin_write(&control->stop, 1); }

KB_BENCHMARK(.summary = "latency of a miss while all other CPUs stream from memory", .portability = KB_ASSUMING,
	.assumes = "the streams run all the time and leave the caches", .per = "load", .bound = KB_MEMORY,
	.granule = KB_CHAIN_UNROLL, .needs = KB_NEED_TWO_CPUS,
	.params = { { "load", "of the time that streams read, percent", KB_NUMBER, "0,50,100", 0, 100, NULL }, KB_PARAM_PAGES },
	.expect = { { KB_MINFLT, .tolerance = 0.001 }, { KB_SEEN, .per_op = 1 } },
	.setup = setup, .before = before, .observe = observe, .check = check, .teardown = teardown);
