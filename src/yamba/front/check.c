/* All checks of a class, and those of its declarations. See class.h. */
#include "yamba/front/class.h"

#include <string.h>

#include "yamba/front/type.h"

/* ---- overrides ------------------------------------------------------------------------------------------- */

static void compare(struct kb_yamba *yamba, enum kb_sameness *worst, struct kb_typed mine, struct kb_typed theirs)
{
	enum kb_sameness one = kb_types_compare(yamba->arena, mine, theirs);

	if (one > *worst)
		*worst = one;
}

/* A parameter's name is no part of its type. */
static struct kb_typed type_of(const struct kb_member *member, const struct kb_yamba_parameter *parameter)
{
	return (struct kb_typed){ member->owner->source, parameter->text, parameter->name.length ? parameter->name.at : NULL };
}

static void compare_lists(struct kb_yamba *yamba, enum kb_sameness *worst, const struct kb_member *member,
	const struct kb_yamba_parameter *mine, const struct kb_member *base, const struct kb_yamba_parameter *theirs)
{
	for (; mine && theirs; mine = mine->next, theirs = theirs->next)
		compare(yamba, worst, type_of(member, mine), type_of(base, theirs));
	if (mine || theirs)
		*worst = KB_DIFFERENT;
}

static enum kb_sameness compare_types(
	struct kb_yamba *yamba, const struct kb_member *member, const struct kb_member *base)
{
	enum kb_sameness worst = KB_SAME;
	bool entry = member->kind == KB_MEMBER_ENTRY;

	compare(yamba, &worst,
		(struct kb_typed){ member->owner->source, entry ? member->signature_type : member->type, member->name_at },
		(struct kb_typed){ base->owner->source, entry ? base->signature_type : base->type, base->name_at });
	compare_lists(yamba, &worst, member, member->parameters, base, base->parameters);
	compare_lists(yamba, &worst, member, member->signature_parameters, base, base->signature_parameters);
	return worst;
}

static const char *article(const struct kb_member *member)
{
	return member->kind == KB_MEMBER_ENTRY ? "an" : "a";
}

static void check_override(struct kb_yamba *yamba, const struct kb_member *member, const struct kb_member *base)
{
	const char *what = member->kind != base->kind || member->param != base->param ? "kind"
		: member->parameter_count != base->parameter_count ? "number of parameters" : NULL;
	enum kb_sameness types = what ? KB_DIFFERENT : compare_types(yamba, member, base);
	struct kb_diagnostic *d;

	if (types == KB_SAME)
		return;
	if (types == KB_SAME_BUT_SIGN)
		d = kb_diagnose(&yamba->diagnostics, 131, kb_member_place(member), "write the same type in both places",
			"'%.*s' differs in sign from what it overrides", KB_SHORT(member->name));
	else if (what && member->kind != base->kind)
		d = kb_diagnose(&yamba->diagnostics, 130, kb_member_place(member), "use the same kind, or another name",
			"'%.*s' is %s %s and overrides %s %s", KB_SHORT(member->name), article(member),
			kb_member_kind_name(member), article(base), kb_member_kind_name(base));
	else
		d = kb_diagnose(&yamba->diagnostics, 130, kb_member_place(member),
			"write it as it is declared, or use another name", "'%.*s' overrides one of another %s",
			KB_SHORT(member->name), what ? what : "type");
	kb_diagnose_note(&yamba->diagnostics, d, kb_member_place(base), "it is declared here: %.*s",
		KB_SHORT(base->text));
}

/* ---- what is missing ------------------------------------------------------------------------------------- */

struct kb_member **kb_yamba_missing(struct kb_yamba *yamba, const struct kb_yamba_class *class)
{
	const struct kb_yamba_class *line[KB_CLASS_DEPTH_MAX + 1];
	struct kb_member **missing = NULL;
	size_t count = 0, room = 0;
	unsigned depth = kb_class_line(class, line);

	/* Bases first, so that a port is told in the order of the blueprint. */
	while (depth-- > 0) {
		for (struct kb_member *member = line[depth]->members; member; member = member->next) {
			if (!member->abstract || kb_class_member(class, member->name) != member)
				continue;
			missing = kb_arena_room(yamba->arena, missing, count, &room, sizeof *missing);
			missing[count++] = member;
		}
	}
	missing = kb_arena_room(yamba->arena, missing, count, &room, sizeof *missing);
	missing[count] = NULL;
	return missing;
}

/* Most classes below a complete one are complete, which need not be found out by looking at all members above. */
static bool is_complete(const struct kb_yamba_class *class)
{
	if (class->base && !class->base->complete)
		return false;
	for (const struct kb_member *member = class->members; member; member = member->next) {
		if (member->abstract)
			return false;
	}
	return true;
}

static void check_abstract(struct kb_yamba *yamba, struct kb_yamba_class *class)
{
	struct kb_member **missing;
	struct kb_diagnostic *d;

	class->complete = is_complete(class);
	if (class->abstract || class->complete)
		return;
	missing = kb_yamba_missing(yamba, class);
	class->complete = !missing[0];
	if (class->complete)
		return;
	d = kb_diagnose(&yamba->diagnostics, 140, kb_class_place(class),
		"supply what is missing, or mark the class abstract",
		"class '%.*s' is not abstract, but has no '%.*s'%s", KB_SHORT(class->name), KB_SHORT(missing[0]->name),
		missing[1] ? " and more" : "");
	for (size_t i = 0; missing[i]; i++)
		kb_diagnose_note(&yamba->diagnostics, d, kb_member_place(missing[i]), "missing: %.*s",
			KB_SHORT(missing[i]->text));
}

/* ---- functions that are called --------------------------------------------------------------------------- */

/* One that prepares or judges what is not there: its benchmark() was forgotten, or has another name. */
static void check_roles(struct kb_yamba *yamba, const struct kb_yamba_class *class)
{
	static const char *const roles[] = { "setup", "teardown", "before", "after", "benchmark_dummy", "operations", "check" };
	const struct kb_member *role = NULL;

	if (class->abstract || kb_class_member(class, (struct kb_span){ "benchmark", 9 }))
		return;
	for (size_t i = 0; i < sizeof roles / sizeof roles[0] && !role; i++) {
		role = kb_class_member(class, (struct kb_span){ roles[i], strlen(roles[i]) });
		role = role && role->kind == KB_MEMBER_FUNCTION ? role : NULL;
	}
	if (role)
		kb_diagnose_note(&yamba->diagnostics, kb_diagnose(&yamba->diagnostics, 142, kb_class_place(class),
			"write void benchmark(void) { ... }, or mark the class abstract", "class '%.*s' has %.*s(), but no benchmark()",
			KB_SHORT(class->name), KB_SHORT(role->name)), kb_member_place(role), "it is declared here");
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

void kb_yamba_check_class(struct kb_yamba *yamba, struct kb_yamba_class *class)
{
	if (class->checked || class->twice)
		return;
	class->checked = true;
	/* The files from which it takes something: what is wrong there is wrong here. */
	for (const struct kb_yamba_class *base = class; base; base = base->base)
		base->source->wanted = true;
	/* Own members against those they override: Y130, Y131. */
	for (size_t i = 0; class->base && i < class->sorted_count; i++) {
		const struct kb_member *base = kb_class_member(class->base, class->sorted[i]->name);

		if (base)
			check_override(yamba, class->sorted[i], base);
	}
	kb_check_values(yamba, class);
	check_abstract(yamba, class);
	check_roles(yamba, class);
	kb_check_bodies(yamba, class);
	kb_check_recursion(yamba, class);
}
