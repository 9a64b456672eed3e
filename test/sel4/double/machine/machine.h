/* The machine that the double is: system calls are functions, its clock counts what they cost, its threads have four registers. */
#ifndef KB_OS_SEL4_MACHINE_H
#define KB_OS_SEL4_MACHINE_H

#include "measure/emulation.h"
#include "sel4_calls.h"

#define KB_SEL4_ARCH "double"
#define KB_SEL4_WORK kb_double_work
#define KB_SEL4_CLOCK "icount"
#define KB_SEL4_COUNTS_CYCLES kb_double_counts_cycles

uint64_t kb_double_clock(void);
void kb_double_work(enum kb_work work, uint64_t n);
const char *kb_machine_other_clock(void);
extern bool kb_double_counts_cycles;    /* as a counter would that means another thing in an emulator */
void kb_double_signal(seL4_CPtr to);
seL4_Word kb_double_wait(seL4_CPtr from);
seL4_Word kb_double_poll(seL4_CPtr from);
void kb_double_send(seL4_CPtr to, seL4_Word word);
seL4_Word kb_double_call(seL4_CPtr to, seL4_Word word);
seL4_Word kb_double_recv(seL4_CPtr from, seL4_CPtr reply);
seL4_Word kb_double_reply_recv(seL4_CPtr from, seL4_Word word, seL4_CPtr reply, seL4_Word message);
void kb_double_illegal(void);
int kb_double_space_assign(seL4_CPtr space);
int kb_double_table_map(seL4_CPtr space, unsigned level, seL4_CPtr table, seL4_Word address);
int kb_double_page_map(seL4_CPtr space, seL4_CPtr page, seL4_Word address, seL4_CapRights_t rights);
int kb_double_page_unmap(seL4_CPtr page);

static inline uint64_t kb_sel4_clock(void)
{
	return kb_double_clock();
}

static inline void kb_machine_start(void)
{
}

static inline void kb_bare_signal(seL4_CPtr to)
{
	kb_double_signal(to);
}

static inline void kb_bare_wait(seL4_CPtr from)
{
	(void)kb_double_wait(from);
}

static inline seL4_Word kb_bare_poll(seL4_CPtr from)
{
	return kb_double_poll(from);
}

static inline void kb_bare_send(seL4_CPtr to, seL4_Word word)
{
	kb_double_send(to, word);
}

static inline seL4_Word kb_bare_call(seL4_CPtr to, seL4_Word word)
{
	return kb_double_call(to, word);
}

static inline seL4_Word kb_bare_recv(seL4_CPtr from, seL4_CPtr reply)
{
	return kb_double_recv(from, reply);
}

static inline seL4_Word kb_bare_reply_recv(seL4_CPtr from, seL4_Word word, seL4_CPtr reply, seL4_Word message)
{
	return kb_double_reply_recv(from, word, reply, message);
}

#define KB_ILLEGAL() kb_double_illegal()
#define KB_ILLEGAL_BYTES 4u

static inline void kb_machine_registers(seL4_UserContext *registers, void *entry, void *argument, uintptr_t stack,
					uintptr_t thread)
{
	*registers = (seL4_UserContext){ .pc = (seL4_Word)entry, .argument = (seL4_Word)argument, .sp = stack, .thread = thread };
}

static inline uintptr_t kb_machine_thread(unsigned char *block, size_t room, const unsigned char *image, size_t set, size_t all)
{
	(void)room;
	(void)image;
	(void)set;
	(void)all;
	return (uintptr_t)block;
}

/* A device without registers: it raises its interrupt by itself. */
#define KB_DEVICE 1
#define KB_DEVICE_CALLS 0u
#define KB_DEVICE_REGISTERS 0ul
void kb_double_raise(void);
void kb_double_quiet(void);
int kb_double_handler(seL4_CPtr slot);
#define kb_device_raise(device) ((void)(device), kb_double_raise())
#define kb_device_quiet(device) ((void)(device), kb_double_quiet())
#define kb_device_start(device) ((void)(device), 0)
#define kb_device_handler(slot) kb_double_handler(slot)

#define KB_PAGE_OBJECT seL4_DoublePageObject
#define KB_LARGE_PAGE_OBJECT seL4_DoubleLargePageObject
#define KB_FREE_ADDRESS 0x8000000000ul
#define KB_SPACE_OBJECT seL4_DoubleSpaceObject
#define KB_TABLE_LEVELS 3u

static inline seL4_Word kb_table_object(unsigned level)
{
	(void)level;
	return seL4_DoubleTableObject;
}

static inline int kb_space_assign(seL4_CPtr space)
{
	return kb_double_space_assign(space);
}

static inline int kb_table_map(seL4_CPtr space, unsigned level, seL4_CPtr table, seL4_Word address)
{
	return kb_double_table_map(space, level, table, address);
}

static inline int kb_page_map_in(seL4_CPtr space, seL4_CPtr page, seL4_Word address, seL4_CapRights_t rights)
{
	return kb_double_page_map(space, page, address, rights);
}

static inline int kb_page_unmap(seL4_CPtr page)
{
	return kb_double_page_unmap(page);
}

#endif
