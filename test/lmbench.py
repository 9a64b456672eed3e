#!/usr/bin/env python3
"""Prints KBench's results beside those of lmbench's programs, which you build yourself: doc/lmbench.md has the table and the reasons.

Both sides are pinned to one CPU and take turns. A round visits every line: half of lmbench's short runs, the KBench benchmark in five fresh
processes, the other half. Nothing else should run on the machine.

  test/lmbench.py --lmbench DIR --state FILE                  # DIR holds lmbench's programs: eight rounds, goes on where it ended
  test/lmbench.py --lmbench DIR --state FILE --only lat_pipe  # lines whose program or benchmark has that in its name
  test/lmbench.py --state FILE --print                        # the table of what FILE has
  test/lmbench.py --why                                       # needs no lmbench: loops by hand that differ as both sides do
  test/lmbench.py --list                                      # the lines: lmbench's program and arguments, KBench's benchmark and parameters

Each line of a round is a line of FILE, so the same command goes on after any end; --minutes limits one call. FILE.db is the store of
KBench's runs: what one process saw, `kbench show --store FILE.db` tells. Exit code 1: a ratio outside 0.9 to 1.1 has no reason.
"""
import argparse, json, math, os, re, shutil, signal, statistics, subprocess, sys, tempfile, time

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "support")]
sys.dont_write_bytecode = True
from lmbench_programs import end, last_number, start, timed_output
from noise import load_state

HELLO = "/tmp/hello"            # what lat_proc starts
RUNS = 8                        # of an lmbench program in a round; half of them before ours
ALONE = 0.95                    # of the largest share of the CPU that a run of a line had: other programs ran less than that
LIMITS = 0.9, 1.1
STUDENT = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26, 10: 2.23}

