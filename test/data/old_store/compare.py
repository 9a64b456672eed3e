#!/usr/bin/env python3
"""Holds what a version prints of the old store against what the version printed that made it: compare.py EXPECTED ACTUAL.

EXPECTED and ACTUAL are directories of views.sh. By the end of a file's name:
  .json     every member that was there is there, with the same value; others may have come. Sentences are free to be worded anew
            (detail, evidence and hint of a reason), but the numbers in detail and evidence stay.
  .history  every point that was there is there once, with the same numbers; lines may be split or joined, and points that come to
            it are those of stored results.
  .csv      every column that was there is there, and every row; other columns and rows may have come.
  .table    a result's name, cost and verdict stand in one line, results in the same order.
  .text     each number of a line is there again in a line; reasons, which are sentences, are left out.
  .txt      the numbers, ids, decisions and verdicts of each line are there again in one line, in the same order; others may have come.
  .lines    another program's format: each line is there again, as it was; but help is a sentence.
again-ID.json is held against the expected show-ID.json. Exit codes are the same. It ends with 1 if something differs, and says what.
"""
import collections
import csv
import decimal
import json
import math
import os
import re
import sys

VERDICTS = ("ok", "noisy", "invalid", "skipped", "unverified")
DECISIONS = ("faster", "slower", "equivalent", "inconclusive")
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
LIMIT = 5       # differences of a file that are printed

# Forms of other programs that have changed on purpose since then; views.sh asks for none of them, and export.sh reads them.
CHANGED = re.compile("export-(google-benchmark|github-action|benchfmt|openmetrics|sel4bench)")

differences = []


def differs(name, where, text):
    differences.append((name, "%s: %s" % (where, text)))


# ---- JSON ---------------------------------------------------------------------------------------------

def documents(text):
    """The JSON documents in a text, one behind the other; numbers exactly as they are written."""
    decoder = json.JSONDecoder(parse_float=decimal.Decimal)
    found, at = [], 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        document, at = decoder.raw_decode(text, at)
        found.append(document)
    return found


def numbers(text):
    return sorted(NUMBER.findall(text))


def value_of(number):
    return float(number.replace(",", ""))


def compare_reason(name, where, old, new):
    """A reason's sentences: what is lost of the numbers in them."""
    left = numbers(" ".join(str(new.get(key) or "") for key in ("detail", "evidence", "hint")))
    for number in numbers(" ".join(str(old.get(key) or "") for key in ("detail", "evidence"))):
        # A time may have a larger unit now.
        like = [other for other in left if any(math.isclose(value_of(number), value_of(other) * 1000 ** k) for k in range(4))]
        if like:
            left.remove(number if number in like else like[0])
        else:
            differs(name, where, "%s is not in %s" % (number, {key: new.get(key) for key in ("detail", "evidence")}))


def compare_json(name, where, old, new):
    if isinstance(old, dict) and isinstance(new, dict):
        is_reason = {"code", "severity", "detail"} <= old.keys()
        if is_reason:
            compare_reason(name, where, old, new)
        for key, value in old.items():
            if key not in new:
                differs(name, where, "'%s' is missing" % key)
            elif not (is_reason and key in ("detail", "evidence", "hint")):
                compare_json(name, "%s.%s" % (where, key), value, new[key])
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            differs(name, where, "%d elements, not %d" % (len(new), len(old)))
        for i, (a, b) in enumerate(zip(old, new)):
            compare_json(name, "%s[%d]" % (where, i), a, b)
    elif isinstance(old, str) and isinstance(new, str) and ".params." in where and new.startswith(old):
        pass    # a value with blanks in quotes was cut off at the first one
    elif old != new or isinstance(old, bool) != isinstance(new, bool):
        differs(name, where, "%s, not %s" % (new, old))


def compare_json_texts(name, old, new):
    compare_json(name, "", documents(old), documents(new))


# ---- history ------------------------------------------------------------------------------------------

def points(text):
    """All points by row, unit and run. What differs in a field that may follow from the line (step) is not the key, nor what an operation
    is called: that is said of the newest result of a line, and lines may have been split."""
    found = {}
    for row in documents(text)[0]["rows"]:
        for point in row["points"]:
            found.setdefault((row["row"], row["unit"], point["run"]), []).append(point)
    return found


