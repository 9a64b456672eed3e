"""What parts of the campaign share: programs that they compile, commands under the injector, and what a run may not leave behind."""
import os, platform, shlex, signal, sqlite3, subprocess, sys, time

KBENCH, SOURCE, BUILD = os.environ.get("KBENCH", ""), os.environ.get("KB_SRC", ""), os.environ.get("KB_BUILD", "")
CAMPAIGN = os.path.join(SOURCE, "test", "campaign")


def compiler():
    """A build with sanitizers is inside the one that was configured."""
    for path in (os.path.join(BUILD, "config.mk"), os.path.join(BUILD, "..", "config.mk")):
        if os.path.exists(path):
            with open(path) as file:
                return shlex.split(next(line.split("=", 1)[1] for line in file if line.startswith("CC = ")))
    sys.exit("%s is no build" % BUILD)


def run(*words, limit=60, env=None, **more):
    """The command's exit code and streams; it and all of its group end with the limit."""
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                             env={**os.environ, **(env or {})}, start_new_session=True, **more)
    try:
        out, err = child.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        out, err = child.communicate()
        return subprocess.CompletedProcess(words, 124, out, err + "still running after %d s\n" % limit)
    return subprocess.CompletedProcess(words, child.returncode, out, err)


def must(*words, **more):
    done = run(*words, **more)
    if done.returncode:
        sys.exit("%s: exit code %d: %s%s" % (shlex.join(words), done.returncode, done.stdout[-2000:], done.stderr[-2000:]))
    return done.stdout


def skip(why):
    print(why)
    sys.exit(77)


def make_injector():
    """Builds it here; skips the step where the kernel has no such filter."""
    with open("names.c", "w") as file:
        file.write("#include <sys/syscall.h>\n")
    names = sorted({line.split()[1][4:] for line in must(*compiler(), "-E", "-dM", "names.c").splitlines() if line.startswith("#define SYS_")})
    with open("calls.h", "w") as file:
        file.writelines("X(%s)\n" % name for name in names)
    must(*compiler(), "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-I.", "-DTHIS_MACHINE=AUDIT_ARCH_" + platform.machine().upper(),
         os.path.join(CAMPAIGN, "inject.c"), os.path.join(CAMPAIGN, "inject_process.c"), "-o", "inject")
    if run("./inject", "--output", "try.txt", "--", "true").returncode:
        skip("this kernel lets no filter ask about system calls")


def make_plugin(name):
    must(*compiler(), "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I" + os.path.join(SOURCE, "include"),
         os.path.join(CAMPAIGN, name + ".c"), "-o", name + ".so")


def make_store_program(name):
    must("sh", "-c", '. "$KB_SRC/test/support/store_program.sh"; store_program "$0"', name)


def make_programs(*makers):
    """Side by side: compiling takes most of a short step."""
    import concurrent.futures
    with concurrent.futures.ThreadPoolExecutor(len(makers)) as pool:
        for done in [pool.submit(maker, *words) for maker, *words in makers]:
            done.result()


class Injected:
    """A command under the injector: how it ended, and what the injector saw once all that it started had ended, too."""

    def __init__(self, options, command, limit=60, env=None, live=8):
        self.file = os.path.abspath("inject.txt")
        if os.path.exists(self.file):
            os.remove(self.file)
        self.done = run("./inject", "--limit", str(live), "--output", self.file, *options, "--", *command, limit=limit, env=env)
        self.code = self.done.returncode

    def lines(self):
        with open(self.file) as file:
            return file.read().splitlines()

    def ended(self):
        return any(line.startswith("end ") for line in self.lines())

    def await_end(self, seconds):
        end = time.monotonic() + seconds
        while not self.ended() and time.monotonic() < end:
            time.sleep(0.02)
        return self.ended()

    def left(self):
        return sum(int(line.split()[1]) for line in self.lines() if line.startswith("end "))

    def fired(self):
        return next((line.split()[1] for line in self.lines() if line.startswith("fired ")), None)

    def killed(self):
        return sum(1 for line in self.lines() if line.startswith("killed "))

    def counts(self):
        return {tuple(line.split()[1:3]): int(line.split()[3]) for line in self.lines() if line.startswith("count ")}


def litter():
    """What runs left in TMPDIR and in shared memory."""
    found = [name for name in os.listdir(os.environ["TMPDIR"]) if name.startswith("kbench")]
    return found + ["/dev/shm/" + name for name in os.listdir("/dev/shm") if "kbench" in name]


def await_no_litter(seconds):
    end = time.monotonic() + seconds
    while litter() and time.monotonic() < end:
        time.sleep(0.05)
    return litter()


def unsound(path):
    """What SQLite finds wrong with a store; nothing where there is none."""
    if not os.path.exists(path):
        return ""
    try:
        base = sqlite3.connect(path, timeout=10)
        found = "; ".join(line for line, in base.execute("PRAGMA integrity_check") if line != "ok")
        base.close()
        return found
    except sqlite3.Error as error:
        return str(error)


def seed():
    return int(os.environ.get("KB_SEED", "1"))


def figures(**values):
    print("figures: " + " ".join("%s=%s" % pair for pair in values.items()))