# lmbench's program; what its number is: ns, us, 2us (us of half an operation), us-100 (us and 100 more), MB/s, or `/s`; behind it a pattern where it prints several; ours; and the section of
# doc/lmbench.md that explains a ratio other than 1.
PIPED = "placement=same-cpu"
ROWS = [
    ("lat_syscall null", "us", "sys.null", "", None),
    ("lat_syscall read", "us", "sys.read_zero", "bytes=1", None),
    ("lat_syscall write", "us", "sys.write_null", "", None),
    ("lat_syscall stat FILE", "us", "sys.stat", "depth=1", None),
    ("lat_syscall fstat FILE", "us", "sys.fstat", "", None),
    ("lat_syscall open FILE", "us", "sys.open_close", "part=both depth=1", None),
    ("lat_select -n 10 file", "us", "sys.select", "fds=10 ready=100 kind=file", "lat_select"),
    ("lat_select -n 100 file", "us", "sys.select", "fds=100 ready=100 kind=file", "lat_select"),
    ("lat_select -n 100 tcp", "us", "sys.select", "fds=100 ready=100 kind=tcp", "lat_select"),
    ("lat_sig install", "us", "sig.install", "", "lat_sig"),
    ("lat_sig catch", "us", "sig.self", "", "lat_sig"),
    ("lat_sig prot FILE", "us", "sig.segv", "count=net", "lat_sig"),
    ("lat_pipe", "us", "ipc.pipe_latency", PIPED, None),
    ("lat_unix", "us", "ipc.unix_latency", "type=stream " + PIPED, None),
    ("lat_sem", "2us", "ipc.sem", "api=sysv " + PIPED, "lat_sem"),
    ("lat_fcntl", "2us", "ipc.file_lock", PIPED, "lat_fcntl"),
    ("lat_udp 127.0.0.1", "us", "ipc.udp_latency", PIPED, None),
    ("lat_tcp 127.0.0.1", "us", "ipc.tcp_latency", PIPED, None),
    ("lat_connect 127.0.0.1", "us", "net.tcp_connect", "part=connect", "lat_connect"),
    ("lat_proc fork", "us", "proc.fork_exit", PIPED, None),
    ("lat_proc exec", "us", "proc.fork_exec", "program=hello", None),
    ("lat_proc shell", "us", "proc.shell", "form=plain", None),
    ("lat_ctx -s 0 2", "us", "ctx.ring", "processes=2 size=0", "lat_ctx"),
    ("lat_ctx -s 16 2", "us", "ctx.ring", "processes=2 size=16K", None),
    ("lat_ctx -s 0 8", "us", "ctx.ring", "processes=8 size=0", None),
    ("lat_ctx -s 16 8", "us", "ctx.ring", "processes=8 size=16K", None),
    ("lat_mmap 8m FILE", "us", "vm.map_file", "touch=dense size=8M", None),
    ("lat_pagefault FILE", "us", "fault.file_pages", "order=random folio=4K", "lat_pagefault"),
    ("lat_fs -s 0k .", "/s 0k\t\\d+\t(\\d+)", "fs.create", "on=disk files=8192 inodes=recycled size=0", "lat_fs"),
    ("lat_fs -s 0k .", "/s 0k\t\\d+\t\\d+\t(\\d+)", "fs.unlink", "on=disk files=2048", None),
    ("bw_mem 16k rd", "MB/s", "mem.bw_read", "size=16K access=pointer pages=small", "bw_mem"),
    ("bw_mem 16k frd", "MB/s", "mem.bw_read", "size=16K access=pointer width=8 pages=small", "bw_mem"),
    ("bw_mem 16k wr", "MB/s", "mem.bw_write", "size=16K store=plain pages=small", "bw_mem"),
    ("bw_mem 16k fwr", "MB/s", "mem.bw_write", "size=16K store=plain width=8 pages=small", "bw_mem"),
    ("bw_mem 16k bcopy", "MB/s", "mem.bw_bcopy", "size=16K pages=small", None),
    ("bw_mem 16k bzero", "MB/s", "mem.bw_fill", "size=16K value=zero call=whole pages=small", None),
    ("bw_mem 64m rd", "MB/s", "mem.bw_read", "size=64M access=pointer pages=small", "bw_mem"),
    ("bw_mem 64m wr", "MB/s", "mem.bw_write", "size=64M store=plain pages=small", "bw_mem"),
    ("bw_mem 64m rdwr", "MB/s", "mem.bw_rdwr", "size=64M pages=small", "bw_mem"),
    ("bw_mem 64m cp", "MB/s", "mem.bw_copy", "size=64M store=plain pages=small", "bw_mem"),
    ("bw_mem 64m bcopy", "MB/s", "mem.bw_bcopy", "size=64M pages=small", "bw_mem"),
    ("bw_mem 64m bzero", "MB/s", "mem.bw_fill", "size=64M value=zero call=whole pages=small", "bw_mem"),
    ("bw_pipe", "MB/s", "ipc.pipe_bw", PIPED + " chunk=64K", None),
    ("bw_unix", "MB/s", "ipc.unix_bw", PIPED + " chunk=64K", None),
    ("bw_tcp -m 64k 127.0.0.1", "MB/s", "ipc.tcp_bw", PIPED + " chunk=64K", "bw_tcp"),
    ("bw_file_rd 8m io_only FILE", "MB/s", "fs.read_cached", "mode=read size=64K on=disk", "bw_file_rd"),
    ("bw_mmap_rd 8m mmap_only FILE", "MB/s", "fs.mmap_read", "mode=mapped size=8M on=disk", "bw_mmap_rd"),
    ("lat_mem_rd -t 1 64", "ns 0.01562 ([\\d.]+)", "mem.latency", "size=16K order=random stride=64 pages=small", None),
    ("lat_mem_rd -t 1 64", "ns 0.25000 ([\\d.]+)", "mem.latency", "size=256K order=random stride=64 pages=small", None),
    ("stream -M 128m", "MB/s copy bandwidth: ([\\d.]+)", "mem.stream", "loop=copy size=128M pages=small", None),
    ("stream -M 128m", "MB/s triad bandwidth: ([\\d.]+)", "mem.stream", "loop=triad size=128M pages=small", None),
    ("lat_ops", "ns integer add: ([\\d.]+)", "cpu.op_latency", "op=add-int32", "lat_ops"),
    ("lat_ops", "ns integer mul: ([\\d.]+)", "cpu.op_latency", "op=mul-int32", None),
    ("lat_ops", "ns integer div: ([\\d.]+)", "cpu.op_latency", "op=div-int32", "lat_ops"),
    ("lat_ops", "ns int64 mul: ([\\d.]+)", "cpu.op_latency", "op=imul", None),
    ("lat_ops", "ns float add: ([\\d.]+)", "cpu.op_latency", "op=add-float", None),
    ("lat_ops", "ns float mul: ([\\d.]+)", "cpu.op_latency", "op=mul-float", None),
    ("lat_ops", "ns double add: ([\\d.]+)", "cpu.op_latency", "op=add-double", None),
    ("lat_ops", "ns double mul: ([\\d.]+)", "cpu.op_latency", "op=mul-double", None),
    ("lat_ops", "ns double div: ([\\d.]+)", "cpu.op_latency", "op=div-double", None),
    ("lat_rand", "ns drand48 latency: ([\\d.]+)", "lib.rand", "function=drand48", "lat_rand"),
    ("lat_rand", "ns lrand48 latency: ([\\d.]+)", "lib.rand", "function=lrand48", "lat_rand"),
    ("lat_usleep 100", "us-100", "timer.sleep", "call=nanosleep duration=100000 slack=0", None),
]
SERVED = {"lat_udp", "lat_tcp", "lat_connect", "bw_tcp"}
SLOW = {"lat_mem_rd", "lat_pipe", "lat_sem", "lat_udp", "lat_tcp", "bw_tcp", "lat_fs"}      # a second or two a run, whatever it is told
LONG = {"proc.shell": 4, "proc.fork_exec": 3, "proc.fork_exit": 2, "fs.create": 3, "fs.unlink": 3, "mem.stream": 4, "mem.bw_write": 2, "net.tcp_connect": 2}     # times --seconds


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(here, "..", "build"))
    parser.add_argument("--lmbench", metavar="DIR")
    parser.add_argument("--state", metavar="FILE")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=1.2, help="for a KBench benchmark in a round")
    parser.add_argument("--minutes", type=float, default=20, help="that one call may take")
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--why", action="store_true")
    wish = parser.parse_args()
    if wish.list or wish.why:
        return wish
    if not wish.state:
        parser.error("--state FILE: where what was measured is kept")
    if not wish.print and not wish.lmbench:
        parser.error("--lmbench DIR: where lmbench's programs are")
    return wish


