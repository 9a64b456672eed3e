/* System calls that this architecture has in addition to those of all: X(name) each. */
#ifndef KB_ARCH_LINUX_H
#define KB_ARCH_LINUX_H

#define KB_ARCH_SYSCALLS(X) \
	X(open) X(creat) X(stat) X(lstat) X(access) X(readlink) X(pipe) X(dup2) X(poll) X(select) X(epoll_create) X(epoll_wait) \
	X(eventfd) X(signalfd) X(inotify_init) X(getdents) X(mkdir) X(rmdir) X(unlink) X(link) X(symlink) X(rename) X(renameat) \
	X(chmod) X(chown) X(lchown) X(mknod) X(utime) X(utimes) X(fork) X(vfork) X(getpgrp) X(pause) X(alarm) X(time) \
	X(arch_prctl) X(getrlimit) X(setrlimit) X(newfstatat) X(accept) X(semop)

/* The program counter and the stack pointer in a signal's ucontext_t: their places differ between architectures. */
#define KB_FAULT_PC(context) ((uint64_t)(context)->uc_mcontext.gregs[REG_RIP])
#define KB_FAULT_STACK(context) ((uint64_t)(context)->uc_mcontext.gregs[REG_RSP])

#endif
