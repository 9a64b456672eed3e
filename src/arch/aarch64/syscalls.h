/* System calls that this architecture has in addition to those of all: X(name) each. */
#ifndef KB_ARCH_SYSCALLS_H
#define KB_ARCH_SYSCALLS_H

#define KB_ARCH_SYSCALLS(X) X(renameat) X(getrlimit) X(setrlimit) X(newfstatat) X(accept) X(semop)

#endif
