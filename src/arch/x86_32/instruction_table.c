/* None: exact pieces of code serve benchmarks in C, which are measured in the 64-bit mode of the same processor. A Yamba
   program brings its own. */
#include "arch/chain.h"

const struct kb_chain_code kb_codes[KB_CODES];
const struct kb_chain_code kb_parallel_codes[KB_PARALLELS][KB_PARALLEL_KINDS];
const struct kb_chain_code kb_vector_codes[2][3];
