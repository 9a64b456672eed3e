/* See func.h: the kernel's side, with libbpf. */
#define _GNU_SOURCE
#include "trace/func/func.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <func.skel.h>

#include "io.h"
#include "trace/entries/entries.h"
#include "trace/raw_bpf.h"

/* No system call has this number on any architecture: the kernel enters, finds nothing and leaves. */
#define NO_SYSCALL 100000
#define WARM_UP 100u
#define THREADS_MAX 16384u      /* of whose calls the kernel makes pairs at one time */
#define GRACE_NS 1000000        /* for a program that was under way when it was switched off */
#define EVENTS_BYTES_MAX (UINT64_C(1) << 30)    /* of all CPUs; the kernel takes it at once */

struct kb_func_tracer {
	struct kb_func_bpf *skeleton;
	struct kb_func_target target;
	enum kb_func_route route;
	struct bpf_program *enter, *leave, *starter, *interrupts, *switches;
	struct bpf_link *links[2];
	struct bpf_link *watchers[KB_ENTRY_POINTS_MAX + 1];     /* of interrupts by entry point, then of switches */
	int watch_errors[KB_ENTRY_POINTS_MAX + 1];              /* errno; 0: it watches */
	struct kb_func_event *events;
	struct kb_func_cpu *cpus;
	struct kb_func_tally *tallies;
	bool tallied;
	uint32_t cpu_count, tally_count, room, limit;
	uint64_t started_ns, stopped_ns;
	uint64_t missed;        /* by all takes so far */
};

/* ---- opening ------------------------------------------------------------------------------------------------ */

/* Its messages are for its developers; ours have what was refused and what to do. */
static int print_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level, (void)format, (void)arguments;
	return 0;
}

int kb_func_begin(struct kb_bpf_refusal *refusal)
{
	struct kb_raw_code code = { .used = 0 };
	int program;

	libbpf_set_print(print_nothing);
	kb_raw_return(&code);
	/* Of tracing, which needs more rights than a socket's filter. */
	program = kb_raw_load_program(&code, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0);
	if (program < 0)
		return kb_bpf_refuse(refusal, program, NULL, "BPF programs for tracing");
	close(program);
	return 0;
}

/* The programs of the route; all others stay unloaded. */
static void choose(struct kb_func_tracer *tracer, bool starter)
{
	struct kb_func_bpf *skeleton = tracer->skeleton;
	struct bpf_program *program, *pairs[KB_FUNC_ROUTES][2] = {
		[KB_FUNC_FENTRY] = { skeleton->progs.trampoline_enter, skeleton->progs.trampoline_leave },
		[KB_FUNC_KPROBE] = { skeleton->progs.probe_enter, skeleton->progs.probe_leave },
		[KB_FUNC_SYSCALL] = { skeleton->progs.call_enter, skeleton->progs.call_leave },
		[KB_FUNC_POINTS] = { skeleton->progs.point_enter, skeleton->progs.point_leave },
	};

	tracer->enter = pairs[tracer->route][0];
	tracer->leave = pairs[tracer->route][1];
	tracer->starter = starter ? skeleton->progs.call_null : NULL;
	tracer->interrupts = skeleton->progs.count_interrupt;
	tracer->switches = skeleton->progs.count_switch;
	bpf_object__for_each_program(program, skeleton->obj) {
		bool used = program == tracer->enter || program == tracer->leave || program == tracer->starter ||
			    program == tracer->interrupts || program == tracer->switches;

		bpf_program__set_autoload(program, used);
	}
}

