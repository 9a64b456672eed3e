/* See forms.h: what is measured of each form, and the program that does it. */
#include "yamba/forms/forms.h"

#include <stdio.h>
#include <string.h>

/* ---- measures ------------------------------------------------------------------------------------ */

static bool has_all(const char *features, const char *needs)
{
	struct kb_span rest = kb_span_of(needs), need;

	while ((need = kb_span_word(&rest)).length) {
		struct kb_span all = kb_span_of(features), feature;

		while ((feature = kb_span_word(&all)).length && !kb_span_equal(feature, need))
			;
		if (!feature.length)
			return false;
	}
	return true;
}

void kb_forms_have(struct kb_forms *forms, const char *features)
{
	for (struct kb_form *form = forms->forms; form; form = form->next)
		form->has = has_all(features, form->needs);
}

static const struct kb_form_operand *memory_of(const struct kb_form *form)
{
	for (unsigned i = 0; i < form->count; i++)
		if (form->operand[i].kind->address)
			return &form->operand[i];
	return NULL;
}

/* A chain of this instruction alone leads from one to the other: through one register file, or through memory. */
static bool leads(const struct kb_form *form, unsigned from, unsigned to)
{
	const struct kb_form_operand *target = &form->operand[to - 1], *memory = memory_of(form), *source;
	char file = target->kind->file;

	if (!target->writes)
		return false;
	if (from == KB_FORM_ADDRESS)
		return memory && file == 'g' && target != memory;
	source = &form->operand[from - 1];
	if (!source->reads)
		return false;
	if (source == target)
		return file || target->kind->address;
	return file && source->kind->file == file;
}

static void add_measure(struct kb_forms *forms, struct kb_form_measure ***end, const struct kb_form *form, bool latency, unsigned from, unsigned to)
{
	struct kb_form_measure *measure = kb_arena_take(forms->arena, sizeof *measure);
	const char *name = !latency ? kb_arena_format(forms->arena, "%s:throughput", form->name)
			 : from == KB_FORM_ADDRESS ? kb_arena_format(forms->arena, "%s:a-%u", form->name, to)
						   : kb_arena_format(forms->arena, "%s:%u-%u", form->name, from, to);

	*measure = (struct kb_form_measure){ .form = form, .name = name, .latency = latency, .from = from, .to = to,
					     .number = (unsigned)forms->measure_count++ };
	**end = measure;
	*end = &measure->next;
}

void kb_forms_measures(struct kb_forms *forms)
{
	struct kb_form_measure **end = &forms->measures;

	for (const struct kb_form *form = forms->forms; form; form = form->next) {
		if (!form->has)
			continue;
		for (unsigned to = 1; to <= form->count; to++)
			for (unsigned from = KB_FORM_ADDRESS; from <= form->count; from++)
				if (leads(form, from, to))
					add_measure(forms, &end, form, true, from, to);
		add_measure(forms, &end, form, false, 0, 0);
	}
}

/* ---- instructions -------------------------------------------------------------------------------- */

/* Text with what stands for % and @: a register and an offset. */
static const char *fill(struct kb_arena *arena, const char *text, const char *address, unsigned offset)
{
	char line[160];
	struct kb_text out = kb_text_in(line, sizeof line);

	for (; *text; text++) {
		if (*text == '%')
			kb_text_str(&out, address);
		else if (*text == '@')
			kb_text_u64(&out, offset);
		else
			kb_text_bytes(&out, text, 1);
	}
	return kb_arena_string(arena, (struct kb_span){ line, out.used });
}

static const char *in_turn(const struct kb_form_kind *kind, unsigned i)
{
	return kind->pool[i % kind->pool_count];
}

static bool is_register(const struct kb_form_operand *operand)
{
	return operand->kind->file != '\0';
}

/* Written registers of a form. */
static unsigned written(const struct kb_form *form)
{
	unsigned count = 0;

	for (unsigned i = 0; i < form->count; i++)
		count += is_register(&form->operand[i]) && form->operand[i].writes;
	return count;
}

/* Another one for each operand that is only read. */
static const char *constant_of(const struct kb_form *form, unsigned i)
{
	const struct kb_form_kind *kind = form->operand[i].kind;
	unsigned before = 0;

	if (!kind->constants)
		return kind->constant[0];
	for (unsigned k = 0; k < i; k++)
		before += form->operand[k].kind->file == kind->file && !form->operand[k].writes;
	return kind->constant[before % kind->constants];
}

