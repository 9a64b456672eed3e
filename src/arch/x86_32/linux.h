/* System calls that this architecture has in addition to those of all: X(name) each. */
#ifndef KB_ARCH_LINUX_H
#define KB_ARCH_LINUX_H

#define KB_ARCH_SYSCALLS(X) \
	X(open) X(creat) X(stat64) X(lstat64) X(fstat64) X(fstatat64) X(access) X(readlink) X(pipe) X(dup2) X(poll) X(select) \
	X(epoll_create) X(epoll_wait) X(eventfd) X(signalfd) X(inotify_init) X(getdents) X(mkdir) X(rmdir) X(unlink) X(link) \
	X(symlink) X(rename) X(renameat) X(chmod) X(chown) X(lchown) X(mknod) X(utime) X(utimes) X(fork) X(vfork) X(getpgrp) \
	X(pause) X(alarm) X(time) X(mmap2) X(fcntl64) X(_llseek) X(truncate64) X(ftruncate64) X(socketcall) X(ipc) \
	X(set_thread_area) X(sigreturn) X(clock_gettime64) X(clock_nanosleep_time64) X(futex_time64) X(ppoll_time64) \
	X(pselect6_time64) X(getrlimit) X(setrlimit)

/* The program counter and the stack pointer in a signal's ucontext_t: by way of 32 bits without a sign, or the upper half of memory would become negative. */
#define KB_FAULT_PC(context) ((uint32_t)(context)->uc_mcontext.gregs[REG_EIP])
#define KB_FAULT_STACK(context) ((uint32_t)(context)->uc_mcontext.gregs[REG_ESP])

#endif
