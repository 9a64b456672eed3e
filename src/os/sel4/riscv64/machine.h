/*
 * What the root server does by instruction on riscv64: system calls whose registers are all that they touch, the clock, the
 * registers of a new thread. The kernel's interface: number in a7, capability in a0, message word in a1, the message in a2 to a5,
 * with MCS the reply object in a6; nothing else changes.
 */
#ifndef KB_OS_SEL4_MACHINE_H
#define KB_OS_SEL4_MACHINE_H

#include "sel4_calls.h"

#define KB_SEL4_ARCH "riscv64"
#define KB_SEL4_CLOCK "rdcycle"
#define KB_SEL4_CLOCKS "rdcycle"

#if KB_MCS
#define KB_SYS_WAIT seL4_SysWait
#define KB_SYS_POLL seL4_SysNBWait
#else
#define KB_SYS_WAIT seL4_SysRecv
#define KB_SYS_POLL seL4_SysNBRecv
#endif

/* The fence orders memory; the counter itself is read in order with what stands around it. */
static inline uint64_t kb_sel4_clock(void)
{
	uint64_t now;

	__asm__ volatile("fence\n\trdcycle %0" : "=r"(now) : : "memory");
	return now;
}

static inline void kb_machine_start(void)
{
}

/* All registers of a system call, in one place: what a call does not use costs nothing. */
#define KB_CALL_REGISTERS(number, capability, message) \
	register seL4_Word call __asm__("a7") = (seL4_Word)(long)(number); \
	register seL4_Word target __asm__("a0") = (capability); \
	register seL4_Word word __asm__("a1") = (message)

static inline void kb_bare_signal(seL4_CPtr to)
{
	KB_CALL_REGISTERS(seL4_SysSend, to, 1);

	__asm__ volatile("ecall" : "+r"(target), "+r"(word) : "r"(call) : "memory");
}

static inline void kb_bare_wait(seL4_CPtr from)
{
	KB_CALL_REGISTERS(KB_SYS_WAIT, from, 0);

	__asm__ volatile("ecall" : "+r"(target), "=r"(word) : "r"(call) : "a2", "a3", "a4", "a5", "memory");
}

/* The badge; 0: nothing was there. */
static inline seL4_Word kb_bare_poll(seL4_CPtr from)
{
	KB_CALL_REGISTERS(KB_SYS_POLL, from, 0);

	__asm__ volatile("ecall" : "+r"(target), "=r"(word) : "r"(call) : "a2", "a3", "a4", "a5", "memory");
	return target;
}

static inline void kb_bare_send(seL4_CPtr to, seL4_Word info)
{
	KB_CALL_REGISTERS(seL4_SysSend, to, info);

	__asm__ volatile("ecall" : "+r"(target), "+r"(word) : "r"(call) : "memory");
}

static inline seL4_Word kb_bare_call(seL4_CPtr to, seL4_Word info)
{
	KB_CALL_REGISTERS(seL4_SysCall, to, info);

	__asm__ volatile("ecall" : "+r"(target), "+r"(word) : "r"(call) : "a2", "a3", "a4", "a5", "memory");
	return word;
}

/* The first word of the message that came; the others are lost. */
static inline seL4_Word kb_bare_recv(seL4_CPtr from, seL4_CPtr reply)
{
	KB_CALL_REGISTERS(seL4_SysRecv, from, 0);
	register seL4_Word first __asm__("a2");
	register seL4_Word object __asm__("a6") = reply;

	__asm__ volatile("ecall" : "+r"(target), "=r"(word), "=r"(first) : "r"(call), "r"(object) : "a3", "a4", "a5", "memory");
	return first;
}

static inline seL4_Word kb_bare_reply_recv(seL4_CPtr from, seL4_Word info, seL4_CPtr reply, seL4_Word message)
{
	KB_CALL_REGISTERS(seL4_SysReplyRecv, from, info);
	register seL4_Word first __asm__("a2") = message;
	register seL4_Word object __asm__("a6") = reply;

	__asm__ volatile("ecall" : "+r"(target), "+r"(word), "+r"(first) : "r"(call), "r"(object) : "a3", "a4", "a5", "memory");
	return first;
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

/* The thread's own variables begin where tp points. Returns tp. */
static inline uintptr_t kb_machine_thread(unsigned char *block, size_t room, const unsigned char *image, size_t set, size_t all)
{
	(void)room;
	for (size_t i = 0; i < all; i++)
		block[i] = i < set ? image[i] : 0;
	return (uintptr_t)block;
}

/* ---- pages --------------------------------------------------------------------------------------------------- */

#define KB_PAGE_OBJECT seL4_RISCV_4K_Page
#define KB_LARGE_PAGE_OBJECT seL4_RISCV_Mega_Page

/* Levels of tables that a page needs below the root. */
#define KB_TABLE_LEVELS 2u

static inline seL4_Word kb_table_object(unsigned level)
{
	(void)level;
	return seL4_RISCV_PageTableObject;
}

static inline int kb_table_map(unsigned level, seL4_CPtr table, seL4_Word address)
{
	(void)level;
	return (int)seL4_RISCV_PageTable_Map(table, seL4_CapInitThreadVSpace, address, seL4_RISCV_Default_VMAttributes);
}

static inline int kb_page_map(seL4_CPtr page, seL4_Word address, seL4_CapRights_t rights)
{
	return (int)seL4_RISCV_Page_Map(page, seL4_CapInitThreadVSpace, address, rights, seL4_RISCV_Default_VMAttributes);
}

static inline int kb_page_unmap(seL4_CPtr page)
{
	return (int)seL4_RISCV_Page_Unmap(page);
}

#endif
