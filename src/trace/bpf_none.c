/* See bpf.h: a build without libbpf, bpftool or clang for BPF. */
#include "trace/bpf.h"

#include <errno.h>

int kb_bpf_begin(struct kb_bpf_refusal *refusal)
{
	return kb_bpf_refuse(refusal, ENOTSUP,
		"this kbench was built without BPF: install clang, bpftool and libbpf-dev, run configure, build", "BPF");
}

void *kb_bpf_map_memory(struct bpf_map *map, size_t bytes)
{
	(void)map;
	(void)bytes;
	errno = ENOTSUP;
	return NULL;
}

uint64_t kb_bpf_missed(const struct bpf_program *program)
{
	(void)program;
	return 0;
}
