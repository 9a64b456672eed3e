/*
 * The kernel that the double is. -D flags choose what an installed seL4 has in its own file of this name: KB_DOUBLE_MCS,
 * KB_DOUBLE_PLAIN (no counters), KB_DOUBLE_ENTRIES (a log of kernel entries, and no counters), KB_DOUBLE_SILENT (no printing).
 */
#ifndef KB_DOUBLE_CONFIG_H
#define KB_DOUBLE_CONFIG_H

#ifdef KB_DOUBLE_MCS
#define CONFIG_KERNEL_MCS 1
#endif
#ifndef KB_DOUBLE_SILENT
#define CONFIG_PRINTING 1
#endif
#ifndef KB_DOUBLE_PLAIN
#define CONFIG_ENABLE_BENCHMARKS 1
#ifdef KB_DOUBLE_ENTRIES
#define CONFIG_BENCHMARK_TRACK_KERNEL_ENTRIES 1
#define CONFIG_KERNEL_LOG_BUFFER 1
#else
#define CONFIG_BENCHMARK_TRACK_UTILISATION 1
#endif
#endif
#define CONFIG_EXPORT_PMU_USER 1
#define CONFIG_MAX_NUM_BOOTINFO_UNTYPED_CAPS 8
/* Platforms with a device that raises interrupts; bare has none. */
#if !defined KB_DOUBLE_HOST && !defined KB_DOUBLE_PLAIN
#define CONFIG_PLAT_PC99 1
#define CONFIG_PLAT_QEMU_RISCV_VIRT 1
#define CONFIG_PLAT_QEMU_ARM_VIRT 1
#endif

#endif
