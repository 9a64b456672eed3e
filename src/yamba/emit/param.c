/*
 * Params, in two tables: that of the run time, where the C compiler supplies types and sizes, and that of the benchmark, which
 * takes what the engine understands: whole numbers that are not negative, words, and lists of them (NAME_values). What
 * cannot be expressed there is "default", which leaves the param as it is.
 */
#include "yamba/emit/inside.h"
#include "yamba/front/c_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- enumerations -------------------------------------------------------------------------------------- */

/* At '{' of an enumeration. */
struct constants { struct kb_lexer lexer; unsigned depth; bool fresh; };

/* The next name of one; false behind the last. */
static bool next_constant(struct constants *constants, struct kb_span *name)
{
	bool found = false;

	do {
		const struct kb_token *token = &constants->lexer.token;

		constants->depth += kb_token_mark(token, '{') || kb_token_mark(token, '(');
		constants->depth -= kb_token_mark(token, '}') || kb_token_mark(token, ')');
		found = constants->fresh && token->kind == KB_TOKEN_NAME;
		if (found)
			*name = token->text;
		constants->fresh = constants->depth == 1 && (kb_token_mark(token, '{') || kb_token_mark(token, ','));
		kb_lexer_next(&constants->lexer);
	} while (!found && constants->depth && constants->lexer.token.kind != KB_TOKEN_END);
	return found;
}

/* `enum WORD {` or `enum [tag] { ... } WORD`; the lexer is at the brace then. */
static bool enumeration_at(struct kb_lexer *lexer, struct kb_span word)
{
	struct kb_lexer ahead;
	struct kb_span inside;
	bool tag = false;

	if (!kb_token_is(&lexer->token, "enum"))
		return false;
	kb_lexer_next(lexer);
	if (lexer->token.kind == KB_TOKEN_NAME) {
		tag = kb_span_equal(lexer->token.text, word);
		kb_lexer_next(lexer);
	}
	if (!kb_token_mark(&lexer->token, '{'))
		return false;
	ahead = *lexer;
	return tag || (kb_c_group(&ahead, &inside) && kb_span_equal(ahead.token.text, word));
}

/* Among the C text that the program takes in: that of its classes' files and what they transclude. */
static bool find_enumeration(struct kb_emit *e, struct kb_span word, struct kb_lexer *lexer)
{
	for (struct kb_yamba_source *source = e->yamba->sources; source; source = source->next) {
		for (const struct kb_c_text *text = source->mark == e->mark ? source->texts : NULL; text; text = text->next) {
			kb_lexer_start(lexer, source, NULL, text->text);
			lexer->skip_hash = true;
			while (lexer->token.kind != KB_TOKEN_END) {
				if (enumeration_at(lexer, word))
					return true;
				if (!kb_token_is(&lexer->token, "enum"))
					kb_lexer_next(lexer);
			}
		}
	}
	return false;
}

/* The last word of the type before the name: a tag, or the name of a type. */
static struct kb_span type_word(const struct kb_member *member)
{
	struct kb_lexer lexer;
	struct kb_span word = { member->type.at, 0 };

	kb_lexer_start(&lexer, member->owner->source, NULL, member->type);
	for (; lexer.token.kind != KB_TOKEN_END && lexer.token.text.at != member->name_at; kb_lexer_next(&lexer)) {
		if (lexer.token.kind == KB_TOKEN_NAME)
			word = lexer.token.text;
	}
	return word;
}

static enum kb_param_type type_of(const struct kb_emit *e, const struct kb_member *member)
{
	return kb_type_of_param(
		e->yamba->arena, (struct kb_typed){ member->owner->source, member->type, member->name_at });
}

static bool has_constants(struct kb_emit *e, const struct kb_member *member, struct kb_lexer *lexer)
{
	return type_of(e, member) == KB_PARAM_OTHER && find_enumeration(e, type_word(member), lexer);
}

/* ---- of the run time ----------------------------------------------------------------------------------- */

/* The first declaration counts: its comment describes the param. */
static bool is_param(const struct kb_emit *e, const struct kb_member *member)
{
	return member->kind == KB_MEMBER_DATA && member->param &&
		!(member->owner->base && kb_class_member(member->owner->base, member->name)) &&
		kb_class_member(e->instance->class, member->name);
}

static void emit_constant_table(struct kb_emit *e, const struct kb_member *member)
{
	struct constants constants = { .depth = 0 };
	struct kb_span name;

	if (!is_param(e, member) || !has_constants(e, member, &constants.lexer))
		return;
	kb_print(e, "static const struct kb_yamba_constant y_constants_%s[] = {\n", kb_c_name(e, e->instance, member));
	while (next_constant(&constants, &name))
		kb_print(e, "\t{ \"%.*s\", %.*s },\n", SPAN(name), SPAN(name));
	kb_print(e, "\t{ 0 }\n};\n\n");
}

