/*
 * Settings of the machine that a process changes. Before it changes one it says to the guardian what was there, and waits for
 * its word: that puts it back when the process ends, by kill -9 too. kb_setting() is in kbench_files.h.
 */
#ifndef KB_COLLECT_LINUX_SETTINGS_H
#define KB_COLLECT_LINUX_SETTINGS_H

#include "kbench.h"

/* Once, with the descriptor that the run handed over; below 0: none. Programs that the process starts do not get it. */
void kb_settings_open(struct kb_run *, int guardian);

#endif
