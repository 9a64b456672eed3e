/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* /dev/kbench. */
#ifndef KBENCH_FRAMEWORK_DEVICE_H
#define KBENCH_FRAMEWORK_DEVICE_H

int kb_device_open(void);
void kb_device_close(void);

#endif
