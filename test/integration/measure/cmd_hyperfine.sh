#!/bin/sh
# What kbench cmd exports for readers of hyperfine: the same fields in the same order and of the same types as hyperfine itself writes, and
# numbers that follow from the times.
# runs: full, 3 s
set -eu
. "$KB_SRC/test/support/check.sh"
needs python3

gives 0 cmd --no-store -N -r 4 -L s 0.01,0.15 'sleep {s}' --export-json ours.json --export-csv ours.csv --export-markdown ours.md -u ms
# Of hyperfine 1.15, where it is not installed.
theirs=no
if command -v hyperfine >/dev/null 2>&1; then
	theirs=yes
	hyperfine -N -r 4 -L s 0.01,0.15 'sleep {s}' --export-json theirs.json --export-csv theirs.csv --export-markdown theirs.md -u millisecond \
		--style none 2>/dev/null
fi
python3 - "$theirs" <<'END' || fail "exports differ: $(head -c 1500 ours.json) $(cat ours.csv ours.md)"
import csv, json, math, re, statistics, sys

FIELDS = ["command", "mean", "stddev", "median", "user", "system", "min", "max", "times", "exit_codes", "parameters"]
COLUMNS = ["command", "mean", "stddev", "median", "user", "system", "min", "max", "parameter_s"]
NEW = {"memory_usage_byte"}     # of hyperfine 1.19

def check(path):
    document = json.load(open(path))
    assert list(document) == ["results"]
    for result, s in zip(document["results"], ("0.01", "0.15"), strict=True):
        assert [f for f in result if f not in NEW] == FIELDS, list(result)
        assert result["command"] == "sleep " + s and result["parameters"] == {"s": s}
        times = result["times"]
        assert len(times) == len(result["exit_codes"]) == 4 and set(result["exit_codes"]) == {0}
        for name, value in (("mean", statistics.mean(times)), ("stddev", statistics.stdev(times)), ("median", statistics.median(times)),
                            ("min", min(times)), ("max", max(times))):
            assert math.isclose(result[name], value, rel_tol=1e-9), (path, name, result[name], value)
        for name in ("user", "system"):
            assert isinstance(result[name], float) and result[name] >= 0
        assert float(s) <= min(times) < 1

def shape(path):
    return [[re.sub(r"\d+\.\d+", "0.0", cell) for cell in row] for row in csv.reader(open(path), delimiter="|")]

check("ours.json")
ours = list(csv.reader(open("ours.csv")))
assert ours[0] == COLUMNS and [len(row) for row in ours] == [9, 9, 9] and ours[1][-1] == "0.01"
assert math.isclose(float(ours[1][1]), json.load(open("ours.json"))["results"][0]["mean"], rel_tol=1e-9)
if sys.argv[1] == "yes":
    check("theirs.json")
    assert list(csv.reader(open("theirs.csv")))[0] == COLUMNS
    # The order of columns and signs; which of both is the fastest is not in doubt.
    assert shape("ours.md") == shape("theirs.md"), (shape("ours.md"), shape("theirs.md"))
END

# The import that reads hyperfine's files reads ours.
gives 0 import --machine here ours.json
says '^  hyperfine.sleep_0.01 '

# The tables of what test/commands.py has measured, from a file that is made up; nothing is measured.
printf '%s\n' '{"kind": "mean", "command": "true", "number": 0, "found": {"kbench": [[5e5, 5e5], [6e5, 5e5], [5e5, 4e5]], "hyperfine": [[5e5, 5e5], [6e5, 5e5], [6e5, 4e5]]}}' \
	'{"kind": "itself", "command": "true", "number": 0, "found": {"decision": "slower", "ratio": 1.1, "kbench_seconds": 2, "relative": true, "welch": false, "hyperfine_ratio": 1.2, "hyperfine_seconds": 3}}' >state
"$KB_SRC/test/commands.py" --state state --print >out || fail "test/commands.py: exit code $?"
says '^\| `true` \| 0.5333 ±0.14 \| 0.5667 ±0.14 \| 1 of 1 \| 0.941 \['
says '^\| `kbench cmd`, slower or faster \| 1 \| 0 equivalent, 0 inconclusive \| 9.53 % \| 2.0 s \|$'
says "Welch's t at 95 % \\| 0 "
