#!/bin/sh
# Is the node that a spinner disturbs named, and no other? A real slurmctld with four slurmd on this machine, whose nodes measure one after the
# other; on one of them, each time another one, a busy loop runs on each CPU of the machine for as long as the node measures. Prints a line
# a fleet. The exit code is 1 if a disturbed node was not named, an undisturbed one was named in a disturbed fleet, or any in more than one of
# twenty healthy fleets, which is the false discovery rate. Nothing else may load the machine meanwhile.
# fleet_spinner.sh [--build DIR] [--directory DIR] [--disturbed N] [--healthy N] [--budget TIME]
# Default: 10 disturbed fleets and 20 healthy ones of 8s a node, some twenty minutes. With --directory the store stays there, and what was cut off
# goes on where it was.
set -u
KB_SRC=$(cd "$(dirname "$0")/.." && pwd)
disturbed=10 healthy=20 budget=8s
. "$KB_SRC/test/support/by_hand.sh"
read_options "disturbed healthy budget" "$@"
. "$KB_SRC/test/support/slurm.sh"
at_end='stop_slurm; rm -rf "$scratch"'
XDG_STATE_HOME=$scratch/state
export XDG_STATE_HOME
needs_slurm
needs jq flock
start_slurm "$scratch/slurm" 4 || exit 1
mkdir shared
store=${directory:-$scratch}/fleets.db

cpus=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' | awk -F- '{ for (i = $1; i <= (NF > 1 ? $2 : $1); i++) printf "%d ", i }')

# The kbench of the nodes, of which one measures at a time: they are one machine. Spinners end with it, whatever ends it.
cat >disturbed_kbench <<END
#!/bin/sh
exec 9>"$scratch/turn" && flock 9 || exit 1
if [ "\$SLURM_ARRAY_TASK_ID" = "\$(cat "$scratch/rank")" ]; then
	for cpu in $cpus; do
		setpriv --pdeathsig KILL taskset -c "\$cpu" sh -c 'while :; do :; done' 9>&- &
		spinners="\$spinners \$!"
	done
fi
"$KBENCH" "\$@"
code=\$?
[ -z "\$spinners" ] || kill \$spinners
exit \$code
END
chmod +x disturbed_kbench

# measure LABEL RANK: a fleet, RANK of which is disturbed; none: no.
measure() {
	echo "$2" >rank
	"$KBENCH" fleet run --via slurm --nodes 4 --time 10m --directory shared --store "$store" --kbench "$scratch/disturbed_kbench" --quiet \
		-- sys.null sys.stat ipc.pipe_latency cpu.op_latency -p op=imul --budget "$budget" --label "$1" >out 2>&1
	case $? in 0 | 5) ;; *) fail "fleet $1: $(cat out)" && return 1 ;; esac
}

# named LABEL: "RANK:KIND,KIND " of each node that is named.
named() {
	"$KBENCH" fleet report --label "$1" --store "$store" --json >report.json || fail "report of $1" || return
	"$KBENCH" runs --store "$store" --json | jq -r --arg wanted "$1" '.runs[] | select(.label == $wanted) | .settings.fleet | "\(.node) \(.rank)"' >ranks
	jq -r '.nodes[] | select(.deviates != []) | "\(.node) \(.deviates | join(","))"' report.json | while read -r node kinds; do
		printf '%s:%s ' "$(awk -v node="$node" '$1 == node { print $2; exit }' ranks)" "$kinds"
	done
}

# waits LABEL: what each node waited, in percent, by rank.
waits() {
	awk 'NR == FNR { rank[$1] = $2; next } { waited[rank[$1]] = $2 } END { for (i = 0; i < 4; i++) printf "%s%.1f", i ? " " : "", 100 * waited[i] }' \
		ranks - <<END
$(jq -r '.nodes[] | "\(.node) \(.waited_share)"' report.json)
END
}

found=0 others=0 wrong=0
for i in $(seq "$disturbed"); do
	label=disturbed-$i rank=$(((i - 1) % 4))
	"$KBENCH" show "$label" --store "$store" >out 2>&1 || measure "$label" $rank || exit 1
	names=$(named "$label")
	case " $names" in *" $rank:"*) found=$((found + 1)) ;; esac
	[ -z "$(printf '%s' "$names" | tr ' ' '\n' | grep -v "^$rank:")" ] || others=$((others + 1))
	echo "$label: rank $rank has a spinner; named: ${names:-none}; waited, % by rank: $(waits)"
done
for i in $(seq "$healthy"); do
	label=healthy-$i
	"$KBENCH" show "$label" --store "$store" >out 2>&1 || measure "$label" none || exit 1
	names=$(named "$label")
	[ -z "$names" ] || wrong=$((wrong + 1))
	echo "$label: named: ${names:-none}; waited, % by rank: $(waits)"
done
echo "$disturbed fleets with a disturbed node: it was named in $found, another one in $others; $healthy healthy fleets: a node was named in $wrong"
[ "$found" -eq "$disturbed" ] || fail "a disturbed node was not named"
[ "$others" -eq 0 ] || fail "a node that nothing disturbed was named in a disturbed fleet"
[ $((wrong * 20)) -le "$healthy" ] || fail "more healthy fleets have a named node than the false discovery rate allows"
[ ! -e "$failure" ]
