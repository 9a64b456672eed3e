#!/usr/bin/env python3
"""Prints what a function around a system call adds, over fresh processes: test/loops/returns.py [--build DIR] [--seconds N]

After a system call the predictor of returns no longer holds what the caller put there, so the return from the function that made the call is
mispredicted; in some processes other branches of the caller seem to be, too. x86-64 only.
"""
import argparse, os, statistics, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, ".."))
sys.dont_write_bytecode = True
from noise import run_json


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(here, "..", "..", "build"))
    parser.add_argument("--seconds", type=float, default=20)
    wish = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        plugin = os.path.join(work, "returns.so")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I" + os.path.join(here, "..", "..", "include"), os.path.join(here, "returns.c"),
                        "-o", plugin], check=True)
        results = run_json(wish.build, ["--plugin", plugin, "--processes", "100", "--budget", "%gs" % wish.seconds], 10 * wish.seconds)
    print("%-10s %10s %10s %16s %10s %16s %10s  ns" % ("way", "processes", "least", "lower quartile", "median", "upper quartile", "most"))
    for result in results:
        costs = [p["cost"] for p in result["process_costs"]]
        if result["headline"] != "uncontended" or len(costs) < 5:
            print("%-10s no uncontended cost" % result["params"]["way"])
            continue
        low, middle, high = statistics.quantiles(costs, n=4)
        print("%-10s %10d %10.1f %16.1f %10.1f %16.1f %10.1f" % (result["params"]["way"], len(costs), min(costs), low, middle, high, max(costs)))


main()
