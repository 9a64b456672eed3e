/* What an architecture supplies for kb_chain: one function a chain, and where its unrolled body lies. */
#ifndef KB_ARCH_CHAIN_H
#define KB_ARCH_CHAIN_H

#include "types.h"
#include "kbench.h"

struct kb_chain_code {
	/* KB_CHAIN_UNROLL x loops + rest instructions; returns the final register, of several the sum. */
	uint64_t (*run)(uint64_t loops, uint64_t rest, uint64_t start, uint64_t operand);
	const unsigned char *body, *body_end;   /* KB_CHAIN_UNROLL instructions */
	unsigned period;                        /* instructions that repeat: 1, or one for each register */
};

/* Indexed by enum kb_chain; defined in arch/ARCH/chain.c. */
extern const struct kb_chain_code kb_chain_codes[KB_CHAINS];

/* kb_chain_verify of any code: 0, or -EINVAL when the body does not repeat. *hash is set in both cases. */
int kb_chain_code_verify(const struct kb_chain_code *, uint32_t *hash);

#endif
