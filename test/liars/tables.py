"""Reads liars.txt, build.txt, honest.txt and unverified.txt."""
import collections, fnmatch, glob, json, os, re, shlex

# kind: lie, twin, honest. verdict, pattern: of lies.
Job = collections.namedtuple("Job", "kind plugin settings truth verdict pattern")


def rows(path):
    """Lines of a table, without comments."""
    return [line.rstrip("\n").split("\t") for line in open(path) if line.strip() and not line.startswith("#")]


def twin(settings):
    """Settings of the honest twin; None: a descriptor with a mistake in it has none of its own."""
    return None if settings == "-" else re.sub("lie=[^ ]*", "lie=honest", settings)


def lies(here):
    """All twins, each before the lies that are held against it."""
    jobs = [Job("twin", "descriptor", "-", "", "", "")]
    for plugin, settings, truth, verdict, pattern in rows(os.path.join(here, "liars.txt")):
        honest = Job("twin", plugin, twin(settings), "", "", "")
        if honest.settings and honest not in jobs:
            jobs.append(honest)
        jobs.append(Job("lie", plugin, settings, truth, verdict, pattern))
    return jobs


def fewer(jobs):
    """All twins and the first two lies of each plug-in. Descriptors are one family each, and are refused at once."""
    seen = collections.Counter()
    chosen = []
    for job in jobs:
        seen[job.plugin] += job.kind == "lie"
        if job.kind == "twin" or seen[job.plugin] <= 2:
            chosen.append(job)
    return chosen


def honest(here):
    """Each honest plug-in as it is, and with the settings of honest.txt."""
    names = sorted(os.path.basename(path)[:-2] for path in glob.glob(os.path.join(here, "honest", "*", "*.c")))
    more = [(plugin, settings) for plugin, settings in rows(os.path.join(here, "honest.txt"))]
    return [Job("honest", plugin, settings, "", "", "") for plugin, settings in [(name, "-") for name in names] + more]


def matching(jobs, patterns):
    return [job for job in jobs if not patterns or any(fnmatch.fnmatch(job.plugin, pattern) for pattern in patterns)]


def exceptions(here):
    """(glob of a result, pattern of the reason): honest results that cannot be verified on some machines."""
    return [row[:2] for row in rows(os.path.join(here, "unverified.txt"))]


def compile_words(here, plugin, build):
    """The command line that compiles a plug-in, but for the output."""
    source, flags = plugin + ".c", ""
    for name, file, text in rows(os.path.join(here, "build.txt")):
        if name == plugin:
            source, flags = file, text
    source, = (os.path.relpath(path, here) for folder in ("lies", "honest/*") for path in glob.glob(os.path.join(here, folder, source)))
    cc = "cc"
    config = os.path.join(build, "config.mk")
    if os.path.exists(config):
        cc = dict(line.rstrip("\n").split(" = ", 1) for line in open(config) if " = " in line).get("CC", cc)
    more = shlex.split(os.environ.get("CFLAGS", ""))
    usual = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I../../include", "-I."]
    return cc.split() + usual + shlex.split(flags) + more + [source]


def built_in(text):
    """Names of the benchmarks that `kbench list --json` prints, and about how many results each gives."""
    names = []
    for bench in json.loads(text)["benchmarks"]:
        count = 1
        for param in bench["params"]:
            count *= max(1, len(param["values"]))
        names.append((bench["name"], count))
    return names
