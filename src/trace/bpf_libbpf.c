/* See bpf.h: with libbpf. */
#include "trace/bpf.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/* Its messages are for its developers; ours have what was refused and what to do. */
static int print_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

int kb_bpf_begin(struct kb_bpf_refusal *refusal)
{
	/* r0 = 0; exit */
	const struct bpf_insn nothing[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT } };
	int program;

	libbpf_set_print(print_nothing);
	/* Of tracing, which needs more rights than a socket's filter. */
	program = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "kb_nothing", "Dual MIT/GPL", nothing, 2, NULL);
	if (program < 0)
		return kb_bpf_refuse(refusal, program, NULL, "BPF programs for tracing");
	close(program);
	return 0;
}

void *kb_bpf_map_memory(struct bpf_map *map, size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return memory == MAP_FAILED ? NULL : memory;
}

uint64_t kb_bpf_missed(const struct bpf_program *program)
{
	struct bpf_prog_info info;
	uint32_t size = sizeof info;

	memset(&info, 0, sizeof info);
	return bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) ? 0 : info.recursion_misses;
}
