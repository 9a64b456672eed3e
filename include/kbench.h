/*
 * kbench.h - all that the author of a benchmark sees.
 *
 * A program that measures functions of its own ends in KB_MAIN(name, operation), at the end of this file. A benchmark of KBench, or
 * a plug-in, ends in KB_BENCHMARK(...). Its name is its path: bench/ipc/pipe_latency.c is ipc.pipe_latency; mine.so, built with
 * `cc -O2 -shared -fPIC -Iinclude mine.c -o mine.so`, is plugin.mine.
 * Every function returns 0 or -errno. doc/add-a-benchmark.md walks through examples.
 */
#ifndef KBENCH_H
#define KBENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* kb_expect is a structure and a function */
#endif

/* Grows when a field changes its place or its meaning. Fields may be added at the end of struct kb_bench under the same number: a
   plug-in of before has zeros there. */
#define KB_ABI 3u

struct kb_run;

/* What the engine counts around the samples; the comment names the source. */
enum kb_counter {
	KB_NO_COUNTER,
	KB_MINFLT, KB_MAJFLT, KB_NVCSW, KB_NIVCSW,        /* getrusage(RUSAGE_THREAD); of a peer: /proc/PID/status */
	KB_SWITCHES,                                      /* both kinds: a waker may be preempted before it can wait */
	KB_SW_FAULTS, KB_SW_SWITCHES, KB_SW_MIGRATIONS,   /* perf software events of this thread and its children */
	KB_SYSCR, KB_SYSCW, KB_RCHAR, KB_WCHAR,           /* /proc/self/io: calls, bytes */
	KB_SYSCALLS,                                      /* counted once a run, under ptrace, all tasks */
	KB_SEEN,     /* kb_count: completions seen on the far side (signals handled, children reaped, bytes echoed) */
	KB_ABSENT,   /* kb_count: pages that mincore() reported absent right before the sample */
	KB_SEGMENTS, /* OutSegs of /proc/net/snmp: TCP segments sent, acknowledgements, too, in a network namespace of the benchmark's own */
	KB_COUNTERS
};

enum kb_who { KB_SELF, KB_PEER, KB_ALL };

/* "count = per_op x operations + per_sample x samples, give or take tolerance x operations". */
struct kb_expect {
	enum kb_counter counter;
	double per_op, per_sample, tolerance;
	enum kb_who who;
	const char *when;       /* "placement=same-cpu size=64K": only for these values of parameters; "host=" without one, "host=*" with
	                           any; NULL: always */
};

/*
 * What counters of the processor must show, where there are such: their event by a name that libpfm4 knows, with ":u" for user
 * space alone. It holds like an expectation of KB_SELF, and then vouches for the operation (also for kb_unproven). Without
 * counters it is silent. For what leaves user space it costs time: the kernel looks after counters at every switch.
 */
struct kb_event {
	const char *name;       /* "branch-misses:u" */
	double per_op, tolerance;
	const char *when;
};

/* What limits the operation. It decides whether core cycles mean something for a result.
   KB_NOTHING: the operation is empty and must cost 0; anything else fails the self-test. */
enum kb_bound { KB_KERNEL, KB_LATENCY, KB_ISSUE, KB_MEMORY, KB_NOTHING };

/* KB_TEXT: any word of visible characters; neither spaces nor commas, for it stands in the name of a row. KB_IP4: an address
   of four decimal numbers below 256. KB_HOST: another machine, as HOST, HOST:PORT or [ADDRESS]:PORT, or empty: there is none, and the name
   of a row has no such parameter. With one the parameters among .choices, which stand behind it, mean nothing, and are empty. */
enum kb_kind { KB_NUMBER, KB_SIZE, KB_CHOICE, KB_TEXT, KB_IP4, KB_HOST };

struct kb_param {
	const char *name, *summary;
	enum kb_kind kind;
	const char *values;     /* standard ones, comma separated, the first is the default; behind a `;` those of the full selection */
	uint64_t min, max;      /* KB_NUMBER, KB_SIZE (bytes): inclusive bounds */
	const char *choices;    /* KB_CHOICE: all legal values, comma separated; KB_HOST: parameters that it empties */
};

enum kb_need { KB_NEED_ROOT = 1, KB_NEED_TWO_CPUS = 2 };

#define KB_EXPECT_MAX 8
#define KB_EVENTS_MAX 4
#define KB_PARAM_MAX 12

/* The smallest selection that a benchmark is in. KB_MANUAL: it runs only when it is named (raw devices, swap). */
enum kb_suite { KB_FULL, KB_STANDARD, KB_QUICK, KB_MANUAL };

/* How far the same source means the same operation elsewhere: by its interface; by its interface and an assumption about
   what lies below (what is cached, what an instruction does); on this platform only. */