def stored_values(expected):
    """Of all results in the store: run and estimate."""
    found = set()
    for name in sorted(os.listdir(expected)):
        if name.startswith("show-") and name.endswith(".json"):
            for document in documents(read(expected, name)):
                for result in document.get("results", []):
                    for estimate in (result["estimate"], result["observed"], result["cycles"]["estimate"], result["cycles"]["observed"]):
                        found.add((document["run"]["id"], estimate["value"]))
    return found


def compare_history(name, old, new, stored):
    old, new = points(old), points(new)
    for key, (point, *_) in old.items():
        where = "%s in run %s" % (key[0], key[2])
        if len(new.get(key, [])) != 1:
            differs(name, where, "%d points, not one" % len(new.get(key, [])))
        else:
            compare_json(name, where, {k: v for k, v in point.items() if k != "step" or v}, new[key][0])
    for key, group in new.items():
        for point in group:
            if key not in old and (point["run"], point["value"]) not in stored:
                differs(name, "%s in run %s" % (key[0], key[2]), "no result of the store has %s" % point["value"])


# ---- CSV ----------------------------------------------------------------------------------------------

def compare_csv(name, old, new):
    old, new = list(csv.DictReader(old.splitlines())), list(csv.DictReader(new.splitlines()))
    columns = list(old[0])
    if not new or not set(columns) <= set(new[0]):
        differs(name, "header", "columns are missing: %s" % (set(columns) - set(new[0] if new else [])))
        return
    rest = iter(tuple(row[column] for column in columns) for row in new)
    for row in old:
        wanted = tuple(row[column] for column in columns)
        if wanted not in rest:
            differs(name, "rows", "missing, or not in its place: %s" % ",".join(wanted))
            return


# ---- text ---------------------------------------------------------------------------------------------

def table_rows(text):
    """Name, cost and verdict of each result of a table: a line, or two if the name is long."""
    found, above = [], ""
    for line in text.splitlines():
        words = re.split(r"\s{2,}", line.strip())
        verdict = next((word for word in line.split() if word in VERDICTS), None)
        if line.startswith("  ") and not line.startswith("    ") and verdict and ": " not in line.split(verdict)[0]:
            found.append((words[0].split()[0], words[1] if len(words) > 1 else "", verdict))
        elif line.startswith("        ") and above and verdict:
            found.append((above.split()[0], words[0], verdict))
        above = line if re.match(r"  \S.*$", line) and not verdict else ""
    return found


def compare_table(name, old, new):
    """The rows of the old table, in their order: a line of the new one begins with the name, and has cost and verdict behind it."""
    lines, above = [], ""
    for line in new.splitlines():
        lines.append((above + " " + line) if line.startswith("        ") else line)
        above = line
    rest = iter(lines)
    rows = table_rows(old)
    if not rows and any(verdict in old for verdict in VERDICTS):
        differs(name, "table", "no row in what is expected: this test is broken")
    for row, cost, verdict in rows:
        begin = re.escape(row.split("...")[0])
        pattern = re.compile(r"\s*%s.*?\s%s\s.*\b%s\b" % (begin, re.escape(cost), verdict))
        if not any(pattern.match(line) for line in rest):
            differs(name, row, "no line, or not in its place, with %s and %s" % (cost, verdict))
            return


def compare_text(name, old, new):
    """Sentences of reasons may be worded anew, and what follows them in the next lines is theirs. All other numbers stay."""
    pool = [set(NUMBER.findall(a + " " + b)) for a, b in zip([""] + new.splitlines(), new.splitlines())]
    in_reason, count = False, collections.Counter()
    for line in old.splitlines():
        begins = re.match(r" +(invalid|unverified|noisy|skipped|cause|note|unsure): ", line)
        in_reason = bool(begins) or (in_reason and line.startswith("      "))
        wanted = set(NUMBER.findall(line))
        count.update([] if in_reason or "..." in line else NUMBER.findall(line))
        if not in_reason and wanted and "..." not in line and not any(wanted <= numbers_there for numbers_there in pool):
            differs(name, "'%s'" % line.strip()[:100], "no line has these numbers")
    lost = count - collections.Counter(NUMBER.findall(new))
    if lost:
        differs(name, "file", "numbers that are missing, or are there less often: %s" % " ".join(lost))


