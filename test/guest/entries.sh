# kbench trace entries and util in this kernel, older than the developer's: what dd is known to do, and sums that close.
[ -x /bin/kbench ] || return 0
export XDG_DATA_HOME=/tmp/data XDG_CACHE_HOME=/tmp/cache

part "kernel entries"
kbench trace entries -- dd if=/dev/zero of=/dev/null bs=1 count=2000 >/tmp/out 2>/tmp/error ||
	complain "trace entries: exit code $?: $(cat /tmp/error)"
for call in read write; do
	grep -q "^syscall  *$call  *20[0-9][0-9] " /tmp/out || complain "trace entries: not 2000 calls of $call: $(cat /tmp/out)"
done
grep -q ' 0 raw entries lost' /tmp/out || complain "trace entries: $(head -n 1 /tmp/out)"
grep -q '^fault_user .* [1-9][0-9]* *[0-9]*$' /tmp/out || complain "trace entries: no fault with a time: $(cat /tmp/out)"

part "utilisation"
kbench trace util -- sleep 1 >/tmp/out 2>/tmp/error || complain "trace util: exit code $?: $(cat /tmp/error)"
grep -q '^unaccounted .* 0\.[0-9]* %.*' /tmp/out || complain "trace util: $(head -n 5 /tmp/out)"
grep -q '^idle  *[1-9]' /tmp/out || complain "trace util: an idle machine without idle: $(head -n 5 /tmp/out)"
