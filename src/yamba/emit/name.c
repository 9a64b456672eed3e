/* What a member is called in C, and which classes live in a program. See inside.h. */
#include "yamba/emit/inside.h"

#include <string.h>

/* ---- instances ----------------------------------------------------------------------------------------- */

/* Behind what it imports, unless imports lead back. */
static void add_instance(struct kb_emit *e, struct kb_instance ***end, const struct kb_yamba_class *class)
{
	struct kb_instance *instance = e->met;

	while (instance && instance->class != class)
		instance = instance->older;
	if (instance)
		return;
	instance = kb_arena_take(e->yamba->arena, sizeof *instance);
	*instance = (struct kb_instance){ .class = class, .program = class == e->program, .older = e->met };
	e->met = instance;
	for (const struct kb_yamba_class *base = class; base; base = base->base) {
		for (const struct kb_class_import *import = base->imports; import; import = import->next) {
			if (import->class)
				add_instance(e, end, import->class);
		}
	}
	**end = instance;
	*end = &instance->next;
}

void kb_emit_of(struct kb_emit *e, const struct kb_yamba_class *owner)
{
	e->owner = owner;
	e->source = owner->source;
}

void kb_emit_start(struct kb_emit *e)
{
	struct kb_instance **end = &e->instances;

	add_instance(e, &end, e->program);
	e->instance = kb_instance_of(e, e->program);
	kb_emit_of(e, e->program);
}

const struct kb_instance *kb_instance_of(const struct kb_emit *e, const struct kb_yamba_class *class)
{
	const struct kb_instance *instance = e->instances;

	while (instance && instance->class != class)
		instance = instance->next;
	return instance;
}

bool kb_most_derived(const struct kb_instance *instance, const struct kb_member *member)
{
	return kb_class_member(instance->class, member->name) == member;
}

bool kb_is_reached(const struct kb_emit *e, const struct kb_instance *instance, const struct kb_member *member)
{
	const struct kb_reached *reached = e->reached;

	while (reached && (reached->instance != instance || reached->member != member))
		reached = reached->next;
	return reached || kb_most_derived(instance, member);
}

void kb_emit_members(struct kb_emit *e, kb_emit_member *emit)
{
	const struct kb_yamba_class *line[KB_CLASS_DEPTH_MAX + 1];
	unsigned depth = kb_class_line(e->instance->class, line);

	while (depth-- > 0) {
		for (const struct kb_member *member = line[depth]->members; member; member = member->next) {
			kb_emit_of(e, line[depth]);
			emit(e, member);
		}
	}
}

void kb_emit_all(struct kb_emit *e, kb_emit_member *emit)
{
	for (const struct kb_instance *instance = e->instances; instance; instance = instance->next) {
		e->instance = instance;
		kb_emit_members(e, emit);
	}
	kb_emit_back(e);
}

struct kb_span kb_data_init(
	const struct kb_instance *instance, const struct kb_member *member, const struct kb_yamba_class **owner)
{
	for (const struct kb_yamba_class *class = instance->class; class; class = class->base) {
		for (const struct kb_yamba_value *value = class->values; value; value = value->next) {
			*owner = class;
			if (kb_span_equal(value->name, member->name))
				return value->init;
		}
		if (class == member->owner)
			break;
	}
	*owner = member->owner;
	return member->init;
}

/* ---- names in C ---------------------------------------------------------------------------------------- */

/* A datum is one object, whoever declares it again. */
static const char *qualifier(const struct kb_emit *e, const struct kb_instance *instance, const struct kb_member *member)
{
	bool derived = member->kind == KB_MEMBER_DATA || kb_most_derived(instance, member);

	if (derived && instance->program)
		return "";
	if (derived)
		return kb_arena_format(e->yamba->arena, "%.*s__", SPAN(instance->class->name));
	return kb_arena_format(
		e->yamba->arena, "%.*s__%.*s__", SPAN(instance->class->name), SPAN(member->owner->name));
}

const char *kb_c_name(const struct kb_emit *e, const struct kb_instance *instance, const struct kb_member *member)
{
	const char *front = qualifier(e, instance, member);

	return kb_arena_format(e->yamba->arena, "%s%s%.*s", *front ? "y_" : "", front, SPAN(member->name));
}

const char *kb_composer_name(const struct kb_emit *e, const struct kb_instance *instance, const struct kb_member *member)
{
	return kb_arena_format(e->yamba->arena, "y_bits_%s%.*s", qualifier(e, instance, member), SPAN(member->name));
}

