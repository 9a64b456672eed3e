/* See syscall_name.h. Calls that every architecture has stand here, what one has in addition in its linux.h. */
#define _GNU_SOURCE
#include "syscall_name.h"

#include <sys/syscall.h>

#include "linux.h"

#define COMMON(X) \
	X(read) X(write) X(readv) X(writev) X(pread64) X(pwrite64) X(preadv) X(pwritev) X(lseek) X(close) X(openat) X(dup) \
	X(dup3) X(fcntl) X(ioctl) X(flock) X(ftruncate) X(truncate) X(fallocate) X(fsync) X(fdatasync) X(sync) X(fstat) \
	X(statx) X(statfs) X(fstatfs) X(faccessat) X(readlinkat) X(getdents64) X(getcwd) X(chdir) X(fchdir) \
	X(mkdirat) X(unlinkat) X(linkat) X(symlinkat) X(renameat2) X(fchmod) X(fchmodat) X(fchown) X(fchownat) X(utimensat) \
	X(umask) X(mknodat) X(pipe2) X(splice) X(tee) X(vmsplice) X(sendfile) X(copy_file_range) X(ppoll) X(pselect6) \
	X(epoll_create1) X(epoll_ctl) X(epoll_pwait) X(eventfd2) X(signalfd4) X(timerfd_create) X(timerfd_settime) \
	X(inotify_init1) X(inotify_add_watch) X(inotify_rm_watch) X(getxattr) X(lgetxattr) X(fgetxattr) X(listxattr) \
	X(mmap) X(munmap) X(mremap) X(mprotect) X(madvise) X(mincore) X(mlock) X(munlock) X(msync) X(brk) X(memfd_create) \
	X(clone) X(execve) X(execveat) X(exit) X(exit_group) X(wait4) X(waitid) X(kill) X(tkill) X(tgkill) X(getpid) \
	X(getppid) X(gettid) X(getuid) X(geteuid) X(getgid) X(getegid) X(setuid) X(setgid) X(getgroups) X(setgroups) \
	X(getpgid) X(setpgid) X(getsid) X(setsid) X(prctl) X(prlimit64) X(getrusage) X(uname) X(sysinfo) X(getrandom) \
	X(set_tid_address) X(set_robust_list) X(get_robust_list) X(rseq) X(futex) X(membarrier) X(seccomp) X(ptrace) \
	X(rt_sigaction) X(rt_sigprocmask) X(rt_sigreturn) X(rt_sigsuspend) X(rt_sigtimedwait) X(rt_sigpending) X(sigaltstack) \
	X(sched_yield) X(sched_getaffinity) X(sched_setaffinity) X(sched_getparam) X(sched_getscheduler) \
	X(sched_setscheduler) X(getpriority) X(setpriority) X(nanosleep) X(clock_nanosleep) X(clock_gettime) X(clock_getres) \
	X(gettimeofday) X(times) X(getitimer) X(setitimer) X(timer_create) X(timer_settime) X(timer_delete) X(getcpu) \
	X(socket) X(socketpair) X(bind) X(listen) X(accept4) X(connect) X(shutdown) X(getsockname) X(getpeername) \
	X(sendto) X(recvfrom) X(sendmsg) X(recvmsg) X(sendmmsg) X(recvmmsg) X(setsockopt) X(getsockopt) X(shmget) X(shmat) \
	X(shmdt) X(shmctl) X(semget) X(semctl) X(msgget) X(msgsnd) X(msgrcv) X(mq_open) X(mq_unlink) X(mq_timedsend) X(mq_timedreceive) \
	X(io_submit) X(process_vm_readv) X(process_vm_writev) X(mount) X(unshare) X(setns) X(mlockall)

/* From 424 on all architectures have the same numbers; written out, as older headers lack some of the names. */
static const struct { long number; const char *name; } calls[] = {
	{ 424, "pidfd_send_signal" }, { 425, "io_uring_setup" }, { 426, "io_uring_enter" }, { 427, "io_uring_register" },
	{ 434, "pidfd_open" }, { 435, "clone3" }, { 436, "close_range" }, { 437, "openat2" }, { 439, "faccessat2" },
	{ 441, "epoll_pwait2" }, { 449, "futex_waitv" }, { 452, "fchmodat2" },
#define X(name) { SYS_##name, #name },
	COMMON(X) KB_ARCH_SYSCALLS(X)
#undef X
};

const char *kb_syscall_name(uint64_t number)
{
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		if ((uint64_t)calls[i].number == number)
			return calls[i].name;
	}
	return NULL;
}
