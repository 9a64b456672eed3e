#!/bin/sh
# Whatever is wrong: exactly one line on standard error that says what, the documented exit code, and nothing lost.
# runs: 12 s
set -u
. "$KB_SRC/test/support/check.sh"

# expect CODE PATTERN COMMAND...: with one line on standard error that says it; standard output is in out.
expect() {
	pattern=$2 expected=$1
	shift 2
	exits "$expected" "$@"
	[ "$(wc -l <err)" -eq 1 ] || fail "$(wc -l <err) lines instead of one: $* ($(cat err))"
	grep -Eq -e "$pattern" err || fail "not '$pattern' but '$(cat err)': $*"
}

# wrong PATTERN ARGUMENT...: kbench refuses them before anything happens.
wrong() {
	pattern=$1
	shift
	refuses 2 "^kbench.*$pattern" "$@"
	[ ! -e "$XDG_DATA_HOME/kbench" ] || fail "a store was made: kbench $*"
}

# ---- the command line ---------------------------------------------------------------------------------

wrong "no command 'rnu', did you mean run\?" rnu
wrong "unknown option '--foo' \(see 'kbench --help'\)" --foo
wrong "no command 'zz'" help zz
wrong "unknown option '--budjet', did you mean --budget\?" run --budjet 5s
wrong "unknown option '--plt', did you mean --plot\?" show --plt
wrong "unknown option '--zzzzzz' \(see" list --zzzzzz
for command in run list show compare ab history analyze model doctor maintain runs; do
	wrong "$command: unknown option '--foo' \(see 'kbench $command --help'\)" $command --foo
	wrong "$command: unknown option '-z'" $command -z
	wrong "$command: option '--json' takes no value" $command --json=yes
done
wrong "option '--budget' needs a value" run --budget
wrong "option '-p' needs a value" run -p
wrong "no benchmark 'sys.nul', did you mean sys.null\?" run sys.nul
wrong "no benchmark 'zzz.\*'; see" run 'zzz.*'
wrong "no benchmark 'zz'" list zz
wrong "--suite 'all': must be quick, standard, full or lmbench" run --suite all
wrong 'no benchmark of the suite quick matches the pattern' list --suite quick disk
wrong "'disk.\*': these run only when they are given by their whole names: disk.seek, disk.zone" run 'disk.*'
wrong "'disk': these run only when" run sys.null disk
wrong "'disk': these run only when" ab --a X=1 --b X=2 disk
wrong 'no benchmark of this suite matches the pattern; see' run --suite quick cpu.branch_miss
wrong "no selected benchmark has a parameter 'ops', did you mean op\?" run -p ops=add
wrong "no selected benchmark has a parameter 'op'" run sys.null -p op=add
wrong "-p 'op': not name=value" run -p op
wrong 'op=div: must be one of add,xor,imul,load' run cpu.op_latency -p op=div
wrong 'mem.latency: size=1: outside .*\.\.' run mem.latency -p size=1
wrong 'size=big: not a size' run mem.latency -p size=big
wrong "--budget '5x': not a time" run --budget 5x
wrong "--budget '0': must be between" run --budget 0
wrong "--timeout '': not a time" run --timeout ''
wrong "--precision 'nan': must be between" run --precision nan
wrong "--precision '0': must be between" run --precision 0
wrong "--precision '1': 1% or a fraction below 1\?" run --precision 1
wrong "--margin '2': 2% or a fraction below 1\?" compare a b --margin 2
wrong "--precision '101': must be between" run --precision 101
wrong "--processes '0': must be a number" run --processes 0
wrong '--label: must be at most 100 bytes of text' run --label "$(printf 'two\nlines')"
wrong '--label: must be at most 100 bytes of text' ab --a X=1 --b X=2 --label "$(printf '\377')"
wrong "--label: must be another word than 'last'" run --label last
wrong '--label: must be at most 100 bytes of text' import --label "$(printf '%0101d' 1)" x
wrong "--seed '-1': must be a number" run --seed -1
wrong "--clock 'utc': must be auto or ns" run --clock utc
wrong "--cpus '0,x': not a list" run --cpus 0,x
wrong "--cpus 1000: not in the affinity mask .allowed: [0-9]" run --cpus 1000
wrong '--store and --no-store exclude each other' run --store x --no-store
wrong "no command 'env', it is 'kbench doctor --facts' now" env x
wrong "no subcommand 'doctor', it is 'kbench doctor sel4' now" sel4 doctor
wrong "no subcommand 'x'" doctor x
wrong 'unexpected argument' doctor kernel x
wrong '--cpus does not go with --facts' doctor --facts --cpus 1
wrong "--facts does not go with 'kernel'" doctor --facts kernel
wrong "unknown option '--runs', it is 'kbench runs' now" show --runs
wrong 'unexpected argument' runs --json x
wrong 'unexpected argument' maintain last x
wrong 'nothing to do without --published' analyze
wrong "no benchmark 'a \[31mb'" run "$(printf 'a\033[31mb')"
wrong "no benchmark 'a b'" run "$(printf 'a\nb')"
wrong 'no store .* yet' show
wrong 'no store .* yet' maintain

