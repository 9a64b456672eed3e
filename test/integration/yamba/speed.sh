#!/bin/sh
# How long it takes from a source to a composed function, and to build a program of 3200 fragments, as a table of instructions has them.
# Figures are printed; what is required has room for a busy machine.
# runs: slow, 10 s
set -eu
. "$KB_SRC/test/support/check.sh"

[ "$arch" = x86_64 ] || skip "the programs here are for x86-64"
needs as
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME

# seconds COMMAND...: how long it takes, in $taken.
seconds() {
	from=$(date +%s.%N)
	"$@" >out 2>err || fail "$*: $(printed)"
	taken=$(echo "$from $(date +%s.%N)" | awk '{ printf "%.2f", $2 - $1 }')
}

# The least of five: source, C, shared object, load, composition.
least=99
for _ in 1 2 3 4 5; do
	seconds "$KBENCH" yamba show "$KB_SRC/test/data/yamba/use/looked.yamba" 'touch_all(40)'
	least=$(echo "$least $taken" | awk '{ print $1 < $2 ? $1 : $2 }')
done
echo "from the source to a composed function: $least s"
echo "$least" | awk '{ exit !($1 < 3) }' || fail "it takes $least s"

awk 'BEGIN {
	print "yamba many {\n\timport(x86_64);"
	for (i = 0; i < 3200; i++)
		printf "\tbitstring f%d { asm { add rax, %d; imul rbx, rax } }\n", i, i
	for (group = 0; group < 50; group++) {
		printf "\tbitstring group%d(int k) {\n", group
		for (i = 64 * group; i < 64 * group + 64; i++)
			printf "\t\tif (k == %d) { f%d }\n", i, i
		print "\t}"
	}
	print "\tbitstring<void c_function(void)> one(int k) {"
	for (group = 0; group < 50; group++)
		printf "\t\tif (k / 64 == %d) { group%d(k) }\n", group, group
	print "\t\tasm { ret }\n\t}\n\tvoid benchmark(void) { one(3)(); }\n}"
}' >many.yamba
seconds "$KBENCH" yamba check many.yamba
checked=$taken
seconds "$KBENCH" yamba build many.yamba
echo "3200 fragments: checked in $checked s, built in $taken s"
# Observed: 2.4 s; 13 s before such fragments were data.
echo "$taken" | awk '{ exit !($1 < 30) }' || fail "building takes $taken s"
gives 0 yamba show many.yamba 'one(2500)'
grep -q 'add    rax,0x9c4' out || fail "another fragment: $(cat out)"
