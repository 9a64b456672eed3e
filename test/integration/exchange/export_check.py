"""Reads exports with readers that know nothing of kbench: python's json, csv and XML, markdown-it where it is installed, and decoders
written here from the published descriptions of Go's benchmark lines, OpenMetrics, HdrHistogram's V2 encoding and trace events.

export_check.py SHOW FORMAT=FILE...: each FILE must say what SHOW (kbench show --json) says.
export_check.py compare OLD NEW: two full files as compare.py compares them.
export_check.py back SHOW BACK: what was exported and imported again.
export_check.py junit FILE FAILURES ERRORS: of `kbench compare --junit`."""
import base64
import calendar
import csv
import io
import json
import math
import re
import struct
import sys
import time
import types
import xml.etree.ElementTree
import zlib


word = "compare"
finished = 0    # when the run ended, in seconds since 1970


def fail(text):
    sys.exit("%s: %s" % (word, text))


def check(condition, text):
    if not condition:
        fail(text)


def same(a, b, text, relative=1e-9):
    check(math.isclose(float(a), float(b), rel_tol=relative), "%s: %r, not %r" % (text, a, b))


def strict(text):
    """JSON as RFC 8259 has it: no NaN, no key twice."""
    def pairs(items):
        check(len(dict(items)) == len(items), "a key twice in " + repr(items)[:200])
        return dict(items)

    def constant(name):
        fail("JSON has " + name)
    return json.loads(text, object_pairs_hook=pairs, parse_constant=constant)


def visible(value):
    """Texts as exports have them: what ends a line, moves a cursor or turns text round is a question mark."""
    if isinstance(value, dict):
        return {visible(key): visible(item) for key, item in value.items()}
    if isinstance(value, list):
        return [visible(item) for item in value]
    return re.sub("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", "?", value) if isinstance(value, str) else value


def word_of(row, also=""):
    """Of a form that ends a name at a blank."""
    return re.sub(r"[\s%s]" % also, "_", name_of(row, "/"))


def costs_of(row):
    """What each process says; of a result without such costs, the result."""
    return row["process_costs"] or [{"process": 1, "cost": row["estimate"]["value"], "cycles": None, "samples": row["samples"]}]


def name_of(row, separator=" "):
    words = [row["benchmark"]] + ["%s=%s" % item for item in row["params"].items()]
    return separator.join(words)


def has_number(row):
    return row["verdict"]["status"] not in ("invalid", "skipped") and row["estimate"]["value"] is not None


def seconds(row):
    return row["estimate"]["value"] / 1e9


# ---- one function a format: (text, rows with a number, all rows) --------------------------------------

def google_head(text, rows):
    document = strict(text)
    check(isinstance(document["context"]["caches"], list), "no context.caches")
    check(document["context"]["json_schema_version"] == 1, "schema version")
    for row in document["benchmarks"]:
        check(row["time_unit"] == "ns" and row["cpu_time"] == row["real_time"], "times of " + row["name"])
        check(isinstance(row["iterations"], int) and row["iterations"] >= 0, "iterations of " + row["name"])
    kept = {name_of(row, "/"): row for row in rows if row["unit"] == "ns"}
    for estimate in document["context"]["kbench"]["estimates"]:
        expected = kept[estimate["name"]]["estimate"]
        check([estimate[k] for k in ("value", "low", "high")] == [expected[k] for k in ("value", "low", "high")],
              "estimate of " + estimate["name"])
    return document["benchmarks"], kept


def mean(x):
    return math.fsum(x) / len(x)


def deviation(x):
    return math.sqrt(math.fsum((v - mean(x)) ** 2 for v in x) / (len(x) - 1))


