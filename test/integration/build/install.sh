#!/bin/sh
# What `make install` puts below DESTDIR is all of the program: what the built one has next to itself is there, and results, Yamba programs, plug-ins and
# programs with the library come out of it. `make uninstall` takes away that and nothing else. `make dist` is the committed tree, the same bytes each time.
# runs: slow, 14 s
set -u
. "$KB_SRC/test/support/check.sh"

version=$(cat "$KB_SRC/VERSION")

# dist NAME COMMAND...: NAME is what it makes.
dist() {
	name=$1
	shift
	made=$("$@" 2>err) || fail "fails: $(cat err)"
	[ "${made##*/}" = "kbench-$version.tar.gz" ] && mv "$made" "$name" || fail "makes $made"
}
# This one now, others at the end: a time of its own in it would be another one.
dist one make -s --no-print-directory -C "$KB_BUILD" dist

# A prefix with our name in it, in which somebody else has files, also in directories of ours. A strict mask.
prefix=/opt/kbench root=$PWD/root
places="DESTDIR=$root PREFIX=$prefix libdir=$prefix/lib/machine"
umask 022
mkdir -p "$root$prefix/bin" "$root$prefix/share/kbench"
touch "$root$prefix/bin/other" "$root$prefix/share/kbench/own"
(cd root && find . -type f | sort) >before
umask 077
# shellcheck disable=SC2086 # words
make -s -C "$KB_BUILD" install $places >log 2>&1 || fail "cannot be installed: $(tail -n 3 log)"
umask 022
find root \( -type d ! -perm 755 -o -type f ! -perm 644 ! -perm 755 \) | grep . >strict && fail "not for others: $(cat strict)"
installed=$root$prefix/bin/kbench share=$root$prefix/share

case="next to the built program"
for program in "$KB_BUILD"/kbench-*; do
	case $program in
	*/kbench-translate | *.c | *.tar.gz) ;;         # of the build itself
	*) cmp "$program" "$root$prefix/libexec/kbench/${program##*/}" || fail "$program is not installed" ;;
	esac
done
for data in model layers kmod sel4 yamba/lib yamba/editor; do
	diff -r "$KB_BUILD/$data/" "$share/kbench/$data/" || fail "$data is not installed as it is"
done
grep -aoE '\.\./(libexec|share)/kbench/[a-z0-9][a-z0-9_/.-]*' "$installed" | sort -u | while read -r place; do
	# "forms_%s.%s" ends in front of what is filled in.
	ls -d "$root$prefix/bin/$place"* >/dev/null 2>&1 || fail "kbench looks for $place, which is not installed"
done
case="documents"
for page in README.md NEWS LICENSE doc; do
	[ -e "$share/doc/kbench/$page" ] || fail "no $page"
done
grep -o '](doc/[a-z0-9-]*\.md' "$share/doc/kbench/README.md" | sed 's/..//' | while read -r page; do
	[ -f "$share/doc/kbench/$page" ] || fail "README.md points to $page, which is not installed"
done
for page in man/man1/kbench.1 man/man3/kbench.3 bash-completion/completions/kbench zsh/site-functions/_kbench fish/vendor_completions.d/kbench.fish; do
	[ -s "$share/$page" ] || fail "no $page"
done

# same ARGUMENT...: the installed program prints what the built one prints.
same() {
	case="kbench $*"
	"$KBENCH" "$@" >built 2>&1 </dev/null
	"$installed" "$@" >out 2>&1 </dev/null || fail "fails when installed: $(head -n 3 out)"
	cmp built out || fail "prints another text when installed: $(diff built out | head -n 3)"
}
same --version
same list -v
same list 'yamba.*'
same model --list
same layers --list
same yamba check "$KB_SRC/bench/yamba/pagefault.yamba"
same --complete model ''

