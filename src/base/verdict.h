/*
 * Verdict codes: one table for the whole project. Codes are only added to, never renamed or translated.
 * The worst severity among a result's reasons is its status; every reason is kept and printed.
 */
#ifndef KB_BASE_VERDICT_H
#define KB_BASE_VERDICT_H

#include "types.h"

/* In the order of badness: the worst decides. */
enum kb_status { KB_OK, KB_NOISY, KB_UNVERIFIED, KB_INVALID, KB_SKIPPED, KB_STATUSES };
enum kb_severity { KB_NOTE, KB_MAKES_NOISY, KB_MAKES_UNVERIFIED, KB_MAKES_INVALID, KB_MAKES_SKIPPED };

/*      code                severity             what it says in words, and what to do */
#define KB_CODES(X) \
	X(op_failed,            KB_MAKES_INVALID,    "the operation failed", "see the failing call; no interval of it was used") \
	X(setup_failed,         KB_MAKES_INVALID,    "set-up failed", "see the failing call") \
	X(check_failed,         KB_MAKES_INVALID,    "the benchmark's own check failed", "the operation did not do its work") \
	X(expect_failed,        KB_MAKES_INVALID,    "evidence contradicts the claim", "the operation happened more or less often than counted") \
	X(crashed,              KB_MAKES_INVALID,    "the collector crashed", "see the signal and the function") \
	X(timeout,              KB_MAKES_INVALID,    "no answer within the time limit", "raise --timeout, or the operation hangs") \
	X(left_behind,          KB_MAKES_INVALID,    "the benchmark left processes behind", "they were killed; its operation may be running on") \
	X(record_truncated,     KB_MAKES_INVALID,    "the record is cut off or garbled", "its numbers were not used") \
	X(clock_backwards,      KB_MAKES_INVALID,    "the clock stepped back", "try --clock ns") \
	X(clock_coarse,         KB_MAKES_NOISY,      "intervals are short against the clock's step", "a larger n is not possible here") \
	X(timer_bound,          KB_NOTE,             "one operation is too short for quantiles", "an operation must last ten clock readings") \
	X(clock_unstable,       KB_MAKES_NOISY,      "the clock's rate changed", "see kbench doctor") \
	X(ladder_failed,        KB_MAKES_NOISY,      "the clock fails its self-test", "times of a known chain are not proportional; try --clock ns") \
	X(tick_limited,         KB_NOTE,             "values sit on few clock steps", "the interval is one step wide") \
	X(clock_not_cycles,     KB_NOTE,             "the clock does not count core cycles", "cycles come from the add chain") \
	X(emulated_clock,       KB_MAKES_UNVERIFIED, "an emulator supplies the clock", "its numbers are no times") \
	X(clock_unknown,        KB_NOTE,             "what the clock counts there is not known", "say it with kbench sel4 boot --clock") \
	X(clock_included,       KB_NOTE,             "the reading of the clock is in the number", "a slope has no such part") \
	X(freq_drift,           KB_MAKES_NOISY,      "the core clock moved", "fix the frequency, or compare in core cycles") \
	X(sentinel_off,         KB_MAKES_NOISY,      "launches with a disturbed sentinel were left out", "a neighbour on the core, or a clock change") \
	X(migrated,             KB_MAKES_NOISY,      "intervals changed the CPU", "pin with --cpus") \
	X(irq_hit,              KB_MAKES_NOISY,      "interrupts hit intervals", "move interrupts away") \
	X(ctx_switch,           KB_MAKES_NOISY,      "intervals were preempted", "a busier machine than wanted: stop other work") \
	X(page_fault,           KB_MAKES_NOISY,      "page faults that the operation does not claim", "memory pressure, or the operation touches new memory") \
	X(steal,                KB_MAKES_NOISY,      "the hypervisor took the CPU", "a shared host: measure when it is quiet") \
	X(gap,                  KB_MAKES_NOISY,      "intervals hold time that the thread did not run", "other work or the hypervisor") \
	X(env_virtual,          KB_NOTE,             "virtual machine", "absolute times drift with the neighbours") \
	X(freq_uncontrolled,    KB_NOTE,             "frequency control is unknown", "core cycles stay comparable") \
	X(maybe_sibling,        KB_NOTE,             "the two CPUs may share one core", "the topology is not known for sure") \
	X(no_steady_state,      KB_MAKES_INVALID,    "no steady state was reached", "raise --budget") \
	X(slowdown,             KB_MAKES_NOISY,      "it became slower while measured", "heat, or a growing structure") \
	X(drift,                KB_MAKES_NOISY,      "values drift with time", "measure when the machine is quiet") \
	X(changepoint,          KB_MAKES_NOISY,      "the level changed while measured", "measure when the machine is quiet") \
	X(inconsistent,         KB_MAKES_NOISY,      "launches disagree", "layout or neighbours; raise --launches") \
	X(multimodal,           KB_MAKES_NOISY,      "more than one mode", "one number does not describe it") \
	X(flat,                 KB_NOTE,             "no warm-up seen", "") \
	X(warmup,               KB_NOTE,             "a warm-up was seen and left out", "") \
	X(too_few_effective,    KB_MAKES_NOISY,      "too few independent observations", "raise --budget") \
	X(rank_out_of_range,    KB_MAKES_NOISY,      "too few observations for this quantile", "raise --budget") \
	X(autocorrelated,       KB_NOTE,             "observations depend on their neighbours", "the interval allows for it") \
	X(not_normal,           KB_NOTE,             "not normally distributed", "") \
	X(dead_code,            KB_MAKES_INVALID,    "time does not grow with n", "the compiler removed the operation") \
	X(nonlinear,            KB_MAKES_NOISY,      "time is not proportional to n", "the cost depends on how often it is repeated") \
	X(robust_disagrees,     KB_MAKES_NOISY,      "plain and robust slope disagree", "outliers on one side") \
	X(common_mode,          KB_MAKES_NOISY,      "noise grows with the interval", "frequency or layout changes per interval") \
	X(intercept_bias,       KB_NOTE,             "a fixed cost per interval was separated", "") \
	X(var_not_proportional, KB_NOTE,             "variance is not proportional to n", "") \
	X(base_exceeds_op,      KB_MAKES_INVALID,    "the circle costs more without the operation", "base and op do not match") \
	X(below_resolution,     KB_MAKES_NOISY,      "the cost cannot be told from zero", "only its upper limit is known") \
	X(base_dominates,       KB_MAKES_NOISY,      "the circle itself is more than a tenth", "the cost lies between net and gross") \
	X(too_wide,             KB_MAKES_NOISY,      "the interval is wider than 5 %", "raise --budget, or stop other work") \
	X(target_met,           KB_NOTE,             "precision reached", "") \
	X(budget_exhausted,     KB_NOTE,             "budget ended before the precision was reached", "raise --budget") \
	X(partial_run,          KB_MAKES_NOISY,      "fewer launches than it takes for an interval", "raise --budget or --launches") \
	X(not_reached,          KB_MAKES_SKIPPED,    "the run ended before its first launch", "raise --budget, or select fewer rows") \
	X(event_disagrees,      KB_MAKES_UNVERIFIED, "hardware events do not confirm the claim", "what an event counts differs between processors: read the count") \
	X(expect_unknown,       KB_MAKES_UNVERIFIED, "the evidence cannot be had on this machine", "see kbench doctor") \
	X(partial_overlap,      KB_MAKES_NOISY,      "what belongs side by side was not side by side all the time", \
	  "stop other work; fewer copies than CPUs") \
	X(verified_by_events,   KB_NOTE,             "hardware events confirm the operation", "") \
	X(need_unmet,           KB_MAKES_SKIPPED,    "a need is unmet", "see the reason") \
	X(env_mismatch,         KB_MAKES_NOISY,      "environments differ", "compare on one machine") \
	X(single_launch,        KB_MAKES_NOISY,      "one launch", "layout luck is inside") \
	X(unpaired,             KB_MAKES_NOISY,      "sides were not interleaved", "use kbench ab") \
	X(below_noise_floor,    KB_MAKES_NOISY,      "below the noise floor", "") \
	X(debug_kernel,         KB_MAKES_NOISY,      "a debug kernel", "measure a release build") \
	X(timer_ticks,          KB_NOTE,             "timer ticks inside intervals", "") \
	X(no_entry_count,       KB_MAKES_UNVERIFIED, "this kernel does not count its entries", "build one that tracks utilisation") \
	X(refuted,              KB_MAKES_INVALID,    "the claim is refuted", "") \
	X(few_refuted,          KB_NOTE,             "the check refuted a few observations, which were left out", "") \
	X(kvm_unfit,            KB_NOTE,             "KVM cannot be used", "") \
	X(composed_late,        KB_MAKES_NOISY,      "machine code was composed inside the timed region", "compose it in setup()") \
	X(no_console,           KB_MAKES_INVALID,    "nothing on the console", "")

enum kb_code {
#define X(code, severity, words, hint) KB_CODE_##code,
	KB_CODES(X)
#undef X
	KB_CODE_COUNT
};

/* All four return static text; an unknown status or code gives "?". */
const char *kb_status_name(enum kb_status status);
const char *kb_code_name(enum kb_code code);
const char *kb_code_words(enum kb_code code);
const char *kb_code_hint(enum kb_code code);

enum kb_severity kb_code_severity(enum kb_code code);

/* The code of that name, KB_CODE_COUNT if there is none. */
enum kb_code kb_code_find(const char *name);

/* The status that a reason of this severity leads to. */
enum kb_status kb_severity_status(enum kb_severity severity);

#endif
