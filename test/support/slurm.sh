# shellcheck shell=sh
# A Slurm cluster on this machine, for one test: a slurmctld and several slurmd, each with a name and a port of its own, all on loopback
# and in one directory, without any right. Use it behind check.sh: `. "$KB_SRC/test/support/slurm.sh"`, start_slurm DIR NODES, and
# at_end=stop_slurm. The commands of Slurm find it by SLURM_CONF, which start_slurm exports. Nothing authenticates anybody (auth/none),
# as all daemons listen on loopback only; Debian's slurmd is built with --enable-multiple-slurmd, which is what -N needs.

slurm_pids=

# needs_slurm: skips where it is not installed, or is a build without what is used here.
needs_slurm() {
	PATH=$PATH:/usr/sbin:/sbin
	needs slurmctld slurmd sbatch squeue scancel scontrol
	slurm_plugins=$(find /usr/lib /usr/lib64 -name auth_none.so -path '*slurm*' 2>/dev/null | head -n 1)
	[ -n "$slurm_plugins" ] || skip "lacks Slurm's auth/none"
}

# slurm_port: a number that is likely free; several tests may run at once.
slurm_port() {
	echo $((20000 + ($$ * 37 + $1 * 101) % 20000))
}

# slurm_conf DIR NODES BASE-PORT
slurm_conf() {
	cat <<END
ClusterName=kbench
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$3
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/none
CredType=cred/none
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool.%n
SlurmctldPidFile=$1/slurmctld.pid
SlurmdPidFile=$1/slurmd.%n.pid
SlurmctldLogFile=$1/slurmctld.log
SlurmdLogFile=$1/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,batch_sched_delay=0,sched_min_interval=0
ReturnToService=2
SlurmdTimeout=${slurmd_timeout:-60}
KillWait=5
MinJobAge=${slurm_min_job_age:-300}
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
END
	n=1
	while [ $n -le "$2" ]; do
		echo "NodeName=n$n NodeHostname=localhost NodeAddr=127.0.0.1 Port=$(($3 + n)) CPUs=1 State=UNKNOWN"
		n=$((n + 1))
	done
	echo "PartitionName=debug Nodes=n[1-$2] Default=YES MaxTime=60 State=UP"
}

# start_slurm DIR NODES: returns when all nodes are idle. Leaves $slurm_pids, and $slurmd_1 ... of the nodes.
start_slurm() {
	slurm_dir=$1 slurm_nodes=$2
	mkdir -p "$slurm_dir/state"
	chmod 0755 "$slurm_dir"
	try=0
	while :; do
		slurm_conf "$slurm_dir" "$slurm_nodes" "$(slurm_port $try)" >"$slurm_dir/slurm.conf"
		export SLURM_CONF="$slurm_dir/slurm.conf"
		try_slurm && return 0
		stop_slurm
		try=$((try + 1))
		[ $try -lt 3 ] || { tail -n 20 "$slurm_dir"/*.log; fail "no cluster came up in $slurm_dir"; return 1; }
		rm -rf "$slurm_dir/state" "$slurm_dir"/spool.*
		mkdir "$slurm_dir/state"
	done
}

# start_daemon NAME WORDS...: in the foreground of its own job, so that its number is known. A new session: Ctrl-C is the test's.
start_daemon() {
	setsid "$@" >>"$slurm_dir/daemons.log" 2>&1 </dev/null &
	slurm_pids="$slurm_pids $!"
}

try_slurm() {
	slurm_pids=
	start_daemon slurmctld -D -f "$SLURM_CONF"
	node=1
	while [ $node -le "$slurm_nodes" ]; do
		start_daemon slurmd -D -N "n$node" -f "$SLURM_CONF"
		eval "slurmd_$node=$!"
		node=$((node + 1))
	done
	# Where the test is killed, another shell stops the cluster a second later.
	# shellcheck disable=SC2016,SC2086 # that shell's; numbers
	setsid sh -c '. "$0"; test=$1; shift; slurm_pids=$*
		while kill -0 "$test" && kill -0 "$1"; do sleep 1; done
		stop_slurm' "$KB_SRC/test/support/slurm.sh" $$ $slurm_pids >/dev/null 2>&1 </dev/null &
	keeper=$!
	wait_slurm 15 all_idle
}

all_idle() {
	[ "$(timeout 5 sinfo -h -N -o '%N %t' 2>/dev/null | grep -c ' idle$')" -eq "$slurm_nodes" ]
}

# wait_slurm SECONDS COMMAND...: until it succeeds, which is looked at five times a second.
wait_slurm() {
	tries=$(($1 * 5))
	shift
	while ! "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.2
	done
}

# slurm_children PID...: those processes and all below them.
slurm_children() {
	for pid; do
		echo "$pid"
		# shellcheck disable=SC2046 # numbers
		slurm_children $(cat "/proc/$pid/task"/*/children 2>/dev/null)
	done
}

# slurm_steps [NODE]: process numbers of slurmstepd of this cluster, or of one node of it: they leave their slurmd, and are known by what their
# tasks have in their environment.
# shellcheck disable=SC2120 # tests call it with one
slurm_steps() {
	for directory in /proc/[0-9]*; do
		[ "$(cat "$directory/comm" 2>/dev/null)" = slurmstepd ] || continue
		for task in $(cat "$directory/task"/*/children 2>/dev/null); do
			slurm_has "$task" "SLURM_CONF=$SLURM_CONF" || continue
			[ $# -eq 0 ] || slurm_has "$task" "SLURMD_NODENAME=$1" || continue
			echo "${directory#/proc/}"
		done
	done
}

# slurm_has PID NAME=VALUE
slurm_has() {
	[ -r "/proc/$1/environ" ] && tr '\0' '\n' 2>/dev/null <"/proc/$1/environ" | grep -Fqx -e "$2"
}

# stop_slurm: tasks, then daemons; by number, without asking Slurm, and in a few seconds at the most.
stop_slurm() {
	[ -n "$slurm_pids" ] || return 0
	# shellcheck disable=SC2046,SC2086,SC2119 # numbers; of all nodes
	{
		steps=$(slurm_children $(slurm_steps))
		[ -z "$steps" ] || kill -9 $steps 2>/dev/null
		kill $slurm_pids 2>/dev/null
		wait_slurm 3 slurm_is_over || kill -9 $slurm_pids 2>/dev/null
		wait $slurm_pids $keeper 2>/dev/null
	}
	slurm_pids=
}

slurm_is_over() {
	for pid in $slurm_pids; do
		[ ! -d "/proc/$pid" ] || grep -q '^State:.Z' "/proc/$pid/status" 2>/dev/null || return 1
	done
}
