/*
 * The names of libsel4 that the root server uses, declared anew: enough to compile it without a seL4, for the host against the
 * double in this directory, and freestanding for each architecture. Names and argument lists are those of the seL4 reference manual;
 * numbers and layouts are the double's own, so nothing that is compiled against this runs on a real kernel.
 */
#ifndef KB_DOUBLE_SEL4_H
#define KB_DOUBLE_SEL4_H

#include <sel4/config.h>
#include <sel4/macros.h>

typedef unsigned long seL4_Word;
typedef seL4_Word seL4_CPtr;
typedef struct { seL4_Word words[1]; } seL4_MessageInfo_t;
typedef struct { seL4_Word words[1]; } seL4_CapRights_t;

typedef enum {
	seL4_NoError, seL4_InvalidArgument, seL4_InvalidCapability, seL4_IllegalOperation, seL4_RangeError, seL4_AlignmentError,
	seL4_FailedLookup, seL4_TruncatedMessage, seL4_DeleteFirst, seL4_RevokeFirst, seL4_NotEnoughMemory
} seL4_Error;

enum { seL4_WordBits = 64, seL4_PageBits = 12, seL4_LargePageBits = 21, seL4_MinSchedContextBits = 7, seL4_MsgMaxLength = 120, seL4_MaxPrio = 255 };
enum {
	seL4_SysCall = -1, seL4_SysReplyRecv = -2, seL4_SysNBSendRecv = -3, seL4_SysNBSendWait = -4, seL4_SysSend = -5,
	seL4_SysNBSend = -6, seL4_SysRecv = -7, seL4_SysNBRecv = -8, seL4_SysWait = -9, seL4_SysNBWait = -10, seL4_SysYield = -11
};
enum { seL4_TCBBits = 11, seL4_EndpointBits = 4, seL4_NotificationBits = 6, seL4_ReplyBits = 5 };

enum {
	seL4_CapInitThreadTCB = 1, seL4_CapInitThreadCNode = 2, seL4_CapInitThreadVSpace = 3, seL4_CapIRQControl = 4,
	seL4_CapASIDControl = 5, seL4_CapInitThreadASIDPool = 6, seL4_CapIOPortControl = 7, seL4_CapInitThreadIPCBuffer = 10
};

enum {
	seL4_UntypedObject, seL4_TCBObject, seL4_EndpointObject, seL4_NotificationObject, seL4_CapTableObject,
	seL4_SchedContextObject, seL4_ReplyObject, seL4_DoublePageObject, seL4_DoubleTableObject, seL4_DoubleLargePageObject, seL4_DoubleSpaceObject,
	seL4_DoubleObjects
};

enum { seL4_Fault_NullFault, seL4_Fault_CapFault, seL4_Fault_UnknownSyscall, seL4_Fault_UserException, seL4_Fault_Timeout,
	seL4_Fault_VMFault };

enum { seL4_TCBFlag_NoFlag, seL4_TCBFlag_fpuDisabled };
#define KB_SEL4_HAS_TCB_FLAGS 1

typedef struct { seL4_CPtr start, end; } seL4_SlotRegion;
typedef struct { seL4_Word paddr; unsigned char sizeBits, isDevice, padding[6]; } seL4_UntypedDesc;
typedef struct { seL4_Word id, len; } seL4_BootInfoHeader;

typedef struct {
	seL4_MessageInfo_t tag;
	seL4_Word msg[seL4_MsgMaxLength];
	seL4_Word userData, caps_or_badges[3];
} seL4_IPCBuffer;

#define KB_DOUBLE_UNTYPED CONFIG_MAX_NUM_BOOTINFO_UNTYPED_CAPS

typedef struct {
	seL4_Word extraLen, nodeID, numNodes;
	seL4_IPCBuffer *ipcBuffer;
	seL4_SlotRegion empty, userImageFrames, untyped, schedcontrol;
	seL4_UntypedDesc untypedList[KB_DOUBLE_UNTYPED];
} seL4_BootInfo;

/* Registers by the names that each architecture has for what a thread starts with; the double's own machine has four. */
#if defined KB_DOUBLE_HOST
typedef struct { seL4_Word pc, argument, sp, thread; } seL4_UserContext;
#elif defined __x86_64__
typedef struct {
	seL4_Word rip, rsp, rflags, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15, fs_base, gs_base;
} seL4_UserContext;
#elif defined __riscv
typedef struct { seL4_Word pc, ra, sp, gp, s[12], a0, a[7], t[7], tp; } seL4_UserContext;
#else
typedef struct { seL4_Word pc, sp, spsr, x0, x[30], tpidr_el0, tpidrro_el0; } seL4_UserContext;
#endif

extern LIBSEL4_THREAD_LOCAL seL4_IPCBuffer *__sel4_ipc_buffer;

static inline seL4_MessageInfo_t seL4_MessageInfo_new(seL4_Word label, seL4_Word unwrapped, seL4_Word extra, seL4_Word length)
{
	return (seL4_MessageInfo_t){ { label << 12 | unwrapped << 9 | extra << 7 | length } };
}

static inline seL4_Word seL4_MessageInfo_get_label(seL4_MessageInfo_t info)
{
	return info.words[0] >> 12;
}

static inline seL4_Word seL4_MessageInfo_get_length(seL4_MessageInfo_t info)
{
	return info.words[0] & 0x7f;
}

static inline void seL4_SetIPCBuffer(seL4_IPCBuffer *buffer)
{
	__sel4_ipc_buffer = buffer;
}

