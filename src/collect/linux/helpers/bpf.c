/* See kbench_bpf.h. */
#include <kbench_bpf.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ANSWER 2                /* what our programs return */
#define PACKET_BYTES 64u
#define LOG_BYTES 4096u
#define SEEN_BYTES 24u

enum { RUNS, WRONG, WRONG_RESULT };

struct program {
	int fd, map;
	volatile uint64_t *seen;        /* runs; wrong results; the last wrong result */
	uint64_t runs;                  /* that were asked for */
	uint32_t duration_ns;           /* of one run, the kernel's own mean of the last batch */
};

static struct { struct program op, base; } programs;

static int bpf(int command, union bpf_attr *attr)
{
	int result = (int)syscall(SYS_bpf, command, attr, sizeof *attr);

	return result < 0 ? -errno : result;
}

/* ---- maps ------------------------------------------------------------------------------------------------------ */

static int make_map(enum bpf_map_type type, uint32_t key_bytes, uint32_t value_bytes, uint32_t entries, uint32_t flags)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.map_type = type;
	attr.key_size = key_bytes;
	attr.value_size = value_bytes;
	attr.max_entries = entries;
	attr.map_flags = flags;
	return bpf(BPF_MAP_CREATE, &attr);
}

int kb_bpf_map(struct kb_run *run, int *fd, enum bpf_map_type type, uint32_t key_bytes, uint32_t value_bytes, uint32_t entries)
{
	*fd = make_map(type, key_bytes, value_bytes, entries, 0);
	if (*fd < 0)
		return kb_skip(run, "the kernel refuses a BPF map of %u entries: %s%s", entries, strerror(-*fd),
			       *fd == -EPERM ? "; it needs root, or the capabilities BPF and NET_ADMIN" : "");
	return 0;
}

int kb_bpf_map_set(int fd, const void *key, const void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.map_fd = (uint32_t)fd;
	attr.key = (uint64_t)(uintptr_t)key;
	attr.value = (uint64_t)(uintptr_t)value;
	return bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

static int share_counts(struct kb_run *run, struct program *program)
{
	void *memory;

	program->map = make_map(BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), SEEN_BYTES, 1, BPF_F_MMAPABLE);
	if (program->map < 0)
		return kb_skip(run, "the kernel refuses BPF maps: %s%s", strerror(-program->map),
			       program->map == -EPERM ? "; they need root, or the capabilities BPF and NET_ADMIN" : "");
	memory = mmap(NULL, SEEN_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, program->map, 0);
	if (memory == MAP_FAILED)
		return kb_fail(run, errno, "mapping the counts of a BPF program");
	program->seen = memory;
	return 0;
}

/* ---- programs -------------------------------------------------------------------------------------------------- */

/* Counting stands before the body in base and op alike, so that it cancels. */
static size_t frame(struct bpf_insn *code, int map, const struct bpf_insn *body, size_t count, int expected)
{
	const struct bpf_insn before[] = {
		KB_BPF_COPY(BPF_REG_6, BPF_REG_1),
		KB_BPF_INSN(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_7, BPF_PSEUDO_MAP_VALUE, 0, map), KB_BPF_INSN(0, 0, 0, 0, 0),
		KB_BPF_LOAD(BPF_DW, BPF_REG_8, BPF_REG_7, 8 * RUNS),
		KB_BPF_COPY(BPF_REG_1, BPF_REG_8),
		KB_BPF_ALU(BPF_ADD, BPF_REG_1, 1),
		KB_BPF_STORE(BPF_DW, BPF_REG_7, 8 * RUNS, BPF_REG_1),
	};
	const struct bpf_insn judge[] = {
		KB_BPF_JUMP(BPF_JEQ, BPF_REG_0, expected, 4),
		KB_BPF_STORE(BPF_DW, BPF_REG_7, 8 * WRONG_RESULT, BPF_REG_0),
		KB_BPF_LOAD(BPF_DW, BPF_REG_1, BPF_REG_7, 8 * WRONG),
		KB_BPF_ALU(BPF_ADD, BPF_REG_1, 1),
		KB_BPF_STORE(BPF_DW, BPF_REG_7, 8 * WRONG, BPF_REG_1),
	};
	const struct bpf_insn after[] = { KB_BPF_SET(BPF_REG_0, ANSWER), KB_BPF_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0) };
	size_t used = sizeof before / sizeof before[0];

	memcpy(code, before, sizeof before);
	memcpy(code + used, body, count * sizeof *body);
	used += count;
	if (expected != KB_BPF_ANY) {
		memcpy(code + used, judge, sizeof judge);
		used += sizeof judge / sizeof judge[0];
	}
	memcpy(code + used, after, sizeof after);
	return used + sizeof after / sizeof after[0];
}

