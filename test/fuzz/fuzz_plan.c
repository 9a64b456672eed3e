/* Any bytes as a plan line: what is accepted must fit into a line again and read back as the same block. */
#include "fuzz.h"

#include "base/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kb_block block, back;
	char line[KB_PLAN_LINE_MAX];
	struct kb_text text = kb_text_in(line, sizeof(line));

	if (kb_plan_parse((struct kb_span){ (const char *)data, size }, &block))
		return 0;
	require(block.count > 0 && block.count <= KB_BLOCK_STEPS_MAX);
	kb_plan_format(&text, &block);
	require(!text.cut && line[text.used - 1] == '\n');
	require(kb_plan_parse((struct kb_span){ line, text.used - 1 }, &back) == 0);
	require(block.skip + block.tests <= KB_GROUP_TESTS_MAX && back.skip == block.skip && back.tests == block.tests);
	require(back.warm == block.warm && back.probe == block.probe && back.index == block.index && back.count == block.count);
	for (unsigned i = 0; i < block.count; i++)
		require(back.steps[i].kind == block.steps[i].kind && back.steps[i].n == block.steps[i].n);
	return 0;
}
