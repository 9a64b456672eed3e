/*
 * mem.bw_stride: one word of 8 bytes every `stride` bytes of a working set, as programs read a field of each record. The loads depend
 * on nothing, so several are on their way at once: with mem.latency, where each waits for the one before, these are the two sides of a
 * memory system. Only the words that are read count as bytes, not the lines that they came in.
 */
#include <errno.h>

#include <kbench_memory.h>

#define WORDS 512u              /* an operation; a multiple of LANES */
#define LANES 4u                /* sums that wait for none but themselves */
#define FACTOR 0x9e3779b97f4a7c15u      /* word i holds i x FACTOR: no two pieces have one sum */

static char *memory;
static uint64_t words, stride, next_word, first, sum;

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size");

	stride = kb_param_number(run, "stride");
	words = size / stride / LANES * LANES;
	if (words == 0)
		return kb_fail(run, EINVAL, "size=%llu has fewer than %u strides of %llu", (unsigned long long)size, LANES, (unsigned long long)stride);
	memory = kb_memory(run, size, kb_param_text(run, "pages"));
	for (uint64_t i = 0; memory && i < words; i++)
		*(uint64_t *)(void *)(memory + i * stride) = i * FACTOR;
	kb_working_set(run, size, KB_ISSUE);
	return memory ? 0 : -1;
}

/* The compiler may not turn words that lie side by side into one wide load: at every stride it is one load a word. */
static uint64_t load(const char *at)
{
	return *(const volatile uint64_t *)(const volatile void *)at;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t a = 0, b = 0, c = 0, d = 0, left = n * WORDS;

	(void)run;
	first = next_word;
	while (left > 0) {
		uint64_t count = words - next_word < left ? words - next_word : left;
		const char *at = memory + next_word * stride, *end = at + count * stride;

		for (; at < end; at += LANES * stride) {
			a += load(at);
			b += load(at + stride);
			c += load(at + 2 * stride);
			d += load(at + 3 * stride);
		}
		left -= count;
		next_word = next_word + count == words ? 0 : next_word + count;
	}
	sum = a + b + c + d;
	return 0;
}

/* The sum of 0 to count-1. */
static uint64_t sum_below(uint64_t count)
{
	return count % 2 ? (count - 1) / 2 * count : count / 2 * (count - 1);
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t end = first + n * WORDS, expected = sum_below(words) * (end / words) + sum_below(end % words) - sum_below(first);

	return sum == expected * FACTOR ? 0 : kb_fail(run, EILSEQ, "the sum of what was read is wrong");
}

KB_BENCHMARK(
	.summary = "reading a word of 8 bytes every so many; 512 words an operation, only they are counted",
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "loads that depend on nothing overlap as far as the core can",
	.per = "chunk", .bound = KB_MEMORY, .bytes_per_op = 8 * WORDS,
	.params = {
		{ "size", "working set", KB_SIZE, "16K,64M", 4096, 1ull << 36, NULL },
		{ "stride", "from one word to the next", KB_SIZE, "64", 8, 4096, NULL },
		KB_PARAM_PAGES,
	},
	.expect = { { KB_MINFLT, .tolerance = 0.01 } },
	.setup = setup, .op = op, .check = check,
);
