/* See c_names.h. Not a parser of C: what stands before and behind a name is enough. */
#include "yamba/front/c_names.h"

#define DEPTH_MAX 256   /* of braces: c_text.c lets no more through */

struct c_reader {
	struct kb_yamba *yamba;
	const struct kb_yamba_class *class;
	const struct kb_scope_name *scope;
	kb_c_word_found *found;
	void *context;
	struct kb_lexer lexer;
	struct kb_token before, before_that;
	const struct kb_scope_name *locals;   /* declared in this text under the name of an import or a class */
	bool fields[DEPTH_MAX];         /* of each open brace: whether it is that of a struct or union */
	unsigned depth;
};

static const struct kb_scope_name *add_name(struct kb_yamba *yamba, struct kb_span name, const struct kb_scope_name *above)
{
	struct kb_scope_name *added = kb_arena_take(yamba->arena, sizeof *added);

	*added = (struct kb_scope_name){ .name = name, .above = above };
	return added;
}

const struct kb_scope_name *kb_scope_of(struct kb_yamba *yamba, const struct kb_member *member)
{
	const struct kb_scope_name *scope = NULL;

	for (const struct kb_yamba_parameter *parameter = member->parameters; parameter; parameter = parameter->next)
		scope = parameter->name.length ? add_name(yamba, parameter->name, scope) : scope;
	return scope;
}

bool kb_in_scope(const struct kb_scope_name *scope, struct kb_span name)
{
	while (scope && !kb_span_equal(scope->name, name))
		scope = scope->above;
	return scope != NULL;
}

/* TYPE NAME, TYPE *NAME or struct { ... } NAME, and behind it what ends a declarator. a * b looks so, too;
   only names of imports get here. */
static bool declares(const struct c_reader *reader, const struct kb_token *behind)
{
	const struct kb_token *type = kb_token_mark(&reader->before, '*') ? &reader->before_that : &reader->before;

	/* Behind these words a name is used, not declared. */
	return kb_token_marks(behind, "=;,[):") && (type->kind == KB_TOKEN_NAME || kb_token_marks(type, "*}")) &&
		!kb_token_in(type, "return,goto,case,else,do,sizeof,break,continue,_Alignof");
}

static bool after_point(const struct c_reader *reader)
{
	return kb_token_mark(&reader->before, '.') ||
		(kb_token_mark(&reader->before, '>') && kb_token_mark(&reader->before_that, '-'));
}

static bool is_aggregate(const struct kb_token *token)
{
	return kb_token_in(token, "struct,union");
}

static void found_brace(struct c_reader *reader)
{
	if (reader->lexer.token.mark == '}') {
		reader->depth -= reader->depth > 0;
	} else if (reader->depth < DEPTH_MAX) {
		reader->fields[reader->depth++] = is_aggregate(&reader->before) ||
			(reader->before.kind == KB_TOKEN_NAME && is_aggregate(&reader->before_that));
	}
}

static bool is_value(const struct kb_yamba_class *class, struct kb_span name)
{
	const struct kb_member *member = kb_class_member(class, name);

	return member && kb_is_value(member);
}

static void found_name(struct c_reader *reader)
{
	struct kb_token behind = kb_lexer_peek(&reader->lexer);
	struct kb_span name = reader->lexer.token.text;
	struct kb_c_word word = { .name = name, .end = name.at + name.length };
	struct kb_lexer ahead = reader->lexer;
	bool known = kb_in_scope(reader->locals, name);

	if (after_point(reader))
		return;
	word.declared = declares(reader, &behind) && !known;
	word.local = known;
	kb_class_imported(reader->class, name, &word.imported);
	word.tag = kb_token_in(&reader->before, "struct,union,enum");
	word.field = reader->depth > 0 && reader->fields[reader->depth - 1] && declares(reader, &behind);
	if (!word.declared && kb_token_mark(&behind, '.') && !known && !kb_in_scope(reader->scope, name)) {
		kb_lexer_next(&ahead);
		kb_lexer_next(&ahead);
		if (ahead.token.kind == KB_TOKEN_NAME) {
			word.member = ahead.token.text;
			word.end = word.member.at + word.member.length;
		}
	}
	reader->found(reader->context, &word);
	if (word.declared && (word.imported || kb_yamba_find(reader->yamba, name) || is_value(reader->class, name)))
		reader->locals = add_name(reader->yamba, name, reader->locals);
}

void kb_c_names(struct kb_yamba *yamba, const struct kb_yamba_class *class, const struct kb_scope_name *scope,
	struct kb_span text, kb_c_word_found *found, void *context)
{
	struct c_reader reader = { .yamba = yamba, .class = class, .scope = scope, .found = found, .context = context };

	if (!text.at || text.length == 0)
		return;
	kb_lexer_start(&reader.lexer, class->source, NULL, text);
	/* A text may begin with a line of the preprocessor. */
	reader.lexer.skip_hash = true;
	if (kb_token_mark(&reader.lexer.token, '#') && reader.lexer.token.first)
		kb_lexer_skip_line(&reader.lexer);
	while (reader.lexer.token.kind != KB_TOKEN_END) {
		if (reader.lexer.token.kind == KB_TOKEN_NAME)
			found_name(&reader);
		else if (kb_token_marks(&reader.lexer.token, "{}"))
			found_brace(&reader);
		reader.before_that = reader.before;
		reader.before = reader.lexer.token;
		kb_lexer_next(&reader.lexer);
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
