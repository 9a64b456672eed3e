#!/usr/bin/env python3
"""Each metric of sel4bench next to the benchmark of ours that measures the same, on one kernel: the table of doc/sel4bench.md.
    test/sel4bench_metrics.py --console FILE --prefix DIR [--kbench PROGRAM]
    test/sel4bench_metrics.py --why --prefix DIR [--kbench PROGRAM]
    test/sel4bench_metrics.py --names
FILE is the console of sel4bench in QEMU with -icount shift=0, DIR where the same kernel was installed: same options, KernelBenchmarks=generic
for the null system call. Exit code 1: a row whose numbers differ and that has no reason below. --why: our benchmarks, changed to do what three
of the reasons say, in a copy of the sources. --names: the table without numbers."""
import argparse, json, os, shutil, subprocess, sys, tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

IPC = "ipcbuf=registered"
PAIR = [IPC, "fpu=on"]
CALL = ["sel4.call", "words=0", "server=same", IPC]
LONG = ["sel4.call", "words=10", "server=same", IPC, "space=other", "fpu=low"]
FAULT = ["sel4.fault", "handler=lower", IPC, "fpu=low"]
MAP = "mapping_benchmark num_of_page_mapped=%d phase=%s"

# Why numbers differ.
STUB = "sel4bench subtracts the instructions that load the registers, too"
READ = "sel4bench subtracts nothing"
CAPS = "sel4bench does not set the message word: what is left in its register asks for 0 to 3 capabilities"
LATE = "the low thread was stopped inside its own signal: sel4bench has its next wait in the time"
LOOP = "sel4bench's average has its loop and library"
LOCK = "another library of locks"
LEAVE = "each waiter of sel4bench yields, too, and tells the driver that it ends"
NODE = "sel4bench names the destination by a capability, which the kernel looks up for each page"
CLEAR = "sel4bench's includes clearing all of the memory, which the first call behind a revoke does"
NO_TIMER = "sel4bench has no timer on this platform; ours is an interrupt of the serial port"

