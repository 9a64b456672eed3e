#define _GNU_SOURCE
#include "trace/entries/util.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "io.h"
#include "trace/btf.h"
#include "trace/raw_bpf.h"

/* ---- the program at sched_switch ---------------------------------------------------------------------- */

/* A CPU's last switch; next: the thread that came, 0 idle. */
struct last { uint64_t ns; uint32_t next, unused; };
#define UNKNOWN UINT32_MAX

/* Offsets on its stack: a thread's key, the only key of `last`, the thread that comes, a new value. */
enum { KEY = -4, ZERO = -8, NEXT = -12, NEW = -64 };
#define NEW_FIELD(field) (NEW + (int)offsetof(struct kb_util_use, field))

_Static_assert(sizeof(struct kb_util_use) <= NEXT - NEW, "room on the stack");

/* The one that leaves is still the current one. r9 = its process. Idle has a key for each CPU. */
static void put_key(struct kb_raw_code *code)
{
	unsigned thread;

	kb_raw_call(code, BPF_FUNC_get_current_pid_tgid);
	kb_raw_move(code, BPF_REG_9, BPF_REG_0);
	kb_raw_put(code, BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_9, 0, 0, 32);
	kb_raw_store(code, BPF_W, BPF_REG_10, KEY, BPF_REG_0);
	kb_raw_load(code, BPF_W, BPF_REG_0, BPF_REG_10, KEY);
	thread = kb_raw_jump(code, BPF_JNE, BPF_REG_0);
	kb_raw_call(code, BPF_FUNC_get_smp_processor_id);
	kb_raw_put(code, BPF_ALU | BPF_OR | BPF_K, BPF_REG_0, 0, 0, (int)KB_UTIL_IDLE);
	kb_raw_store(code, BPF_W, BPF_REG_10, KEY, BPF_REG_0);
	kb_raw_land(code, thread);
}

/* r8 = ns since this CPU's last switch, or since the reset, which put its own time there. */
static unsigned put_delta(const struct kb_util *util, struct kb_raw_code *code)
{
	unsigned none;

	kb_raw_call(code, BPF_FUNC_ktime_get_ns);
	kb_raw_move(code, BPF_REG_8, BPF_REG_0);
	kb_raw_set(code, BPF_REG_1, 0);
	kb_raw_store(code, BPF_W, BPF_REG_10, ZERO, BPF_REG_1);
	kb_raw_find(code, util->last_map, ZERO);
	none = kb_raw_jump(code, BPF_JEQ, BPF_REG_0);
	kb_raw_load(code, BPF_DW, BPF_REG_1, BPF_REG_0, 0);
	kb_raw_store(code, BPF_DW, BPF_REG_0, offsetof(struct last, ns), BPF_REG_8);
	kb_raw_load(code, BPF_W, BPF_REG_2, BPF_REG_10, NEXT);
	kb_raw_store(code, BPF_W, BPF_REG_0, offsetof(struct last, next), BPF_REG_2);
	kb_raw_put(code, BPF_ALU64 | BPF_SUB | BPF_X, BPF_REG_8, BPF_REG_1, 0, 0);
	return none;
}

/* A thread that was not known. */
static void put_new(const struct kb_util *util, struct kb_raw_code *code)
{
	unsigned done, none;

	kb_raw_store(code, BPF_DW, BPF_REG_10, NEW_FIELD(ns), BPF_REG_8);
	kb_raw_set(code, BPF_REG_1, 1);
	kb_raw_store(code, BPF_DW, BPF_REG_10, NEW_FIELD(switches), BPF_REG_1);
	kb_raw_store(code, BPF_DW, BPF_REG_10, NEW_FIELD(process), BPF_REG_9);
	kb_raw_set(code, BPF_REG_6, 0);
	if (util->members.map >= 0) {
		kb_raw_find(code, util->members.map, KEY);
		none = kb_raw_jump(code, BPF_JEQ, BPF_REG_0);
		kb_raw_set(code, BPF_REG_6, 1);
		kb_raw_land(code, none);
	}
	kb_raw_store(code, BPF_DW, BPF_REG_10, NEW_FIELD(member), BPF_REG_6);
	kb_raw_address(code, BPF_REG_1, NEW_FIELD(name));
	kb_raw_set(code, BPF_REG_2, 16);
	kb_raw_call(code, BPF_FUNC_get_current_comm);
	done = kb_raw_insert(code, util->use_map, KEY, NEW);
	kb_raw_add_atomically(code, BPF_REG_7, offsetof(struct kb_util_control, lost_ns), BPF_REG_8);
	kb_raw_land(code, done);
}

