/*
 * Bare system calls where one instruction traps and numbered registers carry all: aarch64 and riscv64, whose machine.h says which.
 * KB_TRAP is the instruction; KB_REG_CALL has the number, KB_REG_TARGET the capability, then the badge, KB_REG_WORD the message word,
 * KB_REG_FIRST and KB_REGS_REST the message, KB_REG_OBJECT with MCS the reply object. Nothing else changes.
 */
#ifndef KB_OS_SEL4_BARE_H
#define KB_OS_SEL4_BARE_H

#include "sel4_calls.h"

/* All registers of a system call, in one place: what a call does not use costs nothing. */
#define KB_CALL_REGISTERS(number, capability, message) \
	register seL4_Word call __asm__(KB_REG_CALL) = (seL4_Word)(long)(number); \
	register seL4_Word target __asm__(KB_REG_TARGET) = (capability); \
	register seL4_Word word __asm__(KB_REG_WORD) = (message)

static inline void kb_bare_signal(seL4_CPtr to)
{
	KB_CALL_REGISTERS(seL4_SysSend, to, 1);

	__asm__ volatile(KB_TRAP : "+r"(target), "+r"(word) : "r"(call) : "memory");
}

static inline void kb_bare_wait(seL4_CPtr from)
{
	KB_CALL_REGISTERS(KB_SYS_WAIT, from, 0);

	__asm__ volatile(KB_TRAP : "+r"(target), "=r"(word) : "r"(call) : KB_REG_FIRST, KB_REGS_REST, "memory");
}

/* The badge; 0: nothing was there. */
static inline seL4_Word kb_bare_poll(seL4_CPtr from)
{
	KB_CALL_REGISTERS(KB_SYS_POLL, from, 0);

	__asm__ volatile(KB_TRAP : "+r"(target), "=r"(word) : "r"(call) : KB_REG_FIRST, KB_REGS_REST, "memory");
	return target;
}

static inline void kb_bare_send(seL4_CPtr to, seL4_Word info)
{
	KB_CALL_REGISTERS(seL4_SysSend, to, info);

	__asm__ volatile(KB_TRAP : "+r"(target), "+r"(word) : "r"(call) : "memory");
}

static inline seL4_Word kb_bare_call(seL4_CPtr to, seL4_Word info)
{
	KB_CALL_REGISTERS(seL4_SysCall, to, info);

	__asm__ volatile(KB_TRAP : "+r"(target), "+r"(word) : "r"(call) : KB_REG_FIRST, KB_REGS_REST, "memory");
	return word;
}

/* The first word of the message that came; the others are lost. */
static inline seL4_Word kb_bare_recv(seL4_CPtr from, seL4_CPtr reply)
{
	KB_CALL_REGISTERS(seL4_SysRecv, from, 0);
	register seL4_Word first __asm__(KB_REG_FIRST);
	register seL4_Word object __asm__(KB_REG_OBJECT) = reply;

	__asm__ volatile(KB_TRAP : "+r"(target), "=r"(word), "=r"(first) : "r"(call), "r"(object) : KB_REGS_REST, "memory");
	return first;
}

static inline seL4_Word kb_bare_reply_recv(seL4_CPtr from, seL4_Word info, seL4_CPtr reply, seL4_Word message)
{
	KB_CALL_REGISTERS(seL4_SysReplyRecv, from, info);
	register seL4_Word first __asm__(KB_REG_FIRST) = message;
	register seL4_Word object __asm__(KB_REG_OBJECT) = reply;

	__asm__ volatile(KB_TRAP : "+r"(target), "+r"(word), "+r"(first) : "r"(call), "r"(object) : KB_REGS_REST, "memory");
	return first;
}

/* Fills the block of a thread with its own variables. Returns what the thread register is to hold. */
static inline uintptr_t kb_machine_thread(unsigned char *block, size_t room, const unsigned char *image, size_t set, size_t all)
{
	(void)room;
	for (size_t i = 0; i < all; i++)
		block[KB_THREAD_BEFORE + i] = i < set ? image[i] : 0;
	return (uintptr_t)block;
}

/* ---- pages: tables of all levels are of one kind ------------------------------------------------------------- */

static inline seL4_Word kb_table_object(unsigned level)
{
	(void)level;
	return KB_SEL4(PageTableObject);
}

static inline int kb_table_map(seL4_CPtr space, unsigned level, seL4_CPtr table, seL4_Word address)
{
	(void)level;
	return (int)KB_SEL4(PageTable_Map)(table, space, address, KB_SEL4(Default_VMAttributes));
}

static inline int kb_page_map_in(seL4_CPtr space, seL4_CPtr page, seL4_Word address, seL4_CapRights_t rights)
{
	return (int)KB_SEL4(Page_Map)(page, space, address, rights, KB_SEL4(Default_VMAttributes));
}

static inline int kb_space_assign(seL4_CPtr space)
{
	return (int)KB_SEL4(ASIDPool_Assign)(seL4_CapInitThreadASIDPool, space);
}

static inline int kb_page_unmap(seL4_CPtr page)
{
	return (int)KB_SEL4(Page_Unmap)(page);
}

#endif
