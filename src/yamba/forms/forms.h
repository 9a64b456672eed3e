/*
 * Templates of instructions, and what comes of them: all forms of all instructions, what can be measured of each, and one program in
 * Yamba that has them all. A template names instructions and kinds of operands; a kind is a register file of one width, memory, a number.
 * Nothing here knows a processor: the file of templates says how registers and addresses are written.
 */
#ifndef KB_YAMBA_FORMS_FORMS_H
#define KB_YAMBA_FORMS_FORMS_H

#include <stdbool.h>
#include <stdio.h>

#include "assemble/arena.h"

#define KB_FORM_OPERANDS 4
#define KB_FORM_COPIES 12u      /* of an instruction in one block: as many registers are written in turn */

/* A kind of operand: "r64", "m64", "i8". */
struct kb_form_kind {
	struct kb_form_kind *next;
	const char *name;
	char file;                      /* registers of one letter are the same ones, in other widths; 'g' are those of addresses; '\0': no register */
	unsigned bits;
	const char **pool;              /* registers that are written in turn */
	unsigned pool_count;
	const char *constant[KB_FORM_OPERANDS];         /* registers that nobody writes, one for each operand that is only read, for the same twice
	                                           may be an idiom; else what stands there: a number, an address */
	unsigned constants;
	const char *address;            /* memory: with % for a register that holds 0, which the address waits for; NULL: no memory */
	const char *needs;              /* what a processor must have, as it names it, with blanks; "" */
};

struct kb_form_operand { const struct kb_form_kind *kind; bool reads, writes; };

/* "add_r64_m64" */
struct kb_form {
	struct kb_form *next;
	const char *name, *mnemonic;
	struct kb_form_operand operand[KB_FORM_OPERANDS];
	unsigned count, line;
	const char *needs;
	bool has;                       /* the processor has all that it needs */
};

/* What is measured of a form: the throughput, or the latency from one operand to another. */
enum { KB_FORM_ADDRESS = 0 };           /* of the memory operand, as a source */
struct kb_form_measure {
	struct kb_form_measure *next;
	const struct kb_form *form;
	const char *name;               /* "add_r64_m64:throughput", ":2-1", ":a-1" */
	bool latency;
	unsigned from, to;              /* operands from 1 */
	unsigned number;
};

struct kb_forms {
	struct kb_arena *arena;
	const char *path;
	const char *frame;              /* the class that the program extends */
	struct kb_form_kind *kinds;
	struct kb_form *forms;
	struct kb_form_measure *measures;
	size_t form_count, measure_count;
	const char *pipes, *dispatch;   /* forms that tell execution pipes, between blanks, and the one that only the dispatch bounds; "" */
	char error[400];                /* "FILE:LINE: what is wrong; what to do" */
};

/* Reads a file of templates. False: error says why. */
bool kb_forms_read(struct kb_forms *, struct kb_arena *, const char *path, const char *text);

/* Marks the forms that a processor with these features, between blanks, has. */
void kb_forms_have(struct kb_forms *, const char *features);

/* Fills `measures` from the forms that the processor has. */
void kb_forms_measures(struct kb_forms *);

/* The program that has all measures, of which there is at least one, as a class of this name. */
void kb_forms_program(FILE *, const struct kb_forms *, const char *name);

/* Hands over each line of a text, without what follows a '#', and its number. Returns the number of the line that was refused; 0: none was. */
unsigned kb_forms_lines(const char *text, bool (*take)(void *context, struct kb_span line, unsigned number), void *context);

#endif
