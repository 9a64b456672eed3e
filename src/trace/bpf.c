/* See bpf.h: the words, which need no library. */
#define _GNU_SOURCE
#include "trace/bpf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "env/source.h"

const char *kb_bpf_errno_name(int error, char buffer[16])
{
	const char *name = strerrorname_np(error);

	if (name)
		return name;
	snprintf(buffer, 16, "error %d", error);
	return buffer;
}

const char *kb_bpf_why(int error, bool root, const char *lockdown)
{
	bool locked = lockdown && strcmp(lockdown, "none") != 0;

	switch (error) {
	case EPERM:
	case EACCES:
		if (!root)
			return "needs root, or the capabilities BPF and PERFMON";
		return locked ? "kernel lockdown: this kernel lets nobody patch its code or look into it"
			      : "refused although this is root: the policy of this machine (lockdown, a container's seccomp or a "
				"patched kernel)";
	case ESRCH:
		return "the kernel's type information (BTF) has no such function: 'kbench trace func --list PATTERN' lists them";
	case ENOENT: return "not in this kernel: built without KPROBES, or it has no such function or tracepoint";
	case EOPNOTSUPP: return "not in this kernel's configuration (function tracing)";
	case ENOSYS: return "a kernel without bpf()";
	case EINVAL:
		return "this kernel does not take it; the function may have no traceable entry, or the kernel is older than 5.12";
	case EBUSY: return "somebody else traces it in a way that excludes others";
	case E2BIG: return "too large: use a smaller --limit";
	case ENOMEM: return "no memory for the log: use a smaller --limit";
	case EADDRNOTAVAIL: return "no traceable function at this place: it was inlined, or the kernel protects it";
	default: return "not foreseen";
	}
}

int kb_bpf_refuse(struct kb_bpf_refusal *refusal, int error, const char *why, const char *facility, ...)
{
	struct kb_fact_source machine = { "" };
	char lockdown[32];
	bool read = kb_source_choice(&machine, "/sys/kernel/security/lockdown", lockdown, sizeof lockdown);
	va_list arguments;

	refusal->error = error < 0 ? -error : error;
	va_start(arguments, facility);
	vsnprintf(refusal->facility, sizeof refusal->facility, facility, arguments);
	va_end(arguments);
	snprintf(refusal->why, sizeof refusal->why, "%s",
		 why ? why : kb_bpf_why(refusal->error, geteuid() == 0, read ? lockdown : NULL));
	return -refusal->error;
}

void kb_bpf_refusal_line(const struct kb_bpf_refusal *refusal, char *line, size_t room)
{
	char name[16];

	snprintf(line, room, "%s: %s: %s", refusal->facility, kb_bpf_errno_name(refusal->error, name), refusal->why);
}
