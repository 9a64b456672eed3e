#!/bin/sh
# doc/kernel.md as far as it needs no kernel with modules: its listings are descriptions that kbench understands, its graph is one
# that base/order_statistics prints, its parameters and errors are those of the sources. Its commands are executed in a kernel by
# test/guest/own.sh.
set -eu
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/kernel_doc.sh"

# ---- a benchmark of one's own -------------------------------------------------------------------------------

# Headers that claim to be this kernel's, and make no module but names.
mkdir -p headers/include/config headers/include/generated bin
echo "#define UTS_RELEASE \"$(uname -r)\"" >headers/include/generated/utsrelease.h
echo CONFIG_MODULES=y >headers/include/config/auto.conf
cat >headers/Makefile <<'END'
modules:
	touch $(M)/kbench.ko $(patsubst $(M)/bench/%.c,$(M)/kbench_%.ko,$(wildcard $(M)/bench/*.c))
END
export XDG_CACHE_HOME="$PWD/cache"
write_listings work
for name in siphash parts; do
	[ -s work/$name.c ] || fail "no listing $name.c"
done
host_commands >commands
[ "$(wc -l <commands)" -eq 2 ] || fail "not two commands that build: $(cat commands)"
ln -s "$KBENCH" bin/kbench
PATH="$PWD/bin:$PATH" CC=$cc
export CC
sed "s|\$| --headers ../headers|" commands >with-headers
(cd work && timeout 120 sh -eu ../with-headers) >out 2>err || fail "build: $(cat out err)"
[ ! -s err ] || fail "build: $(cat err)"
made=cache/kbench/kernel/$(uname -r)
[ -e "$made/kbench_siphash.ko" ] && [ -e "$made/kbench_parts.ko" ] || fail "built: $(ls "$made")"

# What the listing says of itself is what kbench knows.
kbench list --verbose kernel.siphash >out
grep -q '^kernel.siphash  *hash  *siphash of so many bytes' out && grep -q '^    bytes=16,1024 .*(number: 1\.\.4096)' out || fail "list: $(cat out)"
kbench list kernel.parts | grep -q '^kernel.parts ' || fail "kernel.parts is not listed"
refuses 2 'outside 1\.\.4096' run kernel.siphash -p bytes=4097 --no-store
refuses 2 'did you mean siphash' kernel load siphas

cp work/siphash.c work/null.c
cp work/siphash.c work/Wrong-name.c
refuses 2 'a kernel.null of its own' kernel build --headers headers --bench work/null.c
refuses 2 'X of X.c' kernel build --headers headers --bench work/Wrong-name.c
refuses 2 'No such file' kernel build --headers headers --bench work/nothing.c
refuses 2 'goes with build' kernel load --bench work/siphash.c
# Others could exchange there what make runs.
mkdir open
chmod 777 open
refuses 2 'everybody can write .*/open: if no one else did, chmod o-w it; or choose a place with -o DIR' kernel build --headers headers -o open/modules
[ -z "$(ls open)" ] || fail "something is left in open: $(ls open)"
# A file without the macros: the build fails with their names, and what was there stays.
echo 'int x;' >work/empty.c
gives 5 kernel build --headers headers --bench work/empty.c
says KB_KERNEL_ABOUT
[ -e "$made/kbench_siphash.bench" ] || fail "a file without macros takes away what was there"
# A build without them takes them away again.
kbench kernel build --headers headers >out
! kbench list kernel | grep -q siphash || fail "kernel.siphash is still listed"

# ---- the line and the graph ---------------------------------------------------------------------------------

listings text kernel.md | grep -v '^min=' >graph
listings text kernel.md | grep '^min=' | head -n 1 >line
[ "$(wc -l <graph)" -gt 2 ] && [ "$(wc -l <line)" -eq 1 ] || fail "no line and graph"
cat >again.c <<'END'
/* Values that the printed counts stand for give the printed graph: those of the last row at the 95th percentile, the rest at the
   maximum. */
#include "base/order_statistics.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	static char page[8192];
	struct kb_text text = kb_text_in(page, sizeof page);
	struct kb_order_statistics order = { 0 };
	unsigned long long max, count, p95, value, here;
	size_t used = 0;

	if (argc != 4)
		return 2;
	max = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10), p95 = strtoull(argv[3], NULL, 10);
	uint64_t *values = malloc(count * sizeof *values);
	while (values && scanf("%llu %llu", &value, &here) == 2) {
		for (; here > 0 && used < count; here--)
			values[used++] = value;
	}
	for (size_t i = used; i > 0 && values[i - 1] == value; i--)
		values[i - 1] = p95;
	while (used < count)
		values[used++] = max;
	kb_order_compute(values, count, &order);
	kb_order_graph(&text, values, count, &order);
	fputs(page, stdout);
	free(values);
	return 0;
}
END
# shellcheck disable=SC2086 # $cc may be several words
$cc -O1 -std=gnu11 -I"$KB_SRC/include" -I"$KB_SRC/src" -I"$KB_SRC/src/os/linux" again.c "$KB_SRC"/src/base/order_statistics.c "$KB_SRC"/src/base/text.c \
	"$KB_SRC"/src/base/units.c "$KB_SRC"/src/base/span.c -o again || fail "base/order_statistics does not compile alone"
field() {
	tr ' ' '\n' <line | sed -n "s/^$1=//p"
}
grep -Eqx 'min=[0-9]+ max=[0-9]+ count=[0-9]+ 95th=[0-9]+ 90th=[0-9]+ 50th=[0-9]+ mad=[0-9]+' line || fail "the line is $(cat line)"
sed 1d graph | sed 's/[│▒░]/ /g' | ./again "$(field max)" "$(field count)" "$(field 95th)" >again.graph
diff graph again.graph || fail "base/order_statistics prints another graph"

# ---- the tables ----------------------------------------------------------------------------------------------

# parameter NAME DEFAULT: as the framework declares it.
awk -F '|' '/^\| parameter/ { inside = 1 } inside && /^\| `/ { gsub(/[` ]/, "", $2); gsub(/ /, "", $3); print $2, $3 } /^$/ { inside = 0 }' \
	"$KB_SRC/doc/kernel.md" >parameters
[ "$(wc -l <parameters)" -eq "$(grep -c '^	{ "[a-z_]*", .* KB_NUMBER, ' "$KB_SRC/kmod/framework/registry.c")" ] || fail "parameters: $(cat parameters)"
while read -r name default; do
	grep -q "{ \"$name\", .*, KB_NUMBER, \"$default\"," "$KB_SRC/kmod/framework/registry.c" || fail "$name is not $default by default"
done <parameters

awk '/^\| errno/ { inside = 1 } inside && /^\| `/ { print } /^$/ { inside = 0 }' "$KB_SRC/doc/kernel.md" | cut -d '|' -f 2 | grep -o 'E[A-Z0-9]*' >errors
[ "$(wc -l <errors)" -ge 12 ] || fail "errors: $(cat errors)"
while read -r name; do
	grep -rq "\b$name\b" "$KB_SRC/kmod" "$KB_SRC/src/measure/params.c" || fail "nothing returns $name"
done <errors
