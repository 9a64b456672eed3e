#!/usr/bin/env python3
"""Prints how often `kbench params` finds the machine in 60 s: clock, line, ways, L1, L2 and both data TLBs, idle and beside a spinner on each CPU.

Runs of the idle machine and of the loaded one take turns. A value is right if what the system reports lies in its range, a clock if
chains of known length take whole numbers of its cycles; it is ok if kbench calls it neither unverified nor not inferable nor disagreeing.

  test/params.py --state FILE                 # ten runs of each: 20 minutes, goes on where it ended
  test/params.py --state FILE --runs 1        # a first look
  test/params.py --state FILE --print         # the table of what FILE has

Each finished run is a line of FILE, so the same command goes on after any end; --minutes limits one call. Exit code 1: a value was right
and ok in fewer than nine of ten runs, or a run took longer than its budget.
"""
import json, os, subprocess, sys, time

from noise import resume, resuming_options, spin, stop

VALUES = "clock line assoc tlb cache".split()
CYCLES = {"xor / add, cycles": [1], "imul / add, cycles": [3, 4, 5], "load / add, cycles": [3, 4, 5, 6]}
SYSTEM = ["time stamp counter", "line size", "L1d ways", "L1d sets x line", "L1d size", "L2 size", "L1 data TLB, 4 KB pages",
          "L2 data TLB, 4 KB pages"]
OK = ("agree", "not reported by the system")
WHOLE = 0.02        # cycles
MOVES = 1.5         # a core whose clock moved by more was not measured
NEEDED = 0.9
LATE = 1.15         # of the budget: a process that began before its end goes on


def options():
    parser = resuming_options(__doc__)
    parser.add_argument("--budget", type=float, default=60, help="seconds of a run")
    parser.add_argument("--kinds", default="idle,loaded")
    return parser.parse_args()


def run_params(wish):
    start = time.time()
    done = subprocess.run([os.path.join(wish.build, "kbench"), "params", "--json", "--budget", "%gs" % wish.budget] + VALUES,
                          capture_output=True, text=True, timeout=10 * wish.budget)
    if done.returncode:
        sys.exit("params.py: kbench params ended with exit code %d: %s" % (done.returncode, done.stderr.strip()))
    entries = json.loads(done.stdout)["inferred"]
    keep = ("inferred", "system", "match", "why", "confidence")
    return {"seconds": round(time.time() - start, 1), "values": {e["name"]: {k: e[k] for k in keep} for e in entries}}


def measure(wish, state):
    end = time.time() + 60 * wish.minutes
    longest = 0
    for number in range(1, wish.runs + 1):
        for kind in wish.kinds.split(","):
            if any(s["kind"] == kind and s["number"] == number for s in state):
                continue
            if time.time() + longest > end:
                print("params.py: the time of one call is over; the same command goes on", file=sys.stderr)
                return
            start = time.time()
            print("run %d of %d, %s" % (number, wish.runs, kind), file=sys.stderr)
            children = spin() if kind == "loaded" else []
            try:
                entry = dict(run_params(wish), kind=kind, number=number, budget=wish.budget)
            finally:
                stop(children)
            state.append(entry)
            with open(wish.state, "a") as out:
                out.write(json.dumps(entry) + "\n")
            longest = max(longest, time.time() - start)


def is_whole(value, numbers):
    return value is not None and any(abs(value["value"] - number) <= WHOLE for number in numbers)


def is_right(values, name):
    """By what the system reports, or, of a core clock, by chains of known length."""
    entry = values.get(name)
    if entry is None or entry["inferred"] is None:
        return False
    inferred, system = entry["inferred"], entry["system"]
    if name in CYCLES:
        return is_whole(inferred, CYCLES[name])
    if name == "core":
        return inferred["high"] <= MOVES * inferred["low"] and all(is_right(values, chain) for chain in CYCLES)
    slack = 1e-3 if name == "time stamp counter" else 0
    return system is not None and system["high"] * (1 + slack) >= inferred["low"] and system["low"] * (1 - slack) <= inferred["high"]


def number(value):
    return "%.4f" % value if value < 10 else "%.0f" % value


def table(wish, state):
    kinds = [kind for kind in ("idle", "loaded") if any(s["kind"] == kind for s in state)]
    print("%-26s" % "value" + "".join("%8s right %6s ok" % (kind, "") for kind in kinds) + "   lowest  highest   system")
    missed = 0
    for name in SYSTEM[:1] + ["core"] + list(CYCLES) + SYSTEM[1:]:
        line, reasons = "%-26s" % name, []
        for kind in kinds:
            runs = [s["values"] for s in state if s["kind"] == kind]
            right = [is_right(values, name) for values in runs]
            fine = [name in values and values[name]["match"] in OK for values in runs]
            both = sum(r and f for r, f in zip(right, fine))
            missed += both < NEEDED * len(runs)
            line += "%8d of %-3d %6d" % (sum(right), len(runs), sum(fine)) + "   "
            reasons += [values[name]["match"] + ": " + values[name]["why"] for values, f in zip(runs, fine) if not f and name in values]
        seen = [s["values"][name] for s in state if name in s["values"]]
        ranges = [e["inferred"] for e in seen if e["inferred"]]
        if ranges:
            line += "%8s %8s" % (number(min(r["low"] for r in ranges)), number(max(r["high"] for r in ranges)))
        claims = [e["system"] for e in seen if e["system"]]
        print(line + (" %8s" % number(claims[0]["low"]) if claims else ""))
        for reason in dict.fromkeys(reasons):
            print("    %s" % reason)
    for kind in kinds:
        seconds = [s["seconds"] for s in state if s["kind"] == kind]
        late = sum(s["seconds"] > LATE * s["budget"] for s in state if s["kind"] == kind)
        missed += late > 0
        print("%s: %d runs of %.0f to %.0f s, %d longer than their budget" % (kind, len(seconds), min(seconds), max(seconds), late))
    print("%d values below nine of ten, or runs too long" % missed)
    return missed


if __name__ == "__main__":
    resume(options(), measure, table)
