/* The order of a translation unit. See emit.h; a name must stand before it is used, whatever class it comes from. */
#define _GNU_SOURCE
#include "yamba/emit/inside.h"

#include <stdlib.h>
#include <string.h>

/* ---- head: C text outside of classes ------------------------------------------------------------------- */

static void visit_source(struct kb_emit *e, struct kb_yamba_source *source, kb_emit_text *emit)
{
	if (source->mark == e->mark)
		return;
	source->mark = e->mark;
	for (const struct kb_transclusion *other = source->transcluded; other; other = other->next)
		visit_source(e, other->source, emit);
	e->source = source;
	for (const struct kb_c_text *text = source->texts; text; text = text->next)
		emit(e, text->text);
}

void kb_emit_texts(struct kb_emit *e, kb_emit_text *emit)
{
	e->mark = ++e->yamba->marks;
	for (const struct kb_instance *instance = e->instances; instance; instance = instance->next) {
		const struct kb_yamba_class *line[KB_CLASS_DEPTH_MAX + 1];
		unsigned depth = kb_class_line(instance->class, line);

		while (depth-- > 0)
			visit_source(e, line[depth]->source, emit);
	}
	kb_emit_back(e);
	kb_emit_of(e, e->program);
}

static void emit_text(struct kb_emit *e, struct kb_span text)
{
	kb_emit_at(e, text.at, "");
	kb_put(e, text.at, text.length);
	kb_put(e, "\n", 1);
}

/* ---- members, each kind in its turn ---------------------------------------------------------------------- */

static void emit_type(struct kb_emit *e, const struct kb_member *member)
{
	if (member->kind == KB_MEMBER_ENTRY && kb_most_derived(e->instance, member)) {
		kb_emit_at(e, member->text.at, "");
		kb_emit_entry_type(e, member);
	}
}

static bool has_word(const struct kb_yamba_source *source, struct kb_span text, const char *word)
{
	struct kb_lexer lexer;

	kb_lexer_start(&lexer, source, NULL, text);
	while (lexer.token.kind != KB_TOKEN_END && !kb_token_is(&lexer.token, word))
		kb_lexer_next(&lexer);
	return lexer.token.kind != KB_TOKEN_END;
}

static bool is_argument(const struct kb_emit *e, const struct kb_member *member)
{
	return e->has_values && kb_is_value(member) && !member->abstract && kb_most_derived(e->instance, member);
}

static void emit_prototype(struct kb_emit *e, const struct kb_member *member)
{
	if (member->abstract || member->kind == KB_MEMBER_DATA || !kb_is_reached(e, e->instance, member))
		return;
	if (is_argument(e, member)) {
		kb_emit_back(e);
		kb_print(e, "static const struct kb_bitstring %s __attribute__((unused));\n", kb_value_name(e, e->instance, member));
	}
	if (kb_is_plain(e, member)) {
		kb_emit_back(e);
		kb_print(e, "static const struct kb_plain %s __attribute__((unused));\n", kb_plain_name(e, e->instance, member));
		return;
	}
	kb_emit_at(e, member->text.at, "");
	if (member->kind == KB_MEMBER_FUNCTION) {
		kb_print(e, has_word(e->source, member->type, "static") ? "" : "static ");
		kb_emit_tokens(e, member->type, "");
		kb_print(e, " %s(", kb_c_name(e, e->instance, member));
		kb_emit_parameters(e, member);
		kb_print(e, ")");
	} else {
		kb_emit_composer_head(e, member);
		if (member->kind == KB_MEMBER_ENTRY) {
			kb_print(e, " __attribute__((unused));\n");
			kb_emit_entry_head(e, member);
		}
	}
	kb_print(e, " __attribute__((unused));\n");
}

/* One datum, at the first place that declares it; its type is that of the last one. */
static void emit_datum(struct kb_emit *e, const struct kb_member *first)
{
	const struct kb_member *member = kb_class_member(e->instance->class, first->name);
	struct kb_typed type = { member->owner->source, member->type, member->name_at };
	const struct kb_yamba_class *owner = NULL;
	struct kb_span init;

	if (first->owner->base && kb_class_member(first->owner->base, first->name))
		return;
	kb_emit_of(e, member->owner);
	init = kb_data_init(e->instance, member, &owner);
	kb_emit_at(e, member->type.at, "static ");
	kb_emit_tokens(e, member->type, member->param && kb_type_is_const(type) ? "static,extern,const" : "static,extern");
	kb_print(e, " __attribute__((unused))");
	if (init.at) {
		kb_print(e, " =\n");
		kb_emit_of(e, owner);
		kb_emit_c_at(e, "", init);
	}
	kb_print(e, ";\n");
}

/* What declares a type, too, must stand before the prototypes that use it. */
static bool makes_type(const struct kb_member *member)
{
	return memchr(member->type.at, '{', member->type.length) != NULL;
}

