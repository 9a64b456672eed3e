/*
 * What the bodies of a class refer to: names in items, and in C text the few things that Yamba itself gives a
 * meaning to (Imported.name, super.name, data in a bitstring). Everything else in C text is the C compiler's.
 */
#include "yamba/check.h"

#include "yamba/type.h"

/* Names that are in scope in front of members: parameters, unroll variables, locals of C. */
struct scope { struct kb_span name; const struct scope *above; };

struct body {
	struct kb_yamba *yamba;
	const struct kb_yamba_class *class;
	bool bitstring;                 /* composed code: no mutable state */
};

static struct kb_place place(const struct body *body, const char *at)
{
	return (struct kb_place){ body->class->source, at };
}

static bool in_scope(const struct scope *scope, struct kb_span name)
{
	while (scope && !kb_span_same(scope->name, name))
		scope = scope->above;
	return scope != NULL;
}

bool kb_is_intrinsic(struct kb_span name)
{
	static const char *const names[] = { "le8", "le16", "le32", "le64", "be16", "be32", "be64" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (kb_span_is(name, names[i]))
			return true;
	}
	return false;
}

/* ---- qualified names ------------------------------------------------------------------------------------- */

static void no_member(const struct body *body, struct kb_span class_name, const struct kb_yamba_class *class,
	struct kb_span name, const char *at)
{
	struct kb_diagnostic *d =
		kb_diagnose(&body->yamba->diagnostics, 125, place(body, at), "look at the members of that class",
			"'%.*s' has no member '%.*s'", kb_short(class_name), class_name.at, kb_short(name), name.at);

	if (class)
		kb_diagnose_note(&body->yamba->diagnostics, d, kb_class_place(class), "the class is declared here");
}

/* What X.name means; *told if it means nothing and that was said. */
static const struct kb_member *qualified(
	const struct body *body, struct kb_span class_name, struct kb_span name, const char *at)
{
	const struct kb_member *member;
	const struct kb_yamba_class *class;
	bool named;

	if (kb_span_is(class_name, "super")) {
		member = kb_class_member(body->class->base, name);
		if (!member)
			no_member(body, class_name, body->class->base, name, at);
		else if (member->abstract)
			kb_diagnose_note(&body->yamba->diagnostics,
				kb_diagnose(&body->yamba->diagnostics, 125, place(body, at),
					"there is nothing above to use", "'super.%.*s' has no body", kb_short(name),
					name.at),
				kb_member_place(member), "it is declared here");
		return member && !member->abstract ? member : NULL;
	}
	class = kb_class_imported(body->class, class_name, &named);
	if (!named) {
		struct kb_diagnostic *d;
		const char *remedy = kb_arena_format(
			body->yamba->arena, "add import(%.*s); to the class", kb_short(class_name), class_name.at);

		class = kb_yamba_find(body->yamba, class_name);
		d = kb_diagnose(&body->yamba->diagnostics, 123, place(body, at), remedy,
			"class '%.*s' is not imported here", kb_short(class_name), class_name.at);
		if (class)
			kb_diagnose_note(&body->yamba->diagnostics, d, kb_class_place(class), "it is declared here");
		return NULL;
	}
	member = class ? kb_class_member(class, name) : NULL;
	if (class && !member)
		no_member(body, class_name, class, name, at);
	return member;
}

/* ---- C text ---------------------------------------------------------------------------------------------- */

struct c_look {
	const struct body *body;
	const struct scope *scope;
	struct kb_lexer lexer;
	struct kb_token before, before_that;
	struct scope *locals;           /* declared in this text under the name of an import or a class */
};

/* A word behind which a name is used, not declared. */
static bool uses(const struct kb_token *token)
{
	static const char *const words[] = { "return", "goto", "case", "else", "do", "sizeof", "break", "continue",
		"_Alignof" };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (kb_token_is(token, words[i]))
			return true;
	}
	return false;
}

/* TYPE NAME, TYPE *NAME or struct { ... } NAME, and behind it what ends a declarator. a * b looks so, too;
   only names of imports get here. */
static bool declares(const struct c_look *look, const struct kb_token *behind)
{
	bool ended = behind->kind == KB_TOKEN_MARK &&
		(behind->mark == '=' || behind->mark == ';' || behind->mark == ',' || behind->mark == '[' ||
			behind->mark == ')' || behind->mark == ':');
	const struct kb_token *type = kb_token_mark(&look->before, '*') ? &look->before_that : &look->before;

	return ended && (type->kind == KB_TOKEN_NAME || kb_token_mark(type, '*') || kb_token_mark(type, '}')) &&
		!uses(type);
}