static void emit_param(struct kb_emit *e, const struct kb_member *member)
{
	const char *name = kb_c_name(e, e->instance, member), *summary, *path;
	const struct kb_yamba_class *owner;
	const struct kb_member *last;
	struct kb_lexer lexer;

	if (!is_param(e, member))
		return;
	last = kb_class_member(e->instance->class, member->name);
	summary = kb_comment_text(e->yamba->arena, (member->comment.length ? member : last)->comment, false);
	path = kb_emit_path(e, e->source);
	kb_print(e, "\t{ .name = \"");
	if (!e->instance->program)
		kb_print(e, "%.*s.", SPAN(e->instance->class->name));
	kb_print(e, "%.*s\", .summary = ", SPAN(member->name));
	kb_put_text(e, summary);
	kb_print(e, ",\n\t  .class_name = \"%.*s\", .file = ", SPAN(member->owner->name));
	kb_put_text(e, path);
	kb_print(e, ", .line = %u,\n\t  .type = KB_YAMBA_TYPE_OF(%s), .bytes = sizeof %s, .set = %d, .at = (void *)&%s,",
		kb_emit_line(e, kb_member_place(member)), name, name, kb_data_init(e->instance, last, &owner).at != NULL, name);
	if (has_constants(e, member, &lexer))
		kb_print(e, " .constants = y_constants_%s,", name);
	kb_print(e, " },\n");
}

void kb_emit_params(struct kb_emit *e)
{
	kb_emit_all(e, emit_constant_table);
	kb_print(e, "static struct kb_yamba_param y_params[] = {\n");
	kb_emit_all(e, emit_param);
	kb_print(e, "\t{ 0 }\n};\n\n");
}

/* ---- of the benchmark ---------------------------------------------------------------------------------- */

/* Of a datum of the program. */
static bool literal(const struct kb_emit *e, const char *name, struct kb_span *text)
{
	const struct kb_member *member = kb_class_member(e->program, (struct kb_span){ name, strlen(name) });
	const struct kb_yamba_class *owner = NULL;
	struct kb_span init;

	*text = (struct kb_span){ "", 0 };
	if (!member || member->kind != KB_MEMBER_DATA)
		return false;
	init = kb_data_init(e->instance, member, &owner);
	return init.at && kb_c_literal(e->yamba, owner->source, init, text);
}

/* What may name a result: one word without commas. */
static bool is_word(struct kb_span text)
{
	for (size_t i = 0; i < text.length; i++) {
		if (text.at[i] <= ' ' || text.at[i] >= 0x7f || strchr(",\\;", text.at[i]))
			return false;
	}
	return text.length > 0 && text.length < 64;
}

/* The tokens of an init without blanks. */
static struct kb_span squeezed(const struct kb_emit *e, const struct kb_yamba_source *source, struct kb_span init)
{
	char *text = kb_arena_take(e->yamba->arena, init.length + 1);
	struct kb_lexer lexer;
	size_t length = 0;

	kb_lexer_start(&lexer, source, NULL, init);
	for (; init.at && lexer.token.kind != KB_TOKEN_END; kb_lexer_next(&lexer)) {
		memcpy(text + length, lexer.token.text.at, lexer.token.text.length);
		length += lexer.token.text.length;
	}
	return (struct kb_span){ text, length };
}

/* In the arena, ended by a null byte. */
static const char *digits_of(const struct kb_emit *e, struct kb_span text)
{
	char *digits = kb_arena_take(e->yamba->arena, text.length + 1);
	size_t length = 0;

	for (size_t i = 0; i < text.length; i++) {
		if (text.at[i] != '\'')
			digits[length++] = text.at[i];
	}
	return digits;
}

/* A number of C, with its suffix, which names no result. */
static bool whole_number(const struct kb_emit *e, struct kb_span text, unsigned long long *number)
{
	const char *digits = digits_of(e, text);
	char *end;

	errno = 0;
	*number = strtoull(digits, &end, 0);
	return kb_is_digit(digits[0]) && !errno && strspn(end, "uUlL") == strlen(end);
}

static bool is_real(const struct kb_emit *e, struct kb_span text)
{
	const char *digits = digits_of(e, text);
	char *end;

	strtod(digits, &end);
	return digits[0] && !*end;
}

