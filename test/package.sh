#!/bin/sh
# Whether the Debian packages of the committed tree are what their users need: built twice in two directories, once more in a clean Debian that has
# nothing but their Build-Depends, compared byte by byte, checked by lintian, installed into another clean Debian, used there, and purged.
# package.sh [DIR]: the packages stay in DIR, if it is named. Takes ten minutes, 3 GB in $TMPDIR and root; packages of Debian come from where this
# machine has its own from (/etc/apt). Nothing stays, also after Ctrl-C; it can be started again at any time, and begins anew.
# The last line is `N passed, N failed, N skipped`; the exit code is 1 if one failed.
set -u
KB_SRC=$(cd "$(dirname "$0")/.." && pwd -P)
keep=
case ${1-} in
"") ;;
-*)
	echo "usage: package.sh [DIR]" >&2
	exit 2
	;;
*) keep=$(mkdir -p "$1" && cd "$1" && pwd -P) || exit 2 ;;
esac
work=$(mktemp -d "${TMPDIR:-/tmp}/kbench-package.XXXXXX") || exit 2
work=$(cd "$work" && pwd -P)
running=

# stop PROCESS: it and all that it started.
stop() {
	for child in $(pgrep -P "$1"); do
		stop "$child"
	done
	kill "$1" 2>/dev/null
}

# No mount can be in it: all are in namespaces that end with what runs in them.
trap 'rm -rf --one-file-system "$work"' EXIT
trap '[ -z "$running" ] || stop $running; wait; exit 130' INT TERM HUP
cd "$work" && mkdir tmp || exit 2
TMPDIR=$work/tmp
export TMPDIR
passed=0 failed=0 skipped=0

# try NAME COMMAND...: it succeeds. What it prints is shown if it does not.
try() {
	name=$1 began=$(date +%s)
	shift
	"$@" >"$work/log" 2>&1 </dev/null &
	running=$!
	if wait $running; then
		passed=$((passed + 1))
		echo "PASS $name $(($(date +%s) - began)) s"
	else
		failed=$((failed + 1))
		tail -n 40 "$work/log" | sed 's/^/    /'
		echo "FAIL $name"
		return 1
	fi
}

skip() {
	skipped=$((skipped + 1))
	echo "SKIP $1: $2"
}

end() {
	echo "$passed passed, $failed failed, $skipped skipped"
	[ $failed -eq 0 ]
	exit
}

lacks() {
	for command; do
		command -v "$command" >/dev/null 2>&1 || return 0
	done
	return 1
}

# ---- built twice, and what is in it ---------------------------------------------------------------------------

# source_in DIRECTORY: the committed tree is there. Committed when this began.
source_in() {
	[ -d dist ] || sh "$KB_SRC/tools/dist" "$KB_SRC" "$work/dist" || return 1
	mkdir -p "$1" && tar -x -C "$1" -f dist/kbench-*.tar.gz
}

# built DIRECTORY VARIABLE=VALUE...: packages of the tree in it.
built() {
	cd "$1"/kbench-* || return 1
	shift
	env -u MAKEFLAGS "$@" timeout 1500 dpkg-buildpackage -us -uc
}

# By somebody with another time zone and language, whose new files are not for others.
built_elsewhere() {
	(umask 027 && built "$1" DEB_BUILD_OPTIONS=parallel=2 TZ=Asia/Tokyo LC_ALL=C.UTF-8 HOME="$work")
}

