/* See class.h. Members are sorted once for each class, and a lookup walks up the bases. */
#include "yamba/front/class.h"

#include <stdlib.h>
#include <string.h>

#include "code/target.h"
#include "yamba/front/suggest.h"

struct kb_place kb_class_place(const struct kb_yamba_class *class)
{
	return (struct kb_place){ class->source, class->name_at };
}

struct kb_place kb_member_place(const struct kb_member *member)
{
	return (struct kb_place){ member->owner->source, member->name_at };
}

const char *kb_member_kind_name(const struct kb_member *member)
{
	static const char *const names[] = { [KB_MEMBER_BITSTRING] = "bitstring", [KB_MEMBER_ENTRY] = "entry",
					     [KB_MEMBER_DATA] = "datum", [KB_MEMBER_FUNCTION] = "C function" };

	return member->param ? "param" : names[member->kind];
}

static int compare_names(struct kb_span a, struct kb_span b)
{
	int order = memcmp(a.at, b.at, a.length < b.length ? a.length : b.length);

	return order ? order : a.length < b.length ? -1 : a.length > b.length;
}

/* ---- lookups --------------------------------------------------------------------------------------------- */

/* Both classes and members begin with their names. */
static int order_of_name(const void *name, const void *at)
{
	return compare_names(*(const struct kb_span *)name, **(struct kb_span *const *)at);
}

static void *find(const void *list, size_t count, struct kb_span name)
{
	void *const *at = count ? bsearch(&name, list, count, sizeof(void *), order_of_name) : NULL;

	return at ? *at : NULL;
}

struct kb_yamba_class *kb_yamba_find(const struct kb_yamba *yamba, struct kb_span name)
{
	return find(yamba->classes, yamba->class_count, name);
}

struct kb_member *kb_class_own(const struct kb_yamba_class *class, struct kb_span name)
{
	return find(class->sorted, class->sorted_count, name);
}

struct kb_member *kb_class_member(const struct kb_yamba_class *class, struct kb_span name)
{
	struct kb_member *member = NULL;

	for (; class && !member; class = class->base)
		member = kb_class_own(class, name);
	return member;
}

struct kb_member *kb_class_entry_of(const struct kb_yamba_class *class, struct kb_span type_name)
{
	struct kb_span name = { type_name.at, type_name.length - 2 };
	struct kb_member *member;

	if (type_name.length < 3 || memcmp(name.at + name.length, "_t", 2) != 0)
		return NULL;
	member = kb_class_member(class, name);
	return member && member->kind == KB_MEMBER_ENTRY ? member : NULL;
}

unsigned kb_intrinsic(struct kb_span name, bool *big_endian)
{
	*big_endian = kb_span_in(name, "be16,be32,be64");
	if (!*big_endian && !kb_span_in(name, "le8,le16,le32,le64"))
		return 0;
	return name.at[2] == '8' ? 8 : name.at[2] == '1' ? 16 : name.at[2] == '3' ? 32 : 64;
}

struct kb_yamba_class *kb_class_imported(const struct kb_yamba_class *class, struct kb_span name, bool *named)
{
	*named = false;
	for (; class; class = class->base) {
		for (const struct kb_class_import *import = class->imports; import; import = import->next) {
			if (kb_span_equal(import->name, name)) {
				*named = true;
				return import->class;
			}
		}
	}
	return NULL;
}

bool kb_class_is(const struct kb_yamba_class *class, const struct kb_yamba_class *base)
{
	while (class && class != base)
		class = class->base;
	return class != NULL;
}

unsigned kb_class_line(const struct kb_yamba_class *class, const struct kb_yamba_class *line[KB_CLASS_DEPTH_MAX + 1])
{
	unsigned depth = 0;

	for (; class && depth <= KB_CLASS_DEPTH_MAX; class = class->base)
		line[depth++] = class;
	return depth;
}

/* ---- the table ------------------------------------------------------------------------------------------- */

