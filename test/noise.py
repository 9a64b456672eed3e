#!/usr/bin/env python3
"""Prints how repeatable the headline is, idle and beside a spinner on each CPU, and beside lmbench where that is given.

Runs of the idle machine and of the loaded one take turns, all processes fresh; lmbench's programs run between them. For each
benchmark: the coefficient of variation of the headline and of the observed cost over the runs, the shift of the median under load,
and how both stand to their limits. Nothing else should run beside it.

  test/noise.py --state FILE                            # ten runs of each with 5 s a benchmark: half an hour, goes on where it ended
  test/noise.py --state FILE --long                     # operations that are long, or of files: doc/noise.md has their table, too
  test/noise.py --state FILE --standard                 # the standard selection in 60 s instead
  test/noise.py --state FILE --lmbench DIR              # DIR holds lmbench's programs
  test/noise.py --state FILE --only fault.anon,vm.mmap  # some of them, in less time
  test/noise.py --state FILE --print                    # the table of what FILE has

Each finished run is a line of FILE, so the same command goes on after any end; --minutes limits one call. Exit code 1: a limit is missed.
"""
import argparse, json, math, os, signal, statistics, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
sys.dont_write_bytecode = True
from lmbench_programs import last_number, output

# The benchmark and its parameters, the limit of its CV in percent, and lmbench's program for it.
CPU, CALL, FAULT = 0.3, 0.7, 1.5
ROWS = [
    ("cpu.op_latency", "op=add", CPU, None),
    ("cpu.op_latency", "op=imul", CPU, None),
    ("cpu.op_latency", "op=load", CPU, None),
    ("clock.read", "way=ordered", CPU, None),
    ("mem.latency", "size=16K", CPU, None),
    ("sys.null", "", CALL, ["lat_syscall", "-P", "1", "null"]),
    ("sys.write_null", "", CALL, ["lat_syscall", "-P", "1", "write"]),
    ("sys.stat", "", CALL, ["lat_syscall", "-P", "1", "stat"]),
    ("sig.install", "", CALL, ["lat_sig", "-P", "1", "install"]),
    ("sig.self", "", CALL, ["lat_sig", "-P", "1", "catch"]),
    ("ipc.futex", "placement=same-cpu", CALL, None),
    ("ipc.pipe_latency", "placement=same-cpu", CALL, ["lat_pipe", "-P", "1"]),
    ("ipc.unix_latency", "type=stream placement=same-cpu", CALL, ["lat_unix", "-P", "1"]),
    ("fault.anon", "", FAULT, None),
    ("vm.mmap", "", FAULT, None),
    ("ctx.switch", "token=futex", FAULT, ["lat_ctx", "-P", "1", "-s", "0", "2"]),
]
LONG = 2
DIVIDED = "plugin.sum"          # the example of doc/add-a-benchmark.md, 2 ms
LONG_ROWS = [(DIVIDED, "", CALL, None), ("proc.fork_exit", "", LONG, None)]
LONG_ROWS += [("proc.fork_exec", "program=" + program, LONG, None) for program in ("hello", "hello-static")]
LONG_ROWS += [(bench, "on=" + on, LONG, None) for on in ("memory", "disk")
              for bench in ("fs.append", "fs.create", "fs.mkdir", "fs.rename", "fs.unlink", "fs.write")]
SHIFT = {CPU: 0.7, CALL: 0.7, FAULT: 1.5, LONG: 2}    # of the median under load; for pairs of processes the CV's limit


def resuming_options(text):
    """Options of a program that keeps each finished run in a file, and goes on there."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--build", default=os.path.join(here, "..", "build"))
    parser.add_argument("--state", required=True)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=28, help="that one call may take")
    parser.add_argument("--print", action="store_true")
    return parser


def resume(wish, measure, table):
    """Measures what the file lacks and prints its table, which returns what is missed. SIGTERM ends what was started, too."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
    state = load_state(wish.state)
    if not wish.print:
        measure(wish, state)
    if not state:
        sys.exit("%s: nothing measured yet" % os.path.basename(sys.argv[0]))
    sys.exit(1 if table(wish, state) else 0)


