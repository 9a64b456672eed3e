/* Console and end of the machine on x86-64: what the kernel prints with, or the first serial port; QEMU's exit device. */
#include "machine_io.h"
#include "machine.h"

#define COM1 0x3f8u
#define EXIT_PORT 0xf4u                 /* -device isa-debug-exit,iobase=0xf4: QEMU ends with 2 status + 1 */
#define TSC_CHUNK 5u                    /* of the boot information: MHz of the time stamp counter */

static seL4_CPtr serial, debug_exit;

static int take_ports(seL4_Word first, seL4_Word last, seL4_CPtr slot)
{
	return (int)seL4_X86_IOPortControl_Issue(seL4_CapIOPortControl, first, last, seL4_CapInitThreadCNode, slot, seL4_WordBits);
}

int kb_machine_open(uint64_t slots)
{
	int error = take_ports(COM1, COM1 + 7, slots);

	serial = slots;
	debug_exit = slots + 1;
	return error ? error : take_ports(EXIT_PORT, EXIT_PORT, debug_exit);
}

seL4_CPtr kb_machine_serial(void)
{
	return serial;
}

/* Bit 5 of the line status: there is room for a byte. */
static bool has_room(void)
{
	seL4_X86_IOPort_In8_t status = seL4_X86_IOPort_In8(serial, COM1 + 5);

	return status.error || status.result & 0x20;
}

void kb_machine_put(char byte)
{
	if (KB_KERNEL_PRINTS) {
		seL4_DebugPutChar(byte);
		return;
	}
	while (!has_room())
		;
	(void)seL4_X86_IOPort_Out8(serial, COM1, (unsigned char)byte);
}

void kb_machine_exit(unsigned status)
{
	(void)seL4_X86_IOPort_Out8(debug_exit, EXIT_PORT, status);
}

uint64_t kb_machine_hz(const void *boot_information)
{
	const seL4_BootInfo *info = boot_information;
	const unsigned char *at = (const unsigned char *)info + 4096, *end = at + info->extraLen;

	while (at + sizeof(seL4_BootInfoHeader) + 4 <= end) {
		const seL4_BootInfoHeader *chunk = (const void *)at;

		if (chunk->id == TSC_CHUNK)
			return (uint64_t)*(const uint32_t *)(const void *)(chunk + 1) * 1000000;
		if (chunk->len < sizeof *chunk)
			break;
		at += chunk->len;
	}
	return 0;
}

/* Leaf 1 says whether there is one, the first leaf of its own who; user space may ask, the kernel does not take that away. */
void kb_machine_monitor(char name[KB_MONITOR_NAME])
{
	uint32_t a = 1, b, c = 0, d, all[3];

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	for (unsigned i = 0; i < sizeof KB_NO_MONITOR; i++)
		name[i] = KB_NO_MONITOR[i];
	if (!(c >> 31))
		return;
	a = 0x40000000;
	__asm__ volatile("cpuid" : "+a"(a), "=b"(all[0]), "=c"(all[1]), "=d"(all[2]));
	for (unsigned i = 0; i < KB_MONITOR_NAME - 1; i++)
		name[i] = (char)(all[i / 4] >> 8 * (i % 4));
	name[KB_MONITOR_NAME - 1] = '\0';
}
