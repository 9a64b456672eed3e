/*
 * The pointer to the IPC buffer: one for all threads, as in Microkit's kernels, or (KB_DOUBLE_OWN_POINTERS) one a thread, as in
 * most. To the compiler it is the same, for coroutines share their thread-local variables; the double changes it at each switch.
 */
#ifndef KB_DOUBLE_MACROS_H
#define KB_DOUBLE_MACROS_H

#define LIBSEL4_THREAD_LOCAL

#ifdef KB_DOUBLE_OWN_POINTERS
#define KB_DOUBLE_OWN 1
#else
#define KB_DOUBLE_OWN 0
#endif

#endif
