/*
 * What a composed function must leave as it was, compared at its first call, off the clock. Code that loses a register of its
 * caller may give a fast number, or a crash in another place than its own: so it is told here, by name.
 */
#define _GNU_SOURCE
#include "collect/linux/gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "code/program.h"
#include "gate_state.h"

static const char *const names[] = { KB_GATE_NAMES };
static const char *const state_names[] = { KB_GATE_STATE_NAMES };

#define REGISTERS (sizeof names / sizeof names[0])
#define STATES (sizeof state_names / sizeof state_names[0])
#define DEPTH 32        /* calls inside each other, through C */

/* No address, so that a return to it ends in a crash at once. */
#define GIVEN UINT64_C(0x5aa55aa55aa55a00)

/* Initial-exec: reading it calls nothing. */
static __thread __attribute__((tls_model("initial-exec"))) struct kb_gate_frame frames[DEPTH];
static __thread __attribute__((tls_model("initial-exec"))) unsigned depth;

static char found[600];         /* of the first function that kept something */

/* ---- around a call: no library, whose code may use other registers ------------------------------------------------ */

/* Calls that were left by a jump over them have no frame above this one any more. */
static void forget_left(uintptr_t stack)
{
	while (depth && frames[depth - 1].stack <= stack)
		depth--;
}

struct kb_gate_frame *kb_gate_in(const struct kb_gate *gate, uintptr_t back, uintptr_t stack)
{
	struct kb_gate_frame *frame;

	forget_left(stack);
	if (depth == DEPTH)
		return NULL;
	frame = &frames[depth++];
	for (size_t i = 0; i < REGISTERS; i++) {
		frame->given[i] = (uintptr_t)(GIVEN + i);       /* the bits that a register has */
		frame->caller[i] = frame->found[i] = 0;
	}
	frame->gate = (uintptr_t)gate;
	frame->back = back;
	frame->stack = stack;
	frame->found_stack = 0;
	frame->flags = 0;
	kb_gate_read_state(frame->state, NULL);
	return frame;
}

struct kb_gate_frame *kb_gate_innermost(void)
{
	return &frames[depth ? depth - 1 : 0];
}

static void tell(const struct kb_gate_frame *, const uint64_t state[KB_GATE_STATES]);

uintptr_t kb_gate_out(struct kb_gate_frame *frame)
{
	uint64_t state[KB_GATE_STATES] = { 0 };
	bool same = frame->found_stack == frame->stack;

	kb_gate_read_state(state, frame);
	kb_gate_write_state(frame->state);
	for (size_t i = 0; i < REGISTERS; i++)
		same &= frame->found[i] == frame->given[i];
	for (size_t i = 0; i < STATES; i++)
		same &= state[i] == frame->state[i];
	depth = (unsigned)(frame - frames);
	if (!same)
		tell(frame, state);
	return (uintptr_t)frame->back;
}

/* ---- words --------------------------------------------------------------------------------------------------------- */

static void add_item(struct kb_text *text, unsigned *count, const char *item)
{
	kb_text_str(text, (*count)++ ? ", " : "");
	kb_text_str(text, item);
}

static void add_stack(struct kb_text *text, const char *what, uint64_t is, uint64_t was)
{
	kb_text_str(text, what);
	kb_text_u64(text, is < was ? was - is : is - was);
	kb_text_str(text, is < was ? " bytes lower than at the call" : " bytes higher than at the call");
}

/* The first one only: what comes later may follow from it. */
static void tell(const struct kb_gate_frame *frame, const uint64_t state[KB_GATE_STATES])
{
	const struct kb_gate *gate = (const struct kb_gate *)(uintptr_t)frame->gate;
	struct kb_text text = kb_text_in(found, sizeof found);
	unsigned count = 0;

	if (found[0])
		return;
	kb_program_code_place(gate->code, &text);
	kb_text_str(&text, ": error Y324: ");
	kb_program_code_words(gate->code, true, &text);
	kb_text_str(&text, " does not bring back ");
	for (size_t i = 0; i < REGISTERS; i++)
		if (frame->found[i] != frame->given[i])
			add_item(&text, &count, names[i]);
	for (size_t i = 0; i < STATES; i++)
		if (state[i] != frame->state[i])
			add_item(&text, &count, state_names[i]);
	if (frame->found_stack != frame->stack) {
		add_item(&text, &count, "the stack pointer");
		add_stack(&text, ", which is ", frame->found_stack, frame->stack);
	}
	kb_text_str(&text, "; restore what is the caller's");
}

bool kb_gates_fault(uintptr_t pc, uintptr_t stack, struct kb_text *text)
{
	const struct kb_gate_frame *frame = depth ? &frames[depth - 1] : NULL;
	struct kb_program_place place;

	if (!frame)
		return false;

	const struct kb_gate *gate = (const struct kb_gate *)(uintptr_t)frame->gate;
	bool inside = kb_program_place((const void *)pc, &place);
	uint64_t wanted = KB_GATE_STACK_AT_RETURN(frame);

	if (inside && (!kb_gate_returns((const uint8_t *)pc) || stack == wanted))
		return false;
	kb_program_code_words(gate->code, true, text);
	/* What surrounds the code traps; the program counter is behind the trap, or on it. */
	if (inside)
		add_stack(text, ", at its return: the stack pointer is ", stack, wanted);
	else if (kb_program_place((const void *)(pc - 2), &place))
		kb_text_str(text, ", behind its last instruction, which is no return");
	else if (stack > frame->stack)
		add_stack(text, ", behind its return: the stack pointer is ", stack, frame->stack);
	else
		kb_text_str(text, ", or what it called or returned to");
	return true;
}

/* ---- gates ---------------------------------------------------------------------------------------------------------- */

static size_t write_gate(uint8_t bytes[KB_GATE_BYTES], struct kb_program_code *code, const void *function)
{
	struct kb_gate *gate = malloc(sizeof *gate);

	if (!gate)
		return 0;
	*gate = (struct kb_gate){ (uintptr_t)function, code };
	return kb_gate_write(bytes, gate);
}

void kb_gates_shut(void)
{
	found[0] = '\0';
	kb_program_gates(write_gate);
}

const char *kb_gates_open(void)
{
	kb_program_gates(NULL);
	return found[0] ? found : NULL;
}
