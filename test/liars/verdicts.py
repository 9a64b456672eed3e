"""What kbench said, whether it is what a table asks for, and the summary."""
import collections, fnmatch, json, re

Said = collections.namedtuple("Said", "code status evidence value cycles processes reasons")
NOTES = ("note", "cause")
SEPARATOR = " | "
NEAR = 0.2      # of what an honest twin costs: that is the same


def plain(text):
    """A field of the results file."""
    return "".join(c if c.isprintable() else " " for c in str(text))


def one(code, row):
    """What kbench said of a row. Reasons are `severity:code (detail) [evidence]`."""
    verdict = row["verdict"]
    reasons = ["%s:%s (%s) [%s]" % (r["severity"], r["code"], r["detail"], r.get("evidence") or "") for r in verdict["reasons"]]
    number = (row.get("estimate") or {}).get("value")
    cycles = ((row.get("cycles") or {}).get("estimate") or {}).get("value")
    return Said(str(code), verdict["status"], verdict.get("evidence") or "-", "-" if number is None else "%.5g" % number,
                "-" if cycles is None else "%.5g" % cycles, str(row["processes"]), plain(SEPARATOR.join(reasons)) or "-")


def read(code, out, err):
    """(settings, Said) of each result. Without any: refused where kbench ended as it does for that, else none."""
    try:
        found = [row for row in json.loads(out)["results"]] if out else []
    except ValueError:
        found = []
    if found:
        return [(" ".join("%s=%s" % item for item in row["params"].items()) or "-", one(code, row)) for row in found]
    clear = code == 2 and not out and err.count("\n") == 1 and plain(err[:-1]) == err[:-1]
    return [("-", Said(str(code), "refused" if clear else "none", "-", "-", "-", "0", plain(err)[-300:] or "-"))]


def grave(said):
    """Severities of reasons that make a verdict worse."""
    if said.status in ("refused", "none"):
        return {said.status}
    return {reason.split(":")[0] for reason in said.reasons.split(SEPARATOR)} - set(NOTES) - {"-"}


def number(said):
    for text in (said.cycles, said.value):
        if text != "-":
            return float(text)
    return None


def median(values):
    return sorted(values)[len(values) // 2] if values else None


def twin_of(job, results, beside):
    """What its honest twin cost with so many neighbours, or None."""
    honest = job._replace(settings=re.sub("lie=[^ ]*", "lie=honest", job.settings))
    return median([number(said) for key, said in results.of(honest) if key[0] == beside and number(said)])


def caught(job, said, twin, near=NEAR):
    """yes, otherwise (the verdict is right, the reason is another one) or no. twin: what its honest twin costs; near: what still is the same."""
    wanted = set(job.verdict.split("|"))
    if said.status in ("refused", "none"):
        right = said.status in wanted
        return "yes" if right and re.search(job.pattern, said.reasons, re.I) else "otherwise" if right else "no"
    same = twin and number(said) and abs(number(said) / twin - 1) <= near
    if "measured" in wanted and said.status in ("ok", "noisy") and same:
        return "yes"
    right = wanted & {said.status, said.evidence}
    texts = [reason for reason in said.reasons.split(SEPARATOR) if reason.split(":")[0] in right]
    if any(re.search(job.pattern, text.split(":", 1)[1], re.I) for text in texts):
        return "yes"
    return "otherwise" if right else "no"


def worse(said, but):
    """Its reasons, but for those of some severities."""
    return SEPARATOR.join(reason for reason in said.reasons.split(SEPARATOR) if reason.split(":")[0] not in but)


def honest_says(name, said, exceptions):
    """None, or what is wrong with the result of something honest."""
    worst = {said.status, said.evidence} & {"invalid", "unverified", "refused", "none"}
    if not worst or "is not available here" in said.reasons:        # a program of another architecture
        return None
    if "unverified" in worst and len(worst) == 1:
        for glob, pattern in exceptions:
            if fnmatch.fnmatch(name, glob) and re.search(pattern, said.reasons):
                return None
    return "%s: %s" % ("/".join(sorted(worst)), worse(said, NOTES + ("noisy",)) or said.reasons)


def name_of(key):
    return key[1] if key[2] == "-" else key[1] + " " + key[2]


def lies_summary(jobs, results, bad, near):
    """Prints a line for each lie that was not caught each time; returns how many were, of how many."""
    good = many = 0
    for job in jobs:
        if job.kind != "lie":
            continue
        tally, examples = collections.Counter(), []
        for key, said in results.of(job):
            how = caught(job, said, twin_of(job, results, key[0]), near)
            tally[how] += 1
            if how != "yes":
                examples.append("beside %d: %s, %s" % (key[0], said.status, worse(said, NOTES)[:160] or said.value))
        total = sum(tally.values())
        many += total > 0 or job.plugin in bad
        good += total > 0 and tally["yes"] == total
        if tally["yes"] < total or job.plugin in bad:
            other = ", with another reason %d" % tally["otherwise"] if tally["otherwise"] else ""
            print("%s %s: caught %d of %d%s; %s, must be %s (%s)" % (
                job.plugin, job.settings, tally["yes"], total, other, job.truth, job.verdict, job.pattern))
            for example in sorted(set(examples))[:2]:
                print("    " + example)
    return good, many


def honest_summary(jobs, results, bad, exceptions):
    """The same of what is honest: prints each wrong verdict; returns good results, of how many."""
    good = many = 0
    unmeasured = []
    ours = {(job.plugin, job.settings) for job in jobs if job.kind != "lie"}
    for key, said in results.lines:
        if key[1:3] not in ours and "." not in key[1]:
            continue
        wrong = honest_says(name_of(key), said, exceptions)
        many += said.status != "skipped"
        good += said.status != "skipped" and wrong is None
        unmeasured += [name_of(key)] if said.processes == "0" and not wrong else []
        if wrong:
            print("honest: %s beside %d: %s" % (name_of(key), key[0], wrong[:300]))
    for name in sorted({job.plugin for job in jobs if job.kind == "honest"} & set(bad)):
        print("honest: %s does not compile" % name)
        many += 1
    if unmeasured:
        print("without a number, skipped or too slow for the budget: %s" % ", ".join(sorted(set(unmeasured))))
    return good, many


def summary(jobs, results, bad, exceptions, near):
    caught_lies, lies = lies_summary(jobs, results, bad, near)
    good, many = honest_summary(jobs, results, bad, exceptions)
    if lies:
        print("lies caught each time: %d of %d" % (caught_lies, lies))
    print("honest results that passed: %d of %d" % (good, many))
    return caught_lies == lies and good == many
