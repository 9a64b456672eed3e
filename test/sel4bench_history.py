#!/usr/bin/env python3
"""Imports the published history of sel4bench and plants drops in it.

    test/sel4bench_history.py --results DIR [--kbench PATH] [--percent 5] [--plants 10] [--seed N]

DIR is a checkout of the repository that seL4 keeps the history in: YEAR/BOARD/CONFIGURATION.jsonl. All files are imported in
one command. Then, ten times, one metric of a copy of one file gets a drop of so many percent from a revision in the middle
on, which `kbench history` has to name. A metric is a place to look for it if nine of ten runs differ by less than a fifth of
the drop from the one before, and if it has no step of its own near; how many are quiet enough is printed, with the numbers
of files, runs and results. Exit code 1: something is not as it should be.
"""
import argparse
import collections
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

NEAR = 10               # revisions
HEADER = ("ts", "sha", "sha_kernel", "sha_bench", "run_id")


def ask(kbench, store, *words):
    """Standard output of kbench, which has to end well."""
    done = subprocess.run([kbench, *words, "--store", store], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    if done.returncode not in (0, 5):
        sys.exit("kbench %s: exit code %d: %s" % (" ".join(words[:3]), done.returncode, done.stderr))
    return done.stdout


def revision(line):
    return line["sha"], line["sha_kernel"], line["sha_bench"]


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def check_all(kbench, files, store):
    """Every revision of every file is a run, every metric of it a result."""
    wanted = sum(len({revision(line) for line in read(path)}) for path in files)
    metrics = sum(1 for path in files for line in read(path) for key, value in line.items()
                  if key not in HEADER and value[3] > 0)
    said = ask(kbench, store, "import", *files).splitlines()
    print("%d files: %s" % (len(files), said[-2]))
    return said[-2].startswith("%d runs with %d processes stored" % (wanted, metrics)) or not print("wanted: %d runs with %d processes" % (wanted, metrics))


def steps(kbench, store, metric):
    rows = json.loads(ask(kbench, store, "history", "sel4bench." + metric, "--json"))["rows"]
    return collections.OrderedDict((point["label"], point["step"]) for row in rows for point in row["points"] if point["step"])


def find_planted(kbench, lines, metric, percent, store, folder):
    """The label of the revision from which on the metric is lower, what history finds without and with it, and the kernels near it."""
    ordered = sorted(lines, key=lambda line: line["ts"])
    revisions = list(collections.OrderedDict.fromkeys(revision(line) for line in ordered))
    middle = len(revisions) // 2
    first = revisions[middle]
    lower = set(revisions[middle:])
    near = {kernel for _, kernel, _ in revisions[max(middle - NEAR, 0):middle + NEAR]}
    found = []
    for name, factor in (("as_it_is", 1), ("planted", 1 - percent / 100)):
        path = os.path.join(folder, name + ".jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for line in lines:
                copy = dict(line)
                if revision(line) in lower and metric in copy:
                    copy[metric] = [round(value * factor, 3) for value in copy[metric][:6]] + copy[metric][6:]
                file.write(json.dumps(copy) + "\n")
        ask(kbench, store + name, "import", path)
        found.append(steps(kbench, store + name, metric))
    return first[1], found, near


def spread(lines, metric):
    """How much runs differ from the one before, in percent: nine of ten less. Of a metric that most lines have."""
    values = [line[metric][3] for line in sorted(lines, key=lambda line: line["ts"]) if metric in line]
    changes = sorted(abs(b / a - 1) for a, b in zip(values, values[1:]) if a > 0)
    return 100 * changes[9 * len(changes) // 10] if len(changes) > 0.8 * len(lines) else float("inf")


def places(files, most):
    """Pairs of a file and a metric of it that is quiet enough, and the number of all pairs."""
    quiet, count = [], 0
    for path in files:
        lines = read(path)
        for metric in sorted(key for key in lines[-1] if key not in HEADER and lines[-1][key][3] > 0):
            count += 1
            if spread(lines, metric) < most:
                quiet.append((path, metric))
    return quiet, count


def words(found):
    return ", ".join("%s %+.2f %%" % (key, 100 * (step - 1)) for key, step in found.items()) or "none"


def plant(kbench, path, metric, percent):
    with tempfile.TemporaryDirectory() as folder:
        label, (before, after), near = find_planted(kbench, read(path), metric, percent, os.path.join(folder, "one.db"), folder)
    if near & set(before):
        return None         # a step of its own is there: the two may be one
    found = label in after and after[label] < 1 - percent / 200
    print("%s, %s, lower from kernel %s on: %s; steps before: %s, then: %s" % (
        os.path.basename(path), metric, label, "found" if found else "MISSED", words(before), words(after)))
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--results", required=True)
    options.add_argument("--kbench", default="build/kbench")
    options.add_argument("--percent", type=float, default=5)
    options.add_argument("--plants", type=int, default=10)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    files = sorted(glob.glob(os.path.join(given.results, "*", "*", "*.jsonl")))
    if not files:
        sys.exit("%s has no YEAR/BOARD/CONFIGURATION.jsonl" % given.results)
    with tempfile.TemporaryDirectory() as folder:
        good = check_all(given.kbench, files, os.path.join(folder, "all.db"))
    quiet, count = places(files, given.percent / 5)
    print("%d of %d metrics of a file differ by less than %g %% from run to run" % (len(quiet), count, given.percent / 5))
    random.Random(given.seed).shuffle(quiet)
    planted = []
    for path, metric in quiet:
        if len(planted) < given.plants:
            found = plant(given.kbench, path, metric, given.percent)
            planted += [found] if found is not None else []
    print("%d of %d drops of %g %% found" % (sum(planted), given.plants, given.percent))
    sys.exit(not (good and all(planted)))


main()
