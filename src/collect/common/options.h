/* What every collector is given: its command line and the plan. Its only user is kbench; the numbers come ready made. A collector ignores what has no meaning for
   its target. */
#ifndef KB_COLLECT_COMMON_OPTIONS_H
#define KB_COLLECT_COMMON_OPTIONS_H

#include "evidence/events.h"
#include "kbench.h"
#include "measure/params.h"

struct kb_collect_options {
	const char *bench, *method;
	const char *plugin;             /* the file of the plug-in that has the benchmark; NULL: none */
	const char *description;        /* the file that describes a benchmark of a user's own module; NULL: none */
	const char *scratch;            /* a directory of the run; "": none */
	const char *clock;              /* as the parent measured it; see collect/linux/collect.c */
	const char *interference;       /* the kind of a neighbour, or "nothing"; NULL: not asked for */
	const char *emulated;           /* the emulator that runs this program; NULL: a processor */
	const char *device;             /* of the kernel, or the directory of an image */
	const char *unavailable;        /* why nothing can be measured; NULL: it can */
	uint64_t seed, process;
	uint64_t prove;                 /* operations to prove; 0: measure */
	uint64_t guest_limit;           /* instructions that a guest may execute; 0: any number */
	unsigned copies, copy;          /* of this process, copy from 0; copies 0: not asked for */
	int barrier;                    /* descriptor of what they share */
	int guardian;                   /* descriptor of its line for settings; below 0: nobody would put them back */
	unsigned cpu, peer_cpu;
	bool maybe_sibling;
	bool alone;                     /* no twin: what is asked for is the cost itself, of many sizes */
	bool forked;                    /* this process is a fork of a program, whose memory layout all its processes have */
	bool describe;                  /* the plug-in, and nothing else */
	struct kb_event_code events[KB_EVENTS_OPEN_MAX];        /* to count around samples */
	unsigned event_count;
	struct kb_settings settings;    /* with the benchmark; its `bench` is NULL if `describe` */
	struct kb_bench plugin_bench;
};

/* Finds the benchmark that the options name, in the list or elsewhere, and fills `settings` with its defaults. 0, or -errno with one line in error. */
typedef int kb_collect_find(struct kb_collect_options *, const struct kb_bench *const *list, char error[256]);

/* 0, or -errno after one line on standard error. */
int kb_collect_options(int argc, char **argv, kb_collect_find *find, const struct kb_bench *const *list, struct kb_collect_options *);

/* Of those in the list, ended by NULL, the one that is named. */
kb_collect_find kb_collect_find_listed;

/* For the collectors of other targets than Linux: the one that is described, or the one in the list. */
kb_collect_find kb_collect_find_described;

/* One line on standard error: -EINVAL. */
int kb_collect_complain(const char *what, const char *about);

/* The next line of the plan, without its newline; it stands until the next call. 1: there is one, 0: end of input, -EINVAL: it is too
   long, -errno of the read. Nothing is read ahead while a block runs but what came. */
int kb_plan_line(int fd, struct kb_span *line);

#endif
