/* What only the machine headers of the three architectures use: compiled against, never run. */
#ifndef KB_DOUBLE_MACHINE_H
#define KB_DOUBLE_MACHINE_H

#if defined __x86_64__
enum { seL4_X86_4K = seL4_DoubleObjects, seL4_X86_LargePageObject, seL4_X86_PDPTObject, seL4_X86_PageDirectoryObject,
	seL4_X86_PageTableObject, seL4_X64_PML4Object };
enum { seL4_X86_Default_VMAttributes };
seL4_Error seL4_X86_PDPT_Map(seL4_CPtr table, seL4_CPtr vspace, seL4_Word address, int attributes);
seL4_Error seL4_X86_PageDirectory_Map(seL4_CPtr table, seL4_CPtr vspace, seL4_Word address, int attributes);
seL4_Error seL4_X86_PageTable_Map(seL4_CPtr table, seL4_CPtr vspace, seL4_Word address, int attributes);
seL4_Error seL4_X86_Page_Map(seL4_CPtr page, seL4_CPtr vspace, seL4_Word address, seL4_CapRights_t rights, int attributes);
seL4_Error seL4_X86_Page_Unmap(seL4_CPtr page);
seL4_Error seL4_X86_ASIDPool_Assign(seL4_CPtr pool, seL4_CPtr vspace);
seL4_Error seL4_IRQControl_GetIOAPIC(seL4_CPtr control, seL4_CPtr root, seL4_Word index, unsigned char depth, seL4_Word ioapic, seL4_Word pin,
				     seL4_Word level, seL4_Word polarity, seL4_Word vector);
typedef struct { int error; unsigned char result; } seL4_X86_IOPort_In8_t;
seL4_X86_IOPort_In8_t seL4_X86_IOPort_In8(seL4_CPtr port, unsigned short number);
seL4_Error seL4_X86_IOPort_Out8(seL4_CPtr port, seL4_Word number, seL4_Word value);
seL4_Error seL4_X86_IOPortControl_Issue(seL4_CPtr control, seL4_Word first, seL4_Word last, seL4_CPtr root, seL4_Word index,
					unsigned char depth);
#elif defined __riscv
enum { seL4_RISCV_4K_Page = seL4_DoubleObjects, seL4_RISCV_Mega_Page, seL4_RISCV_PageTableObject };
enum { seL4_RISCV_Default_VMAttributes };
seL4_Error seL4_RISCV_PageTable_Map(seL4_CPtr table, seL4_CPtr vspace, seL4_Word address, int attributes);
seL4_Error seL4_RISCV_Page_Map(seL4_CPtr page, seL4_CPtr vspace, seL4_Word address, seL4_CapRights_t rights, int attributes);
seL4_Error seL4_RISCV_Page_Unmap(seL4_CPtr page);
seL4_Error seL4_RISCV_ASIDPool_Assign(seL4_CPtr pool, seL4_CPtr vspace);
#else
enum { seL4_ARM_SmallPageObject = seL4_DoubleObjects, seL4_ARM_LargePageObject, seL4_ARM_PageTableObject, seL4_ARM_VSpaceObject };
enum { seL4_ARM_Default_VMAttributes };
seL4_Error seL4_ARM_PageTable_Map(seL4_CPtr table, seL4_CPtr vspace, seL4_Word address, int attributes);
seL4_Error seL4_ARM_Page_Map(seL4_CPtr page, seL4_CPtr vspace, seL4_Word address, seL4_CapRights_t rights, int attributes);
seL4_Error seL4_ARM_Page_Unmap(seL4_CPtr page);
seL4_Error seL4_ARM_ASIDPool_Assign(seL4_CPtr pool, seL4_CPtr vspace);
#endif
#ifndef __x86_64__
seL4_Error seL4_IRQControl_Get(seL4_CPtr control, seL4_Word irq, seL4_CPtr root, seL4_Word index, unsigned char depth);
#endif

#endif
