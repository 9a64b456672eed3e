/* Notifications, messages and faults. */
#include "kernel.h"

/* ---- who waits --------------------------------------------------------------------------------------- */

static struct thread *first_waiting(const struct object *object, enum state state)
{
	struct thread *found = NULL;

	for (unsigned i = 0; i < THREADS; i++) {
		struct thread *thread = &kb_thread[i];

		if (!thread->used || thread->state != state || thread->waits_for != object)
			continue;
		if (!found || thread->since < found->since)
			found = thread;
	}
	return found;
}

static struct object *target(seL4_CPtr slot, enum kind kind)
{
	struct object *object = kb_lookup(slot, kind);

	if (!object)
		kb_fault(seL4_Fault_CapFault, 0, slot);
	return kb_lookup(slot, kind);
}

/* ---- notifications ----------------------------------------------------------------------------------- */

static void signal(seL4_CPtr to)
{
	struct object *notification = target(to, NOTIFICATION);
	struct thread *waiting = first_waiting(notification, ON_NOTIFICATION);

	if (waiting) {
		waiting->message.badge = kb_slots[to].badge;
		kb_wake(waiting);
	} else {
		notification->active = true;
		notification->badge |= kb_slots[to].badge;
	}
}

unsigned kb_double_signal_more;

void kb_double_signal(seL4_CPtr to)
{
	kb_enter("Signal slot=%lu", to);
	kb_double_work(KB_WORK_ADD, kb_double_signal_more);
	signal(to);
	kb_reschedule();
}

/* ---- an interrupt, that is masked from when it is delivered until it is acknowledged --------------------------- */

static struct { seL4_CPtr handler, to; bool raised, masked; } interrupt;

static void interrupt_now(void)
{
	interrupt.masked = true;
	kb_enter("Interrupt");
	signal(interrupt.to);
	kb_reschedule();
}

void kb_double_raise(void)
{
	interrupt.raised = true;
	if (!interrupt.masked)
		interrupt_now();
}

void kb_double_quiet(void)
{
	interrupt.raised = false;
}

int kb_double_handler(seL4_CPtr slot)
{
	kb_enter("IRQControl_Get");
	interrupt.handler = slot;
	interrupt.masked = true;
	return seL4_NoError;
}

seL4_Error seL4_IRQHandler_SetNotification(seL4_CPtr handler, seL4_CPtr notification)
{
	kb_enter("IRQHandler_SetNotification");
	if (handler != interrupt.handler || !kb_lookup(notification, NOTIFICATION))
		return seL4_InvalidCapability;
	interrupt.to = notification;
	return seL4_NoError;
}

seL4_Error seL4_IRQHandler_Ack(seL4_CPtr handler)
{
	kb_enter("IRQHandler_Ack");
	if (handler != interrupt.handler)
		return seL4_InvalidCapability;
	interrupt.masked = false;
	if (interrupt.raised)
		interrupt_now();
	return seL4_NoError;
}

static seL4_Word take(struct object *notification)
{
	seL4_Word badge = notification->badge;

	notification->active = false;
	notification->badge = 0;
	return badge;
}

seL4_Word kb_double_wait(seL4_CPtr from)
{
	struct object *notification;

	kb_enter("Wait slot=%lu", from);
	notification = target(from, NOTIFICATION);
	if (notification->active)
		return take(notification);
	kb_block(ON_NOTIFICATION, notification);
	return kb_current->message.badge;
}

seL4_Word kb_double_poll(seL4_CPtr from)
{
	struct object *notification;

	kb_enter("Poll slot=%lu", from);
	notification = target(from, NOTIFICATION);
	return notification->active ? take(notification) : 0;
}

/* ---- messages ---------------------------------------------------------------------------------------- */

/* MCS: a receiver without a context of its own runs on the caller's. */
static void lend(struct thread *from, struct thread *to)
{
	if (!KB_MCS || to->sched)
		return;
	to->sched = from->sched;
	to->lender = from;
	from->sched = NULL;
}

