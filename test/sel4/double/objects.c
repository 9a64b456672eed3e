/* Capabilities and the memory behind them: a capability space of one level, untyped memory that fills until it is revoked. */
#define _GNU_SOURCE
#include "kernel.h"

#include <sys/mman.h>

struct slot kb_slots[SLOTS];

static struct object objects[OBJECTS];
extern const unsigned char kb_image_start[];

/* ---- slots ------------------------------------------------------------------------------------------- */

struct object *kb_lookup(seL4_CPtr slot, enum kind kind)
{
	if (slot >= SLOTS || !kb_slots[slot].object || kb_slots[slot].object->kind != kind)
		return NULL;
	return kb_slots[slot].object;
}

static struct object *new_object(enum kind kind)
{
	for (unsigned i = 0; i < OBJECTS; i++) {
		if (objects[i].kind == NOTHING) {
			objects[i] = (struct object){ .kind = kind };
			return &objects[i];
		}
	}
	kb_misuse("more than %d objects", OBJECTS);
}

static void put(seL4_CPtr slot, struct object *object, seL4_Word badge, seL4_CPtr parent)
{
	kb_slots[slot] = (struct slot){ object, badge, (unsigned)parent };
	object->references++;
}

static void destroy(struct object *object)
{
	if (object->kind == TCB) {
		kb_cancel(object->thread);
		object->thread->state = INACTIVE;
		object->thread->used = false;
	}
	object->kind = NOTHING;
}

static void delete_slot(seL4_CPtr slot)
{
	struct object *object = kb_slots[slot].object;

	if (!object)
		return;
	kb_slots[slot] = (struct slot){ 0 };
	if (--object->references == 0 && object->kind != UNTYPED)
		destroy(object);
}

/* Children before their parents: of each, its own first. */
static void revoke(seL4_CPtr slot)
{
	for (seL4_CPtr i = 0; i < SLOTS; i++) {
		if (kb_slots[i].object && kb_slots[i].parent == slot && i != slot) {
			revoke(i);
			delete_slot(i);
		}
	}
}

/* ---- boot -------------------------------------------------------------------------------------------- */

void kb_objects_boot(seL4_BootInfo *info)
{
	static const unsigned char bits[KB_DOUBLE_UNTYPED] = { 28, 12, 21, 19, 16, 22, 20, 20 };
	struct thread *init = &kb_thread[0];

	*init = (struct thread){ .name = "init", .used = true, .configured = true, .written = true, .priority = 255, .limit = 255,
				 .state = READY, .buffer = (seL4_Word)info->ipcBuffer };
	put(seL4_CapInitThreadTCB, new_object(TCB), 0, 0);
	kb_slots[seL4_CapInitThreadTCB].object->thread = init;
	put(seL4_CapInitThreadCNode, new_object(CNODE), 0, 0);
	put(seL4_CapInitThreadVSpace, new_object(VSPACE), 0, 0);
	put(FIRST_CONTROL, new_object(CONTROL), 0, 0);
	if (KB_MCS) {
		init->sched = new_object(CONTEXT);
		init->sched->ready = true;
		init->sched->thread = init;
	}
	for (unsigned i = 0; i < KB_DOUBLE_UNTYPED; i++) {
		struct object *untyped = new_object(UNTYPED);

		untyped->bits = bits[i];
		put(FIRST_UNTYPED + i, untyped, 0, 0);
		info->untypedList[i] = (seL4_UntypedDesc){ .paddr = 1ul << 30, .sizeBits = bits[i], .isDevice = i == 0 };
	}
	info->empty = (seL4_SlotRegion){ FIRST_EMPTY, SLOTS };
	info->untyped = (seL4_SlotRegion){ FIRST_UNTYPED, FIRST_UNTYPED + KB_DOUBLE_UNTYPED };
	info->schedcontrol = (seL4_SlotRegion){ FIRST_CONTROL, FIRST_CONTROL + 1 };
	info->userImageFrames = (seL4_SlotRegion){ FIRST_FRAME, FIRST_FRAME + FRAMES };
}

/* ---- system calls ------------------------------------------------------------------------------------ */

seL4_Error kb_buffer(void)
{
	/* libsel4 writes through its pointer, the kernel reads from the registered page. */
	if (!__sel4_ipc_buffer)
		kb_fault(seL4_Fault_VMFault, 0, 8);
	if (!kb_current->buffer)
		return seL4_TruncatedMessage;
	return (seL4_Word)__sel4_ipc_buffer == kb_current->buffer ? seL4_NoError : seL4_InvalidCapability;
}