/* A CPU has room for all calls, of two events each: they may all be made on one. Of the two ways to keep calls only one has room. */
static int size_maps(struct kb_func_tracer *tracer, const struct kb_func_wish *wish, int64_t number)
{
	struct kb_func_bpf *skeleton = tracer->skeleton;
	int cpus = libbpf_num_possible_cpus();
	uint64_t most;

	if (cpus < 1)
		return cpus;
	most = EVENTS_BYTES_MAX / sizeof(struct kb_func_event) / (uint64_t)cpus;
	tracer->cpu_count = (uint32_t)cpus;
	tracer->limit = wish->limit;
	tracer->tallied = wish->tallied;
	tracer->tally_count = wish->tallied ? 2 * tracer->cpu_count : 1;
	tracer->room = wish->tallied ? 1 : 2 * wish->limit < most ? 2 * wish->limit : (uint32_t)most;
	skeleton->rodata->room = tracer->room;
	skeleton->rodata->ignored = wish->ignored;
	skeleton->rodata->only = wish->only;
	skeleton->rodata->number = number;
	skeleton->rodata->tallied = wish->tallied;
	return bpf_map__set_max_entries(skeleton->maps.events, tracer->cpu_count * tracer->room)
		       ?: bpf_map__set_max_entries(skeleton->maps.cpus, tracer->cpu_count)
		       ?: bpf_map__set_max_entries(skeleton->maps.opens, wish->tallied ? THREADS_MAX : 1)
		       ?: bpf_map__set_max_entries(skeleton->maps.tallies, tracer->tally_count);
}

static struct bpf_link *attach_one(struct kb_func_tracer *tracer, bool leaves)
{
	const struct kb_func_target *target = &tracer->target;
	struct bpf_program *program = leaves ? tracer->leave : tracer->enter;

	switch (tracer->route) {
	case KB_FUNC_KPROBE: return bpf_program__attach_kprobe(program, leaves, target->function);
	case KB_FUNC_POINTS: return bpf_program__attach_raw_tracepoint(program, leaves ? target->leave : target->enter);
	default: return bpf_program__attach(program);
	}
}

/* The exit first: what enters before the other is attached has then no pair, and is not taken for one. */
static int attach(struct kb_func_tracer *tracer)
{
	for (int i = 0; i < 2; i++) {
		tracer->links[i] = attach_one(tracer, i == 0);
		if (!tracer->links[i])
			return -errno;
	}

	/* A point that this kernel does not have costs the interrupts of that kind, no others. What begins the calls themselves is not
	   among what disturbs them. */
	const char *own = tracer->route == KB_FUNC_POINTS ? tracer->target.enter : "";

	for (unsigned i = 0; i <= kb_entry_point_count; i++) {
		const struct kb_entry_point *point = &kb_entry_points[i];
		bool last = i == kb_entry_point_count;

		if (!last && (!kb_entry_interrupts(point) || strcmp(point->tracepoint, own) == 0))
			continue;
		tracer->watchers[i] = last ? bpf_program__attach(tracer->switches)
					   : bpf_program__attach_raw_tracepoint(tracer->interrupts, point->tracepoint);
		tracer->watch_errors[i] = tracer->watchers[i] ? 0 : errno;
	}
	return 0;
}

static void let_go(struct bpf_link **links, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bpf_link__destroy(links[i]);
		links[i] = NULL;
	}
}

static void detach(struct kb_func_tracer *tracer)
{
	let_go(tracer->links, 2);
	let_go(tracer->watchers, KB_ENTRY_POINTS_MAX + 1);
}

static int refuse(const struct kb_func_tracer *tracer, const struct kb_func_target *target, int error, const char *step,
		  struct kb_bpf_refusal *refusal)
{
	static const char *const names[KB_FUNC_ROUTES] = {
		"fentry", "kprobe", "tracepoints raw_syscalls:sys_enter and sys_exit", "tracepoints"
	};

	if (tracer->route == KB_FUNC_POINTS)
		return kb_bpf_refuse(
			refusal, error, NULL, "%s %s and %s, %s", names[tracer->route], target->enter, target->leave, step);
	return kb_bpf_refuse(refusal, error, NULL, "%s of %s, %s", names[tracer->route], target->function, step);
}

