#!/bin/sh
# Makes the store of this directory and what a version of KBench printed of it:
#   make.sh BUILD QUIET DIRECTORY    measures; BUILD holds kbench, QUIET is a store that saw this machine's core idle
#   make.sh BUILD DIRECTORY          asks the store that is there again, after views.sh was changed
# DIRECTORY gets (or has) store.db.gz and expected.tar.gz. Those that are committed were made by 008dcc0 (`git describe --always`), the
# last version before the rooms of the house were changed. They are not to be made again by a later one, which would only prove that it
# agrees with itself; this script says how they came about.
#
# Measuring takes a minute and needs two CPUs, gcc, python3, sqlite3 and an emulator of aarch64 (qemu-user).
set -eu
[ $# -eq 3 ] || [ $# -eq 2 ] || {
	echo "usage: make.sh BUILD [QUIET] DIRECTORY" >&2
	exit 2
}
here=$(cd "$(dirname "$0")" && pwd -P)
source=$(cd "$here/../../.." && pwd -P)
build=$(cd "$1" && pwd -P)
quiet=
[ $# -eq 2 ] || {
	quiet=$(realpath "$2")
	shift
}
target=$(cd "$2" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
cd "$work"
PATH=$build:$PATH
LC_ALL=C.UTF-8
export PATH LC_ALL

# ask: what this version prints of the store.
ask() {
	gzip -dc "$target/store.db.gz" >store.db
	mkdir expected
	"$here/views.sh" "$build/kbench" store.db expected
	for again in expected/again-*; do
		diff "$again" "expected/show-${again#*again-}" >&2      # or the store does not say what its records do
		rm "$again"
	done
	sed -i '/^again-/d' expected/codes
	tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - expected | gzip -9n >"$target/expected.tar.gz"
}
[ -n "$quiet" ] || {
	ask
	exit 0
}

# kb CODE ARGUMENT...: kbench on the store; the exit code is one of CODE, which are separated by commas. What is measured may fail,
# for what else runs on the machine has its share in it; what is wanted here is that it is stored.
kb() {
	codes=$1
	shift
	code=0
	timeout 120 kbench "$@" --store store.db >out 2>err || code=$?
	case ,$codes, in
	*,$code,*) ;;
	*)
		echo "kbench $*: exit code $code: $(cat out err)" >&2
		exit 1
		;;
	esac
	printf '%s\n' "kbench $*: $code"
}
measure() {
	kb 0,5 run --precision 100% "$@"
}
plugin() {
	gcc -O2 -Wall -shared -fPIC -I"$source/include" "$source/test/integration/plugins/$1.c" -o "$1.so"
}

# The first run knows how fast the contention probe is on an idle core, from QUIET: without it no result tells an uncontended cost.
measure cpu.op_latency -p op=add --processes 2 --budget 2s --label two-processes
sqlite3 store.db "ATTACH '$quiet' AS quiet; DROP TABLE IF EXISTS main.floor;
	CREATE TABLE main.floor (run INTEGER PRIMARY KEY REFERENCES run (number) ON DELETE CASCADE, key TEXT NOT NULL, k REAL NOT NULL);
	INSERT INTO main.floor SELECT 1, key, k FROM quiet.floor ORDER BY run DESC LIMIT 1;"

# ---- imported: other machines, other targets, other programs, other versions --------------------------------

