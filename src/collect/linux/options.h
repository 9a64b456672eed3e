/* The collector's command line. Its only user is kbench; the numbers come ready made. */
#ifndef KB_COLLECT_LINUX_OPTIONS_H
#define KB_COLLECT_LINUX_OPTIONS_H

#include "evidence/events.h"
#include "kbench.h"
#include "measure/measure.h"
#include "measure/params.h"

struct kb_collect_options {
	const char *bench, *plugin, *method, *scratch;
	struct kb_clock clock;          /* with hz, quantum and cost as the parent measured them */
	uint64_t seed, launch;
	uint64_t prove;                 /* operations to prove; 0: measure */
	const char *interference;             /* the kind of a neighbour, or "nothing"; NULL: not asked for */
	unsigned copies, copy;          /* of this launch, copy from 0; copies 0: not asked for */
	int barrier;                    /* descriptor of what they share */
	const char *emulated;           /* the emulator that runs this program; NULL: a processor */
	int guardian;                   /* descriptor of its line for settings; below 0: nobody would put them back */
	unsigned cpu, peer_cpu;
	bool maybe_sibling;
	bool alone;                     /* no twin: what is asked for is the cost itself, of many sizes */
	bool describe;                  /* the plug-in, and nothing else */
	struct kb_event_code events[KB_EVENTS_OPEN_MAX];        /* to count around intervals */
	unsigned event_count;
	struct kb_settings settings;    /* with the benchmark */
	struct kb_bench plugin_bench;
};

/* 0, or -errno after one line on standard error. */
int kb_collect_options(int argc, char **argv, struct kb_collect_options *);

#endif
