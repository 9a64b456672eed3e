// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The other threads of a contended benchmark. Each is bound to a CPU of its own and lives as long as the launch; between rounds
 * it is parked. A round starts when all of them run: they spin on the line, because a thread that was merely woken would leave
 * the first operations of the others alone.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>

#include "framework/framework.h"

#define SPINS 10000u            /* some 100 us */

static bool has_work(const struct kb_launch *launch, unsigned seen)
{
	return READ_ONCE(launch->round) != seen || kthread_should_stop();
}

static int body(void *data)
{
	struct kb_worker *worker = data;
	struct kb_launch *launch = worker->launch;
	unsigned seen = 0;

	worker->error = kb_worker_set_up(worker);
	atomic_inc(&launch->done);
	for (;;) {
		wait_event_idle(launch->parked, has_work(launch, seen));
		if (kthread_should_stop())
			break;
		seen = smp_load_acquire(&launch->round);
		launch->work(worker);
		atomic_inc(&launch->done);
	}
	kb_worker_tear_down(worker);
	return 0;
}

void kb_threads_init(struct kb_launch *launch)
{
	init_waitqueue_head(&launch->parked);
}

static int create(struct kb_worker *worker, unsigned cpu)
{
	struct task_struct *task = kthread_create(body, worker, "kbench/%u", worker->index);

	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpu);
	get_task_struct(task);
	worker->task = task;
	worker->cpu = cpu;
	worker->launch->created++;
	wake_up_process(task);
	return 0;
}

/* A CPU after the last one, round and round; the caller's own is passed over. */
static unsigned next_cpu(unsigned cpu, unsigned own)
{
	do {
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
	} while (cpu == own);
	return cpu;
}

/* Until all of them have counted themselves. They are bounded, so this is; but whoever came to share this CPU (another one went
   away) might never get it from a caller of real-time priority that only spins. */
static void wait_done(struct kb_launch *launch)
{
	for (unsigned looks = 0; (unsigned)atomic_read(&launch->done) < launch->created; looks++) {
		cpu_relax();
		cond_resched();
		if (looks > SPINS)
			usleep_range(50, 100);
	}
}

static int first_error(const struct kb_launch *launch)
{
	int error = 0;

	for (unsigned i = 1; i <= launch->created && !error; i++)
		error = launch->workers[i].error;
	return error;
}

int kb_threads_create(struct kb_launch *launch)
{
	unsigned own = raw_smp_processor_id(), cpu = own;
	int error = 0;

	atomic_set(&launch->done, 0);
	cpus_read_lock();
	for (unsigned i = 1; i < launch->threads && !error; i++) {
		if (launch->threads > num_online_cpus()) {
			error = -ERANGE; /* one went away since it was asked */
			break;
		}
		cpu = next_cpu(cpu, own);
		error = create(&launch->workers[i], cpu);
	}
	cpus_read_unlock();
	wait_done(launch);
	return error ? error : first_error(launch);
}

void kb_threads_start(struct kb_launch *launch, void (*work)(struct kb_worker *))
{
	atomic_set(&launch->done, 0);
	atomic_set(&launch->ready, 0);
	WRITE_ONCE(launch->stop, false);
	launch->work = work;
	smp_store_release(&launch->round, launch->round + 1);
	wake_up_all(&launch->parked);
}

int kb_worker_line_up(struct kb_worker *worker)
{
	struct kb_launch *launch = worker->launch;
	int error = 0;

	atomic_inc(&launch->ready);
	while ((unsigned)atomic_read(&launch->ready) < launch->created + 1 && !error) {
		cpu_relax();
		cond_resched();
		error = kb_launch_may_go_on(launch);
	}
	return error;
}

int kb_threads_stop(struct kb_launch *launch)
{
	int error;

	WRITE_ONCE(launch->stop, true);
	wait_done(launch);
	WRITE_ONCE(launch->stop, false);
	error = first_error(launch);
	return error == -EINTR ? 0 : error; /* that was the end of the round */
}

int kb_threads_join(struct kb_launch *launch)
{
	unsigned created = launch->created;

	launch->created = 0;
	for (unsigned i = 1; i <= created; i++) {
		kthread_stop(launch->workers[i].task);
		put_task_struct(launch->workers[i].task);
		launch->workers[i].task = NULL;
	}
	return 0;
}
