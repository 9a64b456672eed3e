#!/bin/sh
# kbench layers: what this machine can is measured once, what it cannot says why, what another measured is labelled; the
# listings of doc/layers.md work.
# runs: slow, 15 s
set -u
. "$KB_SRC/test/support/check.sh"

gives 0 layers --list
says '^notify  *a waiting thread'
gives 0 layers --list --json
says '"schema": "kbench-layers/1"'
says '"questions":'
if command -v python3 >/dev/null 2>&1; then
	python3 - <<'END' || fail "the list as JSON"
import json
document = json.load(open("out"))
names = {q["name"]: q for q in document["questions"]}
assert {"notify", "pagefault"} <= set(names), names.keys()
assert names["notify"]["about"].startswith("a waiting thread"), names["notify"]
assert names["notify"]["model"] == "pipe_latency", names["notify"]
for question in names.values():
    assert question["layers"] and all((l["row"] is None) != (l["why"] is None) for l in question["layers"]), question
END
fi
gives 0 layers --list --json 'page*'
says '"name": "pagefault"'
! grep -q '"name": "notify"' out || fail "a question that was not asked for"
# wrong OPTION...: one line, and nothing is measured.
wrong() {
	refuses 2 . layers "$@"
}
wrong --list --stored
wrong --list --fresh --json
wrong --list --budget 1s
wrong --list --store x.db
wrong --stored --budget 1s
wrong --list=json
gives 2 layers notifi
says "no layers 'notifi', did you mean notify\?"
printf 'about a\nlayer linux\n' >wrong.layers
gives 2 layers --file wrong.layers
says 'wrong.layers:2:12: layer TARGET RESULT'
printf 'about a\n' >empty.layers
gives 2 layers --file empty.layers
says 'no line .layer TARGET RESULT'
gives 2 layers --stored --fresh
gives 2 layers --budget nothing

# Nothing is stored: each layer says what to do.
gives 0 layers notify --stored
says 'not measured on this machine, and no other result is stored: kbench run ipc.notify'
says 'none of them wakes another'
says '^model: pipe_latency has not been measured: kbench model pipe_latency$'

listings layers layers.md >mine.layers
grep -q '^layer' mine.layers || fail "doc/layers.md has no listing"
gives 0 layers --file mine.layers --stored
says 'kbench run sched.yield'

# What cannot be kept is no answer.
printf 'about b\nlayer linux sys.null\n' >lost.layers
gives 2 layers --file lost.layers --budget 10ms --store /proc/none/x.db
says 'not measured on this machine, and no other result is stored: kbench run sys.null'

# Measured once: a second call finds it.
cat >one.layers <<'END'
about   an empty system call
layer   linux   sys.null
without sel4    because
END
gives 0 layers --file one.layers --budget 4s
says '^linux   sys.null$'
says '[nu]s/call, (uncontended|observed), slope$'
says 'evidence: syscalls 1 a call, 1 expected: holds$'
says '^sel4    -$'
run=$(sed -n 's/.*, run \([0-9a-f-]*\)$/\1/p' out)
[ -n "$run" ] || fail "no run"
gives 0 layers --file one.layers --budget 1s
says "run $run\$"
# What was measured of something else is no answer: a side of a comparison, copies.
"$KBENCH" ab --b X=1 sys.null --processes 1 --budget 1s >out 2>err &&
	"$KBENCH" run sys.null --parallel 2 --processes 1 --budget 1s >out 2>err ||
	fail "cannot measure sides and copies"
gives 0 layers --file one.layers --stored
says "run $run\$"
gives 0 layers --file one.layers --json
says '"schema": "kbench-layers/1"'
says '"here": true'
says '"benchmark": "sys.null"'

# What only trying tells is told afterwards.
printf 'about a\nlayer kernel kernel.imul\n' >lacks.layers
KBENCH_DEVICE=$PWD/none
export KBENCH_DEVICE
gives 0 layers --file lacks.layers --budget 1s
says 'skipped on this machine: no'
unset KBENCH_DEVICE

# The page's commands, as they stand there.
mkdir -p bin
ln -sf "$KBENCH" bin/kbench
listings sh layers.md >commands
PATH=$PWD/bin:$PATH sh -eu commands >out 2>err || fail "a command of doc/layers.md fails"
says '^linux   ipc\.notify'
says '^a pipe round trip is its calls and two switches$'
# Of another machine: the store is a database, and environment IDs are all that tells them apart.
store=$XDG_DATA_HOME/kbench/kbench.db
[ -x /usr/bin/python3 ] || exit 0
# What is changed behind the store's back is damage, unless its columns are made again, as of a store of schema 1.
export OLD="drop trigger summary_added; drop trigger summary_changed; drop table result; drop table run_facts; drop index run_label; drop index floor_key; alter table run drop column checksum; alter table launch drop column checksum; alter table comparison drop column checksum; alter table floor drop column checksum; pragma user_version = 1"
/usr/bin/python3 - "$store" <<'END' || exit 1
import os, sqlite3, sys
store = sqlite3.connect(sys.argv[1])
column = [c[1] for c in store.execute("pragma table_info(run)")]
assert "env_class" in column, column
for id, in store.execute("select distinct env_class from run").fetchall():
    store.execute("update summary set json = replace(json, ?, 'f00df00df00df00d')", (id,))
store.execute("update run set env_class = 'f00df00df00df00d'")
store.executescript(os.environ["OLD"])
store.commit()
END
gives 0 layers --file one.layers --stored
says ", run $run, another machine: "
gives 0 layers --file one.layers --json --stored
says '"here": false'
says '"machine": "..*, environment ID '
gives 0 layers notify --stored
# A long name of a processor is folded.
tr -s '\n ' ' ' <out | grep -q ', another machine: ..*, environment ID ' || fail "no other machine in $(cat out)"
# One of its own goes before it.
gives 0 layers --file one.layers --budget 4s
cat out | grep -q 'another machine' && fail "another machine's result hides this one's"
# A row that the budget ended before its first launch did was not measured.
/usr/bin/python3 - "$store" <<'END' || exit 1
import json, os, sqlite3, sys
store = sqlite3.connect(sys.argv[1])
for number, text in store.execute("select number, json from summary").fetchall():
    row = json.loads(text)
    for estimate in row["estimate"], row["observed"]:
        estimate["value"] = estimate["low"] = estimate["high"] = None
    row["verdict"] = {"status": "noisy", "reasons": []}
    store.execute("update summary set json = ? where number = ?", (json.dumps(row), number))
store.executescript(os.environ["OLD"])
store.commit()
END
gives 0 layers --file one.layers --stored
says 'not measured on this machine, and no other result is stored: kbench run sys.null'

