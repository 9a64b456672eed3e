/*
 * Boots the root server on the double: the first argument is a file with the lines that a host writes into the image, the second,
 * if there is one, a file for the trace of its system calls. Ends with the status that QEMU would have ended with.
 */
#include "kernel.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/boot_text.h"
#include "machine_io.h"

extern const volatile struct kb_boot_text kb_boot_text;
void kb_root_main(const seL4_BootInfo *info);

/* What the link script of the root server sets. Thread-local variables there are none. */
__asm__(".pushsection .rodata\n"
	".globl kb_thread_image, kb_thread_image_end, kb_thread_end, kb_code_start, kb_code_end\n"
	"kb_thread_image:\nkb_thread_image_end:\nkb_thread_end:\nkb_code_start:\n.ascii \"code\"\nkb_code_end:\n.popsection\n");

bool kb_double_counts_cycles;
static seL4_IPCBuffer buffer __attribute__((aligned(4096)));

/* ---- the machine ------------------------------------------------------------------------------------- */

int kb_machine_open(uint64_t slots)
{
	return slots >= FIRST_EMPTY ? 0 : seL4_InvalidArgument;
}

/* Kernels put a carriage return before each line feed. */
void kb_machine_put(char byte)
{
	if (byte == '\n')
		putchar('\r');
	putchar(byte);
}

void seL4_DebugPutChar(char c)
{
	kb_machine_put(c);
}

void kb_machine_exit(unsigned status)
{
	fflush(stdout);
	exit((int)status);
}

uint64_t kb_machine_hz(const void *boot_information)
{
	(void)boot_information;
	return 0;
}

void kb_machine_monitor(char name[KB_MONITOR_NAME])
{
	const char *monitor = getenv("KB_DOUBLE_MONITOR");

	snprintf(name, KB_MONITOR_NAME, "%s", monitor ? monitor : "");
}

/* What the processor refuses is a fault of the thread that runs. It may go on here once somebody mapped the page. */
static void refused(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	kb_enter(NULL);
	kb_fault(seL4_Fault_VMFault, 0, (seL4_Word)info->si_addr);
}

/* ---- boot -------------------------------------------------------------------------------------------- */

/* As the host does with an image: the text goes behind its magic, in memory that is otherwise only read. */
static void patch(const char *path)
{
	struct kb_boot_text *block = (struct kb_boot_text *)(uintptr_t)&kb_boot_text;
	uintptr_t page = (uintptr_t)block & ~4095ul;
	FILE *in = fopen(path, "r");
	size_t length;

	if (!in || memcmp(block->magic, KB_BOOT_MAGIC, sizeof block->magic) || block->version != KB_BOOT_VERSION) {
		fprintf(stderr, "double: cannot read %s, or the image has another block\n", path);
		exit(EXIT_MISUSE);
	}
	mprotect((void *)page, (uintptr_t)(block + 1) - page, PROT_READ | PROT_WRITE);
	length = fread(block->text, 1, sizeof block->text - 1, in);
	block->text[length] = '\0';
	fclose(in);
}

int main(int argc, char **argv)
{
	static seL4_BootInfo info = { .ipcBuffer = &buffer, .numNodes = 1 };

	if (argc > 1)
		patch(argv[1]);
	kb_no_clock = getenv("KB_DOUBLE_NO_CLOCK") != NULL;
	kb_clock_refused = kb_no_clock || getenv("KB_DOUBLE_NO_CYCLES");
	kb_double_counts_cycles = getenv("KB_DOUBLE_COUNTS_CYCLES") != NULL;
	kb_double_core = getenv("KB_DOUBLE_CORE") ? (unsigned)atoi(getenv("KB_DOUBLE_CORE")) : 0;
	kb_double_signal_more = getenv("KB_DOUBLE_SIGNAL") ? (unsigned)atoi(getenv("KB_DOUBLE_SIGNAL")) : 0;
	if (argc > 2)
		kb_trace = fopen(argv[2], "w");
	sigaction(SIGSEGV, &(struct sigaction){ .sa_sigaction = refused, .sa_flags = SA_SIGINFO | SA_NODEFER }, NULL);
	kb_objects_boot(&info);
	fputs("Booting all finished, dropped to user space\r\n", stdout);
	kb_start(kb_root_main, &info);
	return EXIT_MISUSE;
}
