/*
 * The kernel's own log, where it is built with one: a large page that the kernel writes into. When all is measured it is printed
 * as it stands in memory, of method kanata all tests, of method slope the last; the host knows what the bytes mean.
 */
#include "timed_loop.h"

#define ADDRESS 0x40000000u
#define LOG_BYTES (1u << 20)            /* what the kernel uses of the page */
#define ROOM (LOG_BYTES / KB_LOG_ENTRY_BYTES)
#define LINE_BYTES 1536u                /* of the log in a line of the record: whole entries of either kind */

static uint64_t index, operations, tests;

void kb_log_open(struct kb_root *root)
{
	if (KB_HAS_LOG)
		KB_MUST(seL4_BenchmarkSetLogBuffer(kb_large_page(root, ADDRESS)));
}

bool kb_log_took(uint64_t entries, uint64_t operations_logged, uint64_t tests_logged)
{
	index = entries;
	operations = operations_logged;
	tests = tests_logged;
	return index < ROOM;
}

static void add(struct kb_text *text, const char *name, uint64_t value)
{
	kb_text_str(text, name);
	kb_text_u64(text, value);
}

/* The numbers of system calls are the kernel's: 4 bits of them are in an entry. */
static void add_calls(struct kb_text *text)
{
	static const struct { const char *name; long number; } calls[] = {
		{ "Call", seL4_SysCall }, { "ReplyRecv", seL4_SysReplyRecv }, { "Send", seL4_SysSend }, { "NBSend", seL4_SysNBSend },
		KB_SYSTEM_CALLS_MCS { "Recv", seL4_SysRecv }, { "NBRecv", seL4_SysNBRecv }, { "Yield", seL4_SysYield },
	};

	kb_text_str(text, " log_calls=");
	for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		add(text, i ? "," : "", (uint64_t)-calls[i].number);
		kb_text_str(text, ".");
		kb_text_str(text, calls[i].name);
	}
}

static void print_bytes(struct kb_root *root, const unsigned char *at, uint64_t count)
{
	char line[2 * LINE_BYTES + 16];
	struct kb_text text = kb_text_in(line, sizeof line);

	kb_text_str(&text, "log_raw=");
	for (uint64_t i = 0; i < count; i++)
		kb_text_hex(&text, at[i], 2);
	kb_record_line(&root->out, "env", line);
	/* A whole log is longer than what is kept of the record; nothing is measured any more. */
	kb_output_flush();
}

void kb_log_print(struct kb_root *root)
{
	uint64_t left = (index < ROOM ? index : ROOM) * KB_LOG_ENTRY_BYTES;
	const unsigned char *at = (const unsigned char *)(uintptr_t)ADDRESS;
	char line[240];
	struct kb_text text = kb_text_in(line, sizeof line);

	if (!KB_HAS_LOG || !root->print_record)
		return;
	kb_text_str(&text, "log=" KB_LOG_NAME);
	add(&text, " log_index=", index);
	add(&text, " log_room=", ROOM);
	add(&text, " log_circles=", operations);
	add(&text, " log_tests=", tests);
	/* Emptied before each test of a plan. */
	kb_text_str(&text, kb_streq(root->method, "slope") ? " log_of=last" : " log_of=all");
	add_calls(&text);
	kb_record_line(&root->out, "env", line);
	for (uint64_t count; left > 0; left -= count, at += count) {
		count = left < LINE_BYTES ? left : LINE_BYTES;
		print_bytes(root, at, count);
	}
}
