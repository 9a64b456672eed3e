/*
 * The root server: the first and only program that the kernel starts. It measures one benchmark by one method, prints one record
 * and the original's table, and ends the machine. It computes nothing from what it measured.
 */
#include "timed_loop.h"
#include "base/crc32.h"
#include "measure/emulation.h"

struct kb_root kb_root;
uint64_t kb_table[KB_TABLE_CELLS], kb_starts[KB_TABLE_CELLS], kb_samples[KB_SAMPLES_MAX];

/* Set by the link script: the code of this program. */
extern const unsigned char kb_code_start[], kb_code_end[];

static void put_word(struct kb_root *root, const char *word, const char *name, const char *value)
{
	char line[160];
	struct kb_text text = kb_text_in(line, sizeof line);

	kb_text_str(&text, name);
	kb_text_str(&text, *name ? "=" : "");
	kb_text_str(&text, value);
	kb_record_line(&root->out, word, line);
}

static void put_number(struct kb_root *root, const char *word, const char *name, uint64_t value)
{
	char digits[24];
	struct kb_text text = kb_text_in(digits, sizeof digits);

	kb_text_u64(&text, value);
	put_word(root, word, name, digits);
}

static void put_method(struct kb_root *root)
{
	char line[120];
	struct kb_text text = kb_text_in(line, sizeof line);

	kb_text_str(&text, root->method);
	kb_text_str(&text, " seed=");
	kb_text_u64(&text, root->seed);
	kb_text_str(&text, " process=");
	kb_text_u64(&text, root->process);
	kb_text_str(&text, root->confidence[0] ? " confidence=" : "");
	kb_text_str(&text, root->confidence);
	if (root->probe > 0) {
		kb_text_str(&text, " probe=");
		kb_text_u64(&text, root->probe);
	}
	kb_record_line(&root->out, "method", line);
}

static void put_params(struct kb_root *root)
{
	const struct kb_param *params = root->loop->about->params;

	for (int i = 0; i < KB_PARAM_MAX && params[i].name; i++)
		put_word(root, "param", params[i].name, root->settings.text[i]);
	if (!kb_streq(root->method, "kanata"))
		return;
	put_number(root, "param", "init_test_size", root->init_test_size);
	put_number(root, "param", "delta", root->delta);
	put_number(root, "param", "group_size", root->group_size - root->skip);
	put_number(root, "param", "n_groups", root->n_groups);
}

static void put_clock(struct kb_root *root)
{
	char line[120];
	struct kb_text text = kb_text_in(line, sizeof line);

	kb_text_str(&text, root->clock.name);
	kb_text_str(&text, root->vouched ? " hz=" : "? hz=");
	kb_text_u64(&text, root->clock.hz);
	kb_text_str(&text, " quantum=");
	kb_text_u64(&text, root->clock.quantum);
	kb_text_str(&text, " cost=");
	kb_text_u64(&text, root->clock.cost);
	kb_text_str(&text, " ordered=1");
	kb_record_line(&root->out, "clock", line);
}

static void put_facts(struct kb_root *root)
{
	char hash[16];
	struct kb_text text = kb_text_in(hash, sizeof hash);

	kb_text_hex(&text, kb_crc32(0, kb_code_start, (size_t)(kb_code_end - kb_code_start)), 8);
	put_word(root, "env", "arch", KB_SEL4_ARCH);
	put_word(root, "env", "os", "seL4");
	put_word(root, "env", "counter", root->counter);
	put_word(root, "env", "mcs", KB_MCS ? "1" : "0");
	put_number(root, "env", "prio_low", root->party[KB_LOW].priority);
	put_number(root, "env", "prio_high", root->party[KB_HIGH].priority);
	put_number(root, "env", "prio_init", KB_PRIORITY_INIT);
	put_word(root, "env", "text_crc", hash);
	put_number(root, "env", "cores", root->info->numNodes);
	if (root->probe > 0)
		put_number(root, "env", "probe_loop", kb_contention_instructions());
	put_word(root, "env", "tracks", KB_HAS_UTILISATION ? "utilisation" : KB_HAS_LOG ? "log" : "nothing");
}

/* What these ticks are worth where that is not given. */
static void put_doubts(struct kb_root *root)
{
	if (root->monitor[0])
		put_word(root, "env", "hypervisor", root->monitor);
	if (root->emulated)
		put_word(root, "note", "", "emulated_clock \"TCG of QEMU runs this machine\"");
	if (!root->vouched)
		put_word(root, "note", "", "clock_unknown \"cycles of a board's core, or an emulator's instructions or time\"");
}

