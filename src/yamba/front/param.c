/* Params: which types they have, their defaults, new values in derived classes, settings of the user (section 6). */
#include "yamba/front/class.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "yamba/front/suggest.h"
#include "yamba/front/type.h"

/* ---- one value ------------------------------------------------------------------------------------------- */

/* Digits of C, decimal, hexadecimal, octal or binary, with what C and sizes allow behind: 0x10u, 4K. */
static bool is_whole(struct kb_span text)
{
	static const char suffixes[] = "uUlLkKmMgG";
	bool hex = kb_span_starts(text, "0x") || kb_span_starts(text, "0X");
	size_t i = hex ? 2 : 0, digits = 0;

	for (; i < text.length && (hex ? isxdigit((unsigned char)text.at[i]) : kb_is_digit(text.at[i])); i++)
		digits++;
	for (size_t behind = 0; i < text.length; i++, behind++) {
		if (behind == 3 || text.at[i] == '\0' || !strchr(suffixes, text.at[i]))
			return false;
	}
	return digits > 0;
}

static bool is_number(struct kb_span text)
{
	bool point = false;

	for (size_t i = 0; i < text.length; i++)
		point |= text.at[i] && strchr(".eEp", text.at[i]);
	return is_whole(text) || point;
}

static const char *type_name(enum kb_param_type type)
{
	static const char *const names[] = { [KB_PARAM_INTEGER] = "an integer",
		[KB_PARAM_UNSIGNED] = "an integer without sign",
		[KB_PARAM_DOUBLE] = "a number",
		[KB_PARAM_STRING] = "a text in double quotes",
		[KB_PARAM_BOOLEAN] = "true or false",
		[KB_PARAM_OTHER] = "a value of its type",
		[KB_PARAM_REFUSED] = "a value" };

	return names[type];
}

static bool fits(const struct kb_yamba_source *source, enum kb_param_type type, struct kb_span init)
{
	struct kb_lexer lexer;
	bool negative = false;

	kb_lexer_start(&lexer, source, NULL, init);
	lexer.skip_hash = true;
	if (kb_token_mark(&lexer.token, '-') || kb_token_mark(&lexer.token, '+')) {
		negative = lexer.token.mark == '-';
		kb_lexer_next(&lexer);
	}
	if (kb_lexer_peek(&lexer).kind != KB_TOKEN_END)
		return true;

	/* Only a literal alone, with a sign, is judged; what is an expression is for the C compiler. */
	bool name = lexer.token.kind == KB_TOKEN_NAME, number = lexer.token.kind == KB_TOKEN_NUMBER;

	if (type == KB_PARAM_STRING)
		return lexer.token.kind == KB_TOKEN_STRING || name || kb_span_is(lexer.token.text, "0");
	if (type == KB_PARAM_DOUBLE)
		return name || (number && is_number(lexer.token.text));
	if (type != KB_PARAM_INTEGER && type != KB_PARAM_UNSIGNED)
		return true;
	return !(negative && type == KB_PARAM_UNSIGNED) &&
		(name || lexer.token.kind == KB_TOKEN_CHARACTER || (number && is_whole(lexer.token.text)));
}

static enum kb_param_type type_of(struct kb_yamba *yamba, const struct kb_member *member)
{
	return kb_type_of_param(
		yamba->arena, (struct kb_typed){ member->owner->source, member->type, member->name_at });
}

/* ---- declarations and new values ------------------------------------------------------------------------- */

static void check_init(
	struct kb_yamba *yamba, const struct kb_yamba_class *class, const struct kb_member *member, struct kb_span init)
{
	enum kb_param_type type = type_of(yamba, member);
	struct kb_diagnostic *d;

	if (!init.at || fits(class->source, type, init))
		return;
	d = kb_diagnose(&yamba->diagnostics, 162, (struct kb_place){ class->source, init.at },
		"write a value of its type", "param '%.*s' is %s", KB_SHORT(member->name), type_name(type));
	if (member->owner != class)
		kb_diagnose_note(&yamba->diagnostics, d, kb_member_place(member), "it is declared here");
}

static void check_param(struct kb_yamba *yamba, const struct kb_member *member)
{
	if (!member->param)
		return;
	if (type_of(yamba, member) == KB_PARAM_REFUSED)
		kb_diagnose(&yamba->diagnostics, 162, kb_member_place(member),
			"use an integer, double, bool, char * or an enumeration",
			"'%.*s' has a type that no setting can have", KB_SHORT(member->name));
	else
		check_init(yamba, member->owner, member, member->init);
}