data=$source/test/data
cp "$data"/record-1/*.txt .
for name in fail kanata slope; do
	kb 0,5 import $name.txt --label record-1-$name
done
cp "$source/test/golden/record-1.txt" golden.txt
kb 0,5 import golden.txt --label golden-record-1
for name in fail kanata slope; do
	cp "$data/record-2/$name.txt" .
	kb 0,5 import $name.txt --label record-2-$name
done
cp "$data"/sel4/measured/*.txt .
kb 0,5 import riscv64-kanata-1.txt --label sel4-riscv64-1
kb 0,5 import riscv64-kanata-30.txt --label sel4-riscv64-30
kb 0,5 import riscv64-mcs-kanata-30.txt --label sel4-riscv64-mcs
kb 0,5 import riscv64-counted.txt --label sel4-counted
kb 0,5 import riscv64-single.txt --label sel4-riscv64-single
kb 0,5 import aarch64-kanata-30.txt --label sel4-aarch64
kb 0,5 import aarch64-points.txt --label sel4-points
kb 0,5 import x86_64-kanata-30.txt --label sel4-x86_64
kb 0,5 import circle-riscv64-*.txt --label sel4-circles

# Consoles of a model of seL4, and of a kernel module, with known answers.
python3 "$data/sel4/make.py" .
kb 0 import base-1.log base-2.log base-3.log --label base
kb 0 import slower-1.log slower-2.log slower-3.log --label slower
kb 0 import board-1.log board-2.log board-3.log --label board
kb 0 import mcs-1.log mcs-2.log mcs-3.log --label mcs
kb 5 import wrong-circle.log --label wrong-circle
head -n 100 x86_64.log >cut.log
kb 5 import cut.log --label cut-off
python3 "$here/consoles.py" .
kb 0,5 import kernel-1-1.log kernel-1-2.log kernel-1-3.log --label kernel-before
kb 0,5 import kernel-2-1.log kernel-2-2.log kernel-2-3.log --label kernel-after

# Tables of the KBench application, JSON of sel4bench and lines of its history.
for name in table_3_5 pic_4_1; do
	{
		printf 'Initial Test size: 30\nDelta: 1\nNumber of Tests / Sample size of Accumulated latency: 30\nNumber of Groups: 5\n'
		printf 'Accumulated latencies (clock cycles): \n'
		sed '1d; s/^[0-9]*,//; s/,/ /g' "$data/$name.csv"
		printf '\nDone!\n'
	} >$name.log
	kb 0 import $name.log --clock rdcycle --machine unleashed --label "$name" -p kernel=old
done
kb 0,5 import bench.log --clock tsc --machine here --label sel4bench
kb 0 import history.jsonl --machine unmatched

# ---- measured: the same rows again and again, under a label that tries what a label may hold ----------------

# Behind what is imported: history shows the environment of a row's newest run.

measure sys.null cpu.op_latency -p op=add --processes 7 --budget 5s --label uncontended
hostile="\"it's\" <b>&amp;</b> \$(x) \`y\` \\n %s; DROP TABLE run;-- é日本語"
for label in first second third "$hostile"; do
	measure sys.null sys.write_null cpu.op_latency -p op=add,imul --processes 3 --budget 5s --seed 7 --label "$label"
done
measure mem.latency -p size=16K,256K,4M -p order=local --processes 2 --budget 4s --label sizes
measure mem.latency -p size=16K,256K,4M -p order=local --processes 2 --budget 4s --label sizes-again
measure sys.write_null fs.unlink --method single --processes 1 --budget 3s --label single
measure sys.null --clock ns --processes 2 --budget 2s --label clock-ns
measure ipc.notify -p by=futex --method kanata --initial 10 --delta 10 --group-size 10 --groups 4 --processes 2 --budget 4s --label kanata
measure sys.null --method kanata --group-size 10 --groups 3 --precision 100% --processes 1 --budget 2s --label kanata-null
measure cpu.op_latency -p op=add --parallel 1,2 --processes 2 --budget 4s --label copies
measure cpu.op_latency mem.latency -p op=add -p size=16K -p order=local --interfere spin --processes 2 --budget 4s --label interference
measure ipc.pipe_latency thread.create_join --defaults --processes 2 --budget 3s --label partners
measure yamba.walk_x86_32 --processes 2 --budget 2s --label x86_32
measure yamba.walk_aarch64 --emulate --processes 1 --budget 3s --label emulated
for name in paired fails hostile decides crashes; do
	plugin $name
done
measure --plugin ./paired.so --processes 2 --budget 3s --label paired
measure --plugin ./paired.so --processes 2 --budget 3s --label paired-again
measure --plugin ./fails.so -p in=setup,before,op,check --processes 1 --budget 3s --label fails
measure --plugin ./hostile.so -p what=fail,skip,unproven,covariate,refute --processes 1 --budget 4s --label hostile-text
measure --plugin ./crashes.so --defaults --processes 1 --budget 2s --label crashes
kb 0,5 ab --a ./decides.so --b './decides.so SIDE=b' -p row=slow,same,skips,broken --budget 14s --label sides
kb 0,5 model copy --budget 12s --processes 1 --label model

python3 "$here/shrink.py" store.db
kb 0 maintain
sqlite3 store.db 'PRAGMA journal_mode=DELETE; VACUUM;' >/dev/null
rm -f store.db-wal store.db-shm
gzip -9nc store.db >"$target/store.db.gz"
ask
