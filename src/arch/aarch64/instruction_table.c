/* What instruction.S has on aarch64. */
#include "arch/code_table.h"
#include "extensions.h"

#define CHAINS(X) \
	KB_CHAINS_OF_ALL(X, 0) X(XADD, xadd, KB_HAS_LSE) X(SWAP, swap, KB_HAS_LSE) X(CAS, cas, KB_HAS_LSE) X(LLSC, llsc, 0) \
	X(ISB, isb, 0)

KB_DEFINE_CODES(CHAINS, KB_WIDTHS_TO_16, KB_WIDTHS_TO_16, 0);

KB_DECLARE_CODE(vector_32x128)
KB_DECLARE_CODE(vector_64x128)

const struct kb_chain_code kb_vector_codes[2][3] = { { KB_VECTOR_ENTRY(32x128, 0) }, { KB_VECTOR_ENTRY(64x128, 0) } };
