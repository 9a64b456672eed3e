/*
 * What looking up and composing cost, the least of many runs of each kind in turn: calls through a pointer that is there against calls
 * of what is looked up each time, look-ups of one function and of 512 in turn, and composing 10000 copies.
 */
#include "looked.c"

#include <time.h>

#define CALLS 4096
#define RUNS 300
#define MANY 512
#define COPIES 10000

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* The compiler knows nothing of it. */
#define UNKNOWN(x) __asm__ volatile("" : "+r"(x))

static void call_pointer(void)
{
	plus_t function = plus(3);
	uint64_t sum = 0;

	for (int i = 0; i < CALLS; i++) {
		UNKNOWN(function);
		sum = function(sum);
	}
	UNKNOWN(sum);
}

static void call_looked_up(void)
{
	uint64_t sum = 0;
	int number = 3;

	for (int i = 0; i < CALLS; i++) {
		UNKNOWN(number);
		sum = plus(number)(sum);
	}
	UNKNOWN(sum);
}

static void look_up_one(void)
{
	for (int i = 0; i < CALLS; i++) {
		int number = 3;

		UNKNOWN(number);
		plus_t function = plus(number);
		UNKNOWN(function);
	}
}

static void look_up_many(void)
{
	for (int i = 0; i < CALLS; i++) {
		plus_t function = plus(i % MANY);

		UNKNOWN(function);
	}
}

static touch_all_t composed;

static void compose(void)
{
	composed = touch_all(COPIES);
}

/* Off the clock: its code has a hash before it goes. */
static void forget(void)
{
	kb_yamba_forget((void *)composed);
}

int main(void)
{
	static const struct { const char *name; void (*run)(void); double per; void (*after)(void); } kinds[] = {
		{ "call", call_pointer, CALLS, NULL }, { "looked_up", call_looked_up, CALLS, NULL }, { "one", look_up_one, CALLS, NULL },
		{ "many", look_up_many, CALLS, NULL }, { "compose", compose, 1e6, forget },
	};
	double least[sizeof kinds / sizeof kinds[0]];

	for (int run = 0; run < RUNS; run++) {
		for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
			double start = now_ns();

			kinds[i].run();
			double spent = (now_ns() - start) / kinds[i].per;

			least[i] = run == 0 || spent < least[i] ? spent : least[i];
			if (kinds[i].after)
				kinds[i].after();
		}
	}
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		printf("%s %.3f\n", kinds[i].name, least[i]);
	return 0;
}
