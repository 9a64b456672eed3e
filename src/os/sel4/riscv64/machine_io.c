/* Console and end of the machine on riscv64: what the kernel prints with, or QEMU's semihosting. */
#include "machine_io.h"
#include "machine.h"

#define SYS_WRITEC 0x03ul
#define SYS_EXIT 0x18ul
#define APPLICATION_EXIT 0x20026ul

/* Three instructions that QEMU knows as one: none may be compressed, and all lie in one page. */
static long semihosting(unsigned long operation, const void *argument)
{
	register unsigned long a0 __asm__("a0") = operation;
	register const void *a1 __asm__("a1") = argument;

	__asm__ volatile(".option push\n\t.option norvc\n\t.balign 16\n\tslli zero, zero, 0x1f\n\tebreak\n\tsrai zero, zero, 7\n\t.option pop"
	                 : "+r"(a0) : "r"(a1) : "memory");
	return (long)a0;
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
