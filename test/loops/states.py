#!/usr/bin/env python3
"""Prints the states that uncontended samples of one process take: test/loops/states.py [--seconds N] [--processes N] [--causes N]

Fresh processes make system calls, mispredicted returns and additions in turn, and every 400 turns they run through 16384 jumps, which take
the places that predictors had for others. Three tables: the levels of each kind of sample, with the time spent at them; what lies
between two stretches of different levels; whether the level moves where the jumps were, or as far from them. Then how far round
trips of two processes through a pipe get from their own median within 5 ms, alone and beside spinners. --causes N adds what they cost
while somebody else uses the kernel's tracing, N seconds each: root, and the kernel's tracefs.
"""
import collections, os, statistics, subprocess, sys, tempfile
from math import exp, log

sys.dont_write_bytecode = True
from loops import compile_loop, cpus_here, need_x86, parser, stop, take_samples, uncontended
from noise import run_json

EVERY = 400                     # turns between two runs through the jumps
KINDS = ["null:60", "called:60", "selfpipe:15", "badret:200", "clock:20000", "jumps=256:%d" % EVERY]
JUDGED = 5                      # the jumps' own are none
STRETCH = 5                     # samples at one level, at the least
APART = 0.03                    # levels, and a move from one to the other
BLOCK_US = 5000
BINS = 200                      # for each factor of e

TRACES = [("nobody traces", []), ("events of the timer", ["timer", "irq"]), ("event sched_switch", ["sched/sched_switch"]),
          ("all events of the scheduler", ["sched"]), ("system calls", ["raw_syscalls"]),
          ("scheduler and system calls", ["sched", "raw_syscalls"])]


def levels_of(values):
    """Where the samples heap up: (level, those within 1.5 % of it)."""
    heap = collections.Counter(int(BINS * log(v)) for v in values)
    found = []
    for at, _ in heap.most_common():
        near = sum(heap[at + d] for d in range(-3, 4))
        middle = exp((at + 0.5) / BINS)
        if near < 0.01 * len(values):
            break
        if all(abs(middle / level - 1) > APART for level, _ in found):
            found.append((middle, near))
    return sorted(found)


def stretches_of(rows, kind, clean, ns, levels):
    """[level, first row, last row, samples]: uncontended ones in a row at one level."""
    found = []
    for i, row in enumerate(rows):
        if i not in clean[kind]:
            continue
        value = row[kind].ticks * ns
        near = min(levels, key=lambda level: abs(value / level - 1))
        if abs(value / near - 1) > APART / 2:
            continue
        if found and found[-1][0] == near:
            found[-1][2] = i
            found[-1][3] += 1
        else:
            found.append([near, i, i, 1])
    return [f for f in found if f[3] >= STRETCH]


