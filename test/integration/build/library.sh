#!/bin/sh
# Programs that measure functions of their own, as a user writes and links them: installed headers and libraries, by pkg-config alone.
# runs: slow, 20 s
# shellcheck disable=SC2086 # brief is several words
set -u
. "$KB_SRC/test/support/check.sh"

prefix=$PWD/prefix
command -v pkg-config >/dev/null 2>&1 || skip "lacks pkgconf"
make -s -C "$KB_BUILD" install PREFIX="$prefix" >install.log 2>&1 || fail "cannot be installed: $(tail -n 3 install.log)"
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" PIDS="$PWD/pids"
grep -q ' kbench(3)\|^.TH KBENCH 3' "$prefix/share/man/man3/kbench.3" || fail "no page kbench(3)"
! grep -q @prefix@ "$PKG_CONFIG_PATH/kbench.pc" || fail "kbench.pc has no prefix"

# Ends with its processes, however long they take on a busy machine.
brief="--processes 3 --precision 90% --budget 30s"

# build FILE: as a user does, and with every warning.
build() {
	case $1 in *.c) compiler=$cc standard=-std=gnu11 ;; *) compiler=g++ standard=-std=gnu++17 ;; esac
	# shellcheck disable=SC2046,SC2086 # words
	$compiler $standard -O2 -Wall -Wextra -Wshadow -Werror "$1" $(pkg-config --cflags --libs kbench) -o "${1%.*}" >build.log 2>&1 ||
		fail "$1 does not build: $(cat build.log)"
	[ ! -s build.log ] || fail "$1: $(cat build.log)"
}

# unsteady FILE: what makes its results invalid is only that a busy machine never came to rest.
unsteady() {
	grep -q no_steady_state "$1" && ! grep -Eq '(op|setup|check|expect)_failed|crashed|timeout|record_truncated|dead_code' "$1"
}

# measures COMMAND...: it ends with 0, or with 5 where the machine never came to rest.
measures() {
	code=0
	"$@" >out 2>err || code=$?
	[ $code -eq 0 ] || { [ $code -eq 5 ] && unsteady out; } || fail "exit code $code: $*: $(printed)"
}

# ---- KB_MAIN: the program of the document ---------------------------------------------------------------------

listings 'c program' add-a-benchmark.md >five.c
build five.c
listings c ../README.md >readme.c
build readme.c
case="KB_MAIN"
measures ./readme $brief --no-store
measures ./five $brief --json
mv out json
results json >rows
[ "$(cut -f 1,2 rows)" = "parse	unverified" ] || unsteady json || fail "$(cat rows)"
awk -F '\t' '$3 > 0 && $9 > 1 { good = 1 } END { exit !good }' rows || fail "no value, or of one process: $(cat rows)"
grep -q "\"command\": \"./five $brief --json\"" json || fail "its command is not kept: $(grep command json)"

case="KB_MAIN: its run is in the store"
id=$(sed -n 's/^ *"id": "\(.*\)",$/\1/p' json | head -n 1)
gives 0 show last
says '^ *parse '
gives 0 runs
says "$id"

case="KB_MAIN: the table"
measures ./five $brief --no-store
says '^five . 1 result'
says '^  parse .* [0-9.]* [nu]s '

case="KB_MAIN: what is typed wrong"
for wrong in --budgt=1s --plugin=x.so --budget pasre; do
	exits 2 ./five $wrong
	[ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] || fail "$wrong: $(printed)"
	says '^\./five: '
done
says "no benchmark 'pasre', did you mean parse\?|needs a value"
exits 0 ./five --help
says '^usage: ./five '
exits 2 ./five $brief --store /proc/none/x.db
says 'not saved'

# ---- KB_MAIN_OF: an operation that fails, one that crashes, parameters ------------------------------------------