def median(x):
    x = sorted(x)
    return (x[(len(x) - 1) // 2] + x[len(x) // 2]) / 2


def google(text, rows, _):
    benchmarks, kept = google_head(text, rows)
    # Only these of the fixed store move bytes: 64 an operation.
    moving = {name for name in kept if "placement" not in name and name.startswith("=cmd")}
    check({row["run_name"] for row in benchmarks} == set(kept), "not all results")
    for name, result in kept.items():
        costs = costs_of(result)
        single = [row for row in benchmarks if row["run_name"] == name and row["run_type"] == "iteration"]
        times = [row["real_time"] for row in single]
        check([row["repetition_index"] for row in single] == list(range(len(single))), "repetitions of " + name)
        check(all(row["repetitions"] == len(single) and row["name"] == name for row in single), "rows of " + name)
        check(times == [cost["cost"] for cost in costs], "an entry a process of " + name)
        check([row["iterations"] for row in single] == [cost["samples"] for cost in costs], "iterations of " + name)
        for row in single:
            check(("bytes_per_second" in row) == (name in moving), "bytes_per_second of " + name)
            if name in moving:
                same(row["bytes_per_second"], 64e9 / row["real_time"], "bytes_per_second of " + name)
        made = {row["aggregate_name"]: row for row in benchmarks
                if row["run_name"] == name and row["run_type"] == "aggregate"}
        check(bool(made) == (len(costs) > 1), "aggregates of " + name)
        for word, value in (("mean", mean(times)), ("median", median(times)), ("stddev", deviation(times))) if made else ():
            same(made[word]["real_time"], value, word + " of " + name, 1e-8)
            check(made[word]["name"] == name + "_" + word, "name of " + word)


def google_rows(text, rows, _):
    check("aggregate" not in text and "_BigO" not in text and "_RMS" not in text, "aggregates")
    benchmarks, kept = google_head(text, rows)
    check([row["name"] for row in benchmarks] == list(kept), "rows are not one a benchmark")
    for row in benchmarks:
        same(row["real_time"], kept[row["name"]]["estimate"]["value"], row["name"])
        cycles = kept[row["name"]]["cycles"]["estimate"]["value"]
        check(row.get("cycles") == cycles, "cycles of " + row["name"])


def bencher(text, rows, _):
    document = strict(text)
    check(list(document) == [name_of(row) for row in rows], "rows")
    for row in rows:
        measures = document[name_of(row)]
        check(("throughput" in measures) == (row["unit"] == "ns"), "throughput of " + name_of(row))
        if "throughput" in measures:
            same(measures["throughput"]["value"], 1e9 / row["estimate"]["value"], "throughput of " + name_of(row))
            if row["estimate"]["low"]:
                same(measures["throughput"]["upper_value"], 1e9 / row["estimate"]["low"], "throughput of " + name_of(row))
        metric = measures["latency" if row["unit"] == "ns" else row["unit"]]
        check(("latency" in measures) == (row["unit"] == "ns"), "unit of " + name_of(row))
        for key, ours in ("value", "value"), ("lower_value", "low"), ("upper_value", "high"):
            check(metric.get(key) == row["estimate"][ours], key + " of " + name_of(row))


def benchfmt(text, rows, _):
    expected = {word_of(row).capitalize(): row for row in rows}
    counts = {}
    for line in text.splitlines():
        if not line or re.fullmatch(r"[a-z][^\sA-Z:]*: .*", line) or re.fullmatch(r"Unit \S+ better=(lower|higher)", line):
            continue
        found = re.fullmatch(r"Benchmark([^a-z\s]\S*)-(\d+)\t(\d+)((?:\t\S+ (?:\S+/op|MB/s))+)", line)
        check(found, "not a line of a benchmark: " + line)
        name, threads, operations, values = found.groups()
        check(threads == "1" and int(operations) > 0, line)
        row = expected[name.capitalize()]
        units = dict(reversed(pair) for pair in re.findall(r"(\S+) (\S+)", values))
        check((row["unit"] + "/op") in units and set(units) <= {row["unit"] + "/op", "cycles/op", "MB/s"}, "units: " + line)
        check(all(math.isfinite(float(value)) for value in units.values()), line)
        counts.setdefault(name, []).append(float(units[row["unit"] + "/op"]))
    check({name.capitalize() for name in counts} == set(expected), "not all results")
    for name, values in counts.items():
        check(values == [cost["cost"] for cost in costs_of(expected[name.capitalize()])], "a line a process of " + name)


def openmetrics_lines(text):
    """Samples as (family, labels, value); checks the grammar and the order of families."""
    check(text.endswith("# EOF\n") and text.count("# EOF") == 1, "no # EOF at the end")
    family, kind, done, samples = None, {}, set(), []
    for line in text.splitlines()[:-1]:
        if line.startswith("# "):
            _, word, name, rest = line.split(" ", 3)
            if name != family:
                check(name not in done, "family %s in two places" % name)
                done.add(name)
                family, kind = name, {}
            check(word in ("TYPE", "UNIT", "HELP") and word not in kind, "twice: " + line)
            check(word != "TYPE" or rest == "gauge", line)
            check(word != "UNIT" or name.endswith("_" + rest), "unit is not the end of the name: " + line)
            kind[word] = rest
            continue
        found = re.fullmatch(r'(\w+)\{((?:\w+="(?:[^"\\\n]|\\[\\"n])*",?)*)\} (-?[0-9.]+(?:e[-+]?\d+)?)', line)
        check(found and found.group(1) == family and "TYPE" in kind, "not a sample: " + line)
        labels = {key: re.sub(r"\\(.)", lambda m: "\n" if m.group(1) == "n" else m.group(1), value)
                  for key, value in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found.group(2))}
        check(not {"quantile", "le"} & set(labels), "reserved label: " + line)
        samples.append((family, labels, float(found.group(3))))
    return samples


LABELS = ("benchmark", "environment", "q", "verdict")


def label_of(name, taken):
    """A parameter's label, of those that are not taken."""
    plain = re.match("[A-Za-z]", name) and name not in LABELS + ("run", "job", "instance", "le", "quantile")
    name = re.sub("[^A-Za-z0-9]", lambda found: "_" * len(found.group().encode()), ("" if plain else "param_") + name)
    while name in taken:
        name += "_"
    return name


def series_of(row):
    labels = {"benchmark": row["benchmark"]}
    for name, value in row["params"].items():
        labels[label_of(name, labels)] = value
    return frozenset(labels.items())


def openmetrics_values(samples, rows, everything):
    seen = {}
    for family, labels, value in samples:
        if family.startswith("kbench_run_"):
            check(value == (1 if family.endswith("_info") else finished), "%s is %s" % (family, value))
            continue
        last = labels.pop("q", None) or labels.pop("verdict", None)
        labels.pop("environment")
        key = family, frozenset(labels.items()), last
        check(key not in seen, "a sample twice: %r" % (key,))
        seen[key] = value
    families = [family for family, _, _ in samples]
    check(families.count("kbench_run_info") == 1 and families.count("kbench_run_timestamp_seconds") == 1, "no run")
    for row in everything:
        for status in "ok", "noisy", "unverified", "invalid", "skipped":
            state = seen.pop(("kbench_verdict", series_of(row), status), None)
            check(state == float(row["verdict"]["status"] == status), "verdict %s of %s: %s" % (status, name_of(row), state))
    for row in rows:
        unit, scale = ("seconds", 1e9) if row["unit"] == "ns" else (row["unit"], 1)
        for family, key in ("latency", "value"), ("latency_ci_low", "low"), ("latency_ci_high", "high"):
            value = seen.pop(("kbench_%s_%s" % (family, unit), series_of(row), "headline"), None)
            check((value is None) == (row["estimate"][key] is None), family + " of " + name_of(row))
            if value is not None:
                same(value, row["estimate"][key] / scale, family + " of " + name_of(row))
    for _, series, _ in seen:
        check(series in {series_of(row) for row in rows}, "a number of %s" % sorted(series))


def openmetrics(text, rows, everything):
    openmetrics_values(openmetrics_lines(text), rows, everything)


def openmetrics_client(text, rows, everything):
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
    families = list(text_string_to_metric_families(text))
    openmetrics_values([(s.name, s.labels, s.value) for f in families for s in f.samples], rows, everything)


def github_action(text, rows, _):
    document = strict(text)
    check([item["name"] for item in document] == [name_of(row) for row in rows], "rows")
    for item, row in zip(document, rows):
        check(item["unit"] == row["unit"] + "/" + row["per"] and isinstance(item["value"], float), "unit " + item["unit"])
        check(item["value"] == float("%.4g" % row["estimate"]["value"]), "four digits of %s: %r" % (item["name"], item["value"]))
        estimate = row["estimate"]
        check(("range" in item) == (estimate["low"] is not None), "range of " + item["name"])
        if "range" in item:
            same(item["range"].split()[1], max(estimate["high"] - estimate["value"], estimate["value"] - estimate["low"]),
                 "range of " + item["name"], .06)


def junit(text, rows, everything):
    suite = xml.etree.ElementTree.fromstring(text).find("testsuite")
    cases = {case.get("name"): case for case in suite.findall("testcase")}
    check(list(cases) == [name_of(row) for row in everything], "test cases " + repr(list(cases)))
    check(int(suite.get("tests")) == len(cases) and suite.get("failures") == "0", "counts")
    for kind, count in ("error", "errors"), ("skipped", "skipped"), ("failure", "failures"):
        check(sum(case.find(kind) is not None for case in cases.values()) == int(suite.get(count)), count)
    for row in everything:
        check(cases[name_of(row)].get("classname") == "kbench." + re.split("[. ]", name_of(row))[0], "class of " + name_of(row))
        case, time = cases[name_of(row)], cases[name_of(row)].get("time")
        status = row["verdict"]["status"]
        check((case.find("skipped") is not None) == (status == "skipped"), "skipped: " + name_of(row))
        check((case.find("error") is not None) == (status != "skipped" and not has_number(row)), "error: " + name_of(row))
        check((time is not None) == (has_number(row) and row["unit"] == "ns"), "time of " + name_of(row))
        if time is not None:
            check(re.fullmatch(r"-?\d+\.\d+", time), "time is no decimal: " + time)
            same(time, seconds(row), "time of " + name_of(row))


def csv_lines(text):
    """Cells as they were before the apostrophe that keeps a spreadsheet from running them."""
    check(text.count("\n") == text.count("\r\n"), "lines do not end with CRLF")
    lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    for line in lines:
        check(len(line) == len(lines[0]), "cells: %r" % line)
        for cell in line:
            check(not re.match("[=+@\t\r-]", cell) or re.fullmatch(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?", cell), "a formula: " + cell)
    plain = [[re.sub("^'(?=[=+@\t\r'-])", "", cell) for cell in line] for line in lines]
    check(len(set(plain[0])) == len(plain[0]), "a column twice: %r" % plain[0])
    return [dict(zip(plain[0], line)) for line in plain[1:]]


def csv_wide(text, _, everything):
    lines = csv_lines(text)
    check(len(lines) == len(everything), "%d lines" % len(lines))
    params = {name: None for row in everything for name in row["params"]}
    fixed = [name for name in lines[0] if name.removeprefix("param_") not in params]
    for line, row in zip(lines, everything):
        check(line["benchmark"] == row["benchmark"] and line["per"] == row["per"] and line["unit"] == row["unit"], "names: %r" % line)
        for name in params:
            check(line["param_" + name if name in fixed or "param_" + name in line else name] == row["params"].get(name, ""),
                  "%s of %r" % (name, line))
        check(line["verdict"] == row["verdict"]["status"], "verdict: %r" % line)
        check(line["reasons"].split() == [reason["code"] for reason in row["verdict"]["reasons"]], "reasons: %r" % line)
        estimate = row["estimate"] if has_number(row) else {"value": None, "low": None, "high": None}
        for column, value in (("cost", estimate["value"]), ("ci_low", estimate["low"]), ("ci_high", estimate["high"]),
                              ("p99", row["quantiles"]["p99"] if has_number(row) else None)):
            check((float(line[column]) if line[column] else None) == value, "%s of %r" % (column, line))


def csv_rows(text, rows, _):
    lines = csv_lines(text)
    kept = {(row["benchmark"], name_of(row)[len(row["benchmark"]) + 1:]): row for row in rows}
    seen = {}
    for line in lines:
        key = line["benchmark"], line["params"]
        check(key in kept, "a number of %r" % (key,))
        check(line["unit"] in (kept[key]["unit"], "cycles", "MHz", "count", "1", "GB/s"), "unit of %r" % line)
        check(float(line["value"]) % 1 or re.fullmatch(r"-?\d+", line["value"]), "exponent: " + line["value"])
        if not line["process"]:
            check((key, line["metric"]) not in seen, "twice: %r" % line)
            seen[key, line["metric"]] = float(line["value"])
    for key, row in kept.items():
        for metric, part in ("estimate", "value"), ("estimate_low", "low"), ("estimate_high", "high"):
            check(seen.get((key, metric)) == row["estimate"][part], "%s of %r" % (metric, key))
        check(seen[key, "samples"] == row["samples"], "samples of %r" % (key,))
        check(seen.get((key, "p99")) == row["quantiles"]["p99"], "p99 of %r" % (key,))


def markdown(text, _, everything):
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        print("without python3-markdown-it: the table was not read")
        return
    cells, header = [], []
    parsed = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    kinds = [token.type for token in parsed]
    check(kinds.count("table_open") == 1 and kinds.count("paragraph_open") == 2, "not a table between two paragraphs: %r" % kinds)
    for kind, token in zip(kinds, parsed[1:]):
        if kind == "tr_open":
            cells.append([])
        if kind not in ("th_open", "td_open", "paragraph_open"):
            continue
        # Nothing but text and code may have come of it.
        for child in token.children:
            check(child.type in ("text", "code_inline") or child.type == "html_inline" and child.content in ("<code>", "</code>"),
                  "%s in %r" % (child.type, token.content))
        (header if kind == "paragraph_open" else cells[-1]).append(
            "".join(child.content for child in token.children if child.type != "html_inline"))
    check(cells[0] == ["benchmark", "cost", "per", "±95 %", "observed", "p99", "verdict", "causes"], "titles %r" % cells[0])
    check(len(cells) == len(everything) + 1, "%d lines" % len(cells))
    for line in cells[1:]:
        row = next((row for row in everything if line[0].split(" ")[0] == row["benchmark"] and line[6] == row["verdict"]["status"] and
                    all(name_of(row).split(" ").count(word) or word in row["params"].values() for word in line[0].split(" "))), None)
        check(row, "whose is %r?" % line)
        everything = [other for other in everything if other is not row]
        check(line[2] == ("-" if line[1].endswith("B/s") else row["per"]), "per of %r" % line)
        check((line[1] == "-") == (not has_number(row)), "cost of %r" % line)
        if has_number(row) and re.fullmatch(r"[\d.]+ ns", line[1]):
            same(line[1].split()[0], row["estimate"]["value"], "cost of %r" % line, .06)


def chrome_trace(text, rows, _):
    """Events of the Trace Event Format: spans of one thread nest, counters and spans have times, everything has a name."""
    document = strict(text)
    names, spans = {}, {}
    for event in document["traceEvents"]:
        check({"name", "ph", "pid", "tid", "args"} <= set(event), "event %r" % event)
        if event["ph"] == "M":
            names[event["name"], event["pid"], event["tid"]] = event["args"]["name"]
        elif event["ph"] == "C":
            check(event["ts"] >= 0 and all(isinstance(value, (int, float)) for value in event["args"].values()), "counter %r" % event)
        else:
            check(event["ph"] == "X" and event["ts"] >= 0 and event["dur"] >= 0, "span %r" % event)
            spans.setdefault((event["pid"], event["tid"]), []).append(event)
    tracks = [name for (kind, _, _), name in names.items() if kind == "process_name"]
    check(tracks == [name_of(row) for row in rows if row["unit"] == "ns" and name_of(row) in tracks], "tracks %r" % tracks)
    check(spans, "no spans")
    for (track, thread), events in spans.items():
        result = next(row for row in rows if name_of(row) == names["process_name", track, 0])
        whole = [event for event in events if event["name"] == "process %d" % thread]
        check(len(whole) == 1 and names["thread_name", track, thread] == "process %d" % thread, "process of %r" % events[0])
        same(whole[0]["args"]["cost"], next(c for c in result["process_costs"] if c["process"] == thread)["cost"], "cost")
        parts = [event for event in events if event is not whole[0]]
        end = whole[0]["ts"] + whole[0]["dur"]
        check(all(whole[0]["ts"] - .01 <= part["ts"] and part["ts"] + part["dur"] <= end + .01 for part in parts), "a span sticks out")
        check(all(a["ts"] + a["dur"] <= b["ts"] + .01 for a, b in zip(parts, parts[1:])), "spans overlap")
        check(sum(part["args"]["samples"] for part in parts) > 0, "samples")


def sel4bench(text, rows, _):
    begin, document, end = re.fullmatch(r"(JSON OUTPUT\n)(.*\n?)(END JSON OUTPUT\n)", text, re.DOTALL).groups()
    seen = [(bench["Benchmark"], row) for bench in strict(document) for row in bench["Results"]]
    check(seen, "no results")
    for name, entry in seen:
        row = next(row for row in rows if row["benchmark"] == name and all(entry.get(k) == v for k, v in row["params"].items()))
        raw = entry["Raw results"]
        check(entry["Unit"] == row["unit"] and entry["Per"] == row["per"] and entry["Samples"] == len(raw), "entry of " + name)
        same(entry["Mean"], mean(raw), "mean of " + name)
        same(entry["Median"], median(raw), "median of " + name)
        if entry["Values"] == "process":
            check(raw == [cost["cost"] for cost in costs_of(row)], "values of " + name)
        else:
            check(len(raw) == row["samples"], "values of " + name)


def hdr_decode(text):
    """(lowest value of the class, its width, count) for each class that has values."""
    outer = base64.b64decode(text, validate=True)
    cookie, length = struct.unpack(">ii", outer[:8])
    check(cookie & ~0xf0 == 0x1c849304 and length == len(outer) - 8, "compressed cookie %x" % cookie)
    inner = zlib.decompress(outer[8:])
    cookie, length, offset, digits, lowest, highest, ratio = struct.unpack(">iiiiqqd", inner[:40])
    check(cookie & ~0xf0 == 0x1c849303 and length == len(inner) - 40 and offset == 0 and ratio == 1, "header")
    check(digits == 3 and lowest == 1 and highest >= 2, "digits %d, lowest %d" % (digits, lowest))
    half = 2 ** math.ceil(math.log2(10 ** digits))
    at, index, classes = 40, 0, []
    while at < len(inner):
        value = shift = 0
        while True:
            byte = inner[at]
            at += 1
            value |= (byte if shift == 56 else byte & 127) << shift
            shift += 7
            if byte < 128 or shift == 63:
                break
        count = value >> 1 ^ -(value & 1)
        if count < 0:
            index -= count
            continue
        if count:
            bucket = max(index // half - 1, 0)
            classes.append(((index - bucket * half) << bucket, 1 << bucket, count))
        index += 1
    return classes, highest


def hdr(text, rows, _):
    kept = {word_of(row, ","): row for row in rows}
    lines = text.splitlines()
    check("#[Histogram log format version 1.3]" in lines and lines[3].startswith('"StartTimestamp"'), "head")
    check(re.match(r"#\[StartTime: \d+\.\d{3} \(seconds since epoch\)", lines[2]), lines[2])
    check(len(lines) > 4, "no histogram")
    for line in lines[4:]:
        tag, start, _, largest, encoded = line.split(",")
        name, unit = re.fullmatch(r"Tag=(\S+)\[(\w+)\]", tag).groups()
        row = kept[name]
        check(start == "0.000" and unit == row["unit"], tag)
        classes, highest = hdr_decode(encoded)
        check(math.isclose(highest / 1e6, float(largest), abs_tol=1e-6), "largest value " + largest)
        check(classes[-1][0] <= highest < classes[-1][0] + classes[-1][1], "highest value %d" % highest)
        total = sum(count for _, _, count in classes)
        check(row["estimate"]["method"] != "single" or total == row["samples"], "%s has %d values" % (name, total))
        if row["quantiles"]["p50"] is not None:
            p50 = row["quantiles"]["p50"]
            below = sum(count for lowest, width, count in classes if lowest + width <= .95 * p50)
            above = sum(count for lowest, width, count in classes if lowest >= 1.05 * p50)
            # The quantiles leave out what came before a process's steady state, which the histogram has.
            # So of a real run the ranks may differ by as much.
            most = .75 if name.startswith(("ipc.pipe_latency", "sys.null")) else .5
            check(max(below, above) <= most * total, "median of %s: %d below and %d above %s, of %d" % (name, below, above, p50, total))
        if name in ("disk.sync", "@s.'\"|\\"):
            # 200 values, 1000 to 20900 in steps of 100, but one that was replaced; three launches.
            expected = [1000 + 100 * (i * 77 % 200) for i in range(200)]
            expected[150] = 123456789
            spread = sorted(v for lowest, width, count in classes for v in [(lowest, width)] * count)
            check(all(low <= v < low + width for (low, width), v in zip(spread, sorted(expected * 3))), "classes of " + name)
            check(all(width <= max(1, low / 1000) for low, width, _ in classes), "a class is too wide")


# ---- compare.py of Google Benchmark ---------------------------------------------------------------------

def u_test(x, y):
    """Two-sided Mann-Whitney, normal approximation with tie and continuity correction."""
    values = sorted(x + y)
    ranks, ties = {}, 0
    for value in set(values):
        first, count = values.index(value), values.count(value)
        ranks[value] = first + (count + 1) / 2
        ties += count ** 3 - count
    n, m = len(x), len(y)
    u = sum(ranks[value] for value in x) - n * (n + 1) / 2
    sigma = math.sqrt(n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1))))
    return min(1, math.erfc((abs(u - n * m / 2) - .5) / sigma / math.sqrt(2)))


class Means(list):
    def any(self):
        return bool(self)


def compare_py():
    """Google Benchmark's own reader, which wants these functions of libraries that are a hundred times as large; None where it is not."""
    scipy, stats, numpy = (types.ModuleType(name) for name in ("scipy", "scipy.stats", "numpy"))
    stats.mannwhitneyu = lambda x, y, alternative: types.SimpleNamespace(pvalue=u_test(x, y))
    stats.gmean = lambda rows: Means(math.exp(mean([math.log(value) for value in column])) for column in zip(*rows))
    numpy.array = Means
    sys.modules.update({"scipy": scipy, "scipy.stats": stats, "numpy": numpy})
    sys.path.append("/usr/share/benchmark")
    try:
        from gbench import report
    except ImportError:
        return None
    return report


def compare(old, new):
    documents = [strict(old), strict(new)]
    times = [[row["real_time"] for row in document["benchmarks"] if row["run_type"] == "iteration"] for document in documents]
    check([len(x) for x in times] == [30, 30], "%s rows" % [len(x) for x in times])
    p, change = u_test(*times), mean(times[1]) / mean(times[0]) - 1
    report = compare_py()
    if report:
        found = {row["name"]: row for row in report.get_difference_report(*documents, utest=True)}
        utest = found["doc.table"]["utest"]
        p, change = utest["time_pvalue"], found["doc.table_mean"]["measurements"][0]["time"]
        check(utest["nr_of_repetitions"] == 30 and utest["have_optimal_repetitions"], "its U test saw %r" % utest)
    check("%.4f" % p == "0.8073", "p = %.4f" % p)
    check("%+.4f" % change == "+0.0003", "mean difference %+.4f" % change)
    print("p = %.4f, mean difference %+.4f by %s" % (p, change, "compare.py" if report else "this file's own test: no libbenchmark-tools"))


def back(was, now):
    now = {name_of(row): row for row in now}
    rows = [row for row in was if has_number(row) and row["process_costs"]]
    # One more has quotes in a parameter, which a record has no word for.
    check(len(rows) == 3 and len(now) == 4 and {name_of(row) for row in rows} < set(now), "results %s" % list(now))
    for row in rows:
        other, name = now[name_of(row)], name_of(row)
        check(other["unit"] == row["unit"] and other["per"] == row["per"], "unit of " + name)
        same(other["estimate"]["value"], row["estimate"]["value"], "cost of " + name)
        if row["estimate"]["method"] != "slope":
            continue
        check(len(other["process_costs"]) == len(row["process_costs"]), "processes of " + name)
        for mine, theirs in zip(row["process_costs"], other["process_costs"]):
            same(mine["cost"], theirs["cost"], "process of " + name)
        for end in "low", "high":
            same(other["estimate"][end], row["estimate"][end], "CI of " + name, 1e-6)


def junit_comparison(text, failures, errors):
    suite = xml.etree.ElementTree.fromstring(text).find("testsuite")
    for kind, count in ("failure", "failures"), ("error", "errors"), ("skipped", "skipped"), ("testcase", "tests"):
        check(len(list(suite.iter(kind))) == int(suite.get(count)), count)
    check((suite.get("failures"), suite.get("errors")) == (failures, errors), "%s" % suite.attrib)
    for case in suite.iter("testcase"):
        check(case.get("classname") == "kbench." + case.get("name").split(".")[0], "class %s" % case.attrib)
        check(len(list(case)) == 1 and "ratio" in case[0].text, "case %s" % case.attrib)


READERS = {
    "google-benchmark": google, "google-benchmark-rows": google_rows, "bencher": bencher, "benchfmt": benchfmt,
    "openmetrics": openmetrics, "openmetrics-client": openmetrics_client, "github-action": github_action,
    "junit": junit, "csv": csv_rows, "csv-wide": csv_wide, "hdr": hdr, "markdown": markdown, "chrome-trace": chrome_trace,
    "sel4bench": sel4bench,
}


def text_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def main():
    global word, finished
    if sys.argv[1] == "compare":
        compare(text_of(sys.argv[2]), text_of(sys.argv[3]))
        return
    if sys.argv[1] == "back":
        back(*(strict(text_of(path))["results"] for path in sys.argv[2:4]))
        return
    if sys.argv[1] == "junit":
        junit_comparison(text_of(sys.argv[2]), *sys.argv[3:5])
        return
    document = strict(text_of(sys.argv[1]))
    everything = visible(document["results"])
    finished = calendar.timegm(time.strptime(document["run"]["finished"], "%Y-%m-%dT%H:%M:%SZ"))
    for argument in sys.argv[2:]:
        word, path = argument.split("=", 1)
        try:
            READERS[word](text_of(path), [row for row in everything if has_number(row)], everything)
        except (KeyError, ValueError, IndexError, AttributeError, struct.error, zlib.error,
                xml.etree.ElementTree.ParseError) as error:
            fail("%s: %s" % (type(error).__name__, error))


main()
