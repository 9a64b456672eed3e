# Nothing may stay: no folder, no device, no memory. Areas and objects are found by who allocated them: a caller that has no
# name any more was in a module that is gone.
part unload
sleep 1
unload_all
[ ! -e $kbench ] || complain "$kbench is still there"
[ ! -e $device ] || complain "$device is still there"
sync
echo 3 >/proc/sys/vm/drop_caches
# Objects that RCU frees.
sleep 1
awk '{ for (i = 3; i <= NF; i++) if ($i ~ /^0xffffffff[a-f][0-9a-f]*$/ || $i ~ /\[kbench/) { print; next } }' /proc/vmallocinfo >/tmp/left
[ ! -s /tmp/left ] || complain "memory of vmalloc is left: $(head -n 3 /tmp/left)"
looked=0
for traces in /sys/kernel/debug/slab/kmalloc-*/alloc_traces; do
	[ -r "$traces" ] || continue
	looked=1
	grep -E '^ *[0-9]+ (0xffffffff[a-f]|.*\[kbench)' "$traces" >/tmp/left || continue
	complain "objects of ${traces%/*} are left: $(head -n 3 /tmp/left)"
done
[ $looked -eq 1 ] || complain "the kernel does not tell who allocated what (slab debugging is off)"
if [ -w /sys/kernel/debug/kmemleak ]; then
	echo scan >/sys/kernel/debug/kmemleak
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	[ -z "$(cat /sys/kernel/debug/kmemleak)" ] || complain "kmemleak: $(head -n 20 /sys/kernel/debug/kmemleak)"
fi
# A second time: what was left half-way would refuse now.
load kbench kbench_null
unload_all
[ ! -e $kbench ] || complain "$kbench is still there after the second time"