/* A given class goes before a shipped one, then the order of reading. */
static int by_name(const void *a, const void *b)
{
	const struct kb_yamba_class *x = *(struct kb_yamba_class *const *)a, *y = *(struct kb_yamba_class *const *)b;
	int order = compare_names(x->name, y->name);

	if (order)
		return order;
	if (x->source->shipped != y->source->shipped)
		return x->source->shipped ? 1 : -1;
	if (x->source != y->source)
		return x->source->index < y->source->index ? -1 : 1;
	return x->name_at < y->name_at ? -1 : x->name_at > y->name_at;
}

static void drop_twins(struct kb_yamba *yamba)
{
	size_t kept = 0;

	for (size_t i = 0; i < yamba->class_count; i++) {
		struct kb_yamba_class *class = yamba->classes[i], *first = kept ? yamba->classes[kept - 1] : NULL;

		if (!first || !kb_span_equal(first->name, class->name)) {
			yamba->classes[kept++] = class;
			continue;
		}
		class->twice = true;
		if (first->source->shipped == class->source->shipped) {
			struct kb_diagnostic *d = kb_diagnose(&yamba->diagnostics, 122, kb_class_place(class),
				"give one of them another name", "class '%.*s' is defined twice", KB_SHORT(class->name));

			kb_diagnose_note(&yamba->diagnostics, d, kb_class_place(first), "the other one");
		}
	}
	yamba->class_count = kept;
}

static int by_member_name(const void *a, const void *b)
{
	const struct kb_member *x = *(struct kb_member *const *)a, *y = *(struct kb_member *const *)b;
	int order = compare_names(x->name, y->name);

	return order ? order : x->name_at < y->name_at ? -1 : x->name_at > y->name_at;
}

static void sort_members(struct kb_yamba *yamba, struct kb_yamba_class *class)
{
	size_t count = 0, kept = 0, room = 0;

	for (struct kb_member *member = class->members; member; member = member->next) {
		class->sorted = kb_arena_room(yamba->arena, class->sorted, count, &room, sizeof *class->sorted);
		class->sorted[count++] = member;
	}
	if (count)
		qsort(class->sorted, count, sizeof *class->sorted, by_member_name);
	for (size_t i = 0; i < count; i++) {
		struct kb_member *member = class->sorted[i], *first = kept ? class->sorted[kept - 1] : NULL;

		if (first && kb_span_equal(first->name, member->name)) {
			struct kb_diagnostic *d = kb_diagnose(&yamba->diagnostics, 122, kb_member_place(member),
				"give one of them another name; declarations before use are not needed",
				"'%.*s' is defined twice in this class", KB_SHORT(member->name));

			kb_diagnose_note(&yamba->diagnostics, d, kb_member_place(first), "the other one");
		} else {
			class->sorted[kept++] = member;
		}
	}
	class->sorted_count = kept;
}

/* ---- bases ----------------------------------------------------------------------------------------------- */

static struct kb_yamba_class *find_class(
	struct kb_yamba *yamba, const struct kb_yamba_class *user, struct kb_span name, const char *at)
{
	struct kb_yamba_class *found = kb_yamba_find(yamba, name);

	if (!found)
		kb_diagnose(&yamba->diagnostics, 122, (struct kb_place){ user->source, at },
			kb_suggest_class(yamba, name, "classes are looked up in this file, what it transcludes, and the library"),
			"there is no class '%.*s'", KB_SHORT(name));
	return found;
}

/* Of classes that extend each other the one that stands first loses its base. */
static void break_cycle(struct kb_yamba *yamba, struct kb_yamba_class *in)
{
	struct kb_yamba_class *first = in, *class = in;
	struct kb_diagnostic *d;

	do {
		if (class->source->index < first->source->index ||
		    (class->source == first->source && class->name_at < first->name_at))
			first = class;
		class = class->base;
	} while (class != in);
	d = kb_diagnose(&yamba->diagnostics, 120, (struct kb_place){ first->source, first->base_at },
		"let one of them extend nothing", "class '%.*s' extends itself%s", KB_SHORT(first->name), first->base == first ? "" : " through others");
	for (class = first->base; class != first; class = class->base)
		kb_diagnose_note(&yamba->diagnostics, d, kb_class_place(class), "through '%.*s'", KB_SHORT(class->name));
	first->base = NULL;
}