static int load(struct kb_func_tracer *tracer, const struct kb_func_target *target, const struct kb_func_wish *wish)
{
	int error = size_maps(tracer, wish, tracer->route == KB_FUNC_SYSCALL ? target->number : -1);

	if (tracer->route == KB_FUNC_FENTRY)
		error = error ?: bpf_program__set_attach_target(tracer->enter, 0, target->function)
			?: bpf_program__set_attach_target(tracer->leave, 0, target->function);
	error = error ?: kb_func_bpf__load(tracer->skeleton);
	if (error)
		return error;
	tracer->events = kb_raw_memory(bpf_map__fd(tracer->skeleton->maps.events),
				       sizeof *tracer->events * tracer->cpu_count * tracer->room, PROT_READ | PROT_WRITE, 0);
	tracer->cpus = kb_raw_memory(bpf_map__fd(tracer->skeleton->maps.cpus), sizeof *tracer->cpus * tracer->cpu_count,
				     PROT_READ | PROT_WRITE, 0);
	tracer->tallies = kb_raw_memory(bpf_map__fd(tracer->skeleton->maps.tallies), sizeof *tracer->tallies * tracer->tally_count,
					PROT_READ | PROT_WRITE, 0);
	return tracer->events && tracer->cpus && tracer->tallies ? 0 : -errno;
}

/* Nothing is attached yet. */
static int open_loaded(struct kb_func_tracer **out, const struct kb_func_target *target, enum kb_func_route route,
		       const struct kb_func_wish *wish, bool starter, struct kb_bpf_refusal *refusal)
{
	struct kb_func_tracer *tracer = calloc(1, sizeof *tracer);
	int error;

	if (!tracer)
		return kb_bpf_refuse(refusal, ENOMEM, "no memory", "a tracer");
	tracer->target = *target;
	tracer->route = route;
	tracer->skeleton = kb_func_bpf__open();
	error = tracer->skeleton ? 0 : -errno;
	if (!error) {
		choose(tracer, starter);
		error = load(tracer, target, wish);
	}
	if (error) {
		error = refuse(tracer, target, error, "load", refusal);
		kb_func_close(tracer);
		return error;
	}
	*out = tracer;
	return 0;
}

int kb_func_open(struct kb_func_tracer **out, const struct kb_func_target *target, enum kb_func_route route,
		 const struct kb_func_wish *wish, struct kb_bpf_refusal *refusal)
{
	struct kb_func_tracer *tracer = NULL;
	int error = open_loaded(&tracer, target, route, wish, false, refusal);

	if (error)
		return error;
	error = attach(tracer);
	if (error) {
		error = refuse(tracer, target, error, "attach", refusal);
		kb_func_close(tracer);
		return error;
	}
	*out = tracer;
	return 0;
}

int kb_func_aside(struct kb_func_tracer *tracer, bool aside)
{
	if (tracer->route != KB_FUNC_SYSCALL)
		return 0;
	detach(tracer);
	return aside ? 0 : attach(tracer);
}

/* ---- running ------------------------------------------------------------------------------------------------ */

void kb_func_switch(struct kb_func_tracer *tracer, bool on)
{
	/* Before the first stamp and behind the last. */
	if (on) {
		tracer->skeleton->bss->turn++;
		tracer->started_ns = kb_monotonic_ns();
	}
	__atomic_store_n(&tracer->skeleton->bss->on, on, __ATOMIC_SEQ_CST);
	if (!on)
		tracer->stopped_ns = kb_monotonic_ns();
}

bool kb_func_full(const struct kb_func_tracer *tracer)
{
	uint64_t used = 0;

	for (uint32_t cpu = 0; cpu < tracer->cpu_count; cpu++)
		used += __atomic_load_n(&tracer->cpus[cpu].used, __ATOMIC_RELAXED);
	return !tracer->tallied && (used >= 2 * (uint64_t)tracer->limit || __atomic_load_n(&tracer->skeleton->bss->closed, __ATOMIC_RELAXED));
}

