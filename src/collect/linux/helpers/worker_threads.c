/* Ordinary threads of a benchmark, each on the CPU it was given from its first instruction on. */
#define _GNU_SOURCE
#include "collect/linux/context.h"

#include <kbench_parties.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>

static pthread_t companions[KB_COMPANIONS_MAX];
static unsigned count;

/* Enough for any benchmark, and little enough for hundreds of them. */
#define STACK_BYTES (128u << 10)

static int create(pthread_t *id, void *(*serve)(void *), void *data, int cpu)
{
	pthread_attr_t attributes;
	cpu_set_t only;
	int error = pthread_attr_init(&attributes);

	if (error)
		return error;
	CPU_ZERO(&only);
	CPU_SET((size_t)cpu, &only);
	error = pthread_attr_setaffinity_np(&attributes, sizeof only, &only);
	error = error ? error : pthread_attr_setstacksize(&attributes, STACK_BYTES);
	error = error ? error : pthread_create(id, &attributes, serve, data);
	pthread_attr_destroy(&attributes);
	return error;
}

int kb_thread_on(struct kb_run *run, unsigned index, void *(*serve)(void *), void *data)
{
	int cpu = index == 1 ? kb_placed_on(run, "other-cpu") : kb_cpu(run, index), error;
	pthread_t thread;

	if (cpu < 0)
		return kb_skip(run, "needs %u CPUs", index + 1);
	run->context->probe.lookout.helped = true;
	error = create(&thread, serve, data, cpu);
	return error ? kb_fail(run, error, "starting a thread on CPU %d", cpu) : 0;
}

int kb_companion_start(struct kb_run *run, void *(*serve)(void *), void *data, const char *placement)
{
	int cpu = kb_placed_on(run, placement), error;

	if (cpu < 0)
		return cpu;
	if (count == KB_COMPANIONS_MAX)
		return kb_fail(run, EAGAIN, "more than %d threads", KB_COMPANIONS_MAX);
	run->context->probe.lookout.helped = true;
	error = create(&companions[count], serve, data, cpu);
	count += !error;
	return error ? kb_fail(run, error, "starting a thread on CPU %d", cpu) : 0;
}

void kb_companions_join(void)
{
	while (count > 0)
		pthread_join(companions[--count], NULL);
}
