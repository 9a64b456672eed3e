/* Parts of commands.h that its files share. */
#ifndef KB_WORKFLOW_COMMANDS_INSIDE_H
#define KB_WORKFLOW_COMMANDS_INSIDE_H

#include "base/rng.h"
#include "env/cpulist.h"
#include "workflow/commands/commands.h"

struct kb_commands_job {
	const struct kb_commands_request *request;
	struct kb_commands *out;
	struct kb_command_place place, aside;   /* aside: of prepare, setup and cleanup */
	struct kb_command_record record;
	struct kb_guardian guardian;
	struct kb_rng rng;
	struct kb_run_observer observer;
	unsigned cpus[KB_CPULIST_MAX];
	size_t set_up;                  /* commands whose setup ran */
	uint64_t began_ns, blocks_from_ns, shown_ns;    /* blocks_from_ns: those that count; shown_ns: the progress */
	uint64_t deadline_ns, block_ns; /* block_ns: of the longest, with what is prepared */
	uint64_t most;                  /* blocks; 0: any number */
};

/* Setups, warm-up, blocks and cleanups. 0, or -errno: -EPROTO: a command failed, which stands in `failed`; -EINTR: a signal. What was
   measured is kept in any case. */
int kb_commands_run_all(struct kb_commands_job *);

/* All results and comparisons, as far as they are. */
void kb_commands_evaluate(struct kb_commands_job *);

/* Fills means, effects and shell_ns from the uses. margin: ln of a ratio. 0 or -ENOMEM. */
int kb_commands_find_means(struct kb_commands *, double margin);

#endif