const char *kb_plain_name(const struct kb_emit *e, const struct kb_instance *instance, const struct kb_member *member)
{
	return kb_arena_format(e->yamba->arena, "y_plain_%s%.*s", qualifier(e, instance, member), SPAN(member->name));
}

const char *kb_value_name(const struct kb_emit *e, const struct kb_instance *instance, const struct kb_member *member)
{
	return kb_arena_format(e->yamba->arena, "y_value_%s%.*s", qualifier(e, instance, member), SPAN(member->name));
}

/* A bitstring that is handed on: a word of C text that is neither called nor a name of the text's own. NULL: it is none. */
static const char *as_value(const struct kb_emit *e, const struct kb_instance *instance, const struct kb_c_word *word, struct kb_span name)
{
	const struct kb_member *member = e->has_values ? kb_class_member(instance->class, name) : NULL;
	const struct kb_yamba_source *source = e->source;
	const char *behind = word->end, *end = source->text + source->length;

	while (behind < end && kb_is_blank(*behind))
		behind++;
	if (!member || !kb_is_value(member) || (behind < end && *behind == '('))
		return NULL;
	return kb_arena_format(e->yamba->arena, "&%s", kb_value_name(e, instance, member));
}

/* The name of a member, or of an entry's type. */
static const char *of_instance(const struct kb_emit *e, const struct kb_instance *instance, struct kb_span name)
{
	const struct kb_member *member = kb_class_member(instance->class, name);
	const struct kb_member *entry = member ? NULL : kb_class_entry_of(instance->class, name);

	if (member)
		return kb_c_name(e, instance, member);
	return entry ? kb_arena_format(e->yamba->arena, "%s_t", kb_c_name(e, instance, entry)) : NULL;
}

const char *kb_local_name(const struct kb_emit *e, struct kb_span name)
{
	const char *renamed = e->instance->program ? NULL : of_instance(e, e->instance, name);

	return renamed ? renamed : kb_arena_string(e->yamba->arena, name);
}

const struct kb_member *kb_emit_super(struct kb_emit *e, struct kb_span name)
{
	const struct kb_member *member = kb_class_member(e->owner->base, name);
	struct kb_reached *reached;

	if (!member || kb_is_reached(e, e->instance, member))
		return member;
	reached = kb_arena_take(e->yamba->arena, sizeof *reached);
	*reached = (struct kb_reached){ e->instance, member, e->reached };
	e->reached = reached;
	return member;
}

static const char *of_super(struct kb_emit *e, struct kb_span name)
{
	const struct kb_member *member = kb_emit_super(e, name);

	return member ? kb_c_name(e, e->instance, member) : NULL;
}

const char *kb_emit_renamed(struct kb_emit *e, const struct kb_c_word *word)
{
	const struct kb_yamba_class *class;
	bool named;

	if (word->member.length && kb_span_is(word->name, "super"))
		return of_super(e, word->member);
	class = word->member.length ? kb_class_imported(e->owner, word->name, &named) : NULL;
	if (class)
		return as_value(e, kb_instance_of(e, class), word, word->member) ?: of_instance(e, kb_instance_of(e, class), word->member);
	bool own = word->member.length || word->tag || word->field || word->declared || word->local || kb_in_scope(e->scope, word->name);
	const char *value = own ? NULL : as_value(e, e->instance, word, word->name);

	if (value)
		return value;
	/* In the program a member is called as it is written; elsewhere the word alone goes, with nothing behind it. */
	if (e->instance->program || word->member.length || word->tag || word->field)
		return NULL;
	return of_instance(e, e->instance, word->name);
}

/* ---- parameters ---------------------------------------------------------------------------------------- */

void kb_emit_parameter(struct kb_emit *e, const struct kb_yamba_parameter *parameter)
{
	bool bitstring = kb_is_bitstring_parameter(parameter);
	const struct kb_scope_name own = { .name = parameter->name, .above = e->scope };
	const struct kb_scope_name *outside = e->scope;

	/* Its name is no bitstring's, though there be one. */
	e->scope = &own;
	kb_print(e, bitstring ? "const struct kb_bitstring *" : "");
	kb_emit_tokens(e, parameter->text, bitstring ? "bitstring" : "");
	e->scope = outside;
}

void kb_emit_parameters(struct kb_emit *e, const struct kb_member *member)
{
	unsigned number = 0;

	for (const struct kb_yamba_parameter *parameter = member->parameters; parameter; parameter = parameter->next, number++) {
		if (number)
			kb_print(e, ", ");
		kb_emit_parameter(e, parameter);
		if (!parameter->name.length && !kb_span_is(parameter->text, "..."))
			kb_print(e, " y_p%u", number);
	}
	if (!number)
		kb_print(e, "void");
}
