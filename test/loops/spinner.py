#!/usr/bin/env python3
"""Prints what a spinner on the same CPU adds to two processes that take turns there, by how the scheduler sees them. Needs root.

own group: as KBench measures, each process a session and, by autogroup, a scheduling group of its own. one group: without autogroup.
real-time: the measured processes are SCHED_FIFO. test/loops/spinner.py [--build DIR] [--seconds N]
"""
import argparse, os, signal, sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, ".."))
sys.dont_write_bytecode = True
from noise import run_json, spin, stop

AUTOGROUP = "/proc/sys/kernel/sched_autogroup_enabled"


def write(path, text):
    with open(path, "w") as out:
        out.write(text)


def costs(wish, loaded, policy):
    children = spin() if loaded else []
    os.sched_setscheduler(0, policy, os.sched_param(1 if policy == os.SCHED_FIFO else 0))
    try:
        results = run_json(wish.build, ["ipc.pipe_latency", "ctx.switch", "--defaults", "-p", "placement=same-cpu", "--budget",
                                        "%gs" % wish.seconds], 10 * wish.seconds)
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        stop(children)
    return {r["benchmark"]: r["estimate"]["value"] for r in results if r["headline"] == "uncontended"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(here, "..", "..", "build"))
    parser.add_argument("--seconds", type=float, default=10, help="for each of the six runs")
    wish = parser.parse_args()
    if os.geteuid() != 0 or not os.path.exists(AUTOGROUP):
        sys.exit("spinner.py: needs root, and a kernel with autogroup")
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
    before = open(AUTOGROUP).read()
    print("%-12s %-18s %10s %10s %8s" % ("scheduler", "benchmark", "idle, ns", "loaded, ns", "shift, %"))
    try:
        for name, autogroup, policy in (("own group", "1", os.SCHED_OTHER), ("one group", "0", os.SCHED_OTHER),
                                        ("real-time", "1", os.SCHED_FIFO)):
            write(AUTOGROUP, autogroup)
            idle, loaded = costs(wish, False, policy), costs(wish, True, policy)
            for bench in sorted(idle.keys() & loaded.keys()):
                print("%-12s %-18s %10.0f %10.0f %+8.1f" % (name, bench, idle[bench], loaded[bench], 100 * (loaded[bench] / idle[bench] - 1)))
    finally:
        write(AUTOGROUP, before)


main()
