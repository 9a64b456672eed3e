#!/bin/sh
# Plug-ins that misbehave before anything is measured: in their constructors, in what they say of themselves, at their end. kbench itself
# runs none of their code, keeps to --timeout, says what is wrong in one line, and leaves nothing behind.
# runs: slow, 22 s
set -u
. "$KB_SRC/test/support/check.sh"

cat >plugin.c <<'END'
#include <kbench.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const wild = (const char *)8;

static void mark(const char *name, int number)
{
	FILE *file = fopen(name, "w");

	fprintf(file, "%d\n", number);
	fclose(file);
}

/* Who runs it: of kbench itself nobody may. */
static void note_who(void)
{
	char name[64] = "";
	FILE *file = fopen("/proc/self/comm", "r");

	fgets(name, sizeof name, file);
	fclose(file);
	file = fopen("who", "a");
	fputs(name, file);
	fclose(file);
}

__attribute__((constructor)) static void begin(void)
{
	note_who();
#ifdef HANG
	for (;;)
		pause();
#elif defined(CRASH)
	*(volatile int *)8 = 1;
#elif defined(EXIT)
	exit(0);
#elif defined(PRINT)
	puts("kbench-description 3\nbench name=plugin.other hooks=op,\nend");
	fflush(stdout);
#elif defined(FORK)
	if (fork() == 0) {
		mark("daemon", getpid());
		for (;;)
			pause();
	}
	while (access("daemon", F_OK))
		usleep(1000);
#elif defined(CLOSE)
	for (int fd = 0; fd < 64; fd++)
		close(fd);
	for (;;)
		pause();
#endif
}

#ifdef END_HANGS
__attribute__((destructor)) static void finish(void)
{
	for (;;)
		pause();
}
#endif

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)mark;
	(void)wild;
	while (n--)
		kb_clobber();
	return 0;
}

#ifndef FIELDS
#define FIELDS .summary = "it turns"
#endif
#ifdef LATER
/* What the compiler takes for no constant. */
struct kb_bench kb_plugin;
__attribute__((constructor)) static void fill(void) { kb_plugin = (struct kb_bench){ .abi = KB_ABI, .size = sizeof kb_plugin, .op = op, FIELDS }; }
#else
KB_BENCHMARK(.op = op, FIELDS);
#endif
END

# build NAME FLAG...
build() {
	name=$1
	shift
	$cc -O1 -w -shared -fPIC -I"$KB_SRC/include" "$@" plugin.c -o "$name.so" || fail "$name does not compile"
}

now() {
	date +%s
}

# refused NAME PATTERN: within the limit, exit code 2, one line.
refused() {
	begun=$(now)
	refuses 2 "$2" run --plugin "./$1.so" --timeout 2s --budget 1s --no-store
	[ $(($(now) - begun)) -le 10 ] || fail "$1: it took $(($(now) - begun)) s"
}

# ---- constructors ------------------------------------------------------------------------------------------

build hang -DHANG
refused hang 'it was not loaded within 2 s; does a constructor of it hang\? \(--timeout allows more\)'
build crash -DCRASH
refused crash 'it ended the collector by SIGSEGV while it was loaded'
build exit -DEXIT
refused exit 'it ended the collector with exit code 0 while it was loaded'
build close -DCLOSE
refused close 'it was not loaded within 2 s'
rm -f who
build print -DPRINT
"$KBENCH" run --plugin ./print.so --budget 3s --processes 1 --no-store --json >out 2>err
grep -q '"benchmark": "plugin.print"' out || fail "what a constructor prints is taken for its description: $(head -c 300 out err)"
build fork -DFORK
timeout 60 "$KBENCH" run --plugin ./fork.so --timeout 5s --budget 3s --processes 1 --no-store >out 2>err
# It may be waiting for somebody to ask how it ended.
! grep -q '^State:.[^Z]' "/proc/$(cat daemon)/status" 2>/dev/null || fail "what a constructor started lives on"
build end_hangs -DEND_HANGS
timeout 60 "$KBENCH" run --plugin ./end_hangs.so --timeout 1s --budget 3s --processes 1 --no-store --json >out 2>err
grep -q '"benchmark": "plugin.end_hangs"' out || fail "a destructor that hangs keeps it from being loaded: $(cat err)"
[ "$(sort -u who)" = kbench-collect ] || fail "code of a plug-in ran in: $(sort -u who)"
# In a comparison as well, on either side.
begun=$(now)
gives 2 ab --a ./hang.so --b ./print.so --timeout 2s --budget 1s --no-store
says 'hang.so: it was not loaded within 2 s'
[ $(($(now) - begun)) -le 10 ] || fail "ab with a plug-in that hangs took $(($(now) - begun)) s"

# That the collector does not run is no fault of the plug-in's.
mkdir bare
cp "$KBENCH" bare/kbench
cp "$KB_COLLECT" bare/kbench-collect
chmod a-x bare/kbench-collect
exits 2 bare/kbench run --plugin ./print.so --budget 1s --no-store
says 'cannot run .*bare/kbench-collect'

