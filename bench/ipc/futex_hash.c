/*
 * ipc.futex_hash: FUTEX_WAIT with a value that the word does not have: the kernel finds the bucket of its table, looks
 * at the word and refuses to sleep. Many words spread over many buckets; shared ones are found by their page, not
 * their address.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench_channel.h>

#define WORDS_MAX 65536u

static uint32_t *words;
static uint64_t count, refused;
static int operation;

static int setup(struct kb_run *run)
{
	count = kb_param_number(run, "words");
	operation = kb_param_is(run, "scope", "shared") ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE;
	words = kb_shared_memory(run, WORDS_MAX * sizeof *words);
	return words ? 0 : -ENOMEM;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	refused = 0;
	for (uint64_t i = 0; i < n; i++)
		refused += syscall(SYS_futex, &words[i % count], operation, 1, NULL, NULL, 0) == -1 && errno == EAGAIN;
	return 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	(void)run;
	refused = 0;
	for (uint64_t i = 0; i < n; i++) {
		kb_keep(&words[i % count]);
		refused += errno == EAGAIN;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return refused == n ? 0 : kb_fail(run, EPROTO, "%llu of %llu waits were refused", (unsigned long long)refused,
					  (unsigned long long)n);
}

KB_BENCHMARK(
	.summary = "futex wait that returns at once (the value differs), over many words", .per = "call",
	.params = { { "words", "how many, in turn", KB_NUMBER, "1,4096", 1, WORDS_MAX, NULL },
		{ "scope", "of the futexes", KB_CHOICE, "private,shared", .choices = "private,shared" } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } }, .portability = KB_PLATFORM,
	.setup = setup, .op = op, .base = base, .check = check,
);