def moved(rows, kind, clean, ns):
    """Of the runs through the jumps, and of as many places half way between: how often the level was another one behind it."""
    seen = {True: [0, 0], False: [0, 0]}
    for at in range(EVERY // 2, len(rows), EVERY // 2):
        sides = [[rows[i][kind].ticks * ns for i in range(*ends) if i in clean[kind]]
                 for ends in ((max(at - 40, 0), at), (at + 2, min(at + 42, len(rows))))]
        if min(map(len, sides)) >= 10:
            before, after = map(statistics.median, sides)
            seen[at % EVERY == 0][0] += abs(after / before - 1) > APART
            seen[at % EVERY == 0][1] += 1
    return seen


def watch(wish):
    runs = []
    with tempfile.TemporaryDirectory() as work:
        program = compile_loop(work, "samples")
        for number in range(wish.processes):
            samples, hz, _ = take_samples(program, wish.seconds, [cpus_here()[number % len(cpus_here())]], KINDS)
            good = {id(s) for s in uncontended(samples)}
            rows = [samples[i:i + len(KINDS)] for i in range(0, len(samples) - len(KINDS) + 1, len(KINDS))]
            clean = [{i for i, row in enumerate(rows) if id(row[kind]) in good} for kind in range(JUDGED)]
            runs.append((rows, clean, 1e9 / hz))
    return runs


def print_states(wish, runs):
    cycle = None
    print("%d processes, %g s each; uncontended samples %.0f %%" % (
        wish.processes, wish.seconds, 100 * statistics.mean(len(c) / max(len(rows), 1) for rows, clean, _ in runs for c in clean)))
    print("%-10s %10s %12s %10s %10s %12s %12s" % ("kind", "level, ns", "core cycles", "of samples", "stretches", "median, ms", "longest, ms"))
    for kind in reversed(range(JUDGED)):
        name, n = KINDS[kind].split(":")
        values = [rows[i][kind].ticks * ns / int(n) for rows, clean, ns in runs for i in clean[kind]]
        if len(values) < 100:
            print("%-10s too few uncontended samples" % name)
            continue
        if name == "clock":
            cycle = statistics.median(values)       # an addition
        levels = levels_of(values)
        lengths, between = collections.defaultdict(list), [0, 0]
        for rows, clean, ns in runs:
            stretches = stretches_of(rows, kind, clean, ns / int(n), [level for level, _ in levels])
            for level, first, last, _ in stretches:
                lengths[level].append((rows[last][kind].us - rows[first][kind].us) / 1e3)
            for (a, _, last, _), (b, first, _, _) in zip(stretches, stretches[1:]):
                between[first - last > 1] += a != b
        for level, count in levels:
            ms = lengths[level] or [0]
            print("%-10s %10.2f %12s %8.1f %% %10d %12.2f %12.1f" % (
                name, level, "%.1f" % (level / cycle) if cycle else "-", 100 * count / len(values), len(lengths[level]), statistics.median(ms),
                max(ms)))
        there, elsewhere = [0, 0], [0, 0]
        for rows, clean, ns in runs:
            for total, own in zip((there, elsewhere), (moved(rows, kind, clean, ns)[key] for key in (True, False))):
                total[0] += own[0]
                total[1] += own[1]
        print("%-10s changes of level: %d with nothing between, %d with a contended or another sample;"
              " %d of %d at the jumps, %d of %d elsewhere" % ("", *between, *there, *elsewhere))


# ---- a pair of processes, and what others do to it ----------------------------------------------------------------------

def spinners(seconds, session):
    """One on each CPU, in a session of its own (a scheduling group of its own, by autogroup) or in ours; they end by themselves, too."""
    code = "import os,time\nos.sched_setaffinity(0,{%%d})\nend=time.time()+%g\nwhile time.time()<end: pass" % seconds
    return [subprocess.Popen([sys.executable, "-c", code % cpu], start_new_session=session) for cpu in cpus_here()]


def pair_blocks(wish):
    """Medians of 5 ms with at least 20 uncontended samples, in parts of the median of all."""
    blocks = []
    with tempfile.TemporaryDirectory() as work:
        program = compile_loop(work, "samples")
        for number in range(wish.processes):
            samples, _, _ = take_samples(program, wish.seconds / 3, [cpus_here()[number % len(cpus_here())]], ["pair:4"])
            found = collections.defaultdict(list)
            for s in uncontended(samples):
                found[int(s.us // BLOCK_US)].append(s.ticks)
            blocks += [statistics.median(b) for b in found.values() if len(b) >= 20]
    middle = statistics.median(blocks or [1])
    return [b / middle - 1 for b in blocks]


def print_pairs(wish):
    limits = (-1, -0.07, 0.07, 0.2, 0.6, float("inf"))
    print("%-34s %8s %10s %10s %12s %12s %10s" % ("pipe between two processes", "blocks", "below -7 %", "within", "+7 to 20 %", "+20 to 60 %", "above"))
    for name, session in (("nobody on purpose", None), ("spinners of another session", True), ("spinners of the same session", False)):
        children = [] if session is None else spinners(20 * wish.seconds * wish.processes, session)
        try:
            off = pair_blocks(wish)
        finally:
            stop(children)
        counts = [sum(low < o <= high for o in off) for low, high in zip(limits, limits[1:])]
        print("%-34s %8d %10d %10d %12d %12d %10d" % (name, len(off), *counts))


def cost(wish):
    results = run_json(wish.build, ["ipc.pipe_latency", "sys.null", "--defaults", "-p", "placement=same-cpu", "--budget",
                                    "%gs" % (2 * wish.causes)], 20 * wish.causes + 60)
    return {r["benchmark"]: (r["estimate"]["value"], r["headline"]) for r in results}


def print_causes(wish):
    if os.geteuid() != 0:
        print("--causes: needs root")
        return
    with tempfile.TemporaryDirectory() as work:
        if subprocess.run(["mount", "-t", "tracefs", "none", work], capture_output=True).returncode:
            print("--causes: this kernel has no tracefs")
            return
        instance = os.path.join(work, "instances", "states.%d" % os.getpid())
        try:
            os.mkdir(instance)
            print("%-30s %14s %8s %14s %8s  %s" % ("somebody traces", "pipe, ns", "shift", "getppid, ns", "shift", "headline"))
            first = None
            for name, events in TRACES:
                for event in events:
                    with open(os.path.join(instance, "events", event, "enable"), "w") as out:
                        out.write("1")
                now = cost(wish)
                first = first or now
                with open(os.path.join(instance, "events", "enable"), "w") as out:
                    out.write("0")
                print("%-30s" % name + "".join(" %14.1f %+6.1f %%" % (now[b][0] or 0, 100 * ((now[b][0] or 0) / (first[b][0] or 1) - 1))
                                               for b in ("ipc.pipe_latency", "sys.null")) + "  " + now["ipc.pipe_latency"][1])
        finally:
            if os.path.isdir(instance):
                os.rmdir(instance)
            subprocess.run(["umount", work], check=True)


def main():
    made = parser(__doc__)
    made.add_argument("--seconds", type=float, default=3, help="of one process")
    made.add_argument("--processes", type=int, default=10)
    made.add_argument("--causes", type=float, default=0, help="seconds for each benchmark while somebody traces")
    wish = made.parse_args()
    need_x86()
    print_states(wish, watch(wish))
    print_pairs(wish)
    if wish.causes > 0:
        print_causes(wish)


main()
