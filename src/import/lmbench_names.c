/* See lmbench.h: the names are those of lmbench's programs and of their arguments. */
#include "import/lmbench.h"

#include <ctype.h>
#include <string.h>

static const struct kb_lmbench_line lines[] = {
	{ "Simple syscall", "lat_syscall", "call=null", "call", 1 },
	{ "Simple read", "lat_syscall", "call=read", "call", 1 },
	{ "Simple write", "lat_syscall", "call=write", "call", 1 },
	{ "Simple stat", "lat_syscall", "call=stat", "call", 1 },
	{ "Simple fstat", "lat_syscall", "call=fstat", "call", 1 },
	{ "Simple open/close", "lat_syscall", "call=open", "file", 1 },
	{ "Select on # fd's", "lat_select", "fds=# kind=file", "call", 1 },
	{ "Select on # tcp fd's", "lat_select", "fds=# kind=tcp", "call", 1 },
	{ "Signal handler installation", "lat_sig", "op=install", "call", 1 },
	{ "Signal handler overhead", "lat_sig", "op=catch", "signal", 1 },
	{ "Protection fault", "lat_sig", "op=prot", "fault", 1 },
	{ "Pipe latency", "lat_pipe", "", "round-trip", 1 },
	{ "AF_UNIX sock stream latency", "lat_unix", "", "round-trip", 1 },
	{ "Fifo latency", "lat_fifo", "", "round-trip", 1 },
	{ "Semaphore latency", "lat_sem", "", "round-trip", 2 },
	{ "Fcntl lock latency", "lat_fcntl", "", "round-trip", 2 },
	{ "UDP latency using localhost", "lat_udp", "", "round-trip", 1 },
	{ "TCP latency using localhost", "lat_tcp", "", "round-trip", 1 },
	{ "TCP/IP connection cost to localhost", "lat_connect", "", "connection", 1 },
	{ "Process fork+exit", "lat_proc", "op=fork", "process", 1 },
	{ "Process fork+execve", "lat_proc", "op=exec", "program", 1 },
	{ "Process fork+/bin/sh -c", "lat_proc", "op=shell", "command", 1 },
	{ "Pagefaults on *", "lat_pagefault", "", "fault", 1 },
	{ "File * write bandwidth", "lmdd", "op=write", "MB", 1 },
	{ "AF_UNIX sock stream bandwidth", "bw_unix", "", "MB", 1 },
	{ "Pipe bandwidth", "bw_pipe", "", "MB", 1 },
	{ "integer bit", "lat_ops", "op=integer_bit", "instruction", 1 },
	{ "integer add", "lat_ops", "op=integer_add", "instruction", 1 },
	{ "integer mul", "lat_ops", "op=integer_mul", "instruction", 1 },
	{ "integer div", "lat_ops", "op=integer_div", "instruction", 1 },
	{ "integer mod", "lat_ops", "op=integer_mod", "instruction", 1 },
	{ "int64 bit", "lat_ops", "op=int64_bit", "instruction", 1 },
	{ "int64 add", "lat_ops", "op=int64_add", "instruction", 1 },
	{ "int64 mul", "lat_ops", "op=int64_mul", "instruction", 1 },
	{ "int64 div", "lat_ops", "op=int64_div", "instruction", 1 },
	{ "int64 mod", "lat_ops", "op=int64_mod", "instruction", 1 },
	{ "float add", "lat_ops", "op=float_add", "instruction", 1 },
	{ "float mul", "lat_ops", "op=float_mul", "instruction", 1 },
	{ "float div", "lat_ops", "op=float_div", "instruction", 1 },
	{ "double add", "lat_ops", "op=double_add", "instruction", 1 },
	{ "double mul", "lat_ops", "op=double_mul", "instruction", 1 },
	{ "double div", "lat_ops", "op=double_div", "instruction", 1 },
	{ "float bogomflops", "lat_ops", "op=float_bogomflops", "instruction", 1 },
	{ "double bogomflops", "lat_ops", "op=double_bogomflops", "instruction", 1 },
};