enum kb_class { KB_PORTABLE, KB_ASSUMING, KB_PLATFORM };

/* By its cost: `slope` where it can be repeated quickly, else `single`. KB_PAIRED: samples of op and base in pairs, with
   n = run->granule; for what `before` has to prepare for each sample, and what is slower than that allows to repeat. */
enum kb_bench_method { KB_BY_COST, KB_PAIRED };

struct kb_bench {
	uint32_t abi, size;
	const char *name;       /* set by the build from the path */
	const char *summary;    /* one line for `kbench list` */
	const char *per;        /* what one operation is called: call, fault, round-trip */
	enum kb_suite suite;
	enum kb_class portability;
	const char *assumes;    /* the assumption that the evidence checks, a clause; NULL for KB_PORTABLE */
	const char *lmbench;    /* lmbench's names for it, with commas: "lat_pipe"; NULL: it has none */
	enum kb_bound bound;
	enum kb_bench_method method;
	bool half_base;         /* base does n operations, too, and op twice as many: what both do besides cancels */
	unsigned needs;         /* kb_need bits */
	uint64_t granule;       /* n is always a multiple of it (an unrolled chain); 0: any n */
	uint64_t period;        /* samples hold whole ones: every so many operations some dearer ones come; 0: none is known */
	uint64_t max_n;         /* n is never larger; 0: no limit */
	uint64_t bytes_per_op;  /* 0: not a bandwidth */
	struct kb_param params[KB_PARAM_MAX];
	struct kb_expect expect[KB_EXPECT_MAX];
	struct kb_event events[KB_EVENTS_MAX];

	int (*setup)(struct kb_run *);                      /* once a process */
	int (*before)(struct kb_run *, uint64_t n);         /* before each sample of op, not timed; KB_PAIRED: of base, too */
	int (*op)(struct kb_run *, uint64_t n);             /* exactly n operations */
	int (*base)(struct kb_run *, uint64_t n);           /* the empty loop: the timed loop without the operation; may be NULL */
	int (*observe)(struct kb_run *, uint64_t n, uint64_t *ticks); /* instead of op: takes its own stamps, kb_now() */
	int (*after)(struct kb_run *, uint64_t n);          /* after each sample of op, not timed; KB_PAIRED: of base, too */
	int (*check)(struct kb_run *, uint64_t n);          /* after each sample of op: did it happen? */
	void (*teardown)(struct kb_run *);

	const char *errors;     /* system calls of op may fail with these, "ENOENT,EAGAIN": any other error is one; NULL: none may */
	const char *base_does;  /* what base does on purpose, "starts a program that is empty": the cost is what op does beyond it */
	bool huge;              /* its page faults bring huge pages; else one that does is another operation than a fault */
	unsigned parts;         /* that kb_part divides an operation into, at the most; 0: it stays whole */
	int (*twin)(struct kb_run *, uint64_t n);           /* n operations on the reference that op is held against, where setup made one */
	const char *lmbench_with;  /* values with which it measures the same, "size=0,4K on=disk": those of --suite lmbench; NULL: the standard ones */
};

#ifndef KB_SYMBOL
#define KB_SYMBOL kb_plugin
#endif
#ifndef KB_NAME
#define KB_NAME 0
#endif
#define KB_BENCHMARK(...) \
	extern const struct kb_bench KB_SYMBOL; \
	const struct kb_bench KB_SYMBOL = { .abi = KB_ABI, .size = sizeof(struct kb_bench), .name = KB_NAME, __VA_ARGS__ }

/* One process. `state` is the author's; `bound` may be refined by setup (a working set beyond the core's caches). */
struct kb_run {
	const struct kb_bench *bench;
	void *state;
	enum kb_bound bound;
	uint64_t bytes_per_op;  /* from the descriptor; setup may refine it where a parameter decides */
	uint64_t granule;       /* the same: n is a multiple of it, with KB_PAIRED always this; 0 and 1: any n */
	uint64_t seed;          /* differs between processes, recorded */
	struct kb_context *context;
	uint64_t max_n;         /* from the descriptor; setup may lower it, where it found that less can be used up */
	const char *twin;       /* set by setup: what the reference is, in words, and that there is one. Then each sample of op has one of the
	                           twin beside it, and the result their ratio */
};

/* Parameters of this process, already checked against their bounds. Text lives as long as the run. */
uint64_t kb_param_number(const struct kb_run *, const char *name);
const char *kb_param_text(const struct kb_run *, const char *name);
bool kb_param_is(const struct kb_run *, const char *name, const char *value);

/* Reports why the step fails (printf style, one line), returns -error; error 0: the text says it all.
   kb_skip: the machine lacks what is needed. */
