#!/bin/sh
# kbench fleet report: who is named of fleets with known answers, and why; what is left out; its JSON and page; what is refused.
# runs: 3 s
set -eu
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/store_program.sh"
needs python3
store_program fleet_store || fail "fleet_store does not compile"
./fleet_store fleets.db

# report FLEET...: text.
report() {
	gives 0 fleet report --store fleets.db "$@"
}
# named: the nodes, in order.
named() {
	sed -n 's/^\(.*\) deviates: .*/\1/p' out | tr '\n' ' '
}

case="a healthy fleet"
report healthy
says '^fleet healthy: 4 nodes, 4 runs, 2026-09-21T14:23 to 2026-09-21T14:53 UTC$'
says '^no node deviates \(4 nodes, 7 results, margin 1 %, FDR 5 %\)$'
says '^environment ID 00000000000000aa, 4 nodes$'
says '^  sys.null +1[12][0-9.]+ (±|\+-)[0-9.]+ ns/call +0\.[0-9]+ % +\(0\.[0-9]+ to [0-9.]+ %\) +- +- +[0-9.]+ % +4$'
says '^  mem.latency size=16K +4\.[0-9]+ .* cycles/load '
says '^  cpu.op_latency op=imul +3\.0.* cycles/operation .* +[23]\.[0-9] % +4$'
says "one run a node: what differs from boot to boot and from run to run is in 'nodes differ'"

case="sick nodes"
report sick-1
[ "$(named)" = 'node-3 node-6 node-7 ' ] || fail "named are $(named)"
says '^node-3 deviates: core clock 3086 MHz, of the fleet 3240 MHz$'
says '^node-6 deviates: 6\.2 % of the samples interrupted, of the fleet.s 0\.3 %$'
says '^node-7 deviates: nothing that was recorded besides sets it apart$'
says '^    all results +\+(4\.[5-9]|5\.[0-5]) % +\(\+[0-9.]+ to \+[0-9.]+ %\)  q '
# Its clock is slower, and its core cycles are not more.
sed -n '/^node-3/,/^node-6/p' out | grep -q 'cycles\|cpu.op_latency' && fail "node-3 takes more cycles"
says '^  in what it loses to neighbours and interruptions \(mean over cost\), against the other nodes:$'
# The other machines cost a third more, and nobody holds that against them.
says '^environment ID 00000000000000bb, 3 nodes$'
says '^11 nodes, 14 results, margin 1 %, FDR 5 %$'
says 'one run a node: ' && says "one run a boot: what differs from run to run is in 'boots'"

case="margin"
report sick-1 --margin 10%
[ "$(named)" = 'node-6 node-7 ' ] || fail "named are $(named)"
report sick-1 --margin 50%
[ "$(named)" = '' ] && says '^no node deviates \(11 nodes, 14 results, margin 50 %, FDR 5 %\)$'

case="a neighbour that stays"
report sick-2
[ "$(named)" = 'node-4 ' ] && says '^node-4 deviates: 3 % of the samples uncontended, of the fleet.s 93 %$' || fail "named are $(named)"
says '^  sys.stat depth=1 .* 3$'

case="a process that competes for the CPU"
report waiting
[ "$(named)" = 'node-7 ' ] && says '^node-7 deviates: waited for a CPU 4[3-7] % of the time, the fleet 1 %$' || fail "named are $(named)"
says '^  in what it waits for a CPU \(time over time with a CPU\), against the other nodes:$'
says '^    all results +\+(7[5-9]|8[0-9]).* q '
grep -q '^  in its costs' out && fail "it costs as much as the others"

case="one result that is dearer by chance"
report kinds
says '^no node deviates \(4 nodes, 7 results'
report observed
says '^no node deviates \(4 nodes, 7 results'

case="noisy"
report noisy
says '^no node deviates \(4 nodes, 7 results'

case="two sides"
report sides
says '^no node deviates \(6 nodes, 7 results'
says '^side b over side a, node by node$'
# Nodes are held against each other by side a alone.
says 'one run a node: ' && says '^  sys.stat depth=1 +65[4-9] '
says '^  proc.fork_exit +-(2\.[6-9]|3\.[0-4]) % .* faster +6 nodes differ by '
says '^  sys.null .* equivalent '

