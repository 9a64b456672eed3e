/*
 * What the root server asks of seL4, through the user's own libsel4. Here, and in the machine headers next to it, are all
 * differences between kernels (MCS or not, before 14 or after); everything else calls what stands here and looks the same.
 *
 * Names of libsel4 that the root server needs besides the machine headers, which a test double has to supply:
 *   seL4_Word seL4_CPtr seL4_Error seL4_BootInfo seL4_SlotRegion seL4_UntypedDesc seL4_IPCBuffer seL4_UserContext
 *   seL4_MessageInfo_t seL4_CapRights_t seL4_BootInfoHeader, seL4_MessageInfo_new seL4_AllRights seL4_PageBits seL4_WordBits
 *   seL4_LargePageBits seL4_SysCall/ReplyRecv/Send/NBSend/Recv/NBRecv/Yield/NBSendRecv/Wait/NBWait
 *   seL4_CapInitThreadTCB/CNode/VSpace/IPCBuffer, seL4_{TCB,Endpoint,Notification,Untyped,SchedContext,Reply}Object
 *   seL4_Untyped_Retype seL4_CNode_Mint seL4_CNode_Delete seL4_CNode_Revoke seL4_TCB_Configure seL4_TCB_SetSchedParams
 *   seL4_TCB_WriteRegisters seL4_TCB_Resume seL4_TCB_Suspend seL4_TCB_SetTLSBase seL4_TCB_SetFlags seL4_TCB_SetPriority
 *   seL4_TCB_SetSpace seL4_Reply (with MCS seL4_Send in its place)
 *   seL4_SchedControl_ConfigureFlags seL4_SchedContext_Bind seL4_SchedContext_Unbind
 *   seL4_Signal seL4_Wait seL4_Recv seL4_NBSendRecv (MCS) seL4_Yield seL4_GetMR seL4_SetIPCBuffer seL4_DebugPutChar
 *   seL4_BenchmarkNullSyscall/ResetLog/FinalizeLog/SetLogBuffer/GetThreadUtilisation/ResetThreadUtilisation
 */
#ifndef KB_OS_SEL4_CALLS_H
#define KB_OS_SEL4_CALLS_H

#include "types.h"

/* Before version 14 libsel4 said __thread itself. */
#include <sel4/config.h>
#include <sel4/macros.h>
#ifndef LIBSEL4_THREAD_LOCAL
#define LIBSEL4_THREAD_LOCAL __thread
#endif

#include <sel4/sel4.h>

#ifdef CONFIG_KERNEL_MCS
#define KB_MCS 1
#else
#define KB_MCS 0
#endif

#ifdef CONFIG_PRINTING
#define KB_KERNEL_PRINTS 1
#else
#define KB_KERNEL_PRINTS 0
#define seL4_DebugPutChar(c) ((void)(c))
#endif

#ifdef CONFIG_ENABLE_BENCHMARKS
#define KB_HAS_NULL_CALL 1
#else
#define KB_HAS_NULL_CALL 0
#define seL4_BenchmarkNullSyscall() ((void)0)
#endif

#ifdef CONFIG_BENCHMARK_TRACK_UTILISATION
#define KB_HAS_UTILISATION 1
#else
#define KB_HAS_UTILISATION 0
#define seL4_BenchmarkGetThreadUtilisation(tcb) ((void)(tcb))
#define seL4_BenchmarkResetThreadUtilisation(tcb) ((void)(tcb))
#endif

#ifdef CONFIG_BENCHMARK_TRACK_KERNEL_ENTRIES
#define KB_HAS_ENTRIES 1
#define KB_LOG_NAME "entries"
#define KB_LOG_ENTRY_BYTES 24u
#else
#define KB_HAS_ENTRIES 0
#define KB_LOG_NAME "tracepoints"
#define KB_LOG_ENTRY_BYTES 16u
#endif

#ifdef CONFIG_KERNEL_LOG_BUFFER
#define KB_HAS_LOG 1
#else
#define KB_HAS_LOG 0
#define seL4_BenchmarkSetLogBuffer(frame) ((void)(frame), 0)
#endif

#if !defined CONFIG_ENABLE_BENCHMARKS
#define seL4_BenchmarkResetLog() (0)
#define seL4_BenchmarkFinalizeLog() ((seL4_Word)0)
#endif

/* The budget of the original, in microseconds: no slice ends inside a test. */
#define KB_BUDGET_US 100000000u

