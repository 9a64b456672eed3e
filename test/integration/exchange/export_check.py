"""Reads exports with readers that know nothing of kbench: python's json, csv and XML, and decoders written here from
the published descriptions of Go's benchmark lines, OpenMetrics and HdrHistogram's V2 encoding.

export_check.py SHOW FORMAT=FILE...: each FILE must say what SHOW (kbench show --json) says.
export_check.py compare OLD NEW: two full files as compare.py compares them."""
import base64
import csv
import io
import json
import math
import re
import struct
import sys
import xml.etree.ElementTree
import zlib


word = "compare"


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
    names = {row["run_name"] for row in benchmarks}
    check(names and names <= set(kept), "rows %s, not of %s" % (names, set(kept)))
    for name in names:
        single = [row for row in benchmarks if row["run_name"] == name and row["run_type"] == "iteration"]
        times = [row["real_time"] for row in single]
        check([row["repetition_index"] for row in single] == list(range(len(single))), "repetitions of " + name)
        check(all(row["repetitions"] == len(single) and row["name"] == name for row in single), "rows of " + name)
        if name == "sys.call":
            same(median(times), kept[name]["estimate"]["value"], "median of " + name, .01)
        made = {row["aggregate_name"]: row for row in benchmarks
                if row["run_name"] == name and row["run_type"] == "aggregate"}
        for word, value in ("mean", mean(times)), ("median", median(times)), ("stddev", deviation(times)):
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
        metric = measures["latency" if row["unit"] == "ns" else row["unit"]]
        check(("latency" in measures) == (row["unit"] == "ns"), "unit of " + name_of(row))
        for key, ours in ("value", "value"), ("lower_value", "low"), ("upper_value", "high"):
            check(metric.get(key) == row["estimate"][ours], key + " of " + name_of(row))


def benchfmt(text, rows, _):
    expected = {re.sub(r"\s", "_", name_of(row, "/")).capitalize(): row for row in rows}
    counts = {}
    for line in text.splitlines():
        if not line or re.fullmatch(r"[a-z][^\sA-Z:]*: .*", line) or re.fullmatch(r"Unit \S+ better=lower", line):
            continue
        found = re.fullmatch(r"Benchmark([A-Z]\S*)-(\d+)\s+(\d+)((?:\s+\S+ \S+/op)+)", line)
        check(found, "not a line of a benchmark: " + line)
        name, threads, operations, values = found.groups()
        check(threads == "1" and int(operations) > 0, line)
        row = expected[name.capitalize()]
        units = dict(reversed(pair) for pair in re.findall(r"(\S+) (\S+/op)", values))
        check((row["unit"] + "/op") in units and set(units) <= {row["unit"] + "/op", "cycles/op"}, "units: " + line)
        check(all(math.isfinite(float(value)) for value in units.values()), line)
        counts.setdefault(name, []).append(float(units[row["unit"] + "/op"]))
    check(counts, "no lines")
    for name, values in counts.items():
        check(len(values) >= 6, "benchstat needs six lines of " + name)
        if name in ("Sys.call", "Bare.call"):
            same(median(values), expected[name.capitalize()]["estimate"]["value"], "median of " + name, .01)


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
        check(not {"quantile", "le", "run"} & set(labels), "reserved label: " + line)
        samples.append((family, labels, float(found.group(3))))
    return samples


def openmetrics_values(samples, rows, everything):
    seen = {(family, labels["benchmark"], labels["params"], labels.get("q")): value
            for family, labels, value in samples}
    check(len(seen) == len(samples), "a sample twice")
    for row in everything:
        params = name_of(row)[len(row["benchmark"]) + 1:]
        state = seen.pop(("kbench_ok", row["benchmark"], params, None), None)
        expected = None if row["verdict"]["status"] == "skipped" else float(row["verdict"]["status"] == "ok")
        check(state == expected, "kbench_ok of %s: %s" % (name_of(row), state))
    for row in rows:
        params = name_of(row)[len(row["benchmark"]) + 1:]
        unit, scale = ("seconds", 1e9) if row["unit"] == "ns" else (row["unit"], 1)
        for family, key in ("latency", "value"), ("latency_ci_low", "low"), ("latency_ci_high", "high"):
            value = seen.pop(("kbench_%s_%s" % (family, unit), row["benchmark"], params, "headline"), None)
            check((value is None) == (row["estimate"][key] is None), family + " of " + name_of(row))
            if value is not None:
                same(value, row["estimate"][key] / scale, family + " of " + name_of(row))
    numbers = {(row["benchmark"], name_of(row)[len(row["benchmark"]) + 1:]) for row in rows}
    for _, benchmark, params, _ in seen:
        check((benchmark, params) in numbers, "a number of " + benchmark)


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
        same(item["value"], row["estimate"]["value"], item["name"])
        estimate = row["estimate"]
        check(("range" in item) == (estimate["low"] is not None), "range of " + item["name"])
        if "range" in item:
            same(item["range"].split()[1], max(estimate["high"] - estimate["value"], estimate["value"] - estimate["low"]),
                 "range of " + item["name"], 1e-6)


