/*
 * Says: the hash of a text of 64 bytes, n times. Hidden: the compiler saw that it is always the same, or that nobody reads it,
 * and did it once, or never. The check is right all the same.
 */
#include <string.h>

#include "liar.h"

#define BYTES 64u

static unsigned char text[BYTES], copy[BYTES];
static uint64_t sum;

/* As a library says of its function. */
__attribute__((noinline, const)) static uint64_t mix(uint64_t value)
{
	for (unsigned i = 0; i < BYTES; i++)
		value = (value ^ i) * 0x100000001b3u;
	return value;
}

static inline uint64_t hash(const unsigned char *at)
{
	uint64_t value = 0xcbf29ce484222325u;

	for (size_t i = 0; i < BYTES; i++)
		value = (value ^ at[i]) * 0x100000001b3u;
	return value;
}

__attribute__((noinline, pure)) static uint64_t pure_hash(const unsigned char *at)
{
	return hash(at);
}

static int setup(struct kb_run *run)
{
	(void)run;
	memset(text, 'a', sizeof text);
	return 0;
}

static void honest(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		sum += hash(text);
		kb_clobber();
	}
}

/* Its result is not used. */
static void unused(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		(void)hash(text);
}

/* The text cannot change in the loop, and the function looks at nothing else. */
static void hoisted(uint64_t n)
{
	uint64_t all = 0;

	for (uint64_t i = 0; i < n; i++)
		all += pure_hash(text);
	sum = all;
}

static void called_once(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sum += mix(n);
}

/* What is overwritten and never read. */
static void overwritten(uint64_t n)
{
	unsigned char local[BYTES];

	for (uint64_t i = 0; i < n; i++)
		memset(local, (int)i, sizeof local);
	sum = n;
}

static int op(struct kb_run *run, uint64_t n)
{
	sum = 0;
	if (lie(run, "unused"))
		unused(n);
	else if (lie(run, "hoisted"))
		hoisted(n);
	else if (lie(run, "called_once"))
		called_once(n);
	else if (lie(run, "overwritten"))
		overwritten(n);
	else
		honest(n);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	memcpy(copy, text, sizeof copy);
	if (lie(run, "honest") || lie(run, "hoisted"))
		return sum == n * hash(copy) ? 0 : kb_fail(run, EILSEQ, "a hash is wrong");
	return lie(run, "called_once") && sum != n * mix(n) ? kb_fail(run, EILSEQ, "a hash is wrong") : 0;
}

KB_BENCHMARK(
	.summary = "a hash of 64 bytes", .per = "hash", .bound = KB_LATENCY,
	.params = { LIE_PARAM("unused,hoisted,called_once,overwritten") },
	.setup = setup, .op = op, .check = check,
);