def title(row):
    return "%s | %s" % (row[0] + (" " + row[1] if " " in row[1] else ""), (row[2] + " " + row[3]).strip())


def command_of(row):
    """Few repetitions a run, and more runs: a stretch with a neighbour then spoils one run and not the median of all."""
    words = row[0].split()
    words = ["file" if word == "FILE" else word for word in words]
    return words[:1] + ["-N", "1" if words[0] in SLOW else "3"] + words[1:]


def read_value(text, kind):
    """ns for one operation, or for one byte."""
    unit, _, pattern = kind.partition(" ")
    found = re.search(pattern, text) if pattern else None
    value = float(found.group(1)) if found else None if pattern else last_number(text)
    if value is None or value == 0 and unit in ("MB/s", "/s"):
        return None
    return {"ns": lambda: value, "us": lambda: 1000 * value, "2us": lambda: 2000 * value, "us-100": lambda: 1000 * value - 1e5, "MB/s": lambda: 1000 / value,
            "/s": lambda: 1e9 / value}[unit]()


def run_lmbench(wish, row, count):
    values = []
    for _ in range(count):
        text, share = timed_output(wish.lmbench, command_of(row), wish.cpu, 20)
        value = read_value(text, row[1]) if text else None
        if value is not None:
            values.append((value, share))
    return values


def run_ours(wish, row):
    command = [os.path.join(wish.build, "kbench"), "run", "--json", "--defaults", "--store", wish.state + ".db", "--cpus", str(wish.cpu),
               "--processes", "5", "--budget", "%gs" % (wish.seconds * LONG.get(row[2], 1)), row[2]]
    for word in row[3].split():
        command += ["-p", word]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode not in (0, 5):
        sys.exit("lmbench.py: %s: exit code %d: %s" % (" ".join(command), done.returncode, done.stderr.strip()))
    result = json.loads(done.stdout)["results"][0]
    size = result["bytes_per_op"] or 1
    value, observed = result["estimate"]["value"], result["observed"]["value"]
    return {"value": value and value / size, "observed": observed and observed / size, "headline": result["headline"],
            "status": result["verdict"]["status"], "bytes": result["bytes_per_op"], "clean": result["clean_share"]}


