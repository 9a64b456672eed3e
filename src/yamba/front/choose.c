/* Which class is the program that a name stands for on a machine, and what a port to another one must supply
   (section 5). */
#include "yamba/front/class.h"

#include <string.h>

#include "code/processor.h"
#include "code/target.h"

/* ---- choosing -------------------------------------------------------------------------------------------- */

/* Of another machine than this one nobody knows the processor. */
static bool is_processor(struct kb_yamba *yamba, const struct kb_yamba_class *class, const char *machine)
{
	struct kb_span list;

	if (!class->processor || strcmp(machine, kb_target_host()->name) != 0)
		return !class->processor;
	list = kb_class_literal(yamba, class->processor, "processors");
	return kb_processor_is(kb_arena_string(yamba->arena, list));
}

static bool runs_on(struct kb_yamba *yamba, const struct kb_yamba_class *class, const char *machine, const char *system)
{
	return (!class->platform || kb_span_is(class->platform->name, machine)) &&
	       (!class->os || kb_span_is(class->os->name, system)) && is_processor(yamba, class, machine);
}

/* A shipped class is no port of one in the file given: it was derived from the shipped class of that name. */
static bool is_port(const struct kb_yamba_class *class, const struct kb_yamba_class *blueprint)
{
	return class != blueprint && !class->abstract && kb_class_is(class, blueprint) &&
	       (blueprint->source->shipped || !class->source->shipped);
}

/* Those from which another candidate is derived give way to it. */
static bool most_derived(
	struct kb_yamba *yamba, const struct kb_yamba_class *class, const char *machine, const char *system)
{
	for (size_t i = 0; i < yamba->class_count; i++) {
		if (is_port(yamba->classes[i], class) && runs_on(yamba, yamba->classes[i], machine, system))
			return false;
	}
	return true;
}

static void none_fits(struct kb_yamba *yamba, const struct kb_yamba_class *class, const char *machine)
{
	if (!kb_yamba_missing(yamba, class)[0])
		kb_diagnose(&yamba->diagnostics, 141, kb_class_place(class),
			"take the word abstract away, or derive a class from it",
			"class '%.*s' is abstract and cannot run, though nothing is missing in it",
			KB_SHORT(class->name));
	else
		kb_diagnose(&yamba->diagnostics, 153, kb_class_place(class), kb_arena_format(yamba->arena,
			"'kbench yamba port %.*s' prints what a port must supply", KB_SHORT(class->name)),
			"no program of '%.*s' is for %s", KB_SHORT(class->name), machine);
}

bool kb_yamba_fits(
	struct kb_yamba *yamba, const struct kb_yamba_class *program, const char *machine, const char *system)
{
	bool fits = runs_on(yamba, program, machine, system);

	if (!fits)
		kb_diagnose(&yamba->diagnostics, 153, kb_class_place(program),
			"start its blueprint, or a port to this machine", "program '%.*s' is not for %s on %s",
			KB_SHORT(program->name), system, machine);
	return fits;
}

static bool is_candidate(struct kb_yamba *yamba, const struct kb_yamba_class *candidate, const struct kb_yamba_class *class,
	const char *machine, const char *system)
{
	return is_port(candidate, class) && runs_on(yamba, candidate, machine, system) && most_derived(yamba, candidate, machine, system);
}

struct kb_yamba_class *kb_yamba_choose(
	struct kb_yamba *yamba, struct kb_yamba_class *class, const char *machine, const char *system)
{
	struct kb_yamba_class *found = NULL;
	struct kb_diagnostic *d = NULL;
	bool special = false;   /* what is written for this processor goes before what is for any */

	if (!class->abstract)
		return class;
	for (size_t i = 0; i < yamba->class_count; i++)
		special |= yamba->classes[i]->processor && is_candidate(yamba, yamba->classes[i], class, machine, system);
	for (size_t i = 0; i < yamba->class_count; i++) {
		struct kb_yamba_class *candidate = yamba->classes[i];

		if (!is_candidate(yamba, candidate, class, machine, system) || (special && !candidate->processor))
			continue;
		if (found && !d) {
			d = kb_diagnose(&yamba->diagnostics, 152, kb_class_place(class), "name one of them",
				"more than one program of '%.*s' is for %s", KB_SHORT(class->name), machine);
			kb_diagnose_note(&yamba->diagnostics, d, kb_class_place(found), "%.*s", KB_SHORT(found->name));
		}
		if (d)
			kb_diagnose_note(&yamba->diagnostics, d, kb_class_place(candidate), "%.*s",
				KB_SHORT(candidate->name));
		found = candidate;
	}
	if (!found)
		none_fits(yamba, class, machine);
	return d ? NULL : found;
}

/* ---- the porting sheet ----------------------------------------------------------------------------------- */

static void print_place(FILE *out, struct kb_place place)
{
	unsigned line, column;

	kb_place_find(place, &line, &column);
	fprintf(out, "%s:%u", place.source->path, line);
}

/* Text of several lines, each moved to one column; control characters are not let through. */
static void print_text(FILE *out, struct kb_span text, const char *indent)
{
	bool start = true;

	for (size_t i = 0; i < text.length; i++) {
		char c = text.at[i];

		if (start && (c == ' ' || c == '\t'))
			continue;
		if (c == '\r')
			continue;
		if (start)
			fputs(indent, out);
		start = c == '\n';
		fputc(((unsigned char)c < ' ' && c != '\n' && c != '\t') || c == 0x7f ? '?' : c, out);
	}
	fputc('\n', out);
}

static void print_ports(
	FILE *out, const struct kb_yamba *yamba, const struct kb_yamba_class *class, const struct kb_member *member)
{
	unsigned shown = 0;

	for (size_t i = 0; i < yamba->class_count; i++) {
		const struct kb_yamba_class *port = yamba->classes[i];
		const struct kb_member *own = is_port(port, class) ? kb_class_own(port, member->name) : NULL;

		if (!own || own->abstract)
			continue;
		fprintf(out, "    %.*s", KB_SHORT(port->name));
		if (port->platform)
			fprintf(out, " (%.*s)", KB_SHORT(port->platform->name));
		fputs(", ", out);
		print_place(out, kb_member_place(own));
		fputs(":\n", out);
		print_text(out, own->text, "        ");
		shown++;
	}
	if (!shown)
		fputs("    no port has it yet\n", out);
}

void kb_yamba_port(FILE *out, struct kb_yamba *yamba, const struct kb_yamba_class *class)
{
	const struct kb_yamba_class *blueprint = class;
	struct kb_member **missing;
	size_t count = 0;

	/* A complete class has nothing to supply: the sheet is that of its blueprint. */
	while (blueprint->base && !blueprint->abstract)
		blueprint = blueprint->base;
	missing = kb_yamba_missing(yamba, blueprint);
	while (missing[count])
		count++;
	if (blueprint != class)
		fprintf(out, "%.*s is complete; this is the sheet of its blueprint.\n", KB_SHORT(class->name));
	fprintf(out, "%.*s, ", KB_SHORT(blueprint->name));
	print_place(out, kb_class_place(blueprint));
	fprintf(out, ": a port supplies %zu member%s\n", count, count == 1 ? "" : "s");
	for (size_t i = 0; i < count; i++) {
		fputc('\n', out);
		print_text(out, missing[i]->text, "");
		if (missing[i]->comment.length)
			print_text(out, missing[i]->comment, "    ");
		fputs("    declared in ", out);
		print_place(out, kb_member_place(missing[i]));
		fputc('\n', out);
		print_ports(out, yamba, blueprint, missing[i]);
	}
}
