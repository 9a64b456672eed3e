#!/usr/bin/env python3
"""Prints what would be taken for K on a CPU model that nobody measured: test/loops/unknown.py [--seconds N] [--cpu N]

KBench's own contention probes are recorded, then given back to its own rules as if K were not known: all of them; without the
uncontended ones, as a neighbour that never rests would leave them; with few of those put back; and as neighbours would leave them
that do one thing, or two or three in turn, and never rest: as many probes as there were, drawn from narrow bands of the contended ones.
Beside that low quantiles, in parts of K.
"""
import collections, math, os, random, re, sqlite3, statistics, subprocess, sys, tempfile, zlib

sys.dont_write_bytecode = True
from loops import ROOT, compile_loop, cpus_here, need_x86, parser, quantile

BENCHES = ["sys.null", "sys.write_null", "fault.anon", "ipc.pipe_latency", "cpu.op_latency", "mem.latency"]
CLEAN = 1.05                    # times K: below it probes are uncontended, above it they are not
BAND = 0.02
APART = 10                      # bands between two loads


def recorded(wish, work):
    """Core cycles a loop of the probes after samples, a list for each process; and K as KBench has it."""
    store = os.path.join(work, "probes.db")
    done = subprocess.run([os.path.join(wish.build, "kbench"), "run", *BENCHES, "--defaults", "-p", "placement=same-cpu", "-p", "size=16K",
                           "--cpus", str(wish.cpu), "--budget", "%gs" % wish.seconds, "--precision", "0.05%", "--store", store, "--json"],
                          capture_output=True, text=True, timeout=10 * wish.seconds + 60)
    if done.returncode not in (0, 5):
        sys.exit("unknown.py: kbench run: " + done.stderr.strip())
    k = re.search(r'"floor":\s*\{\s*"k":\s*([0-9.]+)', done.stdout)
    processes = []
    for record, in sqlite3.connect(store).execute("SELECT record FROM launch ORDER BY number"):
        text = zlib.decompress(record).decode()
        loops = re.search(r"^method .* probe=([0-9]+)", text, re.M) or re.search(r"^method .*probe=([0-9]+)", text, re.M)
        chains = {n: [int(t) for t in re.findall(r"^p clock %d ([0-9]+)" % n, text, re.M)]
                  for n in map(int, set(re.findall(r"^p clock ([0-9]+)", text, re.M)))}
        if not loops or len(chains) != 2:
            continue
        (short, a), (long, b) = sorted(chains.items())
        add = (statistics.median(b) - statistics.median(a)) / (long - short)
        processes.append([int(p) / int(loops[1]) / add for p in re.findall(r"^[obqc] .* p=[0-9]+,([0-9]+)", text, re.M)])
    return [p for p in processes if p], float(k[1]) if k else None


def ask(program, processes):
    text = "".join(" ".join("%.4f" % v for v in p) + "\n" for p in processes if p)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    return list(map(float, done.stdout.split()))


def cases(processes, k):
    draw = random.Random(1)
    contended = [[v for v in p if v > CLEAN * k] for p in processes]
    everything = [v for p in contended for v in p]
    bands = collections.defaultdict(list)
    for v in everything:
        bands[round(math.log(v) / BAND)].append(v)
    loads = []
    for at in sorted(bands, key=lambda at: -len(bands[at])):
        if all(abs(at - other) >= APART for other in loads):
            loads.append(at)
    steady = lambda count: [[draw.choice(bands[draw.choice(loads[:count])]) for _ in p] for p in processes]
    yield "as recorded", processes
    yield "no uncontended ones", contended
    for share in (0.005, 0.02, 0.1):
        yield "%g %% uncontended" % (100 * share), [
            [v for v in p if v > CLEAN * k or draw.random() < share * len(c) / max(len(p) - len(c), 1)] for p, c in zip(processes, contended)]
    if everything:
        yield "one load", steady(1)
        yield "two loads, in turn", steady(2)
        yield "three loads, in turn", steady(3)


def main():
    made = parser(__doc__)
    made.add_argument("--seconds", type=float, default=40)
    made.add_argument("--cpu", type=int, default=cpus_here()[-1])
    wish = made.parse_args()
    need_x86()
    with tempfile.TemporaryDirectory() as work:
        program = compile_loop(work, "unknown", *(os.path.join(ROOT, "src", path) for path in (
            "result/contention.c", "stats/distribution/quantile.c", "stats/distribution/sort.c")), "-lm")
        processes, k = recorded(wish, work)
        if not processes:
            print("no probes were recorded")
            return
        known = k is not None
        instructions = ask(program, processes)[2]
        if not known:
            k = ask(program, processes)[1] or quantile([v for p in processes for v in p], 0.05)
        print("%d processes, K %.2f core cycles a loop of %d instructions%s" % (
            len(processes), k, instructions, "" if known else " (not known: what these probes tell)"))
        print("%-22s %9s %14s %10s %14s %10s %8s %8s %8s" % (
            "probes", "number", "K, shared core", "off, %", "K, core alone", "off, %", "p0.1", "p1", "p5, of K"))
        for name, given in cases(processes, k):
            values = [v for p in given for v in p]
            if len(values) < 100:
                print("%-22s %9d too few" % (name, len(values)))
                continue
            answers = ask(program, given)[:2]
            print("%-22s %9d" % (name, len(values)) + "".join(
                " %14s %10s" % (("%.2f" % a, "%+.2f" % (100 * (a / k - 1))) if a else ("refused", "-")) for a in answers) +
                  "".join(" %8.3f" % (quantile(values, at) / k) for at in (0.001, 0.01, 0.05)))


main()