static inline seL4_Word seL4_GetMR(int i)
{
	return __sel4_ipc_buffer->msg[i];
}

static inline void seL4_SetMR(int i, seL4_Word value)
{
	__sel4_ipc_buffer->msg[i] = value;
}

static const seL4_CapRights_t seL4_AllRights = { { 15 } };
static const seL4_CapRights_t seL4_CanRead = { { 2 } };

seL4_Error seL4_Untyped_Retype(seL4_CPtr untyped, seL4_Word type, seL4_Word size_bits, seL4_CPtr root, seL4_Word node_index,
			       seL4_Word node_depth, seL4_Word node_offset, seL4_Word num_objects);
seL4_Error seL4_CNode_Mint(seL4_CPtr service, seL4_Word dest, unsigned char dest_depth, seL4_CPtr src_root, seL4_Word src,
			   unsigned char src_depth, seL4_CapRights_t rights, seL4_Word badge);
seL4_Error seL4_CNode_Copy(seL4_CPtr service, seL4_Word dest, unsigned char dest_depth, seL4_CPtr src_root, seL4_Word src,
			   unsigned char src_depth, seL4_CapRights_t rights);
seL4_Error seL4_IRQHandler_SetNotification(seL4_CPtr handler, seL4_CPtr notification);
seL4_Error seL4_IRQHandler_Ack(seL4_CPtr handler);
seL4_Error seL4_CNode_Delete(seL4_CPtr service, seL4_Word index, unsigned char depth);
seL4_Error seL4_CNode_Revoke(seL4_CPtr service, seL4_Word index, unsigned char depth);

#ifdef CONFIG_KERNEL_MCS
seL4_Error seL4_TCB_Configure(seL4_CPtr tcb, seL4_Word cspace, seL4_Word cspace_data, seL4_Word vspace, seL4_Word vspace_data,
			      seL4_Word buffer, seL4_CPtr frame);
seL4_Error seL4_TCB_SetSchedParams(seL4_CPtr tcb, seL4_CPtr authority, seL4_Word mcp, seL4_Word priority, seL4_CPtr context,
				   seL4_CPtr fault_endpoint);
seL4_Error seL4_SchedControl_ConfigureFlags(seL4_CPtr control, seL4_CPtr context, unsigned long long budget,
					    unsigned long long period, seL4_Word extra_refills, seL4_Word badge, seL4_Word flags);
seL4_Error seL4_SchedContext_Bind(seL4_CPtr context, seL4_CPtr tcb);
seL4_Error seL4_SchedContext_Unbind(seL4_CPtr context);
seL4_MessageInfo_t seL4_Recv(seL4_CPtr from, seL4_Word *sender, seL4_CPtr reply);
seL4_MessageInfo_t seL4_NBSendRecv(seL4_CPtr to, seL4_MessageInfo_t message, seL4_CPtr from, seL4_Word *sender, seL4_CPtr reply);
#else
seL4_Error seL4_TCB_Configure(seL4_CPtr tcb, seL4_Word fault_endpoint, seL4_Word cspace, seL4_Word cspace_data, seL4_Word vspace,
			      seL4_Word vspace_data, seL4_Word buffer, seL4_CPtr frame);
seL4_Error seL4_TCB_SetSchedParams(seL4_CPtr tcb, seL4_CPtr authority, seL4_Word mcp, seL4_Word priority);
seL4_MessageInfo_t seL4_Recv(seL4_CPtr from, seL4_Word *sender);
#endif

typedef struct { int error; seL4_Word flags; } seL4_TCB_SetFlags_t;

seL4_Error seL4_TCB_WriteRegisters(seL4_CPtr tcb, int resume, unsigned char flags, seL4_Word count, seL4_UserContext *registers);
seL4_Error seL4_TCB_ReadRegisters(seL4_CPtr tcb, int suspend, unsigned char flags, seL4_Word count, seL4_UserContext *registers);
seL4_Error seL4_TCB_Resume(seL4_CPtr tcb);
seL4_Error seL4_TCB_Suspend(seL4_CPtr tcb);
seL4_Error seL4_TCB_SetPriority(seL4_CPtr tcb, seL4_CPtr authority, seL4_Word priority);
seL4_Error seL4_TCB_SetTLSBase(seL4_CPtr tcb, seL4_Word base);
seL4_TCB_SetFlags_t seL4_TCB_SetFlags(seL4_CPtr tcb, seL4_Word clear, seL4_Word set);

seL4_Error seL4_TCB_SetSpace(seL4_CPtr tcb, seL4_Word fault_endpoint, seL4_Word cspace, seL4_Word cspace_data, seL4_Word vspace,
			     seL4_Word vspace_data);

#ifdef CONFIG_KERNEL_MCS
void seL4_Send(seL4_CPtr to, seL4_MessageInfo_t message);
#else
void seL4_Reply(seL4_MessageInfo_t message);
#endif
void seL4_Signal(seL4_CPtr to);
void seL4_Wait(seL4_CPtr from, seL4_Word *sender);
void seL4_Yield(void);
void seL4_DebugPutChar(char c);

void seL4_BenchmarkNullSyscall(void);
seL4_Error seL4_BenchmarkResetLog(void);
seL4_Word seL4_BenchmarkFinalizeLog(void);
seL4_Error seL4_BenchmarkSetLogBuffer(seL4_Word frame);
void seL4_BenchmarkGetThreadUtilisation(seL4_Word tcb);
void seL4_BenchmarkResetThreadUtilisation(seL4_Word tcb);

#ifndef KB_DOUBLE_HOST
#include <sel4/machine.h>
#endif

#endif