/* The widest register of the file of a target, which addresses are made of. */
static const char *address_register(const struct kb_forms *forms, const struct kb_form_operand *target)
{
	const struct kb_form_kind *widest = target->kind;

	for (const struct kb_form_kind *kind = forms->kinds; kind; kind = kind->next)
		if (kind->file == widest->file && kind->bits > widest->bits)
			widest = kind;
	return widest->pool[0];
}

/*
 * Operand i of copy number `copy`. Of a throughput each copy writes registers and memory of its own and reads what nobody writes. A chain
 * from an operand to itself stays in one place; from one to another two registers take turns, so that none is both.
 */
static const char *operand_text(const struct kb_forms *forms, const struct kb_form_measure *measure, unsigned i, unsigned copy)
{
	const struct kb_form *form = measure->form;
	const struct kb_form_operand *operand = &form->operand[i], *target = measure->latency ? &form->operand[measure->to - 1] : NULL;
	const struct kb_form_operand *source = measure->latency && measure->from ? &form->operand[measure->from - 1] : NULL;
	bool crossed = source && source != target;

	if (!is_register(operand)) {
		bool waits = measure->latency && measure->from == KB_FORM_ADDRESS && operand->kind->address;
		bool own = !measure->latency && operand->writes && operand->reads;

		return fill(forms->arena, waits ? operand->kind->address : operand->kind->constant[0],
			    waits ? address_register(forms, target) : "", own ? copy * (operand->kind->bits > 64 ? operand->kind->bits / 8 : 8) : 0);
	}
	if (!measure->latency)
		return operand->writes ? in_turn(operand->kind, copy * written(form) + i) : constant_of(form, i);
	if (operand == target)
		return in_turn(operand->kind, crossed ? copy % 2 : 0);
	if (operand == source)
		return in_turn(operand->kind, (copy + 1) % 2);
	return operand->writes ? in_turn(operand->kind, 2) : constant_of(form, i);
}

/* ---- the program --------------------------------------------------------------------------------- */

/* How much the frame must load besides general registers. */
static unsigned vector_bits(const struct kb_form *form)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < form->count; i++)
		if (is_register(&form->operand[i]) && form->operand[i].kind->file != 'g' && form->operand[i].kind->bits > bits)
			bits = form->operand[i].kind->bits;
	return bits;
}

static void put_block(FILE *out, const struct kb_forms *forms, const struct kb_form_measure *measure)
{
	fprintf(out, "\t// %s\n\tbitstring block_%u {\n\t\tasm {\n", measure->name, measure->number);
	for (unsigned copy = 0; copy < KB_FORM_COPIES; copy++) {
		fprintf(out, "\t\t\t%s", measure->form->mnemonic);
		for (unsigned i = 0; i < measure->form->count; i++)
			fprintf(out, "%s%s", i ? ", " : " ", operand_text(forms, measure, i, copy));
		fputc('\n', out);
	}
	fputs("\t\t}\n\t}\n", out);
}

/* A search by halves: thousands of comparisons a copy would take longer than the measurement. On lines of their own, for conditions are
   translated at their columns. */
static void put_choice(FILE *out, unsigned first, unsigned count)
{
	unsigned half = count / 2;

	if (count == 1) {
		fprintf(out, "block_%u\n", first);
		return;
	}
	fprintf(out, "if (k < %u) {\n", first + half);
	put_choice(out, first, half);
	fputs("} else {\n", out);
	put_choice(out, first + half, count - half);
	fputs("}\n", out);
}

void kb_forms_program(FILE *out, const struct kb_forms *forms, const char *name)
{
	fprintf(out, "/* One form of an instruction, or a mix of two, in core cycles. */\nyamba %s extends %s {\n\tconst char names[] =\n", name,
		forms->frame);
	for (const struct kb_form_measure *measure = forms->measures; measure; measure = measure->next)
		fprintf(out, "\t\t\"%s %u\\n\"\n", measure->name, vector_bits(measure->form));
	fputs("\t\t\"\";\n", out);
	for (const struct kb_form_measure *measure = forms->measures; measure; measure = measure->next)
		put_block(out, forms, measure);
	fputs("\tbitstring copies(int k) {\n", out);
	put_choice(out, 0, (unsigned)forms->measure_count);
	fputs("\t}\n}\n", out);
}
