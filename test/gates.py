#!/usr/bin/env python3
"""Whether the gates that count instructions see one nop, and nothing where there is none, repetition after repetition.

  test/gates.py --state FILE --sel4 OLD NOP TWICE     # three install prefixes of seL4; may be repeated
  test/gates.py --state FILE --linux OLD NOP TWICE    # three directories that a Linux kernel was built in
  test/gates.py --state FILE --print

NOP is OLD with one nop in sendSignal() or in fib_table_lookup(); TWICE is OLD built a second time. Each repetition compares both with OLD, from the
building of root server or modules to the exit code, which has to be 1 and 0. Each is a line of FILE, so the same command goes on
after any end; --minutes limits one call. Exit code 1: a gate was wrong, or there are fewer than --runs of one.
"""
import json, os, subprocess, sys, time

from noise import resume, resuming_options

VERBS = {
    "sel4": ("sel4", "insn", "sel4.signal", "sel4.call", "--prefix"),
    "linux": ("kernel", "insn", "kernel.fib_lookup", "kernel.null", "--kernel"),
}


def options():
    parser = resuming_options(__doc__)
    parser.add_argument("--sel4", nargs=3, action="append", default=[], metavar=("OLD", "NOP", "TWICE"))
    parser.add_argument("--linux", nargs=3, action="append", default=[], metavar=("OLD", "NOP", "TWICE"))
    return parser.parse_args()


def gates(wish):
    """Name, kernels and the exit code that is right."""
    for kind in ("sel4", "linux"):
        for old, nop, twice in getattr(wish, kind):
            name = os.path.basename(os.path.normpath(old))
            yield "%s %s, a nop" % (kind, name), kind, old, nop, 1
            yield "%s %s, built twice" % (kind, name), kind, old, twice, 0


def decide(wish, kind, old, new):
    start = time.time()
    done = subprocess.run([os.path.join(wish.build, "kbench"), *VERBS[kind], new, "--against", old], capture_output=True, text=True, timeout=1800)
    return {"code": done.returncode, "seconds": round(time.time() - start, 1), "said": (done.stdout.splitlines() or done.stderr.splitlines() or [""])[-1]}


def measure(wish, state):
    end, longest = time.time() + 60 * wish.minutes, 0
    for number in range(wish.runs):
        for name, kind, old, new, right in gates(wish):
            if sum(1 for line in state if line["gate"] == name) > number:
                continue
            if time.time() + longest > end:
                print("gates.py: the time of one call is over; the same command goes on", file=sys.stderr)
                return
            state.append({"gate": name, "right": right, **decide(wish, kind, old, new)})
            longest = max(longest, state[-1]["seconds"])
            with open(wish.state, "a") as out:
                out.write(json.dumps(state[-1]) + "\n")


def table(wish, state):
    missed = 0
    print("%-32s %6s %6s %10s   %s" % ("gate", "times", "right", "seconds", "last words"))
    for name in dict.fromkeys(line["gate"] for line in state):
        lines = [line for line in state if line["gate"] == name]
        right = sum(line["code"] == line["right"] for line in lines)
        seconds = sorted(line["seconds"] for line in lines)
        print("%-32s %6d %6d %10.1f   %s" % (name, len(lines), right, seconds[len(seconds) // 2], lines[-1]["said"]))
        missed += not right == len(lines) >= wish.runs
    return missed


if __name__ == "__main__":
    resume(options(), measure, table)
