// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One reading of a clock of the kernel. No reading may lie before the one ahead of it, and over a sample each clock must
 * pass: a clock that stands still would be the fastest of all. Setting the time of day while `real` is measured fails the process.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/sched/clock.h>
#include <linux/timekeeping.h>

#include "kbench_kernel.h"

static enum { MONOTONIC, MONO_FAST, RAW, REAL, BOOT, COARSE, SCHED } source;

static __always_inline int readings(struct kb_run *run, uint64_t n, u64 (*read)(void))
{
	u64 last = 0, now;
	int back = 0;

	KB_KERNEL_LOOP(n, {
		now = read();
		back |= now < last;
		last = now;
	});
	return back ? kb_fail(run, EBADMSG, "the clock went back") : 0;
}

static u64 read_monotonic(void) { return ktime_get(); }
static u64 read_raw(void) { return ktime_get_raw(); }
static u64 read_real(void) { return ktime_get_real(); }
static u64 read_boot(void) { return ktime_get_boottime(); }
static u64 read_coarse(void) { return ktime_get_coarse(); }

static int op(struct kb_run *run, uint64_t n)
{
	switch (source) {
	case MONOTONIC: return readings(run, n, read_monotonic);
	case MONO_FAST: return readings(run, n, ktime_get_mono_fast_ns);
	case RAW: return readings(run, n, read_raw);
	case REAL: return readings(run, n, read_real);
	case BOOT: return readings(run, n, read_boot);
	case COARSE: return readings(run, n, read_coarse);
	case SCHED: return readings(run, n, sched_clock);
	}
	return kb_fail(run, EINVAL, "no such clock");
}

static u64 read_once(void)
{
	switch (source) {
	case MONOTONIC: return read_monotonic();
	case MONO_FAST: return ktime_get_mono_fast_ns();
	case RAW: return read_raw();
	case REAL: return read_real();
	case BOOT: return read_boot();
	case COARSE: return read_coarse();
	case SCHED: return sched_clock();
	}
	return 0;
}

/* 20 ms are two ticks of the slowest timer tick (100 Hz), by which the coarse clock goes. */
static int setup(struct kb_run *run)
{
	static const char *const names[] = { "ktime_get", "mono_fast", "raw", "real", "boottime", "coarse", "sched_clock" };
	u64 before, passed;

	for (source = 0; !kb_param_is(run, "source", names[source]) && source < SCHED; source++)
		;
	before = read_once();
	msleep(20);
	passed = read_once() - before;
	if (passed < 5 * NSEC_PER_MSEC || passed > 20ull * NSEC_PER_SEC)
		return kb_fail(run, EBADMSG, "in a sleep of 20 ms the clock passed %llu ns", passed);
	return 0;
}

KB_KERNEL_ABOUT(
	.summary = "one read of a clock of the kernel",
	.per = "reading", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "no read is earlier than the one before it, and the clock advances",
	.params = { { "source", "which clock", KB_CHOICE, "ktime_get,mono_fast,sched_clock;raw,real,boottime,coarse", 0, 0,
		"ktime_get,mono_fast,raw,real,boottime,coarse,sched_clock" } },
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .checked = true);