case="runs of a boot"
report nested
says '^fleet nested: 5 nodes, 45 runs,'
says '^no node deviates \(5 nodes, 7 results'
says '^ +cost +nodes differ +\(95 % CI\) +boots +runs +lost +nodes$'
says '^  mem.latency .* %\) +(0\.[7-9]|1\.[0-5]) % +0\.[2-4] % +[0-9.]+ % +5$'
! grep -q 'one run\|one boot' out || fail "each level is repeated"
report again
says '^fleet again: 5 nodes, 15 runs,'
says '^  mem.latency .* %\) +- +0\.[2-4] % +[0-9.]+ % +5$'
says "^  one boot a node: what differs from boot to boot is in 'nodes differ'\$"
report unbooted
says '^fleet unbooted: 5 nodes, 10 runs,'
says '^  sys.null .* %\) +[0-9.]+ % +- +[0-9.]+ % +5$'
says "^  one run a boot: what differs from run to run is in 'boots'\$"
"$KBENCH" fleet report --store fleets.db --label nested --json >nested.json || fail "--json: exit code $?"
"$KBENCH" fleet report --store fleets.db nested --json >all.json || fail "--json: exit code $?"
"$KBENCH" fleet report --store fleets.db again --json >again.json || fail "--json: exit code $?"
python3 - <<'END' || fail "JSON of boots and runs"
import json, math, sqlite3
from statistics import mean
fleet = json.load(open("all.json"))
assert all((node["boots"], node["runs"]) == (3, 9) for node in fleet["nodes"]), fleet["nodes"]
costs = [row for row in fleet["results"] if row["kind"] == "cost" and not row["all_results"]]
assert len(costs) == 7 and all(.003 < row["boots_sd"] < .018 and .0015 < row["runs_sd"] < .0042 for row in costs), [(row["boots_sd"], row["runs_sd"]) for row in costs]
assert all(row["runs_sd"] is None for row in fleet["results"] if row["all_results"])
assert all((node["boots"], node["runs"]) == (1, 3) for node in json.load(open("again.json"))["nodes"])
# Of nested and again one boot has the same ID, so that is one with six runs, between which there are others; and of unbooted each run is one.
fleet = json.load(open("nested.json"))
assert all((node["boots"], node["runs"]) == (5, 14) for node in fleet["nodes"]), fleet["nodes"]
runs = sqlite3.connect("fleets.db").execute("SELECT node, CASE boot WHEN '' THEN result.run ELSE boot END, value FROM result JOIN run_facts USING (run)"
    " WHERE fleet IN ('nested', 'again', 'unbooted') AND benchmark = 'sys.null'").fetchall()
for cell in next(row for row in fleet["results"] if row["row"] == "sys.null" and row["kind"] == "cost")["cells"]:
    name = fleet["nodes"][cell["node"]]["node"]
    boots = [mean(math.log(value) for node, of, value in runs if (node, of) == (name, boot)) for boot in {boot for node, boot, value in runs if node == name}]
    assert len(boots) == 5 and abs(math.log(cell["value"]) - mean(boots)) < 1e-9, (name, cell["value"], boots)
END

case="the boot of a run"
if [ -r /proc/sys/kernel/random/boot_id ]; then
	gives 0 run clock.read -p way=plain --processes 2 --budget 2s --store here.db
	python3 - "$(cat /proc/sys/kernel/random/boot_id)" <<'END' || fail "the run has another boot"
import json, sqlite3, sys
[(boot, env)] = sqlite3.connect("here.db").execute("SELECT boot, env FROM run_facts JOIN run ON number = run")
env = json.loads(env)
assert boot == env["readings"]["boot_id"] == sys.argv[1] and "boot_id" not in env["facts"], (boot, env)
END
fi

case="too few nodes"
report pair
says '^environment ID 00000000000000aa, 2 nodes: too few to tell which one deviates$'
says '^nothing is known of deviations: no environment ID has 3 nodes with one result$'