cat >of.c <<'END'
#include <errno.h>
#include <kbench.h>
static uint64_t sum;
static int op(struct kb_run *run, uint64_t n)
{
	uint64_t step = kb_param_number(run, "step");

	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		sum += step;
		kb_clobber();
	}
	return 0;
}
static int check(struct kb_run *run, uint64_t n) { return sum == n * kb_param_number(run, "step") ? 0 : kb_fail(run, EILSEQ, "a wrong sum"); }
static int fails(struct kb_run *run, uint64_t n) { return n ? kb_fail(run, ENOENT, "reading the list") : 0; }
static int crashes(struct kb_run *run, uint64_t n) { (void)run; *(volatile int *)n = 1; return 0; }
static const struct kb_bench adds = {
	KB_BENCH("adds"), .per = "sum", .params = { { "step", "of a sum", KB_NUMBER, "3,4", 1, 9, NULL } }, .op = op, .check = check,
};
static const struct kb_bench failing = { KB_BENCH("failing"), .op = fails };
static const struct kb_bench crashing = { KB_BENCH("crashing"), .op = crashes };
static const struct kb_bench unnamed = { .op = op };
KB_MAIN_OF(&adds, &failing, &crashing KB_MORE)
END
sed 's/ KB_MORE//; /unnamed/d' of.c >several.c
sed 's/KB_MORE/, \&unnamed/' of.c >unnamed.c
build several.c
build unnamed.c
case="KB_MAIN_OF"
measures ./several adds -p step=3,5 $brief --json
results out | cut -f 1 >names
[ "$(cat names)" = "$(printf 'adds step=3\nadds step=5')" ] || fail "$(cat names)"
exits 2 ./several adds -p step=10
exits 5 ./several failing crashing $brief -v
reads 'failing .*invalid'
reads 'reading the list: No such file or directory'
reads 'SIGSEGV in crashes'
exits 2 ./unnamed
says 'does not begin with KB_BENCH'

case="Ctrl-C"
exits 130 timeout --preserve-status -s INT 3 ./several adds --budget 60s --precision 0.0011%
says 'stopped by signal 2'
gone() {
	! pgrep -f '[e]xe --bench=(adds|inside)' >left && ! find "$TMPDIR" -maxdepth 1 -name 'kbench-*' | grep . >left
}
await 5 gone || fail "left behind: $(cat left)"

# ---- kb_measure -----------------------------------------------------------------------------------------------

cat >inside.c <<'END'
#include <errno.h>
#include <fcntl.h>
#include <kbench_measure.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv);
/* Which process it was, and where its code lay. */
static int setup(struct kb_run *run)
{
	int file = open(getenv("PIDS"), O_WRONLY | O_CREAT | O_APPEND, 0600);

	dprintf(file, "%d %p\n", (int)getpid(), (void *)main);
	close(file);
	return kb_param_is(run, "how", "fails") ? kb_fail(run, EACCES, "opening the list") : 0;
}
static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		kb_keep(getppid());
	return 0;
}
static const struct kb_bench bench = {
	KB_BENCH("inside"), .per = "call", .params = { { "how", "it ends", KB_CHOICE, "well", 0, 0, "well,fails" } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } }, .setup = setup, .op = op, .base = kb_empty_loop,
};
static void handler(int number) { (void)number; }
int main(int argc, char **argv)
{
	struct kb_measure_options options = { .budget = 30, .precision = 0.9, .processes = 4, .params = argc > 2 ? argv[2] : NULL, .label = "inside" };
	bool again = argc > 1 && !strcmp(argv[1], "again"), endless = again || (argc > 1 && !strcmp(argv[1], "endless"));
	struct kb_measured found;
	struct sigaction before = { .sa_handler = handler }, after;

	if (argc < 2 || strcmp(argv[1], "nohook"))
		KB_MEASURABLE(argc, argv, &bench);
	printf("begun\n"); /* in no record, and once */
	sigaction(SIGINT, &before, NULL);
	if (endless) {
		options.processes = 1000;
		options.precision = 1e-6;
	}
	for (int round = 0; round < (again ? 2 : 1); round++) {
		int code = kb_measure(&bench, &options, &found);
		sigaction(SIGINT, NULL, &after);
		printf("code=%d value=%d unit=%s verdict=%s processes=%u run=%s restored=%d\n%s\n", code,
		       found.value > 0 && found.low <= found.value && found.value <= found.high, found.unit, found.verdict, found.processes,
		       found.run, after.sa_handler == handler, found.reasons);
		fflush(stdout);
	}
	return 0;
}
END
build inside.c
# inside ARGUMENT...: it ends with 0, has printed once, and left signals as they were.
inside() {
	: >pids         # a new file would be one that the benchmark left behind
	exits 0 ./inside "$@"
	[ "$(grep -c begun out)" -eq 1 ] || fail "printed twice: $(printed)"
	says 'restored=1'
}
has_number='^code=0 value=1 unit=ns verdict=(ok|noisy|unverified) processes=[1-9]'
case="kb_measure"
inside hook
unsteady out || says "$has_number"
! grep -q one_layout out || fail "one layout: $(printed)"
[ "$(cut -d ' ' -f 1 pids | sort -u | wc -l)" -ge 4 ] || fail "too few processes: $(cat pids)"
[ "$(cat /proc/sys/kernel/randomize_va_space)" -lt 2 ] || [ "$(cut -d ' ' -f 2 pids | sort -u | wc -l)" -ge 3 ] ||
	fail "no fresh layouts: $(cat pids)"
