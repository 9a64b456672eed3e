#!/usr/bin/env python3
"""Prints how often the printed 95 % CI of eight benchmarks covers the cost that their long run finds.

Each occasion measures the eight benchmarks with many processes each. From these processes 200 repetitions are drawn without
replacement: 6 at first, as in a run, and more until the CI reaches 1 %, 12 at the most (a run with time left goes on). Covered is the median of all
processes of the occasion. Over several occasions it is also printed how often an occasion's own CI covers the median of all others:
that it does not is the term between occasions.

  test/coverage.py --state FILE                  # one more occasion: 90 s, 200 s at most; then the table of all in FILE
  test/coverage.py --state FILE --print          # the table alone

Exit code 1: the CI of the eight covers less than 93 % within an occasion.
"""
import argparse, json, math, os, random, statistics, sys, time

sys.dont_write_bytecode = True
from noise import load_state, run_json

ROWS = ["cpu.op_latency op=imul", "mem.latency size=16K", "sys.null", "sys.stat", "sig.self", "ipc.futex placement=same-cpu",
        "fault.anon", "vm.mmap"]
REPETITIONS, FIRST, MOST, PRECISION, NARROWEST = 200, 6, 12, 0.01, 0.001


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--build", default=os.path.join(here, "..", "build"))
    parser.add_argument("--state", required=True)
    parser.add_argument("--seconds", type=float, default=25, help="for each benchmark")
    parser.add_argument("--processes", type=int, default=100)
    parser.add_argument("--print", action="store_true")
    return parser.parse_args()


def interval(values):
    """As kb_median_interval has it; each occasion's printed CI is held against it."""
    x = sorted(values)
    n = len(x)
    coverage = lambda d: 1 - 2 * sum(math.comb(n, k) for k in range(d)) / 2.0 ** n
    d = 1
    while d + 1 <= n // 2 and coverage(d + 1) >= 0.95:
        d += 1
    low, high = x[d - 1], x[n - d]
    if d + 1 <= n // 2 and coverage(d) >= 0.95:
        excess = (coverage(d) - 0.95) / (coverage(d) - coverage(d + 1))
        share = (n - d) * excess / (d + (n - 2 * d) * excess)
        low += share * (x[d] - x[d - 1])
        high += share * (x[n - d - 1] - x[n - d])
    beyond = 0.1 * (x[-1] - x[0]) if coverage(1) < 0.95 else 0
    middle = statistics.median(x)
    return min(low - beyond, middle * (1 - NARROWEST)), max(high + beyond, middle * (1 + NARROWEST)), middle


def measure(wish):
    arguments = ["--defaults", "--precision", "0.01%", "--processes", str(wish.processes), "--budget", "%gs" % (wish.seconds * len(ROWS))]
    arguments += [row.split()[0] for row in ROWS]
    for setting in ("op=imul", "size=16K", "placement=same-cpu"):
        arguments += ["-p", setting]
    found = {}
    for result in run_json(wish.build, arguments, 3000):
        core = result["cycles"]["estimate"]["value"] is not None
        costs = [p["cycles"] if core else p["cost"] for p in result["process_costs"]]
        printed = (result["cycles"] if core else result)["estimate"]
        name = next((r for r in ROWS if r.split()[0] == result["benchmark"]), None)
        if result["headline"] != "uncontended" or name is None:
            continue
        low, high, middle = interval(costs)
        if abs(low / printed["low"] - 1) > 1e-6 or abs(high / printed["high"] - 1) > 1e-6:
            sys.exit("coverage.py: %s: kbench printed [%g, %g], its processes give [%g, %g]" % (
                name, printed["low"], printed["high"], low, high))
        found[name] = costs
    return {"time": time.time(), "rows": found}


def repetition(costs, draw):
    order = draw.sample(costs, min(MOST, len(costs)))
    for n in range(FIRST, len(order) + 1):
        low, high, middle = interval(order[:n])
        if (high - low) / 2 <= PRECISION * middle:
            break
    return low, high


def main():
    wish = options()
    occasions = load_state(wish.state)
    if not wish.print:
        occasions.append(measure(wish))
        with open(wish.state, "a") as out:
            out.write(json.dumps(occasions[-1]) + "\n")
    draw = random.Random(1)
    print("%d occasions; %d repetitions each, drawn from the processes of the occasion" % (len(occasions), REPETITIONS))
    print("%-32s %10s %12s %10s   %s" % ("benchmark", "processes", "covered", "half-width", "medians of the occasions over that of all, %"))
    all_covered = all_drawn = 0
    for row in ROWS:
        sets = [o["rows"][row] for o in occasions if len(o["rows"].get(row, [])) >= 2 * MOST]
        covered = drawn = 0
        widths = []
        for costs in sets:
            truth = statistics.median(costs)
            for _ in range(REPETITIONS):
                low, high = repetition(costs, draw)
                covered += low <= truth <= high
                drawn += 1
                widths.append((high - low) / 2 / truth)
        if not drawn:
            print("%-32s %10s" % (row, "too few"))
            continue
        all_covered += covered
        all_drawn += drawn
        centre = statistics.median([statistics.median(c) for c in sets])
        print("%-32s %10d %10.1f %% %8.2f %%   %s" % (row, sum(map(len, sets)), 100 * covered / drawn, 100 * statistics.median(widths),
              " ".join("%+.2f" % (100 * (statistics.median(c) / centre - 1)) for c in sets)))
    share = 100 * all_covered / max(all_drawn, 1)
    print("all: %.1f %%" % share)
    sys.exit(0 if share >= 93 else 1)


main()
