#!/bin/sh
# Everything that is asked of the store of this directory: views.sh KBENCH STORE DIRECTORY, one file in DIRECTORY an answer. The end of
# a file's name says how compare.py reads it. Afterwards the results in STORE are made again from their records, if it may be written.
set -u
kbench=$1
store=$2
to=$3
COLUMNS=100
LC_ALL=C
export COLUMNS LC_ALL
failed=0

# view FILE ARGUMENT...: what kbench prints. Its exit code is a part of the answer.
view() {
	file=$1
	shift
	code=0
	"$kbench" "$@" --store "$store" >"$to/$file" 2>"$to/messages" || code=$?
	echo "$file $code" >>"$to/codes"
	[ -s "$to/$file" ] || {
		echo "kbench $*: exit code $code, and nothing on standard output: $(cat "$to/messages")"
		failed=1
	}
}

view runs.json runs --json
ids=$(sed -n 's/^ *"id": "\([0-9a-f-]\{36\}\)".*/\1/p' "$to/runs.json" | sort -u)
for id in $ids; do
	view "show-$id.json" show "$id" --json
	view "show-$id.table" show "$id"
done
view show-three.json show first second third --json
view show-three.txt show first second third
# Quotes, markup, a substitution, an escape, SQL and letters that are not ASCII: see make.sh.
view hostile-label.json show "\"it's\" <b>&amp;</b> \$(x) \`y\` \\n %s; DROP TABLE run;-- é日本語" --json
for label in uncontended kanata copies interference paired fails hostile-text sides-b single partners x86_32 emulated kernel-before \
	sel4-circles sel4-counted sel4-points board cut-off table_3_5 sel4bench record-1-slope golden-record-1; do
	view "verbose-$label.text" show --verbose "$label"
done
view plot-single.text show --plot single
view plot-uncontended.text show --plot uncontended sys.null
view table-kanata.text show --table kanata-null
view table-picture.text show --table pic_4_1
view unit.table show --unit cycles first

compared() {
	view "compare-$1-$2.json" compare "$@" --json
	view "compare-$1-$2.txt" compare "$@"
}
compared first second
compared first third --margin 5%
compared second uncontended
compared sizes sizes-again
compared paired paired-again
compared first clock-ns
compared sides-a sides-b
compared kernel-before kernel-after
compared base slower --gate
compared slower base --gate
compared base wrong-circle --gate
compared base mcs --any-config
compared base board --any-config --any-env
compared record-1-slope record-2-slope --any-env
compared table_3_5 pic_4_1
compared k005 k008

for name in sys.null sys.write_null cpu.op_latency mem.latency ipc.notify plugin.paired plugin.fails kernel.kmalloc \
	sel4.signal sel4bench.notify_thread sel4bench.ipc_call yamba.walk_x86_32; do
	view "$name.history" history "$name" --json
done
view 16K.history history mem.latency -p size=16K --json
view label.history history sel4.signal --label 'base' --json

# The forms that had an entry a sample, or another label, have changed on purpose; test/integration/exchange/export.sh reads them.
for label in first interference single kernel-before; do
	view "export-bencher-$label.json" export --format bencher $label
done
for label in first interference single kernel-before base copies paired kanata hostile-text sides-b partners x86_32 sel4-circles \
	record-2-kanata sel4bench k003; do
	view "export-csv-$label.csv" export --format csv $label
done
view export-hdr.lines export --format hdr single
view export-junit.txt export --format junit fails

view model.json model copy --run model --json
view model.text model copy --run model

# Made again from the records it is what it was: compare.py holds these against the expected show-ID.json.
rm -f "$to/messages"
[ -w "$store" ] || exit $failed
view rebuild.json maintain --json
for id in $ids; do
	view "again-$id.json" show "$id" --json
done
rm -f "$to/messages"
exit $failed
