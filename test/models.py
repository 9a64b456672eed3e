#!/usr/bin/env python3
"""Prints what `kbench model` finds of each composite operation, run after run: whether it fits, interacts, or stays unsettled.

A finding that changes from run to run explains nothing. Each run measures all models anew, parts and wholes together.

  test/models.py --state FILE                 # ten runs: 20 minutes, goes on where it ended
  test/models.py --state FILE --runs 1        # a first look
  test/models.py --state FILE --print         # the table of what FILE has

Each finished run is a line of FILE, so the same command goes on after any end; --minutes limits one call. Exit code 1: a prediction had
the same finding in fewer than nine of ten runs, or was not made at all.
"""
import collections, json, os, subprocess, sys, time

from noise import resume, resuming_options

NEEDED = 0.9


def options():
    parser = resuming_options(__doc__)
    parser.add_argument("--budget", type=float, default=180, help="seconds of a run")
    parser.add_argument("models", nargs="*", help="default all")
    return parser.parse_args()


def run_models(wish):
    command = [os.path.join(wish.build, "kbench"), "model", "--no-store", "--json", "--budget", "%gs" % wish.budget] + wish.models
    done = subprocess.run(command, capture_output=True, text=True, timeout=5 * wish.budget)
    if done.returncode:
        sys.exit("models.py: kbench model ended with exit code %d: %s" % (done.returncode, done.stderr.strip()))
    return {p["name"]: {key: p[key] for key in ("judgement", "deviation", "why")}
            for model in json.loads(done.stdout)["models"] for p in model["predictions"]}


def measure(wish, state):
    end = time.time() + 60 * wish.minutes
    longest = 0
    while len(state) < wish.runs and time.time() + longest < end:
        start = time.time()
        print("run %d of %d" % (len(state) + 1, wish.runs), file=sys.stderr)
        state.append({"predictions": run_models(wish)})
        with open(wish.state, "a") as out:
            out.write(json.dumps(state[-1]) + "\n")
        longest = max(longest, time.time() - start)
    if len(state) < wish.runs:
        print("models.py: the time of one call is over; the same command goes on", file=sys.stderr)


def finding(prediction):
    """An interaction has a side: better or worse than the parts."""
    deviation = prediction["deviation"]
    if prediction["judgement"] != "interaction":
        return prediction["judgement"]
    return "above" if deviation["value"] > 0 else "below"


def table(wish, state):
    print("%-30s %-12s %9s   %s" % ("prediction", "finding", "runs", "deviations, %"))
    missed = 0
    names = dict.fromkeys(name for entry in state for name in entry["predictions"])
    for name in names:
        predictions = [entry["predictions"][name] for entry in state if name in entry["predictions"]]
        counts = collections.Counter(finding(p) for p in predictions)
        best, times = counts.most_common(1)[0]
        deviations = [100 * p["deviation"]["value"] for p in predictions if p["deviation"]]
        failed = best == "no number" or times < NEEDED * len(state)
        missed += failed
        print("%-30s %-12s %3d of %-3d  %s%s" % (name, best, times, len(state), " ".join("%+.0f" % d for d in deviations),
                                                "   <-- " + ", ".join("%s %d" % pair for pair in counts.items()) if failed else ""))
        for why in dict.fromkeys(p["why"] for p in predictions if p["why"]):
            print("    %s" % why)
    print("%d of %d predictions without the same finding in nine of ten runs" % (missed, len(names)))
    return missed


if __name__ == "__main__":
    resume(options(), measure, table)