int kb_fail(struct kb_run *, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));
int kb_skip(struct kb_run *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says that the operation cannot be proven on this machine, and why: the row becomes `unverified`, not `ok`. In setup. */
void kb_unproven(struct kb_run *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds to KB_SEEN or KB_ABSENT, or to KB_SWITCHES what a thread of the benchmark's own counted; the engine reads it around
   each sample. Callable from a signal handler. */
void kb_count(struct kb_run *, enum kb_counter, uint64_t amount);

/* An expectation of KB_SELF whose number setup finds on this machine: how far read-ahead reaches, what n threads do. For
   KB_SEEN, KB_ABSENT and the counters of getrusage; twice a process at most. */
void kb_expect(struct kb_run *, enum kb_counter, double per_op, double tolerance);

/* In setup: the operations of this process touch all of that memory, given enough of them, and it is so much memory: not a part of it,
   not many addresses of a few pages. The engine looks once a run, behind the samples: the row is `invalid` where they touch less
   than 90 %. Several ranges add up, 8 at most. */
int kb_claim_memory(struct kb_run *, const volatile void *memory, size_t bytes);

/* In `check`: this sample did not do what was claimed, and why, in one line. It stays in the record with that text, is
   left out of the estimate and counted; where more than 1 % of a result's are, it is `invalid` (refuted). Returns 0, for
   `check` to return: an error would fail the whole process. */
int kb_refute(struct kb_run *, const char *text);

/* A number that goes with the current sample: what a counter of the author's saw of it. Once a sample, in `before`,
   `check` or `after`; at most KB_COVARIATES names a process, of visible characters. `kbench run -v` shows median and range. */
#define KB_COVARIATES 8
void kb_covariate(struct kb_run *, const char *name, double value);

/* In `op`: here ends a part of an operation that lasts longer than 100 us, 25 to 50 us after the one before. Where each operation is a
   sample of its own a contention probe runs here, whose time is taken out of it; elsewhere nothing happens. The parts of an operation
   are the same ones each time, and .parts of them at the most: where all have ended, the call does nothing. A child that the operation
   made may end some of them. */
#define KB_PARTS 192    /* .parts is never above it */
void kb_part(struct kb_run *);

/* Ticks of this process's clock, ordered: nothing moves across it. For `observe` only. */
uint64_t kb_now(struct kb_run *);

/* So many nanoseconds in ticks of this process's clock, for `observe` that compares with a time it asked for. */
uint64_t kb_ticks(const struct kb_run *, uint64_t ns);

/* n turns of a loop that does nothing: the base of an operation that is one call in a loop. */
int kb_empty_loop(struct kb_run *, uint64_t n);

/* Records the hash of the measured machine code: results of different code are told apart. Call it in setup. */
void kb_code_hash(struct kb_run *, uint32_t hash);

/* Makes the compiler believe that value is used (keep) or memory changed (clobber). */
#define kb_keep(value) __asm__ volatile("" : : "r,m"(value) : "memory")
#define kb_clobber() __asm__ volatile("" : : : "memory")

/* ---- a program that measures -------------------------------------------------------------------- */

/*
 * The whole main of a program that measures one operation, or several: `cc bench.c $(pkg-config --cflags --libs kbench)`, then
 * `./a.out [options of kbench run]`. It prints what `kbench run` prints, keeps the run in the same store and has the same exit codes.
 * operation(run, n) executes the operation n times, as a loop with one call of kb_keep a turn: an empty loop is subtracted.
 */
#define KB_MAIN(name, operation) \
	int main(int argc, char **argv) \
	{ \
		const struct kb_bench kb_only = kb_bench_of(name, operation); \
		const struct kb_bench *const kb_all[] = { &kb_only, 0 }; \
		return kb_main(argc, argv, kb_all); \
	}

/* The same of descriptors, KB_MAIN_OF(&parse, &print): with parameters, an empty loop of your own, expectations, a check. Each begins
   with KB_BENCH(name): static const struct kb_bench parse = { KB_BENCH("parse"), .per = "text", .op = op, .check = check }; */
#define KB_BENCH(title) .abi = KB_ABI, .size = sizeof(struct kb_bench), .name = title
#define KB_MAIN_OF(...) \
	int main(int argc, char **argv) \
	{ \
		static const struct kb_bench *const kb_all[] = { __VA_ARGS__, 0 }; \
		return kb_main(argc, argv, kb_all); \
	}

/* What the macros call. benches ends with a null pointer. Returns the exit code of the program. */
int kb_main(int argc, char **argv, const struct kb_bench *const *benches);

/* A descriptor of an operation, with kb_empty_loop as its base; set more of it as you like, also in C++ without designators. */
struct kb_bench kb_bench_of(const char *name, int (*op)(struct kb_run *, uint64_t n));

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
