/* Errors of the system behind which stands a limit: which one, how much it is, and what to do. */
#ifndef KB_OS_LINUX_LACKING_H
#define KB_OS_LINUX_LACKING_H

/* For the errno of something that was to be opened or allocated, in place of strerror: out of memory, no more descriptors, a file at its limit. Text of this
   thread, until the next call. */
const char *kb_lack(int error);

/* The same of a process or thread that was to be started, where EAGAIN means that there are too many. */
const char *kb_start_lack(int error);

/* Before anything is begun: the stack of this process may not grow so far; NULL: it may. */
const char *kb_stack_lack(unsigned kilobytes);

/* The same before anything is begun that takes so many descriptors; NULL: the limit allows them. */
const char *kb_descriptors_lack(unsigned needed);

#endif
