/* What only the machine headers of the three architectures use: compiled against, never run. */
#ifndef KB_DOUBLE_MACHINE_H
#define KB_DOUBLE_MACHINE_H

#if defined __x86_64__
enum { seL4_X86_4K = seL4_DoubleObjects, seL4_X86_LargePageObject, seL4_X86_PDPTObject, seL4_X86_PageDirectoryObject,
	seL4_X86_PageTableObject };
enum { seL4_X86_Default_VMAttributes };
seL4_Error seL4_X86_PDPT_Map(seL4_CPtr table, seL4_CPtr vspace, seL4_Word address, int attributes);
seL4_Error seL4_X86_PageDirectory_Map(seL4_CPtr table, seL4_CPtr vspace, seL4_Word address, int attributes);
seL4_Error seL4_X86_PageTable_Map(seL4_CPtr table, seL4_CPtr vspace, seL4_Word address, int attributes);
seL4_Error seL4_X86_Page_Map(seL4_CPtr page, seL4_CPtr vspace, seL4_Word address, seL4_CapRights_t rights, int attributes);
seL4_Error seL4_X86_Page_Unmap(seL4_CPtr page);
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
#else
enum { seL4_ARM_SmallPageObject = seL4_DoubleObjects, seL4_ARM_LargePageObject, seL4_ARM_PageTableObject };
enum { seL4_ARM_Default_VMAttributes };
seL4_Error seL4_ARM_PageTable_Map(seL4_CPtr table, seL4_CPtr vspace, seL4_Word address, int attributes);
seL4_Error seL4_ARM_Page_Map(seL4_CPtr page, seL4_CPtr vspace, seL4_Word address, seL4_CapRights_t rights, int attributes);
seL4_Error seL4_ARM_Page_Unmap(seL4_CPtr page);
#endif

#endif
