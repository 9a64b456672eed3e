"""What the scripts here share: building a C loop, its samples, which of them were uncontended, and some statistics."""
import argparse, bisect, collections, os, signal, statistics, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, ".."))
sys.dont_write_bytecode = True

Sample = collections.namedtuple("Sample", "us cpu kind ticks before after")

ABOVE = 1.02        # times the floor, and a step of the clock, as src/result/contention.c has it
FLOOR_AT = 0.05     # a quantile that is uncontended if a twentieth of the time was


def parser(text):
    """Ended from outside, a script still removes what it made."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
    made = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--build", default=os.path.join(ROOT, "build"), help="where kbench was built")
    return made


def cpus_here():
    return sorted(os.sched_getaffinity(0))


def need_x86():
    if os.uname().machine != "x86_64":
        sys.exit("%s: its loops are of x86-64" % os.path.basename(sys.argv[0]))


def compile_loop(work, name, *sources):
    """A C loop of this directory, with KBench's own contention probe."""
    program = os.path.join(work, name)
    subprocess.run(["cc", "-O2", "-I" + os.path.join(ROOT, "src"), "-I" + os.path.join(ROOT, "src", "os", "linux"),
                    "-I" + os.path.join(ROOT, "include"), os.path.join(HERE, name + ".c"),
                    os.path.join(ROOT, "src", "arch", "x86_64", "chain.c"), *sources, "-o", program], check=True)
    return program


def take_samples(program, seconds, cpus, kinds):
    """(samples, hz, loops of a probe) of samples.c: kinds as it takes them."""
    done = subprocess.run([program, "%g" % seconds, ",".join(map(str, cpus))] + kinds, capture_output=True, text=True,
                          timeout=10 * seconds + 60)
    if done.returncode:
        sys.exit("samples: " + done.stderr.strip())
    lines = done.stdout.split("\n")
    words = lines[0].split()
    rows = [line.split() for line in lines[1:-1]]
    return [Sample(float(r[0]), int(r[1]), int(r[2]), int(r[3]), int(r[4]), int(r[5])) for r in rows], float(words[1]), int(words[3])


def quantile(values, at):
    ordered = sorted(values)
    return ordered[int(at * (len(ordered) - 1))]


def step_of(values):
    ordered = sorted(set(values))
    return min((b - a for a, b in zip(ordered, ordered[1:])), default=1)


def uncontended(samples):
    """Those whose probes, and the next ones on both sides, are at the floor of their position: one for each CPU and kind."""
    step = step_of([s.before for s in samples[:5000]])
    before, after = collections.defaultdict(list), collections.defaultdict(list)
    for s in samples:
        before[s.cpu, s.kind].append(s.before)
        after[s.cpu, s.kind].append(s.after)
    most_before = {k: ABOVE * quantile(v, FLOOR_AT) + step for k, v in before.items()}
    most_after = {k: ABOVE * quantile(v, FLOOR_AT) + step for k, v in after.items()}
    clean = [s.before <= most_before[s.cpu, s.kind] and s.after <= most_after[s.cpu, s.kind] for s in samples]
    return [s for i, s in enumerate(samples) if clean[i] and (i == 0 or clean[i - 1]) and (i + 1 == len(samples) or clean[i + 1])]


def ranks(values):
    ordered = sorted(values)
    return [(bisect.bisect_left(ordered, v) + bisect.bisect_right(ordered, v)) / 2 for v in values]


def rank_correlation(x, y):
    """Spearman's; None of what does not vary."""
    a, b = ranks(x), ranks(y)
    if len(a) < 3 or len(set(a)) < 2 or len(set(b)) < 2:
        return None
    return statistics.correlation(a, b)


def variation(values):
    """In percent of the mean."""
    return 100 * statistics.stdev(values) / statistics.mean(values) if len(values) > 1 else float("nan")


def stop(children):
    for child in children:
        child.kill()
        child.wait()
