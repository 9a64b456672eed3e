/*
 * The request: the lines of the parameter block, which the host writes into the image. Without a host it asks for the
 * source document's own first run. Whatever is wrong with a line ends the boot with the words of that line.
 */
#include "timed_loop.h"

/* volatile: the compiler must not believe the text that it sees here. used: nothing else keeps the section. */
extern const volatile struct kb_boot_text kb_boot_text;
__attribute__((section(".kb_params"), used, aligned(16))) const volatile struct kb_boot_text kb_boot_text = {
	.magic = KB_BOOT_MAGIC, .version = KB_BOOT_VERSION, .room = KB_BOOT_ROOM, .text = "bench signal\nmethod kanata\n",
};

static struct kb_span take_line(struct kb_span *rest)
{
	size_t length = 0;

	while (length < rest->length && rest->at[length] != '\n')
		length++;

	struct kb_span line = { rest->at, length };

	length += length < rest->length;
	*rest = (struct kb_span){ rest->at + length, rest->length - length };
	return line;
}

static void __attribute__((noreturn)) refuse(struct kb_span line, const char *why)
{
	char buffer[200];
	struct kb_text text = kb_text_in(buffer, sizeof buffer);

	kb_text_str(&text, why);
	kb_text_str(&text, ": ");
	kb_text_bytes(&text, line.at, line.length);
	kb_wrong("request", buffer);
}

static void copy_word(char *to, size_t room, struct kb_span word)
{
	struct kb_text text = kb_text_in(to, room);

	kb_text_bytes(&text, word.at, word.length);
}

/* ---- lines ---------------------------------------------------------------------------------------------- */

/* "signal" and "sel4.signal" are the same. */
static bool is_named(const struct kb_timed_loop *loop, struct kb_span name)
{
	const char *own = loop->about->name;

	return kb_span_is(name, own) || kb_span_is(name, own + sizeof "sel4." - 1);
}

static void take_bench(struct kb_root *root, struct kb_span line, struct kb_span rest)
{
	struct kb_span name = kb_span_word(&rest);

	for (unsigned i = 0; kb_timed_loops[i]; i++) {
		if (is_named(kb_timed_loops[i], name))
			root->loop = kb_timed_loops[i];
	}
	if (!root->loop)
		refuse(line, "this image has no such benchmark");
	kb_settings_default(&root->settings, root->loop->about);
}

static void take_param(struct kb_root *root, struct kb_span line, struct kb_span rest)
{
	struct kb_span name, value;
	char buffer[200];
	struct kb_text text = kb_text_in(buffer, sizeof buffer);

	if (!root->loop || !kb_span_pair(kb_span_word(&rest), &name, &value))
		refuse(line, "a parameter needs a benchmark before it and a value");
	if (kb_settings_set(&root->settings, name, value, &text))
		kb_wrong("request", buffer);
	root->chosen_calls |= kb_span_is(name, "wait");
}

struct number { const char *name; uint64_t *value; uint64_t max; };

static bool take_number(const struct number *numbers, unsigned count, struct kb_span name, struct kb_span value)
{
	uint64_t number;

	for (unsigned i = 0; i < count; i++) {
		if (kb_span_is(name, numbers[i].name) && kb_span_u64(value, &number) && number <= numbers[i].max) {
			*numbers[i].value = number;
			return true;
		}
	}
	return false;
}

/* Of both kinds of line: "method kanata seed=7 process=1 confidence=0.9" and "kanata group_size=30 ...". */
static void take_numbers(struct kb_root *root, struct kb_span line, struct kb_span rest)
{
	const struct number numbers[] = {
		{ "seed", &root->seed, UINT64_MAX }, { "process", &root->process, UINT64_MAX },
		{ "init_test_size", &root->init_test_size, 1u << 30 }, { "delta", &root->delta, 1u << 30 },
		{ "group_size", &root->group_size, KB_TABLE_CELLS }, { "n_groups", &root->n_groups, KB_TABLE_CELLS },
		{ "skip", &root->skip, KB_TABLE_CELLS },
		{ "samples", &root->samples_asked, KB_SAMPLES_MAX },
	};
	struct kb_span word;

	while ((word = kb_span_word(&rest)).length > 0) {
		struct kb_span name, value;

		if (!kb_span_pair(word, &name, &value))
			refuse(line, "no number of that name");
		if (kb_span_is(name, "confidence"))
			copy_word(root->confidence, sizeof root->confidence, value);
		else if (!take_number(numbers, sizeof numbers / sizeof numbers[0], name, value))
			refuse(line, "no such number, or out of its bounds");
	}
}

static void take_method(struct kb_root *root, struct kb_span line, struct kb_span rest)
{
	copy_word(root->method, sizeof root->method, kb_span_word(&rest));
	if (!kb_list_has("kanata,slope,single", root->method))
		refuse(line, "the methods are kanata, slope and single");
	take_numbers(root, line, rest);
}

