#!/bin/sh
# Two users on one machine: what one of them puts where kbench looks by itself never runs for another, and what is one's own does. Every
# planted file leaves a mark when its code runs.
# runs: slow, 7 s
set -u
. "$KB_SRC/test/support/check.sh"

[ "$(id -u)" -eq 0 ] || skip "files of another user need root"
# Folders of tests may be closed to others. Nobody else can write into this one.
shown=$(mktemp -d /tmp/kbench-users.XXXXXX) || skip "no folder that everybody may enter"
planted=
at_end='rm -rf "$shown" $planted'
chmod 755 "$shown"
umask 022
release=$(uname -r)
mallory=54321 alice=54322
mkdir "$shown/mallory" "$shown/alice" "$shown/root" "$shown/marks"
chmod 777 "$shown/marks"

# What kbench needs, for users who may not enter the build folder: a whole installation, owned by root.
mkdir -p "$shown/installed"
make -s -C "$KB_BUILD" install PREFIX=/usr DESTDIR="$shown/installed" >install.log 2>&1 || fail "cannot be installed: $(tail -n 3 install.log)"
installed=$shown/installed/usr/bin/kbench

# evil FILE NAME: a plug-in whose constructor leaves a mark.
evil() {
	mkdir -p "$(dirname "$1")"
	cat >evil.c <<END
#include <fcntl.h>
#include <kbench.h>
#include <unistd.h>
__attribute__((constructor)) static void run(void) { close(open("$shown/marks/$2", O_CREAT | O_WRONLY | O_CLOEXEC, 0666)); }
static int op(struct kb_run *run, uint64_t n) { (void)run; while (n--) kb_clobber(); return 0; }
KB_BENCHMARK(.summary = "evil", .op = op);
END
	$cc -O2 -shared -fPIC -I"$KB_SRC/include" evil.c -o "$1" || fail "the planted plug-in does not compile"
}

unmarked() {
	set -- "$1" "$(ls "$shown/marks")"
	[ -z "$2" ] || fail "$1: planted code ran: $2"
}

# as USER HOME COMMAND...
as() {
	user=$1 home=$2
	shift 2
	setpriv --reuid="$user" --regid="$user" --clear-groups env -u XDG_CACHE_HOME -u XDG_DATA_HOME HOME="$home" TMPDIR=/tmp timeout 60 "$@" >out 2>err
}

# as_root HOME COMMAND...
as_root() {
	home=$1
	shift
	env -u XDG_CACHE_HOME -u XDG_DATA_HOME HOME="$home" TMPDIR=/tmp timeout 60 "$@" >out 2>err
}

# told CODE PATTERN WHAT...: the command before it.
told() {
	[ "$3" -eq "$1" ] || fail "$4: exit code $3, not $1: $(head -c 600 err)"
	grep -Eq -e "$2" out err || fail "$4: no '$2' in: $(head -c 600 err)$(head -c 600 out)"
}

# ---- no home at all ----------------------------------------------------------------------------------------

program=$shown/spin.yamba
cat >"$program" <<'END'
yamba spin {
	const char per[] = "turn";
	param int turns = 8;
	long result;
	void benchmark(void) { result = 0; for (int i = 0; i < turns; i++) { result++; __asm__ volatile("" : "+r"(result)); } }
	uint64_t operations(void) { return turns; }
	const char *check(void) { return result == turns ? NULL : "it turned otherwise"; }
}
END
env -u HOME -u XDG_CACHE_HOME "$installed" yamba check "$program" >out 2>err || fail "the program is wrong: $(cat out err)"
# Where it once fell back to: a folder below the one for temporary files, which another user had made.
if [ ! -e /tmp/.cache ]; then
	planted=/tmp/.cache
	mkdir -p /tmp/.cache/kbench/yamba
	evil /tmp/.cache/kbench/yamba/spin-00000000.so fallback
	chown -R $mallory:$mallory /tmp/.cache
fi
code=0
env -u HOME -u XDG_CACHE_HOME "$installed" yamba run "$program" --budget 1s --no-store >out 2>err || code=$?
told 2 'neither XDG_CACHE_HOME nor HOME is set; name another directory in XDG_CACHE_HOME' $code 'yamba run without a home'
code=0
env -u HOME XDG_CACHE_HOME=relative "$installed" yamba run "$program" --budget 1s --no-store >out 2>err || code=$?
told 2 'neither XDG_CACHE_HOME nor HOME is set' $code 'yamba run with a relative cache'
[ ! -e relative ] || fail "a relative cache was made"
[ -z "$planted" ] || [ "$(find "$planted" -type f | wc -l)" -eq 1 ] || fail "something was put below the folder for temporary files"
unmarked 'without a home'