static void give_back(struct thread *borrower)
{
	if (!borrower->lender)
		return;
	borrower->lender->sched = borrower->sched;
	borrower->sched = NULL;
	borrower->lender = NULL;
}

/* The receiver has it, and can answer whoever calls. */
static void deliver(struct thread *from, struct thread *to)
{
	to->message = from->message;
	if (!from->message.call) {
		kb_wake(from);
		return;
	}
	from->state = ON_REPLY;
	from->waits_for = NULL;
	to->caller = from;
	if (KB_MCS) {
		if (!to->reply)
			kb_misuse("%s calls %s, who receives without a reply object", from->name, to->name);
		to->reply->thread = from;
	}
	lend(from, to);
}

static void send(seL4_CPtr to, struct message message)
{
	struct object *endpoint = target(to, ENDPOINT);
	struct thread *receiver = first_waiting(endpoint, RECEIVING), *self = kb_current;

	message.badge = kb_slots[to].badge;
	self->message = message;
	if ((message.word & 0x7f) > 4 && !self->buffer)
		kb_misuse("a message of %lu words without a registered IPC buffer", message.word & 0x7f);
	if (!receiver) {
		kb_block(SENDING, endpoint);
		return;
	}
	deliver(self, receiver);
	kb_wake(receiver);
	if (!message.call)
		self->since = 0;        /* it keeps its place */
	kb_reschedule();
}

/* A signal goes to a notification, and everything else to an endpoint. */
void kb_double_send(seL4_CPtr to, seL4_Word word)
{
	kb_enter("Send slot=%lu", to);
	send(to, (struct message){ .word = word });
}

seL4_Word kb_double_call(seL4_CPtr to, seL4_Word word)
{
	kb_enter("Call slot=%lu", to);
	send(to, (struct message){ .word = word, .call = true });
	return kb_current->message.word;
}

static void receive(seL4_CPtr from, seL4_CPtr reply)
{
	struct thread *self = kb_current, *sender;
	struct object *endpoint;

	if (kb_lookup(from, NOTIFICATION)) {
		self->message = (struct message){ .badge = kb_double_wait(from) };
		return;
	}
	endpoint = target(from, ENDPOINT);
	self->reply = KB_MCS ? kb_lookup(reply, REPLY) : NULL;
	sender = first_waiting(endpoint, SENDING);
	if (!sender) {
		kb_block(RECEIVING, endpoint);
		return;
	}
	deliver(sender, self);
	kb_reschedule();
}

/* A thread that faulted goes on where the answer says; at the same place it faults again. */
static void answer(struct thread *caller, seL4_Word word, seL4_Word first)
{
	if (caller->faulted) {
		caller->faulted = false;
		/* A page may be there now. */
		if (caller->fault_label != seL4_Fault_VMFault && caller->fault_at != CLOCK_AT &&
		    (first != caller->fault_at + KB_ILLEGAL_BYTES || (word & 0x7f) == 0))
			kb_misuse("%s goes on at %lx after a fault at %lx: it would fault for ever", caller->name, first,
				  caller->fault_at);
	} else {
		caller->message = (struct message){ .word = word, .words = { first } };
	}
	kb_wake(caller);
}

static void reply_to_caller(seL4_CPtr reply, seL4_Word word, seL4_Word first)
{
	struct object *object = KB_MCS ? kb_lookup(reply, REPLY) : NULL;
	struct thread *self = kb_current, *caller = KB_MCS ? (object ? object->thread : NULL) : self->caller;

	if (!caller || caller->state != ON_REPLY)
		kb_misuse("replies, and nobody waits for it");
	if (object)
		object->thread = NULL;
	self->caller = NULL;
	give_back(self);
	answer(caller, word, first);
}

seL4_Word kb_double_recv(seL4_CPtr from, seL4_CPtr reply)
{
	kb_enter("Recv slot=%lu", from);
	receive(from, reply);
	return kb_current->message.words[0];
}

seL4_Word kb_double_reply_recv(seL4_CPtr from, seL4_Word word, seL4_CPtr reply, seL4_Word message)
{
	kb_enter("ReplyRecv slot=%lu", from);
	reply_to_caller(reply, word, message);
	receive(from, reply);
	return kb_current->message.words[0];
}

