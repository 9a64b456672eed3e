#!/bin/sh
# The build of a tiny tree with our configure and Makefile: what is added is built and what is removed is gone without
# an edit, nothing is built twice, a benchmark sees kbench.h only, and check-cross names the symbol that is missing.
# runs: full, 13 s; it builds a tree again and again, and for four architectures
set -eu
. "$KB_SRC/test/support/check.sh"
tree=$TMPDIR/tree
mkdir -p "$tree/src/cli" "$tree/src/run/backend" "$tree/bench/a" "$tree/doc" "$tree/model" "$tree/layers" "$tree/yamba" "$tree/kmod" "$tree/sel4" "$tree/web"
cd "$tree"
cp -R "$KB_SRC/tools" "$KB_SRC/configure" "$KB_SRC/Makefile" "$KB_SRC/VERSION" "$KB_SRC/include" .
cp -R "$KB_SRC/src/os" "$KB_SRC/src/rooms.txt" src/
cp "$KB_SRC/web/page.html" web/
cp "$KB_SRC/doc/method.md" doc/
mkdir -p src/report/html
cp "$KB_SRC/src/report/html/template.h" src/report/html/
for target in x86_64 x86_32 aarch64 riscv64; do
	mkdir -p "src/arch/$target"
	cp "$KB_SRC/src/arch/$target/stamp.h" "src/arch/$target/"
done

