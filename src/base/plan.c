/*
 * Plan lines. A collector obeys them blindly, so whatever is not exactly a plan is refused here.
 */
#include "base/plan.h"
#include "base/error.h"

/* One step, a letter and perhaps a number. p, c and q take no number: a q of 5 would be an o without its base. */
static int parse_step(struct kb_span word, struct kb_step *step)
{
	struct kb_span digits = { word.at + 1, word.length - 1 };

	step->kind = (enum kb_step_kind)word.at[0];
	switch (step->kind) {
	case KB_STEP_OP:
	case KB_STEP_BASE:
		/* A sample of no operations has no cost for one. */
		return kb_span_u64(digits, &step->n) && step->n > 0 ? 0 : -KB_EINVAL;
	case KB_STEP_PROBE:
	case KB_STEP_CLOCK:
		step->n = 0;
		return digits.length == 0 ? 0 : -KB_EINVAL;
	case KB_STEP_SINGLE:
		step->n = 1;
		return digits.length == 0 ? 0 : -KB_EINVAL;
	}
	return -KB_EINVAL;
}

/* A number of tests behind its letter. */
static bool parse_tests(struct kb_span word, char letter, unsigned *tests)
{
	uint64_t number;

	if (word.length == 0 || word.at[0] != letter || !kb_span_u64((struct kb_span){ word.at + 1, word.length - 1 }, &number) ||
	    number > KB_GROUP_TESTS_MAX)
		return false;
	*tests = (unsigned)number;
	return true;
}

/* "w2 t30": both are always there, so that a group has one spelling. */
static bool parse_group(struct kb_span *line, struct kb_block *block)
{
	return parse_tests(kb_span_word(line), 'w', &block->skip) && parse_tests(kb_span_word(line), 't', &block->tests) &&
	       block->tests > 0 && block->skip + block->tests <= KB_GROUP_TESTS_MAX;
}

/* "probe=560" before the first step. True: the word was that; of what is wrong in it *error tells. */
static bool parse_probe(struct kb_span word, struct kb_block *block, int *error)
{
	struct kb_span key, value;

	if (block->count > 0 || block->probe > 0 || !kb_span_pair(word, &key, &value) || !kb_span_is(key, "probe"))
		return false;
	*error = kb_span_u64(value, &block->probe) && block->probe > 0 ? 0 : -KB_EINVAL;
	return true;
}

static int parse_steps(struct kb_span line, struct kb_block *block)
{
	struct kb_span word;
	int error = 0;

	block->count = 0;
	block->probe = 0;
	for (word = kb_span_word(&line); word.length > 0; word = kb_span_word(&line)) {
		if (parse_probe(word, block, &error))
			continue;
		if (block->count == KB_BLOCK_STEPS_MAX || parse_step(word, &block->steps[block->count]))
			return -KB_EINVAL;
		block->count++;
	}
	if (block->tests > 0 && (block->count != 1 || block->steps[0].kind != KB_STEP_OP || block->probe > 0))
		return -KB_EINVAL;
	return block->count > 0 ? error : -KB_EINVAL;
}

int kb_plan_parse(struct kb_span line, struct kb_block *block)
{
	struct kb_span word;

	/* Longer than any line that kb_plan_format can write: not from a planner of ours. */
	if (line.length >= KB_PLAN_LINE_MAX)
		return -KB_EINVAL;
	word = kb_span_word(&line);
	bool group = kb_span_is(word, "group");

	block->warm = kb_span_is(word, "warm");
	block->skip = block->tests = 0;
	if (!block->warm && !group && !kb_span_is(word, "block"))
		return -KB_EINVAL;
	if (!kb_span_u64(kb_span_word(&line), &block->index))
		return -KB_EINVAL;
	if (group && !parse_group(&line, block))
		return -KB_EINVAL;
	return parse_steps(line, block);
}

void kb_plan_format(struct kb_text *text, const struct kb_block *block)
{
	kb_text_str(text, block->tests > 0 ? "group " : block->warm ? "warm " : "block ");
	kb_text_u64(text, block->index);
	if (block->tests > 0) {
		kb_text_str(text, " w");
		kb_text_u64(text, block->skip);
		kb_text_str(text, " t");
		kb_text_u64(text, block->tests);
	}
	if (block->probe > 0) {
		kb_text_str(text, " probe=");
		kb_text_u64(text, block->probe);
	}
	for (unsigned i = 0; i < block->count; i++) {
		const struct kb_step *step = &block->steps[i];
		char letter = (char)step->kind;

		kb_text_str(text, " ");
		kb_text_bytes(text, &letter, 1);
		if (step->kind == KB_STEP_OP || step->kind == KB_STEP_BASE)
			kb_text_u64(text, step->n);
	}
	kb_text_str(text, "\n");
}
