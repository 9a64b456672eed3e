/* Runs assembler and disassembler: other programs, at build time, with a limit on time and output. */
#ifndef KB_ASSEMBLE_COMMAND_H
#define KB_ASSEMBLE_COMMAND_H

#include <stddef.h>
#include <sys/types.h>

#include "code/target.h"

#define KB_COMMAND_WORDS 32

/* What it printed, output and errors together; terminated. Yours to free. */
struct kb_command_output { char *text; size_t length; };

/*
 * The exit status (0..255), or -ENOENT if there is no such program, -ETIMEDOUT, -EFBIG if it printed more than 64 MiB,
 * -EINTR if a signal ended it, or another -errno. The program is told to speak English and reads nothing.
 */
int kb_command(const char *const *words, unsigned limit_ms, struct kb_command_output *);

/* The same for one that writes files. */
struct kb_command_bounds {
	size_t file_bytes;              /* no file may be larger: -EFBIG if it tried; 0: as large as it likes */
	const char *temporary;          /* where its temporary files are: they go with that directory if it is killed; NULL: where they always are */
};
int kb_command_within(const char *const *words, unsigned limit_ms, const struct kb_command_bounds *, struct kb_command_output *);

/*
 * The exit status of work(), which runs in a process of its own and ends it; or -ETIMEDOUT, -EINTR if a signal, *signal, ended it, or
 * another -errno. It ends with this process.
 */
int kb_command_apart(void (*work)(void *context), void *context, unsigned limit_ms, int *signal);

/* The name of a program of binutils for the target: plain on a machine of its family, else with the target's prefix. */
void kb_command_tool(const struct kb_target *, const char *tool, char *name, size_t room);

#endif