gives 0 show "$(sed -n 's/.* run=\([^ ]*\) .*/\1/p' out)"
says '^ *inside '

case="kb_measure without KB_MEASURABLE"
inside nohook
unsteady out || says 'verdict=(noisy|unverified)'
says '^noisy: one_layout: '
[ "$(cut -d ' ' -f 1 pids | sort -u | wc -l)" -ge 4 ] && [ "$(cut -d ' ' -f 2 pids | sort -u | wc -l)" -eq 1 ] || fail "$(cat pids)"
gives 0 show last
says 'one memory layout'

case="kb_measure: what fails"
inside hook how=fails
says '^code=-61 value=0 .*verdict=invalid'
says 'opening the list: Permission denied'
inside hook how=never
says '^code=-22 .* run= '
says 'how=never: must be one of'
inside hook how=well,fails
says '^code=-22 '

case="kb_measure, Ctrl-C"
: >pids
timeout --preserve-status -s INT 3 ./inside endless >out 2>err
says '^code=-4 .*restored=1'
await 5 gone || fail "left behind: $(cat left)"
case="kb_measure, Ctrl-C, and measured again"
interrupted() {
	[ "$(grep -c '^code=-4 .*restored=1' out)" -eq "$1" ]
}
env --default-signal=INT timeout -s KILL 60 ./inside again >out 2>err &
for times in 1 2; do
	: >pids
	await 20 [ -s pids ] || fail "does not begin to measure: $(printed)"
	kill -s INT "$(pgrep -P $!)"
	await 20 interrupted $times || fail "not interrupted $times times: $(printed)"
done
wait $!
case="kb_measure, kill -9"
timeout -s KILL 1 ./inside endless >out 2>err
await 5 gone || fail "left behind after kill -9: $(cat left)"

# ---- C++ ------------------------------------------------------------------------------------------------------

command -v g++ >/dev/null 2>&1 || skip "lacks g++"
cat >plus.cc <<'END'
#include <kbench_measure.h>
#include <cstdio>
#include <string>
static const std::string text = "-27315"; // made before main, in each process
static int parse(struct kb_run *, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		kb_keep(std::stoi(text));
	return 0;
}
#ifdef KB_INSIDE
static struct kb_bench bench = kb_bench_of("plus", parse);
int main(int argc, char **argv)
{
	struct kb_measure_options options = {};
	struct kb_measured found;
	bench.per = "number";
	KB_MEASURABLE(argc, argv, &bench);
	options.precision = 0.9;
	options.processes = 3;
	options.store = "";
	int code = kb_measure(&bench, &options, &found);
	std::printf("code=%d unit=%s verdict=%s kept=%d\n%s\n", code, found.unit, found.verdict, found.run[0] != 0, found.reasons);
	return !(found.value > 0);
}
#else
KB_MAIN("plus", parse)
#endif
END
{
	echo '#define KB_INSIDE'
	cat plus.cc
} >plus_inside.cc
build plus.cc
build plus_inside.cc
case="C++: KB_MAIN"
measures ./plus $brief
says '^  plus .* [0-9.]* [nu]s '
case="C++: kb_measure"
./plus_inside >out 2>err || unsteady out || fail "$(printed)"
unsteady out || says '^code=0 unit=ns verdict=unverified kept=0'
! grep -q one_layout out || fail "$(printed)"
