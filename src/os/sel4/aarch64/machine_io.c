/* Console and end of the machine on aarch64: what the kernel prints with, or QEMU's semihosting. */
#include "machine_io.h"
#include "machine.h"

#define SYS_WRITEC 0x03ul
#define SYS_EXIT 0x18ul
#define APPLICATION_EXIT 0x20026ul

static long semihosting(unsigned long operation, const void *argument)
{
	register unsigned long x0 __asm__("x0") = operation;
	register const void *x1 __asm__("x1") = argument;

	__asm__ volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
	return (long)x0;
}

int kb_machine_open(uint64_t slots)
{
	(void)slots;
	return 0;
}

void kb_machine_put(char byte)
{
	if (KB_KERNEL_PRINTS)
		seL4_DebugPutChar(byte);
	else
		(void)semihosting(SYS_WRITEC, &byte);
}

void kb_machine_exit(unsigned status)
{
	unsigned long block[2] = { APPLICATION_EXIT, status };

	(void)semihosting(SYS_EXIT, block);
}

uint64_t kb_machine_hz(const void *boot_information)
{
	(void)boot_information;
	return 0;
}