# equal DIRECTORY DIRECTORY: the packages in both are, and there are some.
equal() {
	(cd "$1" && ls ./*.deb ./*.dsc ./*.tar.xz) >files || return 1
	[ "$(grep -c '_.*deb$' files)" -ge 3 ] || return 1
	while read -r file; do
		cmp "$1/$file" "$2/$file" || differ=1
	done <files
	[ "${differ-0}" -eq 0 ]
}

# No directory of this machine, and in programs and libraries no debug information: that is in the package of its own.
contents() {
	mkdir contents || return 1
	for package in one/*.deb; do
		dpkg-deb -R "$package" "contents/${package#one/}" || return 1
	done
	! grep -rlF -e "$work" -e "$KB_SRC" contents || return 1
	find contents ! -path '*dbgsym*' -type f \( -path '*/bin/*' -o -path '*/libexec/*' -o -name '*.a' \) >binaries
	[ "$(wc -l <binaries)" -ge 12 ] || return 1
	while read -r file; do
		! readelf -SW "$file" 2>/dev/null | grep -q '\.debug_info' || { echo "$file has debug information" && return 1; }
	done <binaries
}

# Warnings too: what stays has its reason in the package.
checked() {
	lintian --fail-on error,warning --allow-root one/*.changes
}

if lacks dpkg-buildpackage dh clang bpftool; then
	skip packages "lacks dpkg-dev debhelper clang bpftool"
	end
fi
try "source" source_in one && try "built" built one DEB_BUILD_OPTIONS=parallel=2 || end
another=another/directory/with/a/longer/name
try "source again" source_in $another
try "built again" built_elsewhere $another
try "both are the same" equal one $another
try "contents" contents
if lacks lintian; then
	skip lintian "lacks lintian"
else
	try "lintian" checked
fi
[ -z "$keep" ] || cp one/*.deb one/*.dsc one/*.tar.xz one/*.changes one/*.buildinfo "$keep"

# ---- a Debian of its own --------------------------------------------------------------------------------------

if lacks mmdebstrap unshare || [ "$(id -u)" -ne 0 ]; then
	skip "a clean Debian" "lacks mmdebstrap util-linux root"
	end
fi
codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
find /etc/apt/sources.list /etc/apt/sources.list.d \( -name '*.list' -o -name '*.sources' \) -exec grep -l "$codename" {} + 2>/dev/null >sources
# How this machine reaches them.
apt-config dump | grep -E '^Acquire::(http|https|Check)' >apt.conf

# debian NAME PACKAGE...: an installed Debian in that directory.
debian() {
	name=$1
	shift
	# shellcheck disable=SC2046 # names of files
	timeout 900 unshare -m mmdebstrap --mode=root --variant=apt --aptopt="$work/apt.conf" ${1:+--include="$(echo "$*" | tr ' ' ,)"} \
		--skip=cleanup/apt/lists "$codename" "$work/$name" $(cat sources)
}

# in_debian NAME COMMAND...: there, with mounts and processes that end with it.
in_debian() {
	root=$work/$1
	shift
	timeout 1500 unshare -m -p -f --kill-child --propagation private sh -c 'mount -t proc proc "$1/proc" && mount -t sysfs -o ro sys "$1/sys" &&
		mount -t tmpfs shm "$1/dev/shm" && root=$1 && shift && exec chroot "$root" "$@"' sh "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive XDG_DATA_HOME=/tmp/data XDG_CACHE_HOME=/tmp/cache "$@"
}

apt="apt-get -q -y --no-install-recommends"

build_there() {
	debian builder build-essential && source_in builder/build || return 1
	in_debian builder sh -c "cd /build/kbench-* && $apt build-dep . && dpkg-buildpackage -us -uc" &&
		in_debian builder sh -c 'mkdir /built && find /build -maxdepth 1 -type f -exec mv -t /built {} +'
}

# With other versions of the compilers other packages may come out: those of this machine may be newer or older.
versions() {
	sed -n '/^Installed-Build-Depends:/,/^[^ ]*:/p' "$1"/*.buildinfo | grep '^ ' | sort
}

if try "built in a clean Debian by what Build-Depends names" build_there; then
	versions builder/built >there
	versions one >here
	if (equal one builder/built) >log 2>&1 || [ "$(comm -12 here there | wc -l)" -eq "$(wc -l <there)" ]; then
		try "the same as here" equal one builder/built
	else
		skip "the same as here" "differs, and so do versions of packages: $(comm -13 here there | head -n 3 | tr '\n' ' ')"
	fi
fi
rm -rf --one-file-system builder

# ---- installed, used, purged ----------------------------------------------------------------------------------

install_there() {
	debian user && cp one/kbench_*.deb one/libkbench-dev_*.deb user/tmp/ &&
		in_debian user sh -c "$apt satisfy \"\$(dpkg-deb -f /tmp/kbench_*.deb Depends)\"" && files >before &&
		in_debian user sh -c "$apt install /tmp/kbench_*.deb"
}

# files: all that is there but what apt and dpkg keep for themselves, and /tmp, where the runs are.
files() {
	(cd user && find . -xdev ! -path './var/cache/*' ! -path './var/log/*' ! -path './var/lib/apt/*' ! -path './var/lib/dpkg/*-old' ! -path './tmp/*' |
		sort)
}

# A busy machine makes results noisy or keeps them from a steady state; nothing may make them wrong.
judged() {
	in_debian user kbench show --json >json || return 1
	awk -f "$KB_SRC/test/support/rows.awk" json >rows
	cut -f 2 rows | sort | uniq -c
	awk -F '\t' -v least="$1" '$2 == "invalid" && $12 != "no_steady_state" { print; bad = 1 }
		$2 ~ /^(ok|noisy)$/ { good++ }
		END { exit bad || good < least }' rows
}

first_run() {
	code=0
	in_debian user kbench run || code=$?
	[ $code -eq 0 ] || [ $code -eq 5 ] || return 1
	judged 20
}

shown() {
	in_debian user kbench show >page && grep '^  sys.null ' page &&
		in_debian user kbench show last mem.latency >page && grep '^  mem.latency ' page &&
		in_debian user kbench report -o /tmp/run.html && grep '^<html' user/tmp/run.html
}

# What this machine's program lists, the packaged one does.
lists() {
	[ "$(in_debian user kbench list | wc -l)" -ge 150 ] && in_debian user kbench model --list | grep -q pipe_latency &&
		in_debian user kbench yamba check /usr/share/kbench/yamba/bench/mhz.yamba && in_debian user test -s /usr/share/man/man1/kbench.1.gz
}

recommended() {
	in_debian user sh -c "apt-get -q -y install /tmp/kbench_*.deb /tmp/libkbench-dev_*.deb"
}

compiled() {
	cp "$KB_SRC/test/integration/plugins/adds.c" user/tmp/
	in_debian user sh -euc 'measures() { "$@" --budget 5s || [ $? -eq 5 ]; }
		cd /tmp
		measures kbench yamba run /usr/share/kbench/yamba/bench/mhz.yamba
		kbench new benchmark list.length
		cc -O2 list.length.c $(pkg-config --cflags --libs kbench) -o list.length
		measures ./list.length
		cc -O2 -shared -fPIC adds.c -o adds.so
		measures kbench run --plugin ./adds.so'
}

purged() {
	in_debian user sh -c "$apt purge kbench" && files >after && diff before after
}

# What was recommended stays, and nothing of ours.
purged_again() {
	in_debian user sh -c "$apt purge kbench libkbench-dev" && ! files | grep -v '^./etc/apt' | grep kbench
}

if try "installed in a clean Debian" install_there; then
	try "kbench run" first_run
	try "kbench show, kbench report" shown
	try "its files are found" lists
	try "purged: nothing is left" purged
	try "installed with what is recommended, and libkbench-dev" recommended && try "a Yamba program, a program, a plug-in" compiled
	try "purged again: nothing is left" purged_again
fi
end
