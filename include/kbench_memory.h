/*
 * kbench_memory.h - what benchmarks of memory share: memory on pages of a known size, rings of lines, exact machine
 * code that streams. Units are bytes. Whoever gets NULL or -errno returns it: the reason is already reported.
 */
#ifndef KBENCH_MEMORY_H
#define KBENCH_MEMORY_H

#include <kbench_code.h>

/* Zeroed and touched memory of this process, never given back. pages "small": no huge page is asked for, and where the
   first TLB does not hold so many the row says that page walks are inside; "huge": all of it lies in huge pages, by
   AnonHugePages of /proc/self/smaps, or in reserved ones, else kb_skip, as where so much is not available. NULL after
   kb_fail or kb_skip. */
void *kb_memory(struct kb_run *, uint64_t bytes, const char *pages);

/* Memory in huge pages for the twin of a benchmark that has one; NULL where it cannot be had, which is no failure. */
void *kb_memory_twin(struct kb_run *, uint64_t bytes);

/* The largest cache of the measuring CPU as the system tells it; 0: it does not. */
uint64_t kb_last_cache(struct kb_run *);

/* In setup: tasks of the measuring CPU that each go through an array of so many bytes. Where they together exceed or fill a cache, the
   result gets a note that refills are inside, and of which caches. */
void kb_note_refills(struct kb_run *, uint64_t arrays, uint64_t bytes);

/* Refines run->bound: KB_MEMORY where the working set exceeds the caches of the core itself, else `inside`. Without a
   kb_claim_memory that says where it lies, it is also the claim that the operations touch so much, wherever, if it is
   more than 4 MB. */
void kb_working_set(struct kb_run *, uint64_t bytes, enum kb_bound inside);

/* CRC-32 of the first bytes of a function that the loader chose, for kb_code_hash. */
uint32_t kb_code_of(const void *function, size_t bytes);

/* ---- chases: dependent loads through a ring of cells ---------------------------------------------------------- */

/* `position` tells where a walk must end without walking it again. */
struct kb_cell { struct kb_cell *next; uint64_t position; };

/* Line i lies at memory + i x stride, and (i modulo shifts) x 64 further: with a stride of pages the lines need not
   all fall into one set of the caches. */
struct kb_chase {
	char *memory;
	uint64_t lines, stride, shifts;         /* shifts 0: none */
	uint64_t block;                         /* lines: the order is random in each block, the blocks follow each other */
	struct kb_cell *from, *at;              /* of the last walk, and where the next begins */
	uint64_t walked;                        /* lines of the last observation beside partners */
};

/* Links all lines into one ring, its order by run->seed, and calls kb_chase_code, which verifies the chain of loads
   and records its hash. */
int kb_chase_link(struct kb_run *, struct kb_chase *);
int kb_chase_code(struct kb_run *);
struct kb_cell *kb_chase_cell(const struct kb_chase *, uint64_t i);

/* Walks n lines, from where the last walk stopped: from one start, n < lines would turn any ring into a small one.
   kb_chase_check: it ended where n steps lead; it does not if the ring closes early. */
void kb_chase_walk(struct kb_chase *, uint64_t n);
int kb_chase_check(struct kb_run *, const struct kb_chase *, uint64_t n);

/* For a benchmark with a twin, in setup and last of all: makes an equal ring on huge pages and sets run->twin. Not for a
   ring that a cache holds, as single loads tell, for the second one would take its place. */
void kb_chase_twin(struct kb_run *, struct kb_chase *, struct kb_chase *twin);

/* In `check`, behind kb_chase_check: times the next load alone, and how long it takes from memory and from the first cache. They are
   covariates of the sample, of which the result makes the share of loads that a cache served (doc/noise.md). A twin, which may be NULL, goes along. */
void kb_chase_levels(struct kb_run *, struct kb_chase *, struct kb_chase *twin);

/* kb_spin_observe of a walk. It is one walk of chase->walked lines: n, and those of the times that were made again. */
int kb_chase_observe(struct kb_run *, struct kb_chase *, uint64_t n, uint64_t *ticks, unsigned threads,
		     uint64_t (*progress)(unsigned thread));

/* ---- streams: exact machine code, each access `width` bytes wide, each byte touched once ------------------ */

