/* What is done to threads from outside, and the kernel's counters. */
#include "kernel.h"

extern const unsigned char kb_image_start[];

static struct thread *thread_of(seL4_CPtr slot)
{
	struct object *object = kb_lookup(slot, TCB);

	return object ? object->thread : NULL;
}

/* ---- what it may and where it runs ------------------------------------------------------------------- */

/* A buffer lies in the frame that is given for it: the kernel writes there, whatever the address says. */
static seL4_Error set_buffer(struct thread *thread, seL4_Word buffer, seL4_CPtr frame)
{
	if (!buffer && !frame)
		return seL4_NoError;
	if (buffer % 512)
		return seL4_AlignmentError;
	if (frame < FIRST_FRAME || frame >= FIRST_FRAME + FRAMES)
		return seL4_InvalidCapability;
	if ((seL4_Word)kb_image_start + (frame - FIRST_FRAME) * 4096 != (buffer & ~4095ul))
		kb_misuse("the IPC buffer of %s is not in the frame that is given for it", thread->name);
	thread->buffer = buffer;
	return seL4_NoError;
}

static seL4_Error configure(seL4_CPtr tcb, seL4_Word cspace, seL4_Word vspace, seL4_Word buffer, seL4_CPtr frame)
{
	struct thread *thread = thread_of(tcb);
	seL4_Error error = kb_buffer();

	if (error)
		return error;
	if (!thread || !kb_lookup(cspace, CNODE) || !kb_lookup(vspace, VSPACE))
		return seL4_InvalidCapability;
	thread->configured = true;
	thread->buffer = 0;
	return set_buffer(thread, buffer, frame);
}

static seL4_Error set_priority(struct thread *thread, seL4_CPtr authority, seL4_Word limit, seL4_Word priority)
{
	struct thread *by = thread_of(authority);
	seL4_Error error = kb_buffer();

	if (error)
		return error;
	if (!thread || !by)
		return seL4_InvalidCapability;
	if (priority > by->limit || limit > by->limit)
		return seL4_RangeError;
	thread->priority = priority;
	thread->limit = limit;
	return seL4_NoError;
}

#if KB_MCS
seL4_Error seL4_TCB_Configure(seL4_CPtr tcb, seL4_Word cspace, seL4_Word cspace_data, seL4_Word vspace, seL4_Word vspace_data,
			      seL4_Word buffer, seL4_CPtr frame)
{
	(void)cspace_data;
	(void)vspace_data;
	kb_enter("TCB_Configure");
	return configure(tcb, cspace, vspace, buffer, frame);
}

seL4_Error seL4_TCB_SetSchedParams(seL4_CPtr tcb, seL4_CPtr authority, seL4_Word mcp, seL4_Word priority, seL4_CPtr context,
				   seL4_CPtr fault_endpoint)
{
	struct thread *thread = thread_of(tcb);
	struct object *sched = kb_lookup(context, CONTEXT);
	seL4_Error error;

	kb_enter("TCB_SetSchedParams priority=%lu", priority);
	error = set_priority(thread, authority, mcp, priority);
	if (error)
		return error;
	if (fault_endpoint && !kb_lookup(fault_endpoint, ENDPOINT))
		return seL4_InvalidCapability;
	thread->fault_slot = fault_endpoint;
	thread->sched = sched;
	if (sched)
		sched->thread = thread;
	return seL4_NoError;
}

seL4_Error seL4_SchedControl_ConfigureFlags(seL4_CPtr control, seL4_CPtr context, unsigned long long budget,
					    unsigned long long period, seL4_Word extra_refills, seL4_Word badge, seL4_Word flags)
{
	struct object *sched = kb_lookup(context, CONTEXT);
	seL4_Error error;

	(void)extra_refills;
	(void)badge;
	(void)flags;
	kb_enter("SchedControl_ConfigureFlags");
	error = kb_buffer();
	if (error)
		return error;
	if (!kb_lookup(control, CONTROL) || !sched)
		return seL4_InvalidCapability;
	if (budget > period || budget == 0)
		return seL4_RangeError;
	sched->ready = true;
	return seL4_NoError;
}

seL4_Error seL4_SchedContext_Bind(seL4_CPtr context, seL4_CPtr tcb)
{
	struct object *sched = kb_lookup(context, CONTEXT);
	struct thread *thread = thread_of(tcb);

	kb_enter("SchedContext_Bind");
	if (!sched || !thread)
		return seL4_InvalidCapability;
	if (thread->sched || sched->thread)
		return seL4_IllegalOperation;
	thread->sched = sched;
	sched->thread = thread;
	return seL4_NoError;
}