/* ---- libsel4's own functions ------------------------------------------------------------------------- */

/* They store four words of the message through the pointer at each return, whatever was received. */
static void store_words(void)
{
	if (!__sel4_ipc_buffer)
		kb_fault(seL4_Fault_VMFault, 0, 8);
	for (int i = 0; i < 4; i++)
		seL4_SetMR(i, kb_current->message.words[i]);
}

void seL4_Signal(seL4_CPtr to)
{
	kb_double_signal(to);
}

void seL4_Wait(seL4_CPtr from, seL4_Word *sender)
{
	seL4_Word badge = kb_double_wait(from);

	store_words();
	if (sender)
		*sender = badge;
}

#if KB_MCS
seL4_MessageInfo_t seL4_Recv(seL4_CPtr from, seL4_Word *sender, seL4_CPtr reply)
#else
seL4_MessageInfo_t seL4_Recv(seL4_CPtr from, seL4_Word *sender)
#endif
{
#if !KB_MCS
	seL4_CPtr reply = 0;
#endif
	(void)kb_double_recv(from, reply);
	store_words();
	if (sender)
		*sender = kb_current->message.badge;
	return (seL4_MessageInfo_t){ { kb_current->message.word } };
}

#if KB_MCS
/* Whoever is woken comes only when the caller waits, or has its message. */
seL4_MessageInfo_t seL4_NBSendRecv(seL4_CPtr to, seL4_MessageInfo_t message, seL4_CPtr from, seL4_Word *sender, seL4_CPtr reply)
{
	(void)message;
	kb_enter("NBSendRecv slot=%lu", from);
	signal(to);
	receive(from, reply);
	store_words();
	if (sender)
		*sender = kb_current->message.badge;
	return (seL4_MessageInfo_t){ { kb_current->message.word } };
}
#endif

/* Answers with nothing in them: to a fault, that the thread is to try again. */
#if KB_MCS
void seL4_Send(seL4_CPtr to, seL4_MessageInfo_t message)
{
	kb_enter("Reply");
	reply_to_caller(to, message.words[0], kb_current->message.words[0]);
	kb_reschedule();
}
#else
void seL4_Reply(seL4_MessageInfo_t message)
{
	kb_enter("Reply");
	reply_to_caller(0, message.words[0], kb_current->message.words[0]);
	kb_reschedule();
}
#endif

void seL4_Yield(void)
{
	kb_enter("Yield");
	kb_yield();
}

/* ---- faults ------------------------------------------------------------------------------------------ */

void kb_fault(seL4_Word label, seL4_Word at, seL4_Word what)
{
	struct thread *self = kb_current;
	struct object *endpoint = kb_lookup(self->fault_slot, ENDPOINT);
	seL4_CPtr slot = self->fault_slot;

	if (!endpoint) {
		printf("Caught %s fault in thread %s with no fault handler\r\n", label == seL4_Fault_VMFault ? "vm" : "cap",
		       self->name);
		self->state = INACTIVE;
		self->dead = true;
		kb_reschedule();
		return;
	}
	self->faulted = true;
	self->fault_at = at;
	self->fault_label = label;
	send(slot, (struct message){ .word = seL4_MessageInfo_new(label, 0, 0, 2).words[0], .words = { at, what }, .call = true,
				     .fault = true });
}

void kb_double_illegal(void)
{
	kb_enter(NULL);
	kb_fault(seL4_Fault_UserException, 0x400000, 0);
}

/* A thread that is stopped waits for nothing any more, and answers nobody. */
void kb_cancel(struct thread *thread)
{
	thread->waits_for = NULL;
	thread->caller = NULL;
	thread->faulted = false;
	give_back(thread);
	if (thread->reply)
		thread->reply->thread = NULL;
	/* What it lent comes back when it is stopped while it waits for a reply. */
	for (unsigned i = 0; i < THREADS; i++) {
		if (kb_thread[i].used && kb_thread[i].lender == thread)
			give_back(&kb_thread[i]);
	}
}
