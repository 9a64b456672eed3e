/*
 * Five primitive operations under Google Benchmark, an independent harness: its own loop, clock and stopping rule. The
 * operations are written anew here, not taken from bench/, so that a mistake there is not made twice.
 * Wrong if the compiler may fold an operation: what it computes is volatile, a system call, or assembly.
 */
#include <benchmark/benchmark.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

void getppid_call(benchmark::State &state)
{
	for (auto _ : state)
		benchmark::DoNotOptimize(syscall(SYS_getppid));
}

void write_null(benchmark::State &state)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (auto _ : state) {
		if (write(null, "", 1) != 1) {
			state.SkipWithError("write to /dev/null");
			break;
		}
	}
	close(null);
}

// One byte there and back through two pipes of one process: no switch.
void pipe_one_process(benchmark::State &state)
{
	int there[2], back[2];
	char byte = 0;

	if (pipe(there) || pipe(back)) {
		state.SkipWithError("pipe");
		return;
	}
	for (auto _ : state) {
		if (write(there[1], &byte, 1) != 1 || read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1 ||
		    read(back[0], &byte, 1) != 1) {
			state.SkipWithError("pipe write or read");
			break;
		}
	}
	for (int end : { there[0], there[1], back[0], back[1] })
		close(end);
}

// A hundred additions, each waiting for the one before: a register to itself, for an immediate one may cost nothing.
void add_chain(benchmark::State &state)
{
	unsigned long x = 1;

	for (auto _ : state) {
#if defined(__x86_64__)
		__asm__ volatile(".rept 100\n\tadd %0, %0\n\t.endr" : "+r"(x) : : "cc");
#elif defined(__aarch64__)
		__asm__ volatile(".rept 100\n\tadd %0, %0, %0\n\t.endr" : "+r"(x));
#else
		state.SkipWithError("no assembly for this processor");
		break;
#endif
	}
	benchmark::DoNotOptimize(x);
}

// The first write to each of 512 pages; an iteration is all of them, for stopping the clock costs more than a fault.
void anonymous_fault(benchmark::State &state)
{
	const size_t step = static_cast<size_t>(sysconf(_SC_PAGESIZE)), pages = 512;

	for (auto _ : state) {
		state.PauseTiming();
		void *memory = mmap(nullptr, pages * step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED) {
			state.SkipWithError("mmap");
			break;
		}
		madvise(memory, pages * step, MADV_NOHUGEPAGE);
		volatile char *page = static_cast<char *>(memory);
		state.ResumeTiming();
		for (size_t i = 0; i < pages; i++)
			page[i * step] = 1;
		state.PauseTiming();
		munmap(memory, pages * step);
		state.ResumeTiming();
	}
}

BENCHMARK(getppid_call);
BENCHMARK(write_null);
BENCHMARK(pipe_one_process);
BENCHMARK(add_chain);
BENCHMARK(anonymous_fault);

} // namespace

BENCHMARK_MAIN();
