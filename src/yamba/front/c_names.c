/* See c_names.h. Not a parser of C: what stands before and behind a name says enough. */
#include "yamba/front/c_names.h"

#define DEPTH_MAX 256   /* of braces: c_text.c lets no more through */

struct look {
	struct kb_yamba *yamba;
	const struct kb_yamba_class *class;
	const struct kb_scope_name *scope;
	kb_c_word_found *found;
	void *context;
	struct kb_lexer lexer;
	struct kb_token before, before_that;
	struct kb_scope_name *locals;   /* declared in this text under the name of an import or a class */
	bool fields[DEPTH_MAX];         /* of each open brace: whether it is that of a struct or union */
	unsigned depth;
};

bool kb_in_scope(const struct kb_scope_name *scope, struct kb_span name)
{
	while (scope && !kb_span_same(scope->name, name))
		scope = scope->above;
	return scope != NULL;
}

static bool is_one_of(const struct kb_token *token, const char *const *words)
{
	while (*words && !kb_token_is(token, *words))
		words++;
	return *words != NULL;
}

/* A word behind which a name is used, not declared. */
static bool uses(const struct kb_token *token)
{
	static const char *const words[] = { "return", "goto", "case", "else", "do", "sizeof", "break", "continue",
		"_Alignof", NULL };

	return is_one_of(token, words);
}

/* TYPE NAME, TYPE *NAME or struct { ... } NAME, and behind it what ends a declarator. a * b looks so, too;
   only names of imports get here. */
static bool declares(const struct look *look, const struct kb_token *behind)
{
	bool ended = behind->kind == KB_TOKEN_MARK &&
		(behind->mark == '=' || behind->mark == ';' || behind->mark == ',' || behind->mark == '[' ||
			behind->mark == ')' || behind->mark == ':');
	const struct kb_token *type = kb_token_mark(&look->before, '*') ? &look->before_that : &look->before;

	return ended && (type->kind == KB_TOKEN_NAME || kb_token_mark(type, '*') || kb_token_mark(type, '}')) &&
		!uses(type);
}

static bool after_point(const struct look *look)
{
	return kb_token_mark(&look->before, '.') ||
		(kb_token_mark(&look->before, '>') && kb_token_mark(&look->before_that, '-'));
}

static bool is_aggregate(const struct kb_token *token)
{
	static const char *const words[] = { "struct", "union", NULL };

	return is_one_of(token, words);
}

static void found_brace(struct look *look)
{
	if (look->lexer.token.mark == '}') {
		look->depth -= look->depth > 0;
	} else if (look->depth < DEPTH_MAX) {
		look->fields[look->depth++] = is_aggregate(&look->before) ||
			(look->before.kind == KB_TOKEN_NAME && is_aggregate(&look->before_that));
	}
}

static void add_local(struct look *look, const struct kb_c_word *word)
{
	struct kb_scope_name *local;

	if (kb_in_scope(look->locals, word->name) || (!word->imported && !kb_yamba_find(look->yamba, word->name)))
		return;
	local = kb_arena_take(look->yamba->arena, sizeof *local);
	*local = (struct kb_scope_name){ .name = word->name, .above = look->locals };
	look->locals = local;
}

static void found_name(struct look *look)
{
	struct kb_token behind = kb_lexer_peek(&look->lexer);
	struct kb_span name = look->lexer.token.text;
	struct kb_c_word word = { .name = name, .end = name.at + name.length };
	struct kb_lexer ahead = look->lexer;
	bool known = kb_in_scope(look->locals, name);

	if (after_point(look))
		return;
	word.declared = declares(look, &behind) && !known;
	kb_class_imported(look->class, name, &word.imported);
	word.tag = is_aggregate(&look->before) || kb_token_is(&look->before, "enum");
	word.field = look->depth > 0 && look->fields[look->depth - 1] && declares(look, &behind);
	if (!word.declared && kb_token_mark(&behind, '.') && !known && !kb_in_scope(look->scope, name)) {
		kb_lexer_next(&ahead);
		kb_lexer_next(&ahead);
		if (ahead.token.kind == KB_TOKEN_NAME) {
			word.member = ahead.token.text;
			word.end = word.member.at + word.member.length;
		}
	}
	look->found(look->context, &word);
	if (word.declared)
		add_local(look, &word);
}

void kb_c_names(struct kb_yamba *yamba, const struct kb_yamba_class *class, const struct kb_scope_name *scope,
	struct kb_span text, kb_c_word_found *found, void *context)
{
	struct look look = { .yamba = yamba, .class = class, .scope = scope, .found = found, .context = context };

	if (!text.at || text.length == 0)
		return;
	kb_lexer_start(&look.lexer, class->source, NULL, text);
	/* A text may begin with a line of the preprocessor. */
	look.lexer.skip_hash = true;
	if (kb_token_mark(&look.lexer.token, '#') && look.lexer.token.first)
		kb_lexer_skip_line(&look.lexer);
	while (look.lexer.token.kind != KB_TOKEN_END) {
		if (look.lexer.token.kind == KB_TOKEN_NAME)
			found_name(&look);
		else if (kb_token_mark(&look.lexer.token, '{') || kb_token_mark(&look.lexer.token, '}'))
			found_brace(&look);
		look.before_that = look.before;
		look.before = look.lexer.token;
		kb_lexer_next(&look.lexer);
	}
}

struct kb_span kb_c_declared(const struct kb_yamba_source *source, struct kb_span init)
{
	struct kb_lexer lexer;
	struct kb_span name = { init.at, 0 };

	kb_lexer_start(&lexer, source, NULL, init);
	lexer.skip_hash = true;
	for (unsigned words = 0; lexer.token.kind != KB_TOKEN_END && !kb_token_mark(&lexer.token, '=');
		kb_lexer_next(&lexer)) {
		if (lexer.token.kind == KB_TOKEN_NAME && ++words > 1)
			name = lexer.token.text;
	}
	return name;
}
