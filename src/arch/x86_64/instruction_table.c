/* What instruction.S has on x86-64. 15 registers of a kind are left for independent chains in vectors, 12 in integers. */
#include "arch/code_table.h"
#include "extensions.h"

#define CHAINS(X) \
	KB_CHAINS_OF_ALL(X, KB_HAS_FMA) X(XADD, xadd, 0) X(SWAP, swap, 0) X(CAS, cas, 0) X(CPUID, cpuid, 0) X(LFENCE, lfence, 0)

KB_DEFINE_CODES(CHAINS, KB_WIDTHS_TO_12, KB_WIDTHS_TO_15, KB_HAS_FMA);

KB_DECLARE_CODE(vector_32x128)
KB_DECLARE_CODE(vector_32x256)
KB_DECLARE_CODE(vector_32x512)
KB_DECLARE_CODE(vector_64x128)
KB_DECLARE_CODE(vector_64x256)
KB_DECLARE_CODE(vector_64x512)

const struct kb_chain_code kb_vector_codes[2][3] = {
	{ KB_VECTOR_ENTRY(32x128, KB_HAS_FMA), KB_VECTOR_ENTRY(32x256, KB_HAS_FMA), KB_VECTOR_ENTRY(32x512, KB_HAS_AVX512) },
	{ KB_VECTOR_ENTRY(64x128, KB_HAS_FMA), KB_VECTOR_ENTRY(64x256, KB_HAS_FMA), KB_VECTOR_ENTRY(64x512, KB_HAS_AVX512) },
};
