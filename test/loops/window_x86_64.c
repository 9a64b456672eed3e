/* See window.h. */
#include "window.h"

#include <string.h>

static unsigned char *put(unsigned char *at, const void *bytes, size_t count)
{
	memcpy(at, bytes, count);
	return at + count;
}

size_t write_loop(unsigned char *code, unsigned chain, unsigned nops, unsigned adds)
{
	static const unsigned char begin[] = { 0x48, 0x89, 0xf9, 0xba, 3, 0, 0, 0, 0x31, 0xf6 };        /* mov %rdi,%rcx; mov $3,%edx; xor %esi,%esi */
	static const unsigned char first[] = { 0x48, 0x89, 0xd0 };                              /* mov %rdx,%rax */
	static const unsigned char multiply[] = { 0x48, 0x0f, 0xaf, 0xc0 };                     /* imul %rax,%rax */
	static const unsigned char add[] = { 0x48, 0x01, 0xd6 };                                /* add %rdx,%rsi */
	static const unsigned char nop[] = { 0x90 };
	static const unsigned char next[] = { 0x48, 0xff, 0xc9, 0x0f, 0x85 };                   /* dec %rcx; jnz */
	static const unsigned char end[] = { 0xc3 };
	unsigned char *at = put(code, begin, sizeof begin);

	while ((uintptr_t)at % 64)
		at = put(at, nop, sizeof nop);
	unsigned char *body = at;

	at = put(at, first, sizeof first);
	while (chain--)
		at = put(at, multiply, sizeof multiply);
	while (nops--)
		at = put(at, nop, sizeof nop);
	while (adds--)
		at = put(at, add, sizeof add);
	at = put(at, next, sizeof next);
	int32_t back = (int32_t)(body - (at + 4));

	at = put(at, &back, sizeof back);
	return (size_t)(put(at, end, sizeof end) - code);
}