/* One kind of interrupt is enough to be told of them: which there are depends on the kernel. */
unsigned kb_func_watched(const struct kb_func_tracer *tracer, struct kb_bpf_refusal *refusal)
{
	unsigned watched = 0, last = kb_entry_point_count;
	int error = ENOENT;

	for (unsigned i = 0; i < last; i++) {
		watched |= tracer->watchers[i] ? KB_FLAG_IRQ : 0;
		error = tracer->watch_errors[i] ? tracer->watch_errors[i] : error;
	}
	if (!watched)
		kb_bpf_refuse(refusal, error, NULL, "tracepoints of interrupts");
	if (tracer->watchers[last])
		return watched | KB_FLAG_SWITCH;
	kb_bpf_refuse(refusal, tracer->watch_errors[last], NULL, "tracepoint sched_switch");
	return watched;
}

static uint64_t kept(const struct kb_func_tracer *tracer, uint64_t used)
{
	return used < tracer->room ? used : tracer->room;
}

/* What one CPU wrote, appended. */
static size_t take_cpu(const struct kb_func_tracer *tracer, uint32_t cpu, struct kb_func_stamp *stamps, struct kb_func_counts *counts)
{
	uint64_t used = tracer->cpus[cpu].used; /* places that it asked for */
	const struct kb_func_event *events = tracer->events + (size_t)cpu * tracer->room;
	size_t count = 0;

	counts->lost += used - kept(tracer, used) + tracer->cpus[cpu].late;
	for (uint32_t i = 0; i < kept(tracer, used); i++) {
		if (events[i].ns == 0)
			counts->torn++;
		else
			stamps[count++] = (struct kb_func_stamp){
				.ns = events[i].ns, .tid = events[i].tid, .cpu = cpu, .kind = events[i].kind, .place = i,
				.interrupts = events[i].interrupts, .switches = events[i].switches,
			};
	}
	return count;
}

static uint64_t closed_after(const struct kb_func_tracer *tracer)
{
	uint64_t first = 0;

	for (uint32_t cpu = 0; cpu < tracer->cpu_count; cpu++) {
		uint64_t at = tracer->cpus[cpu].closed_ns;

		if (at > tracer->started_ns && (first == 0 || at < first))
			first = at;
	}
	return first ? first - tracer->started_ns : 0;
}

/* Runs of the program that the kernel left out since it was already running there (5.12; 0 before). */
static uint64_t missed(const struct bpf_program *program)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof info;

	return bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) ? 0 : info.recursion_misses;
}

/* Pairs of the stamps of all CPUs. */
static int take_stamps(struct kb_func_tracer *tracer, struct kb_func_log *log)
{
	struct kb_func_stamp *stamps;
	size_t room = 1, count = 0;
	int error;

	for (uint32_t cpu = 0; cpu < tracer->cpu_count; cpu++)
		room += kept(tracer, tracer->cpus[cpu].used);
	stamps = calloc(room, sizeof *stamps);
	if (!stamps)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < tracer->cpu_count; cpu++)
		count += take_cpu(tracer, cpu, stamps + count, &log->counts);
	error = kb_func_pair_up(log, stamps, count);
	kb_func_trim(log, tracer->limit);
	free(stamps);
	return error;
}

static int take_tallies(struct kb_func_tracer *tracer, struct kb_func_log *log)
{
	uint64_t entered = 0, calls;

	log->tallies = calloc(2, sizeof *log->tallies);
	if (!log->tallies)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < tracer->cpu_count; cpu++) {
		for (unsigned i = 0; i < 2; i++)
			kb_func_tally_add(&log->tallies[i], &tracer->tallies[2 * cpu + i]);
		entered += tracer->cpus[cpu].entered;
		log->counts.unopened += tracer->cpus[cpu].unopened;
	}
	calls = log->tallies[0].count + log->tallies[1].count;
	log->counts.events = entered + calls;
	log->counts.open = entered > calls ? entered - calls : 0;
	return 0;
}