# ---- root in another user's home ---------------------------------------------------------------------------

cache=$shown/mallory/.cache/kbench
evil "$cache/kernel/$release/kbench_evil.so" kernel_plugin
cp "$cache/kernel/$release/kbench_evil.so" "$cache/kernel/$release/kbench.ko"
printf 'kbench-description 3\nbench name=kernel.evil summary=planted hooks=op,\nend\n' >"$cache/kernel/$release/kbench_evil.bench"
mkdir -p "$shown/mallory/.local/share/kbench/model"
sed 's/^model .*/&/' "$(ls "$KB_SRC"/model/*.model | head -n 1)" >"$shown/mallory/.local/share/kbench/model/planted.model"
chown -R $mallory:$mallory "$shown/mallory"
as_root "$shown/mallory" "$installed" list
! grep -q 'kernel.evil' out || fail "root lists a description of another user's"
as_root "$shown/mallory" "$installed" kernel load evil
told 2 'no benchmark .evil. in the kernel' $? 'kernel load in the home of another user'
as_root "$shown/mallory" env KBENCH_DEVICE= "$installed" doctor kernel
if ! grep -q 'cannot load modules' out; then
	grep -q "belongs to user $mallory, and not to root or to you" out || fail "doctor kernel does not say whose the module is: $(cat out)"
fi
as_root "$shown/mallory" "$installed" model --list
told 0 "left out: $shown/mallory belongs to user $mallory" $? 'models of another user'
! grep -q planted out || fail "root takes a model of another user's"
as_root "$shown/mallory" "$installed" yamba run "$program" --budget 1s --no-store
told 2 "$shown/mallory belongs to user $mallory, and not to root or to you" $? 'yamba run in the home of another user'
unmarked 'root in the home of another user'
# They are his own, though.
as $mallory "$shown/mallory" "$installed" list kernel
grep -q 'kernel.evil.*planted' out || fail "a description of one's own is not listed: $(cat out err)"
as $mallory "$shown/mallory" "$installed" model --list
grep -q planted out || fail "a model of one's own is not listed: $(cat out err)"
unmarked 'a description of his own'

# ---- an seL4 image of another user's -----------------------------------------------------------------------

prefix=$shown/root/sel4
mkdir -p "$prefix/bin" "$prefix/libsel4/include"
echo kernel >"$prefix/bin/kernel.elf"
image=$(env HOME="$shown/mallory" SEL4_PREFIX="$prefix" KBENCH="$installed" python3 - <<'END'
import os, zlib
prefix = os.environ["SEL4_PREFIX"]
key = zlib.crc32((prefix + "/libsel4/include").encode(), zlib.crc32((prefix + "/bin/kernel.elf").encode()))
print("%s/.cache/kbench/sel4/%08x" % (os.environ["HOME"], key))
END
)
mkdir -p "$image"
printf 'arch=x86_64\n' >"$image/facts"
printf 'kbench-boot/1\n' >"$image/kb_root.elf"
chown -R $mallory:$mallory "$shown/mallory"
as_root "$shown/mallory" env SEL4_PREFIX="$prefix" "$installed" list sel4.signal --json
grep -q "belongs to user $mallory" out err || fail "an image of another user's is not refused: $(cat out err)"

# ---- plug-ins that are named -------------------------------------------------------------------------------

