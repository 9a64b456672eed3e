/*
 * A crash of the operation. The handler only writes the raw program counter; the parent knows the crash from the wait
 * status and turns the number into a name with the `module` lines. What a Yamba program composed is known here alone: the
 * handler says who wrote the instruction, and its bytes, for the parent to disassemble.
 */
#define _GNU_SOURCE
#include "collect/linux/context.h"

#include <link.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "code/program.h"
#include "collect/linux/gate.h"
#include "evidence/proof.h"
#include "io.h"
#include "linux.h"

#define INSTRUCTION_MAX 16      /* bytes; x86 has up to 15 */

static struct kb_record_writer *record;
static int asked_to = -1;

/* ` code="C.touch(i=17) at +0xac (pf.yamba:94)" bytes=8a00` */
static void add_composed(struct kb_text *text, uintptr_t pc, uintptr_t stack)
{
	static struct kb_program_place place;   /* the stack of a handler is small */
	static char call[320];
	struct kb_text words = kb_text_in(call, sizeof call);

	if (kb_gates_fault(pc, stack, &words)) {
		kb_text_str(text, " code=");
		kb_text_quoted(text, call);
		return;
	}
	if (!kb_program_place((const void *)pc, &place))
		return;
	kb_text_str(text, " code=");
	kb_text_quoted(text, place.text);
	kb_text_str(text, " platform=");
	kb_text_str(text, place.platform);
	kb_text_str(text, " bytes=");
	for (size_t i = 0; i < place.rest && i < INSTRUCTION_MAX; i++)
		kb_text_hex(text, ((const uint8_t *)pc)[i], 2);
}

static void on_fault(int number, siginfo_t *info, void *state)
{
	char line[512];
	struct kb_text text = kb_text_in(line, sizeof line);
	uint64_t pc = KB_FAULT_PC((const ucontext_t *)state);

	(void)info;
	/* One that only watches has nothing to tell. */
	if (number == KB_WHERE_SIGNAL && kb_proof_child) {
		kill(kb_proof_child, number);
		return;
	}
	if (number == KB_WHERE_SIGNAL && asked_to >= 0) {
		kb_output_drop();
		dup2(asked_to, STDOUT_FILENO);
	}
	kb_text_str(&text, "signal=");
	kb_text_u64(&text, (uint64_t)number);
	kb_text_str(&text, " pc=0x");
	kb_text_hex(&text, pc, 1);
	add_composed(&text, (uintptr_t)pc, (uintptr_t)KB_FAULT_STACK((const ucontext_t *)state));
	kb_record_line(record, "fault", line);
	kb_output_flush();
	/* SA_RESETHAND restored the default action: the instruction faults again and the process dies by its signal. One that was only asked
	   where it is would go on. */
	if (number == KB_WHERE_SIGNAL)
		raise(number);
}

void kb_fault_asked_to(int fd)
{
	asked_to = fd;
}

void kb_fault_handlers(struct kb_record_writer *out)
{
	static const int numbers[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, KB_WHERE_SIGNAL };
	static char stack[65536]; /* a stack overflow is a crash too */
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = (int)(SA_SIGINFO | SA_RESETHAND | SA_ONSTACK) };

	record = out;
	sigaltstack(&alternate, NULL);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		sigaction(numbers[i], &action, NULL);
}

struct modules { struct kb_record_writer *out; const char *plugin; };

static int add_module(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct modules *modules = data;
	const char *name = info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";
	bool program = !info->dlpi_name[0];
	char line[512];

	(void)size;
	if (!program && !(modules->plugin && strstr(name, modules->plugin)))
		return 0;

	struct kb_text text = kb_text_in(line, sizeof line);

	kb_text_str(&text, program ? "program" : "plugin");
	kb_text_str(&text, " base=0x");
	kb_text_hex(&text, info->dlpi_addr, 1);
	kb_record_line(modules->out, "module", line);
	return 0;
}

void kb_record_modules(struct kb_record_writer *out, const char *plugin)
{
	const char *slash = plugin ? strrchr(plugin, '/') : NULL;
	struct modules modules = { out, slash ? slash + 1 : plugin };

	dl_iterate_phdr(add_module, &modules);
}
