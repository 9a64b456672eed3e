"""The tables name what there is, and the judge tells a lie that was caught from one that was not. Nothing is measured."""
import glob, os, re, sys

sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import tables, verdicts

failed = []


def expect(what, true):
    if not true:
        failed.append(what)


def lies_of(path):
    """Values of `lie` that a source knows, but for the honest one."""
    found = re.search(r'LIE_PARAM\("([^"]*)"\)', open(path).read())
    return set(found.group(1).split(",")) if found else set()


def check_names(jobs):
    sources = {name: file for name, file, _ in tables.rows(os.path.join(here, "build.txt"))}
    told = {}
    for job in jobs:
        path = os.path.join(here, "lies", sources.get(job.plugin, job.plugin + ".c"))
        expect("%s: no such source" % job.plugin, os.path.exists(path))
        if job.kind == "lie":
            re.compile(job.pattern)
            expect("%s %s: verdict %s" % (job.plugin, job.settings, job.verdict),
                   set(job.verdict.split("|")) <= {"invalid", "unverified", "noisy", "skipped", "refused", "measured"})
            for name in re.findall(r"lie=(\w+)", job.settings):
                told.setdefault(path, set()).add(name)
    expect("a plug-in of build.txt is in no table", set(sources) <= {job.plugin for job in jobs})
    for path in glob.glob(os.path.join(here, "lies", "*.c")):
        if not path.endswith("/descriptor.c"):
            expect("%s: its lies and those of the table differ: %s" % (path, lies_of(path) ^ told.get(path, set())),
                   lies_of(path) == told.get(path))
    lies = [job for job in jobs if job.kind == "lie"]
    expect("a lie is there twice", len(lies) == len({(job.plugin, job.settings) for job in lies}))
    expect("only %d lies" % len(lies), len(lies) >= 150)
    expect("only %d lies besides descriptors" % len(lies), sum(not job.plugin.startswith("d_") for job in lies) >= 100)
    honest = len(tables.honest(here)) + len(jobs) - len(lies)
    expect("only %d honest benchmarks" % honest, honest >= 60)


def said(status, reasons, value="-", evidence="ok", code="0"):
    return verdicts.Said(code, status, evidence, value, "-", "6", reasons)


def check_judge():
    job = tables.Job("lie", "x", "lie=y", "", "invalid|measured", "syscalls")
    right = "note:flat () [] | invalid:expect_failed (contradicted) [syscalls of all: 0.5]"
    for what, got, answer in (
            ("the verdict and the reason", said("invalid", right), "yes"),
            ("another reason", said("invalid", "invalid:timeout () [after 8 s]"), "otherwise"),
            ("the reason stands in a note only", said("invalid", "note:x () [syscalls] | invalid:timeout () []"), "otherwise"),
            ("noisy", said("noisy", "noisy:too_wide () [syscalls]", "200"), "no"),
            ("as the twin", said("ok", "-", "110"), "yes"),
            ("not as the twin", said("ok", "-", "150"), "no"),
            ("no number", said("noisy", "-"), "no"),
            ("kbench died", said("none", "syscalls", code="139"), "no")):
        expect("the judge: " + what, verdicts.caught(job, got, 100.0) == answer)
    refused = job._replace(verdict="refused", pattern="kind")
    expect("the judge: refused", verdicts.caught(refused, verdicts.read(2, "", "kbench run: x.so: no kind\n")[0][1], None) == "yes")
    for what, answer in (("two lines", (2, "", "a kind\nb\n")), ("another code", (5, "", "a kind\n")),
                         ("a number as well", (2, "{", "kind\n")), ("nothing", (2, "", "")),
                         ("a colour", (2, "", "\033[31mkind\n"))):
        expect("the judge: refused by " + what, verdicts.caught(refused, verdicts.read(*answer)[0][1], None) == "no")
    exceptions = [("mem.*", "no counter")]
    expect("the judge: honest", verdicts.honest_says("x", said("noisy", "noisy:too_wide () []"), exceptions) is None)
    for name, status, good in (("mem.x a=1", "unverified", True), ("cpu.x", "unverified", False), ("mem.x", "invalid", False)):
        got = verdicts.honest_says(name, said(status, status + ":x () [no counter]"), exceptions)
        expect("the judge: honest %s, %s" % (name, status), (got is None) == good)
    expect("the judge: unverified below noise", verdicts.honest_says("x", said("noisy", "-", evidence="unverified"), exceptions))


check_names(tables.lies(here))
check_judge()
print("\n".join(failed), end="\n" if failed else "")
sys.exit(1 if failed else 0)
