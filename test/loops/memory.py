#!/usr/bin/env python3
"""Prints how repeatable rows of memory are, idle and beside a spinner on each CPU: their cost, and its ratio to the twin.

Each run is one row alone for some seconds, all processes fresh; runs of both kinds take turns. Limits are of the coefficient of variation
in percent. Each finished run is a line of FILE, so the same command goes on after any end.

  test/loops/memory.py --state FILE [--build DIR] [--runs N] [--seconds S] [--minutes M]
  test/loops/memory.py --state FILE --only "mem.latency size=64M"   # rows whose name begins so
  test/loops/memory.py --state FILE --print
"""
import argparse, json, os, signal, statistics, sys, time

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, ".."))
sys.dont_write_bytecode = True
from noise import load_state, run_json, spin, stop, variation, figure

# Benchmark, parameters, and the limits of the CV of cost and of ratio; None: shown, not judged.
ROWS = [
    ("mem.latency", "size=64M order=local pages=huge", 3, 0.3),
    ("mem.latency", "size=64M order=random pages=huge", 3, 0.3),
    ("mem.latency", "size=64M order=random pages=small", None, None),
    ("mem.latency", "size=8M order=local pages=huge", None, None),
    ("mem.bw_read", "size=64M access=pointer pages=huge", None, None),
    ("mem.bw_copy", "size=64M store=plain pages=huge", None, None),
]


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(here, "..", "..", "build"))
    parser.add_argument("--state", required=True)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--minutes", type=float, default=28, help="that one call may take")
    parser.add_argument("--only", default="")
    parser.add_argument("--print", action="store_true")
    return parser.parse_args()


def name_of(row):
    return "%s %s" % row[:2]


def run_row(wish, row):
    """Its value and what stands beside it; None where the machine had no such pages."""
    arguments = [row[0], "--budget", "%gs" % wish.seconds, "--precision", "0.05%"]
    for word in row[1].split():
        arguments += ["-p", word]
    result = run_json(wish.build, arguments, 20 * wish.seconds)[0]
    return {"value": result["estimate"]["value"], "unit": result["unit"], "headline": result["headline"], "processes": result["processes"],
            "ratio": result.get("ratio", {}).get("value"), "range": result.get("range"), "found": result.get("found"),
            "each": [p["cost"] for p in result["process_costs"]], "ratios": [p.get("ratio") for p in result["process_costs"]]}


def measure(wish, rows, state):
    end, longest = time.time() + 60 * wish.minutes, 0
    for number in range(1, wish.runs + 1):
        for kind in ("idle", "loaded"):
            for row in rows:
                if any((s["kind"], s["number"], s["row"]) == (kind, number, name_of(row)) for s in state):
                    continue
                if time.time() + longest > end:
                    print("memory.py: the time of one call is over; the same command goes on", file=sys.stderr)
                    return
                start = time.time()
                children = spin() if kind == "loaded" else []
                try:
                    entry = {"kind": kind, "number": number, "row": name_of(row), "load": os.getloadavg()[0], **run_row(wish, row)}
                finally:
                    stop(children)
                state.append(entry)
                with open(wish.state, "a") as out:
                    out.write(json.dumps(entry) + "\n")
                longest = max(longest, time.time() - start)


def known(entries, key):
    return [e[key] for e in entries if e[key]]


def table(wish, rows, state):
    print("%-40s %9s %6s %6s %6s %8s %6s %6s %6s %6s %6s" % (
        "result", "median ns", "idle", "loaded", "limit", "ratio", "idle", "loaded", "limit", "hits", "proc."))
    missed = 0
    for row in rows:
        seen = {k: [s for s in state if s["row"] == name_of(row) and s["kind"] == k] for k in ("idle", "loaded")}
        if not known(seen["idle"], "value"):
            continue
        cost = {k: variation(known(seen[k], "value")) for k in seen}
        ratio = {k: variation(known(seen[k], "ratio")) for k in seen}
        every = seen["idle"] + seen["loaded"]
        hits = [e["found"]["cache_share"] for e in every if e["found"]]
        over = [m is not None and any(c is not None and c > m for c in cvs.values()) for cvs, m in ((cost, row[2]), (ratio, row[3]))]
        missed += any(over)
        print("%-40s %9.5g %6s %6s %6s %8s %6s %6s %6s %6s %6.0f%s" % (
            name_of(row)[4:44], statistics.median(known(seen["idle"], "value")), figure(cost["idle"]), figure(cost["loaded"]), figure(row[2], 1),
            figure(statistics.median(known(every, "ratio")) if known(every, "ratio") else None, 4), figure(ratio["idle"]), figure(ratio["loaded"]),
            figure(row[3], 1), figure(statistics.median(hits) if hits else None), statistics.median(e["processes"] for e in every),
            "  over: " + " and ".join(n for n, o in zip(("cost", "ratio"), over) if o) if any(over) else ""))
    print("%d rows over a limit" % missed)
    return missed


def main():
    wish = options()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
    rows = [row for row in ROWS if name_of(row).startswith(wish.only)]
    state = load_state(wish.state)
    if not wish.print:
        measure(wish, rows, state)
    if not state:
        sys.exit("memory.py: nothing measured yet")
    sys.exit(1 if table(wish, rows, state) else 0)


main()
