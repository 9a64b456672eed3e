/* kbench runs: its verbs share how runs are listed. */
#ifndef KB_CLI_STORE_RUNS_H
#define KB_CLI_STORE_RUNS_H

#include "cli/cli.h"
#include "cli/store/saved.h"
#include "workflow/runs/keep.h"

extern const struct kb_command kb_runs_prune_verb, kb_runs_gc_verb, kb_runs_merge_verb, kb_runs_push_verb, kb_runs_pull_verb, kb_runs_copy_verb;

void kb_list_print(const struct kb_run_list *);
json_t *kb_list_json(const struct kb_run_list *);

/* The same, and how many were removed, or would be. */
void kb_list_print_removed(const struct kb_run_list *, bool dry);

#endif