# ---- plug-ins -----------------------------------------------------------------------------------------

wrong 'plug-in.*missing.so: No such file' run --plugin missing.so
echo text >text.so
wrong 'cannot load the plug-in.*text.so' run --plugin text.so
compiler=${CC:-cc}
if command -v "$compiler" >/dev/null 2>&1; then
	build() {
		"$compiler" -shared -fPIC -w -I"$KB_SRC/include" -x c - -o "$1"
	}
	echo 'int kb_other;' | build other.so
	printf '#include <kbench.h>\nKB_BENCHMARK(.summary = "nothing to do");\n' | build empty.so
	printf '#include <kbench.h>\nKB_BENCHMARK(.abi = KB_ABI + 1);\n' | build future.so
	printf '#include <kbench.h>\nstatic int op(struct kb_run *r, uint64_t n)\n{\n\treturn kb_fail(r, 5, "no luck");\n}\n%s\n' \
		'KB_BENCHMARK(.op = op, .per = "try");' | build failing.so
	wrong 'other.so: no symbol kb_plugin' run --plugin other.so
	wrong 'empty.so: .*neither op nor observe' run --plugin empty.so
	for name in 'two words' '' 'a=b' "$(printf '%057d' 1)"; do
		cp failing.so "$name.so"
		wrong "is no name for a benchmark; rename the file to at most 56 letters" run --plugin "./$name.so"
	done
	wrong 'future.so: built for plug-in ABI [0-9]*, this kbench has ABI [0-9]*; rebuild' run --plugin ./future.so
	# A descriptor of the same ABI may be smaller than ours, but not than when that ABI began; a larger one has what nobody here knows.
	printf '#include <kbench.h>\nKB_BENCHMARK(.size = sizeof(struct kb_bench) + 8);\n' | build larger.so
	printf '#include <kbench.h>\nKB_BENCHMARK(.size = offsetof(struct kb_bench, teardown));\n' | build smaller.so
	wrong 'larger.so: built with a newer kbench.h .*; rebuild' run --plugin ./larger.so
	wrong 'smaller.so: built for plug-in ABI 3.*; rebuild' run --plugin ./smaller.so

	# One that fails is a result, not an error of the command line.
	# It ends with its first process; a busy machine may take seconds to get there.
	"$KBENCH" run --plugin failing.so --budget 20s --no-store >out 2>err
	[ $? -eq 5 ] || fail "a failing benchmark: not exit code 5"
	grep -q '^ *plugin.failing .* invalid' out || fail "a failing benchmark is not in the table"
	grep -q 'invalid: .*no luck' out || fail "a failing benchmark gives no reason"
else
	echo "no C compiler: the parts on broken plug-ins are left out"
fi

# ---- the collector ------------------------------------------------------------------------------------

mkdir alone
cp "$KBENCH" alone/kbench
expect 2 '^kbench run: no collector in .*alone' alone/kbench run sys.null
[ ! -e "$XDG_DATA_HOME/kbench" ] || fail "a store was made without a collector"

