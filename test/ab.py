#!/usr/bin/env python3
"""Can `kbench ab` be believed? Three tables of real comparisons, each in fresh processes.

  equal   equal sides, beside a spinner on each CPU: how often are they told apart? At most 1 in 100 may be.
  true    a side that is dearer by a known number of instructions: 0.3 % is to be found in 95 of 100 within 10 s, 1 % within 5 s.
  finds   a side that is dearer by what comparisons of equal sides say they find: in 80 of 100 it is to be found.

  test/ab.py --state FILE                       # all three: hours, in calls of --minutes that go on where the last one ended
  test/ab.py --state FILE --part true           # one of them
  test/ab.py --state FILE --comparisons 20      # fewer of each
  test/ab.py --state FILE --print               # the tables of what FILE has

Each finished comparison is a line of FILE. Exit code 1: a limit is missed.
"""
import argparse, json, os, platform, statistics, subprocess, sys, tempfile, time

import noise

HERE = os.path.dirname(os.path.abspath(__file__))
EQUAL = ["cpu.op_latency -p op=add", "cpu.op_throughput -p op=mul -p chains=12", "clock.read -p way=ordered", "sys.null", "sys.write_null",
         "sys.stat", "sig.self", "mem.latency -p size=16K -p order=random", "mem.latency -p size=256K -p order=random", "fault.anon",
         "ipc.pipe_latency -p placement=same-cpu", "proc.fork_exit -p resident=0 -p placement=same-cpu"]
CALLS = ["chain", "alu", "null", "stat"]
OTHERS = ["pipe", "touch", "fork"]
FENCES = {"x86_64": "lfence", "aarch64": "isb", "riscv64": "fence.i"}
# Share of the cost, seconds, and how many of a hundred must be found.
TRUE = [(0.003, 10, 95), (0.01, 5, 95)]
FINDS_SECONDS = 10


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(HERE, "..", "build"))
    parser.add_argument("--state", required=True)
    parser.add_argument("--part", choices=["equal", "true", "finds"])
    parser.add_argument("--comparisons", type=int, help="of each; 200 of equal sides, 100 of each true difference, 50 of each that is said to be found")
    parser.add_argument("--seconds", type=float, default=5, help="of a comparison of equal sides")
    parser.add_argument("--minutes", type=float, default=28, help="that one call may take")
    parser.add_argument("--only", help="of the operations that are made dearer, by name: chain,null")
    parser.add_argument("--quiet", action="store_true", help="no spinners")
    parser.add_argument("--print", action="store_true")
    return parser.parse_args()


class Bench:
    """The plug-ins, and what their operations cost here."""

    def __init__(self, wish, folder):
        self.wish, self.folder, self.cycles = wish, folder, {}

    def plugin(self, extra):
        """With so many additions more than the operation has."""
        path = os.path.join(self.folder, "differs%d.so" % extra)
        if not os.path.exists(path):
            subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-I", os.path.join(HERE, "..", "include"),
                            "-DEXTRA=" + extra * "ADD(x)", '-DFENCE="%s"' % FENCES[platform.machine()], os.path.join(HERE, "loops", "differs.c"), "-o", path], check=True)
        return path

    def extra(self, what, share):
        """Additions that make the operation dearer by about this share, and by how much they do: a core cycle each."""
        if what not in self.cycles:
            result = noise.run_json(self.wish.build, ["--plugin", self.plugin(0), "-p", "what=" + what, "--budget", "4s"], 60)[0]
            if result["estimate"]["value"] is None or result["core_mhz"]["value"] is None:
                sys.exit("ab.py: %s has no cost here: %s" % (what, result["verdict"]))
            self.cycles[what] = result["estimate"]["value"] * result["core_mhz"]["value"] / 1e3
        count = max(1, round(share * self.cycles[what]))
        return count, count / self.cycles[what]

    def compare(self, arguments, seconds):
        start = time.time()
        done = subprocess.run([os.path.join(self.wish.build, "kbench"), "ab", "--margin", "0%", "--budget", "%gs" % seconds, "--no-store",
                               "--json"] + arguments, capture_output=True, text=True, timeout=seconds + 120)
        if done.returncode:
            sys.exit("ab.py: kbench ab %s: exit code %d: %s" % (" ".join(arguments), done.returncode, done.stderr.strip()))
        row = json.loads(done.stdout)["rows"][0]
        return {"decision": row["decision"], "ratio": row["ratio"]["value"], "low": row["ratio"]["low"], "high": row["ratio"]["high"],
                "finds": row["detectable"], "pairs": row["processes"], "observed": row.get("compared") == "observed",
                "seconds": time.time() - start}

    def differ(self, what, extra, seconds):
        """Equal sides are one file; it is then named twice, for a side is to be another one than the default."""
        return self.compare(["--a", self.plugin(0), "--b", self.plugin(extra), "-p", "what=" + what], seconds)


def equal_sides(wish, bench, take):
    for number in range(wish.comparisons or 200):
        row = EQUAL[number % len(EQUAL)]
        take({"part": "equal", "row": row, "number": number}, lambda: bench.compare(["--b", "KBENCH_AA=1"] + row.split(), wish.seconds))


def true_differences(wish, bench, take):
    for number in range(wish.comparisons or 100):
        for what in CALLS:
            for share, seconds, _ in TRUE:
                def one():
                    extra, true = bench.extra(what, share)
                    return dict(bench.differ(what, extra, seconds), extra=extra, true=true)
                take({"part": "true", "row": what, "share": share, "number": number}, one)