def serve(wish, row):
    """The server that some programs need: it goes into the background by itself, in the group of what starts it."""
    name = row[0].split()[0]
    if name not in SERVED or not os.path.exists(os.path.join(wish.lmbench, name)):
        return None
    server = start(wish.lmbench, [name, "-s"], wish.cpu)
    time.sleep(0.3)
    return server


def measure_row(wish, row):
    server = serve(wish, row)
    count = 1 if row[0].split()[0] in SLOW else RUNS // 2
    try:
        theirs = run_lmbench(wish, row, count)
        ours = run_ours(wish, row)
        return {"theirs": theirs + run_lmbench(wish, row, count), "ours": ours}
    finally:
        if server:
            end(server)


def measure(wish, rows, state):
    finish = time.time() + 60 * wish.minutes
    done = {(entry["round"], entry["row"]) for entry in state}
    wish.state, wish.lmbench, wish.build = map(os.path.abspath, (wish.state, wish.lmbench, wish.build))
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        # Page by page, as ours are: written at once it would lie in memory in larger pieces, and a fault would map several pages.
        with open("file", "wb", buffering=0) as out:
            for _ in range(2048):
                out.write(bytes(range(256)) * 16)
            os.fsync(out.fileno())
        for number in range(1, wish.rounds + 1):
            for row in rows:
                if (number, title(row)) in done:
                    continue
                if time.time() > finish:
                    print("lmbench.py: the time of one call is over; the same command goes on", file=sys.stderr)
                    return
                entry = {"round": number, "row": title(row), **measure_row(wish, row)}
                state.append(entry)
                with open(wish.state, "a") as out:
                    out.write(json.dumps(entry) + "\n")


