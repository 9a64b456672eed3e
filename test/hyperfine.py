#!/usr/bin/env python3
"""Prints how repeatable the cost of starting one program is: by kbench (proc.fork_exec) and by hyperfine, in turn on one machine.

  test/hyperfine.py --state FILE            # ten runs of each, idle and beside a spinner on each CPU: four minutes; goes on where it ended
  test/hyperfine.py --state FILE --print    # the table of what FILE has: median, variation, number of values

Both start the same program, kbench-hello-static, for five seconds a run; of hyperfine the mean and the least of its runs are taken. A run of
kbench that found no uncontended cost says so and is no value of that column, but one of the next. It needs the Debian package hyperfine.
"""
import argparse, json, os, statistics, subprocess, sys, tempfile
import noise

BENCH, PARAMS = "proc.fork_exec", "program=hello-static"
COLUMNS = ("kbench", "kbench observed", "hyperfine mean", "hyperfine least")


def measure_kbench(build):
    result = noise.run_json(build, [BENCH, "-p", PARAMS, "--budget", "5s", "--precision", "0.05%"], 120)[0]
    return result["estimate"]["value"] if result["headline"] == "uncontended" else None, result["observed"]["value"]


def measure_hyperfine(build):
    program = os.path.join(build, "kbench-hello-static")
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "times.json")
        # As many runs as five seconds have room for.
        subprocess.run(["timeout", "60", "hyperfine", "-N", "-i", "--style", "none", "--warmup", "10", "--min-runs", "4000", "--max-runs", "4000",
                        "--export-json", path, program], check=True, stdout=subprocess.DEVNULL)
        with open(path) as times:
            found = json.load(times)["results"][0]
    return found["mean"] * 1e9, found["min"] * 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--build", default=os.path.join(here, "..", "build"))
    parser.add_argument("--state", required=True)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--print", action="store_true")
    wish = parser.parse_args()
    state = noise.load_state(wish.state)
    for kind in [kind for _ in range(wish.runs) for kind in ("idle", "loaded")][0 if not wish.print else 2 * wish.runs:]:
        if sum(entry["kind"] == kind for entry in state) >= wish.runs:
            continue
        spinners = noise.spin() if kind == "loaded" else []
        try:
            entry = {"kind": kind, "values": measure_kbench(wish.build) + measure_hyperfine(wish.build)}
        finally:
            noise.stop(spinners)
        state.append(entry)
        with open(wish.state, "a") as out:
            out.write(json.dumps(entry) + "\n")
    if not state:
        sys.exit("hyperfine.py: nothing measured yet")
    print(("%-8s %5s  %s" % ("", "runs", "  ".join("%-26s" % name for name in COLUMNS))).rstrip())
    for kind in ("idle", "loaded"):
        runs = [entry["values"] for entry in state if entry["kind"] == kind]
        cells = []
        for column in zip(*runs):
            known = [value for value in column if value]
            cells.append("%8.1f us, CV %5.2f %%, %d" % (statistics.median(known) / 1e3, noise.variation(known) or 0, len(known)) if known else "-")
        print(("%-8s %5d  %s" % (kind, len(runs), "  ".join("%-26s" % cell for cell in cells))).rstrip())


if __name__ == "__main__":
    main()
