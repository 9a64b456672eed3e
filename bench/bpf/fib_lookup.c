/*
 * bpf.fib_lookup: a BPF program asks for the route of an address, in a network of its own with forwarding on. prefixes=0: an
 * address of this host, which is not forwarded; else one of so many drawn routes, which lead nowhere: a lookup that missed them
 * would answer something else. Where forwarding is off the helper returns at once and would look three times as fast: the return
 * code of every run is compared.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <kbench_bpf.h>
#include <kbench_channel.h>

#define PREFIXES_MAX 65536u
#define QUESTION (-80)          /* where struct bpf_fib_lookup lies in the stack */
#define LOOPBACK 1              /* its index in every network */
#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define ZERO(offset) KB_BPF_STORE_NUMBER(BPF_DW, BPF_REG_10, QUESTION + (offset), 0)
#define FIELD(name) (QUESTION + (int)offsetof(struct bpf_fib_lookup, name))

static int forward(struct kb_run *run)
{
	int fd = open("/proc/sys/net/ipv4/ip_forward", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "1", 1) != 1)
		return kb_skip(run, "cannot switch forwarding on in a network of its own: %s", strerror(errno));
	close(fd);
	return 0;
}

/* The map of the addresses that are asked for; their number is a power of two. */
static int addresses(struct kb_run *run, uint32_t prefixes, int *map)
{
	static uint32_t all[PREFIXES_MAX];
	uint32_t count = prefixes ? prefixes : 1;
	int error = kb_bpf_map(run, map, BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(uint32_t), count);

	all[0] = htonl(INADDR_LOOPBACK);
	error = error ? error : kb_bpf_routes(run, all, prefixes);
	for (uint32_t i = 0; i < count && !error; i++)
		error = kb_bpf_map_set(*map, &i, &all[i]) ? kb_fail(run, EPROTO, "an address") : 0;
	return error;
}

static int load(struct kb_run *run, int map, uint32_t count, int expected)
{
	const struct bpf_insn body[] = {
		KB_BPF_ALU(BPF_MUL, BPF_REG_8, 0x61c88647), KB_BPF_COPY(BPF_REG_9, BPF_REG_8), KB_BPF_ALU(BPF_RSH, BPF_REG_9, 7),
		KB_BPF_ALU_BY(BPF_XOR, BPF_REG_9, BPF_REG_8), KB_BPF_ALU(BPF_AND, BPF_REG_9, count - 1),
		KB_BPF_STORE(BPF_W, BPF_REG_10, -4, BPF_REG_9), KB_BPF_COPY(BPF_REG_2, BPF_REG_10),
		KB_BPF_ALU(BPF_ADD, BPF_REG_2, -4),
		KB_BPF_MAP(BPF_REG_1, map), KB_BPF_CALL(BPF_FUNC_map_lookup_elem), KB_BPF_JUMP(BPF_JEQ, BPF_REG_0, 0, 18),
		KB_BPF_LOAD(BPF_W, BPF_REG_9, BPF_REG_0, 0),
		ZERO(0), ZERO(8), ZERO(16), ZERO(24), ZERO(32), ZERO(40), ZERO(48), ZERO(56),
		KB_BPF_STORE_NUMBER(BPF_B, BPF_REG_10, FIELD(family), 2 /* AF_INET */),
		KB_BPF_STORE_NUMBER(BPF_W, BPF_REG_10, FIELD(ifindex), LOOPBACK),
		KB_BPF_STORE(BPF_W, BPF_REG_10, FIELD(ipv4_dst), BPF_REG_9),
		KB_BPF_COPY(BPF_REG_1, BPF_REG_6), KB_BPF_COPY(BPF_REG_2, BPF_REG_10), KB_BPF_ALU(BPF_ADD, BPF_REG_2, QUESTION),
		KB_BPF_SET(BPF_REG_3, sizeof(struct bpf_fib_lookup)), KB_BPF_SET(BPF_REG_4, 0), KB_BPF_CALL(BPF_FUNC_fib_lookup),
	};
	struct bpf_insn none[COUNT(body)];

	/* The base asks the same and does not call: its answer stands in the program. */
	memcpy(none, body, sizeof body);
	none[COUNT(body) - 1] = (struct bpf_insn)KB_BPF_SET(BPF_REG_0, expected);
	return kb_bpf_load(run, (struct kb_bpf_body){ body, COUNT(body) }, (struct kb_bpf_body){ none, COUNT(body) }, expected);
}

static int setup(struct kb_run *run)
{
	uint32_t prefixes = (uint32_t)kb_param_number(run, "prefixes");
	int map, error = kb_private(run, KB_PRIVATE_NETWORK);

	if (prefixes & (prefixes - 1))
		return kb_fail(run, EINVAL, "prefixes=%u is no power of two", prefixes);
	error = error ? error : forward(run);
	error = error ? error : addresses(run, prefixes, &map);
	if (error)
		return error;
	return load(run, map, prefixes ? prefixes : 1, prefixes ? BPF_FIB_LKUP_RET_BLACKHOLE : BPF_FIB_LKUP_RET_NOT_FWDED);
}

KB_BENCHMARK(
	.summary = "bpf_fib_lookup in a BPF program (batch mean)", .per = "lookup", .suite = KB_FULL,
	.portability = KB_PLATFORM, .assumes = "a lookup in a batch costs as much as a single one",
	.max_n = 1 << 24, .needs = KB_NEED_ROOT,
	.params = { { "prefixes", "routes to choose from, a power of two; 0: this host's address", KB_NUMBER, "0,1024;65536",
		0, PREFIXES_MAX, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 } },
	.setup = setup, .op = kb_bpf_op, .base = kb_bpf_base, .check = kb_bpf_check,
	.base_does = "runs the same program without the call",
);
