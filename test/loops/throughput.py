#!/usr/bin/env python3
"""Prints what loops of known throughput cost, in core cycles an instruction, beside what they must cost.

Runs of the idle machine and of one with a spinner on each CPU take turns. The truth is known for the processors below; for others the
table is printed and nothing is judged. test/loops/throughput.py [--build DIR] [--runs N]; exit code 1: a headline is off by more than 0.3 %.
"""
import argparse, json, os, statistics, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
from noise import spin, stop

# Instructions a cycle: Agner Fog, Instruction tables; AMD, Software Optimization Guides for families 17h and 19h.
KNOWN = {("AuthenticAMD", 25): {"imul": 1, "load": 3, "fma": 2, "branch": 2}}
WITHIN = 0.003


def processor():
    facts = {}
    for line in open("/proc/cpuinfo"):
        key, _, value = line.partition(":")
        facts.setdefault(key.strip(), value.strip())
    return facts.get("vendor_id"), int(facts.get("cpu family", 0))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(here, "..", "..", "build"))
    parser.add_argument("--runs", type=int, default=3)
    wish = parser.parse_args()
    known = KNOWN.get(processor(), {})
    wrong = 0
    with tempfile.TemporaryDirectory() as work:
        plugin = os.path.join(work, "throughput.so")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I" + os.path.join(here, "..", "..", "include"),
                        os.path.join(here, "throughput.c"), "-o", plugin], check=True)
        print("%-8s %-8s %10s %8s %10s %8s %8s %12s  %s" % ("loop", "machine", "cycles", "±95 %", "truth", "off", "clean", "observed", "headline"))
        for _ in range(wish.runs):
            for kind in ("idle", "loaded"):
                children = spin() if kind == "loaded" else []
                try:
                    done = subprocess.run([os.path.join(wish.build, "kbench"), "run", "--plugin", plugin, "--budget", "20s", "--no-store",
                                           "--json"], capture_output=True, text=True, timeout=120)
                finally:
                    stop(children)
                if done.returncode not in (0, 5):
                    sys.exit("throughput.py: kbench run: " + done.stderr.strip())
                for result in json.loads(done.stdout)["results"]:
                    op, cost = result["params"]["op"], result["cycles"]["estimate"]["value"]
                    truth = 1 / known[op] if op in known else None
                    off = cost / truth - 1 if truth else None
                    bad = off is not None and result["headline"] == "uncontended" and abs(off) > WITHIN
                    wrong += bad
                    print("%-8s %-8s %10.4f %7.2f%% %10s %7s%% %8.2f %12.4f  %s%s" % (
                        op, kind, cost, result["verdict"]["quality"] or 0, "%.4f" % truth if truth else "-",
                        "%+.2f" % (100 * off) if off is not None else "-", result["clean_share"] or 0, result["cycles"]["observed"]["value"],
                        result["headline"], "  over" if bad else ""))
    print("%d headlines off by more than %.1f %%" % (wrong, 100 * WITHIN) if known else "the truth is not known for this processor")
    sys.exit(1 if wrong else 0)


main()
