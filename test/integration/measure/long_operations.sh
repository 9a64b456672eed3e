#!/bin/sh
# The long operation of doc/add-a-benchmark.md: it compiles without a warning as it stands there, and each of its samples is divided
# into the parts that it has, whose sum it is. Where another program measures the same without points, it takes about as long.
# runs: slow, 3 s
set -eu
. "$KB_SRC/test/support/check.sh"

build() {
	# shellcheck disable=SC2086 # $cc may be several words
	$cc -std=gnu11 -O2 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Werror -I"$KB_SRC/include" \
		-shared -fPIC "$1.c" -o "$1.so" || fail "the example gives warnings"
}

listings 'c long' add-a-benchmark.md >divided.c
grep -q 'kb_part(run)' divided.c || fail 'no example'
sed 's!kb_part(run)!(void)run!; s/\.parts = ROUNDS, //' divided.c >whole.c
build divided
build whole

cpu=$(first_cpu)

# The collector alone, as kbench runs it: a warm-up, then samples of one operation, then a block that is not probed and one of two.
collect() {
	printf 'warm 0 probe=300 o1\nblock 1 probe=300 o1 p o1 c\nblock 2 o1\nblock 3 probe=300 o2\n' |
		"$KB_COLLECT" --plugin "$PWD/$1.so" --bench "plugin.$1" --method single --cpu "$cpu" --peer-cpu "$cpu" --scratch "$PWD" \
			--process 2 --seed 1 >"$1.record" || fail "the collector fails: $(tail -n 2 "$1.record")"
	tail -n 1 "$1.record" | grep -q '^end o=5 ' || fail "not five samples: $(tail -n 1 "$1.record")"
}

collect divided
collect whole
! grep -q ' parts=' whole.record || fail "a benchmark without points has parts"
grep '^o 1 .* k=[01] ' divided.record >samples
[ "$(wc -l <samples)" -eq 3 ] || fail "not three divided samples"
! grep -v ' parts=' samples || fail "a sample has no parts"
! grep -E '^o (1 .* k=2 |2 )' divided.record | grep ' parts=' || fail "what is not probed, or is two operations, has parts"

# 80 parts, a probe behind all but the last, whose sum is the sample.
awk '{
	value = $0
	sub(/.* parts=/, "", value)
	sub(/ .*/, "", value)
	count = split(value, parts, ",")
	sum = 0
	for (i = 1; i <= count; i++) {
		fields = split(parts[i], of, ":")
		sum += of[1]
		if (fields != (i < count ? 2 : 1) || of[1] <= 0 || (i < count && of[2] <= 0))
			bad = "part " i ": " parts[i]
	}
	if (count != 80 || sum != $3 || bad) {
		print count " parts, " sum " of " $3 " ticks " bad
		exit 1
	}
}' samples >out || fail "$(cat out)"

# Neighbours may make one of the two three times as long; a sample that held its 79 probes of 300 loops would not show here, but its sum.
least() {
	grep '^o 1 ' "$1.record" | cut -d ' ' -f 3 | sort -n | head -n 1
}
if [ "$(least divided)" -gt $(($(least whole) * 3)) ] || [ "$(least whole)" -gt $(($(least divided) * 3)) ]; then
	fail "divided it takes $(least divided) ticks, whole $(least whole)"
fi

# Through kbench: the result says what its headline is, and what was taken.
code=0
"$KBENCH" run --no-store --json --plugin "$PWD/divided.so" --budget 3s >result.json 2>err || code=$?
[ $code -eq 0 ] || [ $code -eq 5 ] || fail "kbench run: exit code $code: $(cat err)"
tr -d ' \n' <result.json >flat
case $(cat flat) in
*'"headline":"uncontended","uncontended_by":"parts"'*) ;;
*'"headline":"observed","uncontended_by":null'*) ;;
*) fail "neither uncontended by parts nor observed: $(head -c 600 result.json)" ;;
esac
! grep -q '"long_operation"' flat || fail "divided, and called too long"