static void emit_typed_datum(struct kb_emit *e, const struct kb_member *member)
{
	if (member->kind == KB_MEMBER_DATA && makes_type(member))
		emit_datum(e, member);
}

static void emit_other_datum(struct kb_emit *e, const struct kb_member *member)
{
	if (member->kind == KB_MEMBER_DATA && !makes_type(member))
		emit_datum(e, member);
}

static void emit_value(struct kb_emit *e, const struct kb_member *member)
{
	bool plain = kb_is_plain(e, member);

	kb_emit_back(e);
	kb_print(e, "static const struct kb_bitstring %s = { %s, %s%s };\n", kb_value_name(e, e->instance, member),
		plain ? "0" : kb_composer_name(e, e->instance, member), plain ? "&" : "0", plain ? kb_plain_name(e, e->instance, member) : "");
}

static void emit_composed(struct kb_emit *e, const struct kb_member *member)
{
	if (member->abstract || !kb_is_composed(member) || !kb_is_reached(e, e->instance, member))
		return;
	if (is_argument(e, member))
		emit_value(e, member);
	if (kb_is_plain(e, member)) {
		kb_emit_plain(e, member);
		return;
	}
	e->scope = kb_scope_of(e->yamba, member);
	kb_emit_composer(e, member);
	e->scope = NULL;
	if (member->kind == KB_MEMBER_ENTRY)
		kb_emit_entry(e, member);
}

/* As it stands in the source, but for its name: its prototype has made it static. */
static void emit_function(struct kb_emit *e, const struct kb_member *member)
{
	const char *behind = member->name_at + member->name.length, *end = member->text.at + member->text.length;

	if (member->abstract || member->kind != KB_MEMBER_FUNCTION || !kb_is_reached(e, e->instance, member))
		return;
	kb_emit_at(e, member->text.at, "");
	kb_emit_c(e, (struct kb_span){ member->text.at, (size_t)(member->name_at - member->text.at) });
	kb_print(e, "%s", kb_c_name(e, e->instance, member));
	e->scope = kb_scope_of(e->yamba, member);
	kb_emit_c(e, (struct kb_span){ behind, (size_t)(end - behind) });
	e->scope = NULL;
	kb_print(e, "\n");
}

/* ---- the program ------------------------------------------------------------------------------------------- */

static void emit_entry_name(struct kb_emit *e, const struct kb_member *member)
{
	if (member->kind == KB_MEMBER_ENTRY && kb_most_derived(e->instance, member))
		kb_print(e, "\t&y_entry_%s,\n", kb_c_name(e, e->instance, member));
}

const struct kb_member *kb_emit_function_of(const struct kb_emit *e, const char *name)
{
	const struct kb_member *member = kb_class_member(e->program, (struct kb_span){ name, strlen(name) });

	return member && member->kind == KB_MEMBER_FUNCTION ? member : NULL;
}

/* Behind a #line: one of another type is told where it stands. */
static void emit_role(struct kb_emit *e, const char *name)
{
	const struct kb_member *member = kb_emit_function_of(e, name);

	if (!member)
		return;
	kb_emit_of(e, member->owner);
	kb_print(e, "\t.%s =\n", name);
	kb_emit_at(e, member->name_at, "");
	kb_print(e, "%s,\n", name);
}

/* What imported classes ask of the machine. */
static void emit_needs(struct kb_emit *e)
{
	kb_emit_back(e);
	kb_print(e, "static const struct kb_yamba_need y_needs[] = {\n");
	for (const struct kb_instance *instance = e->instances; instance; instance = instance->next) {
		const struct kb_member *lacking = kb_class_member(instance->class, (struct kb_span){ "lacking", 7 });
		struct kb_span processors = kb_class_literal(e->yamba, instance->class, "processors");

		if (instance->program || (!processors.length && !(lacking && lacking->kind == KB_MEMBER_FUNCTION)))
			continue;
		kb_print(e, "\t{ \"%.*s\", ", SPAN(instance->class->name));
		if (processors.length)
			kb_print(e, "0, \"%.*s\" },\n", SPAN(processors));
		else
			kb_print(e, "%s, 0 },\n", kb_c_name(e, instance, lacking));
	}
	kb_print(e, "\t{ 0 }\n};\n\n");
}

/* By the names that C text has for them. */
static void emit_argument_name(struct kb_emit *e, const struct kb_member *member)
{
	const struct kb_instance *instance = e->instance;

	if (!is_argument(e, member))
		return;
	kb_print(e, "\t{ \"%.*s%s%.*s\", &%s },\n", instance->program ? 0 : (int)instance->class->name.length, instance->class->name.at,
		instance->program ? "" : ".", SPAN(member->name), kb_value_name(e, instance, member));
}

static void emit_arguments(struct kb_emit *e)
{
	if (!e->has_values)
		return;
	kb_emit_back(e);
	kb_print(e, "static const struct kb_yamba_bitstring y_bitstrings[] = {\n");
	kb_emit_all(e, emit_argument_name);
	kb_print(e, "\t{ 0 }\n};\n\n");
}