static int load(const struct kb_util *util)
{
	struct kb_raw_code code = { .used = 0 };
	unsigned off, none, new, out;

	kb_raw_move(&code, BPF_REG_6, BPF_REG_1);
	kb_raw_value(&code, BPF_REG_7, util->control_map);
	kb_raw_load(&code, BPF_DW, BPF_REG_1, BPF_REG_7, offsetof(struct kb_util_control, on));
	off = kb_raw_jump(&code, BPF_JEQ, BPF_REG_1);
	put_key(&code);
	/* sched_switch(preempt, prev, next, ...). */
	kb_raw_set(&code, BPF_REG_1, -1);
	kb_raw_store(&code, BPF_W, BPF_REG_10, NEXT, BPF_REG_1);
	if (util->pid_offset >= 0)
		kb_raw_read_pid(&code, BPF_REG_6, 2, util->pid_offset, NEXT);
	none = put_delta(util, &code);
	kb_raw_find(&code, util->use_map, KEY);
	new = kb_raw_jump(&code, BPF_JEQ, BPF_REG_0);
	/* Of a thread that is known: r0 is what it had. An exec gives it another name. */
	kb_raw_add_atomically(&code, BPF_REG_0, offsetof(struct kb_util_use, ns), BPF_REG_8);
	kb_raw_set(&code, BPF_REG_1, 1);
	kb_raw_add_atomically(&code, BPF_REG_0, offsetof(struct kb_util_use, switches), BPF_REG_1);
	kb_raw_move(&code, BPF_REG_1, BPF_REG_0);
	kb_raw_put(&code, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, offsetof(struct kb_util_use, name));
	kb_raw_set(&code, BPF_REG_2, 16);
	kb_raw_call(&code, BPF_FUNC_get_current_comm);
	out = kb_raw_jump(&code, BPF_JA, 0);
	kb_raw_land(&code, new);
	put_new(util, &code);
	kb_raw_land(&code, out);
	kb_raw_land(&code, none);
	kb_raw_land(&code, off);
	kb_raw_return(&code);
	return kb_raw_load_program(&code, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0);
}

/* ---- opening ------------------------------------------------------------------------------------------ */

static int make_maps(struct kb_util *util)
{
	util->failed = "counters in the kernel";
	util->control_map = kb_raw_new_map(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct kb_util_control), 1, BPF_F_MMAPABLE);
	if (util->control_map < 0)
		return util->control_map;
	util->last_map = kb_raw_new_map(BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(struct last), 1, 0);
	if (util->last_map < 0)
		return util->last_map;
	util->use_map = kb_raw_new_map(BPF_MAP_TYPE_HASH, 4, sizeof(struct kb_util_use), KB_UTIL_THREADS, 0);
	if (util->use_map < 0)
		return util->use_map;
	util->control = kb_raw_memory(util->control_map, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, 0);
	return util->control ? 0 : -errno;
}

static int attach(struct kb_util *util, bool follow)
{
	int error;

	util->failed = "following the command's threads";
	error = follow ? kb_members_open(&util->members, KB_MEMBERS_MAX) : 0;
	if (error)
		return error;
	util->pid_offset = kb_btf_offset("task_struct", "pid");
	util->failed = "tracepoint sched_switch";
	util->program = load(util);
	if (util->program < 0)
		return util->program;
	util->link = kb_raw_attach(util->program, "sched_switch");
	return util->link < 0 ? util->link : 0;
}

