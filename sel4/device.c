/* The device that raises an interrupt when it is asked: its registers, where they are memory, and the interrupt itself. */
#include "root.h"

#if KB_DEVICE
static seL4_CPtr device_memory(const seL4_BootInfo *info, seL4_Word *base, seL4_Word *bits)
{
	for (seL4_Word i = 0; i < info->untyped.end - info->untyped.start; i++) {
		const seL4_UntypedDesc *untyped = &info->untypedList[i];

		if (untyped->isDevice && KB_DEVICE_REGISTERS - untyped->paddr < (seL4_Word)1 << untyped->sizeBits) {
			*base = untyped->paddr;
			*bits = untyped->sizeBits;
			return info->untyped.start + i;
		}
	}
	kb_unfit("a kernel that gives user space the device whose interrupt this is about");
}

/* Memory of a device is handed out from its beginning: halves, until one is the page. */
static seL4_CPtr device_page(struct kb_root *root)
{
	seL4_Word base, bits;
	seL4_CPtr memory = device_memory(root->info, &base, &bits), page;

	while (bits-- > seL4_PageBits) {
		seL4_CPtr halves = kb_slot_row(root, 2);
		bool second = KB_DEVICE_REGISTERS - base >= (seL4_Word)1 << bits;

		KB_MUST(seL4_Untyped_Retype(memory, seL4_UntypedObject, bits, seL4_CapInitThreadCNode, 0, 0, halves, 2));
		memory = halves + second;
		base += second ? (seL4_Word)1 << bits : 0;
	}
	page = kb_slot(root);
	KB_MUST(seL4_Untyped_Retype(memory, KB_PAGE_OBJECT, 0, seL4_CapInitThreadCNode, 0, 0, page, 1));
	return page;
}

static void map_registers(struct kb_root *root)
{
	enum { ADDRESS = 0x50000000 };
	seL4_CPtr page = device_page(root);

	if (root->apart)
		kb_map(root, root->space, kb_copy(root, page), ADDRESS);
	kb_map(root, seL4_CapInitThreadVSpace, page, ADDRESS);
	root->address = ADDRESS;
}

seL4_CPtr kb_device_interrupt(struct kb_root *root, seL4_CPtr notification)
{
	seL4_CPtr handler = kb_slot(root);

	if (KB_DEVICE_REGISTERS)
		map_registers(root);
	KB_MUST(kb_device_handler(handler));
	KB_MUST(seL4_IRQHandler_SetNotification(handler, notification));
	KB_MUST(kb_device_start(root->address));
	KB_MUST(seL4_IRQHandler_Ack(handler));
	return handler;
}
#else
seL4_CPtr kb_device_interrupt(struct kb_root *root, seL4_CPtr notification)
{
	(void)root;
	(void)notification;
	kb_unfit("a platform with a device that this program can make raise an interrupt: pc99, qemu-riscv-virt, qemu-arm-virt");
}
#endif
