#!/usr/bin/env python3
"""Prints how `kbench cmd` and hyperfine agree on the same ten commands, in turn, and how often each takes a command for different from itself.

  test/commands.py --state FILE            # three rounds of means, then a hundred comparisons of a command with itself; goes on where it ended
  test/commands.py --state FILE --print    # the tables of what FILE has, in Markdown

Each finished piece is a line of FILE, so the same command goes on after any end; --minutes limits one call. All of it takes about an hour.

Means: in a round both programs run the same command by turns, eight slices of half a second each and as many runs, so that a machine that
changes meets both. Means and medians of a round are those of its slices, with Student's t over them. The means agree if they differ by no more
than both half-widths, added as squares. The ratios are geometric means over all pairs of slices, with Student's t.

A/A: the same command twice under two names, both programs with the defaults of their own. False is, of kbench: `slower` or `faster`; of hyperfine:
a relative speed that differs from 1 by more than the deviation that it prints, and Welch's t at 95 % on its times. It needs the Debian package
hyperfine. Nothing else should run alongside.
"""
import argparse, json, math, os, random, statistics, subprocess, sys, tempfile, time
import noise

SLICE, SLICES = "500ms", 8
COMMANDS = {
    "true": ["true"],
    "sh": ["sh", "-c", ":"],
    "ls": ["ls", "/usr/bin"],
    "grep": ["grep", "-rc", "define", "/usr/include/linux"],
    "gzip": ["gzip", "-1", "-c", "FILE"],
    "sort": ["sort", "FILE"],
    "sha256sum": ["sha256sum", "FILE"],
    "awk": ["awk", "BEGIN { for (i = 0; i < 300000; i++) s += i }"],
    "find": ["find", "/usr/include", "-name", "*.h"],
    "python3": ["python3", "-c", "pass"],
}


def make_file(directory):
    """Text of 1 MB, the same on all machines."""
    path = os.path.join(directory, "text")
    draw = random.Random(1)
    with open(path, "w") as out:
        for _ in range(20000):
            out.write("".join(draw.choice("abcdefghijklmnop ") for _ in range(50)) + "\n")
    return path


def words(name, path):
    return [path if word == "FILE" else word for word in COMMANDS[name]]


def run_kbench(build, commands, *more):
    command = [os.path.join(build, "kbench"), "cmd", "--no-store", "--json", *more]
    for argv in commands:
        command += ["--", *argv]
    # kbench takes the first "--" for the beginning of the commands.
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit("commands.py: kbench ended with %d: %s" % (done.returncode, done.stderr))
    return json.loads(done.stdout)


def quote(word):
    return "'" + word.replace("'", "'\\''") + "'"


def run_hyperfine(commands, *more):
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "times.json")
        command = ["hyperfine", "-N", "--style", "none", "--warmup", "1", "--export-json", path, *more]
        command += [" ".join(quote(word) for word in argv) for argv in commands]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
        with open(path) as times:
            return json.load(times)["results"]


# ---- statistics --------------------------------------------------------------------------------------------

def t_cdf(t, df):
    """By Simpson's rule over the angle whose tangent is t over the root of df."""
    top, steps = math.atan(abs(t) / math.sqrt(df)), 400
    width = top / steps
    total = sum((4 if i % 2 else 2 if 0 < i < steps else 1) * math.cos(i * width) ** (df - 1) for i in range(steps + 1)) * width / 3
    half = total * math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi)
    return 0.5 + math.copysign(half, t)


def t_factor(df):
    low, high = 1.9, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_cdf(middle, df) < 0.975 else (low, middle)
    return low


def mean_with_half(values):
    return statistics.mean(values), t_factor(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))


def welch_differs(a, b):
    va, vb = statistics.variance(a) / len(a), statistics.variance(b) / len(b)
    df = (va + vb) ** 2 / (va ** 2 / (len(a) - 1) + vb ** 2 / (len(b) - 1))
    return abs(statistics.mean(a) - statistics.mean(b)) > t_factor(df) * math.sqrt(va + vb)


def relative_differs(a, b):
    """hyperfine's summary: the slower over the faster, with the deviation that propagation of errors gives."""
    fast, slow = sorted((a, b), key=lambda result: result["mean"])
    ratio = slow["mean"] / fast["mean"]
    return ratio - 1 > ratio * math.hypot(slow["stddev"] / slow["mean"], fast["stddev"] / fast["mean"])


# ---- pieces ------------------------------------------------------------------------------------------------

def measure_mean(build, argv, kbench_first):
    """Mean and median of each slice, ns."""
    found, runs = {"kbench": [], "hyperfine": []}, None
    for _ in range(SLICES):
        for tool in ("kbench", "hyperfine") if kbench_first else ("hyperfine", "kbench"):
            if tool == "kbench":
                # To the end of the time: no CI is as narrow as that.
                run = run_kbench(build, [argv], "--budget", SLICE, "--precision", "0.001%", *(["--runs", str(runs)] if runs else []))
                runs = runs or max(run["commands"][0]["runs"], 2)
                found[tool].append((run["commands"][0]["time_ns"]["value"], run["results"][0]["estimate"]["value"]))
            else:
                run = run_hyperfine([argv], "--runs", str(runs or 10))[0]
                found[tool].append((run["mean"] * 1e9, run["median"] * 1e9))
        kbench_first = not kbench_first
    return found