/* For the next time that it is switched on. */
static void empty(struct kb_func_tracer *tracer)
{
	for (uint32_t cpu = 0; cpu < tracer->cpu_count; cpu++) {
		struct kb_func_cpu *own = &tracer->cpus[cpu];

		memset(tracer->events + (size_t)cpu * tracer->room, 0, kept(tracer, own->used) * sizeof *tracer->events);
		own->used = own->late = own->closed_ns = own->entered = own->unopened = 0;
	}
	memset(tracer->tallies, 0, tracer->tally_count * sizeof *tracer->tallies);
	tracer->skeleton->bss->closed = 0;
}

int kb_func_take(struct kb_func_tracer *tracer, struct kb_func_log *log)
{
	uint64_t all = missed(tracer->enter) + missed(tracer->leave);
	int error;

	kb_sleep_ns(GRACE_NS);
	*log = (struct kb_func_log){
		.started_ns = tracer->started_ns,
		.elapsed_ns = tracer->stopped_ns - tracer->started_ns,
		.closed_ns = closed_after(tracer),
		.watched = KB_FLAG_MIGRATED | kb_func_watched(tracer, &(struct kb_bpf_refusal){ .error = 0 }),
		.counts = { .missed = all - tracer->missed },
	};
	tracer->missed = all;
	error = tracer->tallied ? take_tallies(tracer, log) : take_stamps(tracer, log);
	empty(tracer);
	return error;
}

void kb_func_close(struct kb_func_tracer *tracer)
{
	if (!tracer)
		return;
	detach(tracer);
	if (tracer->events)
		munmap(tracer->events, sizeof *tracer->events * tracer->cpu_count * tracer->room);
	if (tracer->cpus)
		munmap(tracer->cpus, sizeof *tracer->cpus * tracer->cpu_count);
	if (tracer->tallies)
		munmap(tracer->tallies, sizeof *tracer->tallies * tracer->tally_count);
	kb_func_bpf__destroy(tracer->skeleton);
	free(tracer);
}

/* ---- the null function --------------------------------------------------------------------------------------- */

static const struct kb_func_target null_function = { .function = "bpf_fentry_test1", .number = -1 };
static const struct kb_func_target null_syscall = { .function = "a system call that does not exist", .number = NO_SYSCALL };

static int call_null(const struct kb_func_tracer *tracer)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);

	if (tracer->starter)
		return bpf_prog_test_run_opts(bpf_program__fd(tracer->starter), &options);
	return syscall(NO_SYSCALL) == -1 && errno == ENOSYS ? 0 : -EPROTO;
}

int kb_func_null_open(struct kb_func_tracer **tracer, enum kb_func_route route, uint32_t calls, bool tallied,
		      struct kb_bpf_refusal *refusal)
{
	bool call = route == KB_FUNC_SYSCALL;

	*tracer = NULL;
	if (route == KB_FUNC_POINTS)
		return kb_bpf_refuse(
			refusal, EOPNOTSUPP, "nothing fires these tracepoints with nothing between them", "a null function");
	return open_loaded(tracer, call ? &null_syscall : &null_function, route,
			   &(struct kb_func_wish){ .limit = calls, .tallied = tallied }, !call, refusal);
}

/* Attached only meanwhile: on route `syscall` its programs would stand in every other system call's way. */
int kb_func_null_call(struct kb_func_tracer *tracer, uint32_t calls)
{
	int error = attach(tracer);

	for (uint32_t i = 0; i < WARM_UP && !error; i++)
		error = call_null(tracer);
	kb_func_switch(tracer, true);
	for (uint32_t i = 0; i < calls && !error; i++)
		error = call_null(tracer);
	kb_func_switch(tracer, false);
	detach(tracer);
	return error;
}