/* Marks: `walk` on the present way up, done before it. */
static void find_cycle(struct kb_yamba *yamba, struct kb_yamba_class *start, unsigned walk)
{
	struct kb_yamba_class *class = start;

	while (class && class->mark == 0) {
		class->mark = walk;
		class = class->base;
	}
	if (class && class->mark == walk)
		break_cycle(yamba, class);
}

static void limit_depth(struct kb_yamba *yamba, struct kb_yamba_class *class)
{
	unsigned depth = 0;

	for (const struct kb_yamba_class *base = class->base; base && depth <= KB_CLASS_DEPTH_MAX; base = base->base)
		depth++;
	if (depth <= KB_CLASS_DEPTH_MAX)
		return;
	kb_diagnose(&yamba->diagnostics, 120, (struct kb_place){ class->source, class->base_at },
		"make the chain shorter", "more than %d classes stand above this one", KB_CLASS_DEPTH_MAX);
	class->base = NULL;
}

/* ---- parameters -------------------------------------------------------------------------------------------- */

bool kb_is_bitstring_parameter(const struct kb_yamba_parameter *parameter)
{
	return kb_span_starts(parameter->text, "bitstring") && parameter->text.length > 9 && kb_is_blank(parameter->text.at[9]);
}

const struct kb_yamba_parameter *kb_bitstring_parameter(const struct kb_member *member, struct kb_span name)
{
	const struct kb_yamba_parameter *parameter = member->parameters;

	while (parameter && !(kb_span_equal(parameter->name, name) && kb_is_bitstring_parameter(parameter)))
		parameter = parameter->next;
	return parameter;
}

/* ---- data that mean something here ------------------------------------------------------------------------ */

bool kb_c_literal(struct kb_yamba *yamba, const struct kb_yamba_source *source, struct kb_span init, struct kb_span *text)
{
	char *joined = kb_arena_take(yamba->arena, init.length + 1);
	struct kb_lexer lexer;

	*text = (struct kb_span){ joined, 0 };
	kb_lexer_start(&lexer, source, NULL, init);
	for (; lexer.token.kind == KB_TOKEN_STRING && lexer.token.text.length >= 2; kb_lexer_next(&lexer)) {
		memcpy(joined + text->length, lexer.token.text.at + 1, lexer.token.text.length - 2);
		text->length += lexer.token.text.length - 2;
	}
	return lexer.token.kind == KB_TOKEN_END;
}

struct kb_span kb_class_literal(struct kb_yamba *yamba, const struct kb_yamba_class *class, const char *name)
{
	const struct kb_member *member = kb_class_member(class, (struct kb_span){ name, strlen(name) });
	struct kb_span text;

	if (!member || member->kind != KB_MEMBER_DATA || !member->init.at ||
	    !kb_c_literal(yamba, member->owner->source, member->init, &text))
		return (struct kb_span){ "", 0 };
	return text;
}

const char *kb_class_directives(struct kb_yamba *yamba, const struct kb_yamba_class *class)
{
	const char *all = "";

	for (; class; class = class->base) {
		for (const struct kb_class_import *import = class->imports; import; import = import->next) {
			struct kb_span text = import->class ? kb_class_literal(yamba, import->class, "assembler") : (struct kb_span){ "", 0 };

			if (text.length)
				all = kb_arena_format(yamba->arena, "%s%.*s\n", all, (int)text.length, text.at);
		}
	}
	return all;
}

/* ---- imports and platforms ------------------------------------------------------------------------------- */

