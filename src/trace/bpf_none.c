/* See bpf.h: a build without libbpf, bpftool or clang for BPF. */
#include "trace/bpf.h"

#include <errno.h>

/* Nothing here looks at what it is given. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

int kb_bpf_begin(struct kb_bpf_refusal *refusal)
{
	return kb_bpf_refuse(refusal, ENOTSUP,
		"this kbench was built without BPF: install clang, bpftool and libbpf-dev, run configure, build", "BPF");
}

void *kb_bpf_map_memory(struct bpf_map *map, size_t bytes)
{
	errno = ENOTSUP;
	return NULL;
}

uint64_t kb_bpf_missed(const struct bpf_program *program)
{
	return 0;
}
