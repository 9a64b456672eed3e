/* How the parts of the environment add their facts: errors stick, so that the readers stay lists of facts. */
#ifndef KB_ENV_GATHER_H
#define KB_ENV_GATHER_H

#include "env/env.h"
#include "env/source.h"

struct kb_gather {
	const struct kb_fact_source *source;
	const struct kb_answers *answers;
	struct kb_env *env;
	int error;              /* the first; nothing is added after it */
};

/*
 * Stable: the same after a reboot and for every user of this machine, or else one machine has several IDs
 * and its history breaks.
 */
enum kb_lasting { KB_PASSING, KB_STABLE };

/* NULL and "" become "unknown". */
void kb_gather_fact(struct kb_gather *, const char *key, const char *value, enum kb_lasting);
void kb_gather_number(struct kb_gather *, const char *key, uint64_t value, enum kb_lasting);

/* How many the list of CPUs or nodes in that file names; stable. */
void kb_gather_count(struct kb_gather *, const char *key, const char *path);

void kb_gather_system(struct kb_gather *);      /* facts_system.c: kernel, settings, limits */
void kb_gather_cpu(struct kb_gather *);         /* facts_cpu.c: model, caches, frequency */
void kb_gather_memory(struct kb_gather *);      /* facts_cpu.c: sizes, nodes, huge pages */
void kb_gather_moment(struct kb_gather *);      /* facts_system.c: what varies by itself */

/* All of them. 0 or -ENOMEM, and then env is empty. */
int kb_env_gather(const struct kb_fact_source *, const struct kb_answers *, struct kb_env *env);

#endif
