/*
 * The body of a bitstring as a composer: a C function that appends, statement by statement, what stands in it. `unroll`
 * is a `for`, `if` an `if`; every expression stands behind a #line of its own.
 */
#include "yamba/emit/inside.h"

#include <string.h>

static void emit_items(struct kb_emit *, const struct kb_member *, const struct kb_item *);

/* ---- scopes: what a message and a listing tell of where they are ----------------------------------------- */

/* Enters the scope of a member, or of a turn of an unroll, which has a number: the names, and their values. */
static void enter(struct kb_emit *e, const struct kb_member *member, const struct kb_yamba_parameter *list, const char *turn)
{
	const char *separator = "(const struct kb_value[]){ ";
	unsigned count = 0;

	if (list)
		kb_print(e, "\tstatic const char *const y_names%s[] = { ", turn);
	for (const struct kb_yamba_parameter *parameter = list; parameter; parameter = parameter->next) {
		if (!parameter->name.length || kb_is_bitstring_parameter(parameter))
			continue;
		kb_print(e, "\"%.*s\", ", SPAN(parameter->name));
		count++;
	}
	kb_print(e, "%s\tstatic const struct kb_scope y_scope%s = { \"%.*s\", ", list ? "0 };\n" : "", turn, SPAN(member->owner->name));
	kb_print(e, *turn ? "0" : "\"%.*s\"", SPAN(member->name));
	kb_print(e, list ? ", y_names%s" : ", 0", turn);
	kb_print(e, ", %u };\n\n\tif (!kb_bits_step(y_bits) && !kb_bits_enter(y_bits, &y_scope%s, ", count, turn);
	for (const struct kb_yamba_parameter *parameter = list; parameter; parameter = parameter->next) {
		if (!parameter->name.length || kb_is_bitstring_parameter(parameter))
			continue;
		kb_print(e, "%s", separator);
		/* Pointers are shown, and integers of whatever name; what is neither counts as 0. */
		bool pointer = memchr(parameter->text.at, '*', parameter->text.length) || memchr(parameter->text.at, '[', parameter->text.length);

		kb_print(e, pointer ? "KB_VALUE(%s)" : "KB_VALUE(y_integer(%s))", kb_local_name(e, parameter->name));
		separator = ", ";
	}
	kb_print(e, "%s))\n\t\t%s;\n", count ? " }" : "0", *turn ? "break" : "return");
}

/* ---- items ---------------------------------------------------------------------------------------------- */

/* A place for messages, in a block that the caller closes. */
static void emit_place(struct kb_emit *e, const struct kb_member *member, const struct kb_item *item)
{
	const char *path = kb_emit_path(e, e->source);

	kb_emit_back(e);
	kb_print(e, "\t{\n\tstatic const struct kb_bits_place y_place = { \"%.*s\", \"%.*s\", ", SPAN(member->owner->name),
		SPAN(member->name));
	kb_put_text(e, path);
	kb_print(e, ", %u };\n\n", kb_emit_line(e, (struct kb_place){ e->source, item->text.at }));
}

static void emit_hex(struct kb_emit *e, const struct kb_member *member, const struct kb_item *item)
{
	unsigned digits = 0;

	emit_place(e, member, item);
	kb_print(e, "\tstatic const uint8_t y_hex[] = {");
	for (size_t i = 2; i < item->text.length; i++) {
		if (item->text.at[i] != '_')
			kb_print(e, digits++ % 2 ? "%c" : digits % 32 == 1 ? "\n\t\t0x%c" : " 0x%c", item->text.at[i]);
		if (item->text.at[i] != '_' && digits % 2 == 0)
			kb_print(e, ",");
	}
	kb_print(e, "\n\t};\n\n\tkb_bits_bytes(y_bits, &y_place, y_hex, sizeof y_hex);\n\t}\n");
}

