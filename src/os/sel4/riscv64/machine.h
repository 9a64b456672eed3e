/*
 * What the root server does by instruction on riscv64: system calls whose registers are all that they touch, the clock, the
 * registers of a new thread. The kernel's interface: number in a7, capability in a0, message word in a1, the message in a2 to a5,
 * with MCS the reply object in a6; nothing else changes.
 */
#ifndef KB_OS_SEL4_MACHINE_H
#define KB_OS_SEL4_MACHINE_H

#define KB_TRAP "ecall"
#define KB_REG_CALL "a7"
#define KB_REG_TARGET "a0"
#define KB_REG_WORD "a1"
#define KB_REG_FIRST "a2"
#define KB_REGS_REST "a3", "a4", "a5"
#define KB_REG_OBJECT "a6"
#define KB_SEL4(name) seL4_RISCV_##name
#define KB_THREAD_BEFORE 0u     /* bytes from where the thread register points to the thread's own variables */
#include "bare.h"

#define KB_SEL4_ARCH "riscv64"
#define KB_SEL4_WORK 0                  /* kb_clock_examine's: this processor's own */
#define KB_SEL4_CLOCK "rdcycle"
#define KB_SEL4_COUNTS_CYCLES 1

/* The fence orders memory; the counter itself is read in order with what stands around it. Each place is on a list. */
static inline uint64_t kb_sel4_clock(void)
{
	uint64_t now;

	__asm__ volatile("fence\n1:\trdcycle %0\n\t.pushsection .kb_clocks, \"a\"\n\t.dword 1b\n\t.popsection" : "=r"(now) : : "memory");
	return now;
}

/* For a machine whose user mode may not read the cycles: reads the time in all these places, in place. The register's number is in
   the upper half of the instruction, 0xc00 for cycle and 0xc01 for time; the kernel maps a root server's pages writable. */
static inline const char *kb_machine_other_clock(void)
{
	extern const uintptr_t kb_clocks_start[], kb_clocks_end[];

	for (const uintptr_t *at = kb_clocks_start; at < kb_clocks_end; at++)
		((volatile uint16_t *)*at)[1] |= 0x10;
	__asm__ volatile("fence.i" : : : "memory");
	return "rdtime";
}

static inline void kb_machine_start(void)
{
}

/* An instruction that no processor has, and how far the next one is. */
#define KB_ILLEGAL() __asm__ volatile(".4byte 0" : : : "memory")
#define KB_ILLEGAL_BYTES 4u

/* What a thread starts with. gp stays what the start code set: init's own. */
static inline void kb_machine_registers(seL4_UserContext *registers, void *entry, void *argument, uintptr_t stack, uintptr_t thread)
{
	seL4_Word pointer;

	__asm__("mv %0, gp" : "=r"(pointer));
	*registers = (seL4_UserContext){
		.pc = (seL4_Word)entry, .a0 = (seL4_Word)argument, .sp = stack, .gp = pointer, .tp = thread,
	};
}

/* ---- a device that raises an interrupt: the first serial port, that it has room to send ----------------------- */

#ifdef CONFIG_PLAT_QEMU_RISCV_VIRT
#define KB_DEVICE 1
#define KB_DEVICE_REGISTERS 0x10000000ul
#define KB_DEVICE_INTERRUPT 10u
#define KB_DEVICE_ENABLE ((volatile uint8_t *)device)[1]
#define KB_DEVICE_ROOM 2u
#endif
#include "device.h"

/* ---- pages --------------------------------------------------------------------------------------------------- */

#define KB_PAGE_OBJECT seL4_RISCV_4K_Page
#define KB_LARGE_PAGE_OBJECT seL4_RISCV_Mega_Page
#define KB_SPACE_OBJECT seL4_RISCV_PageTableObject

/* Where nothing is mapped, nor any table but the root. */
#define KB_FREE_ADDRESS 0x60000000ul

/* Levels of tables that a page needs below the root. */
#define KB_TABLE_LEVELS 2u

#endif
