/*
 * kbench_expression.h - the nine expressions of the mhz method, as machine code of known bytes: each needs the value of the
 * one before, and several differ by one more instruction. a is `start`, b is `operand`.
 */
#ifndef KBENCH_EXPRESSION_H
#define KBENCH_EXPRESSION_H

#include <kbench_code.h>

/* In the order of the method: p = *p;  a ^= a+a;  a ^= a+a+a;  a >>= b;  a >>= a+a;  a ^= a<<b;  a ^= a+b;  a += (a+b)&7;
   a++, a ^= 1, a <<= 1. >> keeps the sign. */
#define KB_EXPRESSIONS 9u

/* number: 1 to KB_EXPRESSIONS. */
const struct kb_chain_code *kb_expression(unsigned number);

/* Values for a and b that keep the expression going; of the first a is the caller's: a ring of pointers. */
void kb_expression_inputs(unsigned number, uint64_t *start, uint64_t *operand);

/* a after n of them, worked out in C. */
uint64_t kb_expression_expect(unsigned number, uint64_t n, uint64_t start, uint64_t operand);

#endif
