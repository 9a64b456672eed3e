#!/usr/bin/env python3
"""Prints how a core's clock moves, and whether by what it executes: test/loops/moves.py [--seconds N] [--cpu N]

Chains of additions, multiplications and loads of known cycles run in pieces of 20 us and of 0.2 ms one after the other, then 0.1 s of each.
Printed are the ratio of chains that run side by side, how far a clock is from the one some time before, and the clock of each kind beside
the additions before and after it. Pieces that lost the CPU are left out.
"""
import statistics, subprocess, sys, tempfile

sys.dont_write_bytecode = True
from loops import compile_loop, cpus_here, need_x86, parser, quantile

KINDS = "additions", "multiplications", "loads"
LAGS_MS = 1, 10, 100, 1000
SHORT, LONG = 80000, 800000     # core cycles of a piece: about 20 us and 0.2 ms
TOGETHER = 500          # long pieces: 0.1 s
LOST = 0.9              # of the median clock: below, the piece had not the CPU to itself


def take(program, seconds, cpu, together, cycles):
    """[(us, kind, MHz)] of pieces that had the CPU, and how many had not."""
    done = subprocess.run([program, "%g" % seconds, str(cpu), str(together), str(cycles)], capture_output=True, text=True, check=True,
                          timeout=10 * seconds + 60)
    lines = done.stdout.split("\n")
    mhz = float(lines[0].split()[1]) / 1e6
    pieces = [(float(us), int(kind), float(part) * mhz) for us, kind, part in (line.split() for line in lines[1:-1])]
    least = LOST * statistics.median(p[2] for p in pieces)
    return [p for p in pieces if p[2] >= least], sum(p[2] < least for p in pieces)


def ratios(pieces, kind):
    """A chain of that kind in additions beside it: what one instruction takes, in its documented cycles."""
    return [(before[2] + after[2]) / 2 / piece[2] for before, piece, after in zip(pieces, pieces[1:], pieces[2:])
            if piece[1] == kind and before[1] == after[1] == 0 and after[0] - before[0] < 1000]


def moved(pieces, ms):
    """By what part the clock is another one after so many ms; additions only."""
    adds, far, found = [p for p in pieces if p[1] == 0], 0, []
    for us, _, mhz in adds:
        while far < len(adds) and adds[far][0] < us + 1000 * ms:
            far += 1
        if far < len(adds) and adds[far][0] < us + 1000 * ms + 1000:
            found.append(abs(adds[far][2] / mhz - 1))
    return found


def blocks(pieces):
    """[(kind, median MHz)] of pieces of one kind in a row."""
    found, row = [], []
    for piece in pieces + [(0, -1, 0)]:
        if row and piece[1] != row[0][1]:
            found.append((row[0][1], statistics.median(p[2] for p in row)))
            row = []
        row.append(piece)
    return found


def main():
    made = parser(__doc__)
    made.add_argument("--seconds", type=float, default=10, help="of each of the three parts")
    made.add_argument("--cpu", type=int, default=cpus_here()[-1])
    wish = made.parse_args()
    need_x86()
    with tempfile.TemporaryDirectory() as work:
        program = compile_loop(work, "moves")
        close, _ = take(program, wish.seconds, wish.cpu, 1, SHORT)
        beside, lost = take(program, wish.seconds, wish.cpu, 1, LONG)
        apart, _ = take(program, wish.seconds, wish.cpu, TOGETHER, LONG)
    clocks = [p[2] for p in beside]
    print("%d pieces of 0.2 ms, %d more lost the CPU; core clock %.0f MHz, 5 to 95 %%: %.0f to %.0f" % (
        len(beside), lost, statistics.median(clocks), quantile(clocks, .05), quantile(clocks, .95)))
    for us, pieces in (20, close), (200, beside):
        for kind in 1, 2:
            found = ratios(pieces, kind) or sys.exit("moves.py: no pieces next to each other; try more --seconds")
            print("%-16s between additions, pieces of %3d us: %+.3f %% off their cycles, 5 to 95 %%: %+.2f to %+.2f" % (
                KINDS[kind], us, 100 * (statistics.median(found) - 1), 100 * (quantile(found, .05) - 1), 100 * (quantile(found, .95) - 1)))
    for ms in LAGS_MS:
        found = moved(beside, ms)
        if not found:
            print("after %4d ms: too few" % ms)
            continue
        print("after %4d ms the clock is another one by %.2f %% (median), %.2f %% (95 %%)" % (
            ms, 100 * statistics.median(found), 100 * quantile(found, .95)))
    rows = blocks(apart)
    for kind in 1, 2:
        found = [100 * (mid[1] / ((a[1] + b[1]) / 2) - 1) for a, mid, b in zip(rows, rows[1:], rows[2:]) if mid[0] == kind and a[0] == b[0] == 0]
        if len(found) < 2:
            print("0.1 s of %-16s too few" % (KINDS[kind] + ":"))
            continue
        half = 2 * statistics.stdev(found) / len(found) ** 0.5
        print("0.1 s of %-16s clock %+.2f ±%.2f %% off the additions before and after, %d times" % (
            KINDS[kind] + ":", statistics.mean(found), half, len(found)))


if __name__ == "__main__":
    main()
