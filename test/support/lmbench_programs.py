"""Runs programs of lmbench, which users build themselves, for the scripts that hold KBench's numbers beside lmbench's."""
import os, resource, signal, subprocess, time

# lmbench otherwise spends most of a minute in every program to find out how long a sample must be: 5 ms are enough, and what it would
# subtract (a clock reading, an empty loop) is less than a ten-thousandth of them.
SETTINGS = {"ENOUGH": "5000", "TIMING_O": "0", "LOOP_O": "0"}


def last_number(text):
    numbers = [w for w in text.replace(":", " ").split() if w.replace(".", "", 1).isdigit()]
    return float(numbers[-1]) if numbers else None


def start(folder, program, cpu, where=None):
    """On one CPU, and in a group of its own: what the program starts can be ended with it. No session of its own: where the scheduler
    shares the CPU by session, the program would have another share than ours."""
    words = ["taskset", "-c", str(cpu), os.path.join(folder, program[0])] + program[1:]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=os.setpgrp, cwd=where,
                            env={**os.environ, **SETTINGS})


def end(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    process.stdout.close()


def used():
    """CPU time of all that has ended and was waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed_output(folder, program, cpu, timeout=60, where=None):
    """What a program prints, and its share of a CPU while it ran: less than 1 where other programs ran, or where it slept."""
    began, before = time.monotonic(), used()
    text = output(folder, program, cpu, timeout, where)
    return text, (used() - before) / (time.monotonic() - began)


def output(folder, program, cpu, timeout=60, where=None):
    """What a program prints; None: it does not exist, or did not end in time."""
    if not os.path.exists(os.path.join(folder, program[0])):
        return None
    process = start(folder, program, cpu, where)
    try:
        return process.communicate(timeout=timeout)[0]
    except subprocess.TimeoutExpired:
        return None
    finally:
        end(process)
