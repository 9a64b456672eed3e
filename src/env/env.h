/*
 * What the machine was, and what disturbed it while we measured. Reads files and CPUID; changes nothing.
 */
#ifndef KB_ENV_ENV_H
#define KB_ENV_ENV_H

#include "types.h"

/* One fact. Stable facts make the environment ID; readings that vary by themselves (load, MHz) are not stable. */
struct kb_fact {
	char *key;              /* lower_case with underscores: kernel, cpu_model, hypervisor, governor, thp, aslr, ... */
	char *value;            /* "unknown" where it cannot be read, never "" */
	bool stable;
};

struct kb_env { struct kb_fact *facts; size_t count; };

/* Reads everything. Facts are owned by env until kb_env_free. 0 or -errno (only -ENOMEM). */
int kb_env_read(struct kb_env *env);
int kb_env_add(struct kb_env *env, const char *key, const char *value, bool stable);
void kb_env_free(struct kb_env *env);

/* Value of a key, NULL if there is none. */
const char *kb_env_get(const struct kb_env *env, const char *key);

/* 16 hex digits over the stable facts in order of their keys: machines of one ID may be compared. */
void kb_env_id(const struct kb_env *env, char out[17]);

/* ---- doctor -------------------------------------------------------------------------------------- */
enum kb_fitness { KB_FIT, KB_UNSURE, KB_UNFIT };

struct kb_finding {
	const char *id;         /* clock_source governor turbo smt aslr thp load steal hypervisor pmu permissions isolated_cpus */
	enum kb_fitness fitness;
	char what[160];         /* what it is here */
	const char *why;        /* why it matters, one sentence */
	const char *remedy;     /* what to do, a command where there is one; "" if nothing */
};

#define KB_FINDINGS_MAX 24

/* All of a finding but id and why. */
void kb_finding_set(struct kb_finding *, enum kb_fitness, const char *remedy, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Fills findings, returns how many. Runs no benchmark; takes less than 300 ms (load and steal need two readings). */
size_t kb_doctor(const struct kb_env *env, struct kb_finding findings[KB_FINDINGS_MAX]);

/* ---- CPUs ---------------------------------------------------------------------------------------- */
struct kb_cpus {
	unsigned measure;       /* where operations run */
	unsigned other;         /* first CPU of a different core; == measure if there is only one CPU */
	bool two;               /* other differs from measure */
	bool maybe_sibling;     /* the topology does not say that it is a different core */
	bool siblings;          /* it says that both are hardware threads of one core */
};

/* Chooses from `list` ("0,2-3"; NULL: the affinity mask). Uses hwloc. -EINVAL: not a list, -ENODEV: not in the mask. */
int kb_cpus_choose(const char *list, struct kb_cpus *cpus);

/* The numbers of that list, or of the affinity mask; at most `room`. How many, 0: it is no list. */
unsigned kb_cpus_list(const char *list, unsigned *cpus, unsigned room);

#endif
