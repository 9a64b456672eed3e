#!/bin/sh
# Everything that kbench.ko and the benchmarks promise but numbers: runs, records, refusals, kills, unloading.
. /test/common.sh

part load
load_all
[ -c $device ] && [ -d $kbench ] || complain "no $device or no $kbench"
# Who only reads /sys must not start anything.
stat -c '%a %n' $device $kbench/*/* | grep -v '^[46]00 ' >/tmp/modes
[ ! -s /tmp/modes ] || complain "others may use $(head -n 3 /tmp/modes)"
. /test/runs.sh
. /test/device.sh
. /test/refusals.sh
. /test/kill.sh
[ ! -r /test/fib.sh ] || . /test/fib.sh
[ ! -r /test/own.sh ] || . /test/own.sh
. /test/unload.sh
[ ! -x /bin/kbench ] || . /test/rows.sh
part end
finish