#if KB_MCS
#define KB_SYS_WAIT seL4_SysWait
#define KB_SYS_POLL seL4_SysNBWait
#define KB_SYSTEM_CALLS_MCS { "NBSendRecv", seL4_SysNBSendRecv }, { "Wait", seL4_SysWait }, { "NBWait", seL4_SysNBWait },
#define KB_OBJECT_CONTEXT seL4_SchedContextObject
#define KB_OBJECT_REPLY seL4_ReplyObject
#define KB_CONTEXT_BITS seL4_MinSchedContextBits

static inline seL4_MessageInfo_t kb_sel4_recv(seL4_CPtr from, seL4_Word *badge, seL4_CPtr reply)
{
	return seL4_Recv(from, badge, reply);
}

/* Signals and receives in one: a thread that gets the signal knows that the receiver waits. */
static inline void kb_sel4_ready_recv(seL4_CPtr ready, seL4_CPtr from, seL4_CPtr reply)
{
	(void)seL4_NBSendRecv(ready, seL4_MessageInfo_new(0, 0, 0, 0), from, 0, reply);
}

static inline void kb_sel4_reply(seL4_CPtr reply)
{
	seL4_Send(reply, seL4_MessageInfo_new(0, 0, 0, 0));
}

static inline int kb_sel4_configure(seL4_CPtr tcb, seL4_CPtr fault, seL4_CPtr space, seL4_Word buffer, seL4_CPtr frame)
{
	(void)fault;
	return (int)seL4_TCB_Configure(tcb, seL4_CapInitThreadCNode, 0, space, 0, buffer, frame);
}

static inline int kb_sel4_schedule(seL4_CPtr tcb, seL4_Word priority, seL4_CPtr context, seL4_CPtr fault)
{
	return (int)seL4_TCB_SetSchedParams(tcb, seL4_CapInitThreadTCB, priority, priority, context, fault);
}

static inline int kb_sel4_budget(const seL4_BootInfo *info, seL4_CPtr context)
{
	return (int)seL4_SchedControl_ConfigureFlags(info->schedcontrol.start, context, KB_BUDGET_US, KB_BUDGET_US, 0, 0, 0);
}

static inline int kb_sel4_bind(seL4_CPtr context, seL4_CPtr tcb)
{
	return (int)seL4_SchedContext_Bind(context, tcb);
}

static inline int kb_sel4_unbind(seL4_CPtr context)
{
	return (int)seL4_SchedContext_Unbind(context);
}
#else
#define KB_SYS_WAIT seL4_SysRecv
#define KB_SYS_POLL seL4_SysNBRecv
#define KB_SYSTEM_CALLS_MCS
/* These objects do not exist: nothing asks for them where KB_MCS is 0. */
#define KB_OBJECT_CONTEXT seL4_UntypedObject
#define KB_OBJECT_REPLY seL4_UntypedObject
#define KB_CONTEXT_BITS 0

static inline seL4_MessageInfo_t kb_sel4_recv(seL4_CPtr from, seL4_Word *badge, seL4_CPtr reply)
{
	(void)reply;
	return seL4_Recv(from, badge);
}

static inline void kb_sel4_reply(seL4_CPtr reply)
{
	(void)reply;
	seL4_Reply(seL4_MessageInfo_new(0, 0, 0, 0));
}

static inline int kb_sel4_configure(seL4_CPtr tcb, seL4_CPtr fault, seL4_CPtr space, seL4_Word buffer, seL4_CPtr frame)
{
	return (int)seL4_TCB_Configure(tcb, fault, seL4_CapInitThreadCNode, 0, space, 0, buffer, frame);
}

static inline int kb_sel4_schedule(seL4_CPtr tcb, seL4_Word priority, seL4_CPtr context, seL4_CPtr fault)
{
	(void)context;
	(void)fault;
	return (int)seL4_TCB_SetSchedParams(tcb, seL4_CapInitThreadTCB, priority, priority);
}

/* What only MCS has to do. */
#define kb_sel4_ready_recv(ready, from, reply) ((void)(ready), (void)(from), (void)(reply))
#define kb_sel4_budget(info, context) ((void)(info), (void)(context), 0)

static inline int kb_sel4_bind(seL4_CPtr context, seL4_CPtr tcb)
{
	(void)context;
	(void)tcb;
	return 0;
}

static inline int kb_sel4_unbind(seL4_CPtr context)
{
	(void)context;
	return 0;
}
#endif

/* Since 14 the kernel keeps the FPU's registers for every thread, unless told that there is nothing to keep. */
#ifdef KB_SEL4_HAS_TCB_FLAGS
static inline int kb_sel4_no_fpu(seL4_CPtr tcb)
{
	return seL4_TCB_SetFlags(tcb, 0, seL4_TCBFlag_fpuDisabled).error;
}
#else
#define kb_sel4_no_fpu(tcb) ((void)(tcb), 0)
#endif

#endif