def options():
    parser = resuming_options(__doc__)
    parser.add_argument("--seconds", type=float, default=5, help="for each benchmark")
    parser.add_argument("--standard", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only", help="of the benchmarks, by name: fault.anon,vm.mmap")
    parser.add_argument("--uncontended", action="store_true", help="print only runs that have an uncontended cost, and how many do")
    parser.add_argument("--lmbench")
    return parser.parse_args()


def load_state(path):
    """The whole lines: the last one may have been cut off."""
    if not os.path.exists(path):
        return []
    lines = open(path).read().split("\n")[:-1]
    return [json.loads(line) for line in lines]


def spin():
    """A spinner on each CPU that this process may use; each ends by itself should nobody end it."""
    spinners = []
    for cpu in sorted(os.sched_getaffinity(0)):
        code = "import os,time\nos.sched_setaffinity(0,{%d})\nend=time.time()+900\nwhile time.time()<end:\n for i in range(10**6): pass" % cpu
        spinners.append(subprocess.Popen([sys.executable, "-c", code]))
    time.sleep(0.5)
    return spinners


def stop(children):
    for child in children:
        child.kill()
        child.wait()


def name_of(bench, params):
    return (bench + " " + params).strip()


def run_json(build, arguments, timeout):
    """The results of a run that is not stored; imprecise ones are results too."""
    done = subprocess.run([os.path.join(build, "kbench"), "run", "--no-store", "--json"] + arguments, capture_output=True, text=True,
                          timeout=timeout)
    if done.returncode not in (0, 5):
        sys.exit("%s: kbench run ended with exit code %d: %s" % (os.path.basename(sys.argv[0]), done.returncode, done.stderr.strip()))
    return json.loads(done.stdout)["results"]


def settings():
    """Each parameter that a benchmark asks for, with all values; benchmarks that do not have it do not mind."""
    values = {}
    for word in dict.fromkeys(word for _, params, _, _ in ROWS for word in params.split()):
        name, _, value = word.partition("=")
        values.setdefault(name, []).append(value)
    return values


def build_example(folder):
    """The example of a long operation, as a reader of the page would build it."""
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    page = open(os.path.join(top, "doc", "add-a-benchmark.md")).read()
    source, plugin = os.path.join(folder, "sum.c"), os.path.join(folder, "sum.so")
    with open(source, "w") as out:
        out.write(page.split("```c long\n")[1].split("```")[0])
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I" + os.path.join(top, "include"), source, "-o", plugin], check=True)
    return plugin


def run_rows(wish, rows):
    arguments = ["--budget", "%gs" % (wish.seconds * len(rows)), "--precision", "0.05%"]
    with tempfile.TemporaryDirectory() as folder:
        if rows[0][0] == DIVIDED:
            return run_json(wish.build, arguments + ["--plugin", build_example(folder)], 900)
        arguments += ["--defaults"] + list(dict.fromkeys(row[0] for row in rows))
        for name, values in settings().items():
            arguments += ["-p", "%s=%s" % (name, ",".join(values))]
        return run_json(wish.build, arguments, 900)


def run_kbench(wish):
    if wish.standard:
        found = run_json(wish.build, ["--budget", "60s"], 900)
    else:
        parts = [row for row in ROWS if row[0] == DIVIDED], [row for row in ROWS if row[0] != DIVIDED]
        found = [result for rows in parts if rows for result in run_rows(wish, rows)]
    results = {}
    for result in found:
        core = result["cycles"]["estimate"]["value"] is not None
        pick = result["cycles"] if core else result
        results[name_of(result["benchmark"], " ".join("%s=%s" % p for p in result["params"].items()))] = {
            "value": pick["estimate"]["value"], "observed": pick["observed"]["value"], "unit": "cycles" if core else "ns",
            "headline": result["headline"], "status": result["verdict"]["status"], "quality": result["verdict"]["quality"],
            "clean": result["clean_share"], "processes": result["processes"], "by": result["uncontended_by"],
        }
    return results


def run_lmbench(wish):
    results = {}
    cpu = str(max(os.sched_getaffinity(0)))
    for bench, params, _, program in ROWS:
        text = program and output(wish.lmbench, program, cpu)
        value = text and last_number(text)
        if value:
            results[name_of(bench, params)] = value
    return results


def measure(wish, state):
    end = time.time() + 60 * wish.minutes
    longest = 0
    for number in range(1, wish.runs + 1):
        for kind in ("idle", "loaded"):
            if any(s["kind"] == kind and s["number"] == number for s in state):
                continue
            if time.time() + longest > end:
                print("noise.py: the time of one call is over; the same command goes on", file=sys.stderr)
                return
            start = time.time()
            print("run %d of %d, %s" % (number, wish.runs, kind), file=sys.stderr)
            children = spin() if kind == "loaded" else []
            try:
                entry = {"kind": kind, "number": number, "seconds": "standard" if wish.standard else wish.seconds,
                         "results": run_kbench(wish), "lmbench": run_lmbench(wish) if wish.lmbench else {}}
            finally:
                stop(children)
            state.append(entry)
            with open(wish.state, "a") as out:
                out.write(json.dumps(entry) + "\n")
            longest = max(longest, time.time() - start)


def variation(values):
    """In percent; None of what is nothing, as the empty loop less an empty loop."""
    if len(values) < 2 or abs(statistics.mean(values)) < 1e-3:
        return None
    return 100 * statistics.stdev(values) / statistics.mean(values)


def figure(value, digits=2):
    return "-" if value is None else "%.*f" % (digits, value)


def limits_of(row, factor):
    for bench, params, limit, _ in ROWS:
        if row.startswith(bench) and all(p in row.split() for p in params.split()):
            return factor * limit, SHIFT[limit]
    return None, None


def lm_name(row, state):
    """lmbench's values are kept under the short name: the parameters that matter."""
    for entry in state:
        for short in entry["lmbench"]:
            parts = short.split()
            if row.startswith(parts[0] + " ") or row == parts[0]:
                if all(p in row.split() for p in parts[1:]):
                    return short
    return None


def table(wish, state):
    factor = 2 if wish.standard else 1
    rows = []
    for entry in state:
        rows += [r for r in entry["results"] if r not in rows]
    count = {kind: sum(e["kind"] == kind for e in state) for kind in ("idle", "loaded")}
    print("%d runs idle, %d alongside a spinner on each CPU, %s; CV and shift in %%" %
          (count["idle"], count["loaded"], "standard in 60 s" if wish.standard else "%g s a benchmark" % wish.seconds))
    print("%-50s %10s %-6s %6s %6s %6s %6s %6s %6s %7s %7s %6s %6s" % (
        "benchmark", "median", "unit", "idle", "loaded", "limit", "shift", "limit", "clean", "obs.", "obs.", "lmb.", "lmb."))
    print("%-50s %10s %-6s %6s %6s %6s %6s %6s %6s %7s %7s %6s %6s" % (
        "", "", "", "CV", "CV", "", "", "", "share", "idle", "loaded", "idle", "loaded"))
    missed, ratios = 0, []
    for row in rows:
        seen = {k: [e["results"][row] for e in state if e["kind"] == k and row in e["results"]] for k in count}
        if wish.uncontended:
            seen = {k: [r for r in seen[k] if r["headline"] == "uncontended"] for k in seen}
        values = {k: [r["value"] for r in seen[k] if r["value"]] for k in seen}
        if not values["idle"]:
            continue
        cv = {k: variation(values[k]) for k in values}
        observed = {k: variation([r["observed"] for r in seen[k] if r["observed"]]) for k in seen}
        medians = {k: statistics.median(values[k]) if values[k] else None for k in values}
        shift = 100 * (medians["loaded"] / medians["idle"] - 1) if medians["loaded"] and cv["idle"] is not None else None
        limit, most = limits_of(row, factor)
        short = lm_name(row, state)
        lm = {k: variation([e["lmbench"][short] for e in state if e["kind"] == k and short in e["lmbench"]]) if short else None
              for k in count}
        for k in count:
            if lm[k] and cv[k]:
                ratios.append(lm[k] / max(cv[k], 0.01))
        clean = [r["clean"] for k in seen for r in seen[k] if r["clean"] is not None]
        over = limit is not None and (any(c is not None and c > limit for c in cv.values()) or (shift is not None and abs(shift) > most))
        missed += over
        print("%-50s %10.5g %-6s %6s %6s %6s %6s %6s %6s %7s %7s %6s %6s%s%s" % (
            row[:50], medians["idle"], seen["idle"][0]["unit"], figure(cv["idle"]), figure(cv["loaded"]), figure(limit, 1),
            figure(shift), figure(most, 1), figure(statistics.mean(clean) if clean else None), figure(observed["idle"], 1),
            figure(observed["loaded"], 1), figure(lm["idle"], 1), figure(lm["loaded"], 1),
            "  %d and %d runs" % (len(values["idle"]), len(values["loaded"])) if wish.uncontended else "", "  over" if over else ""))
    if ratios:
        print("lmbench's CV over ours, geometric mean of %d: %.1f" % (len(ratios), math.exp(statistics.mean(map(math.log, ratios)))))
    if wish.standard:
        for kind in count:
            runs = [e["results"] for e in state if e["kind"] == kind]
            if runs:
                ok = [sum(r["status"] == "ok" for r in run.values()) for run in runs]
                width = [statistics.median(r["quality"] for r in run.values() if r["quality"] is not None) for run in runs]
                print("%s: %d to %d of %d results ok, median half-width %.2f to %.2f %%" % (
                    kind, min(ok), max(ok), len(runs[0]), min(width), max(width)))
    print("%d benchmarks over a limit" % missed)
    return missed


def main():
    wish = options()
    if wish.long:
        ROWS[:] = LONG_ROWS
    if wish.only:
        ROWS[:] = [row for row in ROWS if row[0] in wish.only.split(",")]
    if not ROWS:
        sys.exit("noise.py: --only %s: none of the benchmarks" % wish.only)
    resume(wish, measure, table)


if __name__ == "__main__":
    main()
