# Three ways to one function of the kernel, fib_table_lookup() for an address of this host: the module that calls it, a BPF program
# under BPF_PROG_TEST_RUN whose helper calls it, and a trampoline on it while either runs. Each is calibrated by its own means;
# doc/kernel.md quotes what they say and explains what lies between them. A part of the job insn: where the clock counts
# instructions, the figures are exact, and so are the differences.
[ -x /bin/kbench ] || return 0
export XDG_DATA_HOME=/tmp/data XDG_CACHE_HOME=/tmp/cache
part "three ways to fib_table_lookup"

# said HOW: $value, with its interval, of what was measured HOW.
said() {
	echo "agree $1: ${value:-nothing} [${low:-?}, ${high:-?}] insn"
	[ -n "$value" ] || {
		complain "agree: $1 gave no number: $(tail -n 5 /tmp/out)"
		value=0
	}
}

# member NAME: the first of it behind the line that was found, without its decimals.
member() {
	sed -n "s/^ *\"$1\": \([0-9]*\)[0-9.]*,*\$/\1/p" /tmp/found | head -n 1
}

# row BENCH OPTION...: a row of kbench run.
row() {
	kbench run "$@" --defaults --processes 2 --budget 1s --precision 20% --json --no-store >/tmp/out 2>&1
	grep -A 3 '^      "estimate"' /tmp/out >/tmp/found
	value=$(member value) low=$(member low) high=$(member high)
	said "kbench run $1"
}

# traced HOW FUNCTION COMMAND...: what a trampoline says, the null taken off; medians.
traced() {
	how=$1
	function=$2
	shift 2
	kbench trace func "$function" --route fentry --processes 2 --json -- "$@" >/tmp/out 2>&1
	sed -n '/"net"/,/}/p' /tmp/out >/tmp/found
	value=$(member value) low=$(member low) high=$(member high)
	said "fentry of $function(), $how"
}

# lookups PART: the median of single ones.
lookups() {
	set_to fib_table part "$1" loop_count 1000
	run_of fib_table
	expect ok "fib_table part=$1"
}

# within LEAST MOST WHAT: of $value.
within() {
	[ "$value" -ge "$1" ] && [ "$value" -le "$2" ] || complain "agree: $3: $value, not $1 to $2"
}

row kernel.fib_lookup -p flow_dst_ipaddr=127.0.0.1
module=$value
row bpf.fib_lookup
program=$value
lookups frame
frame=$p50
lookups lookup
value=$((p50 - frame)) low=$((min - frame)) high=$((p95 - frame))
said "module, fib_table_lookup() and its call"
table=$value
traced "a module calls it" fib_table_lookup cat $kbench/fib_table/run
traced_table=$value
set_to fib_table part pinned
traced "a module without migration calls it" fib_table_lookup cat $kbench/fib_table/run
traced_pinned=$value
traced "a BPF program calls it" fib_table_lookup kbench run bpf.fib_lookup --defaults --processes 1 --budget 1s --no-store
inside_program=$value
traced "a BPF program calls it" bpf_skb_fib_lookup kbench run bpf.fib_lookup --defaults --processes 1 --budget 1s --no-store
helper=$value

# The same path in another network. A BPF program does not migrate, nor do those of the trampoline inside: their way between the
# stamps is shorter than around the null, by as much as in a module that does not migrate either.
value=$((inside_program - traced_pinned))
within -2 2 "fentry during TEST_RUN against fentry during the module without migration"
# The module's figure has the call and its arguments; the trampoline's lacks them, and restores four arguments where the null has one.
value=$((table - traced_table))
within -4 16 "module against fentry"
value=$((module - table))
within 20 80 "fib_lookup() around fib_table_lookup()"
value=$((program - helper - traced_table + traced_pinned))
within -8 16 "TEST_RUN against fentry of its helper"
value=$((helper - inside_program))
within 100 300 "the helper around fib_table_lookup()"
