/*
 * What the bodies of a class refer to: names in items, and in C text the few things that Yamba itself gives a
 * meaning to (Imported.name, super.name, data in a bitstring). Everything else in C text is the C compiler's.
 */
#include "yamba/front/class.h"

#include "yamba/front/c_names.h"
#include "yamba/front/c_text.h"
#include "yamba/front/suggest.h"
#include "yamba/front/type.h"

struct body {
	struct kb_yamba *yamba;
	const struct kb_yamba_class *class;
	const struct kb_member *member;
	bool bitstring;                 /* composed code: no mutable state */
};

static struct kb_place place(const struct body *body, const char *at)
{
	return (struct kb_place){ body->class->source, at };
}

/* ---- qualified names ------------------------------------------------------------------------------------- */

static void no_member(const struct body *body, struct kb_span class_name, const struct kb_yamba_class *class,
	struct kb_span name, const char *at)
{
	struct kb_diagnostic *d = kb_diagnose(&body->yamba->diagnostics, 125, place(body, at),
		class ? kb_suggest_member(body->yamba, class, name, "see the members of that class") : "there is no class above",
		"'%.*s' has no member '%.*s'", KB_SHORT(class_name),
		KB_SHORT(name));

	if (class)
		kb_diagnose_note(&body->yamba->diagnostics, d, kb_class_place(class), "the class is declared here");
}

