/*
 * bpf.map_lookup: a BPF program looks up keys of a full map, in an order that the processor does not foresee. Every value is
 * compared with its key. A lookup in an array is compiled into the program, without a call.
 */
#include <errno.h>

#include <kbench_bpf.h>

#define ENTRIES_MAX 1048576u

static int fill(struct kb_run *run, int map, uint32_t entries)
{
	for (uint32_t key = 0; key < entries; key++) {
		uint64_t value = key + UINT64_C(1);
		int error = kb_bpf_map_set(map, &key, &value);

		if (error)
			return kb_fail(run, -error, "putting key %u into the map", key);
	}
	return 0;
}

/* The run's number, scrambled, is the key: odd multiples modulo a power of two meet each key once in a round. */
static int load(struct kb_run *run, int map, uint32_t entries)
{
	const struct bpf_insn body[] = {
		KB_BPF_ALU(BPF_MUL, BPF_REG_8, 0x61c88647),
		KB_BPF_COPY(BPF_REG_9, BPF_REG_8),
		KB_BPF_ALU(BPF_RSH, BPF_REG_9, 7),
		KB_BPF_ALU_BY(BPF_XOR, BPF_REG_9, BPF_REG_8),
		KB_BPF_ALU(BPF_AND, BPF_REG_9, entries - 1),
		KB_BPF_STORE(BPF_W, BPF_REG_10, -4, BPF_REG_9),
		KB_BPF_COPY(BPF_REG_2, BPF_REG_10),
		KB_BPF_ALU(BPF_ADD, BPF_REG_2, -4),
		KB_BPF_MAP(BPF_REG_1, map),
		KB_BPF_CALL(BPF_FUNC_map_lookup_elem),
		KB_BPF_JUMP(BPF_JEQ, BPF_REG_0, 0, 2), /* not there: 0, not 1 */
		KB_BPF_LOAD(BPF_DW, BPF_REG_0, BPF_REG_0, 0),
		KB_BPF_ALU_BY(BPF_SUB, BPF_REG_0, BPF_REG_9),
	};
	struct bpf_insn none[sizeof body / sizeof body[0]];
	size_t keyed = 10, count = 0;   /* up to the map's address */

	/* The base makes the key, too. */
	for (; count < keyed; count++)
		none[count] = body[count];
	none[count++] = (struct bpf_insn)KB_BPF_SET(BPF_REG_0, 1);
	return kb_bpf_load(
		run, (struct kb_bpf_body){ body, sizeof body / sizeof body[0] }, (struct kb_bpf_body){ none, count }, 1);
}

static int setup(struct kb_run *run)
{
	uint32_t entries = (uint32_t)kb_param_number(run, "entries");
	bool array = kb_param_is(run, "map", "array");
	int map, error;

	if (entries & (entries - 1))
		return kb_fail(run, EINVAL, "entries=%u is no power of two", entries);
	error = kb_bpf_map(
		run, &map, array ? BPF_MAP_TYPE_ARRAY : BPF_MAP_TYPE_HASH, sizeof(uint32_t), sizeof(uint64_t), entries);
	error = error ? error : fill(run, map, entries);
	return error ? error : load(run, map, entries);
}

KB_BENCHMARK(
	.summary = "lookup in a BPF map (batch mean)", .per = "lookup", .suite = KB_FULL,
	.portability = KB_PLATFORM, .assumes = "a lookup in a batch costs as much as a single one",
	.max_n = 1 << 24, .needs = KB_NEED_ROOT,
	.params = { { "map", "kind", KB_CHOICE, "hash,array", .choices = "hash,array" },
		{ "entries", "in the map, a power of two", KB_NUMBER, "1024;65536", 1, ENTRIES_MAX, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 } },
	.setup = setup, .op = kb_bpf_op, .base = kb_bpf_base, .check = kb_bpf_check,
	.base_does = "runs the same program without the call",
);