/* The verifier's last line but one says what it did not like. */
static const char *last_words(char *log)
{
	char *end = log + strlen(log), *line;

	while (end > log && (end[-1] == '\n' || strncmp(end, "processed ", 10) == 0))
		*--end = '\0';
	line = strrchr(log, '\n');
	if (line && strncmp(line + 1, "processed ", 10) == 0) {
		*line = '\0';
		line = strrchr(log, '\n');
	}
	return line ? line + 1 : log;
}

static int load(const struct bpf_insn *code, size_t count, char *log)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	/* Not XDP: every batch of its would wait some 16 ms for a dispatcher to be exchanged. */
	attr.prog_type = BPF_PROG_TYPE_SCHED_CLS;
	attr.insns = (uint64_t)(uintptr_t)code;
	attr.insn_cnt = (uint32_t)count;
	attr.license = (uint64_t)(uintptr_t)"Dual MIT/GPL";
	if (log) {
		attr.log_level = 1;
		attr.log_buf = (uint64_t)(uintptr_t)log;
		attr.log_size = LOG_BYTES;
	}
	memcpy(attr.prog_name, "kbench", 6);
	return bpf(BPF_PROG_LOAD, &attr);
}

static int load_one(struct kb_run *run, struct program *program, struct kb_bpf_body body, int expected)
{
	struct bpf_insn code[KB_BPF_BODY_MAX + 16];
	static char log[LOG_BYTES];
	size_t count;
	int error;

	*program = (struct program){ .fd = -1, .map = -1 };
	if (body.count > KB_BPF_BODY_MAX)
		return kb_fail(run, E2BIG, "a BPF program of %zu instructions", body.count);
	error = share_counts(run, program);
	if (error)
		return error;
	count = frame(code, program->map, body.code, body.count, expected);
	program->fd = load(code, count, NULL);
	if (program->fd >= 0)
		return 0;
	error = program->fd;
	load(code, count, log);
	return kb_skip(run, "the kernel refuses the BPF program: %s%s%s%.150s", strerror(-error),
		error == -EPERM ? "; it needs root, or the capabilities BPF and NET_ADMIN" : "", log[0] ? "; " : "",
		last_words(log));
}

int kb_bpf_load(struct kb_run *run, struct kb_bpf_body op, struct kb_bpf_body base, int expected)
{
	int error = load_one(run, &programs.op, op, expected);

	return error || !base.code ? error : load_one(run, &programs.base, base, expected);
}

/* ---- running --------------------------------------------------------------------------------------------------- */

static int run_batch(struct kb_run *run, struct program *program, uint64_t n)
{
	static unsigned char packet[PACKET_BYTES];
	union bpf_attr attr;
	int error;

	program->runs += n;
	memset(&attr, 0, sizeof attr);
	attr.test.prog_fd = (uint32_t)program->fd;
	attr.test.data_in = (uint64_t)(uintptr_t)packet;
	attr.test.data_size_in = sizeof packet;
	do {
		/* A signal ends a batch; what it has done, the program has counted. */
		attr.test.repeat = (uint32_t)(program->runs - program->seen[RUNS]);
		error = bpf(BPF_PROG_TEST_RUN, &attr);
	} while (error == -EINTR && program->seen[RUNS] < program->runs);
	if (error < 0)
		return kb_fail(run, -error, "BPF_PROG_TEST_RUN");
	if (attr.test.retval != ANSWER)
		return kb_fail(run, EPROTO, "the BPF program answered %u, not %u", attr.test.retval, ANSWER);
	program->duration_ns = attr.test.duration;
	return 0;
}

int kb_bpf_op(struct kb_run *run, uint64_t n)
{
	uint64_t before = programs.op.seen[RUNS];
	int error = run_batch(run, &programs.op, n);

	kb_count(run, KB_SEEN, programs.op.seen[RUNS] - before);
	return error;
}

int kb_bpf_base(struct kb_run *run, uint64_t n)
{
	return run_batch(run, &programs.base, n);
}

/* Both programs: a base that did not run would make the operation dear, one that was wrong would make it cheap. */
static int check(struct kb_run *run, const struct program *program, const char *what)
{
	if (program->seen[RUNS] != program->runs)
		return kb_fail(run, EPROTO, "the BPF program of the %s ran %llu times, not %llu", what,
			       (unsigned long long)program->seen[RUNS], (unsigned long long)program->runs);
	if (program->seen[WRONG])
		return kb_fail(run, EBADMSG, "%llu runs of the BPF program of the %s had a wrong result, the last %lld",
			       (unsigned long long)program->seen[WRONG], what, (long long)program->seen[WRONG_RESULT]);
	return 0;
}

int kb_bpf_check(struct kb_run *run, uint64_t n)
{
	int error = check(run, &programs.op, "operation");

	(void)n;
	kb_covariate(run, "kernel_ns", programs.op.duration_ns);
	return error || !programs.base.seen ? error : check(run, &programs.base, "base");
}