/* What X.name means; NULL if it means nothing, which is reported. */
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
			kb_diagnose_note(&body->yamba->diagnostics, kb_diagnose(&body->yamba->diagnostics, 125,
				place(body, at), "there is nothing above to use", "'super.%.*s' has no body",
				KB_SHORT(name)), kb_member_place(member), "it is declared here");
		return member && !member->abstract ? member : NULL;
	}
	class = kb_class_imported(body->class, class_name, &named);
	if (!named) {
		struct kb_diagnostic *d;
		const char *remedy = kb_arena_format(body->yamba->arena, "add import(%.*s); to the class",
			KB_SHORT(class_name));

		class = kb_yamba_find(body->yamba, class_name);
		d = kb_diagnose(&body->yamba->diagnostics, 123, place(body, at), remedy,
			"class '%.*s' is not imported here", KB_SHORT(class_name));
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

static void check_shadowing(const struct body *body, struct kb_span name)
{
	bool imported;

	kb_class_imported(body->class, name, &imported);
	if (imported)
		kb_diagnose(&body->yamba->diagnostics, 124, place(body, name.at), "give it another name",
			"'%.*s' hides the imported class of this name", KB_SHORT(name));
}

static void mutable_state(const struct body *body, const struct kb_member *member, struct kb_span name)
{
	struct kb_typed type = { member->owner->source, member->type, member->name_at };
	struct kb_diagnostic *d;

	if (!body->bitstring || member->kind != KB_MEMBER_DATA || member->param || kb_type_is_const(type))
		return;
	d = kb_diagnose(&body->yamba->diagnostics, 161, place(body, name.at),
		"pass it as a parameter, or make it a param or const: composed code is kept and used again",
		"'%.*s' is state that changes", KB_SHORT(name));
	kb_diagnose_note(&body->yamba->diagnostics, d, kb_member_place(member), "it is declared here");
}

/* NAME . NAME */
static void found_qualified(const struct body *body, const struct kb_c_word *word)
{
	bool super = kb_span_is(word->name, "super"), named;
	const struct kb_yamba_class *imported = kb_class_imported(body->class, word->name, &named);
	const struct kb_member *member;

	/* A struct of C, whose name means nothing to us. */
	if (!word->imported && !super &&
		(!kb_yamba_find(body->yamba, word->name) || kb_class_member(body->class, word->name)))
		return;
	/* Imported.f_t, the type of the entry Imported.f. */
	if (imported && kb_class_entry_of(imported, word->member))
		return;
	member = qualified(body, word->name, word->member, super || word->imported ? word->member.at : word->name.at);
	if (member)
		mutable_state(body, member, word->member);
}

struct c_check { const struct body *body; const struct kb_scope_name *scope; };

static void found_name(void *context, const struct kb_c_word *word)
{
	const struct c_check *check = context;
	const struct kb_member *member;

	if (word->declared)
		check_shadowing(check->body, word->name);
	if (word->member.length)
		found_qualified(check->body, word);
	if (!check->body->bitstring || kb_in_scope(check->scope, word->name))
		return;
	member = kb_class_member(check->body->class, word->name);
	if (member)
		mutable_state(check->body, member, word->name);
}

static void check_c(const struct body *body, const struct kb_scope_name *scope, struct kb_span text)
{
	struct c_check check = { body, scope };

	kb_c_names(body->yamba, body->class, scope, text, found_name, &check);
}

/* ---- items ----------------------------------------------------------------------------------------------- */

static unsigned count_arguments(const struct body *body, struct kb_span text)
{
	struct kb_lexer lexer;
	struct kb_span part;
	unsigned count = 0;
	bool more;

	kb_lexer_start(&lexer, body->class->source, NULL, text);
	if (!text.at || lexer.token.kind == KB_TOKEN_END)
		return 0;
	do {
		more = kb_c_part(&lexer, ',', &part);
		count++;
	} while (more);
	return count;
}

static void check_arguments(const struct body *body, const struct kb_item *item, unsigned wanted, const struct kb_member *member)
{
	unsigned count = count_arguments(body, item->c_text[0]);
	struct kb_diagnostic *d;

	if (count == wanted)
		return;
	d = kb_diagnose(&body->yamba->diagnostics, 126, place(body, item->text.at), "write as many arguments as it is declared with",
		"'%.*s' takes %u argument%s, not %u", KB_SHORT(item->reference.name), wanted, wanted == 1 ? "" : "s", count);
	if (member)
		kb_diagnose_note(&body->yamba->diagnostics, d, kb_member_place(member), "it is declared here: %.*s", KB_SHORT(member->text));
}

static void check_reference(const struct body *body, const struct kb_item *item)
{
	struct kb_span name = item->reference.name, qualifier = item->reference.qualifier;
	const struct kb_member *member;
	bool big_endian;

	if (!qualifier.length && kb_bitstring_parameter(body->member, name)) {
		check_arguments(body, item, 0, NULL);
		return;
	}
	if (qualifier.length) {
		member = qualified(body, qualifier, name, item->text.at);
	} else {
		member = kb_class_member(body->class, name);
		if (!member && kb_intrinsic(name, &big_endian))
			check_arguments(body, item, 1, NULL);
		else if (!member)
			kb_diagnose(&body->yamba->diagnostics, 125, place(body, item->text.at),
				kb_suggest_member(body->yamba, body->class, name,
					kb_arena_format(body->yamba->arena, "declare it: bitstring %.*s;", KB_SHORT(name))),
				"there is no bitstring '%.*s' in this class or above", KB_SHORT(name));
	}
	if (member && !kb_is_composed(member)) {
		struct kb_diagnostic *d = kb_diagnose(&body->yamba->diagnostics, 125, place(body, item->text.at),
			"only bitstrings stand here; le32(n) makes bytes of a number",
			"'%.*s' is a %s, not a bitstring", KB_SHORT(name), kb_member_kind_name(member));

		kb_diagnose_note(&body->yamba->diagnostics, d, kb_member_place(member), "it is declared here");
	} else if (member) {
		check_arguments(body, item, member->parameter_count, member);
	}
}

static void check_items(const struct body *body, const struct kb_scope_name *scope, const struct kb_item *item)
{
	static const char *const needs_platform[] = { [KB_ITEM_HEX] = "machine code", [KB_ITEM_ASM] = "asm", [KB_ITEM_ALIGN] = "align" };

	for (; item; item = item->next) {
		struct kb_scope_name variable = { .above = scope };
		const struct kb_scope_name *inside = scope;

		if (!body->class->platform && (size_t)item->kind < sizeof needs_platform / sizeof needs_platform[0] && needs_platform[item->kind])
			kb_diagnose(&body->yamba->diagnostics, 151, place(body, item->text.at),
				"move it into a class that imports a platform, such as x86_64", "%s in a class of no platform",
				needs_platform[item->kind]);
		if (item->kind == KB_ITEM_REFERENCE)
			check_reference(body, item);
		if (item->kind == KB_ITEM_UNROLL)
			variable.name = kb_c_declared(body->class->source, item->c_text[0]);
		if (variable.name.length) {
			check_shadowing(body, variable.name);
			inside = &variable;
		}
		for (size_t i = 0; i < 3; i++)
			check_c(body, inside, item->c_text[i]);
		for (const struct kb_asm_hole *hole = kb_holes_of(item); hole; hole = hole->next)
			check_c(body, scope, hole->expression);
		check_items(body, inside, item->body);
		check_items(body, inside, item->otherwise);
	}
}

/* ---- members --------------------------------------------------------------------------------------------- */

void kb_check_bodies(struct kb_yamba *yamba, const struct kb_yamba_class *class)
{
	for (const struct kb_member *member = class->members; member; member = member->next) {
		struct body body = { .yamba = yamba, .class = class, .member = member };
		const struct kb_scope_name *scope = kb_scope_of(yamba, member);

		body.bitstring = kb_is_composed(member);
		for (const struct kb_scope_name *parameter = scope; parameter; parameter = parameter->above)
			check_shadowing(&body, parameter->name);
		if (body.bitstring)
			check_items(&body, scope, member->items);
		else if (member->kind == KB_MEMBER_FUNCTION)
			check_c(&body, scope, member->body);
		else
			check_c(&body, NULL, member->init);
	}
}
