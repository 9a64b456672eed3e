# What the jobs of the guest share. A job counts its complaints and goes on, so that one boot tells everything.
kbench=/sys/kernel/kbench
device=/dev/kbench
record=/tmp/record
modules=/lib/modules/$(uname -r)/kbench
complaints=0

complain() {
	echo "FAILED: $*"
	complaints=$((complaints + 1))
}

# part NAME: says where the job is, and how long it has been going.
part() {
	echo "== $1 ($(cut -d ' ' -f 1 /proc/uptime) s)"
}

# Processes are dear in an emulated machine: what follows starts none where the shell itself can do it.

# errno_in FILE: $said becomes the name of the error in what a command of the shell printed; `ok` if it printed nothing.
errno_in() {
	text=''
	read -r text <"$1"
	case $text in
	"") said=ok ;;
	*"Numerical result out of range"*) said=ERANGE ;;
	*"Invalid argument"*) said=EINVAL ;;
	*"Device or resource busy"*) said=EBUSY ;;
	*"Resource temporarily unavailable"*) said=EAGAIN ;;
	*"Timer expired"*) said=ETIME ;;
	*"Argument list too long"*) said=E2BIG ;;
	*"Cannot allocate memory"* | *"Out of memory"* | *"out of memory"*) said=ENOMEM ;;
	*"Operation not permitted"*) said=EPERM ;;
	*"Permission denied"*) said=EACCES ;;
	*"No such file or directory"* | *"nonexistent directory"*) said=ENOENT ;;
	*"No such device"*) said=ENODEV ;;
	*"Bad message"*) said=EBADMSG ;;
	*"Interrupted system call"*) said=EINTR ;;
	*) said="?($text)" ;;
	esac
}

# expect ERRNO[|ERRNO] WHAT: of $said.
expect() {
	case "|$1|" in
	*"|$said|"*) ;;
	*) complain "$2: $said, not $1" ;;
	esac
}

# store BENCH PARAMETER VALUE: $said.
store() {
	{ echo "$3" >"$kbench/$1/$2"; } 2>/tmp/error
	errno_in /tmp/error
}

# set_to BENCH PARAMETER VALUE...: must work.
set_to() {
	bench=$1
	shift
	while [ $# -gt 1 ]; do
		store "$bench" "$1" "$2"
		expect ok "$bench: $1=$2"
		shift 2
	done
}

# run_of BENCH: `cat run` into /tmp/run and $said; $line is its first line, whose fields become $min $p50 $p90 $p95 $max $count.
run_of() {
	line='' min='' max='' count='' p95='' p90='' p50='' mad=''
	cat "$kbench/$1/run" >/tmp/run 2>/tmp/error
	errno_in /tmp/error
	read -r line </tmp/run
	for field in $line; do
		case $field in
		min=*) min=${field#*=} ;;
		max=*) max=${field#*=} ;;
		count=*) count=${field#*=} ;;
		95th=*) p95=${field#*=} ;;
		90th=*) p90=${field#*=} ;;
		50th=*) p50=${field#*=} ;;
		mad=*) mad=${field#*=} ;;
		esac
	done
}

benches() {
	ls "$kbench"
}

# talk LINE...: writes the lines to the device, all from one process; what was read is in $record, $said is `ok` or the first
# error, $at the line that gave it, after which nothing is written.
talk() {
	: >/tmp/error
	: >/tmp/at
	(
		exec 3<>"$device" || exit
		for line in "$@"; do
			if ! { echo "$line" >&3; } 2>/tmp/error; then
				echo "$line" >/tmp/at
				break
			fi
		done
		cat <&3 >"$record"
	) 2>/tmp/open
	at=open
	errno_in /tmp/open
	[ "$said" = ok ] || return
	read -r at </tmp/at
	errno_in /tmp/error
}

# await FILE WHAT: until another process made it, 20 s at most.
await() {
	tries=0
	until [ -e "$1" ]; do
		tries=$((tries + 1))
		[ $tries -lt 2000 ] || {
			complain "$2: did not happen in 20 s"
			return 1
		}
		usleep 10000
	done
}

# load NAME...: with what they depend on.
load() {
	for name in "$@"; do
		error=$(modprobe "$name" 2>&1) || complain "modprobe $name: $error $(dmesg | tail -n 1)"
	done
}

load_all() {
	load kbench
	for module in "$modules"/kbench_*.ko; do
		name=${module##*/}
		load "${name%.ko}"
	done
}

# unload_all: also what holds on for a moment, as after a kill.
unload_all() {
	for name in $(lsmod | sed -n 's/^\(kbench_[a-z0-9_]*\) .*/\1/p') kbench; do
		tries=0
		until error=$(rmmod "$name" 2>&1); do
			tries=$((tries + 1))
			[ $tries -lt 20 ] || {
				complain "rmmod $name: $error"
				break
			}
			usleep 100000
		done
	done
}

finish() {
	[ $complaints -eq 0 ] || echo "$complaints complaints"
	[ $complaints -eq 0 ]
}
