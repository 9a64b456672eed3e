#!/usr/bin/env python3
"""How often `kbench fleet report` names a node of fleets all of whose nodes are equal: fleet.py KBENCH [RUNS [BUDGET]].

Measures so many runs on this machine (80 of 3s: about five minutes), draws fleets of 4, 8 and 20 of them by lot, ten times, and prints how many
of these fleets have a node that is named, and for what. Not in the suite: a figure of a machine and its neighbours. Works in a directory of its own.
"""
import json
import random
import sqlite3
import subprocess
import sys
import tempfile

WHAT = ["sys.null", "sys.stat", "ipc.pipe_latency", "cpu.op_latency", "-p", "op=imul", "--processes", "6"]
DRAWS = 10


def measure(kbench, store, runs, budget):
    for i in range(runs):
        done = subprocess.run([kbench, "run", *WHAT, "--budget", budget, "--store", store, "--label", f"run-{i}"], capture_output=True, text=True, timeout=600)
        if done.returncode not in (0, 5):
            sys.exit(f"fleet.py: {done.stderr}")


def draw(store, runs, size):
    """Makes each `size` runs of a random order a fleet."""
    random.shuffle(runs)
    with sqlite3.connect(store) as base:
        for i, (number, settings) in enumerate(runs):
            settings["fleet"] = {"id": f"fleet-{i // size}-", "node": f"node-{i % size}"}
            base.execute("update run set settings = ?, checksum = null where number = ?", (json.dumps(settings), number))
            base.execute("update run_facts set fleet = ?, node = ?, checksum = null where run = ?", (settings["fleet"]["id"], settings["fleet"]["node"], number))


def named(kbench, store, fleet):
    """What nodes of it are named for."""
    text = subprocess.run([kbench, "fleet", "report", fleet, "--json", "--store", store], capture_output=True, text=True, check=True, timeout=60).stdout
    return [kind for node in json.loads(text)["nodes"] for kind in node["deviates"]]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    kbench, count, budget = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 80, sys.argv[3] if len(sys.argv) > 3 else "3s"
    with tempfile.TemporaryDirectory() as directory:
        store = f"{directory}/runs.db"
        measure(kbench, store, count, budget)
        with sqlite3.connect(store) as base:
            runs = [(number, json.loads(settings)) for number, settings in base.execute("select number, settings from run")]
        random.seed(5)
        for size in (4, 8, 20):
            fleets, costs, losses, waits = 0, 0, 0, 0
            for _ in range(DRAWS):
                draw(store, runs, size)
                for fleet in range(count // size):
                    kinds = named(kbench, store, f"fleet-{fleet}-")
                    fleets += 1
                    costs += "cost" in kinds
                    losses += "loss" in kinds
                    waits += "wait" in kinds
            print(f"{fleets} fleets of {size}: named for costs in {costs}, for losses in {losses}, for waiting in {waits}", flush=True)


if __name__ == "__main__":
    main()
