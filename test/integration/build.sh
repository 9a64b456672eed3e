#!/bin/sh
# The build of a tiny tree with our configure and Makefile: what is added is built and what is removed is gone without
# an edit, nothing is built twice, a benchmark sees kbench.h only, and check-cross names the symbol that is missing.
set -eu
tree=$TMPDIR/tree
mkdir -p "$tree/src/arch" "$tree/src/cli" "$tree/src/collect/linux" "$tree/bench/a" "$tree/doc"
cd "$tree"
cp -R "$KB_SRC/tools" "$KB_SRC/configure" "$KB_SRC/Makefile" "$KB_SRC/VERSION" "$KB_SRC/include" .
cp -R "$KB_SRC/src/os" "$KB_SRC/src/rooms.txt" src/
arch=$(sed -n 's/^ARCH = //p' "$KB_BUILD/config.mk")
for target in x86_64 aarch64 riscv64; do
	mkdir -p "src/arch/$target"
done

die() {
	echo "build: $1"
	exit 1
}

build() {
	make -C "$tree/out" -j2 "$@" >"$tree/log" 2>&1
}

# ---- a tree of six files ------------------------------------------------------------------------------

cat >src/cli/main.c <<'END'
#include <stdio.h>
#include "kbench.h"
extern const struct kb_bench *const kb_benches[];
int kb_common(void);
int kb_own(void);
int main(void)
{
	printf("%d %d", kb_common(), kb_own());
	for (const struct kb_bench *const *bench = kb_benches; *bench; bench++)
		printf(" %s", (*bench)->name);
	printf("\n%s\n", KB_VERSION);
	return 0;
}
END
printf 'int main(void)\n{\n\treturn 0;\n}\n' >src/collect/linux/main.c
# Two members of one name in one library.
printf 'int kb_common(void);\nint kb_common(void)\n{\n\treturn 1;\n}\n' >src/arch/chain.c
printf 'int kb_own(void);\nint kb_own(void)\n{\n\treturn 2;\n}\n' >"src/arch/$arch/chain.c"
# The linux folder wants the rest of the code.
rm -f src/os/linux/*.c src/os/none/*.c
printf '#include "kbench.h"\nKB_BENCHMARK(.per = "call");\n' | tee bench/a/two.c >bench/a/one.c
touch doc/kbench.1 doc/kbench.bash

mkdir out
(cd out && ../configure --quiet --prefix=/opt/k) || die "configure fails"
build all || die "$(cat log)"
[ "$(out/kbench | head -n 1)" = "1 2 a.one a.two" ] || die "kbench says $(out/kbench)"
[ "$(out/kbench | tail -n 1)" = "$(cat VERSION)" ] || die "kbench says $(out/kbench)"
make -q -C out all || die "a second make has something to do"

# ---- added, removed, changed --------------------------------------------------------------------------

mkdir bench/b
cp bench/a/one.c bench/b/three.c
rm bench/a/two.c
build all || die "$(cat log)"
[ "$(out/kbench | head -n 1)" = "1 2 a.one b.three" ] || die "kbench says $(out/kbench)"
! grep -q 'obj/bench/a/one.o' log || die "a new benchmark builds the others again: $(cat log)"

echo 9.9.9 >VERSION
build all || die "$(cat log)"
out/kbench | grep -q '^9.9.9$' || die "the version stays: $(out/kbench)"
! grep -q 'CC.*chain' log || die "a new version builds everything again: $(cat log)"

printf '#include "os/linux/types.h"\n' >>bench/b/three.c
if build all; then
	die "a benchmark may include what is in src"
fi
rm -r bench/b
build all || die "$(cat log)"

# ---- in the source folder, install, clean -------------------------------------------------------------

mv out other
make >log 2>&1 || die "$(cat log)"
[ "$(build/kbench | head -n 1)" = "1 2 a.one" ] || die "build/kbench says $(build/kbench)"
# Where kbench looks for them. They are not translated: src/yamba is not here.
for file in model/a.model yamba/lib/b.yamba bench/yamba/c.yamba yamba/editor/d.json sel4/build; do
	mkdir -p "${file%/*}"
	touch "$file"
done
make install TRANSLATES= DESTDIR="$tree/root" >log 2>&1 || die "$(cat log)"
for file in bin/kbench libexec/kbench/kbench-collect include/kbench.h share/man/man1/kbench.1 \
	share/bash-completion/completions/kbench share/kbench/model/a.model share/kbench/yamba/lib/b.yamba \
	share/kbench/yamba/bench/c.yamba share/kbench/yamba/editor/d.json share/kbench/sel4/build; do
	[ -f "root/usr/local/$file" ] || die "install leaves out $file"
done
rm -r bench/yamba sel4
make clean >log 2>&1 || die "$(cat log)"
[ "$(ls build)" = "$(printf 'Makefile\nconfig.mk')" ] || die "clean leaves $(ls build)"

# ---- the core without a library -----------------------------------------------------------------------

printf 'int kb_none(void);\nint strange(void);\nint kb_none(void)\n{\n\treturn strange();\n}\n' >src/os/none/output.c
if make "check-cross-$arch" >log 2>&1; then
	die "check-cross does not see a missing symbol"
fi
grep -q 'undefined symbol strange, used by src-os-none-output.c' log || die "check-cross says $(cat log)"
printf '#include <stdio.h>\n' >src/os/none/output.c
if make "check-cross-$arch" >log 2>&1; then
	die "check-cross lets the core include stdio.h"
fi
printf 'double kb_none(double);\ndouble kb_none(double x)\n{\n\treturn x * x;\n}\n' >src/os/none/output.c
if make "check-cross-$arch" >log 2>&1; then
	die "check-cross lets the core use floating point"
fi
rm src/os/none/output.c
make "check-cross-$arch" >log 2>&1 || die "$(cat log)"

# ---- configure ----------------------------------------------------------------------------------------

for wrong in --nonsense --prefix=relative --cc=no-such-compiler --prefix; do
	code=0
	./configure $wrong >log 2>&1 || code=$?
	[ $code -eq 2 ] && [ "$(wc -l <log)" -eq 1 ] || die "configure $wrong: exit $code, $(cat log)"
done

# A compiler for which a library is not there.
for library in jansson cmocka; do
	printf '#!/bin/sh\ncase "$*" in\n*-l%s*) exit 1 ;;\nesac\nexec gcc "$@"\n' $library >without-$library
	chmod +x without-$library
done
mkdir less
cd less
code=0
../configure --cc="$tree/without-jansson" >log 2>&1 || code=$?
[ $code -eq 2 ] && [ "$(tail -n 1 log | grep -c 'apt-get install libjansson-dev$')" -eq 1 ] || die "configure: $code, $(cat log)"
mkdir -p ../test/unit/base
touch ../test/unit/base/test_nothing.c
../configure --cc="$tree/without-cmocka" >log || die "configure insists on cmocka"
grep -q 'cmocka *off: unit and truth tests (install libcmocka-dev)' log || die "configure hides what is off: $(cat log)"
make -s check >log 2>&1 || :
grep -q '^SKIP unit/base/nothing: lacks libcmocka-dev$' log || die "check says $(cat log)"