def compare_itself(build, argv, kbench_first):
    found = {}
    for tool in ("kbench", "hyperfine") if kbench_first else ("hyperfine", "kbench"):
        began = time.time()
        if tool == "kbench":
            row, = run_kbench(build, [argv, argv])["comparisons"]
            found["decision"], found["ratio"] = row["decision"], row["ratio"]["value"]
        else:
            a, b = run_hyperfine([argv, argv])
            found["relative"], found["welch"] = relative_differs(a, b), welch_differs(a["times"], b["times"])
            found["hyperfine_ratio"] = b["mean"] / a["mean"]
        found[tool + "_seconds"] = time.time() - began
    return found


def pieces(wish):
    for number in range(wish.rounds):
        for name in COMMANDS:
            yield {"kind": "mean", "command": name, "number": number}
    for number in range((wish.comparisons + len(COMMANDS) - 1) // len(COMMANDS)):
        for index, name in enumerate(COMMANDS):
            if number * len(COMMANDS) + index < wish.comparisons:
                yield {"kind": "itself", "command": name, "number": number}


def key(piece):
    return piece["kind"], piece["command"], piece["number"]


def measure(wish, state):
    done = {key(piece) for piece in state}
    deadline = time.time() + 60 * wish.minutes
    with tempfile.TemporaryDirectory() as directory:
        path = make_file(directory)
        for piece in pieces(wish):
            if key(piece) in done:
                continue
            if time.time() > deadline:
                print("commands.py: the time of this call is over; the same command goes on", file=sys.stderr)
                return
            how = measure_mean if piece["kind"] == "mean" else compare_itself
            piece["found"] = how(wish.build, words(piece["command"], path), piece["number"] % 2 == 0)
            state.append(piece)
            with open(wish.state, "a") as out:
                out.write(json.dumps(piece) + "\n")


# ---- tables ------------------------------------------------------------------------------------------------

def ratio_of(found, which):
    """Of the pairs of slices of all rounds, kbench over hyperfine."""
    logs = [math.log(ours[which] / theirs[which]) for one in found for ours, theirs in zip(one["kbench"], one["hyperfine"])]
    mean, half = mean_with_half(logs)
    return "%.3f [%.3f, %.3f]" % (math.exp(mean), math.exp(mean - half), math.exp(mean + half))


def agree(one):
    (a, half_a), (b, half_b) = (mean_with_half([mean for mean, _ in one[tool]]) for tool in ("kbench", "hyperfine"))
    return abs(a - b) <= math.hypot(half_a, half_b)


def print_means(state):
    print("| command | kbench, mean ms | hyperfine, mean ms | CIs agree | ratio of means | ratio of medians |\n|---|---|---|---|---|---|")
    for name in COMMANDS:
        found = [piece["found"] for piece in state if piece["kind"] == "mean" and piece["command"] == name]
        if not found:
            continue
        cells = []
        for tool in ("kbench", "hyperfine"):
            cells.append("%.4g ±%.2g" % mean_with_half([mean / 1e6 for one in found for mean, _ in one[tool]]))
        print("| `%s` | %s | %s | %d of %d | %s | %s |" % (name, *cells, sum(map(agree, found)), len(found), ratio_of(found, 0), ratio_of(found, 1)))


def print_comparisons(state):
    found = [piece["found"] for piece in state if piece["kind"] == "itself"]
    if not found:
        return
    count = len(found)
    off = lambda name: statistics.median(abs(math.log(one[name])) for one in found) * 100
    seconds = lambda name: statistics.median(one[name + "_seconds"] for one in found)
    decisions = [one["decision"] for one in found]
    print("\n| a command against itself, %d times | false differences | other answers | ratio off 1, median | time, median |\n|---|---|---|---|---|" % count)
    print("| `kbench cmd`, slower or faster | %d | %d equivalent, %d inconclusive | %.2f %% | %.1f s |" % (
        sum(d in ("slower", "faster") for d in decisions), decisions.count("equivalent"), decisions.count("inconclusive"), off("ratio"),
        seconds("kbench")))
    print("| hyperfine, beyond its deviation | %d | | %.2f %% | %.1f s |" % (sum(one["relative"] for one in found), off("hyperfine_ratio"),
                                                                          seconds("hyperfine")))
    print("| hyperfine, Welch's t at 95 %% | %d | | | |" % sum(one["welch"] for one in found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--build", default=os.path.join(here, "..", "build"))
    parser.add_argument("--state", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--comparisons", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=28, help="that one call may take")
    parser.add_argument("--print", action="store_true")
    wish = parser.parse_args()
    state = noise.load_state(wish.state)
    if not wish.print:
        measure(wish, state)
    if not state:
        sys.exit("commands.py: nothing measured yet")
    print_means(state)
    print_comparisons(state)


if __name__ == "__main__":
    main()
