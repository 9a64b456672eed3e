#!/bin/sh
# Forms of instructions: the templates that are shipped make a thousand of them and more, and all are assembled; a table of a few is measured
# as text, JSON, CSV and page; what is documented is held against it; and wrong files and words are told.
# runs: slow, 40 s
set -eu
. "$KB_SRC/test/support/check.sh"
needs as cc
[ "$(uname -m)" = x86_64 ] || skip "no templates for this architecture"

# A build without an assembler has no programs.
"$KBENCH" list --names yamba >names 2>/dev/null || true
grep -q '^yamba.instruction_' names || skip "no programs in this build"

case=words
for words in "--only nothing_*" "--budget 0" "more than.forms" "--csv /no/folder/file" "--nothing"; do
	# shellcheck disable=SC2086
	refuses 2 . yamba table $words
done
refuses 2 "cannot read no.forms" yamba table no.forms
printf 'frame forms_x86_64\nadd : +r9\n' >bad.forms
refuses 2 "bad.forms:2: there is no kind and no group 'r9'" yamba table bad.forms
printf 'frame forms_x86_64\nregister r64 g 64 r8 r9 constant rdx\nadde : +r64 r64\n' >bad.forms
gives 2 yamba table bad.forms
says "no such instruction"
printf 'add_r64_r64 1\n' >bad.known
refuses 2 "bad.known:1: no documented value" yamba table --known bad.known

case="all forms"
gives 0 yamba table --list
forms=$(sed 's/:.*//' out | sort -u | wc -l)
grep -q avx512vl /proc/cpuinfo && least=1200 || least=600
[ "$forms" -ge "$least" ] || fail "$forms forms"

case=measured
cat >known <<'END'
cpu here VENDOR FAMILY MODEL MODEL
source here what this test says
why here throughput imul_* the test is wrong on purpose
cores other here
add_r64_r64 9/9 1/-
imul_r64_r64 9/9 3/99
xor_r64_m64 9/9 -
END
vendor=$(sed -n 's/^vendor_id[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
family=$(sed -n 's/^cpu family[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
model=$(sed -n 's/^model[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
sed -i "s/VENDOR/$vendor/; s/FAMILY/$family/; s/MODEL/$model/g" known
gives 0 yamba table --only add_r64_r64 --only imul_r64_r64 --only '*_r64_m64' --only mov_r64_r64 --known known --budget 20s --processes 3 \
	--csv table.csv --page table.html --json --store "$PWD/store"
cp out json

python3 - <<'END' || fail "the table is wrong"
import csv, json

table = json.load(open("json"))
assert table["schema"] == "kbench-instructions/1" and table["core"] == "here" and table["unit"] == "core cycles"
forms = {form["form"]: form for form in table["forms"]}
add, imul = forms["add_r64_r64"], forms["imul_r64_r64"]
assert [(one["from"], one["to"]) for one in add["latency"]] == [(1, 1), (2, 1)] and add["operands"] == ["r64", "r64"]
assert forms["xor_r64_m64"]["latency"][0]["from"] == "address"
# Chains of additions and multiplications, beside whatever runs: a factor of 1.5 is room enough.
def value(one):
    return one["cycles"]["value"]
for one in add["latency"]:
    assert 0.8 < value(one) < 1.5, one
ratio = value(imul["latency"][0]) / value(add["latency"][0])
assert 2 < ratio < 4.5, ratio
assert value(add["throughput"]) < value(add["latency"][0]), add
assert value(forms["mov_r64_m64"]["latency"][0]) > 2
assert add["documented"] == {"latency": 1, "throughput": None} and "documented" not in forms["xor_r64_m64"]
assert imul["differs"]["throughput"] == "the test is wrong on purpose", imul
assert table["latencies"]["values"] == 2 and table["throughputs"]["values"] == 1

lines = list(csv.DictReader(open("table.csv")))
assert {line["form"] for line in lines} == set(forms)
one = next(line for line in lines if line["form"] == "imul_r64_r64" and line["measure"] == "throughput")
assert one["why_it_differs"] == "the test is wrong on purpose" and float(one["documented"]) == 99
assert float(one["low"]) <= float(one["cycles"]) <= float(one["high"])
page = open("table.html").read()
assert page.count("<tbody>") == len(forms) and "wrong on purpose" in page and page.rstrip().endswith("</html>")
END

# Its script runs in a browser.
if command -v chromium >/dev/null; then
	timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/browser" --dump-dom "file://$PWD/table.html" >dom 2>/dev/null ||
		fail "the browser ended with $?"
	grep -q "<output>$(grep -c '<tbody>' table.html) forms</output>" dom || fail "no count of forms in the page"
fi

# An ordinary run: the store has it.
gives 0 show --store "$PWD/store" --json
grep -q 'add_r64_r64:2-1' out || fail "the store has no such result"

case="a form by itself"
program=$(ls -t "${XDG_CACHE_HOME:-$HOME/.cache}"/kbench/yamba/instructions-*.yamba | head -n 1)
grep -q 'yamba instructions extends forms_x86_64' "$program" || fail "the program is not in the cache"
gives 5 yamba run "$program" -p form=nothing --budget 20s --no-store
says 'no such form'

case=pipes
# mixed FORM...: the templates, of which these are mixed.
mixed() {
	echo "pipes $*"
	sed '/^pipes /d' "$KB_SRC/bench/yamba/forms_x86_64.forms"
}
mixed add_r64_r64 >few.forms
refuses 2 "'pipes' names fewer than two forms" yamba pipes few.forms
mixed imul_r64_r64 imul_r64_r64_i8 mov_r64_m64 >three.forms
gives 0 yamba pipes three.forms --known known --budget 15s --processes 3 --json
python3 - <<'END' || fail "the pipes are wrong"
import json

found = json.load(open("out"))
kinds, pairs = found["kinds"], {tuple(pair["pair"]): pair for pair in found["pairs"]}
assert found["schema"] == "kbench-pipes/1" and [kind["form"] for kind in kinds] == ["imul_r64_r64", "imul_r64_r64_i8", "mov_r64_m64"]
if all(kind["pipes"] for kind in kinds):
    # Two multiplications share their pipe.
    assert pairs[0, 1]["shared"] in (1, None), pairs
    # Loads have pipes of their own on any core that is known. Some cores distribute the mix badly, so that one seems shared, but both overlap.
    mix = pairs[0, 2]["mix"]
    together, after = sum(mix) * pairs[0, 2]["cycles"]["value"], mix[0] * kinds[0]["cycles"]["value"] + mix[1] * kinds[2]["cycles"]["value"]
    assert together < 0.85 * after, pairs
END
