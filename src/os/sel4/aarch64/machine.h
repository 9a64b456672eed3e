/*
 * What the root server does by instruction on aarch64: system calls whose registers are all that they touch, the clock, the
 * registers of a new thread. The kernel's interface: number in x7, capability in x0, message word in x1, the message in x2 to x5,
 * with MCS the reply object in x6; nothing else changes.
 */
#ifndef KB_OS_SEL4_MACHINE_H
#define KB_OS_SEL4_MACHINE_H

#define KB_TRAP "svc #0"
#define KB_REG_CALL "x7"
#define KB_REG_TARGET "x0"
#define KB_REG_WORD "x1"
#define KB_REG_FIRST "x2"
#define KB_REGS_REST "x3", "x4", "x5"
#define KB_REG_OBJECT "x6"
#define KB_SEL4(name) seL4_ARM_##name
#define KB_THREAD_BEFORE 16u     /* bytes from where the thread register points to the thread's own variables */
#include "bare.h"

#define KB_SEL4_ARCH "aarch64"
#define KB_SEL4_WORK 0                  /* kb_clock_examine's: this processor's own */
#define kb_machine_other_clock() ((const char *)0)

/* A counter that the kernel did not permit is a fault, so its configuration decides; it may permit none. */
#ifdef CONFIG_EXPORT_PMU_USER
#define KB_SEL4_CLOCK "pmccntr"
#define KB_SEL4_COUNTS_CYCLES 1
#define KB_SEL4_CLOCKS "pmccntr_el0"

/* Enables the cycle counter (bit 31) and resets it: PMCR E, P, C, and LC for 64 bits. */
static inline void kb_machine_start(void)
{
	__asm__ volatile("msr pmcntenset_el0, %0\n\tmsr pmcr_el0, %1\n\tisb" : : "r"(1ul << 31), "r"(0x47ul));
}
#else
#define KB_SEL4_COUNTS_CYCLES 0
#if defined CONFIG_EXPORT_VCNT_USER
#define KB_SEL4_CLOCK "cntvct"
#define KB_SEL4_CLOCKS "cntvct_el0"
#elif defined CONFIG_EXPORT_PCNT_USER
#define KB_SEL4_CLOCK "cntpct"
#define KB_SEL4_CLOCKS "cntpct_el0"
#else
#define KB_SEL4_CLOCK "none"
#define KB_SEL4_CLOCKS "tpidrro_el0"
#endif

static inline void kb_machine_start(void)
{
}
#endif

/* The first barrier waits for what came before, the second keeps what follows behind the reading. */
static inline uint64_t kb_sel4_clock(void)
{
	uint64_t now;

	__asm__ volatile("isb\n\tmrs %0, " KB_SEL4_CLOCKS "\n\tisb" : "=r"(now) : : "memory");
	return now;
}

/* An instruction that no processor has, and how far the next one is. */
#define KB_ILLEGAL() __asm__ volatile(".4byte 0" : : : "memory")
#define KB_ILLEGAL_BYTES 4u

/* What a thread starts with. */
static inline void kb_machine_registers(seL4_UserContext *registers, void *entry, void *argument, uintptr_t stack, uintptr_t thread)
{
	*registers = (seL4_UserContext){
		.pc = (seL4_Word)entry, .x0 = (seL4_Word)argument, .sp = stack, .tpidr_el0 = thread,
	};
}

/* ---- a device that raises an interrupt: the serial port, that it has room to send, which it begins to say behind a first byte -- */

#ifdef CONFIG_PLAT_QEMU_ARM_VIRT
#define KB_DEVICE 1
#define KB_DEVICE_REGISTERS 0x09000000ul
#define KB_DEVICE_INTERRUPT 33u
#define KB_DEVICE_ENABLE ((volatile uint32_t *)device)[14]
#define KB_DEVICE_ROOM 0x20u
#define KB_DEVICE_SEND ((volatile uint32_t *)device)[0]
#endif
#include "device.h"

/* ---- pages --------------------------------------------------------------------------------------------------- */

#define KB_PAGE_OBJECT seL4_ARM_SmallPageObject
#define KB_LARGE_PAGE_OBJECT seL4_ARM_LargePageObject
#define KB_SPACE_OBJECT seL4_ARM_VSpaceObject

/* Where nothing is mapped, nor any table but the root. */
#define KB_FREE_ADDRESS 0x8000000000ul

/* Levels of tables that a page needs below the root. */
#define KB_TABLE_LEVELS 3u

#endif