static bool after_point(const struct c_look *look)
{
	return kb_token_mark(&look->before, '.') ||
		(kb_token_mark(&look->before, '>') && kb_token_mark(&look->before_that, '-'));
}

static void shadowed(const struct body *body, struct kb_span name)
{
	kb_diagnose(&body->yamba->diagnostics, 124, place(body, name.at), "give it another name",
		    "'%.*s' hides the imported class of this name", kb_short(name), name.at);
}

static void add_local(struct c_look *look, struct kb_span name)
{
	struct scope *local = kb_arena_take(look->body->yamba->arena, sizeof *local);

	*local = (struct scope){ .name = name, .above = look->locals };
	look->locals = local;
}

static void found_declaration(struct c_look *look, struct kb_span name)
{
	bool named;

	if (in_scope(look->locals, name))
		return;
	kb_class_imported(look->body->class, name, &named);
	if (named)
		shadowed(look->body, name);
	if (named || kb_yamba_find(look->body->yamba, name))
		add_local(look, name);
}

static void mutable_state(const struct body *body, const struct kb_member *member, struct kb_span name)
{
	struct kb_typed type = { member->owner->source, member->type, member->name_at };
	struct kb_diagnostic *d;

	if (!body->bitstring || member->kind != KB_MEMBER_DATA || member->param || kb_type_is_const(type))
		return;
	d = kb_diagnose(&body->yamba->diagnostics, 161, place(body, name.at),
			"pass it as a parameter, or make it a param or const: composed code is kept and used again",
			"'%.*s' is state that changes", kb_short(name), name.at);
	kb_diagnose_note(&body->yamba->diagnostics, d, kb_member_place(member), "it is declared here");
}

/* NAME . NAME */
static void found_qualified(struct c_look *look, struct kb_span class_name)
{
	const struct body *body = look->body;
	struct kb_lexer ahead = look->lexer;
	const struct kb_member *member;
	bool named;

	kb_lexer_next(&ahead);
	kb_lexer_next(&ahead);
	if (ahead.token.kind != KB_TOKEN_NAME || in_scope(look->scope, class_name) ||
		in_scope(look->locals, class_name))
		return;
	kb_class_imported(body->class, class_name, &named);
	/* A struct of C, whose name means nothing to us. */
	if (!named && !kb_span_is(class_name, "super") &&
	    (!kb_yamba_find(body->yamba, class_name) || kb_class_member(body->class, class_name)))
		return;
	member = qualified(body, class_name, ahead.token.text,
		kb_span_is(class_name, "super") || named ? ahead.token.text.at : class_name.at);
	if (member)
		mutable_state(body, member, ahead.token.text);
}

static void found_name(struct c_look *look)
{
	struct kb_span name = look->lexer.token.text;
	struct kb_token behind = kb_lexer_peek(&look->lexer);
	const struct kb_member *member;

	if (after_point(look))
		return;
	if (declares(look, &behind))
		found_declaration(look, name);
	else if (kb_token_mark(&behind, '.'))
		found_qualified(look, name);
	if (!look->body->bitstring || in_scope(look->scope, name))
		return;
	member = kb_class_member(look->body->class, name);
	if (member)
		mutable_state(look->body, member, name);
}

static void check_c(const struct body *body, const struct scope *scope, struct kb_span text)
{
	struct c_look look = { .body = body, .scope = scope };

	if (!text.at || text.length == 0)
		return;
	kb_lexer_start(&look.lexer, body->class->source, NULL, text);
	/* A text may begin with a line of the preprocessor. */
	look.lexer.skip_hash = true;
	if (kb_token_mark(&look.lexer.token, '#') && look.lexer.token.first)
		kb_lexer_skip_line(&look.lexer);
	while (look.lexer.token.kind != KB_TOKEN_END) {
		if (look.lexer.token.kind == KB_TOKEN_NAME)
			found_name(&look);
		look.before_that = look.before;
		look.before = look.lexer.token;
		kb_lexer_next(&look.lexer);
	}
}

/* ---- items ----------------------------------------------------------------------------------------------- */

static void not_a_bitstring(
	const struct body *body, const struct kb_member *member, struct kb_span name, const char *at)
{
	struct kb_diagnostic *d = kb_diagnose(&body->yamba->diagnostics, 125, place(body, at),
					      "only bitstrings stand here; le32(n) makes bytes of a number",
					      "'%.*s' is a %s, not a bitstring", kb_short(name), name.at,
					      kb_member_kind_name(member));

	kb_diagnose_note(&body->yamba->diagnostics, d, kb_member_place(member), "it is declared here");
}

