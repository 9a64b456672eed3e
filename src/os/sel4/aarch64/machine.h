/*
 * What the root server does by instruction on aarch64: system calls whose registers are all that they touch, the clock, the
 * registers of a new thread. The kernel's interface: number in x7, capability in x0, message word in x1, the message in x2 to x5,
 * with MCS the reply object in x6; nothing else changes.
 */
#ifndef KB_OS_SEL4_MACHINE_H
#define KB_OS_SEL4_MACHINE_H

#include "sel4_calls.h"

#define KB_SEL4_ARCH "aarch64"

#if KB_MCS
#define KB_SYS_WAIT seL4_SysWait
#define KB_SYS_POLL seL4_SysNBWait
#else
#define KB_SYS_WAIT seL4_SysRecv
#define KB_SYS_POLL seL4_SysNBRecv
#endif

/* A counter that the kernel did not permit is a fault, so its configuration decides; it may permit none. */
#ifdef CONFIG_EXPORT_PMU_USER
#define KB_SEL4_CLOCK "pmccntr"
#define KB_SEL4_CLOCKS "pmccntr_el0"

/* Enables the cycle counter (bit 31) and resets it: PMCR E, P, C, and LC for 64 bits. */
static inline void kb_machine_start(void)
{
	__asm__ volatile("msr pmcntenset_el0, %0\n\tmsr pmcr_el0, %1\n\tisb" : : "r"(1ul << 31), "r"(0x47ul));
}
#else
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

/* All registers of a system call, in one place: what a call does not use costs nothing. */
#define KB_CALL_REGISTERS(number, capability, message) \
	register seL4_Word call __asm__("x7") = (seL4_Word)(long)(number); \
	register seL4_Word target __asm__("x0") = (capability); \
	register seL4_Word word __asm__("x1") = (message)

static inline void kb_bare_signal(seL4_CPtr to)
{
	KB_CALL_REGISTERS(seL4_SysSend, to, 1);

	__asm__ volatile("svc #0" : "+r"(target), "+r"(word) : "r"(call) : "memory");
}

static inline void kb_bare_wait(seL4_CPtr from)
{
	KB_CALL_REGISTERS(KB_SYS_WAIT, from, 0);

	__asm__ volatile("svc #0" : "+r"(target), "=r"(word) : "r"(call) : "x2", "x3", "x4", "x5", "memory");
}

/* The badge; 0: nothing was there. */
static inline seL4_Word kb_bare_poll(seL4_CPtr from)
{
	KB_CALL_REGISTERS(KB_SYS_POLL, from, 0);

	__asm__ volatile("svc #0" : "+r"(target), "=r"(word) : "r"(call) : "x2", "x3", "x4", "x5", "memory");
	return target;
}

static inline void kb_bare_send(seL4_CPtr to, seL4_Word info)
{
	KB_CALL_REGISTERS(seL4_SysSend, to, info);

	__asm__ volatile("svc #0" : "+r"(target), "+r"(word) : "r"(call) : "memory");
}

static inline seL4_Word kb_bare_call(seL4_CPtr to, seL4_Word info)
{
	KB_CALL_REGISTERS(seL4_SysCall, to, info);

	__asm__ volatile("svc #0" : "+r"(target), "+r"(word) : "r"(call) : "x2", "x3", "x4", "x5", "memory");
	return word;
}

/* The first word of the message that came; the others are lost. */
static inline seL4_Word kb_bare_recv(seL4_CPtr from, seL4_CPtr reply)
{
	KB_CALL_REGISTERS(seL4_SysRecv, from, 0);
	register seL4_Word first __asm__("x2");
	register seL4_Word object __asm__("x6") = reply;

	__asm__ volatile("svc #0" : "+r"(target), "=r"(word), "=r"(first) : "r"(call), "r"(object) : "x3", "x4", "x5", "memory");
	return first;
}

static inline seL4_Word kb_bare_reply_recv(seL4_CPtr from, seL4_Word info, seL4_CPtr reply, seL4_Word message)
{
	KB_CALL_REGISTERS(seL4_SysReplyRecv, from, info);
	register seL4_Word first __asm__("x2") = message;
	register seL4_Word object __asm__("x6") = reply;

	__asm__ volatile("svc #0" : "+r"(target), "+r"(word), "+r"(first) : "r"(call), "r"(object) : "x3", "x4", "x5", "memory");
	return first;
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

/* The thread's own variables begin 16 bytes behind where tpidr points. Returns tpidr. */
static inline uintptr_t kb_machine_thread(unsigned char *block, size_t room, const unsigned char *image, size_t set, size_t all)
{
	(void)room;
	for (size_t i = 0; i < all; i++)
		block[16 + i] = i < set ? image[i] : 0;
	return (uintptr_t)block;
}

/* ---- pages --------------------------------------------------------------------------------------------------- */

#define KB_PAGE_OBJECT seL4_ARM_SmallPageObject
#define KB_LARGE_PAGE_OBJECT seL4_ARM_LargePageObject

/* Levels of tables that a page needs below the root. */
#define KB_TABLE_LEVELS 3u

static inline seL4_Word kb_table_object(unsigned level)
{
	(void)level;
	return seL4_ARM_PageTableObject;
}

static inline int kb_table_map(unsigned level, seL4_CPtr table, seL4_Word address)
{
	(void)level;
	return (int)seL4_ARM_PageTable_Map(table, seL4_CapInitThreadVSpace, address, seL4_ARM_Default_VMAttributes);
}

static inline int kb_page_map(seL4_CPtr page, seL4_Word address, seL4_CapRights_t rights)
{
	return (int)seL4_ARM_Page_Map(page, seL4_CapInitThreadVSpace, address, rights, seL4_ARM_Default_VMAttributes);
}

static inline int kb_page_unmap(seL4_CPtr page)
{
	return (int)seL4_ARM_Page_Unmap(page);
}

#endif
