#!/usr/bin/env python3
"""Prints how many rows of yamba.instruction_x86_64 meet their documented values, and fails below 95 %.

Documented values are those of bench/yamba/instruction_x86_64.known for this processor, latencies and throughputs. A row meets its
value if it is `ok` and within 1 % of it. With --loaded a spinner runs on each CPU. A table takes as long as there is little uncontended time: 5 to 12 minutes.

  test/instructions.py                      # all rows
  test/instructions.py --loaded             # all rows beside spinners
  test/instructions.py --only add,load      # some of them
  test/instructions.py --short              # ten in 15 s, ok or not, with room for a busy machine: within 25 %, three of four
  test/instructions.py --print FILE         # the count of what --keep FILE has kept, nothing is measured

Exit code 1: too few meet their values; 77: nothing is known of this processor.
"""
import argparse, json, os, platform, signal, sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
sys.dont_write_bytecode = True
from noise import run_json, spin, stop

KNOWN = os.path.join(here, "..", "bench", "yamba", "instruction_x86_64.known")
BENCH = "yamba.instruction_x86_64"
SHORT = "add,imul,lea3,shl,popcnt,load,addsd,divsd,paddd,pshufb"


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(here, "..", "build"))
    parser.add_argument("--loaded", action="store_true")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--seconds", type=float, default=240, help="for each 60 instructions; a quiet machine needs 90")
    parser.add_argument("--keep", help="a file for the results")
    parser.add_argument("--print", help="a file of results")
    return parser.parse_args()


def cpu():
    fields = dict(line.split(":", 1) for line in open("/proc/cpuinfo").read().split("\n\n")[0].split("\n") if ":" in line)
    fields = {key.strip(): value.strip() for key, value in fields.items()}
    return fields.get("vendor_id"), int(fields.get("cpu family", 0)), int(fields.get("model", 0))


def documented():
    """(instruction, mode): cycles, of this processor."""
    vendor, family, model = cpu()
    core, known = None, {}
    for line in open(KNOWN):
        word = line.split()
        if word[:1] == ["cpu"] and word[2] == vendor and int(word[3]) == family and int(word[4]) <= model <= int(word[5]):
            core = word[1]
        elif len(word) == 4 and word[0] == core:
            known[word[2], word[1]] = float(word[3])
    return known


def measure(wish, names):
    seconds = wish.seconds * -(-len(names) // 60)
    return run_json(wish.build, [BENCH, "-p", "instruction=" + ",".join(names), "-p", "mode=latency,throughput", "--processes", "6",
                                 "--budget", "%gs" % seconds], 10 * seconds)


def results_of(wish, names):
    if wish.print:
        return json.load(open(wish.print))
    children = spin() if wish.loaded else []
    try:
        results = measure(wish, names)
    finally:
        stop(children)
    if wish.keep:
        with open(wish.keep, "w") as out:
            json.dump(results, out)
    return results


def cycles(result):
    """The headline and its half-width, both in core cycles; None: it has none."""
    estimate = (result["cycles"] or {}).get("estimate") or {}
    value = estimate.get("value")
    if value is None:
        return None, None
    low, high = estimate.get("low"), estimate.get("high")
    return value, (high - low) / 2 if low is not None and high is not None else None


def count(results, known, room, verdict):
    """Rows with a documented value, those that are ok, those within the room, those that are both; prints the others."""
    rows = ok = near = both = 0
    for result in results:
        key = result["params"]["instruction"], result["params"]["mode"]
        status = result["verdict"]["status"]
        if key not in known or status == "skipped":
            continue
        value, half = cycles(result)
        fine, close = status == "ok", value is not None and abs(value / known[key] - 1) <= room
        rows, ok, near, both = rows + 1, ok + fine, near + close, both + (close and (fine or not verdict))
        if close and (fine or not verdict):
            continue
        codes = [reason["code"] for reason in result["verdict"]["reasons"] if reason["severity"] not in ("note", "cause")]
        print("%-16s %-10s %9s ±%-7s known %-8g %-11s %-8s %s" % (
            key + ("-" if value is None else "%.4f" % value, "-" if not half else "%.2f%%" % (100 * half / value), known[key],
                   result["headline"], status, " ".join(codes))))
    return rows, ok, near, both


def main():
    wish = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))     # else spinners would stay
    known = documented() if platform.machine() == "x86_64" else {}
    if not known:
        print("instructions.py: no documented values for this processor")
        sys.exit(77)
    room, least, verdict = (0.25, 0.75, False) if wish.short else (0.01, 0.95, True)
    if wish.short:
        wish.only, wish.seconds = SHORT, 15
    names = list(dict.fromkeys(name for name, mode in known if not wish.only or name in wish.only.split(",")))
    rows, ok, near, both = count(results_of(wish, names), known, room, verdict)
    share = both / rows if rows else 0
    print("%s: %d results with documented values, %d ok, %d within %g %%, %s %d: %.1f %%" % (
        "loaded" if wish.loaded else "idle", rows, ok, near, 100 * room, "both" if verdict else "counted", both, 100 * share))
    sys.exit(share < least)


if __name__ == "__main__":
    main()
