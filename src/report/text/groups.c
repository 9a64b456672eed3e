/* See groups.h. */
#include "report/text/groups.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Domains that answer one question stand together: a heading for each of them would be a third of the lines. */
static const struct { const char *heading, *domains; } groups[] = {
	{ "SYSTEM CALLS", "sys,vdso,uring" },
	{ "SIGNALS AND TIMERS", "sig,timer" },
	{ "PROCESSES AND THREADS", "proc,thread" },
	{ "SCHEDULING", "sched,ctx" },
	{ "IPC", "ipc" },
	{ "NETWORK", "net" },
	{ "VIRTUAL MEMORY", "fault,vm" },
	{ "FILES AND DISKS", "fs,disk" },
	{ "CPU", "cpu,core,atomic,clock" },
	{ "MEMORY", "mem,tlb" },
	{ "LIBRARY FUNCTIONS", "lib" },
	{ "BPF", "bpf" },
	{ "KERNEL FUNCTIONS", "kernel" },
	{ "SEL4", "sel4" },
	{ "MACHINE CODE", "yamba" },
	{ "PARAMETERS", "param" },
	{ "PLUG-INS", "plugin" },
	{ "", "self" },
	{ "OTHER", "" },
};

#define GROUPS (sizeof groups / sizeof groups[0])

const unsigned kb_group_count = GROUPS;

unsigned kb_group_of(const char *benchmark)
{
	char domain[32];
	unsigned group = 0;

	snprintf(domain, sizeof domain, "%.*s", (int)strcspn(benchmark, "."), benchmark);
	while (group < GROUPS - 1 && !kb_list_has(groups[group].domains, domain))
		group++;
	return group;
}

const char *kb_group_heading(unsigned group)
{
	return group < GROUPS ? groups[group].heading : "";
}

bool kb_is_self_test(const char *benchmark)
{
	return kb_group_heading(kb_group_of(benchmark))[0] == '\0';
}
