/*
 * A collector without an operating system's help: the freestanding core measures the chains of this architecture by
 * its own clock, and what it wrote must read back whole. Runs under an emulator, so no time is looked at.
 */
#include "arch/chain.h"
#include "kbench_code.h"
#include "base/crc32.h"
#include "measure/measure.h"
#include "stamp.h"

int kb_self_test(void);
const char *kb_instruction_fault(void);
const char *kb_stream_fault(void);
void kb_self_write(const char *bytes, size_t count);

static struct kb_measure measure;
static char record[1 << 16];
static struct kb_text text;

static int fail(const char *what)
{
	char line[200];
	struct kb_text out = kb_text_in(line, sizeof line);

	kb_text_str(&out, "self test: ");
	kb_text_str(&out, what);
	kb_text_str(&out, "\n");
	kb_self_write(line, out.used);
	return 1;
}

/* Lengths around the unrolling, where a wrong loop count shows. The load chain walks a ring of two pointers. */
static int chains_compute(void)
{
	static const uint64_t lengths[] = { 0, 1, 99, 100, 101, 250, 1000 };
	uintptr_t ring[2];
	uint32_t hash;

	ring[0] = (uintptr_t)&ring[1];
	ring[1] = (uintptr_t)&ring[0];
	for (unsigned chain = 0; chain < KB_CHAINS; chain++) {
		uint64_t start = chain == KB_CHAIN_LOAD ? (uintptr_t)ring : 7;

		for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
			if (kb_chain(chain, lengths[i], start, 3) != kb_chain_expect(chain, lengths[i], start, 3))
				return fail("a chain has a wrong result");
		}
		if (kb_chain_verify(chain, &hash))
			return fail("a chain is not what it claims to be");
	}
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	return kb_chain(KB_CHAIN_ADD, n, 0, 1) == n ? 0 : -5;
}

KB_BENCHMARK(.per = "add", .op = op);

static int sink(void *context, const char *bytes, size_t count)
{
	kb_text_bytes(context, bytes, count);
	return text.cut ? -5 : 0;
}

static int measures(void)
{
	static const char plan[] = "block 0 probe=20000 o300 b300 p c o600 q";
	static struct kb_block block;
	static struct kb_record_writer writer;
	static struct kb_probe probe;
	struct kb_run run = { .bench = &KB_SYMBOL };
	struct kb_clock clock = { .name = KB_ARCH_CLOCK, .begin = kb_stamp_begin, .end = kb_stamp_end };

	if (kb_plan_parse((struct kb_span){ plan, sizeof plan - 1 }, &block))
		return fail("the plan is refused");
	text = kb_text_in(record, sizeof record);
	kb_record_begin(&writer, (struct kb_sink){ sink, &text });
	measure.run = &run;
	measure.clock = &clock;
	measure.probe = &probe;
	measure.out = &writer;
	if (kb_measure_block(&measure, &block) || kb_record_end(&writer))
		return fail("the block cannot be measured");
	return 0;
}

static int reads_back(void)
{
	struct kb_record_reader reader;
	struct kb_line line;
	uint64_t operations = 0;
	bool probed = true;

	kb_record_open(&reader, record, text.used);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE) {
		operations += line.kind == KB_LINE_OBS && line.obs.role == KB_ROLE_OP ? line.obs.n : 0;
		probed &= line.kind != KB_LINE_OBS || (line.obs.around.before > 0 && line.obs.around.after > 0);
	}
	if (reader.state != KB_RECORD_WHOLE)
		return fail(kb_record_state_words(reader.state));
	if (!probed)
		return fail("a sample lies between no contention probes");
	return operations == 900 ? 0 : fail("observations are missing");
}

int kb_self_test(void)
{
	if (kb_crc32(0, "123456789", 9) != 0xcbf43926)
		return fail("crc32");
	if (chains_compute() || measures() || reads_back())
		return 1;

	/* The one architecture that has its chains and nothing else. */
	if (kb_streq(KB_ARCH_NAME, "x86_32"))
		return 0;
	const char *fault = kb_instruction_fault();

	if (!fault)
		fault = kb_stream_fault();
	return fault ? fail(fault) : 0;
}
