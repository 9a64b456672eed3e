/*
 * Whether code and data may be used: no untrusted user could have put them there, or can replace them. Checked is who can write
 * to a file, to a directory on the way to it and to a symbolic link that leads there. doc/security.md has the rules.
 */
#ifndef KB_RUN_PROCESS_TRUST_H
#define KB_RUN_PROCESS_TRUST_H

#include <limits.h>

enum kb_trusted {
	KB_TRUST_US,            /* root and the effective user: what kbench finds by itself */
	KB_TRUST_OWNER          /* those who could exchange this program, too: its own parts, and what the user names */
};

#define KB_TRUST_WHY 240

/* 0: `real` is the path without links, which stays what it is. Else -errno, -EPERM where somebody else could exchange it, with one
   line in why: who, what, and what to do. */
int kb_trust(const char *path, enum kb_trusted, char real[PATH_MAX], char why[KB_TRUST_WHY]);

/* The first of the places next to this program that is there. 0: real is its path; else -errno: -ENOENT where none is. */
int kb_trust_own_part(const char *const *places, unsigned count, char real[PATH_MAX], char why[KB_TRUST_WHY]);

#endif
