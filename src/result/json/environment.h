/* What a result was measured on. A run's environment is that of its machine; a result of the run may be of an emulated machine on it. */
#ifndef KB_RESULT_JSON_ENVIRONMENT_H
#define KB_RESULT_JSON_ENVIRONMENT_H

#include <jansson.h>

#include "result/json/fields.h"

extern const struct kb_json_field kb_environment_fields[];

/*
 * Completes what the result states by the environment of its run (an object of kb_env_to_json), unless it has its own already. What ran on
 * the run's machine has the run's ID. The ID of a seL4 result has three parts, MACHINE.CONFIGURATION.KERNEL: the machine is the run's
 * where that tells of it, as of an imported run, else the emulated one; the last part is of kernel and image.
 */
void kb_environment_settle(struct kb_result *, const json_t *env);

/* Whether two IDs are the same in so many parts. Kernels of one configuration are what one wants to compare. */
enum { KB_SAME_MACHINE = 1, KB_SAME_CONFIG = 2, KB_SAME_ENVIRONMENT = 3 };
bool kb_environment_same(const char *a, const char *b, unsigned parts);

/* "sel4 riscv64, kernel 0123456789ab, configuration 0123456789ab, QEMU". Returns text. */
#define KB_ENVIRONMENT_WORDS 200
const char *kb_environment_words(char text[KB_ENVIRONMENT_WORDS], const struct kb_environment *);

#endif
