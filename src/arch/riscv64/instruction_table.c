/* What instruction.S has on riscv64. There is no compare-and-swap in RV64G, and no vectors. */
#include "arch/code_table.h"

#define CHAINS(X) KB_CHAINS_OF_ALL(X, 0) X(XADD, xadd, 0) X(SWAP, swap, 0) X(LLSC, llsc, 0) X(FENCE_I, fence_i, 0)

KB_DEFINE_CODES(CHAINS, KB_WIDTHS_TO_16, KB_WIDTHS_TO_16, 0);

const struct kb_chain_code kb_vector_codes[2][3];
