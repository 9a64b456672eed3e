/*
 * The secret that `kbench serve` and its clients share: a file of 64 hexadecimal digits that only its owner can read. It never stands in a
 * command line, a record, or a line for people.
 */
#ifndef KB_PARTNER_TOKEN_H
#define KB_PARTNER_TOKEN_H

#include <limits.h>

#include "types.h"

#define KB_TOKEN_BYTES 32
#define KB_TOKEN_VARIABLE "KBENCH_TOKEN_FILE"   /* the path, for clients */

/* named, else what the variable says, else kbench/token in XDG_CONFIG_HOME or ~/.config. 0, or -EINVAL with one line in error: there is no
   such directory, or the path is too long. */
int kb_token_path(char path[PATH_MAX], const char *named, char error[256]);

/* Reads it. -EPERM: others could read or replace it. 0, or -errno with one line in error, which has the path and what to do. */
int kb_token_read(const char *path, unsigned char token[KB_TOKEN_BYTES], char error[256]);

/* The same, where there is none makes one of 0600, and its directory: *made. */
int kb_token_make(const char *path, unsigned char token[KB_TOKEN_BYTES], bool *made, char error[256]);

/* What stands in a file: 64 digits, and nothing else but blanks and line ends behind them. For a test. */
bool kb_token_parse(const char *text, size_t length, unsigned char token[KB_TOKEN_BYTES]);

#endif