static const struct { enum kind kind; seL4_Word bits; } types[seL4_DoubleObjects] = {
	[seL4_UntypedObject] = { UNTYPED, 0 }, [seL4_TCBObject] = { TCB, seL4_TCBBits },
	[seL4_EndpointObject] = { ENDPOINT, seL4_EndpointBits },
	[seL4_NotificationObject] = { NOTIFICATION, seL4_NotificationBits },
	[seL4_SchedContextObject] = { KB_MCS ? CONTEXT : NOTHING, 0 },
	[seL4_ReplyObject] = { KB_MCS ? REPLY : NOTHING, 5 },
	[seL4_DoublePageObject] = { PAGE, 12 },
	[seL4_DoubleTableObject] = { TABLE, 12 }, [seL4_DoubleLargePageObject] = { PAGE, 21 },
	[seL4_DoubleSpaceObject] = { VSPACE, 12 },
};

static struct thread *new_thread(void)
{
	static const char *const names[THREADS] = {
		"init", "guard", "low", "high", "t4", "t5", "t6", "t7", "t8", "t9", "t10", "t11", "t12", "t13", "t14", "t15",
		"t16", "t17", "t18", "t19", "t20", "t21", "t22", "t23", "t24", "t25", "t26", "t27", "t28", "t29", "t30", "t31",
	};

	for (unsigned i = 1; i < THREADS; i++) {
		if (!kb_thread[i].used) {
			char *stack = kb_thread[i].stack;

			kb_thread[i] = (struct thread){ .name = names[i], .used = true, .stack = stack };
			return &kb_thread[i];
		}
	}
	kb_misuse("more than %d threads", THREADS);
}

static seL4_Error make(seL4_CPtr untyped, struct object *memory, enum kind kind, seL4_Word bits, seL4_CPtr slot)
{
	seL4_Word size = 1ul << bits, at = (memory->used + size - 1) & ~(size - 1);
	struct object *object;

	if (kb_slots[slot].object)
		return seL4_DeleteFirst;
	if (at + size > 1ul << memory->bits) {
		printf("<<double: not enough memory for an object of %lu bits>>\r\n", bits);
		return seL4_NotEnoughMemory;
	}
	memory->used = at + size;
	object = new_object(kind);
	object->bits = bits;
	put(slot, object, 0, untyped);
	if (kind == TCB)
		object->thread = new_thread();
	return seL4_NoError;
}

seL4_Error seL4_Untyped_Retype(seL4_CPtr untyped, seL4_Word type, seL4_Word size_bits, seL4_CPtr root, seL4_Word node_index,
			       seL4_Word node_depth, seL4_Word node_offset, seL4_Word num_objects)
{
	struct object *memory = kb_lookup(untyped, UNTYPED);
	seL4_Error error;

	kb_enter("Untyped_Retype type=%lu", type);
	error = kb_buffer();
	if (error)
		return error;
	if (!memory || !kb_lookup(root, CNODE))
		return seL4_InvalidCapability;
	if (type >= seL4_DoubleObjects || types[type].kind == NOTHING)
		return seL4_InvalidArgument;
	if (node_index || node_depth || num_objects == 0 || node_offset + num_objects > SLOTS || node_offset < FIRST_EMPTY)
		return seL4_RangeError;
	if (type == seL4_SchedContextObject && size_bits < seL4_MinSchedContextBits)
		return seL4_InvalidArgument;
	for (seL4_Word i = 0; i < num_objects && error == seL4_NoError; i++)
		error = make(untyped, memory, types[type].kind, types[type].bits ? types[type].bits : size_bits, node_offset + i);
	return error;
}

static seL4_Error derive(seL4_CPtr service, seL4_Word dest, seL4_CPtr src_root, seL4_Word src, seL4_Word badge)
{
	seL4_Error error = kb_buffer();

	if (error)
		return error;
	if (!kb_lookup(service, CNODE) || !kb_lookup(src_root, CNODE))
		return seL4_InvalidCapability;
	if (src >= SLOTS || !kb_slots[src].object)
		return seL4_FailedLookup;
	if (dest < FIRST_EMPTY || dest >= SLOTS)
		return seL4_RangeError;
	if (kb_slots[dest].object)
		return seL4_DeleteFirst;
	/* A badge is for what delivers it, and stands for ever. */
	if (badge && (kb_slots[src].badge || (!kb_lookup(src, ENDPOINT) && !kb_lookup(src, NOTIFICATION))))
		return seL4_IllegalOperation;
	put(dest, kb_slots[src].object, badge ? badge : kb_slots[src].badge, src);
	return seL4_NoError;
}

