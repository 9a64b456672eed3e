/* See func.h: a build without BPF; kb_func_begin refuses before anything here is called. */
#include "trace/func/func.h"

#include <errno.h>

/* Nothing here looks at what it is given. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

int kb_func_begin(struct kb_bpf_refusal *refusal)
{
	return kb_bpf_refuse(refusal, ENOTSUP,
		"this kbench was built without BPF: install clang, bpftool and libbpf-dev, run configure, build", "BPF");
}

int kb_func_open(struct kb_func_tracer **tracer, const struct kb_func_target *target, enum kb_func_route route,
		 const struct kb_func_wish *wish, struct kb_bpf_refusal *refusal)
{
	return kb_func_begin(refusal);
}

void kb_func_switch(struct kb_func_tracer *tracer, bool on)
{
}

int kb_func_aside(struct kb_func_tracer *tracer, bool aside)
{
	return -ENOTSUP;
}

bool kb_func_full(const struct kb_func_tracer *tracer)
{
	return false;
}

unsigned kb_func_watched(const struct kb_func_tracer *tracer, struct kb_bpf_refusal *refusal)
{
	kb_func_begin(refusal);
	return 0;
}

int kb_func_take(struct kb_func_tracer *tracer, struct kb_func_log *log)
{
	return -ENOTSUP;
}

void kb_func_close(struct kb_func_tracer *tracer)
{
}

int kb_func_null_open(struct kb_func_tracer **tracer, enum kb_func_route route, uint32_t calls, bool tallied,
		      struct kb_bpf_refusal *refusal)
{
	*tracer = NULL;
	return kb_func_begin(refusal);
}

int kb_func_null_call(struct kb_func_tracer *tracer, uint32_t calls)
{
	return -ENOTSUP;
}

int kb_func_list(const char *pattern, void (*found)(void *context, const char *name, const char *module), void *context,
		 struct kb_bpf_refusal *refusal)
{
	return kb_func_begin(refusal);
}
