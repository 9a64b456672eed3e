/* Machine code as text, by objdump: for listings, for lints and for the assembler's self-check. All targets. */
#ifndef KB_ASSEMBLE_DISASSEMBLE_H
#define KB_ASSEMBLE_DISASSEMBLE_H

#include <stdio.h>

#include "assemble/command.h"
#include "code/bits.h"

/* One instruction, as objdump writes it: "mov    rax,QWORD PTR [rbx+0x8]". */
struct kb_code_line { size_t offset, count; const char *text; };

struct kb_code_listing {
	struct kb_code_line *lines;     /* together they hold every byte */
	size_t line_count;
	char *text;                     /* what lines point into */
};

/*
 * 0, -ENOENT without an objdump for the target, -ENOMEM, -EINVAL if objdump fails, or another -errno. Addresses in the
 * text count from the start of the code. Free it in either case.
 */
int kb_code_disassemble(struct kb_code_listing *, const struct kb_target *, const uint8_t *bytes, size_t count);
void kb_code_listing_free(struct kb_code_listing *);

/* Runs the target's objdump with these options and files, NULL at the end, for whole instructions and without bytes. As kb_command(). */
int kb_code_objdump(const struct kb_target *, const char *const *options, struct kb_command_output *);

/* One line of a listing, but for its end: offset, bytes and text. */
void kb_code_print_line(FILE *, const uint8_t *code, size_t offset, size_t count, const char *text);

/* Takes a line of objdump apart, "   2d:\tret", in place. False for a line that is no instruction. */
bool kb_code_objdump_line(char *line, size_t *address, const char **text);

/* The annotated listing of composed code, as on page 6 of the paper. For every append "C.touch(i=3), unroll i=3  file:line", and
   below it address, bytes and text of its instructions; an instruction that several appends make up stands below the first. Without
   a disassembler the bytes stand alone. 0, -ENOENT if they do, or another -errno; an error of the file is left in the file. */
int kb_bits_list(FILE *, const struct kb_bits *);

#endif