seL4_Error seL4_SchedContext_Unbind(seL4_CPtr context)
{
	struct object *sched = kb_lookup(context, CONTEXT);

	kb_enter("SchedContext_Unbind");
	if (!sched)
		return seL4_InvalidCapability;
	if (sched->thread)
		sched->thread->sched = NULL;
	sched->thread = NULL;
	return seL4_NoError;
}
#else
seL4_Error seL4_TCB_Configure(seL4_CPtr tcb, seL4_Word fault_endpoint, seL4_Word cspace, seL4_Word cspace_data, seL4_Word vspace,
			      seL4_Word vspace_data, seL4_Word buffer, seL4_CPtr frame)
{
	struct thread *thread = thread_of(tcb);

	(void)cspace_data;
	(void)vspace_data;
	kb_enter("TCB_Configure");
	/* The kernel takes any number here, and finds out when the thread faults. */
	if (thread)
		thread->fault_slot = fault_endpoint;
	return configure(tcb, cspace, vspace, buffer, frame);
}

seL4_Error seL4_TCB_SetSchedParams(seL4_CPtr tcb, seL4_CPtr authority, seL4_Word mcp, seL4_Word priority)
{
	kb_enter("TCB_SetSchedParams priority=%lu", priority);
	return set_priority(thread_of(tcb), authority, mcp, priority);
}
#endif

/* The other two stay what they are: no thread of the double has any of its own. */
seL4_Error seL4_TCB_SetSpace(seL4_CPtr tcb, seL4_Word fault_endpoint, seL4_Word cspace, seL4_Word cspace_data, seL4_Word vspace,
			     seL4_Word vspace_data)
{
	struct thread *thread = thread_of(tcb);
	seL4_Error error = kb_buffer();

	(void)cspace_data;
	(void)vspace_data;
	kb_enter("TCB_SetSpace");
	if (error)
		return error;
	if (!thread || !kb_lookup(cspace, CNODE) || !kb_lookup(vspace, VSPACE) || !kb_lookup(fault_endpoint, ENDPOINT))
		return seL4_InvalidCapability;
	thread->fault_slot = fault_endpoint;
	return seL4_NoError;
}

seL4_Error seL4_TCB_SetPriority(seL4_CPtr tcb, seL4_CPtr authority, seL4_Word priority)
{
	struct thread *thread = thread_of(tcb);
	seL4_Error error;

	kb_enter("TCB_SetPriority priority=%lu", priority);
	error = set_priority(thread, authority, thread ? thread->limit : 0, priority);
	if (!error && thread == kb_current)
		kb_choose();
	return error;
}

/* ---- registers, start and stop ----------------------------------------------------------------------- */

seL4_Error seL4_TCB_WriteRegisters(seL4_CPtr tcb, int resume, unsigned char flags, seL4_Word count, seL4_UserContext *registers)
{
	struct thread *thread = thread_of(tcb);
	seL4_Error error;

	(void)flags;
	kb_enter("TCB_WriteRegisters %s", thread ? thread->name : "?");
	error = kb_buffer();
	if (error || !thread)
		return error ? error : seL4_InvalidCapability;
	if (thread == kb_current)
		return seL4_IllegalOperation;
	/* A real kernel leaves the others as they are, which differs between versions. */
	if (count != sizeof *registers / sizeof(seL4_Word))
		kb_misuse("%lu of %zu registers of %s are written", count, sizeof *registers / sizeof(seL4_Word), thread->name);
	if (thread->state != INACTIVE)
		kb_misuse("registers of %s are written while it runs", thread->name);
	thread->registers = *registers;
	thread->written = thread->fresh = true;
	if (resume)
		kb_wake(thread);
	kb_reschedule();
	return seL4_NoError;
}

seL4_Error seL4_TCB_ReadRegisters(seL4_CPtr tcb, int suspend, unsigned char flags, seL4_Word count, seL4_UserContext *registers)
{
	struct thread *thread = thread_of(tcb);
	seL4_Error error;

	(void)flags;
	kb_enter("TCB_ReadRegisters");
	error = kb_buffer();
	if (error || !thread || thread == kb_current)
		return error ? error : thread ? seL4_IllegalOperation : seL4_InvalidCapability;
	for (seL4_Word i = 0; i < count && i < sizeof *registers / sizeof(seL4_Word); i++)
		((seL4_Word *)registers)[i] = ((seL4_Word *)&thread->registers)[i];
	if (suspend)
		thread->state = INACTIVE;
	return seL4_NoError;
}

