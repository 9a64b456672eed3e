/*
 * lib.mem: the C library's functions on memory by size and alignment, called through a pointer, since a compiler
 * replaces calls of constant size. Which code the loader chose is told by its hash. Each call has its number in the
 * data, written some calls ahead, so that no load meets a store that is still on its way; the last calls' results
 * show all numbers.
 */
#include <errno.h>
#include <string.h>

#include <kbench_memory.h>

#define CODE_BYTES 64u                  /* of the function's beginning, for its hash */
#define SLOTS 16u                       /* a power of two */
#define SMALL 256u                      /* above: two slots only, to stay in one cache longer */

static enum { COPY, MOVE, SET, COMPARE } what;
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static void *(*volatile set)(void *, int, size_t) = memset;
static int (*volatile compare)(const void *, const void *, size_t) = memcmp;
static unsigned char *from[SLOTS], *to[SLOTS];
static uint64_t slots, next, first, different, size;

static int setup(struct kb_run *run)
{
	static const char *const names[] = { "memcpy", "memmove", "memset", "memcmp" };
	uint64_t align = kb_param_number(run, "align"), step;
	unsigned char *memory;

	size = kb_param_number(run, "size");
	slots = size > SMALL ? 2 : SLOTS;
	/* Side by side, or all would fall into one set of the first cache; `to` half a page from `from`: a load of 4 KB from the
	   last store looks as if it met it. */
	step = (size + 127) / 64 * 64;
	memory = kb_memory(run, 2 * slots * step + 4096, "small");
	if (!memory)
		return -1;
	while (!kb_param_is(run, "function", names[what]))
		what++;
	if (what == MOVE)
		copy = memmove;
	kb_code_hash(run, kb_code_of(what == SET ? (void *)(uintptr_t)set : what == COMPARE ? (void *)(uintptr_t)compare :
				     (void *)(uintptr_t)copy, CODE_BYTES));
	for (unsigned i = 0; i < slots; i++) {
		from[i] = memory + i * step + align;
		to[i] = memory + slots * step + (6144 - slots * step % 4096) % 4096 + i * step;
		*from[i] = (unsigned char)i;
		if (what == COMPARE)
			*to[i] = *from[i], to[i][size - 1] = i & 1;     /* every second pair differs, in the last byte */
	}
	kb_working_set(run, 2 * slots * size, KB_ISSUE);
	run->bytes_per_op = size;
	return 0;
}

/* Inlined for each function: to ask which it is would be a good part of a short call. */
static inline __attribute__((always_inline)) void calls(uint64_t n, int kind)
{
	uint64_t ahead = slots / 2, mask = slots - 1, bytes = size, unequal = 0, i = next;

	for (first = i; i < first + n; i++) {
		if (kind == COPY) {
			memcpy(from[(i + ahead) & mask], &(uint64_t){ i + ahead }, sizeof i);
			copy(to[i & mask], from[i & mask], bytes);
		} else if (kind == SET) {
			set(to[i & mask], (int)(i % 251), bytes);
		} else {
			unequal += compare(from[i & mask], to[i & mask], bytes) != 0;
		}
	}
	next = i, different = unequal;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	what == SET ? calls(n, SET) : what == COMPARE ? calls(n, COMPARE) : calls(n, COPY);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	bool wrong = next != first + n;

	for (uint64_t i = n > slots / 2 ? next - slots / 2 : first; i < next && what != COMPARE; i++) {
		const unsigned char *at = to[i & (slots - 1)];

		wrong |= what <= MOVE ? memcmp(at, &i, sizeof i) || memcmp(at, from[i & (slots - 1)], size) :
			 at[0] != i % 251 || memcmp(at, at + 1, size - 1);
	}
	if (what == COMPARE)
		wrong |= different != (first + n) / 2 - first / 2;
	return wrong ? kb_fail(run, EILSEQ, "a call did not do its work") : 0;
}

KB_BENCHMARK(.summary = "memcpy, memmove, memset, memcmp by size and alignment of the source",
	.portability = KB_PORTABLE, .per = "call", .bound = KB_ISSUE,
	.params = { { "function", "called", KB_CHOICE, "memcpy,memset,memcmp", 0, 0, "memcpy,memmove,memset,memcmp" },
		    { "size", "bytes a call", KB_SIZE, "64,4K", 8, 1 << 26, NULL },
		    { "align", "of the source", KB_NUMBER, "0", 0, 63, NULL } },
	.expect = { { KB_SYSCALLS, .per_op = 0, .who = KB_ALL } }, .setup = setup, .op = op, .check = check);