def is_part(few, many):
    """Whether all of few stand in many, in their order."""
    rest = iter(many)
    return all(one in rest for one in few)


def compare_essence(name, old, new):
    def essence(text):
        for line in text.splitlines():
            words = [word for word in re.findall(r"[0-9a-f-]{16,}|[a-z]+", line) if word in VERDICTS + DECISIONS or len(word) > 15]
            if NUMBER.search(line) and not re.match(r" +(invalid|unverified|noisy|skipped|cause|note|unsure): ", line):
                yield NUMBER.findall(line), words, line

    rest = essence(new)
    for values, words, line in essence(old):
        if not any(is_part(values, there[0]) and is_part(words, there[1]) for there in rest):
            differs(name, "'%s'" % line.strip()[:100], "no line, or not in its place, has these numbers, decisions and verdicts")
            return


def compare_lines(name, old, new):
    """What names a version, of this program or of the kernel that was measured, is no number. Nor is what says where it was measured: results
    of seL4 had the target and CPU of Linux, and an environment ID without the parts for configuration and kernel."""
    def lines(text):
        text = re.sub(r"(?m)^(goos|goarch|cpu): .*", r"\1", text)
        text = re.sub(r'((?:kbench-class: |host=")[0-9a-f]{16})\.[0-9a-f]{8}\.[0-9a-f]{8}', r"\1", text)
        return re.sub(r'"(sha|sha_kernel|sha_bench)":"[^"]*"', r'"\1"', text).splitlines()
    rest = iter(lines(new))
    for line in lines(old):
        if not line.startswith("# HELP") and line not in rest:
            differs(name, "'%s'" % line[:100], "missing, or not in its place")
            return


# ---- all ----------------------------------------------------------------------------------------------

def read(directory, name):
    """Operations that were called circle, folder or interval have today's names in both."""
    with open(os.path.join(directory, name), encoding="utf-8", errors="surrogateescape", newline="") as file:
        text = file.read().replace("\r\n", "\n")
    for old, new in (("circle", "iteration"), ("folder", "directory"), ("interval", "sample")):
        text = re.sub(r'((?:"[Pp]er": ?"|,|(?:ns|us|insn|cycles)/))%s\b' % old, r"\1" + new, text)
    return text


def main():
    expected, actual = sys.argv[1:]
    stored = stored_values(expected)
    compare = {"json": compare_json_texts, "csv": compare_csv, "table": compare_table, "text": compare_text, "txt": compare_essence,
               "lines": compare_lines,
               "history": lambda name, old, new: compare_history(name, old, new, stored)}
    names = sorted(name for name in os.listdir(expected) if name != "codes" and not CHANGED.match(name))
    again = sorted("again-" + name[5:] for name in names if re.match(r"show-[0-9a-f-]{36}\.json$", name))
    for name in names + again:
        if not os.path.exists(os.path.join(actual, name)):
            differs(name, "file", "missing")
            continue
        old, new = read(expected, "show-" + name[6:] if name in again else name), read(actual, name)
        try:
            compare[name.rsplit(".", 1)[1]](name, old, new)
        except (ValueError, KeyError, IndexError, TypeError) as error:
            differs(name, "file", "cannot be read: %s: %s" % (type(error).__name__, error))
    codes = [dict(line.split() for line in read(directory, "codes").splitlines()) for directory in (expected, actual)]
    for name in names:
        if codes[0].get(name) != codes[1].get(name):
            differs(name, "exit code", "%s, not %s" % (codes[1].get(name), codes[0].get(name)))
    for name in names + again:
        mine = [text for file, text in differences if file == name]
        for text in mine[:LIMIT]:
            print("%s: %s" % (name, text))
        if len(mine) > LIMIT:
            print("%s: and %d more" % (name, len(mine) - LIMIT))
    print("%d answers compared, %d differ" % (len(names) + len(again), len({name for name, _ in differences})))
    return bool(differences)


sys.exit(main())
