/*
 * Verdict codes: one table for the whole project. Codes are only added to, never renamed or translated.
 * The worst severity among a result's reasons is its status; every reason is kept and printed.
 */
#ifndef KB_BASE_VERDICT_H
#define KB_BASE_VERDICT_H

#include "types.h"

/* In the order of badness: the worst decides. */
enum kb_status { KB_OK, KB_NOISY, KB_UNVERIFIED, KB_INVALID, KB_SKIPPED, KB_STATUSES };

/* A cause was seen, and is excluded from the number or covered by its CI: a tag next to it, and no verdict. */
enum kb_severity { KB_NOTE, KB_CAUSE, KB_MAKES_NOISY, KB_MAKES_UNVERIFIED, KB_MAKES_INVALID, KB_MAKES_SKIPPED };

/*      code                     severity             tag               what it says in words, and what to do */
#define KB_CODES(X) \
	X(op_failed,               KB_MAKES_INVALID,    "failed",         "the operation failed", "see the failing call; no sample of it was used") \
	X(setup_failed,            KB_MAKES_INVALID,    "set-up",         "set-up failed", "see the failing call") \
	X(check_failed,            KB_MAKES_INVALID,    "check",          "the benchmark's own check failed", "the operation did not do its work") \
	X(expect_failed,           KB_MAKES_INVALID,    "evidence",       "evidence contradicts the claim", "the operation happened more or less often than counted") \
	X(crashed,                 KB_MAKES_INVALID,    "crash",          "the collector crashed", "see the signal and the function") \
	X(timeout,                 KB_MAKES_INVALID,    "timeout",        "no answer within the time limit", "raise --timeout, or the operation hangs") \
	X(left_behind,             KB_MAKES_INVALID,    "left over",      "the benchmark left something behind", "processes were killed; remove in teardown what set-up makes") \
	X(record_truncated,        KB_MAKES_INVALID,    "record",         "the record is cut off or garbled", "its numbers were not used") \
	X(clock_backwards,         KB_MAKES_INVALID,    "clock",          "the clock stepped back", "try --clock ns") \
	X(clock_coarse,            KB_MAKES_NOISY,      "coarse clock",   "samples are short against the clock's step", "a larger n is not possible here") \
	X(timer_bound,             KB_NOTE,             "",               "no percentiles: shorter than 10 clock reads", "an operation must last ten clock readings") \
	X(clock_unstable,          KB_MAKES_NOISY,      "clock",          "the clock's rate changed", "see kbench doctor") \
	X(ladder_failed,           KB_MAKES_NOISY,      "clock",          "the clock fails its self-test", "times of a known chain are not proportional; try --clock ns") \
	X(tick_limited,            KB_NOTE,             "",               "limited by the clock's resolution", "the CI is one step wide") \
	X(clock_not_cycles,        KB_NOTE,             "",               "the clock does not count core cycles", "cycles come from the clock probe") \
	X(emulated_clock,          KB_MAKES_UNVERIFIED, "emulated",       "an emulator supplies the clock", "its numbers are no times") \
	X(clock_unknown,           KB_NOTE,             "",               "what the clock counts there is not known", "give it with kbench sel4 boot --clock") \
	X(clock_included,          KB_NOTE,             "",               "the reading of the clock is in the number", "a slope has no such part") \
	X(freq_drift,              KB_CAUSE,            "clock moved",    "the core clock moved", "the CI over processes covers it; compare in core cycles") \
	X(sentinel_off,            KB_CAUSE,            "contention",     "core contention or a slower core clock (version 1)", "measure again for an uncontended cost") \
	X(migrated,                KB_CAUSE,            "migrated",       "samples changed the CPU", "they were excluded; pin with --cpus") \
	X(irq_hit,                 KB_CAUSE,            "interrupts",     "interrupts hit samples", "they were excluded") \
	X(ctx_switch,              KB_CAUSE,            "preempted",      "samples were preempted", "they were excluded; stop other work for more samples") \
	X(page_fault,              KB_CAUSE,            "faults",         "page faults that the operation does not claim", "their samples were excluded; memory pressure, or the operation touches new memory: then claim KB_MINFLT") \
	X(steal,                   KB_CAUSE,            "steal",          "the hypervisor took the CPU", "a shared host: the samples that it hit were excluded where that was seen") \
	X(gap,                     KB_CAUSE,            "off CPU",        "the thread was off the CPU in samples", "they were excluded; other work or the hypervisor") \
	X(env_virtual,             KB_NOTE,             "",               "virtual machine", "absolute times drift with the neighbours") \
	X(freq_uncontrolled,       KB_NOTE,             "",               "frequency control is unknown", "core cycles stay comparable") \
	X(maybe_sibling,           KB_NOTE,             "",               "the two CPUs may share one core", "the topology is not known for sure") \
	X(no_steady_state,         KB_MAKES_INVALID,    "unsteady",       "no steady state was reached", "each sample must find what the first one did; kbench show --plot") \
	X(unsettled,               KB_MAKES_NOISY,      "unsettled",      "no steady state, on a core that others may have used", "measure again while the host is idle; kbench show --plot") \
	X(slowdown,                KB_CAUSE,            "slowdown",       "it became slower while measured", "heat, or a growing structure") \
	X(drift,                   KB_CAUSE,            "drift",          "values drift with time", "the CI over processes covers it") \
	X(changepoint,             KB_CAUSE,            "steps",          "step changes while measured", "the CI over processes covers them") \
	X(inconsistent,            KB_CAUSE,            "steps",          "processes differ in how they settle", "layout or neighbours; raise --processes") \
	X(multimodal,              KB_MAKES_NOISY,      "modes",          "more than one mode", "one number does not describe it") \
	X(flat,                    KB_NOTE,             "",               "no warm-up seen", "") \
	X(warmup,                  KB_NOTE,             "",               "a warm-up was seen and left out", "") \
	X(too_few_effective,       KB_MAKES_NOISY,      "few samples",    "too few effective samples", "raise --budget") \
	X(rank_out_of_range,       KB_MAKES_NOISY,      "few samples",    "too few samples for this quantile", "raise --budget") \
	X(autocorrelated,          KB_NOTE,             "",               "samples depend on their neighbours", "the CI allows for it") \
	X(not_normal,              KB_NOTE,             "",               "not normally distributed", "") \
	X(dead_code,               KB_MAKES_INVALID,    "no work",        "time does not grow with n", "the compiler removed the operation") \
	X(nonlinear,               KB_MAKES_NOISY,      "nonlinear",      "time is not proportional to n", "the cost depends on how often it is repeated") \
	X(robust_disagrees,        KB_CAUSE,            "outliers",       "outliers: least-squares and robust slope differ", "the robust slope ignores them") \
	X(common_mode,             KB_CAUSE,            "correlated",     "correlated noise shifts whole samples", "the CI over processes covers it") \
	X(intercept_bias,          KB_NOTE,             "",               "a fixed cost per sample was separated", "") \
	X(var_not_proportional,    KB_NOTE,             "",               "variance is not proportional to n", "") \
	X(base_exceeds_op,         KB_MAKES_INVALID,    "mismatch",       "the empty loop is slower than the measured loop", "they do not match") \
	X(below_resolution,        KB_MAKES_NOISY,      "near zero",      "the cost cannot be distinguished from zero", "only its upper limit is known") \
	X(base_dominates,          KB_MAKES_NOISY,      "overhead",       "the loop overhead is a large part", "the cost lies between net and gross") \
	X(too_wide,                KB_MAKES_NOISY,      "wide",           "the 95 % CI is too wide", "raise --budget, or stop other work") \
	X(target_met,              KB_NOTE,             "",               "precision reached", "") \
	X(budget_exhausted,        KB_NOTE,             "",               "time budget used up before the precision was reached", "raise --budget") \
	X(partial_run,             KB_MAKES_NOISY,      "few processes",  "fewer processes than a CI takes", "raise --budget or --processes") \
	X(not_reached,             KB_MAKES_SKIPPED,    "no time",        "the run ended before its first process", "raise --budget, or select fewer benchmarks") \
	X(event_disagrees,         KB_MAKES_UNVERIFIED, "events",         "hardware events do not confirm the claim", "what an event counts differs between processors: read the count") \
	X(expect_unknown,          KB_MAKES_UNVERIFIED, "unproven",       "not verified", "see kbench doctor") \
	X(partial_overlap,         KB_MAKES_NOISY,      "overlap",        "copies did not overlap all the time", "stop other work; fewer copies than CPUs") \
	X(verified_by_events,      KB_NOTE,             "",               "hardware events confirm the operation", "") \
	X(need_unmet,              KB_MAKES_SKIPPED,    "needs",          "requirement not met", "see the reason") \
	X(env_mismatch,            KB_MAKES_NOISY,      "environments",   "environments differ", "compare on one machine") \
	X(single_launch,           KB_MAKES_NOISY,      "one process",    "one process", "layout luck is inside") \
	X(one_layout,              KB_MAKES_NOISY,      "one layout",     "one memory layout", "layout luck is inside; call KB_MEASURABLE first in main") \
	X(unpaired,                KB_NOTE,             "",               "not interleaved: the CI holds what differs between occasions", "use kbench ab") \
	X(debug_kernel,            KB_MAKES_NOISY,      "debug kernel",   "a debug kernel", "measure a release build") \
	X(timer_ticks,             KB_NOTE,             "",               "timer ticks inside samples", "") \
	X(no_entry_count,          KB_MAKES_UNVERIFIED, "no count",       "this kernel does not count its entries", "name one that tracks utilisation in SEL4_COUNTED_PREFIX") \
	X(refuted,                 KB_MAKES_INVALID,    "refuted",        "the claim is refuted", "") \
	X(few_refuted,             KB_NOTE,             "",               "the check refuted a few samples, which were left out", "") \
	X(kvm_unfit,               KB_NOTE,             "",               "KVM cannot be used", "") \
	X(composed_late,           KB_MAKES_NOISY,      "composed late",  "machine code was composed inside the timed region", "compose it in setup()") \
	X(looked_up,               KB_NOTE,             "",               "composed functions are looked up inside the timed region", "keep in a datum what setup() gets") \
	X(no_console,              KB_MAKES_INVALID,    "console",        "nothing on the console", "") \
	X(contention,              KB_CAUSE,            "contention",     "core contention; contended samples excluded", "the cost is of the uncontended rest") \
	X(contention_not_excluded, KB_MAKES_NOISY,      "contention",     "contention not excluded", "raise --budget, or measure when the host is quieter") \
	X(throttled,               KB_CAUSE,            "throttled",      "a CPU quota stopped the process", "raise the quota of the control group") \
	X(partner_not_probed,      KB_NOTE,             "",               "a partner on another CPU was not probed for contention", "the headline is the observed cost") \
	X(contention_asked,        KB_NOTE,             "",               "contention was requested", "the headline is the observed cost") \
	X(calls_failed,            KB_MAKES_INVALID,    "failing calls",  "system calls of the operation fail", "mend it, or declare the errors that belong to it in .errors") \
	X(base_works,              KB_MAKES_INVALID,    "base",           "the empty loop is not empty", "what it does would be subtracted from the operation; leave it out of base") \
	X(bytes_missing,           KB_MAKES_INVALID,    "bytes",          "fewer bytes were moved than claimed", "correct bytes_per_op, or the operation") \
	X(wrong_cpu,               KB_MAKES_INVALID,    "wrong CPU",      "the operation ran on another CPU than declared", "leave threads on the CPUs that kbench gave them") \
	X(partner_idle,            KB_MAKES_INVALID,    "partner",        "the partner did nothing", "without it the operation is another one") \
	X(ticks_exceed_elapsed,    KB_MAKES_INVALID,    "ticks",          "observe reported more time than passed", "report differences of kb_now") \
	X(undeclared_help,         KB_MAKES_UNVERIFIED, "helpers",        "others worked while the operation did", "start them by kb_peer_start or kb_companion_start, which declare the CPU") \
	X(proof_failed,            KB_NOTE,             "",               "the benchmark failed while its calls were counted", "traced, it is slower: what it does is not known this well") \
	X(later_differs,           KB_MAKES_UNVERIFIED, "not one cost",   "first samples may not be of the same operation as later ones", "does it do less once it is measured? where caches are cold at first, claim the memory with kb_claim_memory") \
	X(long_operation,          KB_NOTE,             "",               "operations last too long for probes at their ends alone", "the headline is the observed cost; kb_part divides an operation") \
	X(page_walks,              KB_NOTE,             "",               "page walks are inside", "-p pages=huge has none") \
	X(cache_refills,           KB_NOTE,             "",               "cache refills are inside", "a smaller -p size, or fewer processes, have none") \
	X(contention_immaterial,   KB_NOTE,             "",               "contention makes no difference to it", "the headline is the observed cost; more time would give an uncontended one") \
	X(few_runs,                KB_MAKES_NOISY,      "few runs",       "fewer runs than a CI takes", "raise --runs, or leave it out") \
	X(imported,                KB_NOTE,             "",               "measured by another program", "what it proves and how it times is its own")

enum kb_reason_code {
#define X(code, severity, tag, words, hint) KB_CODE_##code,
	KB_CODES(X)
#undef X
	KB_CODE_COUNT
};

/* All five return static text; an unknown status or code gives "?". */
const char *kb_status_name(enum kb_status status);
const char *kb_code_name(enum kb_reason_code code);
const char *kb_code_words(enum kb_reason_code code);
const char *kb_code_tag(enum kb_reason_code code);     /* one or two words for a column of a table; "" for notes */
const char *kb_code_hint(enum kb_reason_code code);

enum kb_severity kb_code_severity(enum kb_reason_code code);

/* The code of that name, KB_CODE_COUNT if there is none. */
enum kb_reason_code kb_code_find(const char *name);

/* The status that a reason of this severity leads to. */
enum kb_status kb_severity_status(enum kb_severity severity);

#endif
