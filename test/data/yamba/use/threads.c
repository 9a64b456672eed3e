/*
 * Threads that look up, call, compose and forget functions of one program at the same time. Numbers below SHARED are everybody's; each
 * thread has others that are its alone, which it composes and forgets: nobody may be in a function that is forgotten.
 */
#include "looked.c"

#include <pthread.h>

#define THREADS 8
#define ROUNDS 125000
#define SHARED 600
#define OWN 40

static unsigned wrong;

static void *work(void *context)
{
	int own = SHARED + OWN * (int)(uintptr_t)context;
	unsigned state = 1 + (unsigned)own;

	for (int i = 0; i < ROUNDS; i++) {
		state = state * 1664525 + 1013904223;
		int number = (int)(state >> 8) % SHARED;

		if (plus(number)(7) != 7 + (uint64_t)number || (i % 16 == 0 && sum(-1, 2, number)() != 1 + (uint64_t)number))
			__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
		if (i % 64 == 0) {
			plus_t mine = plus(own + i / 64 % OWN);

			if (mine(1) != 1 + (uint64_t)(own + i / 64 % OWN) || kb_yamba_code_size((void *)mine) < 4)
				__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
			kb_yamba_forget((void *)mine);
		}
	}
	return NULL;
}

static unsigned composed;

static void count(const struct kb_yamba_entry *entry)
{
	composed += entry != NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	kb_program_on_compose(count);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i))
			return 3;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d rounds, %u compositions, %u wrong\n", THREADS * ROUNDS, composed, wrong);
	return wrong != 0;
}