/* Data with a meaning for benchmarks: a word of another meaning would be taken for none. */
static void check_word(
	struct kb_yamba *yamba, const struct kb_yamba_class *class, const struct kb_member *member, struct kb_span init)
{
	static const struct { const char *name, *words, *remedy; } known[] = {
		{ "bound", "kernel,latency,issue,memory", "write \"latency\", \"issue\", \"memory\" or \"kernel\"" },
		{ "suite", "quick,standard,full,manual", "write \"quick\", \"standard\", \"full\" or \"manual\"" } };
	struct kb_lexer lexer;

	if (member->kind != KB_MEMBER_DATA || member->param || !init.at)
		return;
	kb_lexer_start(&lexer, class->source, NULL, init);

	struct kb_span text = lexer.token.text;

	if (lexer.token.kind != KB_TOKEN_STRING || text.length < 2 || kb_lexer_peek(&lexer).kind != KB_TOKEN_END)
		return;
	text = (struct kb_span){ text.at + 1, text.length - 2 };
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		if (kb_span_is(member->name, known[i].name) && !kb_list_has(known[i].words, kb_arena_string(yamba->arena, text)))
			kb_diagnose(&yamba->diagnostics, 162, (struct kb_place){ class->source, init.at },
				known[i].remedy, "'%.*s' is no %s", KB_SHORT(text), known[i].name);
	}
}

static void check_value(struct kb_yamba *yamba, const struct kb_yamba_class *class, const struct kb_yamba_value *value)
{
	const struct kb_member *member = kb_class_member(class->base, value->name);
	struct kb_diagnostic *d;

	if (member && member->kind == KB_MEMBER_DATA) {
		if (member->param)
			check_init(yamba, class, member, value->init);
		check_word(yamba, class, member, value->init);
		return;
	}
	d = kb_diagnose(&yamba->diagnostics, 162, (struct kb_place){ class->source, value->name_at },
		"a new value is for a datum that the class inherits; to declare one, write TYPE NAME = VALUE;",
		member ? "'%.*s' is no datum" : "no inherited datum is called '%.*s'", KB_SHORT(value->name));
	if (!member)
		member = kb_class_own(class, value->name);
	if (member)
		kb_diagnose_note(&yamba->diagnostics, d, kb_member_place(member), "it is declared here");
}

void kb_check_values(struct kb_yamba *yamba, const struct kb_yamba_class *class)
{
	for (const struct kb_member *member = class->members; member; member = member->next) {
		check_param(yamba, member);
		check_word(yamba, class, member, member->init);
	}
	for (const struct kb_yamba_value *value = class->values; value; value = value->next)
		check_value(yamba, class, value);
}

/* ---- before a start -------------------------------------------------------------------------------------- */

/* From the command line there are no quotes, and words are constants of an enumeration. */
static bool setting_fits(enum kb_param_type type, const char *value)
{
	struct kb_span text = { value, strlen(value) };
	bool negative = value[0] == '-';

	if (type == KB_PARAM_STRING)
		return true;
	if (type == KB_PARAM_BOOLEAN)
		return kb_span_is(text, "true") || kb_span_is(text, "false");
	if (negative)
		text = (struct kb_span){ text.at + 1, text.length - 1 };
	if (text.length == 0)
		return false;
	for (size_t i = 0; i < text.length; i++) {
		if (!kb_is_letter(text.at[i]) && text.at[i] != '.' && text.at[i] != '-' && text.at[i] != '+')
			return false;
	}
	if (type == KB_PARAM_DOUBLE)
		return (kb_is_digit(text.at[0]) || text.at[0] == '.') && is_number(text);
	if (kb_is_digit(text.at[0]))
		return is_whole(text) && !(negative && type == KB_PARAM_UNSIGNED);
	/* Only a type that we do not know can be an enumeration. */
	return type == KB_PARAM_OTHER && !negative;
}

/* Whether what it imports, at some distance, is that class; each is looked at once, for imports may lead back. */
static bool takes_in(const struct kb_yamba_class *class, const struct kb_yamba_class *wanted, unsigned mark, unsigned depth)
{
	for (; class && depth <= KB_CLASS_DEPTH_MAX; class = class->base) {
		for (const struct kb_class_import *import = class->imports; import; import = import->next) {
			bool fresh = import->class && import->class->mark != mark;

			if (fresh)
				import->class->mark = mark;
			if (fresh && (import->class == wanted || takes_in(import->class, wanted, mark, depth + 1)))
				return true;
		}
	}
	return false;
}