static bool is_constant(struct kb_emit *e, const struct kb_member *member, struct kb_span word)
{
	struct constants constants = { .depth = 0 };
	struct kb_span name;
	bool found = false;

	if (has_constants(e, member, &constants.lexer))
		while (!found && next_constant(&constants, &name))
			found = kb_span_equal(name, word);
	return found;
}

/* Whether the run time reads in this text of C what C does: not in 2 * 8, nor in a macro. */
static bool is_readable(struct kb_emit *e, const struct kb_member *member, enum kb_param_type type, struct kb_span text)
{
	bool negative = text.length && text.at[0] == '-';
	unsigned long long whole;

	switch (type) {
	case KB_PARAM_STRING:
		return true;
	case KB_PARAM_DOUBLE:
		return is_real(e, text);
	case KB_PARAM_BOOLEAN:
		return kb_span_is(text, "true") || kb_span_is(text, "false");
	default:
		return whole_number(e, (struct kb_span){ text.at + negative, text.length - negative }, &whole) || is_constant(e, member, text);
	}
}

struct option { const char *kind; struct kb_span values; bool choices, bounds; };

static struct option option_of(struct kb_emit *e, const struct kb_member *member)
{
	const char *list = kb_arena_format(e->yamba->arena, "%.*s_values", SPAN(member->name));
	const struct kb_yamba_class *owner = NULL;
	struct kb_span init = kb_data_init(e->instance, kb_class_member(e->program, member->name), &owner), values, text;
	enum kb_param_type type = type_of(e, member);
	struct kb_lexer lexer;
	bool listed = literal(e, list, &values), number;
	unsigned long long whole;

	text = squeezed(e, owner->source, init);
	number = type == KB_PARAM_INTEGER || type == KB_PARAM_UNSIGNED ||
		(type == KB_PARAM_OTHER && !has_constants(e, member, &lexer));
	if (number && whole_number(e, text, &whole)) {
		const char *digits = kb_arena_format(e->yamba->arena, "%llu", whole);

		return (struct option){ "KB_SIZE", listed ? values : (struct kb_span){ digits, strlen(digits) }, false, true };
	}
	if (listed)
		return (struct option){ number ? "KB_SIZE" : type == KB_PARAM_STRING ? "KB_CHOICE" : "KB_TEXT", values,
			type == KB_PARAM_STRING, number };
	if (type == KB_PARAM_STRING) {
		if (!literal(e, kb_arena_string(e->yamba->arena, member->name), &text))
			text.length = 0;
	}
	if (!is_word(text) || !is_readable(e, member, type, text))
		text = (struct kb_span){ "default", 7 };
	return (struct option){ "KB_TEXT", text, false, false };
}

/* Literals as they were written, escapes included; `;` parts the lists of the selections. */
static void put_literal(struct kb_emit *e, struct kb_span text, bool all)
{
	kb_print(e, "\"");
	for (size_t i = 0; i < text.length; i++)
		kb_put(e, all && text.at[i] == ';' ? "," : text.at + i, 1);
	kb_print(e, "\"");
}

static void emit_option(struct kb_emit *e, const struct kb_member *member)
{
	const char *summary = kb_comment_text(e->yamba->arena, member->comment, false);
	struct option option;

	if (!is_param(e, member))
		return;
	e->count++;
	option = option_of(e, member);
	kb_print(e, "\t\t{ .name = \"%.*s\", .summary = ", SPAN(member->name));
	kb_put_text(e, summary);
	kb_print(e, ", .kind = %s, .values = ", option.kind);
	put_literal(e, option.values, false);
	if (option.choices) {
		/* NAME_choices: all that is legal, where only some of it is measured by default. */
		const char *list = kb_arena_format(e->yamba->arena, "%.*s_choices", SPAN(member->name));
		struct kb_span choices;

		kb_print(e, ", .choices = ");
		put_literal(e, literal(e, list, &choices) ? choices : option.values, true);
	}
	if (option.bounds && e->options->described)
		kb_print(e, ", .max = INT64_MAX");
	else if (option.bounds)
		kb_print(e, ",\n\t\t  .max = (uint64_t)-1 >> (64 - 8 * sizeof %.*s + (KB_YAMBA_TYPE_OF(%.*s) == KB_YAMBA_SIGNED))",
			SPAN(member->name), SPAN(member->name));
	kb_print(e, " },\n");
}

/* ---- the descriptor ------------------------------------------------------------------------------------ */

