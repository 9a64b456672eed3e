# doc/kernel.md: its commands, in its order, with the modules that its commands built (/test/own, by test/integration/kernel/guest.sh).
[ -r /test/own/commands ] || return 0
part "doc/kernel.md"
# Those of the image are of another build, which kbench refuses to take for these.
unload_all

# last_words FILE: of an error of a shell or of cat, which each words otherwise, what the kernel said.
last_words() {
	sed 's/^.* error: //; s/^cat: [a-z]*: //' "$1"
}

# console: each "# command" of standard input must print what stands below it.
console() {
	command='' number=0
	while IFS= read -r line || [ -n "$line" ]; do
		case $line in
		'# '*)
			told
			command=${line#\# }
			: >/tmp/expected
			eval "$command" >/tmp/said_by 2>&1
			number=$((number + 1))
			;;
		*) echo "$line" >>/tmp/expected ;;
		esac
	done
	told
	[ $number -gt 10 ] || complain "doc/kernel.md: $number commands on the console"
}

told() {
	[ -n "$command" ] || return
	[ "$(last_words /tmp/expected)" = "$(last_words /tmp/said_by)" ] ||
		complain "doc/kernel.md: $command: $(cat /tmp/said_by), not $(cat /tmp/expected)"
}

cache=/tmp/own/kbench/kernel/$(uname -r)
mkdir -p "$cache" /tmp/own/work
cp /test/own/modules/* "$cache/"
cd /tmp/own/work || complain "no folder to work in"
XDG_CACHE_HOME=/tmp/own XDG_DATA_HOME=/tmp/own sh -u /test/own/commands >/tmp/own/out 2>/tmp/own/err ||
	complain "doc/kernel.md: the last command fails: $(tail -n 5 /tmp/own/out /tmp/own/err)"
[ ! -s /tmp/own/err ] || complain "doc/kernel.md: on standard error: $(cat /tmp/own/err)"
cat /tmp/own/out
# The runs of both files, the row with its values, both records.
grep -q '^min=[0-9]* max=[0-9]* count=5000 ' /tmp/own/out || complain "doc/kernel.md: no line of cat run"
grep -Eq '^samples=5000 irq=[0-9]+ .* error=0$' /tmp/own/out || complain "doc/kernel.md: no report"
for bytes in 16 1024; do
	# Of an emulated machine, so without a number.
	grep -Eq "^ *kernel.siphash bytes=$bytes +- +unverified +an emulator supplies the clock" /tmp/own/out ||
		complain "doc/kernel.md: no row of bytes=$bytes"
done
! grep -Eq ' (invalid|skipped)  ' /tmp/own/out || complain "doc/kernel.md: a row without a number: $(grep -A 2 -E 'invalid|skipped' /tmp/own/out)"
grep -q '^end .*crc=' siphash.record || complain "doc/kernel.md: no record: $(tail -n 1 siphash.record)"
# One looks at its results, the other does not.
grep -q '^env .* checked=1$' siphash.record && grep -q '^env .* checked=0$' process.record ||
	complain "doc/kernel.md: who checks what"
[ "$(grep -c '^q ' siphash.record)" -ge 1000 ] || complain "doc/kernel.md: $(grep -c '^q ' siphash.record) samples in the record"
! grep -q 'corrected ns' /tmp/own/out || complain "doc/kernel.md: an emulator's trace points in ns"
grep -q '^bench trace.log' parts.record || complain "doc/kernel.md: no log of trace points: $(head -n 3 parts.record)"
[ ! -e $kbench ] || complain "doc/kernel.md: its commands leave $(lsmod | grep kbench)"

load kbench kbench_fib_lookup
console </test/own/console
cd /tmp || complain "no /tmp"
rm -rf /tmp/own