/* NAME of the program, or CLASS.NAME of one that it imports. */
static const struct kb_member *param_called(struct kb_yamba *yamba, const struct kb_yamba_class *program, struct kb_span name)
{
	const char *point = memchr(name.at, '.', name.length);
	const struct kb_yamba_class *class = program;
	const struct kb_member *member;

	if (point) {
		class = kb_yamba_find(yamba, (struct kb_span){ name.at, (size_t)(point - name.at) });
		name = (struct kb_span){ point + 1, name.length - (size_t)(point + 1 - name.at) };
		if (!class || !takes_in(program, class, ++yamba->marks, 0))
			return NULL;
	}
	member = kb_class_member(class, name);
	return member && member->param ? member : NULL;
}

static void check_setting(struct kb_yamba *yamba, const struct kb_yamba_class *program, const char *setting)
{
	struct kb_span text = { setting, strlen(setting) }, name, value;
	const struct kb_member *member;
	struct kb_diagnostic *d;

	if (!kb_span_pair(text, &name, &value))
		name = text;
	member = param_called(yamba, program, name);
	if (!member) {
		kb_diagnose(&yamba->diagnostics, 162, kb_class_place(program),
			kb_suggest_member(yamba, program, name, "set a param of the program"),
			"-p %.60s: '%.*s' has no param '%.*s'", setting, KB_SHORT(program->name), KB_SHORT(name));
	} else if (name.length == text.length || !setting_fits(type_of(yamba, member), value.at)) {
		d = kb_diagnose(&yamba->diagnostics, 162, kb_class_place(program),
			"write -p NAME=VALUE, where sizes may end in K, M or G", "-p %.60s: param '%.*s' is %s",
			setting, KB_SHORT(member->name), type_name(type_of(yamba, member)));
		kb_diagnose_note(&yamba->diagnostics, d, kb_member_place(member), "it is declared here");
	}
}

/* What a start is checked with. */
struct start {
	struct kb_yamba *yamba;
	const struct kb_yamba_class *program;
	const char *const *settings;
	size_t count;
	unsigned mark;                  /* of the members that were looked at */
};

static bool is_given(const struct start *start, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < start->count; i++) {
		if (strncmp(start->settings[i], name, length) == 0 && start->settings[i][length] == '=')
			return true;
	}
	return false;
}

/* In the class that the program is, or imports. */
static bool has_value(const struct kb_yamba_class *class, const struct kb_member *param)
{
	for (; class && class != param->owner; class = class->base) {
		for (const struct kb_yamba_value *value = class->values; value; value = value->next) {
			if (kb_span_equal(value->name, param->name))
				return true;
		}
	}
	return param->init.at;
}

static void check_has_value(const struct start *start, const struct kb_yamba_class *class, struct kb_member *member)
{
	struct kb_arena *arena = start->yamba->arena;
	const char *of = class == start->program ? "" : kb_arena_format(arena, "%.*s.", KB_SHORT(class->name));
	const char *name = kb_arena_format(arena, "%s%.*s", of, (int)member->name.length, member->name.at);
	const char *comment = kb_comment_text(arena, member->comment, false);

	member->mark = start->mark;
	if (has_value(class, member) || is_given(start, name))
		return;
	kb_diagnose(&start->yamba->diagnostics, 160, kb_member_place(member), kb_arena_format(arena,
		"set it with -p %.80s=VALUE, or in the class", name), "param '%.*s' of '%.*s' has no value: %.200s",
		KB_SHORT(member->name), KB_SHORT(member->owner->name), comment[0] ? comment : "it has no comment");
}

/* Classes above this one and those that it imports; a member has a mark, for imports may lead back. */
static void check_values(const struct start *start, const struct kb_yamba_class *class, unsigned depth)
{
	for (const struct kb_yamba_class *part = class; part && depth <= KB_CLASS_DEPTH_MAX; part = part->base) {
		for (struct kb_member *member = part->members; member; member = member->next) {
			if (member->param && member->mark != start->mark && kb_class_member(class, member->name) == member)
				check_has_value(start, class, member);
		}
		for (const struct kb_class_import *import = part->imports; import; import = import->next) {
			if (import->class && import->class->mark != start->mark) {
				import->class->mark = start->mark;
				check_values(start, import->class, depth + 1);
			}
		}
	}
}

void kb_yamba_check_start(
	struct kb_yamba *yamba, struct kb_yamba_class *program, const char *const *settings, size_t count)
{
	struct start start = { .yamba = yamba, .program = program, .settings = settings, .count = count };

	for (size_t i = 0; i < count; i++)
		check_setting(yamba, program, settings[i]);
	start.mark = ++yamba->marks;
	check_values(&start, program, 0);
}
