#!/bin/sh
# Plug-ins that misbehave before anything is measured: in their constructors, in what they say of themselves, at their end. kbench itself
# runs none of their code, keeps to --timeout, says what is wrong in one line, and leaves nothing behind.
set -u
cc=$(sed -n 's/^CC = //p' "$KB_BUILD/config.mk")
failed=0

complain() {
	echo "plugin_load: $1"
	failed=1
}

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
	$cc -O1 -w -shared -fPIC -I"$KB_SRC/include" "$@" plugin.c -o "$name.so" || complain "$name does not compile"
}

now() {
	date +%s
}

# refused NAME PATTERN: within the limit, exit code 2, one line.
refused() {
	begun=$(now)
	code=0
	timeout 30 "$KBENCH" run --plugin "./$1.so" --timeout 2s --budget 1s --no-store >out 2>err || code=$?
	[ $(($(now) - begun)) -le 10 ] || complain "$1: it took $(($(now) - begun)) s"
	[ $code -eq 2 ] || complain "$1: exit code $code: $(cat out err)"
	[ "$(wc -l <err)" -eq 1 ] && grep -Eq -e "$2" err || complain "$1: not '$2' but: $(cat err)"
	[ ! -s out ] || complain "$1: something on standard output: $(cat out)"
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
grep -q '"benchmark": "plugin.print"' out || complain "what a constructor prints is taken for its description: $(head -c 300 out err)"
build fork -DFORK
timeout 60 "$KBENCH" run --plugin ./fork.so --timeout 5s --budget 3s --processes 1 --no-store >out 2>err
# It may be waiting for somebody to ask how it ended.
! grep -q '^State:.[^Z]' "/proc/$(cat daemon)/status" 2>/dev/null || complain "what a constructor started lives on"
build end_hangs -DEND_HANGS
timeout 60 "$KBENCH" run --plugin ./end_hangs.so --timeout 1s --budget 3s --processes 1 --no-store --json >out 2>err
grep -q '"benchmark": "plugin.end_hangs"' out || complain "a destructor that hangs keeps it from being loaded: $(cat err)"
[ "$(sort -u who)" = kbench-collect ] || complain "code of a plug-in ran in: $(sort -u who)"
# In a comparison as well, on either side.
begun=$(now)
code=0
timeout 60 "$KBENCH" ab --a ./hang.so --b ./print.so --timeout 2s --budget 1s --no-store >out 2>err || code=$?
[ $code -eq 2 ] && [ $(($(now) - begun)) -le 10 ] && grep -q 'hang.so: it was not loaded within 2 s' err ||
	complain "ab with a plug-in that hangs: exit code $code: $(cat err)"

# That the collector does not run is no fault of the plug-in's.
mkdir bare
cp "$KBENCH" bare/kbench
cp "$KB_COLLECT" bare/kbench-collect
chmod a-x bare/kbench-collect
code=0
bare/kbench run --plugin ./print.so --budget 1s --no-store >out 2>err || code=$?
[ $code -eq 2 ] && grep -q 'cannot run .*bare/kbench-collect' err || complain "a collector that does not run: exit code $code: $(cat err)"

# ---- what they say of themselves ---------------------------------------------------------------------------

# says NAME FIELDS PATTERN
says() {
	build "$1" -DFIELDS="$2" ${4:-}
	refused "$1" "$3"
}
says escape '.summary = "\033]0;title\007"' 'summary .*only visible characters'
says bidi '.per = "\342\200\256call"' 'per .*only visible characters'
says bytes '.lmbench = "\377"' 'lmbench .*only visible characters'
says no_values '.params = { { "size", "bytes", KB_SIZE, 0, 1, 2, 0 } }' 'parameter size: it has no values'
says no_choices '.params = { { "how", "which", KB_CHOICE, "a", 0, 0, 0 } }' 'parameter how: a KB_CHOICE needs choices'
says no_such_choice '.params = { { "how", "which", KB_CHOICE, "a", 0, 0, "b,c" } }' 'how=a: must be one of b,c'
says outside '.params = { { "n", "count", KB_NUMBER, "9", 10, 20, 0 } }' 'n=9: outside 10..20'
says bounds '.params = { { "n", "count", KB_NUMBER, "9", 20, 10, 0 } }' 'parameter n: its min is above its max'
says twice '.params = { { "n", "a", KB_NUMBER, "1", 1, 2, 0 }, { "n", "b", KB_NUMBER, "1", 1, 2, 0 } }' 'there are two of this name'
says blank '.params = { { "a b", "a", KB_NUMBER, "1", 1, 2, 0 } }' 'parameter "a b": is no name'
says colour '.params = { { "\033[31mred", "a", KB_NUMBER, "1", 1, 2, 0 } }' 'parameter .*: is no name'
says kind '.params = { { "n", "a", 77, "1", 1, 2, 0 } }' 'its kind must be one of'
says nowhere '.expect = { { KB_MINFLT, 1, .when = "place=here" } }' "has no parameter 'place': so the claim with .when .place=here. would never be asked for"
says not_a_number '.expect = { { KB_MINFLT, 1, .tolerance = __builtin_nan("") } }' 'tolerance must be a number'
says negative '.expect = { { KB_MINFLT, -1 } }' 'per_op and per_sample must be numbers from 0 on'
says no_counter '.expect = { { 999, 1 } }' 'its counter must be one of'
says no_who '.expect = { { KB_MINFLT, 1, .who = 9 } }' 'its who must be one of'
says no_suite '.suite = 99' 'suite: must be one of'
says no_need '.needs = 64' 'needs: must be bits of'
says small_max '.granule = 64, .max_n = 8' 'max_n: is below granule'
says no_base '.method = KB_PAIRED' 'KB_PAIRED needs a base'
says other_name '.name = "two words"' 'name "two words": is no name for a benchmark'
says our_name '.name = "sys.null"' "our_name.so: the name 'sys.null' is among those of benchmarks that come with kbench; give yours another"
says wild_summary '.summary = (const char *)8' 'it ended the collector by SIGSEGV'
says wild_parameter '.params = { { (const char *)8, "a", KB_NUMBER, "1", 1, 2, 0 } }' 'it ended the collector by SIGSEGV'
says late_nonsense '.params = { { "n", "a", KB_NUMBER, 0, 1, 2, 0 } }' 'parameter n: it has no values' -DLATER
# But a Yamba program may be one of ours that was changed.
ours=$("$KBENCH" list --suite full 2>/dev/null | sed -n 's/^ *\(yamba\.[a-z_0-9]*\).*/\1/p' | head -n 1)
[ -n "$ours" ] || complain "no Yamba program comes with kbench"
build changed -DFIELDS=".name = \"$ours\""
"$KBENCH" run --plugin ./changed.so --budget 3s --processes 1 --no-store --json >out 2>err
grep -q "\"benchmark\": \"$ours\"" out || complain "a changed Yamba program: $(cat err)"
# A fifo and a folder are no shared objects, and nobody waits for a writer.
mkfifo fifo.so
refused fifo 'it was not loaded within 2 s|cannot load the plug-in'
mkdir folder.so
refused folder 'cannot load the plug-in'

# ---- what must go on working -------------------------------------------------------------------------------

build good -DFIELDS='.summary = "µs, ± and 日本 are text", .params = { { "n", "how many", KB_NUMBER, "1,2", 1, 9, 0 } }'
timeout 60 "$KBENCH" run --plugin ./good.so --budget 4s --processes 1 --no-store --json >out 2>err || complain "a good one: exit code $?: $(cat err)"
[ "$(grep -c '"benchmark": "plugin.good"' out)" -eq 2 ] || complain "a good one has not two rows: $(cat out)"
! pgrep -g 0 -x kbench-collect >/dev/null 2>&1 || complain "a collector lives on"
[ $failed -eq 0 ] && echo "plugin_load: 37 plug-ins"
exit $failed
