/* How a boot ends: with a whole record, or with one line that has the error, and always with a status for QEMU. */
#include "root.h"
#include "base/error.h"

static const char *const errors[] = {
	"no error", "invalid argument", "invalid capability", "illegal operation", "range error", "alignment error", "failed lookup",
	"truncated message", "delete first", "revoke first", "not enough memory",
};

void kb_finish(enum kb_root_status status)
{
	kb_output_flush();
	if (!kb_root.leave)
		kb_machine_exit(status);
	(void)seL4_TCB_Suspend(seL4_CapInitThreadTCB);
	/* This was the guard. */
	kb_loop_parked(&kb_root);
	__builtin_unreachable();
}

/* The record so far stays, so that one sees how far it came. */
static void fail(const char *stage, int error, const char *text)
{
	if (!kb_root.out.sink.write)
		kb_record_begin(&kb_root.out, kb_output_sink());
	kb_record_fail(&kb_root.out, stage, error, text);
}

/* The text of the call without its arguments: what KB_MUST has is all of it. */
static void put_call(struct kb_text *text, const char *call)
{
	size_t length = 0;

	while (call[length] && call[length] != '(')
		length++;
	kb_text_bytes(text, call, length);
}

void kb_broken(const char *call, seL4_Word error)
{
	char line[160];
	struct kb_text text = kb_text_in(line, sizeof line);

	put_call(&text, call);
	kb_text_str(&text, ": ");
	kb_text_str(&text, error < sizeof errors / sizeof errors[0] ? errors[error] : "unknown error");
	kb_text_str(&text, " (");
	kb_text_u64(&text, error);
	kb_text_str(&text, ") in ");
	kb_text_str(&text, call);
	fail("call", KB_EIO, line);
	kb_finish(KB_STATUS_FAILED);
}

void kb_wrong(const char *stage, const char *text)
{
	fail(stage, KB_EINVAL, text);
	kb_finish(KB_STATUS_FAILED);
}

static const char *fault_name(seL4_Word label)
{
	static const struct { seL4_Word label; const char *name; } names[] = {
		{ seL4_Fault_CapFault, "capability fault" }, { seL4_Fault_VMFault, "page fault" },
		{ seL4_Fault_UserException, "exception" }, { seL4_Fault_UnknownSyscall, "unknown system call" },
	};

	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (names[i].label == label)
			return names[i].name;
	}
	return "fault";
}

void kb_faulted(const struct kb_root *root)
{
	static const char *const who[] = { [KB_LOW] = "Low: ", [KB_HIGH] = "High: ", [KB_GUARD] = "guard: ", [KB_PARTIES] = "init: " };
	char line[160];
	struct kb_text text = kb_text_in(line, sizeof line);

	kb_text_str(&text, who[(root->fault.badge - KB_FAULT_BADGE) % (KB_PARTIES + 1)]);
	kb_text_str(&text, fault_name(root->fault.label));
	kb_text_str(&text, " at 0x");
	kb_text_hex(&text, root->fault.word[0], 1);
	kb_text_str(&text, ", 0x");
	kb_text_hex(&text, root->fault.word[1], 1);
	fail("op", KB_EIO, line);
	kb_finish(KB_STATUS_FAILED);
}

void kb_unfit(const char *what)
{
	if (!kb_root.out.sink.write)
		kb_record_begin(&kb_root.out, kb_output_sink());
	kb_record_note(&kb_root.out, "need_unmet", what);
	fail("setup", KB_ENOSYS, what);
	kb_finish(KB_STATUS_UNFIT);
}
