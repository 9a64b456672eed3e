/* See bpf.h: the reasons, which need no library. */
#define _GNU_SOURCE
#include "trace/bpf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "env/source.h"
#include "lacking.h"

const char *kb_bpf_errno_name(int error)
{
	static char number[16];

	snprintf(number, sizeof number, "error %d", error);
	return strerrorname_np(error) ?: number;
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
	case EMFILE:
	case ENFILE: return kb_lack(error);
	case EADDRNOTAVAIL: return "no traceable function at this place: it was inlined, or the kernel protects it";
	default: return "not foreseen";
	}
}

int kb_bpf_refuse(struct kb_bpf_refusal *refusal, int error, const char *why, const char *what, ...)
{
	struct kb_fact_source machine = { "" };
	char lockdown[32];
	bool read = kb_source_choice(&machine, "/sys/kernel/security/lockdown", lockdown, sizeof lockdown);
	va_list arguments;

	refusal->error = error < 0 ? -error : error;
	va_start(arguments, what);
	vsnprintf(refusal->what, sizeof refusal->what, what, arguments);
	va_end(arguments);
	snprintf(refusal->why, sizeof refusal->why, "%s",
		 why ? why : kb_bpf_why(refusal->error, geteuid() == 0, read ? lockdown : NULL));
	return -refusal->error;
}

const char *kb_bpf_refusal_text(const struct kb_bpf_refusal *refusal)
{
	static char text[400];

	snprintf(text, sizeof text, "%s: %s: %s", refusal->what, kb_bpf_errno_name(refusal->error), refusal->why);
	return text;
}
