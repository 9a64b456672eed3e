/*
 * Modules of this kernel, which runs share. Who needs one loads it, unless it is there; the last run that relies on it unloads it,
 * and what the user loaded stays. To rely on a module is to hold a lock on a file that sysfs has of it: a process that is killed
 * has let go of it, and nothing is written anywhere. The guardian holds it, for it is there until the run's last process has gone.
 */
#ifndef KB_RUN_BACKEND_MODULE_H
#define KB_RUN_BACKEND_MODULE_H

#include "types.h"

struct kb_module_hold {
	bool ours;              /* it is to be unloaded once nobody relies on it; else it is the user's */
	int lock;               /* below 0: none */
};

/* Whether it is there and ready. What is built into the kernel is not. */
bool kb_module_is_live(const char *module);

/* What was there before a run that relies on it. */
enum { KB_MODULE_NEW = 0, KB_MODULE_SHARED, KB_MODULE_USERS };

/* Relies on it, and loads it first if it is not there: from the file `path`; "": by modprobe, with what it depends on. Of these three,
   or -errno. What is the user's is not held. */
int kb_module_take(const char *module, const char *path, struct kb_module_hold *);

/* Relies on one that another guardian of the run took, or the run of that guardian, as if it had taken it. */
void kb_module_rely_again(const char *module, struct kb_module_hold *);

/* It is still to be unloaded, but for who comes now it is the user's. */
void kb_module_loosen(struct kb_module_hold *);

/* It is not to be unloaded. */
void kb_module_let_go(struct kb_module_hold *);

/* No longer; the last one unloads it, after at most 80 s in which something in it still runs. 0, or -errno: it stays. */
int kb_module_give_back(const char *module, struct kb_module_hold *);

/* Unloads what no run relies on. 0, also if it was not there; -EBUSY: a run does, or it is in use; -errno. */
int kb_module_unload(const char *module);

#endif
