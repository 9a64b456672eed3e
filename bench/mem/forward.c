/*
 * mem.forward: a number stored and loaded again at once, the store's data waiting for the load before: what handing
 * a store to a load costs, by where it lies and how the two overlap. The place moves from line to line, and store
 * and load have it in two registers, since some cores know two accesses of one base register for the same before
 * they run. Cores that predict which store a load will meet still need one cycle only: then `wide` and `alias` tell
 * more than `same`. Each pair adds 1 to the number: one addition is inside. overlap: `same` 8 bytes; `part` loads
 * the lower 4 of 8; `wide` loads 8 of two stores of 4, which no core forwards cheaply; `alias` loads 8 bytes 4 KB
 * away, which only look like the store's.
 */
#include <errno.h>

#include <kbench_memory.h>

#define PLACES 16u
#define PAGE 4096u
#define LINE 64u

/* As the compiler would store to any address: packed allows each alignment. */
struct word { uint64_t value; } __attribute__((packed, may_alias));
struct half { uint32_t value; } __attribute__((packed, may_alias));

static unsigned char memory[2 * (PLACES + 1) * PAGE] __attribute__((aligned(4096)));
static unsigned char *place;
static uint64_t stride;
static uint64_t number, first, result;
static enum { SAME, PART, WIDE, ALIAS } overlap;

static int setup(struct kb_run *run)
{
	static const char *const names[] = { "same", "part", "wide", "alias" };

	place = memory + kb_param_number(run, "offset");
	/* All places cross a page, or none. */
	stride = kb_param_number(run, "offset") > PAGE - sizeof number ? 2 * PAGE : LINE;
	while (!kb_param_is(run, "overlap", names[overlap]))
		overlap++;
	return 0;
}

static inline __attribute__((always_inline)) uint64_t pair(unsigned char *at, uint64_t value, int how)
{
	volatile struct word *word = (volatile struct word *)at;
	volatile struct half *half = (volatile struct half *)at;
	uint64_t none = 0;

	__asm__("" : "+r"(at), "+r"(none));     /* another register, hence another base until it runs */
	if (how == WIDE) {
		half[0].value = (uint32_t)value;
		half[1].value = (uint32_t)(value >> 32);
	} else {
		word->value = value;
	}
	if (how == ALIAS) /* loads 0, from an address that depends on the value */
		return value + ((volatile struct word *)(at + PAGE + (value & none)))->value;
	return how == PART ? ((volatile struct half *)at)->value : ((volatile struct word *)at)->value;
}

static inline __attribute__((always_inline)) uint64_t pairs(uint64_t n, uint64_t value, int how)
{
	for (uint64_t i = 0; i < n; i++)
		value = pair(place + i % PLACES * stride, value, how) + 1;
	return value;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	first = number;
	switch (overlap) {
	case SAME: result = pairs(n, number, SAME); break;
	case PART: result = pairs(n, number, PART); break;
	case WIDE: result = pairs(n, number, WIDE); break;
	case ALIAS: result = pairs(n, number, ALIAS); break;
	}
	number = result & 0xffff;       /* PART has 32 bits */
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (result != first + n)
		return kb_fail(run, EILSEQ, "the number went up by %llu in %llu pairs",
			       (unsigned long long)(result - first), (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "store-to-load forwarding and one addition, by offset and overlap",
	.portability = KB_ASSUMING, .assumes = "the compiler makes one store and one load of each volatile access",
	.per = "pair", .bound = KB_LATENCY,
	.params = {
		{ "overlap", "of store and load", KB_CHOICE, "same,wide,alias", 0, 0, "same,part,wide,alias" },
		{ "offset", "in the page; 57 to 63 cross a line, 4089 on it", KB_NUMBER, "0,60", 0, PAGE - 1, NULL },
	},
	.expect = { { KB_SYSCALLS, .per_op = 0, .who = KB_ALL } },
	.setup = setup, .op = op, .check = check,
);
