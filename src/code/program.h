/*
 * Translated programs, as whoever runs them sees them; what the programs themselves call is in kbench_yamba.h. There may be
 * several in a process. Here only kb_program_place, also in a signal handler, may be called while another thread composes.
 */
#ifndef KB_CODE_PROGRAM_H
#define KB_CODE_PROGRAM_H

#include "code/bits.h"

/* From kb_yamba_set: yamba.max_code, yamba.align, yamba.offset. All in bytes. */
struct kb_program_settings { uint64_t max_code, align, offset; };

extern struct kb_program_settings kb_program_settings;

/*
 * Composes without mapping: the code can be looked at on any machine. 0; -ENOTSUP with the error in bits (Y301 ...);
 * -EPROTO, the platform is unknown here. Free the bits in either case.
 */
int kb_program_bits(const struct kb_yamba_program *, const struct kb_yamba_entry *, const void *arguments, struct kb_bits *);

/* Y160, to the handler, if a param has no value. Before setup(), which may count on them. */
void kb_program_check_set(const struct kb_yamba_program *);

/* "sve: no SVE here", what the machine has not that the program imports; false: it has all. */
bool kb_program_lacks(const struct kb_yamba_program *, char *why, size_t room);

/* Called for each composition that was not in the cache, before it happens; NULL: nobody. */
void kb_program_on_compose(void (*seen)(const struct kb_yamba_entry *));

/* From now on, called for each look-up of the program, whether or not the function is there already; NULL: no longer. Look-ups take a call
   meanwhile. */
void kb_program_on_look(struct kb_yamba_program *, void (*seen)(const struct kb_yamba_entry *));

/* What kb_yamba_record does; NULL: nothing. */
void kb_program_on_record(void (*record)(const char *name, double value));

/* What a composed function is to whoever is handed one. */
struct kb_program_code;

/* Where it begins, "pf.yamba:12", and its call: "C.f(m=5)", or without names, "C.f(5)". */
void kb_program_code_place(const struct kb_program_code *, struct kb_text *);
void kb_program_code_words(const struct kb_program_code *, bool names, struct kb_text *);

/*
 * Gates, for first calls that are checked. Writes what stands in the place of a function, which is elsewhere meanwhile; returns the
 * bytes, 0: no memory. NULL: the functions move to their places.
 */
#define KB_GATE_BYTES 32
typedef size_t kb_program_gate(uint8_t bytes[KB_GATE_BYTES], struct kb_program_code *, const void *function);
void kb_program_gates(kb_program_gate *);

/* Each function that there is, in the order in which they were composed first. */
void kb_program_each(void (*found)(void *context, const struct kb_program_code *), void *context);
size_t kb_program_code_bytes(const struct kb_program_code *);

/* Of all that was composed, in any order, with alignment and offset. 0: nothing was. */
uint32_t kb_program_hash(void);

/* Bytes of all that was composed. */
size_t kb_program_bytes(void);

/* A place in composed code, for one that crashed there. */
struct kb_program_place {
	const char *platform;
	size_t offset, rest;            /* in the composed function, and bytes from there to its end */
	char text[320];                 /* "C.touch(i=17) at +0xac (pf.yamba:94)" */
};

/* False: the address is in no composed code. Safe in a signal handler. */
bool kb_program_place(const void *address, struct kb_program_place *);

/* "(5, 0x10)", literal numbers of C, into the structure of an entry's arguments, which is entry->bytes long. -EINVAL with
   one line in error. */
int kb_program_arguments(const struct kb_yamba_program *, const struct kb_yamba_entry *, const char *list, void *arguments, char *error,
	size_t room);

/* A param's value as kb_yamba_set takes it, "4096". */
void kb_program_value(const struct kb_yamba_param *, char *text, size_t room);

#endif