build() {
	make -C "$tree/out" -j2 TRANSLATES= "$@" >"$tree/log" 2>&1
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
for collector in linux command kernel sel4; do
	mkdir -p "src/collect/$collector"
	printf 'int main(void)\n{\n\treturn 0;\n}\n' >"src/collect/$collector/main.c"
done
printf 'struct kb_cross_program {\n\tconst char *name, *platform;\n};\nextern const struct kb_cross_program kb_cross_programs[];\n' >src/run/backend/backend.h
# Two members of one name in one library.
printf 'int kb_common(void);\nint kb_common(void)\n{\n\treturn 1;\n}\n' >src/arch/chain.c
printf 'int kb_own(void);\nint kb_own(void)\n{\n\treturn 2;\n}\n' >"src/arch/$arch/chain.c"
# The linux folder wants the rest of the code.
rm -f src/os/linux/*.c src/os/none/*.c
printf 'int kb_io(void);\nint kb_io(void)\n{\n\treturn 3;\n}\n' >src/os/linux/io.c
printf '#include "kbench.h"\nKB_BENCHMARK(.per = "call");\n' | tee bench/a/two.c >bench/a/one.c
touch doc/kbench.1 doc/kbench.3 doc/kbench.bash doc/kbench.zsh doc/kbench.fish doc/new-benchmark.c

mkdir out
(cd out && ../configure --quiet --prefix=/opt/k) || fail "configure fails"
build all || fail "$(cat log)"
[ "$(out/kbench | head -n 1)" = "1 2 a.one a.two" ] || fail "kbench says $(out/kbench)"
[ "$(out/kbench | tail -n 1)" = "$(cat VERSION)" ] || fail "kbench says $(out/kbench)"
make -q -C out TRANSLATES= all || fail "a second make has something to do"

# ---- added, removed, changed --------------------------------------------------------------------------

mkdir bench/b
cp bench/a/one.c bench/b/three.c
rm bench/a/two.c
build all || fail "$(cat log)"
[ "$(out/kbench | head -n 1)" = "1 2 a.one b.three" ] || fail "kbench says $(out/kbench)"
! grep -q 'obj/bench/a/one.o' log || fail "a new benchmark builds the others again: $(cat log)"

echo 9.9.9 >VERSION
build all || fail "$(cat log)"
out/kbench | grep -q '^9.9.9$' || fail "the version stays: $(out/kbench)"
! grep -q 'CC.*chain' log || fail "a new version builds everything again: $(cat log)"

printf '#include "os/linux/types.h"\n' >>bench/b/three.c
if build all; then
	fail "a benchmark may include what is in src"
fi
rm -r bench/b
build all || fail "$(cat log)"

# ---- in the source folder, install, clean -------------------------------------------------------------

mv out other
make TRANSLATES= >log 2>&1 || fail "$(cat log)"
[ "$(build/kbench | head -n 1)" = "1 2 a.one" ] || fail "build/kbench says $(build/kbench)"
# Where kbench looks for them. They are not translated: src/yamba is not here.
for file in model/a.model yamba/lib/b.yamba bench/yamba/c.yamba bench/yamba/c.forms bench/yamba/forms_c.known yamba/editor/d.json sel4/build; do
	mkdir -p "${file%/*}"
	touch "$file"
done
make install TRANSLATES= DESTDIR="$tree/root" >log 2>&1 || fail "$(cat log)"
for file in bin/kbench libexec/kbench/kbench-collect include/kbench.h share/man/man1/kbench.1 share/man/man3/kbench.3 lib/libkbench-measure.a lib/pkgconfig/kbench.pc \
	share/bash-completion/completions/kbench share/zsh/site-functions/_kbench share/fish/vendor_completions.d/kbench.fish share/kbench/model/a.model share/kbench/yamba/lib/b.yamba \
	share/kbench/yamba/bench/c.yamba share/kbench/yamba/bench/c.forms share/kbench/yamba/bench/forms_c.known share/kbench/yamba/editor/d.json share/kbench/sel4/build; do
	[ -f "root/usr/local/$file" ] || fail "install leaves out $file"
done
rm -r bench/yamba sel4
make clean >log 2>&1 || fail "$(cat log)"
[ "$(ls build)" = "$(printf 'Makefile\nconfig.mk')" ] || fail "clean leaves $(ls build)"

# ---- the core without a library -----------------------------------------------------------------------

printf 'int kb_none(void);\nint strange(void);\nint kb_none(void)\n{\n\treturn strange();\n}\n' >src/os/none/output.c
if make "check-cross-$arch" >log 2>&1; then
	fail "check-cross does not see a missing symbol"
fi
grep -q 'undefined symbol strange, used by src-os-none-output.c' log || fail "check-cross says $(cat log)"
printf '#include <stdio.h>\n' >src/os/none/output.c
if make "check-cross-$arch" >log 2>&1; then
	fail "check-cross lets the core include stdio.h"
fi
printf 'double kb_none(double);\ndouble kb_none(double x)\n{\n\treturn x * x;\n}\n' >src/os/none/output.c
if make "check-cross-$arch" >log 2>&1; then
	fail "check-cross lets the core use floating point"
fi
rm src/os/none/output.c
make "check-cross-$arch" >log 2>&1 || fail "$(cat log)"

# ---- configure ----------------------------------------------------------------------------------------

for wrong in --nonsense --prefix=relative --cc=no-such-compiler --prefix; do
	exits 2 ./configure $wrong
	[ "$(cat out err | wc -l)" -eq 1 ] || fail "configure $wrong: $(cat out err)"
done

# A compiler for which a library is not there.
for library in jansson cmocka; do
	printf '#!/bin/sh\ncase "$*" in\n*-l%s*) exit 1 ;;\nesac\nexec gcc "$@"\n' $library >without-$library
	chmod +x without-$library
done
mkdir less
cd less
exits 2 ../configure --cc="$tree/without-jansson"
[ "$(cat out err | tail -n 1 | grep -c 'apt-get install libjansson-dev$')" -eq 1 ] || fail "configure: $(cat out err)"
mkdir -p ../test/unit/base ../test/foreign
touch ../test/unit/base/test_nothing.c
cp ../src/collect/linux/main.c ../test/foreign/code.c
../configure --cc="$tree/without-cmocka" >log || fail "configure insists on cmocka"
grep -q 'cmocka *off: unit and truth tests (install libcmocka-dev)' log || fail "configure hides what is off: $(cat log)"
make -s TRANSLATES= check >log 2>&1 || :
grep -q '^SKIP unit/base/nothing: lacks libcmocka-dev$' log || fail "check says $(cat log)"
