#!/bin/sh
# doc/gates.md: its commands for seL4 and its recipe run against the stand-in for a kernel and print what the page has; commands for Linux are taken as
# far as the kernels that they name. The codes are those of the help.
# runs: 12 s
set -u
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/sel4_machine.sh"
page=$KB_SRC/doc/gates.md

case $(uname -m) in x86_64 | aarch64) ;; *) skip "the stand-in is a riscv64 machine, as this one is" ;; esac
needs python3
unset SEL4_PREFIX SEL4_KERNEL SEL4_INCLUDE_DIRS COLUMNS
XDG_CACHE_HOME=$PWD/cache PATH=$(dirname "$KBENCH"):$PATH LC_ALL=C.UTF-8
export XDG_CACHE_HOME LC_ALL
sel4_machine || exit 1
kernel old
kernel new signal=1

# block LANGUAGE NUMBER: that listing of the page.
block() {
	awk -v open="^\`\`\`$1\$" -v wanted="$2" '$0 ~ open { inside = ++number == wanted; next } /^```$/ { inside = 0 } inside' "$page"
}

# prints CODE FILE SCRIPT: the script ends so and prints the file.
prints() {
	sh -u "$3" >out 2>err
	code=$?
	[ $code -eq "$1" ] || fail "exit code $code, not $1: $(cat "$3" out err)"
	diff "$2" out || fail "the page has another output of $(cat "$3")"
}

block sh 1 >command
block text 1 >wanted
prints 1 wanted command

# The recipe, with the one benchmark that its table shows: all of them take minutes here.
block yaml 1 | sed -n '/run: |/,$p' | sed '1d; s/^          //; s/sel4 insn/sel4 insn sel4.signal/' >recipe
block text 2 >wanted
sh -u recipe >out 2>err
code=$?
[ $code -eq 1 ] || fail "the recipe ends with $code, not 1: $(cat out err)"
diff wanted summary.md || fail "the recipe posts another table"

# Kernels of Linux that are not there.
block sh 2 | while read -r line; do
	(eval "$line") >out 2>err
	code=$?
	[ $code -eq 2 ] && grep -q 'no kernel for x86_64' err || echo "exit code $code: $line: $(cat err)"
done >wrong
[ ! -s wrong ] || fail "$(cat wrong)"
for name in hrtimer kthread_wake rcu_wait smp_call timer_wakeup wait_queue workqueue random_bytes random_u32; do
	grep -q "kernel\.$name[,\"]" "$KB_SRC/src/workflow/guest/guest.c" || fail "kernel.$name is counted without being named"
done
