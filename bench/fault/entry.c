/*
 * fault.entry: from the instruction that faults to the kernel's first line for it, on one clock: CLOCK_MONOTONIC is read right
 * before the access, and a BPF program at the tracepoint page_fault_user reads it, too. Half of a pair of readings, and half of
 * the least that the stamp of a second such program comes later, are subtracted: parts of them lie in between. By at most what
 * is subtracted the value is wrong; that, and the raw one, go with each sample.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <kbench_bpf.h>
#include <kbench_files.h>

#define PAGES_MAX 1024u
#define least(a, b) ({ uint64_t other = (b); (a) < other ? (a) : other; })

static volatile struct { uint64_t thread, faults, first, second; } *seen;
static volatile char *pages;
static uint64_t page_bytes, faults, clock_ns = UINT64_MAX, probe_ns = UINT64_MAX, raw_ns;

static uint64_t now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

static int bpf(int command, union bpf_attr attr) { return (int)syscall(SYS_bpf, command, &attr, sizeof attr); }

/* r8 = clock; if this is the thread: *(seen + stamp) = r8, seen->faults += adds. */
static int attach(int map, int stamp, int adds)
{
	const struct bpf_insn code[] = {
		KB_BPF_CALL(BPF_FUNC_ktime_get_ns), KB_BPF_COPY(8, 0), KB_BPF_CALL(BPF_FUNC_get_current_pid_tgid),
		KB_BPF_INSN(BPF_LD | BPF_DW | BPF_IMM, 6, BPF_PSEUDO_MAP_VALUE, 0, map), KB_BPF_INSN(0, 0, 0, 0, 0),
		KB_BPF_INSN(BPF_ALU | BPF_MOV | BPF_X, 7, 0, 0, 0), KB_BPF_LOAD(BPF_DW, 1, 6, 0),
		KB_BPF_INSN(BPF_JMP | BPF_JNE | BPF_X, 1, 7, 4, 0), KB_BPF_STORE(BPF_DW, 6, stamp, 8),
		KB_BPF_LOAD(BPF_DW, 1, 6, 8), KB_BPF_ALU(BPF_ADD, 1, adds), KB_BPF_STORE(BPF_DW, 6, 8, 1),
		KB_BPF_SET(0, 0), KB_BPF_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr load = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT, .insn_cnt = sizeof code / sizeof code[0],
				.insns = (uintptr_t)code, .license = (uintptr_t)"Dual MIT/GPL" };
	union bpf_attr open = { .raw_tracepoint = { .name = (uintptr_t)"page_fault_user" } };
	int program = bpf(BPF_PROG_LOAD, load);

	open.raw_tracepoint.prog_fd = (__u32)program;
	return program < 0 ? program : bpf(BPF_RAW_TRACEPOINT_OPEN, open);
}

static int setup(struct kb_run *run)
{
	int map = bpf(BPF_MAP_CREATE, (union bpf_attr){ .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = sizeof *seen,
							.max_entries = 1, .map_flags = BPF_F_MMAPABLE });

	page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	if (map < 0 || attach(map, 16, 1) < 0 || attach(map, 24, 0) < 0)
		return kb_skip(run, "BPF at tracepoint page_fault_user: %s; it takes Linux 5.5 and root", strerrorname_np(errno));
	seen = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
	pages = kb_map_small(run, PAGES_MAX * page_bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (seen == MAP_FAILED || !pages)
		return kb_fail(run, errno, "mapping memory");
	seen->thread = (uint64_t)gettid();
	for (uint64_t i = 0, start = now(); i < 1000; i++, start = now())
		clock_ns = least(clock_ns, now() - start);
	pages[0] = 1;
	if (seen->faults == 0)
		return kb_skip(run, "page_fault_user knows this thread by another number: it takes the first PID namespace");
	return madvise((void *)(uintptr_t)pages, PAGES_MAX * page_bytes, MADV_DONTNEED);
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	faults = seen->faults;
	raw_ns = 0;
	for (uint64_t i = 0, start = now(); i < n; i++, start = now()) {
		pages[i * page_bytes] = 1;
		raw_ns += seen->first - start;
		probe_ns = least(probe_ns, seen->second - seen->first);
	}
	faults = seen->faults - faults;
	*ticks = kb_ticks(run, raw_ns - n * (clock_ns + probe_ns) / 2);
	return madvise((void *)(uintptr_t)pages, n * page_bytes, MADV_DONTNEED);
}

static int check(struct kb_run *run, uint64_t n)
{
	kb_covariate(run, "uncorrected_ns", (double)raw_ns / (double)n);
	kb_covariate(run, "taken_off_ns", (double)(clock_ns + probe_ns) / 2);
	return faults == n ? 0 : kb_refute(run, "not every access reached the tracepoint once"); /* a stray fault is one more */
}

KB_BENCHMARK(.summary = "from a faulting access to the kernel's page fault handler", .per = "fault", .max_n = PAGES_MAX,
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "the fault handler begins with its tracepoint",
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.1 }, { KB_MAJFLT } },
	.setup = setup, .observe = observe, .check = check);