seL4_Error seL4_CNode_Mint(seL4_CPtr service, seL4_Word dest, unsigned char dest_depth, seL4_CPtr src_root, seL4_Word src,
			   unsigned char src_depth, seL4_CapRights_t rights, seL4_Word badge)
{
	(void)rights;
	kb_enter("CNode_Mint badge=%lu", badge);
	return dest_depth == 64 && src_depth == 64 ? derive(service, dest, src_root, src, badge) : seL4_FailedLookup;
}

seL4_Error seL4_CNode_Copy(seL4_CPtr service, seL4_Word dest, unsigned char dest_depth, seL4_CPtr src_root, seL4_Word src,
			   unsigned char src_depth, seL4_CapRights_t rights)
{
	(void)rights;
	kb_enter("CNode_Copy");
	return dest_depth == 64 && src_depth == 64 ? derive(service, dest, src_root, src, 0) : seL4_FailedLookup;
}

seL4_Error seL4_CNode_Delete(seL4_CPtr service, seL4_Word index, unsigned char depth)
{
	kb_enter("CNode_Delete");
	if (!kb_lookup(service, CNODE) || index >= SLOTS || depth != 64)
		return seL4_InvalidCapability;
	delete_slot(index);
	return seL4_NoError;
}

seL4_Error seL4_CNode_Revoke(seL4_CPtr service, seL4_Word index, unsigned char depth)
{
	kb_enter("CNode_Revoke");
	if (!kb_lookup(service, CNODE) || index >= SLOTS || !kb_slots[index].object || depth != 64)
		return seL4_InvalidCapability;
	revoke(index);
	if (kb_slots[index].object->kind == UNTYPED)
		kb_slots[index].object->used = 0;
	return seL4_NoError;
}

/* ---- pages ------------------------------------------------------------------------------------------- */

/* Level 0 holds the next one's tables, and so on: 39, 30 and 21 bits of address. */
static struct object *mapped(enum kind kind, unsigned level, seL4_Word address)
{
	for (unsigned i = 0; i < OBJECTS; i++) {
		struct object *object = &objects[i];
		unsigned shift = kind == PAGE ? 12 : 39 - 9 * level;

		if (object->kind != kind || !object->address || object->level != level)
			continue;
		if (object->address >> shift == address >> shift)
			return object;
	}
	return NULL;
}

int kb_double_space_assign(seL4_CPtr space)
{
	kb_enter("ASIDPool_Assign");
	return kb_lookup(space, VSPACE) ? seL4_NoError : seL4_InvalidCapability;
}

int kb_double_table_map(seL4_CPtr space, unsigned level, seL4_CPtr table, seL4_Word address)
{
	struct object *object = kb_lookup(table, TABLE);
	seL4_Error error;

	kb_enter("Table_Map level=%u", level);
	error = kb_buffer();
	if (error || !object || !kb_lookup(space, VSPACE))
		return error ? (int)error : seL4_InvalidCapability;
	if (mapped(TABLE, level, address))
		return seL4_DeleteFirst;
	if (level > 0 && !mapped(TABLE, level - 1, address))
		return seL4_FailedLookup;
	object->level = level;
	object->address = address;
	return seL4_NoError;
}

int kb_double_page_map(seL4_CPtr space, seL4_CPtr page, seL4_Word address, seL4_CapRights_t rights)
{
	struct object *object = kb_lookup(page, PAGE);
	seL4_Error error;

	(void)rights;
	kb_enter("Page_Map");
	error = kb_buffer();
	if (error || !object || !kb_lookup(space, VSPACE))
		return error ? (int)error : seL4_InvalidCapability;
	if (address % (1ul << object->bits))
		return seL4_AlignmentError;
	if (!mapped(TABLE, object->bits == 12 ? 2 : 1, address))
		return seL4_FailedLookup;
	/* What is mapped there already may only be this page. */
	if ((object->address && object->address != address) || (mapped(PAGE, 0, address) && mapped(PAGE, 0, address) != object))
		return object->address ? seL4_InvalidArgument : seL4_DeleteFirst;
	if (!object->address && mmap((void *)address, 1ul << object->bits, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)address)
		kb_misuse("this process has something else at %lx", address);
	object->address = address;
	return seL4_NoError;
}

int kb_double_page_unmap(seL4_CPtr page)
{
	struct object *object = kb_lookup(page, PAGE);

	kb_enter("Page_Unmap");
	if (!object)
		return seL4_InvalidCapability;
	if (object->address)
		munmap((void *)object->address, 1ul << object->bits);
	object->address = 0;
	return seL4_NoError;
}
