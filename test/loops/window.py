#!/usr/bin/env python3
"""Prints what this core's reorder window does to KBench's contention probe: test/loops/window.py [--seconds N] [--cpu N] [--documented]

For a machine that nobody measured, of x86-64 or AArch64; post what it prints, with the processor's name. Loops of 20 chained
multiplications and a growing number of no-operations take turns with a chain of additions. Printed are core cycles a loop: the lowest
twentieth, the middle and the highest twentieth. Then the simple core (in order into a reorder window and out of it, so many a cycle, so many
multiplications waiting) that fits the lowest and the highest twentieth best; less room in the second tells that the other thread
ran, and that the probe sees it. --documented prints instead what the probe takes on that simple core with published sizes.
"""
import collections, os, subprocess, sys, tempfile

sys.dont_write_bytecode = True
from loops import HERE, cpus_here, parser, quantile

CHAIN, NOPS = 20, 270           # of the contention probe
PURE = 960                      # no-operations alone
CONTENDED = 1.06                # times the floor: less is uncontended
OTHERS = 3                      # instructions of a loop beside them
LATENCY = 3                     # cycles of a multiplication
WINDOWS = [64, 96, 128, 160, 192, 256, 320, 448]
QUEUES = [8, 12, 16, 20, 24, 32, 48, 97]
ENDLESS = 97                    # the largest that is published, for the whole core
QUEUED, QUEUED_CONTENDED = 16, 12       # what fits Zen 4 best

# Reorder window and instructions a cycle; whether two no-operations are one entry. Windows: tables of measured structures, as at
# chipsandcheese.com, wikichip.org and anandtech.com; the widths are those of rename.
DOCUMENTED = [("Intel Skylake, Cascade Lake", 224, 4, 1), ("Intel Sunny Cove (Ice Lake)", 352, 5, 1), ("Intel Golden Cove", 512, 6, 1),
              ("AMD Zen 3", 256, 6, 1), ("AMD Zen 4", 320, 6, 2), ("Arm Neoverse N1", 128, 4, 1), ("Arm Neoverse N2", 160, 5, 1)]


