/* The parts of `kbench trace util`: one window, and what it prints. */
#ifndef KB_CLI_TRACE_UTIL_H
#define KB_CLI_TRACE_UTIL_H

#include "cli/cli.h"
#include "cli/trace/tracee.h"
#include "trace/entries/util.h"

#define KB_UTIL_TIDS (1u << 22) /* the largest thread id of Linux */

struct kb_trace_util_row {
	uint32_t tid;           /* idle: the CPU */
	bool idle;
	struct kb_util_use use;
	double scheduler_ns;    /* what the scheduler's own account says of the window; NaN: unknown, or the thread is gone */
};

struct kb_trace_util {
	const struct kb_command *command;
	struct kb_util util;
	struct kb_util_total total;
	struct kb_trace_util_row *rows;         /* most ns first */
	size_t count, top;
	uint64_t *before;               /* the scheduler's account at the reset, by thread id; NULL: not known */
	uint64_t members_ns, children_ns;       /* of the command: from switch to switch; as wait4 accounts it */
	uint64_t stolen_ns;             /* by the hypervisor, in the times of whoever had the CPU then */
	bool follows;                   /* members are known, */
	uint64_t unfollowed;            /* but for so many: there was no room */
	struct kb_tracee tracee;
};

void kb_trace_util_print(const struct kb_trace_util *);
void kb_trace_util_json(const struct kb_trace_util *);

#endif
