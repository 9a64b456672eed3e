#!/usr/bin/env python3
"""Prints which probe tells what a neighbour in the last cache and on the memory bus costs: test/loops/last_cache.py [--seconds N]

On one CPU rings of pointers on huge pages and copies take turns with system calls; on another one a process of ours copies 64 MB, goes and
comes. Costs are medians over 20 ms. For each of them and each probe: the rank correlation of both; the CV of all; the CV of the
quarter in which the probe was fastest; and the CV of the cost over the probe's own, as a reference that is measured in turn gives it.
"""
import collections, itertools, random, signal, statistics, subprocess, sys, tempfile, threading

sys.dont_write_bytecode = True
from loops import compile_loop, cpus_here, need_x86, parser, rank_correlation, stop, take_samples, variation

KINDS = ["ring=4096:60", "ring=2048:100", "ring=16384:60", "ring=65536:60", "copy=4096:4", "copy=32768:4", "null:20", "ring=65536:60"]
NAMES = ["ring 4 MB", "ring 2 MB", "ring 16 MB", "ring 64 MB", "copy 4 MB", "copy 32 MB", "getppid", "ring 64 MB, twin"]
PROBES = [0, 2, 7, 4]
COSTS = [1, 3, 5, 6]
BLOCK_US = 20000


class Neighbour:
    """A process that copies, stopped and continued at random."""
    def __init__(self, program, seconds, cpu):
        self.child = subprocess.Popen([program, "%g" % (10 * seconds), str(cpu), "copy=131072:256"], stdout=subprocess.DEVNULL)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.come_and_go)
        self.thread.start()

    def come_and_go(self):
        signals = itertools.cycle((signal.SIGSTOP, signal.SIGCONT))
        while not self.over.wait(random.uniform(0.05, 0.4)):
            self.child.send_signal(next(signals))

    def end(self):
        self.over.set()
        self.thread.join()
        stop([self.child])


def blocks(samples):
    """Medians over 20 ms: [kind: ticks], and the contention probes' under None."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for s in samples:
        found[int(s.us // BLOCK_US)][s.kind].append(s.ticks)
        found[int(s.us // BLOCK_US)][None].append(s.before)
    whole = [b for b in found.values() if len(b) == len(KINDS) + 1 and min(map(len, b.values())) >= 10]
    return [{kind: statistics.median(values) for kind, values in b.items()} for b in whole]


def table(title, rows, ns):
    print("%s: %d blocks of 20 ms" % (title, len(rows)))
    if len(rows) < 12:
        print("too few")
        return
    print("%-12s %10s %8s   %-18s %12s %14s %16s" % (
        "cost", "median, ns", "CV, %", "probe", "correlation", "CV, fastest 1/4", "CV of ratio, %"))
    for cost in COSTS:
        values = [r[cost] for r in rows]
        for probe in [None] + PROBES:
            probes = [r[probe] for r in rows]
            best = [v for _, v in sorted(zip(probes, values))[:len(rows) // 4]]
            correlation = rank_correlation(probes, values)
            print("%-12s %10.2f %8.2f   %-18s %12s %14.2f %16.2f" % (
                NAMES[cost], statistics.median(values) * ns / int(KINDS[cost].split(":")[1]), variation(values),
                "contention probe" if probe is None else NAMES[probe], "-" if correlation is None else "%.2f" % correlation, variation(best),
                variation([v / p for v, p in zip(values, probes)])))


def main():
    made = parser(__doc__)
    made.add_argument("--seconds", type=float, default=15, help="alone, and as long alongside the neighbour")
    wish = made.parse_args()
    need_x86()
    cpus = cpus_here()
    with tempfile.TemporaryDirectory() as work:
        program = compile_loop(work, "samples")
        samples, hz, _ = take_samples(program, wish.seconds, cpus[-1:], KINDS)
        table("alone", blocks(samples), 1e9 / hz)
        if len(cpus) < 2:
            print("one CPU: no neighbour")
            return
        neighbour = Neighbour(program, wish.seconds, cpus[0])
        try:
            samples, hz, _ = take_samples(program, wish.seconds, cpus[-1:], KINDS)
        finally:
            neighbour.end()
        table("alongside a process that copies on CPU %d" % cpus[0], blocks(samples), 1e9 / hz)


main()
