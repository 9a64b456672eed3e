#!/bin/sh
# Inside limits: a quota of half a CPU stops processes, which the result gives as a cause, and the uncontended cost is the one of no
# quota; a user without rights, on one CPU and without /sys, gets a result and no claim about what nobody can see.
# runs: alone, full; it judges times within a quota of the CPU, four measurements of 6 s
set -eu
. "$KB_SRC/test/support/check.sh"

[ "$(id -u)" -eq 0 ] || skip "making a control group needs root"
shown=$(mktemp -d /tmp/kbench-quota.XXXXXX) || skip "no folder that everybody may enter"
group=
at_end='rm -rf "$shown"; [ -z "$group" ] || rmdir "$group"'


# value FILE NAME: the first number of that name.
value() {
	sed -n "s/^ *\"$2\": \([-0-9.e+]*\),*\$/\1/p" "$1" | head -n 1
}

# least FILE...: the uncontended cost of their cheapest process. Processes that make system calls come in kinds, 7 % apart (doc/noise.md), and the
# quota leaves fewer of them, so that the cheapest kind may not be among them. A cost in which the quota stood would be twice as high.
least() {
	sed -n 's/^ *"uncontended": \([-0-9.e+]*\),*$/\1/p' "$@" | sort -g | head -n 1
}

# ---- nobody, one CPU, no /sys ------------------------------------------------------------------------------

# The folders of tests may be closed to others, so the programs are copied.
chmod 755 "$shown"
cp "$KBENCH" "$KB_COLLECT" "$shown"/
mkdir -m 777 "$shown/tmp"
cpu=$(first_cpu)

# bare ARGUMENT...: kbench as nobody, without /sys.
bare() {
	timeout 120 unshare -m sh -c "mount -t tmpfs none /sys && exec taskset -c $cpu setpriv --reuid=65534 --regid=65534 --clear-groups \
		env TMPDIR=$shown/tmp HOME=/nonexistent XDG_DATA_HOME=$shown/tmp $shown/kbench \"\$@\"" sh "$@"
}

if unshare -m true 2>error; then
	bare run sys.null --budget 4s --no-store --json >bare.json 2>error || fail "as nobody without /sys: exit code $?: $(cat error)"
	grep -q '"benchmark": "sys.null"' bare.json || fail "as nobody without /sys there is no result"
	[ -n "$(value bare.json value)" ] || fail "as nobody without /sys there is no cost: $(cat bare.json)"
	! grep -q '"throttled"' bare.json || fail "a quota is claimed that nobody can see"
	bare doctor --budget 300ms --json >doctor.json 2>error || fail "doctor as nobody without /sys: exit code $?: $(cat error)"
	grep -q '"what": "unknown"' doctor.json || fail "doctor claims to know all without /sys"
fi

# ---- half a CPU --------------------------------------------------------------------------------------------

inside=$(sed -n 's/^[0-9]*:\([^:]*,\)*cpu\(,[^:]*\)*://p' /proc/self/cgroup) version=1
mounted=$(sed -n 's/^cgroup \([^ ]*\) cgroup \([^ ]*,\)*cpu[, ].*/\1/p' /proc/self/mounts | head -n 1)
[ -n "$inside" ] || {
	inside=$(sed -n 's/^0:://p' /proc/self/cgroup) version=2
	mounted=$(sed -n 's/^[^ ]* \([^ ]*\) cgroup2 .*/\1/p' /proc/self/mounts | head -n 1)
}
[ -n "$mounted" ] || skip "no control groups for CPU time are mounted"
path=${mounted}${inside%/}/kbench-quota-$$
mkdir "$path" 2>error || skip "no control group can be made: $(cat error)"
group=$path
if [ $version = 1 ]; then
	echo 20000 >"$group/cpu.cfs_period_us" && echo 10000 >"$group/cpu.cfs_quota_us"
else
	echo '10000 20000' >"$group/cpu.max"
fi 2>error || skip "no quota can be set: $(cat error)"

# measure FILE COMMAND...: half of the time inside and outside in turn, so that the machine's state is the same for both.
measure() {
	file=$1
	shift
	timeout 120 "$@" "$KBENCH" run sys.null --budget 6s --precision 0.1% --no-store --json >"$file" 2>error || fail "$file: exit code $?: $(cat error)"
}

limited() {
	# shellcheck disable=SC2016 # the inner shell's
	measure "$1" sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group"
}

measure free.1
limited limited.1
limited limited.2
measure free.2
for run in 1 2; do
	grep -q '"code": "throttled"' limited.$run || fail "nothing of the quota: $(grep -A3 '"code"' limited.$run)"
	grep -Eq '"evidence": "[0-9.e+]+ ms in [0-9]+ of [0-9]+ processes"' limited.$run || fail "how long it was stopped is not told"
	! grep -q '"code": "throttled"' free.$run || fail "a quota is claimed where there is none"
done

# Of contended times nothing can be compared.
free=$(least free.1 free.2) limited=$(least limited.1 limited.2)
[ -n "$free" ] && [ -n "$limited" ] || skip "the core was contended throughout: costs cannot be compared"
echo "free $free, limited $limited" | awk '{ ratio = $4 / $2; print $0 ": limited over free", ratio
	exit !(ratio > 0.9 && ratio < 1.1) }' || fail "the quota changes the uncontended cost"
