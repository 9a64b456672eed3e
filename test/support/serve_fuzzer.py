#!/usr/bin/env python3
"""Does to a kbench serve on 127.0.0.1 what no client should, for test/serve.sh, and watches what it costs the server.

serve_fuzzer.py PORT TOKEN-FILE PID SECONDS SEED     prints a sample each 15 s, what it did, and PASS or FAIL for each of its checks
"""
import contextlib
import os
import socket
import sys
import time

from serve_attacks import ACCEPTS, ECHO_TCP, ROUND, WAIT, Fuzzer, Shared

THREADS = 16
IDLE = 60               # seconds that a session may be silent
SAMPLE = 15


# ---- what it costs the server ---------------------------------------------------------------------------------

class Sample:
    def __init__(self, pid):
        self.kilobytes, self.threads = self.status(pid)
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            children = file.read().split()
        self.children, self.with_children = len(children), self.kilobytes
        for child in children:
            with contextlib.suppress(OSError, KeyError):
                self.with_children += self.status(child)[0]
        self.descriptors = len(os.listdir("/proc/%d/fd" % pid))
        with open("/proc/%d/stat" % pid) as file:
            self.seconds = sum(int(ticks) for ticks in file.read().rsplit(")", 1)[1].split()[11:13]) / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def status(pid):
        with open("/proc/%s/status" % pid) as file:
            fields = dict(line.split(":", 1) for line in file)
        return int(fields["VmRSS"].split()[0]), int(fields["Threads"])

    def __str__(self):
        return "server %d kB, with children %d kB, %d descriptors, %d children, %d threads, %.1f s of CPU" % (
            self.kilobytes, self.with_children, self.descriptors, self.children, self.threads, self.seconds)


def own_descriptors():
    return len(os.listdir("/proc/self/fd"))


def say(shared, began, sample):
    print("%4d s  %s; here %d connections so far, %d descriptors" % (
        time.monotonic() - began, sample, shared.counts["connections"], own_descriptors()), flush=True)


def fuzz(shared):
    """Samples; those of the first minute, or of the first half, are not among them."""
    began = last = time.monotonic()
    samples, most_here = [], 0
    threads = [Fuzzer(shared, number) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    while time.monotonic() - began < shared.seconds:
        time.sleep(0.5)
        sample, most_here = Sample(shared.pid), max(most_here, own_descriptors())
        if time.monotonic() - began >= min(60, shared.seconds / 2):
            samples.append(sample)
        if time.monotonic() - last >= SAMPLE:
            last = time.monotonic()
            say(shared, began, sample)
    shared.stop.set()
    for thread in threads:
        thread.join(4 * WAIT)
    shared.close_silent()
    stuck = sum(thread.is_alive() for thread in threads)
    check("the fuzzer", stuck == 0, "%d threads are stuck; it had at most %d descriptors" % (stuck, most_here))
    return samples


def await_clean(shared, start, limit):
    until = time.monotonic() + limit
    while True:
        sample = Sample(shared.pid)
        clean = (sample.descriptors, sample.children) == (start.descriptors, start.children)
        if clean or time.monotonic() > until:
            return clean, sample
        time.sleep(0.2)


def quiet(shared, stack):
    """Clients that are silent, each at another place, and stay: seconds until the server has ended the last; None: it did not."""
    quiet_one = Fuzzer(shared, THREADS)
    silent = [quiet_one.greet(stack)[0] for _ in range(3)]
    silent += [quiet_one.session(stack), quiet_one.opened(stack, ACCEPTS, 0)[0], quiet_one.opened(stack, ECHO_TCP, 64)[0]]
    waiting = quiet_one.opened(stack, ACCEPTS, 0)[0]
    quiet_one.ask(waiting, ROUND, 0, 0, 0, 1, 0)
    began = time.monotonic()
    for connection in silent + [waiting]:
        connection.settimeout(max(1, IDLE + WAIT - (time.monotonic() - began)))
        try:
            with contextlib.suppress(ConnectionError):
                while connection.recv(65536):
                    pass
        except socket.timeout:
            return None
    return time.monotonic() - began


# ---- checks ---------------------------------------------------------------------------------------------------

def check(name, passes, text):
    print("%s %s: %s" % ("PASS" if passes else "FAIL", name, text), flush=True)


def print_counts(shared):
    counts = shared.counts
    print("%d connections, %d handshakes, %d requests, %d datagrams; %d refused, %d ended by the server" % tuple(
        counts[name] for name in ("connections", "handshakes", "requests", "datagrams", "refused", "ended")))
    print("actions: " + ", ".join("%s %d" % (name[3:], counts[name[3:]]) for name in sorted(dir(Fuzzer)) if name.startswith("do_")))
    for problem in shared.problems:
        print("    " + problem)


def check_answers(shared):
    counts = shared.counts
    check("answers", counts["problems"] == 0, "%d wrong ones or none; %d wrong proofs and %d bad requests refused" % (
        counts["problems"], counts["proofs refused"], counts["bad requests refused"]))
    # On a busy machine data may come too late for the server's five seconds.
    check("served meanwhile", counts["served"] > 4 * counts["lost"], "%d clients, with the right data and counts; %d were dropped" % (
        counts["served"], counts["lost"]))


def main(words):
    if len(words) != 5:
        raise SystemExit(__doc__)
    shared = Shared(words)
    start = Sample(shared.pid)
    print("at the start: %s; seed %d" % (start, shared.seed), flush=True)
    samples = fuzz(shared)
    print_counts(shared)
    check_answers(shared)
    clean, sample = await_clean(shared, start, WAIT)
    check("those who left", clean, str(sample))
    with contextlib.ExitStack() as stack:
        took = quiet(shared, stack) if clean else None
        check("those who stay and are silent", took is not None, "the last was ended after %.0f s" % took if took else
              "not ended within %d s" % (IDLE + WAIT) if clean else "not tried")
        used = Sample(shared.pid).seconds - sample.seconds
        check("a server that waits sleeps", used < 1, "%.2f s of CPU meanwhile" % used)
        clean, sample = await_clean(shared, start, WAIT)
        check("descriptors and children", clean, "%s; at the start %d and %d" % (sample, start.descriptors, start.children))
    first, most = samples[0].kilobytes, max(one.kilobytes for one in samples + [sample])
    check("memory", most - first < 2048, "at most %d kB, %d kB after the first %.0f s" % (most, first, min(60, shared.seconds / 2)))


if __name__ == "__main__":
    main(sys.argv[1:])