int kb_util_open(struct kb_util *util, bool follow)
{
	int error;

	*util = (struct kb_util){
		.members = KB_MEMBERS_NONE,
		.control_map = -1, .last_map = -1, .use_map = -1, .program = -1, .link = -1,
		.possible = kb_raw_possible_cpus(), .online = (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
	};
	error = make_maps(util) ?: attach(util, follow);
	if (error)
		kb_util_close(util);
	return error;
}

void kb_util_close(struct kb_util *util)
{
	int *const all[] = { &util->link, &util->program, &util->use_map, &util->last_map, &util->control_map };

	kb_members_close(&util->members);
	if (util->control)
		munmap((void *)(uintptr_t)util->control, (size_t)sysconf(_SC_PAGESIZE));
	util->control = NULL;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		kb_raw_close(all[i], 1);
}

/* ---- a window ----------------------------------------------------------------------------------------- */

static void clear(struct kb_util *util, bool threads)
{
	struct kb_util_use use;
	uint32_t key = 0;

	if (threads) {
		while (kb_raw_map_next(util->use_map, NULL, &key) == 0)
			if (kb_raw_map_drop(util->use_map, &key))
				break;
		return;
	}
	for (unsigned cpu = 0; cpu < util->possible; cpu++) {
		key = KB_UTIL_IDLE | cpu;
		if (kb_raw_map_get(util->use_map, &key, &use) == 0)
			(void)kb_raw_map_drop(util->use_map, &key);
	}
}

/* With this CPU's time of the reset in place, what runs there is charged from then on, without a switch of ours. A switch between
   reading the clock and `on`, a microsecond, would be charged to the next. */
int kb_util_reset(struct kb_util *util, bool threads)
{
	struct last *last = calloc(util->possible, sizeof *last);
	uint32_t zero = 0;
	int error;
	struct kb_util_use use;
	uint32_t key = 0;

	if (!last)
		return -ENOMEM;
	util->control->on = 0;
	util->control->lost_ns = 0;
	clear(util, threads);
	util->before_ns = 0;
	while (kb_util_next(util, &key, &use))
		util->before_ns += use.ns;
	util->start_ns = kb_monotonic_ns();
	for (unsigned i = 0; i < util->possible; i++)
		last[i] = (struct last){ util->start_ns, UNKNOWN, 0 };
	error = kb_raw_map_put(util->last_map, &zero, last);
	util->control->on = 1;
	util->running = !error;
	util->finished = false;
	free(last);
	return error;
}

int kb_util_reset_thread(struct kb_util *util, uint32_t tid)
{
	int error = kb_raw_map_drop(util->use_map, &tid);

	return error == -ENOENT ? 0 : error;
}

/* Being there makes the one that was there leave: its time is closed. */
static void visit_all(struct kb_util *util)
{
	cpu_set_t *before = CPU_ALLOC(KB_UTIL_CPUS), *one = CPU_ALLOC(KB_UTIL_CPUS);
	size_t bytes = CPU_ALLOC_SIZE(KB_UTIL_CPUS);

	util->unreached = util->online;
	if (before && one && sched_getaffinity(0, bytes, before) == 0) {
		for (unsigned cpu = 0; cpu < util->possible && cpu < KB_UTIL_CPUS; cpu++) {
			CPU_ZERO_S(bytes, one);
			CPU_SET_S(cpu, bytes, one);
			util->unreached -= sched_setaffinity(0, bytes, one) == 0 && util->unreached > 0;
		}
		sched_setaffinity(0, bytes, before);
	}
	if (before)
		CPU_FREE(before);
	if (one)
		CPU_FREE(one);
}

/* Nobody has left since: the one that came then had the CPU to the end. */
static void add_tail(struct kb_util *util, const struct last *last, unsigned cpu)
{
	uint32_t key = last->next ? last->next : KB_UTIL_IDLE | cpu;
	struct kb_util_use use;

	if (last->next == UNKNOWN || last->ns >= util->end_ns)
		return;
	if (kb_raw_map_get(util->use_map, &key, &use))
		use = (struct kb_util_use){ .name = "?" };
	use.ns += util->end_ns - last->ns;
	(void)kb_raw_map_put(util->use_map, &key, &use);
}

int kb_util_finalise(struct kb_util *util)
{
	static const struct timespec blink = { 0, 1 };
	const struct sched_param first = { .sched_priority = sched_get_priority_max(SCHED_FIFO) };
	struct sched_param before;
	uint32_t zero = 0;
	struct last *last;
	bool hurried;
	int policy;

	if (!util->running)
		return -EINVAL;
	/* A thread that must wait for its turn on one CPU leaves the others' time open for so long: behind one with real-time priority
	   that never sleeps, for ever. So it takes the highest there is, for its few microseconds. Where this is refused, it waits. */
	policy = sched_getscheduler(0);
	hurried = policy >= 0 && sched_getparam(0, &before) == 0 && sched_setscheduler(0, SCHED_FIFO, &first) == 0;
	visit_all(util);
	/* The sleep is as short as the system can: it makes this thread leave, too, which is then charged to the end. */
	nanosleep(&blink, NULL);
	/* In this order: what is added is never behind the end, and a switch in between is charged to the one that it ends. */
	util->control->on = 0;
	util->end_ns = kb_monotonic_ns();
	if (hurried)
		sched_setscheduler(0, policy, &before);
	last = calloc(util->possible, sizeof *last);
	if (last && kb_raw_map_get(util->last_map, &zero, last) == 0)
		for (unsigned cpu = 0; cpu < util->possible; cpu++)
			add_tail(util, &last[cpu], cpu);
	free(last);
	util->running = false;
	util->finished = true;
	return 0;
}

/* ---- what was seen ------------------------------------------------------------------------------------- */

/* Every thread of the machine is in it, and may be called anything. */
static int take_use(const struct kb_util *util, uint32_t key, struct kb_util_use *use)
{
	int error = kb_raw_map_get(util->use_map, &key, use);

	if (!error) {
		use->name[sizeof use->name - 1] = '\0';
		kb_make_visible(use->name, '?');
	}
	return error;
}

bool kb_util_next(const struct kb_util *util, uint32_t *key, struct kb_util_use *use)
{
	uint32_t before = *key;

	if (kb_raw_map_next(util->use_map, before ? &before : NULL, key))
		return false;
	return take_use(util, *key, use) == 0;
}

int kb_util_of(const struct kb_util *util, uint32_t tid, struct kb_util_use *use)
{
	int error = take_use(util, tid, use);

	if (error == -ENOENT)
		memset(use, 0, sizeof *use);
	return error == -ENOENT ? 0 : error;
}

int kb_util_total(const struct kb_util *util, struct kb_util_total *total)
{
	struct kb_util_use use;
	uint32_t key = 0;

	if (!util->finished)
		return -EINVAL;
	*total = (struct kb_util_total){ .elapsed = util->end_ns - util->start_ns, .lost = util->control->lost_ns };
	total->capacity = total->elapsed * util->online;
	while (kb_util_next(util, &key, &use)) {
		*(key & KB_UTIL_IDLE ? &total->idle : &total->threads) += use.ns;
		total->switches += use.switches;
	}
	total->threads -= total->threads < util->before_ns ? total->threads : util->before_ns;
	total->unaccounted = (int64_t)(total->capacity - total->threads - total->idle);
	return 0;
}

bool kb_util_closes(const struct kb_util_total *total)
{
	uint64_t off = (uint64_t)(total->unaccounted < 0 ? -total->unaccounted : total->unaccounted);

	return off <= total->capacity / 1000;
}
