/*
 * What is printed is kept in memory until the last test is over: a byte on the console costs a system call or more, and would be
 * part of what the next test finds in the caches. Also the original's table, byte for byte.
 */
#include "root.h"

#define KEPT (640u << 10)

static char kept[KEPT];
static size_t used;

static int keep(void *context, const char *bytes, size_t count)
{
	(void)context;
	if (count > KEPT - used)
		return -KB_RECORD_LINE_MAX;
	for (size_t i = 0; i < count; i++)
		kept[used++] = bytes[i];
	return 0;
}

struct kb_sink kb_output_sink(void)
{
	return (struct kb_sink){ .write = keep };
}

void kb_output_str(const char *text)
{
	(void)keep(0, text, kb_strlen(text));
}

void kb_output_u64(uint64_t value)
{
	char digits[24];
	struct kb_text text = kb_text_in(digits, sizeof digits);

	kb_text_u64(&text, value);
	kb_output_str(digits);
}

void kb_output_drop(void)
{
	used = 0;
}

void kb_output_flush(void)
{
	for (size_t i = 0; i < used; i++)
		kb_machine_put(kept[i]);
	used = 0;
}

static void named(const char *name, uint64_t value)
{
	kb_output_str(name);
	kb_output_u64(value);
	kb_output_str("\n");
}

/* A blank ends the header line and every row, as the original has it; "clock cycles" whatever the clock was. */
void kb_output_table(const struct kb_root *root)
{
	named("Initial Test size: ", root->init_test_size);
	named("Delta: ", root->delta);
	named("Number of Tests / Sample size of Accumulated latency: ", root->group_size);
	named("Number of Groups: ", root->n_groups);
	kb_output_str("Accumulated latencies (clock cycles): \n");
	for (uint64_t k = 0; k < root->group_size; k++) {
		for (uint64_t j = 0; j < root->n_groups; j++) {
			kb_output_u64(kb_table[k * root->n_groups + j]);
			kb_output_str(" ");
		}
		kb_output_str("\n");
	}
	kb_output_str("\nDone!\n");
}