run_plugin() {
	"$@" --budget 2s --processes 1 --no-store
}
evil "$shown/hers.so" hers
chown $alice "$shown/hers.so"
run_plugin as_root "$shown/root" "$installed" run --plugin "$shown/hers.so"
told 2 "plug-in $shown/hers.so belongs to user $alice" $? "root and a plug-in of another user's"
run_plugin as_root "$shown/root" "$installed" ab --a "$shown/hers.so" --b "$shown/hers.so"
told 2 "hers.so belongs to user $alice" $? "ab and a plug-in of another user's"
mkdir "$shown/open"
chmod 777 "$shown/open"
evil "$shown/open/mine.so" open
run_plugin as_root "$shown/root" "$installed" run --plugin "$shown/open/mine.so"
told 2 "everybody can write $shown/open: if no one else did, chmod o-w it" $? 'a plug-in where everybody can write'
cp "$shown/open/mine.so" "$shown/wide.so"
chmod 666 "$shown/wide.so"
run_plugin as_root "$shown/root" "$installed" run --plugin "$shown/wide.so"
told 2 'everybody can write .*wide.so' $? 'a plug-in that everybody can write'
ln -s "$shown/hers.so" "$shown/link.so"
run_plugin as_root "$shown/root" "$installed" run --plugin "$shown/link.so"
told 2 "hers.so belongs to user $alice" $? "a link to a plug-in of another user's"
unmarked 'plug-ins of others'
# A folder with the sticky bit keeps what is one's own; and she may run hers.
chmod 1777 "$shown/open"
run_plugin as_root "$shown/root" "$installed" run --plugin "$shown/open/mine.so"
[ -e "$shown/marks/open" ] || fail "a plug-in of one's own in a folder with the sticky bit does not run: $(cat out err)"
run_plugin as $alice "$shown/alice" "$installed" run --plugin "$shown/hers.so"
[ -e "$shown/marks/hers" ] || fail "a plug-in of one's own does not run: $(cat out err)"
rm -f "$shown"/marks/*

# ---- root in a user's clone --------------------------------------------------------------------------------

# As after `git clone`, `make` and `sudo build/kbench`: all of it is hers, and so is the plug-in.
cp -r "$shown/installed/usr" "$shown/alice/kbench"
cp "$shown/hers.so" "$shown/alice/"
chown -R $alice:$alice "$shown/alice"
cloned=$shown/alice/kbench/bin/kbench
as_root "$shown/root" "$cloned" list sys.null
told 0 '^sys.null' $? "root runs a user's kbench"
run_plugin as_root "$shown/root" "$cloned" run --plugin "$shown/alice/hers.so"
[ -e "$shown/marks/hers" ] || fail "root runs a user's kbench with a plug-in of hers: $(cat out err)"
as_root "$shown/root" "$cloned" model --list
! grep -q 'left out' err || fail "root runs a user's kbench, and its models are left out: $(cat err)"
as_root "$shown/root" "$cloned" yamba run "$program" --budget 300ms --processes 1 --no-store
told 0 'spin' $? "root runs a user's kbench and a Yamba program"
rm -f "$shown"/marks/*
# Another user's plug-in is no more welcome there, nor is a collector that another user put beside a program of root's.
evil "$shown/his.so" his
chown $mallory "$shown/his.so"
run_plugin as_root "$shown/root" "$cloned" run --plugin "$shown/his.so"
told 2 "his.so belongs to user $mallory" $? "root runs a user's kbench with a plug-in of a third"
mkdir "$shown/beside"
chmod 1777 "$shown/beside"
cp "$installed" "$shown/beside/kbench"
printf '#!/bin/sh\ntouch %s/marks/collector\n' "$shown" >"$shown/beside/kbench-collect"
chmod 755 "$shown/beside/kbench-collect"
chown $mallory "$shown/beside/kbench-collect"
as_root "$shown/root" "$shown/beside/kbench" run sys.null --budget 300ms --no-store
told 2 "kbench-collect belongs to user $mallory" $? 'a collector that another user put beside kbench'
unmarked 'others beside a clone'
# What its benchmarks start lies beside the collector, too.
cp --remove-destination "$shown/installed/usr/libexec/kbench/kbench-collect" "$shown/beside/"
printf '#!/bin/sh\ntouch %s/marks/hello\n' "$shown" >"$shown/beside/kbench-hello"
cp "$shown/beside/kbench-hello" "$shown/beside/kbench-hello-static"
chmod 755 "$shown/beside/kbench-hello" "$shown/beside/kbench-hello-static"
chown $mallory "$shown/beside/kbench-hello" "$shown/beside/kbench-hello-static"
as_root "$shown/root" "$shown/beside/kbench" run proc.fork_exec -p program=hello --budget 4s --processes 1 --no-store --json
told 5 'kbench-hello[-a-z]* belongs to another user' $? 'a program that another user put beside the collector'
cp -r "$shown/installed/usr/share/kbench/model" "$shown/beside/model"
as_root "$shown/root" "$shown/beside/kbench" model command -- true
told 2 "kbench-hello-static belongs to user $mallory" $? 'the same, for a model'
unmarked 'programs beside the collector'

# ---- where things are compiled -----------------------------------------------------------------------------

mkdir -m 777 "$shown/tmp"
chmod 777 "$shown/tmp"
cat >"$shown/composed.yamba" <<'END'
yamba composed {
	import(x86_64);
	bitstring<void c_function(void)> returns(void) { asm { ret } }
}
END
env HOME="$shown/root" TMPDIR="$shown/tmp" "$installed" yamba show "$shown/composed.yamba" 'returns()' >out 2>err
told 2 "everybody can write $shown/tmp: if no one else did, chmod o-w it; or name another directory in TMPDIR" $? 'yamba show where everybody can write'
[ -z "$(ls "$shown/tmp")" ] || fail "something is left where everybody can write: $(ls "$shown/tmp")"
chmod 1777 "$shown/tmp"
env HOME="$shown/root" TMPDIR="$shown/tmp" "$installed" yamba show "$shown/composed.yamba" 'returns()' >out 2>err
told 0 'composed.returns' $? 'yamba show in a folder with the sticky bit'
