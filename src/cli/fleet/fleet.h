/* kbench fleet: its verbs, and what they print. */
#ifndef KB_CLI_FLEET_FLEET_H
#define KB_CLI_FLEET_FLEET_H

#include "cli/cli.h"
#include "workflow/fleet/fleet.h"

extern const struct kb_command kb_fleet_run_verb, kb_fleet_gather_verb, kb_fleet_report_verb;

/* A line on a terminal, rewritten in place; elsewhere a line for each change, also of what the first node waits for. */
struct kb_fleet_show { const struct kb_command *command; bool quiet, terminal, drawn; char waits[40]; };
struct kb_fleet_observer kb_fleet_watch(struct kb_fleet_show *, const struct kb_command *, bool quiet);

/* The table, or the document. Returns the exit code; failed: what kb_fleet_run or kb_fleet_gather returned. */
int kb_fleet_end(const struct kb_command *, struct kb_fleet_show *, struct kb_fleet *, int failed, const struct kb_failure *, bool json);

#endif
