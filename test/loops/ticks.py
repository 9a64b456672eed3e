#!/usr/bin/env python3
"""Prints what interruptions leave in uncontended samples: test/loops/ticks.py [--seconds N] [--processes N]

System calls are timed in pieces of 0.8 us without a pause, some 150 us between two contention probes. A piece 0.7 us longer than usual was
interrupted: by the timer, another interrupt, or the host. Printed are how often and how long; what the pieces before and behind cost
beside the others of their stretch; and what samples of 10 us cost with an interruption in them, right behind one, and without.
"""
import collections, statistics, subprocess, sys, tempfile

sys.dont_write_bytecode = True
from loops import ABOVE, FLOOR_AT, compile_loop, cpus_here, need_x86, parser, quantile, step_of

LONGER_US = 0.7
SAMPLE = 12                     # pieces: 10 us
AFTER = 120                     # pieces: 100 us
DISTANCES = [(-40, -11), (-10, -4), (-3, -2), (-1, -1), (1, 1), (2, 2), (3, 4), (5, 8), (9, 16), (17, 32), (33, 64), (65, 128)]


def stolen():
    """Seconds that the host reports as stolen, and local timer interrupts."""
    with open("/proc/stat") as file:
        steal = int(file.readline().split()[8]) / 100
    with open("/proc/interrupts") as file:
        timer = sum(int(w) for line in file if line.split()[0] == "LOC:" for w in line.split() if w.isdigit())
    return steal, timer


def uncontended_stretches(program, seconds, cpu):
    done = subprocess.run([program, "%g" % seconds, str(cpu)], capture_output=True, text=True, timeout=10 * seconds + 60, check=True)
    lines = done.stdout.split("\n")
    words = lines[0].split()
    rows = [line.split() for line in lines[1:-1]]
    probes = [(int(r[1]), int(r[2])) for r in rows]
    step = step_of([before for before, _ in probes[:5000]])
    most = [ABOVE * quantile([p[side] for p in probes], FLOOR_AT) + step for side in (0, 1)]
    us = 1e6 / float(words[1])
    return [[int(p) * us for p in r[3:]] for r, p in zip(rows, probes) if p[0] <= most[0] and p[1] <= most[1]], int(words[3]), len(rows)


def trimmed(values):
    """The mean without a tenth at each end: pieces are a few steps of the clock."""
    ordered = sorted(values)
    cut = len(ordered) // 10
    return statistics.mean(ordered[cut:len(ordered) - cut])


def main():
    made = parser(__doc__)
    made.add_argument("--seconds", type=float, default=8, help="of one process")
    made.add_argument("--processes", type=int, default=4)
    wish = made.parse_args()
    need_x86()
    before = stolen()
    stretches, all_of_them = [], 0
    with tempfile.TemporaryDirectory() as work:
        program = compile_loop(work, "ticks")
        for number in range(wish.processes):
            found, calls, count = uncontended_stretches(program, wish.seconds, cpus_here()[number % len(cpus_here())])
            stretches += found
            all_of_them += count
    steal, timer = (b - a for a, b in zip(before, stolen()))
    print("%d stretches, %d of them uncontended; meanwhile %.2f s stolen, %d timer interrupts on all CPUs" % (
        all_of_them, len(stretches), steal, timer))
    if len(stretches) < 20:
        print("too little uncontended time")
        return
    near = collections.defaultdict(list)
    lengths, kinds = [], collections.defaultdict(list)
    for pieces in stretches:
        usual = statistics.median(pieces)
        hits = [i for i, piece in enumerate(pieces) if piece > usual + LONGER_US]
        lengths += [pieces[i] - usual for i in hits]
        if len(hits) == 1:
            rest = trimmed([p for i, p in enumerate(pieces) if i != hits[0]])
            for low, high in DISTANCES:
                inside = [pieces[hits[0] + d] for d in range(low, high + 1) if 0 <= hits[0] + d < len(pieces)]
                near[low, high] += [100 * (p / rest - 1) for p in inside]
        for at in range(0, len(pieces) - SAMPLE + 1, SAMPLE):
            sample = 1e3 * sum(pieces[at:at + SAMPLE]) / SAMPLE / calls
            inside = any(at <= hit < at + SAMPLE for hit in hits)
            behind = min((at - hit for hit in hits if hit < at), default=AFTER + 1)
            kinds["all"].append(sample)
            kinds["interrupted" if inside else "the next 10 us" if behind <= SAMPLE else "then up to 100 us" if behind <= AFTER else
                  "none"].append(sample)
    seconds = sum(map(sum, stretches)) / 1e6
    print("%.1f s uncontended, %d interruptions in it: %.0f a second, median %.1f us, upper quartile %.1f us, 99 %% below %.1f us" % (
        seconds, len(lengths), len(lengths) / seconds, *(quantile(lengths or [0], at) for at in (0.5, 0.75, 0.99))))
    print("%-26s %10s %16s" % ("pieces from interruption", "pieces", "dearer by, %"))
    for low, high in DISTANCES:
        if len(near[low, high]) >= 10:
            print("%-26s %10d %+16.2f" % ("%+d to %+d" % (low, high), len(near[low, high]), trimmed(near[low, high])))
    print("%-26s %10s %16s %14s" % ("samples of 10 us", "samples", "median, ns a call", "off, %"))
    for name in ("none", "interrupted", "the next 10 us", "then up to 100 us", "all"):
        if kinds[name]:
            print("%-26s %10d %16.2f %+14.3f" % (name, len(kinds[name]), statistics.median(kinds[name]),
                                            100 * (statistics.median(kinds[name]) / statistics.median(kinds["none"] or kinds["all"]) - 1)))


main()
