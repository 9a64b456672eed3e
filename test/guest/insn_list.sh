# The rows whose length does not depend on chance: one line each, so that a change of the list is a change of one line.
# heap: takes memory of the kernel's allocators, whose lists differ a little with all that happened since the boot.
count null batch 1
count imul batch 1
count ktime source ktime_get
count ktime source mono_fast
count ktime source sched_clock
count fib_lookup flow_dst_ipaddr 127.0.0.1
count fib_lookup flow_dst_ipaddr 8.8.8.8
heap kmalloc size 64
heap kmalloc size 4096
heap page_alloc order 0
heap page_alloc order 4
count mutex threads 1
count rwsem side read
count rwsem side write
count spin_lock variant plain
count spin_lock variant irqsave
count rcu_read flavour rcu
count rcu_read flavour srcu
count memcpy size 64
count memcpy size 1500
count memcpy size 4096
count csum size 1500
count crc32 size 4096
count xxh64 size 4096
count sha256 size 64
count aes size 64
count copy_user size 64 direction to
count copy_user size 64 direction from
count xa_load entries_log2 6 indices packed
count random_u32 bits 32
count random_bytes size 32
heap skb_alloc size 128
count printk_off kind no_printk
count printk_off kind ratelimited