# ---- a run to lose ------------------------------------------------------------------------------------

"$KBENCH" run sys.null --processes 1 --precision 100% --budget 1s >first || fail "cannot measure sys.null"
store=$XDG_DATA_HOME/kbench/kbench.db
id=$("$KBENCH" runs --names)
runs() {
	"$KBENCH" runs --names | wc -l
}

# A locale that is not installed is none, for every command alike.
for command in show "history sys.null"; do
	# shellcheck disable=SC2086 # words
	LC_ALL=xx_YY.UTF-8 "$KBENCH" $command >out || fail "kbench $command under an unknown locale"
	! grep -q '±' out || fail "kbench $command writes UTF-8 under a locale that is not there"
done

expect 2 "no run \"zz\"" "$KBENCH" maintain zz
expect 2 "no run .*last~7" "$KBENCH" show last~7
expect 2 "no run and no result of run $id is called 'sys.write_null'" "$KBENCH" show sys.write_null

# Output that cannot be written: what was measured is kept all the same.
if [ -w /dev/full ]; then
	for command in --help --version list "doctor --facts" doctor show "show --json" runs "run --help" "list --json"; do
		# shellcheck disable=SC2086 # words
		expect 2 '^kbench.*cannot write the output: [A-Z]' sh -c '"$@" >/dev/full' sh "$KBENCH" $command
	done
	expect 2 'cannot write the output: No space left' sh -c '"$@" >/dev/full' sh "$KBENCH" run sys.null --processes 1 --precision 100% --budget 1s
	[ "$(runs)" -eq 2 ] || fail "a run with unwritable output was lost"
	"$KBENCH" show last sys.null >out || fail "a run with unwritable output has no results"
fi
{ "$KBENCH" run sys.null --processes 1 --precision 100% --budget 1s 2>err; echo $? >code; } | true
[ "$(runs)" -eq 3 ] || fail "a run with a closed pipe was lost"
[ "$(cat code)" -eq 2 ] || fail "a run with a closed pipe: exit code $(cat code)"
grep -qx 'kbench run: cannot write the output: Broken pipe' err || fail "a run with a closed pipe: $(cat err)"

# ---- the store ----------------------------------------------------------------------------------------

# measured PATTERN COMMAND...: the store fails, numbers are printed.
measured() {
	expect 2 "^kbench run: .*$1.*goes on unsaved" "$KBENCH" run sys.null --processes 1 --precision 100% --budget 1s --store "$2"
	grep -q '^ *sys.null ' out || fail "no numbers with the store $2"
	grep -q '^not saved' out || fail "does not say that nothing was saved in $2"
}

measured 'it is a directory' "$work"
measured 'cannot (write|create)' /proc/kbench/kbench.db

printf 'this is no database, and it is long enough to be looked at %0600d' 0 >damaged.db
cp damaged.db before.db
measured 'damaged or not a store' damaged.db
expect 2 '^kbench show: .*damaged or not a store' "$KBENCH" show --store damaged.db
expect 2 '^kbench maintain: .*damaged or not a store' "$KBENCH" maintain --store damaged.db
cmp damaged.db before.db || fail "a file that is no store was changed"

# Every page behind the first is rubbish.
size=$(wc -c <"$store")
{ head -c 4096 "$store"; tr '\0' Z </dev/zero | head -c $((size - 4096)); } >damaged.db
cp damaged.db before.db
expect 2 '^kbench show: .*damaged' "$KBENCH" show --store damaged.db
expect 2 '^kbench maintain: .*damaged' "$KBENCH" maintain --store damaged.db
measured damaged damaged.db
cmp damaged.db before.db || fail "a damaged store was changed"

# A mount of our own takes the right to write from root, too, and has an end.
mounts=$(own_mounts)
if [ -n "$mounts" ]; then
	mkdir small
	cat >mounted <<'END'