seL4_Error seL4_TCB_Resume(seL4_CPtr tcb)
{
	struct thread *thread = thread_of(tcb);

	kb_enter("TCB_Resume %s", thread ? thread->name : "?");
	if (!thread)
		return seL4_InvalidCapability;
	if (!thread->configured || !thread->written)
		kb_misuse("%s is started before it was configured or had registers", thread->name);
	/* Stopped inside a call it would make that call again: the root server never does that. */
	if (!thread->fresh && thread->state == INACTIVE)
		kb_misuse("%s is started again with the registers that it stopped with", thread->name);
	if (thread->state == INACTIVE)
		kb_wake(thread);
	kb_reschedule();
	return seL4_NoError;
}

seL4_Error seL4_TCB_Suspend(seL4_CPtr tcb)
{
	struct thread *thread = thread_of(tcb);

	kb_enter("TCB_Suspend %s", thread ? thread->name : "?");
	if (!thread)
		return seL4_InvalidCapability;
	kb_cancel(thread);
	thread->state = INACTIVE;
	kb_reschedule();
	return seL4_NoError;
}

seL4_Error seL4_TCB_SetTLSBase(seL4_CPtr tcb, seL4_Word base)
{
	kb_enter("TCB_SetTLSBase");
	if (!thread_of(tcb))
		return seL4_InvalidCapability;
	return base ? seL4_NoError : seL4_InvalidArgument;
}

seL4_TCB_SetFlags_t seL4_TCB_SetFlags(seL4_CPtr tcb, seL4_Word clear, seL4_Word set)
{
	(void)clear;
	kb_enter("TCB_SetFlags");
	return (seL4_TCB_SetFlags_t){ thread_of(tcb) ? seL4_NoError : seL4_InvalidCapability, set };
}

/* ---- counters ---------------------------------------------------------------------------------------- */

static struct counts frozen;

void (seL4_BenchmarkNullSyscall)(void)
{
	kb_enter("NullSyscall");
}

seL4_Error (seL4_BenchmarkResetLog)(void)
{
	kb_enter("ResetLog");
	if (KB_HAS_LOG && !kb_log)
		return seL4_IllegalOperation;
	kb_account();
	kb_current->ticks = 0;
	kb_counts = (struct counts){ 0, 0, 0 };
	kb_log_index = 0;
	/* Of this call itself, with fields of the one before. */
	kb_log_entry(0);
	return seL4_NoError;
}

seL4_Word (seL4_BenchmarkFinalizeLog)(void)
{
	uint64_t index = kb_log_index;

	kb_enter("FinalizeLog");
	kb_account();
	frozen = kb_counts;
	/* As kernels of three architectures count them, beside those of the tests between. */
	frozen.schedules += 2;
	return index;
}

/* In parentheses: a kernel without it has a macro of that name. */
seL4_Error (seL4_BenchmarkSetLogBuffer)(seL4_Word frame)
{
	struct object *page = kb_lookup(frame, PAGE);

	kb_enter("SetLogBuffer");
	if (!page || page->bits != seL4_LargePageBits || !page->address)
		return seL4_IllegalOperation;
	kb_log = (unsigned char *)page->address;
	return seL4_NoError;
}

void (seL4_BenchmarkGetThreadUtilisation)(seL4_Word tcb)
{
	enum { THREAD_TICKS = 0, CORE_TICKS = 9, CORE_SCHEDULES = 10, CORE_ENTRIES = 12 };
	seL4_IPCBuffer *buffer = (seL4_IPCBuffer *)kb_current->buffer;

	kb_enter("GetThreadUtilisation");
	if (!buffer || !thread_of(tcb))
		return;
	for (int i = 0; i < 13; i++)
		buffer->msg[i] = 0;
	buffer->msg[THREAD_TICKS] = thread_of(tcb)->ticks;
	buffer->msg[CORE_TICKS] = frozen.ticks;
	buffer->msg[CORE_SCHEDULES] = frozen.schedules;
	buffer->msg[CORE_ENTRIES] = frozen.entries;
}

void (seL4_BenchmarkResetThreadUtilisation)(seL4_Word tcb)
{
	kb_enter("ResetThreadUtilisation");
	if (thread_of(tcb))
		thread_of(tcb)->ticks = 0;
}