static const struct kb_lmbench_list lists[] = {
	{ "stride=", "lat_mem_rd", "", "load", KB_LMBENCH_LOADS, NULL },
	{ "Memory load latency", "lat_mem_rd", "", "load", KB_LMBENCH_LOADS, "forward" },
	{ "Random load latency", "lat_mem_rd", "", "load", KB_LMBENCH_LOADS, "random" },
	{ "size=", "lat_ctx", "", "switch", KB_LMBENCH_SWITCHES, NULL },
	{ "mappings", "lat_mmap", "", "call", KB_LMBENCH_TIMES, NULL },
	{ "File system latency", "lat_fs", "", "file", KB_LMBENCH_FILES, NULL },
	{ "Socket bandwidth using localhost", "bw_tcp", "", "chunk", KB_LMBENCH_RATES, NULL },
	{ "read bandwidth", "bw_file_rd", "mode=io_only", "chunk", KB_LMBENCH_RATES, NULL },
	{ "read open2close bandwidth", "bw_file_rd", "mode=open2close", "chunk", KB_LMBENCH_RATES, NULL },
	{ "Mmap read bandwidth", "bw_mmap_rd", "mode=mmap_only", "chunk", KB_LMBENCH_RATES, NULL },
	{ "Mmap read open2close bandwidth", "bw_mmap_rd", "mode=open2close", "chunk", KB_LMBENCH_RATES, NULL },
	{ "libc bcopy unaligned", "bw_mem", "op=bcopy", "chunk", KB_LMBENCH_RATES, NULL },
	{ "libc bcopy aligned", "bw_mem", "op=bcopy_conflict", "chunk", KB_LMBENCH_RATES, NULL },
	{ "unrolled bcopy unaligned", "bw_mem", "op=fcp", "chunk", KB_LMBENCH_RATES, NULL },
	{ "unrolled partial bcopy unaligned", "bw_mem", "op=cp", "chunk", KB_LMBENCH_RATES, NULL },
	{ "Memory bzero bandwidth", "bw_mem", "op=bzero", "chunk", KB_LMBENCH_RATES, NULL },
	{ "Memory read bandwidth", "bw_mem", "op=frd", "chunk", KB_LMBENCH_RATES, NULL },
	{ "Memory partial read bandwidth", "bw_mem", "op=rd", "chunk", KB_LMBENCH_RATES, NULL },
	{ "Memory write bandwidth", "bw_mem", "op=fwr", "chunk", KB_LMBENCH_RATES, NULL },
	{ "Memory partial write bandwidth", "bw_mem", "op=wr", "chunk", KB_LMBENCH_RATES, NULL },
	{ "Memory partial read/write bandwidth", "bw_mem", "op=rdwr", "chunk", KB_LMBENCH_RATES, NULL },
};

/* '#' is a number, which is kept in digits; '*' any word. */
static bool fits(const char *words, const char *name, char digits[16])
{
	for (; *words; words++) {
		if (*words == '#' && isdigit((unsigned char)*name)) {
			snprintf(digits, 16, "%.*s", (int)strspn(name, "0123456789"), name);
			name += strspn(name, "0123456789");
		} else if (*words == '*') {
			name += strcspn(name, " ");
		} else if (*words != *name++) {
			return false;
		}
	}
	return !*name;
}

const struct kb_lmbench_line *kb_lmbench_find_line(const char *name, char *params, size_t room)
{
	char digits[16] = "";

	params[0] = '\0';
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		const char *mark = strchr(lines[i].params, '#');

		if (!fits(lines[i].words, name, digits))
			continue;
		if (mark)
			snprintf(params, room, "%.*s%s%s", (int)(mark - lines[i].params), lines[i].params, digits, mark + 1);
		else
			snprintf(params, room, "%s", lines[i].params);
		return &lines[i];
	}
	return NULL;
}

const struct kb_lmbench_list *kb_lmbench_find_list(const char *heading)
{
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		size_t length = strlen(lists[i].words);
		bool open = lists[i].words[length - 1] == '=';

		if (open ? strncmp(heading, lists[i].words, length) == 0 : strcmp(heading, lists[i].words) == 0)
			return &lists[i];
	}
	return NULL;
}
