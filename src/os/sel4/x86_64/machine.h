/*
 * What the root server does by instruction on x86-64: system calls whose registers are all that they touch, the clock, the
 * registers of a new thread. The kernel's interface: number in rdx, capability in rdi, message word in rsi, the message in r10 r8
 * r9 r15, with MCS the reply object in r12; syscall destroys rcx and r11, and the stack pointer is kept in rbx.
 */
#ifndef KB_OS_SEL4_MACHINE_H
#define KB_OS_SEL4_MACHINE_H

#include "sel4_calls.h"

#define KB_SEL4_ARCH "x86_64"
#define KB_SEL4_WORK 0                  /* kb_clock_examine's: this processor's own */
#define KB_SEL4_CLOCK "tsc"
#define KB_SEL4_COUNTS_CYCLES 0
#define kb_machine_other_clock() ((const char *)0)

/* The numbers are negative, and the kernel looks at all 64 bits. */
#define KB_SYS(number) ((seL4_Word)(long)(number))

#define KB_SYSCALL "movq %%rsp, %%rbx\n\tsyscall\n\tmovq %%rbx, %%rsp"

/* The first fence waits for what came before, the second keeps what follows behind the reading. */
static inline uint64_t kb_sel4_clock(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

static inline void kb_machine_start(void)
{
}

static inline void kb_bare_signal(seL4_CPtr to)
{
	__asm__ volatile(KB_SYSCALL : : "d"(KB_SYS(seL4_SysSend)), "D"(to), "S"(1ul) : "rbx", "rcx", "r11", "memory");
}

static inline void kb_bare_wait(seL4_CPtr from)
{
	seL4_Word badge = from, word;

	__asm__ volatile(KB_SYSCALL : "+D"(badge), "=S"(word) : "d"(KB_SYS(KB_SYS_WAIT))
	                 : "rbx", "rcx", "r11", "r10", "r8", "r9", "r15", "memory");
}

/* The badge; 0: nothing was there. */
static inline seL4_Word kb_bare_poll(seL4_CPtr from)
{
	seL4_Word badge = from, word;

	__asm__ volatile(KB_SYSCALL : "+D"(badge), "=S"(word) : "d"(KB_SYS(KB_SYS_POLL))
	                 : "rbx", "rcx", "r11", "r10", "r8", "r9", "r15", "memory");
	return badge;
}

static inline void kb_bare_send(seL4_CPtr to, seL4_Word word)
{
	__asm__ volatile(KB_SYSCALL : : "d"(KB_SYS(seL4_SysSend)), "D"(to), "S"(word) : "rbx", "rcx", "r11", "memory");
}

static inline seL4_Word kb_bare_call(seL4_CPtr to, seL4_Word word)
{
	seL4_Word badge = to;

	__asm__ volatile(KB_SYSCALL : "+D"(badge), "+S"(word) : "d"(KB_SYS(seL4_SysCall))
	                 : "rbx", "rcx", "r11", "r10", "r8", "r9", "r15", "memory");
	return word;
}

/* The first word of the message that came; the others are lost. */
static inline seL4_Word kb_bare_recv(seL4_CPtr from, seL4_CPtr reply)
{
	register seL4_Word first __asm__("r10");
	register seL4_Word object __asm__("r12") = reply;
	seL4_Word badge = from, word;

	__asm__ volatile(KB_SYSCALL : "+D"(badge), "=S"(word), "=r"(first) : "d"(KB_SYS(seL4_SysRecv)), "r"(object)
	                 : "rbx", "rcx", "r11", "r8", "r9", "r15", "memory");
	return first;
}

static inline seL4_Word kb_bare_reply_recv(seL4_CPtr from, seL4_Word word, seL4_CPtr reply, seL4_Word message)
{
	register seL4_Word first __asm__("r10") = message;
	register seL4_Word object __asm__("r12") = reply;
	seL4_Word badge = from;

	__asm__ volatile(KB_SYSCALL : "+D"(badge), "+S"(word), "+r"(first) : "d"(KB_SYS(seL4_SysReplyRecv)), "r"(object)
	                 : "rbx", "rcx", "r11", "r8", "r9", "r15", "memory");
	return first;
}

/* An instruction that no processor has, and how far the next one is. */
#define KB_ILLEGAL() __asm__ volatile("ud2" : : : "memory")
#define KB_ILLEGAL_BYTES 2u

/* What a thread starts with. At the entry of a function the stack is 8 below a multiple of 16. */
static inline void kb_machine_registers(seL4_UserContext *registers, void *entry, void *argument, uintptr_t stack, uintptr_t thread)
{
	*registers = (seL4_UserContext){
		.rip = (seL4_Word)entry, .rdi = (seL4_Word)argument, .rsp = stack - 8, .fs_base = thread, .rflags = 0x202,
	};
}

/* The thread's own variables end where fs points, and there stands the pointer itself. Returns fs. */
static inline uintptr_t kb_machine_thread(unsigned char *block, size_t room, const unsigned char *image, size_t set, size_t all)
{
	unsigned char *end = block + room - 64, *at = end - ((all + 15) & ~(size_t)15);

	for (size_t i = 0; i < all; i++)
		at[i] = i < set ? image[i] : 0;
	*(void **)(void *)end = end;
	return (uintptr_t)end;
}

/* ---- a device that raises an interrupt: the first serial port, that it has room to send; its ports are behind system calls ---- */

/* The capability for its ports. */
seL4_CPtr kb_machine_serial(void);

#ifdef CONFIG_PLAT_PC99
#define KB_DEVICE 1
#define KB_DEVICE_CALLS 2u              /* system calls of raising and quieting it */
#define KB_DEVICE_REGISTERS 0ul

static inline void kb_device_raise(seL4_Word device)
{
	(void)device;
	(void)seL4_X86_IOPort_Out8(kb_machine_serial(), 0x3f9, 2);
}

static inline void kb_device_quiet(seL4_Word device)
{
	(void)device;
	(void)seL4_X86_IOPort_Out8(kb_machine_serial(), 0x3f9, 0);
}

/* Bit 3 of the modem's control: the port may interrupt. */
static inline int kb_device_start(seL4_Word device)
{
	kb_device_quiet(device);
	return (int)seL4_X86_IOPort_Out8(kb_machine_serial(), 0x3fc, 8);
}

static inline int kb_device_handler(seL4_CPtr slot)
{
	return (int)seL4_IRQControl_GetIOAPIC(seL4_CapIRQControl, seL4_CapInitThreadCNode, slot, seL4_WordBits, 0, 4, 0, 0, 4);
}
#else
#define KB_DEVICE 0
#define KB_DEVICE_CALLS 0u
#define kb_device_raise(device) ((void)(device))
#define kb_device_quiet(device) ((void)(device))
#endif

/* ---- pages --------------------------------------------------------------------------------------------------- */

#define KB_PAGE_OBJECT seL4_X86_4K
#define KB_LARGE_PAGE_OBJECT seL4_X86_LargePageObject
#define KB_SPACE_OBJECT seL4_X64_PML4Object
#define KB_TABLE_OBJECT seL4_X86_PageTableObject

/* Where nothing is mapped, nor any table but the root. */
#define KB_FREE_ADDRESS 0x8000000000ul

/* Levels of tables that a page needs below the root: PDPT, directory, table. */
#define KB_TABLE_LEVELS 3u

static inline seL4_Word kb_table_object(unsigned level)
{
	return level == 0 ? seL4_X86_PDPTObject : level == 1 ? seL4_X86_PageDirectoryObject : seL4_X86_PageTableObject;
}

static inline int kb_table_map(seL4_CPtr space, unsigned level, seL4_CPtr table, seL4_Word address)
{
	if (level == 0)
		return (int)seL4_X86_PDPT_Map(table, space, address, seL4_X86_Default_VMAttributes);
	if (level == 1)
		return (int)seL4_X86_PageDirectory_Map(table, space, address, seL4_X86_Default_VMAttributes);
	return (int)seL4_X86_PageTable_Map(table, space, address, seL4_X86_Default_VMAttributes);
}

static inline int kb_page_map_in(seL4_CPtr space, seL4_CPtr page, seL4_Word address, seL4_CapRights_t rights)
{
	return (int)seL4_X86_Page_Map(page, space, address, rights, seL4_X86_Default_VMAttributes);
}

static inline int kb_space_assign(seL4_CPtr space)
{
	return (int)seL4_X86_ASIDPool_Assign(seL4_CapInitThreadASIDPool, space);
}

static inline int kb_page_unmap(seL4_CPtr page)
{
	return (int)seL4_X86_Page_Unmap(page);
}

#endif