# ---- what they say of themselves ---------------------------------------------------------------------------

# tells NAME FIELDS PATTERN [FLAG]
tells() {
	build "$1" -DFIELDS="$2" ${4:-}
	refused "$1" "$3"
}
tells escape '.summary = "\033]0;title\007"' 'summary .*only visible characters'
tells bidi '.per = "\342\200\256call"' 'per .*only visible characters'
tells bytes '.lmbench = "\377"' 'lmbench .*only visible characters'
tells no_values '.params = { { "size", "bytes", KB_SIZE, 0, 1, 2, 0 } }' 'parameter size: it has no values'
tells no_choices '.params = { { "how", "which", KB_CHOICE, "a", 0, 0, 0 } }' 'parameter how: a KB_CHOICE needs choices'
tells no_such_choice '.params = { { "how", "which", KB_CHOICE, "a", 0, 0, "b,c" } }' 'how=a: must be one of b,c'
tells outside '.params = { { "n", "count", KB_NUMBER, "9", 10, 20, 0 } }' 'n=9: outside 10..20'
tells bounds '.params = { { "n", "count", KB_NUMBER, "9", 20, 10, 0 } }' 'parameter n: its min is above its max'
tells twice '.params = { { "n", "a", KB_NUMBER, "1", 1, 2, 0 }, { "n", "b", KB_NUMBER, "1", 1, 2, 0 } }' 'there are two of this name'
tells blank '.params = { { "a b", "a", KB_NUMBER, "1", 1, 2, 0 } }' 'parameter "a b": is no name'
tells colour '.params = { { "\033[31mred", "a", KB_NUMBER, "1", 1, 2, 0 } }' 'parameter .*: is no name'
tells kind '.params = { { "n", "a", 77, "1", 1, 2, 0 } }' 'its kind must be one of'
tells nowhere '.expect = { { KB_MINFLT, 1, .when = "place=here" } }' "has no parameter 'place': so the claim with .when .place=here. would never be checked"
tells not_a_number '.expect = { { KB_MINFLT, 1, .tolerance = __builtin_nan("") } }' 'tolerance must be a number'
tells negative '.expect = { { KB_MINFLT, -1 } }' 'per_op and per_sample must be numbers from 0 on'
tells no_counter '.expect = { { 999, 1 } }' 'its counter must be one of'
tells no_who '.expect = { { KB_MINFLT, 1, .who = 9 } }' 'its who must be one of'
tells no_suite '.suite = 99' 'suite: must be one of'
tells no_need '.needs = 64' 'needs: must be bits of'
tells small_max '.granule = 64, .max_n = 8' 'max_n: is below granule'
tells no_base '.method = KB_PAIRED' 'KB_PAIRED needs a base'
tells other_name '.name = "two words"' 'name "two words": is no name for a benchmark'
tells our_name '.name = "sys.null"' "our_name.so: the name 'sys.null' is among those of benchmarks that come with kbench; give yours another"
tells wild_summary '.summary = (const char *)8' 'it ended the collector by SIGSEGV'
tells wild_parameter '.params = { { (const char *)8, "a", KB_NUMBER, "1", 1, 2, 0 } }' 'it ended the collector by SIGSEGV'
tells late_nonsense '.params = { { "n", "a", KB_NUMBER, 0, 1, 2, 0 } }' 'parameter n: it has no values' -DLATER
# But a Yamba program may be one of ours that was changed.
ours=$("$KBENCH" list --suite full 2>/dev/null | sed -n 's/^ *\(yamba\.[a-z_0-9]*\).*/\1/p' | head -n 1)
[ -n "$ours" ] || fail "no Yamba program comes with kbench"
build changed -DFIELDS=".name = \"$ours\""
"$KBENCH" run --plugin ./changed.so --budget 3s --processes 1 --no-store --json >out 2>err
grep -q "\"benchmark\": \"$ours\"" out || fail "a changed Yamba program: $(cat err)"
# A fifo and a folder are no shared objects, and nobody waits for a writer.
mkfifo fifo.so
refused fifo 'it was not loaded within 2 s|cannot load the plug-in'
mkdir folder.so
refused folder 'cannot load the plug-in'

# ---- what must go on working -------------------------------------------------------------------------------

build good -DFIELDS='.summary = "µs, ± and 日本 are text", .bound = KB_ISSUE, .params = { { "n", "how many", KB_NUMBER, "1,2", 1, 9, 0 } }'
timeout 60 "$KBENCH" run --plugin ./good.so --budget 4s --processes 1 --no-store --json >out 2>err || fail "a good one: exit code $?: $(cat err)"
[ "$(grep -c '"benchmark": "plugin.good"' out)" -eq 2 ] || fail "a good one has not two rows: $(cat out)"
! pgrep -g 0 -x kbench-collect >/dev/null 2>&1 || fail "a collector lives on"