static void take_setting(struct kb_root *root, struct kb_span line, struct kb_span name, struct kb_span value)
{
	if (kb_span_is(name, "clock") && value.length < sizeof root->clock_name) {
		copy_word(root->clock_name, sizeof root->clock_name, value);
	} else if (kb_span_is(name, "output") && (kb_span_is(value, "both") || kb_span_is(value, "record") ||
		   kb_span_is(value, "kanata"))) {
		root->print_record = !kb_span_is(value, "kanata");
		root->print_table = !kb_span_is(value, "record");
	} else if (kb_span_is(name, "counted") && (kb_span_is(value, "yes") || kb_span_is(value, "no"))) {
		root->counted = kb_span_is(value, "yes");
	} else if (kb_span_is(name, "probe") && (kb_span_is(value, "yes") || kb_span_is(value, "no"))) {
		root->asks_probe = kb_span_is(value, "yes");
	} else if (kb_span_is(name, "exit") && (kb_span_is(value, "qemu") || kb_span_is(value, "none"))) {
		root->leave = kb_span_is(value, "none");
	} else {
		refuse(line, "no such option, or no such value of it");
	}
}

static void take_settings(struct kb_root *root, struct kb_span line, struct kb_span rest)
{
	struct kb_span word;

	while ((word = kb_span_word(&rest)).length > 0) {
		struct kb_span name, value;

		if (!kb_span_pair(word, &name, &value))
			refuse(line, "an option is name=value");
		take_setting(root, line, name, value);
	}
}

static bool is_plan(struct kb_span word)
{
	return kb_span_is(word, "block") || kb_span_is(word, "warm") || kb_span_is(word, "group");
}

static void take(struct kb_root *root, struct kb_span line)
{
	static const struct { const char *word; void (*take)(struct kb_root *, struct kb_span, struct kb_span); } words[] = {
		{ "bench", take_bench }, { "param", take_param }, { "method", take_method }, { "kanata", take_numbers },
		{ "single", take_numbers }, { "set", take_settings },
	};
	struct kb_span rest = line, word = kb_span_word(&rest);

	if (word.length == 0 || kb_span_is(word, "line") || is_plan(word))
		return;         /* lines of their own use: kb_request_lines, kb_request_block */
	for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (kb_span_is(word, words[i].word)) {
			words[i].take(root, line, rest);
			return;
		}
	}
	refuse(line, "not a line that is known here");
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

static void set_defaults(struct kb_root *root)
{
	static const char kanata[] = "kanata";

	for (unsigned i = 0; i < sizeof kanata; i++)
		root->method[i] = kanata[i];
	root->init_test_size = root->delta = 1;
	root->group_size = 30;
	root->n_groups = 5;
	root->samples_asked = 110;
	root->print_record = root->print_table = true;
}

static bool is_on(const struct kb_root *root, const char *name, const char *value)
{
	int i = kb_param_index(root->loop->about, (struct kb_span){ name, kb_strlen(name) });

	return i >= 0 && kb_streq(root->settings.text[i], value);
}

/* The original called libsel4. */
static void choose_calls(struct kb_root *root)
{
	char ignored[64];
	struct kb_text error = kb_text_in(ignored, sizeof ignored);

	if (kb_streq(root->method, "kanata") && !root->chosen_calls && root->loop->low_libsel4)
		(void)kb_settings_set(&root->settings, (struct kb_span){ "wait", 4 }, (struct kb_span){ "libsel4", 7 }, &error);
}

static void check_numbers(const struct kb_root *root)
{
	if (root->init_test_size == 0 || root->group_size * root->n_groups == 0 || root->group_size * root->n_groups > KB_TABLE_CELLS)
		kb_wrong("request", "the table has 1 to 4096 tests, and a test at least one operation");
	if (root->skip >= root->group_size)
		kb_wrong("request", "skip leaves no test of a group");
	if (root->samples_asked == 0)
		kb_wrong("request", "samples=0: method single takes at least one");
}

void kb_request_read(struct kb_root *root)
{
	/* The block is read-only memory whose content the compiler does not know. */
	const char *text = (const char *)(uintptr_t)kb_boot_text.text;
	struct kb_span rest = { text, 0 };

	while (rest.length < KB_BOOT_ROOM && text[rest.length])
		rest.length++;
	root->text = rest;
	set_defaults(root);
	while (rest.length > 0)
		take(root, take_line(&rest));
	if (!root->loop)
		kb_wrong("request", "no benchmark is named");
	check_numbers(root);
	choose_calls(root);
	root->fpu_high = is_on(root, "fpu", "on");
	root->fpu_low = root->fpu_high || is_on(root, "fpu", "low");
	root->apart = is_on(root, "space", "other");
	root->way = is_on(root, "way", "there") ? KB_THERE : is_on(root, "way", "back") ? KB_BACK : KB_BOTH;
	root->registered = is_on(root, "ipcbuf", "registered");
	root->libsel4 = is_on(root, "wait", "libsel4");
}

bool kb_request_block(struct kb_root *root, struct kb_block *block)
{
	while (root->text.length > 0) {
		struct kb_span line = take_line(&root->text), rest = line;

		if (!is_plan(kb_span_word(&rest)))
			continue;
		if (kb_plan_parse(line, block))
			refuse(line, "not a line of a plan");
		return true;
	}
	return false;
}

void kb_request_lines(struct kb_root *root)
{
	struct kb_span all = root->text;

	while (all.length > 0) {
		struct kb_span rest = take_line(&all);
		char word[24], text[1024];

		if (!kb_span_is(kb_span_word(&rest), "line"))
			continue;
		copy_word(word, sizeof word, kb_span_word(&rest));
		while (rest.length > 0 && *rest.at == ' ')
			rest = (struct kb_span){ rest.at + 1, rest.length - 1 };
		copy_word(text, sizeof text, rest);
		kb_record_line(&root->out, word, text);
	}
}