/* CALL(y_bits, &y_place, [bits,] KB_VALUE((expression))); */
static void emit_number(struct kb_emit *e, const struct kb_member *member, const struct kb_item *item, const char *call,
	unsigned bits, struct kb_span expression)
{
	emit_place(e, member, item);
	kb_print(e, "\t%s(y_bits, &y_place, ", call);
	if (bits)
		kb_print(e, "%u,", bits);
	kb_print(e, "\n");
	kb_emit_c_at(e, "KB_VALUE((", expression);
	kb_print(e, ")));\n");
	kb_emit_back(e);
	kb_print(e, "\t}\n");
}

static void emit_reference(struct kb_emit *e, const struct kb_member *member, const struct kb_item *item)
{
	struct kb_lexer lexer;
	struct kb_span name = item->reference.name, qualifier = item->reference.qualifier;
	const struct kb_instance *instance = e->instance;
	const struct kb_member *called;
	unsigned bits;
	bool named, big;

	if (!qualifier.length && kb_bitstring_parameter(member, name)) {
		kb_emit_back(e);
		kb_print(e, "\tkb_bits_value(y_bits, %s);\n", kb_local_name(e, name));
		return;
	}
	if (kb_span_is(qualifier, "super")) {
		called = kb_emit_super(e, name);
	} else {
		if (qualifier.length)
			instance = kb_instance_of(e, kb_class_imported(e->owner, qualifier, &named));
		called = kb_class_member(instance->class, name);
	}
	bits = called ? 0 : kb_intrinsic(name, &big);
	if (bits) {
		emit_number(e, member, item, big ? "kb_bits_be" : "kb_bits_le", bits, item->c_text[0]);
		return;
	}
	if (kb_is_plain(e, called)) {
		kb_emit_back(e);
		kb_print(e, "\tkb_bits_plain(y_bits, &%s);\n", kb_plain_name(e, instance, called));
		return;
	}
	kb_emit_at(e, item->text.at, "");
	kb_print(e, "%s(y_bits", kb_composer_name(e, instance, called));
	kb_lexer_start(&lexer, e->source, NULL, item->c_text[0]);
	if (item->c_text[0].at && lexer.token.kind != KB_TOKEN_END) {
		kb_print(e, ",\n");
		kb_emit_c_at(e, "", item->c_text[0]);
	}
	kb_print(e, ");\n");
}

/* What composing can put without a call: most that is unrolled. Without a number in it, nothing is gained worth the compiler's time. */
static bool takes_put(const struct kb_fragment *fragment)
{
	bool plain = fragment->hole_count > 0 && fragment->hole_count <= 4 && fragment->count <= 32 && !fragment->label_count &&
		!fragment->register_count;

	for (uint32_t i = 0; i < fragment->hole_count; i++)
		plain &= fragment->holes[i].bytes != 0;
	return plain;
}

/* Values in the order in which the assembling found them: it names the places where equal ones stand first. */
static void emit_assembly(struct kb_emit *e, const struct kb_item *item)
{
	const struct kb_assembled *assembled = &e->assembly->blocks[item->assembly.block];

	kb_emit_back(e);
	kb_print(e, "\tkb_bits_%s(y_bits, &y_fragment%u, ", takes_put(&assembled->fragment) ? "put" : "append", item->assembly.block);
	if (!assembled->value_count) {
		kb_print(e, "0);\n");
		return;
	}
	kb_print(e, "(const struct kb_value[]){\n");
	for (uint32_t i = 0; i < assembled->value_count; i++) {
		kb_emit_c_at(e, "KB_VALUE((", (struct kb_span){ assembled->values[i].at, assembled->values[i].length });
		kb_print(e, ")),\n");
	}
	kb_emit_back(e);
	kb_print(e, "\t});\n");
}

