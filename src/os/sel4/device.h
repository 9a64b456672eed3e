/*
 * A device whose registers are memory and that raises an interrupt while one of them permits it. Its machine.h says where: with
 * KB_DEVICE, KB_DEVICE_REGISTERS and KB_DEVICE_INTERRUPT; KB_DEVICE_ENABLE is the register at `device`, KB_DEVICE_ROOM the interrupt's bit,
 * KB_DEVICE_SEND a register that wants a byte first.
 */
#ifndef KB_OS_SEL4_DEVICE_H
#define KB_OS_SEL4_DEVICE_H

#define KB_DEVICE_CALLS 0u      /* system calls of raising and quieting it */

#ifdef KB_DEVICE
static inline void kb_device_raise(seL4_Word device)
{
	KB_DEVICE_ENABLE = KB_DEVICE_ROOM;
}

static inline void kb_device_quiet(seL4_Word device)
{
	KB_DEVICE_ENABLE = 0;
}

static inline int kb_device_start(seL4_Word device)
{
#ifdef KB_DEVICE_SEND
	KB_DEVICE_SEND = '\n';
#endif
	kb_device_quiet(device);
	return 0;
}

static inline int kb_device_handler(seL4_CPtr slot)
{
	return (int)seL4_IRQControl_Get(seL4_CapIRQControl, KB_DEVICE_INTERRUPT, seL4_CapInitThreadCNode, slot, seL4_WordBits);
}
#else
#define KB_DEVICE 0
#define kb_device_raise(device) ((void)(device))
#define kb_device_quiet(device) ((void)(device))
#endif

#endif