def simulate(window, width, pair, queue, nops, loops=10):
    """
    Core cycles a loop of the simple core: entries go in and come out in order, `width` a cycle; at most `window` are inside, at most `queue`
    multiplications wait there for their operand or the one unit they have.
    """
    out, begun, marks, busy = [], [], [], set()
    into = leave = 0.0
    for _ in range(loops):
        ready = 0.0
        for entry in range(OTHERS + CHAIN + nops // pair):
            into = max(into + 1 / width, out[-window] if len(out) >= window else 0.0)
            done = into
            if 1 <= entry <= CHAIN:
                if len(begun) >= queue:
                    into = max(into, sorted(begun[-4 * queue:])[-queue])
                at = int(max(ready, into)) + 1
                while at in busy:
                    at += 1
                busy.add(at)
                begun.append(at)
                done = ready = at + LATENCY - 1
            leave = max(leave + 1 / width, done)
            out.append(leave)
        marks.append(leave)
    half = loops // 2
    return (marks[-1] - marks[half - 1]) / (loops - half)


def print_documented():
    print("%-28s %7s %6s %16s %12s %16s %12s" % (
        "core", "window", "width", "cycles, no queue", "half window", "cycles, queue 16", "queue of 12"))
    for name, window, width, pair in DOCUMENTED:
        whole = simulate(window, width, pair, ENDLESS, NOPS), simulate(window, width, pair, QUEUED, NOPS)
        print("%-28s %7d %6d %16.1f %+10.0f %% %16.1f %+10.0f %%" % (
            name, window, width, whole[0], 100 * (simulate(window // 2, width, pair, ENDLESS, NOPS) / whole[0] - 1),
            whole[1], 100 * (simulate(window, width, pair, QUEUED_CONTENDED, NOPS) / whole[1] - 1)))


def measured(wish):
    """{(multiplications, no-operations): core cycles a loop}"""
    arch = os.uname().machine
    if not os.path.exists(os.path.join(HERE, "window_%s.c" % arch)):
        sys.exit("window.py: no loops for %s" % arch)
    with tempfile.TemporaryDirectory() as work:
        program = os.path.join(work, "window")
        subprocess.run(["cc", "-O2"] + [os.path.join(HERE, n) for n in ("window.c", "window_%s.c" % arch)] + ["-o", program], check=True)
        done = subprocess.run([program, "%g" % wish.seconds, str(wish.cpu)], capture_output=True, text=True, check=True,
                              timeout=10 * wish.seconds + 60)
    loops = collections.defaultdict(list)
    for line in done.stdout.split("\n")[:-1]:
        chain, nops, ns, add = line.split()
        if float(add) > 0:
            loops[int(chain), int(nops)].append(float(ns) / float(add))
    return loops


def print_second(loops):
    """Whether no-operations alone, whose least is known from the core's width, tell the same as the probe beside them."""
    alone, probe = (next(cycles for (c, n), cycles in loops.items() if (c, n) == kind) for kind in ((0, PURE), (CHAIN, NOPS)))
    floors = [quantile(cycles, 0.05) for cycles in (alone, probe)]
    contended = [a / floors[0] - 1 for a, p in zip(alone, probe) if p > CONTENDED * floors[1]]
    clean = [a / floors[0] - 1 for a, p in zip(alone, probe) if p <= CONTENDED * floors[1]]
    for name, values in (("at its floor", clean), ("above", contended)):
        if values:
            print("the probe %s in %d of %d turns: no-operations alone %+.1f %% (median), above theirs by 3 %% in %.0f %%" % (
                name, len(values), len(alone), 100 * quantile(values, 0.5), 100 * sum(v > 0.03 for v in values) / len(values)))


def fit(lengths, cycles, rate):
    """(misfit in percent, window, queue, pair) of the best simple core; of equal ones that with the smallest window."""
    best = None
    for pair in (1, 2):
        for window in WINDOWS:
            for queue in QUEUES:
                off = sum((simulate(window, rate / pair, pair, queue, n) / c - 1) ** 2 for n, c in zip(lengths, cycles)) / len(lengths)
                best = min(best or (1e9,), (round(100 * off ** 0.5, 2), window, queue, pair))
    return best


def processor():
    facts = {}
    with open("/proc/cpuinfo") as file:
        for line in file:
            key, _, value = line.partition(":")
            facts.setdefault(key.strip(), value.strip())
    names = ("vendor_id", "cpu family", "model", "model name", "stepping", "microcode", "CPU implementer", "CPU part", "CPU variant")
    return ", ".join("%s %s" % (n, facts[n]) for n in names if n in facts)


def main():
    made = parser(__doc__)
    made.add_argument("--seconds", type=float, default=10)
    made.add_argument("--cpu", type=int, default=cpus_here()[-1])
    made.add_argument("--documented", action="store_true")
    wish = made.parse_args()
    if wish.documented:
        print_documented()
        return
    loops = measured(wish)
    print("%s, %s" % (os.uname().machine, processor()))
    print("%-16s %-16s %10s %10s %10s  core cycles a loop" % ("multiplications", "no-operations", "lowest", "middle", "highest"))
    for (chain, nops), cycles in loops.items():
        print("%-16d %-16d %10.2f %10.2f %10.2f%s" % (chain, nops, *(quantile(cycles, at) for at in (0.05, 0.5, 0.95)),
                                                    "  the probe" if nops == NOPS else ""))
    print_second(loops)
    lengths = [n for c, n in loops if c == CHAIN and n % 128 == 0]
    for name, at in (("lowest", 0.05), ("highest", 0.95)):
        rate = next(n / quantile(cycles, at) for (c, n), cycles in loops.items() if c == 0)
        off, window, queue, pair = fit(lengths, [quantile(loops[CHAIN, n], at) for n in lengths], rate)
        print("%s twentieth: %.2f no-operations a cycle; best fit: %d multiplications wait, the window holds %d or more, %s; within %.1f %%" % (
            name, rate, queue, window, "two no-operations in one place" if pair == 2 else "each no-operation in a place", off))


main()
