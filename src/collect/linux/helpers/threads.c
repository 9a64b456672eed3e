/*
 * Threads of a benchmark: real-time ones, and ordinary ones, each on the CPU it was given from its first instruction on. SCHED_FIFO can take
 * a CPU away from everybody for good, so what keeps real-time threads stoppable lives here: the thread that starts them has a higher
 * priority, and none may run without sleeping for long.
 */
#define _GNU_SOURCE
#include "collect/linux/context.h"
#include "kbench_parties.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

/* Of an ordinary one: enough for any benchmark, and little enough for hundreds of them. */
#define STACK_BYTES (128u << 10)

#define LONGEST_S 3             /* without sleep, of any thread: then the kernel ends the collector by SIGXCPU */

/* No benchmark of ours uses it, and authors take the ones with names. */
#define STOP_SIGNAL SIGRTMAX

/* A signal reaches a thread wherever it is. Cancellation does not: raw system calls are no points of it, and an endless
   loop has none; asynchronous cancellation would do the same as this, but out of sight of sanitizers. */
static void leave(int number)
{
	(void)number;
	pthread_exit(NULL);
}

static void *serve_real_time(void *data)
{
	struct kb_thread *thread = data;

	thread->serve(thread->run);
	return NULL;
}

/* Once a process; the kernel refuses it without privilege, or in a group that has no real-time share. */
static int raise_priority(struct kb_run *run)
{
	struct rlimit limit = { LONGEST_S * 1000000, (LONGEST_S + 1) * 1000000 };
	struct sched_param above = { .sched_priority = sched_get_priority_min(SCHED_FIFO) + KB_THREADS_MAX };
	struct sigaction action = { .sa_handler = leave };
	int policy, error;

	if (pthread_getschedparam(pthread_self(), &policy, &(struct sched_param){ 0 }) == 0 && policy == SCHED_FIFO)
		return 0;
	if (sigaction(STOP_SIGNAL, &action, NULL) || setrlimit(RLIMIT_RTTIME, &limit))
		return kb_fail(run, errno, "limiting the time of real-time threads");
	error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &above);
	if (error == EPERM)
		return kb_skip(run, "SCHED_FIFO is refused; it takes root or RLIMIT_RTPRIO of %d", above.sched_priority);
	return error ? kb_fail(run, error, "SCHED_FIFO") : 0;
}

/* A real-time thread of that priority, or with cpu from 0 an ordinary one there. 0 or an errno. */
static int create(pthread_t *id, void *(*function)(void *), void *data, int cpu, unsigned priority)
{
	struct sched_param param = { .sched_priority = sched_get_priority_min(SCHED_FIFO) + (int)priority - 1 };
	pthread_attr_t attributes;
	cpu_set_t only;
	int error = pthread_attr_init(&attributes);

	if (error)
		return error;
	CPU_ZERO(&only);
	if (cpu >= 0) {
		CPU_SET((size_t)cpu, &only);
		error = pthread_attr_setaffinity_np(&attributes, sizeof only, &only) ?: pthread_attr_setstacksize(&attributes, STACK_BYTES);
	} else {
		pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
		pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
		pthread_attr_setschedparam(&attributes, &param);
	}
	error = error ?: pthread_create(id, &attributes, function, data);
	pthread_attr_destroy(&attributes);
	return error;
}

int kb_thread_start(struct kb_run *run, void (*function)(struct kb_run *), unsigned priority)
{
	struct kb_context *context = run->context;
	int error = raise_priority(run);

	if (error)
		return error;
	if (priority < 1 || priority > KB_THREADS_MAX || context->thread_count == KB_THREADS_MAX)
		return kb_fail(run, EINVAL, "more than %d threads or priorities", KB_THREADS_MAX);
	struct kb_thread *thread = &context->threads[context->thread_count];

	context->probe.lookout.helped = true;
	*thread = (struct kb_thread){ .run = run, .serve = function };
	error = create(&thread->id, serve_real_time, thread, -1, priority);
	if (error)
		return kb_fail(run, error, "starting a real-time thread");
	context->thread_count++;
	return 0;
}

void kb_threads_stop(struct kb_run *run)
{
	struct kb_context *context = run->context;

	while (context->thread_count > 0) {
		pthread_t id = context->threads[--context->thread_count].id;

		pthread_kill(id, STOP_SIGNAL);
		pthread_join(id, NULL);
	}
}

uint64_t kb_thread_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
}

/* ---- ordinary ones ------------------------------------------------------------------------------- */

static pthread_t workers[KB_COMPANIONS_MAX];
static unsigned worker_count;

static int start_on(struct kb_run *run, pthread_t *id, void *(*function)(void *), void *data, int cpu)
{
	int error = create(id, function, data, cpu, 1);

	run->context->probe.lookout.helped = true;
	return error ? kb_fail(run, error, "starting a thread on CPU %d", cpu) : 0;
}

int kb_thread_on(struct kb_run *run, unsigned index, void *(*serve)(void *), void *data)
{
	int cpu = index == 1 ? kb_placed_on(run, "other-cpu") : kb_cpu(run, index);
	pthread_t thread;

	if (cpu < 0)
		return kb_skip(run, "needs %u CPUs", index + 1);
	return start_on(run, &thread, serve, data, cpu);
}

int kb_companion_start(struct kb_run *run, void *(*serve)(void *), void *data, const char *placement)
{
	int cpu = kb_placed_on(run, placement), error;

	if (cpu < 0)
		return cpu;
	if (worker_count == KB_COMPANIONS_MAX)
		return kb_fail(run, EAGAIN, "more than %d threads", KB_COMPANIONS_MAX);
	error = start_on(run, &workers[worker_count], serve, data, cpu);
	worker_count += !error;
	return error;
}

void kb_companions_join(void)
{
	while (worker_count > 0)
		pthread_join(workers[--worker_count], NULL);
}
