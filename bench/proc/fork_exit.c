/*
 * proc.fork_exit: fork, a child that exits at once, wait. Each child leaves with the number of its turn, so the status
 * is that of this child and of no other. The cost grows with the memory of the parent: `resident` is touched beyond the
 * little that the collector has, in small pages. placement=other-cpu: the child moves to the other CPU before it exits,
 * and the move is part of it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <kbench_parties.h>

static unsigned turn;
static bool moves;
static cpu_set_t other;

static int setup(struct kb_run *run)
{
	uint64_t resident = kb_param_number(run, "resident");
	void *memory;
	int cpu;

	moves = kb_param_is(run, "placement", "other-cpu");
	cpu = kb_cpu(run, moves);       /* asking for another CPU says that a part of the operation is there */
	if (moves && cpu < 0)
		return kb_skip(run, "placement=other-cpu needs two CPUs");
	CPU_ZERO(&other);
	CPU_SET((size_t)(moves ? cpu : 0), &other);
	if (resident == 0)
		return 0;
	memory = mmap(NULL, resident, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return kb_skip(run, "there is not enough memory for resident=%s", kb_param_text(run, "resident"));
	madvise(memory, resident, MADV_NOHUGEPAGE);     /* a kernel without huge pages refuses what it would not do */
	memset(memory, 1, resident);
	return 0;
}

static int fork_once(struct kb_run *run)
{
	int code = (int)(++turn % 100 + 1);     /* never 0, as a child would leave that does nothing */
	pid_t child = fork();

	if (child < 0)
		return kb_fail(run, errno, "fork");
	if (child == 0)
		_exit(moves && (sched_setaffinity(0, sizeof other, &other) || !CPU_ISSET((size_t)sched_getcpu(), &other)) ? 0 : code);
	kb_part(run);
	return kb_reap(run, child, code);
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		int error = fork_once(run);

		if (error)
			return error;
		kb_count(run, KB_SEEN, 1);
	}
	return 0;
}

/* System calls: clone and wait4; exit_group and, with glibc, set_robust_list in the child; other libraries may make one
   less or more. Each page that both write after the fork costs a fault: the stack and some data. The wait sleeps,
   unless the child was done before it. */
KB_BENCHMARK(
	.summary = "fork, exit of the child, wait", .per = "process", .parts = 2, .max_n = 20,      /* keeps the proof of a large parent short */
	.suite = KB_QUICK, .portability = KB_PORTABLE, .lmbench = "lat_proc fork",
	.params = {
		{ "resident", "memory of the parent, touched", KB_SIZE, "0", 0, UINT64_C(1) << 34, NULL },
		{ "placement", "of the child", KB_CHOICE, "same-cpu", .choices = "same-cpu,other-cpu" },
	},
	.expect = {
		{ KB_SEEN, .per_op = 1 },
		{ KB_MINFLT, .per_op = 8, .tolerance = 8 },
		{ KB_NVCSW, .per_op = 1, .tolerance = 0.9 },
		{ KB_SYSCALLS, 4, 0, 1, KB_ALL, "placement=same-cpu" },
		{ KB_SYSCALLS, 5, 0, 1, KB_ALL, "placement=other-cpu" },
	},
	.setup = setup, .op = op,
);