static void put_header(struct kb_root *root)
{
	put_word(root, "bench", "", root->loop->about->name);
	put_word(root, "per", "", root->way != KB_BOTH ? "one-way" : root->loop->about->per);
	put_method(root);
	put_params(root);
	put_clock(root);
	put_facts(root);
	put_doubts(root);
	kb_request_lines(root);
	kb_tracking_claims(root);
	put_word(root, "bound", "", "kernel");
}

/* A counter of cycles counts something else in an emulator, and cannot tell which: the request has to. */
static void name_clock(struct kb_root *root)
{
	bool first = kb_streq(root->counter, KB_SEL4_CLOCK), given = root->clock_name[0];
	bool counted = first && kb_streq(root->clock_name, "icount");

	if (given && !counted && !kb_streq(root->clock_name, root->counter))
		kb_wrong("clock", kb_streq(root->counter, "rdtime") ? "the request has another, and only rdtime can be read here" :
			 "the request has another: icount, or this kernel's own " KB_SEL4_CLOCK);
	kb_machine_monitor(root->monitor);
	root->emulated = !counted && kb_streq(root->monitor, "TCGTCGTCGTCG");
	root->vouched = given || !first || !KB_SEL4_COUNTS_CYCLES;
	/* The hz that the boot information has belongs to the processor's own counter, not to a count of instructions. */
	root->clock = (struct kb_clock){
		.name = counted ? root->clock_name : root->counter, .begin = kb_sel4_clock, .end = kb_sel4_clock,
		.hz = counted || root->emulated ? 0 : kb_machine_hz(root->info), .ordered = true, .ladder_ok = true,
	};
}

static void open_clock(struct kb_root *root)
{
	if (kb_streq(KB_SEL4_CLOCK, "none"))
		kb_unfit("a kernel that lets user space read a counter: EXPORT_PMU_USER, or EXPORT_VCNT_USER");
	root->counter = KB_SEL4_CLOCK;
	kb_machine_start();
	/* The guard changes the counter where this is a fault. */
	(void)kb_sel4_clock();
	kb_clobber();
	name_clock(root);
	if (kb_clock_measure(&root->clock))
		kb_unfit("the clock stands still or steps back");
}

/* A probe tells a neighbour on the core by time, so a clock that counts something else has none, nor one that nobody vouches for;
   between the tests of the other methods nothing runs that is not theirs. */
static void choose_probe(struct kb_root *root)
{
	if (!root->asks_probe || !root->vouched || root->emulated || !kb_streq(root->method, "slope") ||
	    kb_streq(root->clock.name, KB_CLOCK_ICOUNT))
		return;
	kb_clock_examine(&root->clock, KB_SEL4_WORK);
	if (root->clock.counts == KB_COUNTS_TIME)
		root->probe = kb_contention_loops(&root->clock);
}

static void check_needs(unsigned needs)
{
	if (needs & KB_NEED_MCS && !KB_MCS)
		kb_unfit("a kernel with KERNEL_MCS");
	if (needs & KB_NEED_NULL_CALL && !KB_HAS_NULL_CALL)
		kb_unfit("a kernel whose KERNEL_BENCHMARK is not none");
}

static void set_up(struct kb_root *root)
{
	const struct kb_timed_loop *loop;

	kb_request_read(root);
	loop = root->loop;
	root->needs = loop->needs;
	root->entries = loop->entries;
	root->switches = loop->switches;
	root->low_priority = KB_PRIORITY_LOW;
	root->high_priority = KB_PRIORITY_HIGH;
	if (loop->choose)
		loop->choose(root);
	root->alone |= !loop->high && root->high_priority < root->low_priority;
	check_needs(root->needs);
	kb_threads_make(root);
	open_clock(root);
	choose_probe(root);
	if (loop->setup)
		loop->setup(root);
	kb_log_open(root);
}

void kb_root_main(const seL4_BootInfo *info)
{
	struct kb_root *root = &kb_root;

	root->info = info;
	kb_threads_init(root);
	kb_objects_open(root);

	seL4_CPtr slots = kb_slot(root);

	for (unsigned i = 1; i < KB_MACHINE_SLOTS; i++)
		(void)kb_slot(root);
	KB_MUST(kb_machine_open(slots));
	kb_record_begin(&root->out, kb_output_sink());
	set_up(root);
	put_header(root);
	kb_method_run(root);
	kb_record_end(&root->out);
	if (root->out.error)
		kb_wrong("record", "does not fit into the memory that is kept for it");
	if (!root->print_record)
		kb_output_drop();
	if (root->print_table && kb_streq(root->method, "kanata"))
		kb_output_table(root);
	kb_finish(KB_STATUS_COMPLETE);
}
