# shellcheck shell=sh
# For tests that look for what a run left behind: `. left.sh`, then start kbench through `marked`.
# Everything it starts inherits the mark in its environment, the guardian too, so that other runs on this machine do not
# matter. A daemon with an empty environment must be known by its process id.

mark=KB_TEST_MARK=$$.$(date +%s%N)

marked() {
	env "$mark" "$@"
}

# carriers TEXT: process ids that have it in their environment.
carriers() {
	grep -lsaF -e "$1" /proc/[0-9]*/environ 2>/dev/null | sed 's|^/proc/||; s|/environ$||' | tr '\n' ' '
}

left_now() {
	pids=$(carriers "$mark")
	[ -z "$pids" ] || echo "processes: $(for pid in $pids; do echo "$pid ($(cat "/proc/$pid/comm" 2>/dev/null))"; done)"
	ls -d "${TMPDIR:-/var/tmp}"/kbench-* /dev/shm/*kbench* 2>/dev/null
}

# left SECONDS: waits so long for everything to be gone; prints what is not.
left() {
	tenths=$((10 * $1))
	while [ $tenths -gt 0 ] && [ -n "$(left_now)" ]; do
		sleep 0.1
		tenths=$((tenths - 1))
	done
	left_now
}
