/*
 * Backends: the targets that benchmarks run on. One is user space of this machine. Others are other architectures: Yamba programs in
 * machine code that this processor has in another mode, or not at all; they run directly where the processor has that mode, else under
 * an emulator, whose times mean nothing: then only the programs' own checks do. And the inside of this kernel (kernel.h), and an
 * emulated machine with seL4 (sel4.h). Each but the first has a collector of its own next to ours, with the command line of ours.
 */
#ifndef KB_RUN_BACKEND_BACKEND_H
#define KB_RUN_BACKEND_BACKEND_H

#include <limits.h>

#include "kbench.h"
#include "measure/measure.h"
#include "run/method.h"
#include "run/process/guardian.h"
#include "run/run.h"

#define KB_BACKEND_WHY 240

struct kb_backend {
	const char *name;               /* the platform of its benchmarks */
	bool native;                    /* this machine's user space: its collector proves what nobody claims, and its pilots are probed */

	/* Another architecture: what Debian calls the parts that its collector is built with, the emulator of its processes, and the
	   architecture that runs it directly. Its programs are among kb_cross_programs. */
	const char *packages, *emulator, *runs_on;

	const struct kb_bench *const *benches;          /* of the others; ends with NULL */
	const struct kb_bench *(*users)(unsigned number);       /* further ones, of the user's; NULL behind the last */
	const char *(*description)(const struct kb_bench *);    /* the file that describes one of these; NULL: it is none of them */
	int (*available)(char why[KB_BACKEND_WHY]);     /* what can be known before a process: 0, -EPROTO: to be rebuilt, or another -errno */
	int (*ready)(struct kb_guardian *, const struct kb_bench *, char why[KB_BACKEND_WHY]);  /* before each process; NULL: as available */
	const char *(*device)(void);                    /* what stands for the machine, for the collector's --device; NULL: nothing */
	const char *(*witness)(void);   /* the device of a proof, which counts what the other cannot; NULL, or it returns that: there is none */
	void (*design)(const struct kb_bench *, struct kb_design *, enum kb_method); /* where processes are too dear to be probed; NULL: they are, as here */
	unsigned processes;             /* that are enough where the user gave no number: others only confirm an exact count; 0: as many as planned */
	unsigned tests;                 /* of method kanata that a process has room for; 0: any number */
	unsigned patience;              /* the time limit is one of the guest's clock, kept by the collector, and so many times as much of ours
					   only ends an emulator that hangs; 0: it is of ours */
	const char *alone;              /* why two processes cannot take turns; NULL: they can */
};

/* A collector, or why there is none. */
struct kb_collector {
	const struct kb_backend *backend;
	char path[PATH_MAX];
	char emulator[PATH_MAX];        /* that runs it; "": the processor does */
	char unavailable_reason[KB_BACKEND_WHY];        /* with the remedy; "": it can measure */
	bool skips;                     /* where it cannot, its benchmarks are skipped; else naming one is an error, as of what must be rebuilt */
};

/* NULL: there is no platform of that name. */
const struct kb_backend *kb_backend_find(const char *name);

/* Of a benchmark, and of a result; this machine's user space if nothing else. */
const struct kb_backend *kb_backend_of_bench(const struct kb_bench *);
const struct kb_backend *kb_backend_of(const struct kb_row *);

bool kb_is_emulated(const struct kb_row *);

/* How many processes a result needs: as many as were planned, unless fewer are enough and the user gave no number. */
unsigned kb_backend_processes(const struct kb_row *, const struct kb_run_options *);

/* How long a process may take on our clock. */
uint64_t kb_backend_limit(const struct kb_row *, uint64_t timeout_ns);

/* The clock for processes of a result: ours, but under an emulator nanoseconds, which bound their length and say nothing else. */
const struct kb_clock *kb_backend_clock(const struct kb_row *, const struct kb_clock *ours);

/* Before a process of the result: what the backend needs is made ready. 0, or -errno with the reason, which makes the result `skipped`. */
int kb_backend_ready(const struct kb_row *, struct kb_guardian *, char why[KB_BACKEND_WHY]);

/* Where a shell would find a program. */
bool kb_in_path(const char *program, char path[PATH_MAX]);

/* ---- benchmarks ----------------------------------------------------------------------------------- */

/* A program as the parent knows it: name, parameters, summary; its functions lie in the collector of its platform. */
struct kb_cross_program { const struct kb_bench *bench; const char *platform; };

/* Programs of all architectures but this one, ends with a null bench; generated from bench/yamba. */
extern const struct kb_cross_program kb_cross_programs[];

/* The benchmarks of all backends but this machine's user space; a null bench behind the last. The list is ours, until kb_cross_add. */
struct kb_cross_bench { const struct kb_bench *bench; const struct kb_backend *backend; };
const struct kb_cross_bench *kb_cross_benches(void);
unsigned kb_cross_count(void);

/* A program of the user's, with the path of the collector that was linked for it alone, up to "-PLATFORM"; one. It goes before a
   program of the same name among ours. Nothing is copied. */
void kb_cross_add(const struct kb_bench *, const char *platform, const char *collector);

/* ---- collectors ----------------------------------------------------------------------------------- */

/* Looks for the collector of that platform next to `ours`, and for what runs it. */
void kb_collector_find(const char *ours, const char *platform, struct kb_collector *);

/* For a comparison, whose processes are alive together and measure block by block in turn: where those of a backend cannot, that is the
   reason, with what does instead. Nothing is skipped then. */
void kb_collector_take_turns(struct kb_collector *);

/* False with the reason and the remedy in `why`. NULL is this machine's user space. */
bool kb_collector_measures(const struct kb_collector *, bool emulate, char why[256]);

/* Those of all backends, in the order of the table of backends. */
#define KB_COLLECTORS 6
struct kb_collectors {
	struct kb_collector each[KB_COLLECTORS];
	struct kb_collector users;      /* of the program that the user added */
};

/* ours: where the collector of this machine's user space is; NULL: next to this program. */
void kb_collectors_find(struct kb_collectors *, const char *ours);

/* NULL: the benchmark is of this machine's user space. */
const struct kb_collector *kb_collectors_of(const struct kb_collectors *, const struct kb_bench *);

/* That of this machine's user space. 0, or -errno with the reason; -ENOENT: there is none. */
int kb_collector_ours(char path[PATH_MAX], char why[KB_BACKEND_WHY]);

#endif
