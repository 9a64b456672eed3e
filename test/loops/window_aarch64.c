/* See window.h. */
#include "window.h"

#define BEGIN 0xd2800062u       /* mov x2, #3 */
#define FIRST 0xaa0203e1u       /* mov x1, x2 */
#define MULTIPLY 0x9b017c21u    /* mul x1, x1, x1 */
#define ADD 0x8b020063u         /* add x3, x3, x2 */
#define NOP 0xd503201fu
#define DECREMENT 0xf1000400u   /* subs x0, x0, #1 */
#define NOT_ZERO 0x54000001u    /* b.ne, its distance in bits 5 to 23 */
#define END 0xd65f03c0u         /* ret */

size_t write_loop(unsigned char *code, unsigned chain, unsigned nops, unsigned adds)
{
	uint32_t *at = (uint32_t *)(void *)code;

	*at++ = BEGIN;
	while ((uintptr_t)at % 64)
		*at++ = NOP;
	uint32_t *body = at;

	*at++ = FIRST;
	while (chain--)
		*at++ = MULTIPLY;
	while (nops--)
		*at++ = NOP;
	while (adds--)
		*at++ = ADD;
	*at++ = DECREMENT;
	*at = NOT_ZERO | ((uint32_t)(body - at) & 0x7ffffu) << 5;
	at++;
	*at++ = END;
	return (size_t)((unsigned char *)at - code);
}
