/* What lines of lmbench's results are called here. Only for src/import. */
#ifndef KB_IMPORT_LMBENCH_H
#define KB_IMPORT_LMBENCH_H

#include "import/tool.h"

/* "Simple stat" is lat_syscall with call=stat, a call an operation. A '#' in words stands for a number, and in params for that number. */
/* times: what lmbench prints, times this, is the cost of one; of some it prints the half, one of the two ways. */
struct kb_lmbench_line { const char *words, *bench, *params, *per; unsigned times; };

/* What a list's lines are behind the size: MB/s, microseconds, ns by stride, context switches by processes, files a second. */
enum kb_lmbench_what { KB_LMBENCH_RATES, KB_LMBENCH_TIMES, KB_LMBENCH_LOADS, KB_LMBENCH_SWITCHES, KB_LMBENCH_FILES };

struct kb_lmbench_list {
	const char *words, *bench, *params, *per;
	enum kb_lmbench_what what;
	const char *order;              /* in which lat_mem_rd goes through memory from here on; NULL: as before */
};

/* By the name before the colon, with its parameters; NULL: none, and params is "". */
const struct kb_lmbench_line *kb_lmbench_find_line(const char *name, char *params, size_t room);

/* By a heading, its quote taken off; NULL: none. */
const struct kb_lmbench_list *kb_lmbench_find_list(const char *heading);

#endif
