"""Takes away what litter.c leaves behind, and nothing else: it has one of 250 names or keys."""
import ctypes, os, shutil, subprocess

NAMES, KEY = 250, 0x6b626c00
KINDS = {"shm": "-m", "msg": "-q", "sem": "-s"}


def segments(kind):
    """Ids of System V objects that have such a key."""
    try:
        lines = open("/proc/sysvipc/" + kind).read().split("\n")[1:]
    except OSError:
        return []
    rows = [line.split() for line in lines if line]
    return [row[1] for row in rows if KEY <= int(row[0]) & 0xffffffff < KEY + NAMES]


def clear_up(work):
    libc = ctypes.CDLL(None)
    for number in range(NAMES):
        name = "kbench-liar-%d" % number
        for folder in ("/tmp", "/var/tmp", "/dev/shm", work):
            path = os.path.join(folder, name)
            if os.path.isdir(path):
                shutil.rmtree(path, ignore_errors=True)
            elif os.path.lexists(path):
                os.unlink(path)
        libc.mq_unlink(("/" + name).encode())
    for kind, option in KINDS.items():
        for number in segments(kind):
            subprocess.run(["ipcrm", option, number], check=False)