static void find_imports(struct kb_yamba *yamba, struct kb_yamba_class *class)
{
	for (struct kb_class_import *import = class->imports; import; import = import->next) {
		struct kb_diagnostic *d;

		import->class = find_class(yamba, class, import->name, import->at);
		if (!import->class || !import->class->abstract)
			continue;
		d = kb_diagnose(&yamba->diagnostics, 123, (struct kb_place){ class->source, import->at },
			"import a concrete class", "class '%.*s' is abstract and cannot be imported", KB_SHORT(import->name));
		kb_diagnose_note(&yamba->diagnostics, d, kb_class_place(import->class), "it is declared here");
		import->class = NULL;
	}
}

static void add_platform(
	struct kb_yamba *yamba, struct kb_yamba_class *class, const struct kb_yamba_class *other, const char *at)
{
	struct kb_diagnostic *d;

	if (!class->os)
		class->os = other->os;
	if (!class->processor)
		class->processor = other->processor;
	if (!other->platform || class->platform == other->platform)
		return;
	if (!class->platform) {
		class->platform = other->platform;
		return;
	}
	d = kb_diagnose(&yamba->diagnostics, 150, (struct kb_place){ class->source, at },
		"a class is of one platform; put the other part into another class",
		"class '%.*s' is of two platforms, %.*s and %.*s", KB_SHORT(class->name),
		KB_SHORT(class->platform->name), KB_SHORT(other->platform->name));
	kb_diagnose_note(&yamba->diagnostics, d, kb_class_place(other), "this one is of %.*s",
		KB_SHORT(other->platform->name));
}

/* After those it depends on; `mark` 1 means done or on the way, for imports may lead back. */
static void find_platform(struct kb_yamba *yamba, struct kb_yamba_class *class, unsigned depth)
{
	if (class->mark || depth > 4 * KB_CLASS_DEPTH_MAX)
		return;
	class->mark = 1;
	/* The class of a target bears its name. */
	if (kb_target_find(kb_arena_string(yamba->arena, class->name)))
		class->platform = class;
	else if (kb_span_in(class->name, "linux,darwin"))
		class->os = class;
	else if (kb_class_literal(yamba, class, "processors").length)
		class->processor = class;
	if (class->base) {
		find_platform(yamba, class->base, depth + 1);
		add_platform(yamba, class, class->base, class->base_at);
	}
	for (const struct kb_class_import *import = class->imports; import; import = import->next) {
		if (import->class) {
			find_platform(yamba, import->class, depth + 1);
			add_platform(yamba, class, import->class, import->at);
		}
	}
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

void kb_yamba_resolve(struct kb_yamba *yamba)
{
	unsigned walk = 0;
	size_t room = 0;

	for (const struct kb_yamba_source *source = yamba->sources; source; source = source->next)
		for (struct kb_yamba_class *class = source->classes; class; class = class->next) {
			yamba->classes = kb_arena_room(yamba->arena, yamba->classes, yamba->class_count, &room, sizeof *yamba->classes);
			yamba->classes[yamba->class_count++] = class;
		}
	if (yamba->class_count)
		qsort(yamba->classes, yamba->class_count, sizeof *yamba->classes, by_name);
	for (size_t i = 0; i < yamba->class_count; i++)
		sort_members(yamba, yamba->classes[i]);
	drop_twins(yamba);
	for (size_t i = 0; i < yamba->class_count; i++) {
		struct kb_yamba_class *class = yamba->classes[i];

		class->base = class->base_name.length ? find_class(yamba, class, class->base_name, class->base_at) : NULL;
	}
	for (size_t i = 0; i < yamba->class_count; i++)
		find_cycle(yamba, yamba->classes[i], ++walk);
	for (size_t i = 0; i < yamba->class_count; i++) {
		limit_depth(yamba, yamba->classes[i]);
		yamba->classes[i]->mark = 0;
	}
	for (size_t i = 0; i < yamba->class_count; i++)
		find_imports(yamba, yamba->classes[i]);
	for (size_t i = 0; i < yamba->class_count; i++)
		find_platform(yamba, yamba->classes[i], 0);
	yamba->marks = 1;               /* which they bear now */
}
