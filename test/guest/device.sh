# Each benchmark through /dev/kbench: a launch with a plan gives one whole record, whose counts are those of the plan.
part "launches"
for bench in $(benches); do
	[ "$bench" != lie ] || continue
	talk "bench $bench" 'launch method=slope seed=7 launch=3' 'warm 0 o2' 'block 1 o8 c s o4 q' 'group 2 w1 t3 o2' 'samples 5' end
	[ "$said" = ok ] || complain "$bench: $said at '$at': $(grep '^fail' /tmp/record)"
	crc_good || complain "$bench: no whole record: $(tail -n 1 /tmp/record), crc $sum"
	# One, two and four intervals of the operation; one single operation, and five a thread.
	awk -v bench="kernel.$bench" '
	{ seen[$1]++ }
	/^bench / { right += $2 == bench }
	/^method / { right += /^method slope seed=7 launch=3/ }
	/^clock / { right += /^clock tsc hz=[1-9][0-9]+ quantum=[0-9]+ cost=[0-9]+ ordered=1/ }
	!/^(kbench-record|bench|per|bound|method|param|clock|env|expect|note|module|o|b|q|c|s|e|eb|k|end) / { print "a foreign line: " $0 }
	END {
		if (right != 3)
			print "the header is not what was asked for"
		if (seen["o"] != 7 || seen["q"] < 6 || seen["c"] < 1 || seen["s"] < 1)
			print seen["o"] + 0 " o, " seen["q"] + 0 " q, " seen["c"] + 0 " c, " seen["s"] + 0 " s lines"
	}' /tmp/record >/tmp/wrong
	[ ! -s /tmp/wrong ] || complain "$bench: $(head -n 3 /tmp/wrong)"
done