mount -t tmpfs -o size="$1" none small && shift || exit 99
[ ! -f store.db ] || cp store.db small/
[ -z "$READONLY" ] || mount -o remount,ro small || exit 99
"$@"
END
	cp "$store" store.db
	READONLY=yes
	export READONLY
	expect 2 'cannot .* the store small/store.db: .*goes on unsaved' \
		unshare $mounts sh mounted 4m "$KBENCH" run sys.null --processes 1 --precision 100% --budget 1s --store small/store.db
	grep -q '^ *sys.null ' out || fail "no numbers with a read-only store"
	expect 2 'cannot .* the store small/store.db: Read-only' \
		unshare $mounts sh mounted 4m "$KBENCH" maintain --store small/store.db
	unshare $mounts sh mounted 4m "$KBENCH" show --store small/store.db >out || fail "cannot read a read-only store"
	READONLY=
	rm store.db
	expect 2 'No space left on device.*goes on unsaved' \
		unshare $mounts sh mounted 64k "$KBENCH" run sys.null --processes 1 --precision 100% --budget 1s --store small/new.db
	grep -q '^ *sys.null ' out || fail "no numbers with a full disk"
	# It is full in the middle, for both runs of an A/B at once.
	expect 2 'No space left on device.*goes on unsaved' \
		unshare $mounts sh mounted 200k "$KBENCH" ab --b X=1 self.empty --processes 3 --budget 1s --store small/new.db
else
	echo "no mounts of our own: the parts on read-only and full file systems are left out"
fi

# ---- the scratch directory -------------------------------------------------------------------------------

expect 5 "cannot create a scratch directory in $work/nowhere: No such file or directory; set TMPDIR" \
	env TMPDIR="$work/nowhere" "$KBENCH" run sys.null --processes 1 --precision 100% --budget 1s --no-store
# 2 goes before 5: the run was lost before that.
exits 2 env TMPDIR="$work/nowhere" "$KBENCH" run sys.null --processes 1 --precision 100% --budget 1s --store /proc/kbench/kbench.db
says 'goes on unsaved'
says 'cannot create a scratch directory'
# Cut off, its name would be that of another folder, which is removed when the run ends.
long=$work/$(printf '%0200d/%0200d' 1 2)
mkdir -p "$long/$(printf '%0200d' 3)" && : >"$long/keep"
expect 5 'cannot create a scratch directory in .*: File name too long; set TMPDIR' \
	env TMPDIR="$long/$(printf '%0200d' 3)" "$KBENCH" run sys.null --processes 1 --precision 100% --budget 1s --no-store
[ -f "$long/keep" ] || fail "a folder was removed that is nobody's scratch directory"

# ---- what a name and a compiler's words do not mean ---------------------------------------------------------

"$KBENCH" ab --b X=1 self.empty --processes 1 --budget 1s --store sides.db >out 2>err || fail "ab: $(cat err)"
expect 2 "no run in sides.db has a result of 'self.empty' that is of a series: sides of 'kbench ab' are not" "$KBENCH" history self.empty --store sides.db
printf '#!/bin/sh\necho "full_cc: error: cannot write y.s: No space left on device" >&2\nexit 1\n' >full_cc
chmod 755 full_cc
printf 'yamba spin {\n\tvoid benchmark(void) { }\n\tconst char *check(void) { return NULL; }\n}\n' >spin.yamba
CC=$work/full_cc exits 2 "$KBENCH" yamba run ./spin.yamba --budget 1s --no-store
[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(printed)"
says "full_cc' cannot write next to .*: No space left on device; free some space there$"
printf '#!/bin/sh\necho "ld: final link failed: No space left on device" >&2\necho "full_cc: error: ld returned 1 exit status" >&2\nexit 1\n' >full_cc
CC=$work/full_cc exits 2 "$KBENCH" yamba run ./spin.yamba --budget 1s --no-store
says "full_cc' cannot write next to .*: No space left on device; free some space there"

# After all that the first run is as it was.
"$KBENCH" show "$id" >out || fail "the first run is lost"
[ "$(grep -c '^ *sys.null ' out)" -ge 1 ] || fail "the first run lost its row"
