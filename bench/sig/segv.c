/*
 * sig.segv: a store to a read-only page, the handler, and the return to the same store, which faults again: one store
 * makes n faults. The handler of the last one makes the page writable. count=gross has all of it; count=net what the fault costs
 * beyond delivery, for the base sends itself as many signals, each with its handler and its return.
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench.h>

static volatile unsigned char *page;
static size_t page_bytes;
static volatile uint64_t handled, wanted;
static struct sigaction former, former_sent;
static bool net;

/* A fault anywhere else is a crash: back to the former handler, which the same fault then finds. Signals that were sent are only counted. */
static void handle(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (number == SIGSEGV && info->si_addr != (void *)(uintptr_t)page)
		sigaction(SIGSEGV, &former, NULL);
	handled = handled + 1;
	if (number == SIGSEGV && handled >= wanted)
		mprotect((void *)(uintptr_t)page, page_bytes, PROT_READ | PROT_WRITE);
}

static int setup(struct kb_run *run)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
	void *memory;

	net = kb_param_is(run, "count", "net");

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	memory = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || sigaction(SIGSEGV, &action, &former) || sigaction(SIGUSR1, &action, &former_sent))
		return kb_fail(run, errno, "a page and a handler");
	page = memory;
	*page = 1;
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	*page = 1;
	return mprotect((void *)(uintptr_t)page, page_bytes, PROT_READ) ? kb_fail(run, errno, "mprotect") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	handled = 0;
	wanted = n;
	if (n > 0)
		*page = 2;
	kb_count(run, KB_SEEN, handled);
	return 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	pid_t process = getpid();
	long thread = syscall(SYS_gettid);

	handled = 0;
	for (uint64_t i = 0; i < n && net; i++)
		syscall(SYS_tgkill, process, thread, SIGUSR1);
	return net && handled != n ? kb_fail(run, EPROTO, "signals to itself were not handled") : 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (*page != 2 || handled != n)
		return kb_fail(run, EPROTO, "%llu faults were handled, the page holds %d", (unsigned long long)handled, *page);
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	sigaction(SIGSEGV, &former, NULL);
	sigaction(SIGUSR1, &former_sent, NULL);
	munmap((void *)(uintptr_t)page, page_bytes);
}

/* The return from the handler is the one system call of each; mprotect that of the sample. The store that succeeds at
   last may find the page not yet writable in the tables: a minor fault. */
KB_BENCHMARK(
	.summary = "SIGSEGV: store to a read-only page, handler, return", .per = "fault",
	.suite = KB_FULL, .portability = KB_PORTABLE, .lmbench = "lat_sig prot", .lmbench_with = "count=net",
	.params = { { "count", "all, or without the signal's delivery", KB_CHOICE, "gross,net", 0, 0, "gross,net" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, .per_op = 1, .who = KB_ALL },
	            { KB_MINFLT, .per_sample = 1, .tolerance = 1 } },
	.setup = setup, .before = before, .op = op, .base = base, .check = check, .teardown = teardown,
	.base_does = "sends itself as many signals, with count=net",
);