static void emit_program(struct kb_emit *e)
{
	static const char *const roles[] = { "setup", "teardown", "before", "after", "benchmark", "benchmark_dummy",
		"operations", "check" };
	const struct kb_yamba_class *class = e->program, *platform = class->platform;
	const char *summary = kb_comment_text(e->yamba->arena, class->comment, false), *path = kb_emit_path(e, class->source);

	kb_print(e, "static struct kb_yamba_entry *y_entries[] = {\n");
	kb_emit_all(e, emit_entry_name);
	kb_print(e, "\t0\n};\n\n");
	kb_emit_params(e);
	emit_needs(e);
	emit_arguments(e);
	kb_print(e, "static struct kb_yamba_program y_program = {\n\t.name = \"%.*s\", .platform = \"%.*s\",\n\t.summary = ",
		SPAN(class->name), platform ? (int)platform->name.length : 0, platform ? platform->name.at : "");
	kb_put_text(e, summary);
	kb_print(e, ",\n\t.file = ");
	kb_put_text(e, path);
	kb_print(e, e->has_values ? ",\n\t.bitstrings = y_bitstrings" : "");
	kb_print(e, ",\n\t.needs = y_needs, .params = y_params, .entries = y_entries,\n");
	for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
		emit_role(e, roles[i]);
	kb_emit_back(e);
	kb_print(e, "};\n");
}

/*
 * A definition that was replaced is written only for those that call it as super.NAME, and these are known when all is
 * written. So all is written to nowhere first, again while that reaches more: what is called from there, in turn.
 */
static void find_values(struct kb_emit *e, const struct kb_member *member)
{
	for (const struct kb_yamba_parameter *parameter = member->parameters; parameter; parameter = parameter->next)
		e->has_values |= kb_is_bitstring_parameter(parameter);
}

static void find_reached(struct kb_emit *e)
{
	const struct kb_reached *before;

	do {
		struct kb_emit trial = *e;
		char *text = NULL;
		size_t length;

		before = e->reached;
		trial.out = open_memstream(&text, &length);
		if (!trial.out)
			abort();
		kb_emit_all(&trial, emit_typed_datum);
		kb_emit_all(&trial, emit_other_datum);
		kb_emit_all(&trial, emit_composed);
		kb_emit_all(&trial, emit_function);
		fclose(trial.out);
		free(text);
		e->reached = trial.reached;
	} while (e->reached != before);
}

void kb_yamba_emit(FILE *out, struct kb_yamba *yamba, const struct kb_yamba_class *program,
	const struct kb_assembly *assembly, const struct kb_emit_options *options)
{
	struct kb_emit e = { .out = out, .yamba = yamba, .program = program, .assembly = assembly, .options = options };
	static const char *const unused[] = { "-Wunused-function", "-Wunused-variable", "-Wunused-const-variable" };

	e.line = options->line ? options->line : 1;
	e.file = options->name ? options->name : kb_arena_format(yamba->arena, "%.*s.c", SPAN(program->name));
	kb_emit_start(&e);
	kb_emit_all(&e, find_values);
	find_reached(&e);
	kb_print(&e, "/* The Yamba program %.*s as C, made by KBench. Every #line points into its source. */\n",
		SPAN(e.program->name));
	if (!e.options->embedded)
		kb_print(&e, "#define _GNU_SOURCE\n#include <kbench_yamba.h>\n");
	kb_print(&e, "\n/* What scopes tell of a parameter whose type only the compiler knows. */\n"
		"#define y_integer(x) _Generic((x), char: (x), signed char: (x), short: (x), int: (x), long: (x), \\\n"
		"\tlong long: (x), _Bool: (x), unsigned char: (x), unsigned short: (x), unsigned: (x), \\\n"
		"\tunsigned long: (x), unsigned long long: (x), default: 0)\n\n");
	/* What a file defines for all of its classes, not every program uses. */
	kb_print(&e, "#pragma GCC diagnostic push\n");
	for (size_t i = 0; i < sizeof unused / sizeof unused[0]; i++)
		kb_print(&e, "#pragma GCC diagnostic ignored \"%s\"\n", unused[i]);
	kb_emit_texts(&e, emit_text);
	kb_print(&e, "#pragma GCC diagnostic pop\n\n");
	kb_emit_all(&e, emit_type);
	kb_emit_all(&e, emit_typed_datum);
	kb_emit_all(&e, emit_prototype);
	kb_emit_all(&e, emit_other_datum);
	kb_print(&e, "\nstatic struct kb_yamba_program y_program;\n\n");
	kb_emit_fragments(&e);
	kb_emit_all(&e, emit_composed);
	kb_emit_all(&e, emit_function);
	emit_program(&e);
	if (options->exported)
		kb_emit_constant(&e);
	if (options->benchmark)
		kb_emit_descriptor(&e);
}