# What sel4bench calls it, what measures it here, and why the numbers differ: "" where they are the same but for 5 instructions or 1 %.
ROWS = [
    ("ipc_call", CALL + ["way=there", "space=other", "fpu=low"], STUB),
    ("ipc_reply", CALL + ["way=back", "space=other", "fpu=low"], STUB),
    ("ipc_call_fpu", CALL + ["way=there", "space=other", "fpu=on"], STUB),
    ("ipc_reply_fpu", CALL + ["way=back", "space=other", "fpu=on"], STUB),
    ("ipc_call_intra", CALL + ["way=there", "fpu=low"], STUB),
    ("ipc_reply_intra", CALL + ["way=back", "fpu=low"], STUB),
    ("ipc_send", ["sel4.send", "words=0", "way=there", "space=other", IPC, "fpu=low"], STUB),
    ("ipc_call_len10", LONG + ["way=there"], STUB),
    ("ipc_reply_len10", LONG + ["way=back"], STUB),
    ("irq_noswitch", ["sel4.irq", IPC], NO_TIMER),
    ("irq_switch", ["sel4.irq", "space=other", IPC], NO_TIMER),
    ("notify_process", ["sel4.signal", "way=back", "space=other", "low=0", "high=1"] + PAIR, LATE),
    ("notify_thread", ["sel4.signal", "way=back", "low=0", "high=1"] + PAIR, LATE),
    ("signal_to_thread_of_higher_prio prio=65", ["sel4.signal", "way=back", "low=0", "high=65"] + PAIR, LATE),
    ("signal_to_thread_of_higher_prio prio=129", ["sel4.signal", "way=back", "low=0", "high=129"] + PAIR, LATE),
    ("signal_to_thread_of_higher_prio prio=193", ["sel4.signal", "way=back", "low=0", "high=193"] + PAIR, LATE),
    ("notify_high_thread", ["sel4.signal", "way=there", IPC], CAPS),
    ("notify_low_thread", ["sel4.signal_low", IPC], CAPS),
    ("average_to_reschedule_current_thread event=cycle_counter", ["sel4.tcb_priority", "of=self", "fpu=on"], LOOP),
    ("thread_yield", ["sel4.yield", "way=there"] + PAIR, READ),
    ("process_yield", ["sel4.yield", "way=there", "space=other"] + PAIR, READ),
    ("average_sel4_yield_no_thread_switch event=cycle_counter", ["sel4.yield", "partner=no"] + PAIR, LOOP),
    ("producer_to_consumer", ["sel4.condition", "way=there"] + PAIR, LOCK),
    ("consumer_to_producer", ["sel4.condition", "way=back"] + PAIR, LOCK),
    ("broadcast_time", ["sel4.broadcast", "until=call", "fpu=on"], LOCK),
    ("wait_time waiter=24", ["sel4.broadcast", "until=first", "fpu=on"], LOCK),
    ("wait_time waiter=0", ["sel4.broadcast", "until=last", "fpu=on"], LEAVE),
    ("fault_round_trip", FAULT, STUB),
    ("fault_to_handler", FAULT + ["way=there"], STUB),
    ("fault_from_handler", FAULT + ["way=back"], STUB),
    ("null_syscall", ["sel4.null", IPC], STUB),
    (MAP % (1, "prepare_page_tables"), ["sel4.pages", "phase=tables"], CLEAR),
    (MAP % (1, "allocate_pages"), ["sel4.pages", "phase=make"], NODE),
    ("map_1", ["sel4.pages"], READ),
    ("protect_1", ["sel4.pages", "phase=protect"], READ),
    ("unprotect_1", ["sel4.pages", "phase=unprotect"], READ),
    (MAP % (512, "prepare_page_tables"), ["sel4.pages", "phase=tables", "pages=512"], CLEAR),
    (MAP % (512, "allocate_pages"), ["sel4.pages", "phase=make", "pages=512"], NODE),
    (MAP % (512, "mapping"), ["sel4.pages", "pages=512"], ""),
    (MAP % (512, "protect_pages_as_read_only"), ["sel4.pages", "phase=protect", "pages=512"], ""),
    (MAP % (512, "unprotect_pages"), ["sel4.pages", "phase=unprotect", "pages=512"], ""),
    (MAP % (2048, "prepare_page_tables"), ["sel4.pages", "phase=tables", "pages=2048"], CLEAR),
    (MAP % (2048, "allocate_pages"), ["sel4.pages", "phase=make", "pages=2048"], NODE),
    ("map_2048", ["sel4.pages", "pages=2048"], ""),
    ("protect_2048", ["sel4.pages", "phase=protect", "pages=2048"], ""),
    ("unprotect_2048", ["sel4.pages", "phase=unprotect", "pages=2048"], ""),
]


def run(program, words, store, fine=(0,)):
    done = subprocess.run([program] + words + ["--store", store], capture_output=True, text=True, timeout=600)
    if done.returncode not in fine:
        sys.exit("%s: exit code %d: %s" % (" ".join(words), done.returncode, done.stderr.strip()))


def results(program, store):
    shown = subprocess.run([program, "show", "last", "--json", "--store", store], capture_output=True, text=True, timeout=60)
    return json.loads(shown.stdout)["results"]


def name_of(result):
    params = "".join(" %s=%s" % pair for pair in result["params"].items())
    return result["benchmark"].split(".", 1)[1] + params


def theirs(program, console, store):
    run(program, ["import", console, "--clock", "icount", "--machine", "qemu", "--label", "theirs"], store, (0, 5))
    return {name_of(r): r["mean"]["value"] if r["mean"] else r["estimate"]["value"] for r in results(program, store)}


def ours(program, words, store):
    params = [word for param in words[1:] for word in ("-p", param)]
    run(program, ["run", words[0], "--defaults"] + params, store, (0, 5))
    result = results(program, store)[0]
    return result["estimate"]["value"] if result["verdict"]["status"] in ("ok", "unverified", "noisy") else None


