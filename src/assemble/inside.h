/* What the parts of the assembling share: the program's blocks with what stands in them, and the directory they work in. */
#ifndef KB_ASSEMBLE_INSIDE_H
#define KB_ASSEMBLE_INSIDE_H

#include "assemble/assemble.h"
#include "assemble/object.h"

/* Of one block, and of the object file of all: a program's code is written by hand, and each byte of it becomes text of C. */
#define KB_ASSEMBLE_BLOCK_MAX (1u << 20)
#define KB_ASSEMBLE_OBJECT_MAX (64u << 20)

/* One `$( )`: a symbol of its own, so that its relocation tells its line. */
struct kb_assemble_use {
	uint32_t value;
	const char *at;
	uint32_t line;
	const struct kb_register_file *file;    /* of the register whose number it is; NULL: it is an operand by itself */
	uint32_t number;                        /* which of the block's registers */
};

/* One `@name`. */
struct kb_assemble_mark { char *name; bool defined; const char *at; uint32_t line; };

struct kb_assemble_source {
	const struct kb_assemble_block *block;
	struct kb_assemble_use *uses;
	struct kb_assemble_mark *marks;
	struct kb_span *sets, *macros;          /* names that end with the block: of .set and its like, and of .macro */
	uint32_t use_count, mark_count, set_count, macro_count, register_count;
	size_t use_room, mark_room, value_room, set_room, macro_room;
};

/* An object file by what is asked of it: tables have thousands of blocks, and a search through all for each would take its square. */
struct kb_assemble_index {
	const struct kb_object_symbol **symbols;        /* by name */
	size_t *sections;                               /* of each block; 0: it is gone */
	size_t *relocations;                            /* where those of a section begin; one more at the end */
};

struct kb_assembling {
	struct kb_assembly *assembly;
	const struct kb_target *target;
	struct kb_assemble_source *sources;     /* one for each block */
	unsigned count;
	char prefix[24];                        /* of generated symbols; in no text of the program; no digit at its end */
	char directory[128];
	unsigned chosen, chosen_number;         /* register of a block, from 1, that has this number while the block is written; 0: none */
};

/* Text that grows. */
struct kb_assemble_text { struct kb_arena *arena; char *at; size_t used, room; };
void kb_assemble_put(struct kb_assemble_text *, const char *bytes, size_t count);
void kb_assemble_print(struct kb_assemble_text *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A message at a place of the block's text, or at a line of it where `at` is NULL. It can be added to; NULL: it is only
   counted. */
struct kb_assemble_message *kb_assemble_report(struct kb_assembly *, unsigned number, const struct kb_assemble_block *,
	const char *at, uint32_t line, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* What a message without a place is about: the block if there is one alone, else NULL, for nobody knows. */
const struct kb_assemble_block *kb_assemble_only(const struct kb_assembling *);

/* The line of a place in the block's text, and where a line of it begins. */
uint32_t kb_assemble_line(const struct kb_assemble_block *, const char *at);
const char *kb_assemble_line_at(const struct kb_assemble_block *, uint32_t line);

/* Directives that emit a number of bytes. */
extern const char *const kb_assemble_fills[];

/* Where the block has one of these words, NULL at the end, as words; NULL: none. */
const char *kb_assemble_find_any(const struct kb_assemble_block *, const char *const *words);

/* Where this text has that one, as words and not as a part of a word or of a label of the function; NULL: nowhere. */
const char *kb_assemble_find(const char *text, size_t room, const char *wanted, size_t length);

/* Chooses the prefix, finds values, uses and marks of all blocks. Reports what is malformed. */
void kb_assemble_scan(struct kb_assembling *);

/*
 * The assembler file: every block in a section of its own. With numbers[block][value] the numbers stand where else the
 * symbols of the holes do, for the self-check.
 */
void kb_assemble_write(struct kb_assembling *, struct kb_assemble_text *, const struct kb_value *const *numbers);

/* What a symbol is: the letter h (hole), d (definition), u (use of a label), e (end of the block), and its numbers. */
bool kb_assemble_symbol(const struct kb_assembling *, const char *name, unsigned *block, char *kind, unsigned *index);

/* Of an object file of these blocks. */
void kb_assemble_make_index(const struct kb_assembling *, const struct kb_object *, struct kb_assemble_index *);

/* Behind the mark of the block in the name of a private label; the name itself if it has none. */
const char *kb_assemble_private(const struct kb_assembling *, const char *name);

/* Runs as on NAME.s in the directory, which makes NAME.o. 0, -EINVAL after messages, or another -errno. */
int kb_assemble_run(struct kb_assembling *, const char *name, const struct kb_assemble_text *, bool probe);

/* Finds where the registers' numbers are, by assembling with others. 0 or -errno; reports what cannot be. */
int kb_assemble_registers(struct kb_assembling *);

/* The number of a register that is not known yet. */
static inline uint8_t kb_assemble_base(const struct kb_assemble_use *use)
{
	return (uint8_t)(use->file->base + use->number % 2);
}

/* One block of the file that kb_assemble_write makes. */
void kb_assemble_write_block(struct kb_assembling *, unsigned block, struct kb_assemble_text *, const struct kb_value *numbers);

/* Runs as as kb_assemble_run does, and reports nothing: *output is to be freed. Its exit status, or -errno. */
int kb_assemble_try(struct kb_assembling *, const char *name, const struct kb_assemble_text *, char **output);

/* Compares the disassembly of filled fragments with that of the numbers written out: Y221. */
void kb_assemble_check(struct kb_assembling *, const struct kb_object *, const struct kb_assemble_index *);

#endif
