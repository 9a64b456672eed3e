#!/usr/bin/env python3
"""Prints what the same work costs on two CPUs of this machine: test/loops/cpus.py [--rounds N] [--seconds N]

First fresh processes: kbench on one CPU, then on the other, in turn; the quotient of each round. Then processes that go from one CPU to the
other every 20 ms: the same pages, the same addresses, what is left between the CPUs lies in them or in what
the kernel keeps for each. Then the interrupts that each CPU took in this time.
"""
import collections, statistics, sys, tempfile

sys.dont_write_bytecode = True
from loops import compile_loop, cpus_here, need_x86, parser, take_samples, uncontended
from noise import name_of, run_json

BENCHES = ["sys.null", "sys.write_null", "sys.stat", "sig.self", "fault.anon", "cpu.op_latency", "ctx.switch"]
SETTINGS = ["-p", "op=imul", "-p", "placement=same-cpu"]
KINDS = ["null:60", "called:60", "selfpipe:15", "fault:16", "badret:200", "clock:20000", "ring=512:400"]


def interrupts():
    """Of each CPU, all kinds of them."""
    with open("/proc/interrupts") as file:
        names = [int(word[3:]) for word in file.readline().split()]
        counts = collections.Counter()
        for line in file:
            words = line.split()[1:1 + len(names)]
            if len(words) == len(names) and all(w.isdigit() for w in words):
                counts.update(dict(zip(names, map(int, words))))
    return counts


def fresh(wish, cpus):
    found = {cpu: [] for cpu in cpus}
    for number in range(wish.rounds):
        for cpu in cpus if number % 2 == 0 else cpus[::-1]:
            results = run_json(wish.build, BENCHES + ["--defaults", "--cpus", str(cpu), "--precision", "0.05%", "--budget",
                                                      "%gs" % (wish.seconds * len(BENCHES))] + SETTINGS, 20 * wish.seconds * len(BENCHES) + 60)
            found[cpu].append({name_of(r["benchmark"], ""): r["estimate"]["value"] for r in results if r["headline"] == "uncontended"})
    print("%-18s %12s %12s %10s   %s" % (
        "fresh processes", "CPU %d, ns" % cpus[0], "CPU %d, ns" % cpus[1], "CPU %d, %%" % cpus[1], "of each round, %"))
    for bench in BENCHES:
        pairs = [(a[bench], b[bench]) for a, b in zip(*found.values()) if bench in a and bench in b]
        if not pairs:
            print("%-18s no uncontended cost on both" % bench)
            continue
        off = [100 * (b / a - 1) for a, b in pairs]
        print("%-18s %12.2f %12.2f %+10.2f   %s" % (bench, statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs),
                                                 statistics.median(off), " ".join("%+.2f" % o for o in off)))


def moving(wish, cpus):
    found = {kind: [] for kind in range(len(KINDS))}
    costs = {kind: [] for kind in found}
    with tempfile.TemporaryDirectory() as work:
        program = compile_loop(work, "samples")
        for _ in range(2 * wish.rounds):
            samples, hz, _ = take_samples(program, wish.seconds, cpus, KINDS)
            by = collections.defaultdict(list)
            for s in uncontended(samples):
                by[s.cpu, s.kind].append(s.ticks)
            for kind in found:
                sides = [by[cpu, kind] for cpu in cpus]
                if min(map(len, sides)) >= 50:
                    a, b = map(statistics.median, sides)
                    found[kind].append(100 * (b / a - 1))
                    costs[kind].append(1e9 * a / hz / int(KINDS[kind].split(":")[1]))
    print("%-18s %12s %12s %10s   %s" % ("the same process", "CPU %d, ns" % cpus[0], "", "CPU %d, %%" % cpus[1], "of each process, %"))
    for kind, off in found.items():
        name = KINDS[kind].split(":")[0]
        if off:
            print("%-18s %12.2f %12s %+10.2f   %s" % (name, statistics.median(costs[kind]), "", statistics.median(off),
                                                   " ".join("%+.2f" % o for o in off)))
        else:
            print("%-18s too few uncontended samples on both" % name)


def main():
    made = parser(__doc__)
    made.add_argument("--rounds", type=int, default=4)
    made.add_argument("--seconds", type=float, default=3, help="for each benchmark and process")
    wish = made.parse_args()
    need_x86()
    cpus = cpus_here()
    if len(cpus) < 2:
        print("cpus.py: this process may use one CPU only")
        return
    cpus = cpus[:2]
    before = interrupts()
    fresh(wish, cpus)
    moving(wish, cpus)
    print("interrupts meanwhile: " + ", ".join("%d on CPU %d" % (interrupts()[cpu] - before[cpu], cpu) for cpu in cpus))


main()