def said(state, what):
    """By the comparisons of equal sides that had uncontended pairs; a contended host leaves one without any, and it says so."""
    return [s["finds"] for s in state if s["part"] == "says" and s["row"] == what and s["finds"]]


def said_to_be_found(wish, bench, take, state):
    """The median of what some comparisons of equal sides say; they are no part of the count."""
    for number in range(5):
        for what in OTHERS:
            take({"part": "says", "row": what, "number": number}, lambda: bench.differ(what, 0, FINDS_SECONDS))
    for number in range(wish.comparisons or 50):
        for what in [what for what in OTHERS if said(state, what)]:
            def one():
                extra, true = bench.extra(what, statistics.median(said(state, what)))
                return dict(bench.differ(what, extra, FINDS_SECONDS), extra=extra, true=true)
            take({"part": "finds", "row": what, "number": number}, one)


class Over(Exception):
    """The time of one call."""


def measure(wish, state, folder):
    end, longest = time.time() + 60 * wish.minutes, 0
    bench = Bench(wish, folder)

    def take(key, one):
        nonlocal longest
        if any(all(s.get(k) == v for k, v in key.items()) for s in state):
            return
        if time.time() + longest > end:
            raise Over
        start = time.time()
        entry = dict(key, **one())
        longest = max(longest, time.time() - start)
        state.append(entry)
        with open(wish.state, "a") as out:
            out.write(json.dumps(entry) + "\n")

    try:
        if wish.part in (None, "true"):
            true_differences(wish, bench, take)
        if wish.part in (None, "finds"):
            said_to_be_found(wish, bench, take, state)
        if wish.part in (None, "equal"):
            children = [] if wish.quiet else noise.spin()
            try:
                equal_sides(wish, bench, take)
            finally:
                noise.stop(children)
    except Over:
        print("ab.py: the time of one call is over; the same command goes on", file=sys.stderr)


def of(state, **key):
    return [s for s in state if all(s.get(k) == v for k, v in key.items())]


def half(s):
    return 50 * (s["high"] - s["low"]) if s["high"] is not None else float("nan")


def print_equal(state):
    rows = of(state, part="equal")
    apart = [s for s in rows if s["decision"] in ("slower", "faster")]
    if not rows:
        return 0
    print("%-66s %11s %10s %7s %10s %8s" % ("equal sides, alongside a spinner on each CPU", "comparisons", "told apart", "pairs", "half CI, %", "finds, %"))
    for name in dict.fromkeys(s["row"] for s in rows):
        seen = of(rows, row=name)
        finds = [100 * s["finds"] for s in seen if s["finds"]]
        print("%-66s %11d %10d %7.0f %10.3f %8.3f" % (name, len(seen), sum(s in apart for s in seen), statistics.median(s["pairs"] for s in seen),
                                                   statistics.median(half(s) for s in seen), statistics.median(finds) if finds else float("nan")))
    print("%d of %d told apart (at most 1 %%)\n" % (len(apart), len(rows)))
    return len(apart) > 0.01 * len(rows)


def print_true(state):
    missed = 0
    if of(state, part="true"):
        print("%-8s %8s %7s %11s %6s %8s %8s %9s %9s" % ("dearer by", "asked, %", "true, %", "comparisons", "found", "median, %", "pairs", "seconds", "p95"))
    for what in CALLS:
        for share, _, least in TRUE:
            seen = of(state, part="true", row=what, share=share)
            if not seen:
                continue
            found, times = sum(s["decision"] == "slower" for s in seen), sorted(s["seconds"] for s in seen)
            missed += 100 * found < least * len(seen)
            print("%-8s %8.1f %7.3f %11d %6d %8.3f %8.0f %9.1f %9.1f%s" % (
                what, 100 * share, 100 * statistics.median(s["true"] for s in seen), len(seen), found,
                100 * (statistics.median(s["ratio"] for s in seen) - 1), statistics.median(s["pairs"] for s in seen), statistics.median(times),
                times[int(0.95 * (len(times) - 1))], "" if 100 * found >= least * len(seen) else "  missed"))
    return missed


def print_finds(state):
    missed = 0
    if of(state, part="finds"):
        print("\n%-8s %8s %7s %11s %8s %6s" % ("dearer by", "told, %", "true, %", "comparisons", "can tell", "found"))
    for what in OTHERS:
        seen = of(state, part="finds", row=what)
        telling = [s for s in seen if s["finds"]]
        if not telling:
            continue
        found = sum(s["decision"] == "slower" for s in telling)
        missed += found < 0.8 * len(telling)
        print("%-8s %8.2f %7.2f %11d %8d %6d%s" % (what, 100 * statistics.median(said(state, what)),
                                                   100 * statistics.median(s["true"] for s in telling), len(seen), len(telling), found,
                                                   "" if found >= 0.8 * len(telling) else "  missed"))
    return missed


def main():
    wish = options()
    if wish.only:
        CALLS[:], OTHERS[:] = ([what for what in kinds if what in wish.only.split(",")] for kinds in (CALLS, OTHERS))
    state = noise.load_state(wish.state)
    if not wish.print:
        with tempfile.TemporaryDirectory() as folder:
            measure(wish, state, folder)
    sys.exit(1 if print_equal(state) + print_true(state) + print_finds(state) else 0)


if __name__ == "__main__":
    main()
