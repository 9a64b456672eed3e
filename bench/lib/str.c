/*
 * lib.str: the C library's functions on strings by length, called through a pointer, since a compiler replaces
 * calls whose result it knows. Which code the loader chose is told by its hash. Strings of two lengths take turns
 * and all results are summed up: neither a call that was left out nor a result that was remembered gives the right
 * sum.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include <kbench_memory.h>

#define CODE_BYTES 64u                  /* of the function's beginning, for its hash */
#define LENGTH_MAX (1u << 20)

static enum { LENGTH, COMPARE, FIND, COPY } what;
static size_t (*volatile length)(const char *) = strlen;
static int (*volatile compare)(const char *, const char *) = strcmp;
static char *(*volatile find)(const char *, int) = strchr;
static char *(*volatile copy)(char *, const char *) = stpcpy;
static char *text[2], *other;           /* of length and length - 1; other is like text[0] */
static uint64_t next, first, sum, bytes;

static int setup(struct kb_run *run)
{
	static const char *const names[] = { "strlen", "strcmp", "strchr", "stpcpy" };
	const uintptr_t code[] = { (uintptr_t)length, (uintptr_t)compare, (uintptr_t)find, (uintptr_t)copy };
	char *memory = kb_memory(run, 3 * (LENGTH_MAX + 4096), "small");

	if (!memory)
		return -1;
	bytes = kb_param_number(run, "length");
	while (!kb_param_is(run, "function", names[what]))
		what++;
	for (unsigned i = 0; i < 2; i++) {
		text[i] = memory + i * (LENGTH_MAX + 4096);
		memset(text[i], 'a', bytes - i - 1);
		text[i][bytes - i - 1] = 'z';
	}
	other = memory + 2 * (LENGTH_MAX + 4096);
	strcpy(other, text[0]);
	text[1][bytes - 1] = '\0';
	kb_working_set(run, 3 * bytes, KB_ISSUE);
	kb_code_hash(run, kb_code_of((const void *)code[what], CODE_BYTES));
	return 0;
}

/* What each call must give: the length, whether they differ, the place of the last character, the length again. */
static uint64_t expected(uint64_t number)
{
	uint64_t shorter = number & 1;

	return what == COMPARE ? shorter : bytes - shorter - (what == FIND);
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	sum = 0;
	for (first = next; next < first + n; next++) {
		const char *at = text[next & 1];

		switch (what) {
		case LENGTH: sum += length(at); break;
		case COMPARE: sum += compare(at, other) != 0; break;
		case FIND: sum += (uint64_t)(find(at, 'z') - at); break;
		case COPY: sum += (uint64_t)(copy(other, at) - other); break;
		}
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t right = n / 2 * (expected(0) + expected(1)) + (n & 1 ? expected(first) : 0);

	if (next != first + n || sum != right)
		return kb_fail(run, EILSEQ, "the results add up to %llu, not %llu", (unsigned long long)sum,
			       (unsigned long long)right);
	return 0;
}

KB_BENCHMARK(
	.summary = "strlen, strcmp, strchr, stpcpy by length", .portability = KB_PORTABLE,
	.per = "call", .bound = KB_ISSUE,
	.params = {
		{ "function", "of the library", KB_CHOICE, "strlen,strcmp,strchr", 0, 0, "strlen,strcmp,strchr,stpcpy" },
		{ "length", "of the strings, bytes", KB_NUMBER, "16,1024", 2, LENGTH_MAX, NULL },
	},
	.expect = { { KB_SYSCALLS, .per_op = 0, .who = KB_ALL } },
	.setup = setup, .op = op, .check = check,
);
