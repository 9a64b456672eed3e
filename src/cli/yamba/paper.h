/* kbench yamba paper: the experiments of the paper that Yamba comes from, here and as printed. */
#ifndef KB_CLI_YAMBA_PAPER_H
#define KB_CLI_YAMBA_PAPER_H

#include "cli/cli.h"

/* A command of its own, with options of its own, behind the word `paper`. */
extern const struct kb_command kb_command_yamba_paper;

#endif
