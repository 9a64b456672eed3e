/* Where a root server's bytes go, and how the machine ends. One machine_io.c an architecture. */
#ifndef KB_OS_SEL4_MACHINE_IO_H
#define KB_OS_SEL4_MACHINE_IO_H

#include "types.h"

/* Capability slots that kb_machine_open may fill. */
#define KB_MACHINE_SLOTS 2u

/* Makes console and exit usable; slots: the first of KB_MACHINE_SLOTS empty ones. 0, or the error of seL4. */
int kb_machine_open(uint64_t slots);

/* One byte to the console, a line feed alone at the end of a line. */
void kb_machine_put(char byte);

/* Ends QEMU with the status. Returns on other machines. */
void kb_machine_exit(unsigned status);

/* Ticks per second of the clock as the boot information tells; 0: it does not. */
uint64_t kb_machine_hz(const void *boot_information);

/* Who says that it runs this machine, in its own words ("TCGTCGTCGTCG", "KVMKVMKVM"); KB_NO_MONITOR: nobody does; "": nobody can be
   asked. */
#define KB_MONITOR_NAME 13u
#define KB_NO_MONITOR "none"
void kb_machine_monitor(char name[KB_MONITOR_NAME]);

#endif