case="which runs"
report last
says '^fleet unbooted: '
report
says '^fleet unbooted: '
report heal
says '^fleet healthy: '
report --label before
says '^1 node, 1 run, '
report --since 2026-09-21T23:30
says '^2 nodes, 2 runs, '
report --label nightly --since 2026-09-21T18:10
says '^[0-9]+ nodes, 34 runs, '

case="completion"
"$KBENCH" --complete fleet report --store fleets.db '' >out
for id in last healthy sick-1 sick-2 noisy waiting kinds observed sides pair; do
	[ "$(cut -f1 out | grep -cx $id)" -eq 1 ] || fail "$id is not offered once: $(cat out)"
done

case="refused"
refuses 2 '"sick" fits several fleets in the store fleets.db; type more of the id' fleet report --store fleets.db sick
refuses 2 'has no run of fleet nosuch' fleet report --store fleets.db nosuch
refuses 2 'has no run of fleet healthy' fleet report --store fleets.db healthy --label 'none*'
refuses 2 'no run with such a label or time' fleet report --store fleets.db --label 'none*'
refuses 2 "unexpected argument 'sides'" fleet report --store fleets.db last sides
refuses 2 'margin' fleet report --store fleets.db last --margin x
refuses 2 'No such file' fleet report --store fleets.db last --page none/page.html
refuses 2 'no store' fleet report --store none.db
refuses 2 "no subcommand 'repot', did you mean report" fleet repot

case="JSON and page"
gives 0 fleet report --store fleets.db sick-1 --page fleet.html
mv out text
"$KBENCH" fleet report --store fleets.db sick-1 --json >fleet.json || fail "--json: exit code $?"
grep -q '@KBENCH_DATA@' fleet.html && fail "the marker is still there"
grep -q '<img' fleet.html && fail "text of a node is markup"
python3 - <<'END' || fail "JSON"
import json, re
fleet = json.load(open("fleet.json"))
page = re.search(r'<script type="application/json" id="data">(.*?)</script>', open("fleet.html", encoding="utf-8").read(), re.S).group(1)
def near(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return a == b or abs(a - b) <= 1e-5 * abs(a)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(near(a[k], b[k]) for k in a)
    return len(a) == len(b) and all(map(near, a, b)) if isinstance(a, list) else a == b
assert near(fleet, json.loads(page)), "the page has another document"
assert fleet["schema"] == "kbench-fleet/1" and fleet["deviates"] and fleet["runs"] == 19
names = {node["node"]: node for node in fleet["nodes"]}
assert {name: node["deviates"] for name, node in names.items() if node["deviates"]} == {"node-3": ["cost"], "node-6": ["loss"], "node-7": ["cost"]}
assert names["node-1"]["boots"] == names["node-1"]["runs"] == 2 and names["other-1"]["runs"] == 1 and names["node-3"]["q"]["cost"] < .01 < names["node-1"]["q"]["cost"]
for row in fleet["results"]:
    assert len(row["cells"]) == (8 if row["env_id"].endswith("aa") else 3), row["row"]
    for cell in row["cells"]:
        node, deviation = fleet["nodes"][cell["node"]], cell["deviation"]
        assert deviation["low"] < deviation["value"] < deviation["high"]
        assert not cell["deviates"] or row["kind"] in node["deviates"] and cell["q"] <= .05
        # What is named lies outside of what healthy nodes are.
        assert not cell["deviates"] or deviation["low"] > 0
null = next(row for row in fleet["results"] if row["row"] == "sys.null" and row["kind"] == "cost")
# In time, five percent may be chance, but not in core cycles.
assert abs(null["centre"]["value"] - 120) < 2 and null["runs_sd"] is None and null["between_sd"]["value"] < .02, null
cycles = next(row for row in fleet["results"] if row["row"] == "mem.latency size=16K" and row["kind"] == "cost" and row["env_id"].endswith("aa"))
assert cycles["healthy"] == 8 and cycles["between_sd"]["value"] < .006, cycles
pipe = next(row for row in fleet["results"] if row["row"].startswith("ipc.pipe_latency placement=<") and row["kind"] == "cost" and row["env_id"].endswith("aa"))
assert pipe["healthy"] in (6, 7) and pipe["between_sd"]["value"] < .02, pipe
END
