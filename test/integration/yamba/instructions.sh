#!/bin/sh
# The instruction programs: latencies that are known for this processor, a chain that is folded away, rows that are none, the
# mhz method, and the ports under an emulator. With KB_ACCEPT=1 every known latency within 1 % beside a busy neighbour: that needs
# the CPU for itself and takes a minute or three.
# runs: alone, full; instruction latencies to 0.5 %, a minute and more
set -eu
. "$KB_SRC/test/support/check.sh"
class=yamba.instruction_x86_64

has() {
	"$KBENCH" list --names | grep -qx "$1"
}

if ! has "$class" || [ "$(uname -m)" != x86_64 ]; then
	echo "the programs of this platform are not built"
	exit 77
fi

field() {
	sed -n "s/^$1[[:space:]]*: //p" /proc/cpuinfo | head -n 1
}

# Of the file of known values what holds for this core: INSTRUCTION CYCLES; the few that need no knowledge where it is new.
awk -v vendor="$(field vendor_id)" -v family="$(field 'cpu family')" -v model="$(field model)" '
	$1 == "cpu" && $3 == vendor && $4 == family && model >= $5 + 0 && model <= $6 + 0 { core = $2 }
	core != "" && $1 == core && $2 == "latency" { print $3, $4 }' "$KB_SRC/bench/yamba/instruction_x86_64.known" >known
[ -s known ] || printf '%s\n' 'add 1' 'sub 1' 'xor 1' 'imul 3' >known

# measure CODES BENCHMARK WORD...: rows of the JSON in rows.
measure() {
	expected=$1
	shift
	code=0
	"$KBENCH" run --no-store --json "$@" >json 2>err || code=$?
	case " $expected " in
	*" $code "*) ;;
	*) fail "run $*: exit code $code: $(cat err)" ;;
	esac
	results json >rows
}

# off PERCENT: the known latencies among the rows that are missed by more, and what is invalid.
off() {
	awk -v limit="$1" -F '\t' '
	NR == FNR { split($0, word, " "); known[word[1]] = word[2]; next }
	{
		name = $1
		sub(/.*instruction=/, "", name)
		sub(/[ ,].*/, "", name)
		seen++
		cycles = $7 == "-" ? $8 : $7            # between two modes there is no typical one
		if ($2 != "ok" && $2 != "noisy")
			print name, $2, $10
		else if (cycles / known[name] - 1 > limit / 100 || 1 - cycles / known[name] > limit / 100)
			print name, cycles, "instead of", known[name]
	}
	END { if (!seen) print "no rows" }' known rows
}

# accept LIST PERCENT LAUNCHES WORD...: three tries, for others may use this CPU. A row that they spoilt (5) is a try, too.
accept() {
	list=$1 limit=$2 launches=$3
	shift 3
	for _ in 1 2 3; do
		measure '0 5' "$class" -p "instruction=$list" --processes "$launches" "$@"
		wrong=$(off "$limit")
		[ -n "$wrong" ] || return 0
	done
	fail "$wrong"
}

# Ten rows, both modes, with room for a busy machine: all are documented where they have a cost.
code=0
python3 -B "$KB_SRC/test/instructions.py" --build "$KB_BUILD" --short >short || code=$?
[ $code -eq 0 ] || [ $code -eq 77 ] || fail "documented values: $(cat short)"

if [ "${KB_ACCEPT:-0}" = 1 ]; then
	# Its own end if this script is killed.
	timeout 300 taskset -c 1 sh -c 'while :; do :; done' &
	neighbour=$!
	at_end='kill $neighbour'
	accept "$(cut -d ' ' -f 1 known | paste -s -d ,)" 1 5 --budget 80s --precision 0.5% --cpus 0
else
	accept "$(grep -E '^(add|imul|load|addsd) ' known | cut -d ' ' -f 1 | paste -s -d ,)" 10 1 --budget 10s --precision 100%
fi

# What a renamer takes away is no fast instruction, and what makes nothing has no latency.
measure 5 "$class" -p instruction=xor-zero,nop --processes 2 --budget 10s --precision 100%
grep -q "instruction=xor-zero.*	invalid	.*dead_code" rows || fail "xor-zero is $(grep xor-zero rows)"
grep -q "instruction=nop.*	skipped	.*need_unmet" rows || fail "nop is $(grep nop rows)"

# A body of copies that the reference cannot have is refused.
measure 5 "$class" -p instruction=add -p m=30 --processes 1
grep -q 'm is no multiple of 40' json || fail "m = 30 is measured: $(cat rows)"

# The mhz method comes to the clock of the core, or near it: it is fragile where others run.
measure 0 yamba.mhz_x86_64 --processes 2 --budget 10s --precision 100%
awk '/"name": "mhz"/ { ours = 1 } ours && /"median":/ { gsub(/[^0-9.]/, ""); mhz = $0 + 0; ours = 0 }
	/"core_clock"|"core_mhz"/ { clock = 1 } clock && /"value":/ { gsub(/[^0-9.]/, ""); core = $0 + 0; clock = 0 }
	END { exit !(mhz > 100 && (core == 0 || (mhz > core / 2 && mhz < core * 2))) }' json || fail "mhz: $(grep -A 4 mhz json)"

# The ports: the same blueprint, checked by the same C.
for port in aarch64:mul,fdiv riscv64:mul,fdiv.d; do
	[ -x "$KB_BUILD/kbench-collect-${port%%:*}" ] || continue
	command -v "qemu-${port%%:*}" "qemu-${port%%:*}-static" >emulator || [ -s emulator ] || continue
	measure 0 "yamba.instruction_${port%%:*}" --emulate -p "instruction=${port##*:}" -p m=40 --processes 1 --budget 5s
	[ "$(grep -c '	unverified	' rows)" -eq 2 ] || fail "${port%%:*}: $(cat rows)"
done