def junit(text, rows, everything):
    suite = xml.etree.ElementTree.fromstring(text).find("testsuite")
    cases = {case.get("name"): case for case in suite.findall("testcase")}
    check(list(cases) == [name_of(row) for row in everything], "test cases " + repr(list(cases)))
    check(int(suite.get("tests")) == len(cases) and suite.get("failures") == "0", "counts")
    for kind, count in ("error", "errors"), ("skipped", "skipped"), ("failure", "failures"):
        check(sum(case.find(kind) is not None for case in cases.values()) == int(suite.get(count)), count)
    for row in everything:
        case, time = cases[name_of(row)], cases[name_of(row)].get("time")
        status = row["verdict"]["status"]
        check((case.find("skipped") is not None) == (status == "skipped"), "skipped: " + name_of(row))
        check((case.find("error") is not None) == (status != "skipped" and not has_number(row)), "error: " + name_of(row))
        check((time is not None) == (has_number(row) and row["unit"] == "ns"), "time of " + name_of(row))
        if time is not None:
            check(re.fullmatch(r"-?\d+\.\d+", time), "time is no decimal: " + time)
            same(time, seconds(row), "time of " + name_of(row))


def csv_rows(text, rows, _):
    check(text.count("\n") == text.count("\r\n"), "lines do not end with CRLF")
    lines = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    kept = {(row["benchmark"], name_of(row)[len(row["benchmark"]) + 1:]): row for row in rows}
    seen = {}
    for line in lines:
        check(None not in line and None not in line.values(), "cells: %r" % line)
        key = line["benchmark"], line["params"]
        check(key in kept, "a number of %r" % (key,))
        check(line["unit"] in (kept[key]["unit"], "cycles", "MHz", "count", "1"), "unit of %r" % line)
        check(float(line["value"]) % 1 or re.fullmatch(r"-?\d+", line["value"]), "exponent: " + line["value"])
        if not line["process"]:
            check((key, line["metric"]) not in seen, "twice: %r" % line)
            seen[key, line["metric"]] = float(line["value"])
    for key, row in kept.items():
        for metric, part in ("estimate", "value"), ("estimate_low", "low"), ("estimate_high", "high"):
            check(seen.get((key, metric)) == row["estimate"][part], "%s of %r" % (metric, key))
        check(seen[key, "samples"] == row["samples"], "samples of %r" % (key,))
        check(seen.get((key, "p99")) == row["quantiles"]["p99"], "p99 of %r" % (key,))


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
    kept = {re.sub(r"[\s,]", "_", name_of(row, "/")): row for row in rows}
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
            most = .75 if name.startswith("ipc.pipe_latency") else .5
            check(max(below, above) <= most * total, "median of %s: %d below and %d above %s, of %d" % (name, below, above, p50, total))
        if name == "disk.sync":
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


def compare(old, new):
    times, means = [], []
    for text in old, new:
        rows = strict(text)["benchmarks"]
        times.append([row["real_time"] for row in rows if row["run_type"] == "iteration"])
        means += [row["real_time"] for row in rows if row.get("aggregate_name") == "mean"]
    check([len(x) for x in times] == [30, 30], "%s rows" % [len(x) for x in times])
    p, change = u_test(*times), (means[1] - means[0]) / abs(means[0])
    check("%.4f" % p == "0.8073", "p = %.4f" % p)
    check("%+.4f" % change == "+0.0003", "mean difference %+.4f" % change)
    try:
        from scipy.stats import mannwhitneyu
    except ImportError:
        print("without scipy: p = %.4f, mean difference %+.4f by this file's own test" % (p, change))
        return
    theirs = mannwhitneyu(times[0], times[1], alternative="two-sided").pvalue
    check("%.4f" % theirs == "0.8073", "scipy: p = %.4f" % theirs)
    print("scipy: p = %.4f, mean difference %+.4f" % (theirs, change))


READERS = {
    "google-benchmark": google, "google-benchmark-rows": google_rows, "bencher": bencher, "benchfmt": benchfmt,
    "openmetrics": openmetrics, "openmetrics-client": openmetrics_client, "github-action": github_action,
    "junit": junit, "csv": csv_rows, "hdr": hdr,
}


def text_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def main():
    global word
    if sys.argv[1] == "compare":
        compare(text_of(sys.argv[2]), text_of(sys.argv[3]))
        return
    everything = strict(text_of(sys.argv[1]))["results"]
    for argument in sys.argv[2:]:
        word, path = argument.split("=", 1)
        try:
            READERS[word](text_of(path), [row for row in everything if has_number(row)], everything)
        except (KeyError, ValueError, IndexError, AttributeError, struct.error, zlib.error,
                xml.etree.ElementTree.ParseError) as error:
            fail("%s: %s" % (type(error).__name__, error))


main()
