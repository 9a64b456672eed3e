// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The other threads of a contended benchmark. Each is bound to a CPU of its own and lives as long as the process; between rounds
 * it is parked. A round starts when all of them run: they spin on the line, because a thread that was merely woken would leave
 * the first operations of the others alone.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>

#include "framework/threads.h"
#include "framework/window.h"

#define SPINS 10000u            /* some 100 us */

int kb_worker_set_up(struct kb_worker *worker)
{
	const struct kb_kernel_hooks *hooks = worker->process->context.entry->kernel->hooks;
	int error = hooks->thread_setup ? hooks->thread_setup(&worker->run) : 0;

	worker->is_set_up = !error;
	return error;
}

void kb_worker_tear_down(struct kb_worker *worker)
{
	const struct kb_kernel_hooks *hooks = worker->process->context.entry->kernel->hooks;

	if (worker->is_set_up && hooks->thread_teardown)
		hooks->thread_teardown(&worker->run);
	worker->is_set_up = false;
}

static bool has_work(const struct kb_kernel_process *process, unsigned seen)
{
	return READ_ONCE(process->round) != seen || kthread_should_stop();
}

static int body(void *data)
{
	struct kb_worker *worker = data;
	struct kb_kernel_process *process = worker->process;
	unsigned seen = 0;

	worker->error = kb_worker_set_up(worker);
	atomic_inc(&process->done);
	for (;;) {
		wait_event_idle(process->parked, has_work(process, seen));
		if (kthread_should_stop())
			break;
		seen = smp_load_acquire(&process->round);
		process->work(worker);
		atomic_inc(&process->done);
	}
	kb_worker_tear_down(worker);
	return 0;
}

void kb_threads_init(struct kb_kernel_process *process)
{
	init_waitqueue_head(&process->parked);
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
	worker->process->created++;
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
static void wait_done(struct kb_kernel_process *process)
{
	for (unsigned looks = 0; (unsigned)atomic_read(&process->done) < process->created; looks++) {
		cpu_relax();
		cond_resched();
		if (looks > SPINS)
			usleep_range(50, 100);
	}
}

static int first_error(const struct kb_kernel_process *process)
{
	int error = 0;

	for (unsigned i = 1; i <= process->created && !error; i++)
		error = process->workers[i].error;
	return error;
}

int kb_threads_create(struct kb_kernel_process *process)
{
	unsigned own = raw_smp_processor_id(), cpu = own;
	int error = 0;

	atomic_set(&process->done, 0);
	cpus_read_lock();
	for (unsigned i = 1; i < process->threads && !error; i++) {
		if (process->threads > num_online_cpus()) {
			error = -ERANGE; /* one went away since it was looked up */
			break;
		}
		cpu = next_cpu(cpu, own);
		error = create(&process->workers[i], cpu);
	}
	cpus_read_unlock();
	wait_done(process);
	return error ? error : first_error(process);
}

void kb_threads_start(struct kb_kernel_process *process, void (*work)(struct kb_worker *))
{
	atomic_set(&process->done, 0);
	atomic_set(&process->ready, 0);
	WRITE_ONCE(process->stop, false);
	process->work = work;
	smp_store_release(&process->round, process->round + 1);
	wake_up_all(&process->parked);
}

int kb_worker_line_up(struct kb_worker *worker)
{
	struct kb_kernel_process *process = worker->process;
	int error = 0;

	atomic_inc(&process->ready);
	while ((unsigned)atomic_read(&process->ready) < process->created + 1 && !error) {
		cpu_relax();
		cond_resched();
		error = kb_window_may_go_on(process);
	}
	return error;
}

int kb_threads_stop(struct kb_kernel_process *process)
{
	int error;

	WRITE_ONCE(process->stop, true);
	wait_done(process);
	WRITE_ONCE(process->stop, false);
	error = first_error(process);
	return error == -EINTR ? 0 : error; /* that was the end of the round */
}

int kb_threads_join(struct kb_kernel_process *process)
{
	unsigned created = process->created;

	process->created = 0;
	for (unsigned i = 1; i <= created; i++) {
		kthread_stop(process->workers[i].task);
		put_task_struct(process->workers[i].task);
		process->workers[i].task = NULL;
	}
	return 0;
}
