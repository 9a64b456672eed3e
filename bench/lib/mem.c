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
	uint64_t align = kb_param_number(run, "align");

	size = kb_param_number(run, "size");
	slots = size > SMALL ? 2 : SLOTS;
	while (!kb_param_is(run, "function", names[what]))
		what++;
	if (what == MOVE)
		copy = memmove;
	kb_code_hash(run, kb_code_of(what == SET ? (void *)(uintptr_t)set : what == COMPARE ? (void *)(uintptr_t)compare :
				     (void *)(uintptr_t)copy, CODE_BYTES));
	for (unsigned i = 0; i < slots; i++) {
		from[i] = kb_memory(run, size + 64, "small");
		to[i] = from[i] ? kb_memory(run, size + 64, "small") : NULL;
		if (!to[i])
			return -1;
		from[i] += align;
		*from[i] = (unsigned char)i;
		if (what == COMPARE)
			*to[i] = *from[i], to[i][size - 1] = i & 1;     /* every second pair differs, in the last byte */
	}
	kb_working_set(run, 2 * slots * size, KB_ISSUE);
	run->bytes_per_op = size;
	return 0;
}

static void number_ahead(uint64_t number)
{
	if (what <= MOVE)
		memcpy(from[(number + slots / 2) & (slots - 1)], &(uint64_t){ number + slots / 2 }, sizeof number);
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	different = 0;
	for (first = next; next < first + n; next++) {
		uint64_t slot = next & (slots - 1);

		number_ahead(next);
		if (what <= MOVE)
			copy(to[slot], from[slot], size);
		else if (what == SET)
			set(to[slot], (int)(next % 251), size);
		else
			different += compare(from[slot], to[slot], size) != 0;
	}
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
	.portability = KB_PORTABLE,
	.per = "call", .bound = KB_ISSUE,
	.params = { { "function", "called", KB_CHOICE, "memcpy,memset,memcmp", 0, 0, "memcpy,memmove,memset,memcmp" },
		    { "size", "bytes a call", KB_SIZE, "64,4K", 8, 1 << 26, NULL },
		    { "align", "of the source", KB_NUMBER, "0", 0, 63, NULL } },
	.expect = { { KB_SYSCALLS, .per_op = 0, .who = KB_ALL } }, .setup = setup, .op = op, .check = check);
