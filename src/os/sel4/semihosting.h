/* Console and end of the machine where QEMU has semihosting: machine_io.c of an architecture says its trap and includes this. */
#ifndef KB_OS_SEL4_SEMIHOSTING_H
#define KB_OS_SEL4_SEMIHOSTING_H

#include "machine_io.h"
#include "machine.h"

#define SYS_WRITEC 0x03ul
#define SYS_EXIT 0x18ul
#define APPLICATION_EXIT 0x20026ul

static void semihosting(unsigned long operation, const void *argument)
{
	register unsigned long r0 __asm__(KB_SEMIHOSTING_0) = operation;
	register const void *r1 __asm__(KB_SEMIHOSTING_1) = argument;

	__asm__ volatile(KB_SEMIHOSTING : "+r"(r0) : "r"(r1) : "memory");
}

int kb_machine_open(uint64_t slots)
{
	(void)slots;
	return 0;
}

/* What the kernel prints with, where it prints. */
void kb_machine_put(char byte)
{
	if (KB_KERNEL_PRINTS)
		seL4_DebugPutChar(byte);
	else
		semihosting(SYS_WRITEC, &byte);
}

void kb_machine_exit(unsigned status)
{
	unsigned long block[2] = { APPLICATION_EXIT, status };

	semihosting(SYS_EXIT, block);
}

uint64_t kb_machine_hz(const void *boot_information)
{
	(void)boot_information;
	return 0;
}

void kb_machine_monitor(char name[KB_MONITOR_NAME])
{
	name[0] = '\0';
}

#endif
