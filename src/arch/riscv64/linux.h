/* System calls that this architecture has in addition to those of all: X(name) each. */
#ifndef KB_ARCH_LINUX_H
#define KB_ARCH_LINUX_H

#define KB_ARCH_SYSCALLS(X) X(riscv_flush_icache) X(newfstatat) X(accept) X(semop)

/* The program counter and the stack pointer in a signal's ucontext_t: their places differ between architectures. */
#define KB_FAULT_PC(context) ((uint64_t)(context)->uc_mcontext.__gregs[REG_PC])
#define KB_FAULT_STACK(context) ((uint64_t)(context)->uc_mcontext.__gregs[REG_SP])

#endif
