#!/usr/bin/env python3
"""Writes the consoles of this folder: made up, with records that have right sums. `make.py FOLDER` writes them there.

Counts are those of a model, a n + b and a tick now and then, so the answers are known: every file says in its name what it is.
"""
import os
import sys
import zlib


def record(bench, header, lines, whole=True, evidence=()):
    """One record: its lines between begin and end."""
    text = ["kbench-record 2", "bench " + bench, "per circle", "bound kernel"] + header + lines + list(evidence)
    crc = zlib.crc32("".join(line + "\n" for line in text).encode())
    count = {word: sum(line.split()[0] == word for line in text) for word in ("o", "b", "q", "e")}
    if whole:
        text.append("end o=%d b=%d q=%d e=%d crc=%08x" % (count["o"], count["b"], count["q"], count["e"], crc))
    return text


def header(arch, clock, method, launch, mcs, config, kernel):
    return [
        "method %s seed=7 process=%d" % (method, launch), "param wait=bare",
        "clock %s hz=0 quantum=1 cost=11 ordered=1" % clock,
        "env arch=%s os=seL4 machine=qemu mcs=%d fpu=off ipcbuf=off kernel=%s config=%s" % (arch, mcs, kernel, config),
    ]


def slope(arch, cost, fixed, launch=1, mcs=0, ticks=False, config="c0", kernel="k0", whole=True, entries=2):
    """30 passes over the grid; a tick of 515 instructions in every ninth interval, which no collector can see."""
    lines, t = ["expect kernel_entries per_op=2 per_sample=0 tolerance=0.02 who=all"], 0
    for block in range(30):
        for k, n in enumerate((400, 100, 800, 200)):
            tick = ticks and (4 * block + k) % 9 == 4
            value = cost * n + fixed + (515 if tick else 0)
            lines.append("o %d %d t=%d k=%d cpu=0" % (n, value, t, block))
            t += value + 900
            lines.append("b %d %d t=%d k=%d cpu=0" % (n, 2 * n + fixed, t, block))
            t += 2 * n + fixed + 900
    operations = 30 * 1500
    evidence = ["e kernel_entries %d %d 120 who=all" % (entries * operations + 10, operations)]
    return record("sel4.signal", header(arch, "icount", "slope", launch, mcs, config, kernel), lines, whole, evidence)


def noisy(arch, cost, launch, kernel):
    """A clock with spread: a number from a small generator of its own, so that the file is the same everywhere."""
    lines, state, t = ["expect kernel_entries per_op=2 per_sample=0 tolerance=0.02 who=all"], 12345 + 77 * launch, 0
    for block in range(30):
        for n in (200, 800, 100, 400):
            state = (1103515245 * state + 12345) % 2**31
            value = cost * n + 120 + (state >> 16) % 97 + launch * n // 100
            lines.append("o %d %d t=%d k=%d cpu=0" % (n, value, t, block))
            t += value + 900
            lines.append("b %d %d t=%d k=%d cpu=0" % (n, 3 * n + 120 + (state >> 8) % 11, t, block))
            t += 3 * n + 1020
    evidence = ["e kernel_entries 90010 45000 120 who=all"]
    return record("sel4.signal", header(arch, "rdcycle", "slope", launch, 1, "c1", kernel), lines, True, evidence)


def table(initial, delta, tests, groups, cost, fixed):
    rows = [" ".join(str(cost * (initial + j * delta) + fixed + (k * k) % 7) for j in range(groups)) + " " for k in range(tests)]
    return ["Initial Test size: %d" % initial, "Delta: %d" % delta,
            "Number of Tests / Sample size of Accumulated latency: %d" % tests, "Number of Groups: %d" % groups,
            "Accumulated latencies (clock cycles): "] + rows + ["", "Done!"]


BOOT = ["ELF-loader started on (HART 0) (NODES 1)", "", "[    0.412000] console ready", "Booting all finished, dropped to user space"]


def consoles():
    yield "x86_64.log", BOOT + slope("x86_64", 950, 11) + table(30, 1, 30, 5, 950, 11)
    yield "x86_64-mcs.log", BOOT + slope("x86_64", 1270, 11, mcs=1, config="c1") + table(1, 1, 30, 5, 1270, 11)
    yield "riscv64.log", BOOT + slope("riscv64", 1149, 3, ticks=True)
    yield "aarch64-mcs.log", BOOT + slope("aarch64", 1131, 4, mcs=1, config="c1")
    yield "wrong-circle.log", BOOT + slope("x86_64", 346, 11, entries=1)
    for launch in (1, 2, 3):
        yield "base-%d.log" % launch, BOOT + slope("x86_64", 950, 11, launch)
        yield "slower-%d.log" % launch, BOOT + slope("x86_64", 970, 11, launch, kernel="k1")
        yield "mcs-%d.log" % launch, BOOT + slope("x86_64", 1270, 11, launch, mcs=1, config="c1", kernel="k3")
        yield "board-%d.log" % launch, BOOT + noisy("riscv64", 825, launch, "k2")


def main():
    for name, lines in consoles():
        with open(os.path.join(sys.argv[1], name), "w", newline="") as out:
            out.write("\r\n".join(lines) + "\r\n")


main()
