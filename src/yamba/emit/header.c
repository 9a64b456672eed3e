/* What other C sees of a program: `CLASS.entry(arguments)`, as a constant structure of functions. See emit.h. */
#include "yamba/emit/inside.h"
#include "yamba/front/c_text.h"

#include <string.h>

/* ---- types ------------------------------------------------------------------------------------------------ */

/* One declaration of C at the lexer, which is behind it then; the body of a function ends it, else ';' does. */
static struct kb_span declaration(struct kb_lexer *lexer, bool *type)
{
	const char *start = lexer->token.text.at;
	bool defines = kb_token_is(&lexer->token, "typedef"), tagged = kb_token_is(&lexer->token, "struct") ||
		kb_token_is(&lexer->token, "union") || kb_token_is(&lexer->token, "enum"), body = false, ended = false;
	unsigned words = 0;
	struct kb_span inside;
	char group = '\0';       /* that ends here */

	for (*type = false; !ended && lexer->token.kind != KB_TOKEN_END; *type = ended && !body && (defines || tagged)) {
		char mark = lexer->token.kind == KB_TOKEN_MARK ? lexer->token.mark : '\0';

		body = group == '(' && mark == '{';
		ended = mark == ';' || body;
		/* Alone: struct x; or struct x { ... }; and not an object or a function of that type. */
		words += lexer->token.kind == KB_TOKEN_NAME;
		tagged &= words < 3 && mark != '*' && mark != '(' && (group != '{' || mark == ';');
		group = mark == '(' || mark == '{' || mark == '[' ? mark : '\0';
		if (!group)
			kb_lexer_next(lexer);
		else if (!kb_c_group(lexer, &inside))
			break;
	}
	return (struct kb_span){ start, (size_t)(lexer->behind - start) };
}

/* Objects and functions live in the C text, once. */
static void emit_types(struct kb_emit *e, struct kb_span text)
{
	struct kb_lexer lexer;

	kb_lexer_start(&lexer, e->source, NULL, text);
	while (lexer.token.kind != KB_TOKEN_END) {
		const char *start = lexer.token.text.at;
		bool type = true;
		struct kb_span part;

		if (kb_token_mark(&lexer.token, '#') && lexer.token.first) {
			kb_lexer_skip_line(&lexer);
			part = (struct kb_span){ start, (size_t)(lexer.behind - start) };
		} else {
			part = declaration(&lexer, &type);
		}
		if (type) {
			kb_put(e, part.at, part.length);
			kb_put(e, "\n", 1);
		}
	}
}

/* ---- the constant ------------------------------------------------------------------------------------------ */

static bool is_shown(const struct kb_emit *e, const struct kb_member *member)
{
	return member->kind == KB_MEMBER_ENTRY && kb_most_derived(e->instance, member);
}

static void emit_field(struct kb_emit *e, const struct kb_member *member)
{
	if (!is_shown(e, member))
		return;
	kb_print(e, "\t%.*s_t (*%.*s)(", SPAN(member->name), SPAN(member->name));
	kb_emit_parameters(e, member);
	kb_print(e, ");\n");
}

static void emit_structure(struct kb_emit *e)
{
	kb_print(e, "struct yamba_%.*s {\n", SPAN(e->program->name));
	kb_emit_members(e, emit_field);
	kb_print(e, "\tstruct kb_yamba_program *program;\n};\n\nextern const struct yamba_%.*s %.*s;\n", SPAN(e->program->name),
		SPAN(e->program->name));
}

static void emit_value(struct kb_emit *e, const struct kb_member *member)
{
	if (is_shown(e, member))
		kb_print(e, "\t.%.*s = %.*s,\n", SPAN(member->name), SPAN(member->name));
}

void kb_emit_constant(struct kb_emit *e)
{
	kb_emit_back(e);
	kb_print(e, "\n");
	emit_structure(e);
	kb_print(e, "\nconst struct yamba_%.*s %.*s = {\n", SPAN(e->program->name), SPAN(e->program->name));
	kb_emit_members(e, emit_value);
	kb_print(e, "\t.program = &y_program,\n};\n");
}

static void emit_type(struct kb_emit *e, const struct kb_member *member)
{
	if (is_shown(e, member))
		kb_emit_entry_type(e, member);
}

void kb_yamba_emit_header(FILE *out, struct kb_yamba *yamba, const struct kb_yamba_class *program)
{
	static const struct kb_emit_options options = { 0 };
	struct kb_emit e = { .out = out, .yamba = yamba, .program = program, .options = &options, .line = 1, .file = "" };

	e.file = kb_arena_format(yamba->arena, "%.*s.h", SPAN(program->name));
	kb_emit_start(&e);
	kb_print(&e, "/* The entries of the Yamba program %.*s, made by KBench. */\n", SPAN(program->name));
	kb_print(&e, "#ifndef YAMBA_%.*s_H\n#define YAMBA_%.*s_H\n\n", SPAN(program->name), SPAN(program->name));
	/* What a program may use without declaring it. */
	kb_print(&e, "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n\n");
	kb_emit_texts(&e, emit_types);
	kb_print(&e, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\nstruct kb_yamba_program;\nstruct kb_bitstring;\n\n"
		"/* Of a function that an entry returned: unmaps it, its bytes, its listing (-ENOENT: it is none). */\n"
		"void kb_yamba_forget(void *function);\nsize_t kb_yamba_code_size(void *function);\nint kb_yamba_list(FILE *, void *function);\n\n"
		"/* Before the first function: \"num_pages=4K\" for a param; 0, or what is wrong in one line of error. */\n"
		"int kb_yamba_set(struct kb_yamba_program *, const char *setting, char *error, size_t room);\n\n"
		"/* Takes what cannot be composed, and must not return. Without it the text goes to standard error, and the program ends with 2. */\n"
		"void kb_yamba_on_error(void (*handler)(const char *text));\n\n#ifdef __cplusplus\n}\n#endif\n\n");
	kb_emit_members(&e, emit_type);
	emit_structure(&e);
	kb_print(&e, "\n#endif\n");
}
