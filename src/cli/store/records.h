/* What stands behind a row: the records of its launches, as the source document's tables and as pictures. */
#ifndef KB_CLI_STORE_RECORDS_H
#define KB_CLI_STORE_RECORDS_H

#include "cli/cli.h"
#include "run/run.h"
#include "workflow/records.h"

/* All records of this result. An error of the store ends the program. */
void kb_records_load(const struct kb_command *, struct kb_store *, const char *run_id, const struct kb_result *,
		     struct kb_records *);

/* Run order with changes of the level, histogram and quantiles, at most as wide as the terminal. */
void kb_records_plot(const struct kb_result *, const struct kb_launch_text *texts, size_t count);

/* Method kanata: the tables of all processes, or of the last one, and the statistics of that. Nothing for other methods.
   half_width: as asked for; the confidence stands in the record. */
void kb_records_tables(const struct kb_command *, const struct kb_result *, const struct kb_launch_text *texts, size_t count,
		       double half_width, bool all);

#endif
