/* What commands that print times of their own say where an emulator makes the clock. */
#ifndef KB_CLI_EMULATED_H
#define KB_CLI_EMULATED_H

#include "base/record.h"
#include "cli/cli.h"

/* On standard error, once: what this command prints as time is none here. Nothing where the clock tells time. */
void kb_warn_emulated(const struct kb_command *command);

/* The `clock` line, and where it takes one a `note`, of a record whose ticks are ns of the kernel's clock; cost of a reading, ns. */
void kb_put_kernel_clock(struct kb_record_writer *writer, double cost);

#endif
