#define _GNU_SOURCE
#include "trace/entries/members.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/btf.h"
#include "trace/raw_bpf.h"

#define KEY (-4)                /* offsets on the program's stack */
#define VALUE (-16)
#define FIRST_PID_NAMESPACE 0xeffffffcu /* its inode, the same on every kernel (include/linux/proc_ns.h) */

/* The calling thread's id, as a key. */
static void put_own_key(struct kb_raw_code *code)
{
	kb_raw_call(code, BPF_FUNC_get_current_pid_tgid);
	kb_raw_store(code, BPF_W, BPF_REG_10, KEY, BPF_REG_0);
}

/* Adds the key on the stack; where there is no room, it is counted. */
static void put_addition(struct kb_raw_code *code, int map)
{
	unsigned added, none;

	kb_raw_set(code, BPF_REG_1, 1);
	kb_raw_store(code, BPF_DW, BPF_REG_10, VALUE, BPF_REG_1);
	added = kb_raw_insert(code, map, KEY, VALUE);
	kb_raw_set(code, BPF_REG_1, (int)KB_MEMBERS_UNFOLLOWED);
	kb_raw_store(code, BPF_W, BPF_REG_10, KEY, BPF_REG_1);
	kb_raw_find(code, map, KEY);
	none = kb_raw_jump(code, BPF_JEQ, BPF_REG_0);
	kb_raw_set(code, BPF_REG_1, 1);
	kb_raw_add_atomically(code, BPF_REG_0, 0, BPF_REG_1);
	kb_raw_land(code, none);
	kb_raw_land(code, added);
}

/* sched_process_fork(parent, child): the parent executes it, before the child may run. */
static int load_fork(int map, int pid_offset)
{
	struct kb_raw_code code = { .used = 0 };
	unsigned out;

	kb_raw_move(&code, BPF_REG_6, BPF_REG_1);
	put_own_key(&code);
	kb_raw_find(&code, map, KEY);
	out = kb_raw_jump(&code, BPF_JEQ, BPF_REG_0);
	kb_raw_read_pid(&code, BPF_REG_6, 1, pid_offset, KEY);
	put_addition(&code, map);
	kb_raw_land(&code, out);
	kb_raw_return(&code);
	return kb_raw_load_program(&code, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0);
}

/* sched_process_exec(task, old_pid, ...): a thread that was not the first takes over the first one's id. */
static int load_exec(int map)
{
	struct kb_raw_code code = { .used = 0 };
	unsigned out;

	kb_raw_load(&code, BPF_DW, BPF_REG_1, BPF_REG_1, 8);
	kb_raw_store(&code, BPF_W, BPF_REG_10, KEY, BPF_REG_1);
	kb_raw_find(&code, map, KEY);
	out = kb_raw_jump(&code, BPF_JEQ, BPF_REG_0);
	put_own_key(&code);
	put_addition(&code, map);
	kb_raw_land(&code, out);
	kb_raw_return(&code);
	return kb_raw_load_program(&code, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0);
}

/* sched_process_free(task): its id may soon be another's. Not at its exit, which it still has to run through: its last switch
   is behind that, and of a thread that never waited it is the only one. */
static int load_free(int map, int pid_offset)
{
	struct kb_raw_code code = { .used = 0 };

	kb_raw_read_pid(&code, BPF_REG_1, 0, pid_offset, KEY);
	kb_raw_map(&code, BPF_REG_1, map);
	kb_raw_address(&code, BPF_REG_2, KEY);
	kb_raw_call(&code, BPF_FUNC_map_delete_elem);
	kb_raw_return(&code);
	return kb_raw_load_program(&code, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0);
}

static int attach_all(struct kb_members *members, int pid_offset)
{
	static const char *const points[] = { "sched_process_fork", "sched_process_exec", "sched_process_free" };

	members->programs[0] = load_fork(members->map, pid_offset);
	members->programs[1] = load_exec(members->map);
	members->programs[2] = load_free(members->map, pid_offset);
	for (int i = 0; i < 3; i++) {
		if (members->programs[i] < 0)
			return members->programs[i];
		members->links[i] = kb_raw_attach(members->programs[i], points[i]);
		if (members->links[i] < 0)
			return members->links[i];
	}
	return 0;
}

static int put(struct kb_members *members, uint32_t key, uint64_t value)
{
	return kb_raw_map_put(members->map, &key, &value);
}

bool kb_members_ids_agree(void)
{
	struct stat own;

	return stat("/proc/self/ns/pid", &own) != 0 || own.st_ino == FIRST_PID_NAMESPACE;
}

int kb_members_open(struct kb_members *members, unsigned room)
{
	int offset, error;

	*members = KB_MEMBERS_NONE;
	members->map = kb_raw_new_map(BPF_MAP_TYPE_HASH, 4, 8, room + 1, 0);
	if (members->map < 0)
		return members->map;
	offset = put(members, KB_MEMBERS_UNFOLLOWED, 0);
	if (!offset)
		offset = kb_btf_offset("task_struct", "pid");
	error = kb_members_ids_agree() ? offset : -ENOTSUP;
	if (error >= 0)
		error = attach_all(members, offset);
	if (error < 0)
		kb_members_close(members);
	return error < 0 ? error : 0;
}

int kb_members_add(struct kb_members *members, uint32_t tid)
{
	return put(members, tid, 1);
}

uint64_t kb_members_unfollowed(const struct kb_members *members)
{
	uint32_t key = KB_MEMBERS_UNFOLLOWED;
	uint64_t count;

	return members->map >= 0 && kb_raw_map_get(members->map, &key, &count) == 0 ? count : 0;
}

void kb_members_close(struct kb_members *members)
{
	kb_raw_close(members->links, 3);
	kb_raw_close(members->programs, 3);
	kb_raw_close(&members->map, 1);
}

const char *kb_members_why(int error)
{
	if (error == -ENOTSUP)
		return "thread ids here are not the kernel's, this is another PID namespace (ENOTSUP)";
	if (error == -ENOENT)
		return "this kernel has no such tracepoint, or does not describe its types in /sys/kernel/btf/vmlinux (ENOENT)";
	return kb_raw_why(error);
}