/* KB_ and the word of the datum in capitals; the first word unless it is one of them. */
static const char *choice(const struct kb_emit *e, const char *datum, const char *words)
{
	struct kb_span text;
	char *symbol;

	literal(e, datum, &text);
	if (!kb_span_in(text, words))
		text = (struct kb_span){ words, strcspn(words, ",") };
	symbol = kb_arena_format(e->yamba->arena, "KB_%.*s", SPAN(text));
	for (char *c = symbol; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return symbol;
}

/* As fields of the descriptor, or what these call. */
static void emit_functions(struct kb_emit *e, bool fields)
{
	/* The empty loop also holds what the run time itself does in a sample. */
	static const char *const roles[] = { "setup", "op", "base", "before", "after", "check", "teardown" };

	for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
		bool is_void = !strcmp(roles[i], "teardown"), counts = !is_void && strcmp(roles[i], "setup");

		if (!kb_list_has("setup,op,base", roles[i]) && !kb_emit_function_of(e, roles[i]))
			continue;
		if (fields)
			kb_print(e, "\t.%s = y_%s,\n", roles[i], roles[i]);
		else
			kb_print(e, "static %s y_%s(struct kb_run *y_run%s)\n{\n\t%skb_yamba_%s(y_run, &y_program%s);\n}\n\n",
				is_void ? "void" : "int", roles[i], counts ? ", uint64_t y_n" : "", is_void ? "" : "return ",
				roles[i], counts ? ", y_n" : "");
	}
}

/* All but the functions. */
static void emit_fields(struct kb_emit *e)
{
	const char *summary = kb_comment_text(e->yamba->arena, e->program->comment, true);
	const char *claim = kb_emit_function_of(e, "check") ? "composed code does what its check() proves"
							    : "composed code does what its class declares, which no check() proves";
	struct kb_span per, assumes, dummy;

	kb_print(e, "\t.summary = ");
	kb_put_text(e, summary);
	literal(e, "per", &per);
	literal(e, "assumes", &assumes);
	kb_print(e, ",\n\t.per = ");
	put_literal(e, per.length ? per : (struct kb_span){ "operation", 9 }, false);
	kb_print(e, ", .suite = %s, .bound = %s,\n\t.portability = KB_PLATFORM, .assumes = ",
		choice(e, "suite", "full,standard,quick,manual"), choice(e, "bound", "kernel,latency,issue,memory"));
	put_literal(e, assumes.length ? assumes : (struct kb_span){ claim, strlen(claim) }, false);
	kb_print(e, ",\n");
	if (kb_emit_function_of(e, "before") || kb_emit_function_of(e, "after"))
		kb_print(e, "\t.method = KB_PAIRED,\n");
	literal(e, "dummy", &dummy);
	if (kb_span_is(dummy, "half"))
		kb_print(e, "\t.half_base = true,\n");
	kb_print(e, "\t.params = {\n");
	e->count = 0;
	e->instance = kb_instance_of(e, e->program);
	kb_emit_members(e, emit_option);
	kb_print(e, "\t},\n");
}

void kb_emit_descriptor(struct kb_emit *e)
{
	kb_emit_back(e);
	kb_print(e, "\n#define KB_NAME \"yamba.%.*s\"\n#include <kbench.h>\n\n", SPAN(e->program->name));
	emit_functions(e, false);
	kb_print(e, "KB_BENCHMARK(\n");
	emit_fields(e);
	kb_print(e, "\t.expect = { { KB_SEEN, .per_op = 1 } },\n");
	emit_functions(e, true);
	kb_print(e, ");\n_Static_assert(%u <= KB_PARAM_MAX, \"a benchmark has no room for so many params\");\n", e->count);
}

void kb_yamba_emit_described(FILE *out)
{
	fputs("/* An empty loop is told by its being there, for plans have samples of it; what it does is in the collector. */\n"
		"static int y_elsewhere(struct kb_run *run, uint64_t n)\n{\n\t(void)run;\n\t(void)n;\n\treturn -1;\n}\n\n", out);
}

/* All sources count as taken in: only a whole translation finds which of them the program's text needs. */
void kb_yamba_emit_description(FILE *out, struct kb_yamba *yamba, const struct kb_yamba_class *program)
{
	static const struct kb_emit_options options = { .described = true };
	struct kb_emit e = { .out = out, .yamba = yamba, .program = program, .options = &options, .file = "", .line = 1 };

	e.mark = ++yamba->marks;
	for (struct kb_yamba_source *source = yamba->sources; source; source = source->next)
		source->mark = e.mark;
	kb_emit_start(&e);
	kb_print(&e, "static const struct kb_bench y_%.*s = {\n\t.abi = KB_ABI, .size = sizeof(struct kb_bench),\n"
		"\t.name = \"yamba.%.*s\",\n", SPAN(program->name), SPAN(program->name));
	emit_fields(&e);
	kb_print(&e, "\t.op = y_elsewhere, .base = y_elsewhere,\n");
	kb_print(&e, "};\n\n");
}