static void check_reference(const struct body *body, const struct kb_item *item)
{
	struct kb_span name = item->reference.name, qualifier = item->reference.qualifier;
	const struct kb_member *member;

	if (qualifier.length) {
		member = qualified(body, qualifier, name, item->text.at);
	} else {
		member = kb_class_member(body->class, name);
		if (!member && !kb_is_intrinsic(name))
			kb_diagnose(&body->yamba->diagnostics, 125, place(body, item->text.at),
				kb_arena_format(
					body->yamba->arena, "declare it: bitstring %.*s;", kb_short(name), name.at),
				"there is no bitstring '%.*s' in this class or above", kb_short(name), name.at);
	}
	if (member && member->kind != KB_MEMBER_BITSTRING && member->kind != KB_MEMBER_ENTRY)
		not_a_bitstring(body, member, name, item->text.at);
}

static void check_platform(const struct body *body, const struct kb_item *item, const char *what)
{
	if (!body->class->platform)
		kb_diagnose(&body->yamba->diagnostics, 151, place(body, item->text.at),
			"move it into a class that imports a platform, such as x86_64", "%s in a class of no platform",
			what);
}

/* The name that an unroll header declares: the last one before its '='. */
static struct kb_span declared(const struct body *body, struct kb_span init)
{
	struct kb_lexer lexer;
	struct kb_span name = { init.at, 0 };

	kb_lexer_start(&lexer, body->class->source, NULL, init);
	lexer.skip_hash = true;
	for (unsigned words = 0; lexer.token.kind != KB_TOKEN_END && !kb_token_mark(&lexer.token, '=');
		kb_lexer_next(&lexer)) {
		if (lexer.token.kind == KB_TOKEN_NAME && ++words > 1)
			name = lexer.token.text;
	}
	return name;
}

static void check_items(const struct body *body, const struct scope *scope, const struct kb_item *item);

static void check_unroll(const struct body *body, const struct scope *scope, const struct kb_item *item)
{
	struct scope variable = { .name = declared(body, item->unroll.init), .above = scope };
	bool named = false;

	if (variable.name.length)
		kb_class_imported(body->class, variable.name, &named);
	if (named)
		shadowed(body, variable.name);
	if (variable.name.length)
		scope = &variable;
	check_c(body, scope, item->unroll.init);
	check_c(body, scope, item->unroll.condition);
	check_c(body, scope, item->unroll.step);
	check_items(body, scope, item->unroll.body);
}

static void check_item(const struct body *body, const struct scope *scope, const struct kb_item *item)
{
	switch (item->kind) {
	case KB_ITEM_HEX:
		check_platform(body, item, "machine code");
		break;
	case KB_ITEM_REFERENCE:
		check_reference(body, item);
		check_c(body, scope, item->reference.arguments);
		break;
	case KB_ITEM_ASM:
		check_platform(body, item, "asm");
		for (const struct kb_asm_hole *hole = item->assembly.holes; hole; hole = hole->next)
			check_c(body, scope, hole->expression);
		break;
	case KB_ITEM_UNROLL:
		check_unroll(body, scope, item);
		break;
	case KB_ITEM_IF:
		check_c(body, scope, item->choice.condition);
		check_items(body, scope, item->choice.then);
		check_items(body, scope, item->choice.otherwise);
		break;
	case KB_ITEM_ALIGN:
		check_platform(body, item, "align");
		check_c(body, scope, item->align.bytes);
		break;
	}
}

static void check_items(const struct body *body, const struct scope *scope, const struct kb_item *item)
{
	for (; item; item = item->next)
		check_item(body, scope, item);
}

/* ---- members --------------------------------------------------------------------------------------------- */

/* In order, the last one innermost. */
static const struct scope *parameters(const struct body *body, const struct kb_parameter *parameter)
{
	const struct scope *scope = NULL;

	for (; parameter; parameter = parameter->next) {
		struct scope *added = kb_arena_take(body->yamba->arena, sizeof *added);
		bool named = false;

		if (parameter->name.length == 0)
			continue;
		kb_class_imported(body->class, parameter->name, &named);
		if (named)
			shadowed(body, parameter->name);
		*added = (struct scope){ .name = parameter->name, .above = scope };
		scope = added;
	}
	return scope;
}

void kb_check_bodies(struct kb_yamba *yamba, const struct kb_yamba_class *class)
{
	for (const struct kb_member *member = class->members; member; member = member->next) {
		struct body body = { .yamba = yamba, .class = class };
		const struct scope *scope = parameters(&body, member->parameters);

		body.bitstring = member->kind == KB_MEMBER_BITSTRING || member->kind == KB_MEMBER_ENTRY;
		if (body.bitstring)
			check_items(&body, scope, member->items);
		else if (member->kind == KB_MEMBER_FUNCTION)
			check_c(&body, scope, member->body);
		else
			check_c(&body, NULL, member->init);
	}
}
