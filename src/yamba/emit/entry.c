/*
 * Entries: what C calls to get a composed function. The arguments lie in a structure, which the run time compares word by
 * word to find what it composed before. Each begins a word, so that a look-up makes the words in registers: a part of a word that
 * is written to memory and read back as a whole takes longer than all the rest.
 */
#include "yamba/emit/inside.h"

#include <string.h>

void kb_emit_entry_type(struct kb_emit *e, const struct kb_member *member)
{
	const struct kb_yamba_parameter *parameter = member->signature_parameters;

	kb_print(e, "typedef ");
	kb_emit_tokens(e, member->signature_type, "");
	kb_print(e, " (*%s_t)(", kb_c_name(e, e->instance, member));
	if (!parameter)
		kb_print(e, "void");
	for (; parameter; parameter = parameter->next) {
		kb_emit_parameter(e, parameter);
		if (parameter->next)
			kb_print(e, ", ");
	}
	kb_print(e, ");\n");
}

void kb_emit_entry_head(struct kb_emit *e, const struct kb_member *member)
{
	const struct kb_member *type = kb_class_member(e->instance->class, member->name);

	kb_print(e, "static %s_t %s(", kb_c_name(e, e->instance, type), kb_c_name(e, e->instance, member));
	kb_emit_parameters(e, member);
	kb_print(e, ")");
}

static const char *parameter_name(const struct kb_emit *e, const struct kb_yamba_parameter *parameter, unsigned number)
{
	return parameter->name.length ? kb_local_name(e, parameter->name)
				      : kb_arena_format(e->yamba->arena, "y_p%u", number);
}

/* An array would be copied as the pointer that it is to a function. */
static void emit_structure(struct kb_emit *e, const struct kb_member *member, const char *name)
{
	unsigned number = 0;

	kb_print(e, "struct y_args_%s {\n", name);
	for (const struct kb_yamba_parameter *parameter = member->parameters; parameter; parameter = parameter->next, number++) {
		kb_emit_at(e, parameter->text.at, "");
		kb_emit_parameter(e, parameter);
		if (!parameter->name.length)
			kb_print(e, " y_p%u", number);
		kb_print(e, " __attribute__((aligned(8)));\n");
		if (memchr(parameter->text.at, '[', parameter->text.length))
			kb_print(e, "_Static_assert(0, \"an entry takes no array: write it as a pointer\");\n");
	}
	kb_emit_back(e);
	kb_print(e, "};\n\nstatic const struct kb_yamba_argument y_arguments_%s[] = {\n", name);
	number = 0;
	for (const struct kb_yamba_parameter *parameter = member->parameters; parameter; parameter = parameter->next, number++) {
		const char *field = parameter_name(e, parameter, number);

		kb_print(e, "\t{ \"%.*s\", offsetof(struct y_args_%s, %s), sizeof ((struct y_args_%s *)0)->%s,\n\t  "
			"KB_YAMBA_TYPE_OF(((struct y_args_%s *)0)->%s) },\n", SPAN(parameter->name), name, field, name, field,
			name, field);
	}
	kb_print(e, "\t{ 0 }\n};\n\n");
}

static void emit_compose(struct kb_emit *e, const struct kb_member *member, const char *name)
{
	unsigned number = 0;

	kb_print(e, "static void y_compose_%s(struct kb_bits *y_bits, const void *y_arguments)\n{\n", name);
	if (member->parameters)
		kb_print(e, "\tconst struct y_args_%s *y_args = y_arguments;\n\n\t%s(y_bits", name,
			kb_composer_name(e, e->instance, member));
	else
		kb_print(e, "\t(void)y_arguments;\n\t%s(y_bits", kb_composer_name(e, e->instance, member));
	for (const struct kb_yamba_parameter *parameter = member->parameters; parameter; parameter = parameter->next, number++)
		kb_print(e, ", y_args->%s", parameter_name(e, parameter, number));
	kb_print(e, ");\n}\n\n");
}

void kb_emit_entry(struct kb_emit *e, const struct kb_member *member)
{
	const char *name = kb_c_name(e, e->instance, member);
	const struct kb_member *type = kb_class_member(e->instance->class, member->name);
	unsigned number = 0;

	if (member->parameters)
		emit_structure(e, member, name);
	emit_compose(e, member, name);
	kb_print(e, "static struct kb_yamba_entry y_entry_%s = {\n\t.class_name = \"%.*s\", .name = \"%.*s\", "
		".compose = y_compose_%s,\n", name, SPAN(e->instance->class->name), SPAN(member->name), name);
	if (member->parameters)
		kb_print(e, "\t.arguments = y_arguments_%s, .bytes = sizeof(struct y_args_%s),\n", name, name);
	else
		kb_print(e, "\t.arguments = (const struct kb_yamba_argument[]){ { 0 } },\n");
	kb_print(e, "\t.signature = ");
	kb_put_string(e, member->signature);
	kb_print(e, "\n};\n\n");
	/* Where the arguments are constants, so is their hash. */
	kb_print(e, "__attribute__((always_inline)) inline\n");
	kb_emit_entry_head(e, member);
	kb_print(e, "\n{\n");
	if (member->parameters)
		kb_print(e, "\tuint64_t y_words[sizeof(struct y_args_%s) / sizeof(uint64_t)];\n\n", name);
	for (const struct kb_yamba_parameter *parameter = member->parameters; parameter; parameter = parameter->next, number++) {
		const char *field = parameter_name(e, parameter, number);

		kb_print(e, "\tkb_yamba_words(&y_words[offsetof(struct y_args_%s, %s) / sizeof(uint64_t)], &%s, sizeof %s);\n", name, field,
			field, field);
	}
	/* A conversion that ISO C does not promise. */
	kb_print(e, "\treturn __extension__ (%s_t)kb_yamba_function(&y_program, &y_entry_%s, %s);\n}\n\n",
		kb_c_name(e, e->instance, type), name, member->parameters ? "y_words, sizeof y_words / sizeof y_words[0]" : "0, 0");
}
