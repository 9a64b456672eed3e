/* Tables of the KBench application in a console log, one after the other. Only for src/report/import*.c. */
#ifndef KB_IMPORT_CONSOLE_H
#define KB_IMPORT_CONSOLE_H

#include "import/parse.h"

struct kb_console_table {
	uint64_t initial, delta, tests, groups;
	uint64_t *cells;                /* test by test, a value a group; owned */
	size_t rows, room;              /* tests that are there, whole */
	unsigned line, end;             /* that the table starts in, and where it is whole or cut off */
	bool done;                      /* the application said so behind it */
	char cut[120];                  /* why it is not whole; "": it is */
};

/* The next table: 1; 0: the log has no more. -EINVAL for one that contradicts itself. The table is to be freed in any case. */
int kb_console_next(struct kb_parse *, struct kb_console_table *);
void kb_console_free(struct kb_console_table *);

#endif
