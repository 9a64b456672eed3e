#!/usr/bin/env python3
"""Prints what moves page faults and round trips between occasions: test/loops/occasions.py [--rounds N] [--seconds N] [--empty]

First kbench, again and again on one CPU, after one thing or while it goes on: nothing; 400 idle processes, each with a pair of sockets
and pages of its own; so many that come and go, so that every process measured finds other objects of the kernel; 1 GB that somebody
wrote and gave back; with --empty (root) the kernel's caches emptied, which everybody on the machine feels. Printed are the median of
the rounds, their range, and the range of the middle half of a run's own processes, of which its CI is made. Then first writes to pages
one by one: what a page costs in an earlier and a later half, and whether pages of one region of memory, or of one colour in a cache, have
a cost in common: whether two halves of its pages agree (root: page frames).
"""
import collections, ctypes, os, random, signal, socket, statistics, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True
from loops import ABOVE, FLOOR_AT, compile_loop, cpus_here, need_x86, parser, quantile, rank_correlation, step_of, stop, variation
from noise import run_json

BENCHES = ["fault.anon", "ipc.unix_latency", "sys.stat"]
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)
SETTINGS = ["--defaults", "-p", "placement=same-cpu", "-p", "type=stream", "--precision", "0.05%"]
IDLE = 400
MEMORY = 1 << 30
COLOURS = 16
POOL = 512                      # pages of pages.c


class Child:
    """A process of ours that does `work` until it is stopped."""
    def __init__(self, work):
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:  # it ended before it was asked to take us along
                os._exit(0)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            try:
                work()
            finally:
                os._exit(0)

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)

    def wait(self):
        os.waitpid(self.pid, 0)


def idle():
    """The pages and sockets of one that waits; it ends with its parent."""
    held = socket.socketpair(), bytearray(4096 * random.randrange(1, 64))
    while held:
        signal.pause()


def hold():
    return [Child(idle) for _ in range(IDLE)]


def churn():
    """On another CPU than the one that is measured."""
    os.sched_setaffinity(0, {cpus_here()[0]})
    children = hold()
    while children:
        for at in random.sample(range(IDLE), IDLE // 20):
            stop([children[at]])
            children[at] = Child(idle)
        time.sleep(0.05)


def write_and_give_back():
    memory = bytearray(MEMORY)
    del memory


def empty():
    with open("/proc/sys/vm/drop_caches", "w") as out:
        out.write("3")



OCCASIONS = {
    "nothing": list,
    "idle processes": hold,
    "processes come and go": lambda: [Child(churn)],
    "memory written, given back": lambda: write_and_give_back() or [],
    "caches emptied": lambda: empty() or [],
}


def measure(wish, found):
    children = []
    for name, start in OCCASIONS.items():
        if name == "caches emptied" and not (wish.empty and os.geteuid() == 0):
            continue
        try:
            children = start()
            time.sleep(0.2)
            results = run_json(wish.build, BENCHES + SETTINGS + ["--cpus", str(cpus_here()[-1]), "--budget", "%gs" % (wish.seconds * len(BENCHES))],
                               20 * wish.seconds * len(BENCHES) + 60)
        finally:
            stop(children)
        for result in results:
            costs = [p["cost"] for p in result["process_costs"]]
            if result["headline"] == "uncontended" and len(costs) >= 5:
                low, _, high = statistics.quantiles(costs, n=4)
                found[result["benchmark"], name].append((result["estimate"]["value"], 100 * (high - low) / result["estimate"]["value"]))


def print_occasions(wish):
    found = collections.defaultdict(list)
    for _ in range(wish.rounds):
        measure(wish, found)
    print("%-18s %-28s %7s %12s %10s %14s %18s" % ("benchmark", "occasion", "rounds", "median, ns", "shift, %", "range, %", "middle half, %"))
    for bench in BENCHES:
        first = None
        for name in OCCASIONS:
            values = [value for value, _ in found[bench, name]]
            if not values:
                continue
            middle = statistics.median(values)
            first = first or middle
            print("%-18s %-28s %7d %12.1f %+10.2f %14.2f %18.2f" % (bench, name, len(values), middle, 100 * (middle / first - 1),
                  100 * (max(values) - min(values)) / middle, statistics.median(half for _, half in found[bench, name])))


# ---- page by page ----------------------------------------------------------------------------------

def faults(program, rounds, cpu):
    """{page frame: (number, cost in ns) of its uncontended faults}"""
    done = subprocess.run([program, str(rounds), str(cpu)], capture_output=True, text=True, timeout=300, check=True)
    lines = done.stdout.split("\n")
    hz = float(lines[0].split()[1])
    rows = [tuple(map(int, line.split())) for line in lines[1:-1]]
    step = step_of([before for _, _, before, _ in rows[:5000]])
    most = [ABOVE * quantile([row[column] for row in rows], FLOOR_AT) + step for column in (2, 3)]
    pages = collections.defaultdict(list)
    for number, (frame, ticks, before, after) in enumerate(rows):
        if before <= most[0] and after <= most[1]:
            pages[frame].append((number, 1e9 * ticks / hz))
    return pages


def groups_agree(pages, key):
    """(CV of the groups' costs in percent, rank correlation of two halves of each group's pages); None: too few groups."""
    groups = collections.defaultdict(list)
    for frame in sorted(pages):
        groups[key(frame)].append(statistics.median(cost for _, cost in pages[frame]))
    halves = [[statistics.median(g[at::2]) for g in groups.values() if len(g) >= 4] for at in (0, 1)]
    return (variation(halves[0]), rank_correlation(*halves)) if len(halves[0]) >= 5 else None


def print_pages(wish):
    with tempfile.TemporaryDirectory() as work:
        program = compile_loop(work, "pages")
        print("%-14s %8s %12s %7s %18s %22s %22s" % (
            "first write", "pages", "median, ns", "CV, %", "earlier and later", "regions of 2 MB: CV", "%d colours: CV" % COLOURS))
        print("%-14s %8s %12s %7s %18s %22s %22s" % ("", "", "", "", "half agree", "and halves agree", "and halves agree"))
        for number in range(wish.rounds):
            pages = {frame: costs for frame, costs in faults(program, wish.writes, cpus_here()[-1]).items() if frame}
            middle = wish.writes * POOL / 2
            halves = [{frame: [c for t, c in costs if (t < middle) == first] for frame, costs in pages.items()} for first in (True, False)]
            pages = {frame: costs for frame, costs in pages.items() if min(len(half[frame]) for half in halves) >= 5}
            if len(pages) < 4 * COLOURS:
                print("process %-6d too few pages: needs root, and uncontended time" % (number + 1))
                continue
            early, late = ([statistics.median(half[frame]) for frame in pages] for half in halves)
            groups = [groups_agree(pages, key) for key in (lambda frame: frame >> 9, lambda frame: frame % COLOURS)]
            print("process %-6d %8d %12.0f %7.2f %18.2f" % (
                number + 1, len(pages), statistics.median(early + late), variation(early), rank_correlation(early, late) or 0) +
                "".join(" %22s" % ("%.2f %% %6.2f" % (g[0], g[1] or 0) if g else "-") for g in groups))


def main():
    made = parser(__doc__)
    made.add_argument("--rounds", type=int, default=5)
    made.add_argument("--seconds", type=float, default=2.5, help="for each benchmark")
    made.add_argument("--writes", type=int, default=150, help="to each of 512 pages")
    made.add_argument("--empty", action="store_true", help="empty the kernel's caches, too")
    wish = made.parse_args()
    need_x86()
    print_occasions(wish)
    print_pages(wish)


main()
