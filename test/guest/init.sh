#!/bin/sh
# The first process of the guest: mounts what a job expects, runs /test/$kb_job.sh (a word of the kernel's command line),
# says RESULT and switches off. A job's exit code 0 means ok; what the kernel complained about makes it failed.
PATH=/bin:/sbin
export PATH

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs -o size=40m tmpfs /tmp
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
ip link set lo up
export HOME=/tmp TMPDIR=/tmp LC_ALL=C TERM=dumb
cd /tmp || poweroff -f

# Straight to the console, so that one that never ends has said how far it came; counts go through a file, so that the serial
# line does not interrupt what is counted.
if [ "${kb_job:-hello}" = insn ]; then
	sh /test/insn.sh >/tmp/said 2>&1
	code=$?
	cat /tmp/said
else
	sh "/test/${kb_job:-hello}.sh" 2>&1
	code=$?
fi

# What the kernel only says when something is wrong. `taint` of unsigned modules is no complaint.
dmesg >/tmp/log
if grep -n -E 'WARNING:|BUG:|BUG |Oops|general protection|Call Trace|stall|hung task|oom-killer|use-after-free|KFENCE|kmemleak|refcount_t|unable to handle|[Ss]oft lockup|slab.*Objects remaining|scheduling while atomic' \
	/tmp/log >/tmp/complaints; then
	echo "the kernel complains:"
	# All of them, and what stands around the first.
	head -n 20 /tmp/complaints
	first=$(head -n 1 /tmp/complaints | cut -d : -f 1)
	awk -v first="$first" 'NR >= first - 3 && NR <= first + 40' /tmp/log
	code=1
fi
if [ "$code" -eq 0 ]; then
	echo "RESULT ok"
else
	echo "RESULT failed $code"
fi
poweroff -f
