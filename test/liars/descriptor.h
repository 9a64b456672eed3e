/*
 * descriptor.h - what descriptor.c says where the command line of the compiler does not say it otherwise: all of it is right.
 */
#ifndef DESCRIPTOR_H
#define DESCRIPTOR_H

#ifndef PARAMS
#define PARAMS { "unused", "of nothing", KB_NUMBER, "1", 1, 9, NULL }
#endif
#ifndef EXPECT
#define EXPECT { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }
#endif
#ifndef EVENTS
#define EVENTS { NULL, 0, 0, NULL }
#endif
#ifndef FIELDS
#define FIELDS .portability = KB_PORTABLE
#endif
#ifndef SUMMARY
#define SUMMARY "a system call"
#endif
#ifndef PER
#define PER "call"
#endif
#ifndef OP
#define OP .op = op
#endif
#ifndef BASE
#define BASE .base = kb_empty_loop
#endif

#endif