/* Entering a turn fails after an error, and ends the loop, whose own end might never come. */
static void emit_unroll(struct kb_emit *e, const struct kb_member *member, const struct kb_item *item)
{
	struct kb_yamba_parameter turn = { .text = item->c_text[0], .name = kb_c_declared(e->source, item->c_text[0]) };
	struct kb_scope_name variable = { .name = turn.name, .above = e->scope };
	const struct kb_scope_name *outside = e->scope;

	kb_emit_back(e);
	kb_print(e, "\tfor (\n");
	if (variable.name.length)
		e->scope = &variable;
	kb_emit_c_at(e, "", item->c_text[0]);
	kb_print(e, ";\n");
	kb_emit_c_at(e, "", item->c_text[1]);
	kb_print(e, ";\n");
	kb_emit_c_at(e, "", item->c_text[2]);
	kb_print(e, ") {\n");
	kb_emit_back(e);
	enter(e, member, &turn, kb_arena_format(e->yamba->arena, "%u", e->count++));
	emit_items(e, member, item->body);
	kb_emit_back(e);
	kb_print(e, "\tkb_bits_step_back(y_bits);\n\t}\n");
	e->scope = outside;
}

static void emit_choice(struct kb_emit *e, const struct kb_member *member, const struct kb_item *item)
{
	kb_emit_c_at(e, "if (", item->c_text[0]);
	kb_print(e, ") {\n");
	kb_emit_back(e);
	emit_items(e, member, item->body);
	kb_emit_back(e);
	kb_print(e, "\t} else {\n");
	emit_items(e, member, item->otherwise);
	kb_emit_back(e);
	kb_print(e, "\t}\n");
}

static void emit_items(struct kb_emit *e, const struct kb_member *member, const struct kb_item *item)
{
	for (; item; item = item->next) {
		switch (item->kind) {
		case KB_ITEM_HEX:
			emit_hex(e, member, item);
			break;
		case KB_ITEM_REFERENCE:
			emit_reference(e, member, item);
			break;
		case KB_ITEM_ASM:
			emit_assembly(e, item);
			break;
		case KB_ITEM_UNROLL:
			emit_unroll(e, member, item);
			break;
		case KB_ITEM_IF:
			emit_choice(e, member, item);
			break;
		case KB_ITEM_ALIGN:
			emit_number(e, member, item, "kb_bits_align", 0, item->c_text[0]);
			break;
		}
	}
}

/* ---- the composer ---------------------------------------------------------------------------------------- */

bool kb_is_plain(const struct kb_emit *e, const struct kb_member *member)
{
	if (member->kind != KB_MEMBER_BITSTRING || member->parameters)
		return false;
	for (const struct kb_item *item = member->items; item; item = item->next)
		if (item->kind != KB_ITEM_ASM || e->assembly->blocks[item->assembly.block].value_count)
			return false;
	return true;
}

void kb_emit_plain(struct kb_emit *e, const struct kb_member *member)
{
	kb_emit_back(e);
	kb_print(e, "static const struct kb_plain %s = { { \"%.*s\", \"%.*s\", 0, 0 },\n\t(const struct kb_fragment *const[]){ ",
		kb_plain_name(e, e->instance, member), SPAN(member->owner->name), SPAN(member->name));
	for (const struct kb_item *item = member->items; item; item = item->next)
		kb_print(e, "&y_fragment%u, ", item->assembly.block);
	kb_print(e, "0 } };\n");
}

void kb_emit_composer_head(struct kb_emit *e, const struct kb_member *member)
{
	kb_print(e, "static void %s(struct kb_bits *y_bits", kb_composer_name(e, e->instance, member));
	if (member->parameters) {
		kb_print(e, ", ");
		kb_emit_parameters(e, member);
	}
	kb_print(e, ")");
}

void kb_emit_composer(struct kb_emit *e, const struct kb_member *member)
{
	unsigned number = 0;

	kb_emit_back(e);
	kb_emit_composer_head(e, member);
	kb_print(e, "\n{\n");
	enter(e, member, member->parameters, "");
	for (const struct kb_yamba_parameter *parameter = member->parameters; parameter; parameter = parameter->next, number++) {
		if (!parameter->name.length)
			kb_print(e, "\t(void)y_p%u;\n", number);
	}
	emit_items(e, member, member->items);
	kb_emit_back(e);
	kb_print(e, "\tkb_bits_step_back(y_bits);\n}\n\n");
}
