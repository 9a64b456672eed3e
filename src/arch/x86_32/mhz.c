/* None of the nine expressions: they are words of 64 bits, which two registers hold here. */
#include "arch/expression.h"

const struct kb_chain_code kb_expression_codes[KB_EXPRESSIONS];