def quantile(values, at):
    ordered = sorted(values)
    place = at * (len(ordered) - 1)
    low = int(place)
    return ordered[low] + (place - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def ratio_of(pairs):
    """Ours over theirs, the geometric mean over rounds, and its 95 % CI by Student's t of the logarithms."""
    logs = [math.log(a / b) for a, b in pairs if a and b and a > 0 and b > 0]
    if not logs:
        return None, None
    mean = statistics.mean(logs)
    if len(logs) < 3:
        return math.exp(mean), None
    half = STUDENT.get(len(logs) - 1, 2.2) * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(mean), (math.exp(mean - half), math.exp(mean + half))


def figure(ns, rate):
    if ns is None:
        return "-"
    if rate:
        return "%.3g GB/s" % (1 / ns) if ns else "-"
    for unit, size in (("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return "%.4g %s" % (ns / size, unit)
    return "%.4g ns" % ns


def summary(row, entries):
    """The uncontended cost beside the lower quartile of lmbench's runs, which has no other way to leave neighbours out; where half of the
    rounds have none, all that was seen beside the median."""
    most = max((share for e in entries for _, share in e["theirs"]), default=0)
    least = 0 if row[0].split()[0] in SERVED or most < 0.5 else ALONE * most        # not in the share: a server's time, and sleep
    entries = [{"theirs": [value for value, share in e["theirs"] if share >= least], "ours": e["ours"]} for e in entries]
    entries = [e for e in entries if e["theirs"] and e["ours"]["value"]]
    clean = [e for e in entries if e["ours"]["headline"] == "uncontended"]
    kind = "uncontended" if 2 * len(clean) >= max(len(entries), 1) else "observed"
    used = clean if kind == "uncontended" else entries
    pick = (lambda e: e["ours"]["value"]) if kind == "uncontended" else lambda e: e["ours"]["observed"]
    at = 0.25 if kind == "uncontended" else 0.5
    ratio, interval = ratio_of([(pick(e), quantile(e["theirs"], at)) for e in used])
    seen, _ = ratio_of([(e["ours"]["observed"], statistics.median(e["theirs"])) for e in entries])
    every = [v for e in entries for v in e["theirs"]]
    return {"kind": kind, "ratio": ratio, "interval": interval, "seen": seen, "rounds": len(used), "rate": row[1].startswith("MB/s"),
            "ours": statistics.median(map(pick, used)) if used else None, "low": quantile(every, 0.25) if every else None,
            "median": statistics.median(every) if every else None, "share": most, "runs": len(every)}


def table(rows, state):
    print("%-29s %-51s %10s %10s %10s %4s %3s %6s %-12s %-13s %5s  %s" % (
        "lmbench", "KBench", "ours", "low", "median", "runs", "cpu", "ratio", "95 % CI", "by, rounds", "all", "outside"))
    missed = known = 0
    for row in rows:
        entries = [e for e in state if e["row"] == title(row)]
        if not entries:
            continue
        made = summary(row, entries)
        outside = made["ratio"] is None or not LIMITS[0] <= made["ratio"] <= LIMITS[1]
        missed += outside and not row[4]
        known += outside and bool(row[4])
        reading = row[0].replace(" FILE", " F") + (" " + row[1].partition(" ")[2].split(":")[0].split("\t")[0].split("(")[0] if " " in row[1] else "")
        print("%-29s %-51s %10s %10s %10s %4d %3.0f %6s %-12s %-13s %5s  %s" % (
            reading.strip()[:29], (row[2] + " " + row[3])[:51], figure(made["ours"], made["rate"]), figure(made["low"], made["rate"]),
            figure(made["median"], made["rate"]), made["runs"], 100 * made["share"], "-" if made["ratio"] is None else "%.3f" % made["ratio"],
            "%.3f..%.3f" % made["interval"] if made["interval"] else "-", "%s %d" % (made["kind"], made["rounds"]),
            "-" if made["seen"] is None else "%.2f" % made["seen"], ("see " + row[4] if row[4] else "no reason") if outside else ""))
    print("%d of %d ratios within %g to %g; %d outside have a reason, %d have none" % (
        len({e["row"] for e in state} & set(map(title, rows))) - missed - known, len({e["row"] for e in state} & set(map(title, rows))), *LIMITS, known, missed))
    return missed


def run_loops(cpu):
    if os.uname().machine != "x86_64":
        sys.exit("lmbench.py: --why: the loops are of x86-64")
    with tempfile.TemporaryDirectory() as work:
        for name in "loops", "turns", "tcp", "files":
            program = os.path.join(work, name)
            subprocess.run(["cc", "-O2", os.path.join(here, "loops", "lmbench", name + ".c"), "-o", program], check=True)
            subprocess.run([program, str(cpu)], check=True, timeout=120, cwd=work)


def place_hello(programs):
    """lat_proc starts it there, where others can write: one of another user is not started, nor one replaced."""
    source = os.path.join(programs, "hello")
    if os.path.lexists(HELLO):
        if os.path.islink(HELLO) or os.stat(HELLO).st_uid != os.getuid():
            sys.exit("lmbench.py: %s belongs to somebody else, and lat_proc would start it: have it removed" % HELLO)
        return False
    if not os.path.exists(source):
        return False
    with open(source, "rb") as program, os.fdopen(os.open(HELLO, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o755), "wb") as copy:
        shutil.copyfileobj(program, copy)
    return True


def main():
    wish = options()
    if wish.why:
        return run_loops(wish.cpu)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
    rows = [row for row in ROWS if wish.only in row[0] or wish.only in row[2]]
    if not rows:
        sys.exit("lmbench.py: --only %s: in no program and no benchmark of --list" % wish.only)
    if wish.list:
        for row in rows:
            print("%-30s %s" % (row[0].strip(), (row[2] + " " + row[3]).strip()))
        return
    state = load_state(wish.state)
    if not wish.print:
        made = place_hello(wish.lmbench)
        try:
            measure(wish, rows, state)
        finally:
            if made:
                os.unlink(HELLO)
    if not state:
        sys.exit("lmbench.py: nothing measured yet")
    sys.exit(1 if table(rows, state) else 0)


if __name__ == "__main__":
    main()
