#!/bin/sh
# lmbench's summary of a real run: a cell is the cost that the JSON of the same run has, an imported run of lmbench stands beneath ours, and a
# run without anything of lmbench says what to do.
# runs: 5 s
set -eu
. "$KB_SRC/test/support/check.sh"
command -v python3 >/dev/null || skip "needs python3"
XDG_DATA_HOME=$PWD/data XDG_CACHE_HOME=$PWD/cache
export XDG_DATA_HOME XDG_CACHE_HOME

# ---- cells against the JSON --------------------------------------------------------------------------------

"$KBENCH" run sys.null sys.read_zero sys.write_null sig.install cpu.op_latency mem.bw_bcopy -p op=add -p bytes=1 -p size=16M --processes 1 --precision 100% --budget 60s \
	--label mine --format lmbench >page 2>err || [ $? -eq 5 ]
[ ! -s err ] || fail "a page of a good run needs no other words: $(cat err)"
"$KBENCH" export --format lmbench mine >again 2>err
[ ! -s err ] || fail "export says more than the page: $(cat err)"
cmp page again || fail "the page of the run, and of what was stored"
"$KBENCH" show mine --json >json
cat >back.py <<'P'
import json, sys

costs = {r["benchmark"]: r for r in json.load(open("json"))["results"]}
page = open("page").read().splitlines()

def cells(heading):
    """Words of the first line below the rule of dashes: the host, Linux and its version come first."""
    at = next(i for i, line in enumerate(page) if line.startswith(heading))
    while not page[at].startswith("---------") or " " not in page[at]:
        at += 1
    return page[at + 1].translate(str.maketrans("~?*", "   ")).split()[3:]

def same(name, cell, number):
    last = 10.0 ** -len(cell.partition(".")[2])
    if abs(float(cell) - number) > max(0.501 * last, 0.051 * number):       # two digits, where a column is narrow
        sys.exit("%s: the page has %s, the JSON %g" % (name, cell, number))

def us(name):
    return costs[name]["estimate"]["value"] / 1e3

process = cells("Processor, Processes")
same("null call", process[1], us("sys.null"))
same("null I/O", process[2], (us("sys.read_zero") + us("sys.write_null")) / 2)
same("sig inst", process[3], us("sig.install"))
same("integer add", cells("Basic integer")[0], 1e3 * us("cpu.op_latency"))
same("bcopy", cells("*Local* Communication bandwidths")[0], costs["mem.bw_bcopy"]["bytes_per_op"] / us("mem.bw_bcopy"))
P
python3 back.py || fail "the page and its JSON differ: $(cat page)"

# ---- an imported run beneath -------------------------------------------------------------------------------

"$KBENCH" import "$KB_SRC/test/data/import/lmbench/vm.0" --label theirs >/dev/null
"$KBENCH" export --format lmbench mine theirs >both
grep -A6 '^Processor, Processes' both | tail -2 >lines
head -1 lines | grep -q '^kbench ' && tail -1 lines | grep -q '^vm  *Linux 6.18.44  *0.22 ' || fail "ours, and theirs beneath: $(cat both)"
grep -q '^Numbers that lmbench measured have no CI' both || fail "what has no CI: $(cat both)"

# ---- nothing of lmbench, and bad input ---------------------------------------------------------------------

"$KBENCH" run self.empty --processes 1 --budget 30s --label none >/dev/null || [ $? -eq 5 ]
rc=0
"$KBENCH" export --format lmbench none >out 2>err || rc=$?
[ $rc -eq 2 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "see 'kbench run --suite lmbench'" err || fail "no cell: $rc: $(cat out err)"
rc=0
"$KBENCH" run sys.null --format lmbnech >out 2>err || rc=$?
[ $rc -eq 2 ] && grep -q 'did you mean lmbench?' err || fail "a typo: $rc: $(cat err)"