/* The loops. Words are of 64 bits: integers (modulo 2^64) in the first seven, else doubles; q is `value`, as its bits. */
enum kb_stream {
	KB_STREAM_READ,                 /* returns the sum of from[i]; addresses prearranged: constants from one pointer */
	KB_STREAM_READ_INDEX,           /* the same, but each access computes its own address from an index */
	KB_STREAM_WRITE,                /* to[i] = q */
	KB_STREAM_WRITE_NT,             /* the same past the caches: no line is read for ownership */
	KB_STREAM_UPDATE,               /* to[i] += q */
	KB_STREAM_COPY,                 /* to[i] = from[i] */
	KB_STREAM_COPY_NT,
	KB_STREAM_SCALE,                /* to[i] = q from[i] */
	KB_STREAM_ADD,                  /* to[i] = from[i] + other[i] */
	KB_STREAM_TRIAD,                /* to[i] = from[i] + q other[i] */
	KB_STREAM_DAXPY,                /* to[i] += q from[i] */
	KB_STREAM_SUM,                  /* returns the bits of the sum of from[i] */
	KB_STREAMS
};

/* bytes: a multiple of KB_STREAM_UNROLL x width, 0 is none; pointers are aligned to the width. Returns 0 unless it
   sums. */
#define KB_STREAM_UNROLL 8u
typedef uint64_t kb_stream_loop(void *to, const void *from, const void *other, uint64_t bytes, uint64_t value);

/* Widest access that this CPU executes: 8, 16, 32 or 64 bytes. */
unsigned kb_stream_widest(void);

/* NULL where the architecture has no such loop or this CPU does not execute it. *hash: CRC-32 of its code. */
kb_stream_loop *kb_stream(enum kb_stream, unsigned width, uint32_t *hash);

/* The loop of a benchmark with KB_PARAM_WIDTH: records the hash, or kb_skip and NULL. */
kb_stream_loop *kb_stream_choose(struct kb_run *, enum kb_stream);
#define KB_PARAM_WIDTH { "width", "bytes an access; auto: widest", KB_CHOICE, "auto", 0, 0, "auto,8,16,32,64" }
/* Rows of memory lie in huge pages: placement and page walks are another question, that of KB_PARAM_SMALL_PAGES. On a machine
   that has none, kbench takes small ones and names the row so. */
#define KB_PARAM_PAGES { "pages", "of the memory", KB_CHOICE, "huge", 0, 0, "huge,small" }
#define KB_PARAM_SMALL_PAGES { "pages", "of the memory", KB_CHOICE, "small", 0, 0, "small,huge" }

/* A working set in chunks: one operation moves `per_op` pieces of `piece` bytes each, KB_CHUNK_BYTES together; a smaller
   set is gone through several times. Pieces are numbered for ever; number s lies at offset s modulo count. */
#define KB_CHUNK_BYTES 65536u
struct kb_chunks {
	uint64_t piece, per_op, count, first, next;
	char *to, *from;        /* set by the benchmark: what is worked on, what is copied from */
};

/* Sets run->bytes_per_op and run->bound. A size must be a multiple of 64 KB, or below that of 1 KB. copies: arrays of
   that size in the working set. */
int kb_chunks_make(struct kb_run *, struct kb_chunks *, uint64_t size, unsigned copies);

/* For a benchmark with a twin, in setup when the arrays are filled: copies of them on huge pages, and sets run->twin; not of a working
   set that a cache may hold. Returns 0. */
int kb_chunks_twin(struct kb_run *, const struct kb_chunks *, struct kb_chunks *twin);

/* Begins a sample of n operations: the number behind its last piece. Then `next` is raised piece by piece. */
static inline uint64_t kb_chunks_begin(struct kb_chunks *chunks, uint64_t n)
{
	chunks->first = chunks->next;
	return chunks->first + n * chunks->per_op;
}

static inline uint64_t kb_chunks_offset(const struct kb_chunks *chunks, uint64_t number)
{
	return number % chunks->count * chunks->piece;
}

/* For `check`: pieces that the sample must have left behind, the last ones; *from is the number of the first. -errno with
   its reason if the sample moved another number of pieces than n operations do. */
int kb_chunks_left(struct kb_run *, const struct kb_chunks *, uint64_t n, uint64_t *from);

#endif