# measures COMMAND...: it ends with 0, or with 5 where only a busy machine never came to rest. What such a machine makes of a number once is not
# judged here.
measures() {
	case="$*"
	for _ in 1 2 3; do
		code=0
		"$@" >out 2>err </dev/null || code=$?
		[ $code -eq 5 ] || break
	done
	[ $code -eq 0 ] || { [ $code -eq 5 ] && grep -q 'steady state' out; } || fail "exit code $code: $(printed)"
}
PATH=$root$prefix/bin:$PATH
brief="--processes 3 --precision 90% --budget 4s"
# shellcheck disable=SC2086
measures kbench run sys.null $brief
says '^  sys.null .* [nu]s '
measures kbench show last sys.null
if "$KBENCH" list 'yamba.*' | grep -q mhz; then
	# shellcheck disable=SC2086
	measures kbench yamba run "$share/kbench/yamba/bench/mhz.yamba" $brief --no-store
fi

case="pkg-config"
needs pkg-config
PKG_CONFIG_LIBDIR=$root$prefix/lib/machine/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
[ "$(pkg-config --variable=libdir kbench)" = "$root$prefix/lib/machine" ] || fail "libdir is $(pkg-config --variable=libdir kbench)"
# A plug-in, and the program of the README.
# shellcheck disable=SC2046 # words
$cc -O2 -shared -fPIC $(pkg-config --cflags kbench) "$KB_SRC/test/integration/plugins/adds.c" -o adds.so || fail "the plug-in does not build"
# shellcheck disable=SC2086
measures kbench run --plugin ./adds.so $brief --no-store
says '^  plugin.adds .* (ns|cy) '
kbench new benchmark list.length >/dev/null || fail "kbench new fails"
# shellcheck disable=SC2046
$cc -O2 list.length.c $(pkg-config --cflags --libs kbench) -o program || fail "the program does not build"
# shellcheck disable=SC2086
measures ./program $brief --no-store
says '^  list.length .* (ns|cy) '

case="uninstall"
# shellcheck disable=SC2086
make -s -C "$KB_BUILD" uninstall $places >log 2>&1 || fail "fails: $(tail -n 3 log)"
(cd root && find . -type f -o -type l | sort) | diff before - || fail "leaves other files than there were"
find root -name '*kbench*' ! -path root/opt/kbench ! -path root/opt/kbench/share/kbench | grep . && fail "leaves directories of ours"
rm "$share/kbench/own"
# shellcheck disable=SC2086
make -s -C "$KB_BUILD" uninstall $places >log 2>&1 || fail "a second one fails: $(tail -n 3 log)"
[ -d "$share" ] && [ ! -e "$share/kbench" ] || fail "a second one leaves $share/kbench"

# ---- dist -------------------------------------------------------------------------------------------------------

case="one version"
[ "$(sed -n '1s/^kbench (\(.*\)) .*/\1/p' "$KB_SRC/debian/changelog")" = "$version" ] || fail "debian/changelog does not begin with $version"
[ "$(sed -n '3p' "$KB_SRC/NEWS")" = "$version" ] || fail "NEWS does not begin with $version"
case="dist"
mkdir unpacked
tar -x -C unpacked -f one || fail "cannot be unpacked"
tree=unpacked/kbench-$version
[ "$(ls unpacked)" = "${tree#*/}" ] || fail "unpacks to $(ls unpacked)"
if [ -e "$KB_SRC/.git" ]; then
	mkdir committed
	git -C "$KB_SRC" archive HEAD | tar -x -C committed
	diff -r --no-dereference committed "$tree" || fail "is not the committed tree"
fi
case="dist of an unpacked one"
mkdir -p "$tree/build/obj" "$tree/debian/kbench/usr"
touch "$tree/build/obj/a.o" "$tree/debian/kbench/usr/b"
dist again sh "$tree/tools/dist" "$tree" here
cmp one again || fail "differs from that which it was unpacked from"
case="dist at another time"
dist another env SOURCE_DATE_EPOCH=86400 sh "$KB_SRC/tools/dist" "$KB_SRC" here
tar -tv --utc --full-time -f another | grep -v ' 1970-01-02 00:00:00 ' && fail "has other times than SOURCE_DATE_EPOCH"
exit 0