def explained(of_theirs, of_ours, why):
    """Without a reason two numbers are the same, but for 5 instructions or 1 %."""
    return of_ours is not None and (why or (of_theirs is not None and abs(of_ours - of_theirs) <= max(5, of_theirs / 100)))


def number(value):
    return "-" if value is None else "%.0f" % value


# What sel4bench does that ours does not: file, what stands there, what stands there instead; the benchmarks that show it.
CHANGES = [
    ("src/os/sel4/bare.h", "KB_CALL_REGISTERS(seL4_SysSend, to, 1);", "KB_CALL_REGISTERS(seL4_SysSend, to, 3 << 7);"),
    ("bench/sel4/poll.c", "wrong |= kb_bare_poll(signalled)", "kb_bare_signal(signalled); kb_bare_wait(signalled)"),
    ("sel4/pages.h", "seL4_Untyped_Retype(memory, KB_PAGE_OBJECT, 0, seL4_CapInitThreadCNode, 0, 0,",
     "seL4_Untyped_Retype(memory, KB_PAGE_OBJECT, 0, seL4_CapInitThreadCNode, seL4_CapInitThreadCNode, seL4_WordBits,"),
]
CHANGED = [
    ("a signal whose message word asks for three capabilities", ["sel4.signal", "way=there", IPC]),
    ("the same to a thread of lower priority", ["sel4.signal_low", IPC]),
    ("and a wait that finds the notification active", ["sel4.poll", IPC]),
    ("pages made in a destination named by a capability", ["sel4.pages", "phase=make", "pages=512"]),
]


def change(tree):
    for folder in ("bench", "include", "sel4", "src"):
        shutil.copytree(os.path.join(SOURCE, folder), os.path.join(tree, folder))
    for name, there, instead in CHANGES:
        path = os.path.join(tree, name)
        text = open(path).read()
        if text.count(there) != 1:
            sys.exit("%s: look at this program: '%s' stands there %d times" % (name, there, text.count(there)))
        open(path, "w").write(text.replace(there, instead))


def why(program, work):
    print("| changed to do | insn before | insn after |\n|---|---|---|")
    tree, cache, store = (os.path.join(work, name) for name in ("tree", "cache", "store.db"))
    before = [ours(program, words, store) for _, words in CHANGED]
    change(tree)
    os.environ.update(KB_SOURCE=tree, XDG_CACHE_HOME=cache)
    subprocess.run([program, "sel4", "build"], check=True, stdout=subprocess.DEVNULL, timeout=300)
    for (what, words), value in zip(CHANGED, before):
        print("| %s | %s | %s |" % (what, number(value), number(ours(program, words, store))), flush=True)
    return 0


def row(name, numbers, words, reason):
    shown = name.replace("mapping_benchmark num_of_page_mapped=", "pages ").replace(" event=cycle_counter", "")
    print("| %s | %s`%s` | %s |" % (shown, numbers, " ".join(words), reason), flush=True)


def compare(program, console, store):
    metrics, failed = theirs(program, console, store), 0
    print("| sel4bench | insn | ours | `kbench run`, `-p` before each parameter | why they differ |\n|---|---|---|---|---|")
    for name, words, reason in ROWS:
        value = ours(program, words, store)
        row(name, "%s | %s | " % (number(metrics.get(name)), number(value)), words, reason)
        failed += not explained(metrics.get(name), value, reason)
    print("%d rows, %d without a reason" % (len(ROWS), failed), file=sys.stderr)
    return failed > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--console")
    parser.add_argument("--prefix")
    parser.add_argument("--kbench", default="kbench")
    parser.add_argument("--why", action="store_true")
    parser.add_argument("--names", action="store_true")
    options = parser.parse_args()
    if options.names:
        for name, words, reason in ROWS:
            row(name, "", words, reason)
        return 0
    if not options.prefix or not (options.console or options.why):
        parser.error("--prefix, and --console or --why: see --help")
    os.environ["SEL4_PREFIX"] = options.prefix
    with tempfile.TemporaryDirectory() as work:
        if options.why:
            return why(options.kbench, work)
        return compare(options.kbench, options.console, os.path.join(work, "store.db"))


sys.exit(main())
