#!/bin/sh
# Latencies that are known: counted in dependent adds, beside which they are measured, they are whole numbers. An empty
# operation costs nothing. Three attempts, because neighbours on the machine come and go; if all rows that are not right
# say themselves that they were disturbed, nothing can be told here. A number that is right although they came is right.
# Near its highest clock a Zen 5 core clocks by what it executes: on a quiet guest this test printed 2.91 adds for imul and 4.05 for the
# load, three times (test/loops/moves.py shows the clock). On such cores a latency is right within a twentieth, elsewhere within a hundredth.
# runs: alone, full; it judges latencies to a hundredth or a twentieth, with further tries on a busy machine
set -u
. "$KB_SRC/test/support/check.sh"
attempts=3

# Expected cycles: Agner Fog, Instruction tables, for Zen 1 to 5 and Intel since Nehalem; the load with a plain address.
# Elsewhere only xor is known, and the others are whole numbers.
vendor=$(sed -n 's/^vendor_id[ \t]*: //p' /proc/cpuinfo | head -n 1)
family=$(sed -n 's/^cpu family[ \t]*: //p' /proc/cpuinfo | head -n 1)
model=$(sed -n 's/^model[ \t]*: //p' /proc/cpuinfo | head -n 1)
case $vendor in
AuthenticAMD | HygonGenuine) [ "$family" -ge 23 ] && known='imul=3 load=4' || known= ;;
GenuineIntel) [ "$family" -eq 6 ] && [ "$model" -ge 26 ] && known='imul=3 load=4,5' || known= ;;
*) known= ;;
esac
case $vendor in
AuthenticAMD) [ "$family" -ge 26 ] && within=0.05 || within=0.01 ;;
*) within=0.01 ;;
esac
echo "CPU ${vendor:-unknown} family ${family:-?}: add=1 xor=1 ${known:-imul and load whole}"

# Prints what was seen; "again ROW" or "disturbed ROW" for what is not right.
judge() {
	awk -F '\t' -v within=$within -v known="add=1 xor=1 $known" '
	function off(x, y) { return x > y ? x / y - 1 : y / x - 1 }

	function right(op, cycles,    list, n, i)
	{
		if (!(op in expected))
			return cycles > 0.5 && off(cycles, int(cycles + 0.5)) < within
		n = split(expected[op], list, ",")
		for (i = 1; i <= n; i++)
			if (cycles > 0 && off(cycles, list[i]) < within)
				return 1
		return 0
	}

	# Far below a cycle of any core. An undisturbed row says of itself that its interval has 0 in it.
	function nothing(status, low, high)
	{
		return status == "ok" ? low != "-" : status == "noisy" && low != "-" && low > -0.1 && high < 0.1
	}

	BEGIN {
		n = split(known, pairs, " ")
		for (i = 1; i <= n; i++) {
			split(pairs[i], pair, "=")
			expected[pair[1]] = pair[2]
		}
	}

	{
		op = $1
		sub(/^cpu.op_latency op=/, "", op)
		zero = $1 == "self.empty"
		good = zero ? nothing($2, $4, $5) : right(op, $7)
		# Neighbours excuse a noisy row, and not what is the fault of the method itself.
		good = good && ($2 == "ok" || ($2 == "noisy" && $12 !~ /clock_|ladder_|nonlinear|base_|below_/))
		seen = zero ? $3 " (" $4 ".." $5 ") ns" : $7 " (observed " $8 ") cycles"
		printf "%-24s %s  %s  %s\n", $1, seen, $2, good ? "right" : $10
		if (!good)
			print ($2 == "noisy" ? "disturbed " : "again ") $1
	}' rows
}

disturbed=
# What is still to be shown: names of kbench run, and their parameters.
open='add xor imul load empty'
for attempt in $(seq $attempts); do
	ops=$(echo "$open" | sed 's/ *empty//; s/ /,/g')
	echo "attempt $attempt: $open"
	code=0
	case $open in
	*empty*) empty=self.empty ;;
	*) empty= ;;
	esac
	# shellcheck disable=SC2086 # words
	"$KBENCH" run ${ops:+cpu.op_latency -p "op=$ops"} $empty --budget 15s --json --no-store >json || code=$?
	results json >rows
	[ -s rows ] || fail "no rows, exit code $code"
	judge >seen
	grep -v -E '^(again|disturbed) ' seen
	open=$(sed -n 's/^again //p; s/^disturbed //p' seen | sed 's/.*op=//; s/self.empty/empty/' | tr '\n' ' ' | sed 's/ $//')
	[ -n "$open" ] || exit 0
	# A neighbour on the core that never rests slows loads by less than a verdict notices.
	! grep -q contention_not_excluded rows || disturbed=yes
	grep '^again ' seen | sort >"again.$attempt"
	# Wrong is what is so each time, with nothing to excuse it.
	[ "$attempt" -eq 1 ] && cp again.1 always || { comm -12 always "again.$attempt" >both && mv both always; }
done
[ ! -s always ] || [ "$disturbed" ] || fail "wrong: $(cat always)"
echo "too disturbed in $attempts attempts: $open"
exit 77
