#!/bin/sh
# Instruction counts: the CPU's clock advances by one with each instruction, so an operation has one length, not a
# distribution. Prints `insn NAME PARAMETERS MIN P50 [heap]`, the framework's own lengths first, and where kbench is there, what three ways
# to one function say (agree.sh) and the units of all that is printed (units.sh).
. /test/common.sh
load_all

# count BENCH PARAMETER VALUE...
count() {
	bench=$1
	shift
	words=
	[ -d "$kbench/$bench" ] || return
	set_to "$bench" warmup 100 loop_count 500
	set_to "$bench" "$@"
	while [ $# -gt 1 ]; do
		words="$words,$1=$2"
		shift 2
	done
	run_of "$bench"
	[ "$said" = ok ] || {
		complain "$bench$words: $said"
		return
	}
	words=${words#,}
	echo "insn $bench ${words:--} $min $p50${kind:+ $kind}"
}

heap() {
	kind=heap
	count "$@"
	kind=
}

kind=
. /test/insn_list.sh
. /test/agree.sh
. /test/units.sh
unload_all
finish
