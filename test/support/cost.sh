# shellcheck shell=sh
# What kbench itself costs. Needs KB_SRC and KBENCH; leaves json and peak in the current folder.
. "$KB_SRC/test/support/left.sh"

now_ms() {
	echo $(($(date +%s%N) / 1000000))
}

# list_ms N: the median wall time of `kbench list` in ms, with its start by the shell.
list_ms() {
	for _ in $(seq "$1"); do
		start=$(date +%s%N)
		"$KBENCH" list >/dev/null || return
		echo $(($(date +%s%N) - start))
	done | sort -n | awk '{ x[NR] = $1 } END { printf "%.1f\n", (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2e6 }'
}

# The largest sum, over all processes of the run that live at one moment, of what each has ever held: shared pages count
# twice, so the truth is below. Then the most that kbench itself held, without what is measured. kB.
watch_peak() {
	echo "0 0" >peak
	while kill -0 "$1" 2>/dev/null; do
		# shellcheck disable=SC2046 # one file a process; those that have ended meanwhile are no matter
		cat peak $(carriers "$mark" | sed 's| *\([0-9][0-9]*\)|/proc/\1/status |g') 2>/dev/null </dev/null |
			awk 'NR == 1 { all = $1; own = $2 } $1 == "Name:" { name = $2 }
				$1 == "VmHWM:" { sum += $2; if (name == "kbench" && $2 > own) own = $2 }
				END { print (sum > all ? sum : all) + 0, own + 0 }' >peak_now
		mv peak_now peak
		sleep 0.1
	done
}

# measured_run ARGUMENT...: kbench run; sets wall_ms, peak_mb, own_mb and code.
measured_run() {
	start=$(now_ms)
	{
		code=0
		env "$mark" "$KBENCH" run --no-store --json "$@" >json 2>err || code=$?
		echo "$code $(now_ms)" >ended # looking for its processes may take long on a busy machine
	} &
	run=$!
	watch_peak $run
	wait $run
	read -r code end <ended
	wall_ms=$((end - start))
	read -r peak_kb own_kb <peak
	peak_mb=$((peak_kb / 1024))
	own_mb=$((own_kb / 1024))
}
