# Each benchmark through /dev/kbench: a launch with a plan gives one whole record, whose counts are those of the plan.
part "launches"
mkdir /tmp/records /tmp/ours
for bench in $(benches); do
	[ "$bench" != lie ] || continue
	record=/tmp/records/$bench
	talk "bench $bench" 'process method=kanata confidence=0.9 probe=200 pilot=412.5 seed=7 process=3' 'warm 0 o2' 'block 1 probe=200 o8 c p o4 q' 'group 2 w1 t3 o2' 'samples 5' end
	[ "$said" = ok ] || complain "$bench: $said at '$at': $(grep '^fail' "$record")"
done
record=/tmp/record
# One process for all. One, two and four intervals of the operation; one single operation, and five a thread. The lines that the sum
# is of (doc/record.md: all of ours but the last) go to a file of their own. A sample of the block lies between two contention probes.
awk '
function told() {
	if (right != 3)
		print bench ": the header is not what was asked for"
	if (seen["o"] != 7 || seen["q"] < 6 || seen["c"] < 1 || seen["p"] != 2)
		print bench ": " seen["o"] + 0 " o, " seen["q"] + 0 " q, " seen["c"] + 0 " c, " seen["p"] + 0 " p lines"
	print sum " " bench >"/tmp/sums"
	close("/tmp/ours/" bench)
}
FNR == 1 {
	if (bench != "")
		told()
	bench = FILENAME
	sub(/.*\//, "", bench)
	split("", seen)
	right = 0
	sum = "none"
}
{ seen[$1]++ }
/^[ocq] .* k=1 / && !/ p=[1-9][0-9]*,[1-9]/ { print bench ": no contention probes: " $0 }
/^bench / { right += $2 == "kernel." bench }
/^method / { right += /^method kanata confidence=0.9 probe=200 pilot=412.5 seed=7 process=3$/ }
/^clock / { right += /^clock tsc hz=0 quantum=[0-9]+ cost=[0-9]+ ordered=1/ }
/^fault / { print bench ": " $0 }
# An end line is the last, or what is behind it is ours as well, and the sum another one.
/^end / { sum = $0; sub(/.* crc=/, "", sum); next }
/^(kbench-record|bench|per|bound|method|param|clock|env|expect|note|module|fault|o|b|q|c|p|e|eb|k) / { print >"/tmp/ours/" bench; next }
{ print bench ": a foreign line: " $0 }
END { told() }' /tmp/records/* >/tmp/wrong
[ ! -s /tmp/wrong ] || complain "$(head -n 5 /tmp/wrong)"
(cd /tmp/ours && crc32 *) >/tmp/counted
cmp /tmp/sums /tmp/counted || complain "records whose sums are others: $(diff /tmp/sums /tmp/counted | head -n 5)"
[ "$(wc -l </tmp/sums)" -eq "$(benches | grep -vc '^lie$')" ] || complain "$(wc -l </tmp/sums) records are whole"
rm -r /tmp/records /tmp/ours
