#!/bin/sh
# Can "slower" be believed on this machine? Two tables, printed: identical sides of real benchmarks beside one busy
# neighbour (how often are they told apart?), and a side that has 2 % more instructions (how often is that found?).
# Ends and goes on where it was: every comparison is a line of the state file.
set -u

usage() {
	cat <<'END'
usage: test/aa.sh [--aa N] [--slower N] [--budget TIME] [--state FILE] [--quiet-machine]

  --aa N           comparisons of identical sides (default 200)
  --slower N       comparisons with a true slowdown of 2 % (default 100)
  --budget TIME    of one comparison (default 8s; the promise is made for 60s)
  --state FILE     where results are kept (default aa-state.txt in the current folder)
  --quiet-machine  no busy neighbour
  KBENCH           the program (default build/kbench of this source folder)
END
}

source=$(cd "$(dirname "$0")/.." && pwd)
kbench=${KBENCH:-$source/build/kbench}
aa=200 slower=100 budget=8s state=aa-state.txt neighbour=yes
while [ $# -gt 0 ]; do
	case $1 in
	--aa) aa=$2; shift ;;
	--slower) slower=$2; shift ;;
	--budget) budget=$2; shift ;;
	--state) state=$2; shift ;;
	--quiet-machine) neighbour= ;;
	--help | -h) usage; exit 0 ;;
	*) usage >&2; exit 2 ;;
	esac
	shift
done

work=$(mktemp -d) || exit 2
busy=
trap '[ -z "$busy" ] || kill $busy 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
"${CC:-cc}" -O2 -shared -fPIC -I"$source/include" "$source/test/integration/plugins/adds.c" -o "$work/adds.so" || exit 2
touch "$state" || exit 2
if [ -n "$neighbour" ]; then
	sh -c 'while :; do :; done' &
	busy=$!
fi

# Of many kinds: instructions, clock readings, system calls, faults, memory, other processes.
rows="cpu.op_latency:op=add cpu.op_latency:op=imul cpu.op_latency:op=load clock.read sys.null sys.write_null sig.self
mem.latency:size=16K mem.latency:size=1M fault.anon ipc.pipe_latency:placement=same-cpu proc.fork_exit"

# one KIND NAME ARGUMENT...: a comparison, as a line "kind name decision ratio low high margin launches seconds".
one() {
	kind=$1 name=$2
	shift 2
	start=$(date +%s)
	"$kbench" ab "$@" --budget "$budget" --no-store --json >"$work/json" 2>"$work/err"
	code=$?
	if [ $code -ne 0 ]; then
		echo "kbench ab $*: exit code $code: $(head -n 1 "$work/err")" >&2
		exit 2
	fi
	# Several rows (a sweep) are several comparisons.
	awk -v kind="$kind" -v name="$name" -v seconds=$(($(date +%s) - start)) '
		/"ratio": \{/ { ratio = 1 }
		ratio && /"value":/ { value = $2 }
		ratio && /"low":/ { low = $2 }
		ratio && /"high":/ { high = $2 }
		ratio && /\}/ { ratio = 0 }
		/"decision":/ { decision = $2 }
		/"processes": [0-9]+,?$/ && decision != "" && !launches { launches = $2 }
		/"margin":/ { margin = $2 }
		/"reasons":/ {
			line = kind " " name " " decision " " value " " low " " high " " margin " " launches " " seconds
			gsub(/[",]/, "", line)
			print line
			decision = launches = ""
		}' "$work/json" >>"$state"
}

done_of() {
	grep -c "^$1 " "$state" || true
}

while [ "$(done_of aa)" -lt "$aa" ]; do
	for row in $rows; do
		[ "$(done_of aa)" -lt "$aa" ] || break
		bench=${row%%:*}
		params=${row#"$bench"}
		one aa "$row" --b KBENCH_AA=1 "$bench" ${params:+-p "${params#:}"}
	done
done
while [ "$(done_of slower)" -lt "$slower" ]; do
	one slower 1000:1020 --a "ADDS=1000 $work/adds.so" --b ADDS=1020
done

# ---- tables -------------------------------------------------------------------------------------------

awk -v wanted=aa '
	$1 == wanted {
		if (!($2 in seen))
			names[++count] = $2
		seen[$2]++
		decided[$2, $3]++
		all[$3]++
		total++
		margin[$2] += $7
		time[$2] += $9
	}
	function cells(name) {
		return decided[name, "faster"] + 0 " | " decided[name, "slower"] + 0 " | " decided[name, "equivalent"] + 0 " | " \
			decided[name, "inconclusive"] + 0
	}
	END {
		print "| identical sides | comparisons | faster | slower | equivalent | inconclusive | mean margin | mean seconds |"
		print "|---|---|---|---|---|---|---|---|"
		for (i = 1; i <= count; i++)
			printf "| %s | %d | %s | %.2f %% | %.1f |\n", names[i], seen[names[i]], cells(names[i]),
				100 * margin[names[i]] / seen[names[i]], time[names[i]] / seen[names[i]]
		printf "| all | %d | %d | %d | %d | %d | | |\n", total, all["faster"], all["slower"], all["equivalent"], all["inconclusive"]
		wrong = all["faster"] + all["slower"]
		printf "\n%d of %d told apart: %.2f %% (wanted: at most 1 %%)\n\n", wrong, total, total ? 100 * wrong / total : 0
	}' "$state"
awk -v wanted=slower '
	$1 == wanted {
		total++
		all[$3]++
		half = ($6 - $5) / 2
		sum += half
		ratio += $4
		if (half > widest)
			widest = half
		if ($9 > longest)
			longest = $9
		launches += $8
	}
	END {
		print "| 2 % more instructions | comparisons | slower | equivalent | inconclusive | faster | mean ratio | mean half-width | " \
			"widest | launches | longest |"
		print "|---|---|---|---|---|---|---|---|---|---|---|"
		n = total ? total : 1
		printf "| 1000 against 1020 adds | %d | %d | %d | %d | %d | %.4f | %.3f %% | %.3f %% | %.1f | %d s |\n", total,
			all["slower"], all["equivalent"], all["inconclusive"], all["faster"], ratio / n, 100 * sum / n, 100 * widest,
			launches / n, longest
		printf "\n%d of %d found (wanted: at least 95 of 100)\n", all["slower"], total
	}' "$state"
