/* Members of a class: imports, bitstrings, data, values, C functions. See parse.h. */
#include "yamba/front/c_text.h"
#include "yamba/front/parse.h"

/* ---- around a member ------------------------------------------------------------------------------------- */

/* To the next member: behind a ';' or a block, or at the end of the class. */
static void recover(struct kb_parser *p)
{
	struct kb_lexer *lexer = &p->lexer;
	struct kb_span inside;

	while (lexer->token.kind != KB_TOKEN_END && !kb_at_mark(p, '}') && !kb_at_class(lexer) && !kb_at_member(p) &&
		!kb_skip_mark(p, ';')) {
		if (kb_at_mark(p, '{')) {
			/* A block that closes ends what was wrong; one that does not was reported. */
			kb_c_group(lexer, &inside);
			return;
		}
		kb_lexer_next(lexer);
	}
}

/* A comment behind the member on its last line, else what stands above it. */
static struct kb_span comment_of(const struct kb_parser *p, const char *end, struct kb_span above)
{
	const char *stop = p->source->text + p->source->length, *behind;
	bool closed;

	while (end < stop && (*end == ' ' || *end == '\t'))
		end++;
	behind = kb_skip_comment(end, stop, &closed);
	while (behind > end && behind[-1] == '\r')
		behind--;
	return behind > end ? (struct kb_span){ end, (size_t)(behind - end) } : above;
}

/* ---- parameters ------------------------------------------------------------------------------------------ */

static bool is_type_word(struct kb_span word)
{
	return kb_span_in(word, KB_C_TYPE_WORDS);
}

/* The last name is the parameter's, unless it is the type: `int`, `struct x`, `size_t` alone. In `void (*f)(int)` it is
   the one behind the star. */
static struct kb_span parameter_name(struct kb_parser *p, struct kb_span text)
{
	struct kb_lexer lexer;
	struct kb_span name = { text.at, 0 }, inside;
	unsigned words = 0;
	bool tag = false, was_tag = false;

	kb_lexer_start(&lexer, p->source, NULL, text);
	lexer.skip_hash = true;
	for (; lexer.token.kind != KB_TOKEN_END; kb_lexer_next(&lexer)) {
		if (kb_token_mark(&lexer.token, '[') && !kb_c_group(&lexer, &inside))
			break;
		if (kb_token_mark(&lexer.token, '(') && name.length && words > 1 && !kb_is_letter(*text.at))
			break;
		if (kb_token_mark(&lexer.token, ')') && name.length)
			break;
		if (lexer.token.kind != KB_TOKEN_NAME)
			continue;
		was_tag = tag;
		tag = kb_token_in(&lexer.token, "struct,union,enum");
		words += !kb_token_in(&lexer.token, "const,volatile");
		name = lexer.token.text;
	}
	if (words < 2 || was_tag || is_type_word(name))
		name.length = 0;
	return name;
}

static struct kb_span trim(struct kb_span text)
{
	for (; text.length && kb_is_blank(*text.at); text.length--)
		text.at++;
	while (text.length && kb_is_blank(text.at[text.length - 1]))
		text.length--;
	return text;
}

/* In text of which the end is known. */
static void parse_parameter_text(struct kb_parser *p, struct kb_span text, struct kb_yamba_parameter **end, unsigned *count)
{
	struct kb_lexer lexer;
	struct kb_span all = trim(text);
	bool more = all.length > 0 && !kb_span_is(all, "void");

	kb_lexer_start(&lexer, p->source, NULL, text);
	for (*count = 0; more; ++*count) {
		struct kb_yamba_parameter *parameter = kb_arena_take(p->arena, sizeof *parameter);

		more = kb_c_part(&lexer, ',', &parameter->text);
		parameter->text = trim(parameter->text);
		parameter->name = parameter_name(p, parameter->text);
		*end = parameter;
		end = &parameter->next;
	}
}

/* At '('. */
static bool parse_parameters(struct kb_parser *p, struct kb_yamba_parameter **list, unsigned *count)
{
	struct kb_span inside;

	if (!kb_c_group(&p->lexer, &inside))
		return false;
	parse_parameter_text(p, inside, list, count);
	/* In C text our words are none. */
	for (struct kb_yamba_parameter *parameter = *list; parameter; parameter = parameter->next) {
		if (parameter->name.length && !kb_is_keyword(parameter->name))
			kb_check_defined(p, parameter->name, parameter->name.at);
	}
	return true;
}

/* ---- import and value ------------------------------------------------------------------------------------ */

static bool parse_import(struct kb_parser *p)
{
	static const char remedy[] = "write import(CLASS);";
	struct kb_class_import *import = kb_arena_take(p->arena, sizeof *import);

	kb_lexer_next(&p->lexer);
	if (!kb_take_mark(p, '(', remedy))
		return false;
	import->at = p->lexer.token.text.at;
	import->name = kb_parse_name(p, "the name of a class");
	if (import->name.length == 0 || !kb_take_mark(p, ')', remedy))
		return false;
	*p->imports_end = import;
	p->imports_end = &import->next;
	return kb_take_mark(p, ';', "end the import with ';'");
}

/* NAME = init; */
static bool parse_value(struct kb_parser *p)
{
	struct kb_yamba_value *value = kb_arena_take(p->arena, sizeof *value);
	const char *start = p->lexer.token.text.at;

	value->name = p->lexer.token.text;
	value->name_at = start;
	kb_lexer_next(&p->lexer);
	kb_lexer_next(&p->lexer);
	if (!kb_c_until(&p->lexer, ";", &value->init))
		return false;
	if (value->init.length == 0) {
		kb_expected(p, "a value", "write NAME = VALUE;");
		return false;
	}
	kb_lexer_next(&p->lexer);
	value->text = kb_text_since(p, start);
	*p->values_end = value;
	p->values_end = &value->next;
	return true;
}

/* ---- bitstring ------------------------------------------------------------------------------------------- */

/* <RET name(ARGS)>: over the type, in which '<' and '>' cannot stand outside parentheses. */
static bool parse_signature(struct kb_parser *p, struct kb_member *member)
{
	static const char remedy[] = "write bitstring<RETURN_TYPE any_name(PARAMETERS)> NAME";
	const char *start, *type_end, *opener = p->lexer.token.text.at;
	struct kb_span inside;
	unsigned count;

	member->kind = KB_MEMBER_ENTRY;
	kb_lexer_next(&p->lexer);
	start = type_end = p->lexer.token.text.at;
	/* The last word is the name, which means nothing. */
	for (; p->lexer.token.kind == KB_TOKEN_NAME || kb_at_mark(p, '*'); kb_lexer_next(&p->lexer))
		type_end = kb_at_mark(p, '*') ? p->lexer.at : p->lexer.token.text.at;
	if (p->lexer.token.kind == KB_TOKEN_END || kb_at_class(&p->lexer)) {
		if (!p->lexer.broken)
			kb_diagnose(p->diagnostics, 102, (struct kb_place){ p->source, opener },
				"close the type with '>'", "this '<' has no end");
		return false;
	}
	if (!kb_take_group(p, '(', remedy, &inside))
		return false;
	parse_parameter_text(p, inside, &member->signature_parameters, &count);
	member->signature_type = trim((struct kb_span){ start, (size_t)(type_end - start) });
	member->signature = (struct kb_span){ start, (size_t)(inside.at + inside.length + 1 - start) };
	if (member->signature_type.length == 0) {
		kb_diagnose(p->diagnostics, 100, (struct kb_place){ p->source, start }, remedy,
			"a return type and a name expected");
		return false;
	}
	return kb_take_mark(p, '>', "close the type with '>'");
}

static bool parse_bits(struct kb_parser *p, struct kb_member *member)
{
	member->kind = KB_MEMBER_BITSTRING;
	kb_lexer_next(&p->lexer);
	if (kb_at_mark(p, '<') && !parse_signature(p, member))
		return false;
	member->name_at = p->lexer.token.text.at;
	member->name = kb_parse_new_name(p, "the name of a bitstring");
	if (member->name.length == 0)
		return false;
	if (kb_at_mark(p, '(') &&
		!parse_parameters(p, &member->parameters, &member->parameter_count))
		return false;
	member->abstract = kb_skip_mark(p, ';');
	if (member->abstract)
		return true;
	if (!kb_at_mark(p, '{')) {
		kb_expected(p, "';' or '{'", "a bitstring has a body in braces, or ';' if a derived class supplies it");
		return false;
	}
	return kb_parse_items(p, &member->items);
}

/* ---- data and C functions -------------------------------------------------------------------------------- */

struct declaration {
	const char *start;
	struct kb_span name;
	const char *name_at;
	unsigned words;         /* of a type, and the name */
	bool tag;               /* a struct, union or enum: braces may follow */
	bool direct;            /* nothing stands between the name and here */
};

static bool declaration_word(struct kb_parser *p, struct declaration *d)
{
	struct kb_token token = p->lexer.token;
	struct kb_span inside;

	if (kb_is_keyword(token.text) && d->words > 0 && !kb_token_in(&token, "if,else,asm")) {
		struct kb_token behind = kb_lexer_peek(&p->lexer);

		/* `int import;` defines a name, in `int x  import(y);` a ';' is missing. */
		if (!kb_token_marks(&behind, ";=")) {
			kb_expected(p, "';'", "end the declaration before with ';'");
			return false;
		}
	}
	d->words++;
	if (kb_token_in(&token, "__attribute__,_Alignas,alignas,typeof,__typeof__,_Atomic,__declspec,_BitInt")) {
		kb_lexer_next(&p->lexer);
		return !kb_at_mark(p, '(') || kb_c_group(&p->lexer, &inside);
	}
	d->tag |= kb_token_in(&token, "struct,union,enum");
	d->name_at = token.text.at;
	d->name = kb_parse_name(p, "a name");
	d->direct = true;
	return true;
}

/* One step of what stands before '(', '=' or ';'. */
static bool declaration_step(struct kb_parser *p, struct declaration *d)
{
	struct kb_span inside;

	if (p->lexer.token.kind == KB_TOKEN_NAME)
		return declaration_word(p, d);
	d->direct = false;
	if (d->words > 0 && kb_skip_mark(p, '*'))
		return true;
	if (kb_at_mark(p, '[') || (kb_at_mark(p, '{') && d->tag))
		return kb_c_group(&p->lexer, &inside);
	if (kb_at_mark(p, ',') && d->words > 1)
		kb_expected(p, "';'", "declare one name at a time");
	else if (kb_at_mark(p, '(') && d->words > 0)
		kb_expected(p, "a name", "write a function pointer through a typedef outside the class");
	else if (kb_at_mark(p, '#'))
		kb_expected(p, "a member", "lines of the preprocessor stand outside classes or inside C functions");
	else if (d->words == 0)
		kb_expected(p, "a member",
			"members are import, bitstring, [param] TYPE NAME [= VALUE];, NAME = VALUE; and C functions");
	else
		kb_expected(p, "';'", "a declaration is written TYPE NAME [= VALUE]; or TYPE NAME(PARAMETERS) ...");
	return false;
}

static bool read_declaration(struct kb_parser *p, struct declaration *d)
{
	while (!kb_token_marks(&p->lexer.token, ";=") && !(kb_at_mark(p, '(') && d->direct && d->words > 1)) {
		if (p->lexer.token.kind == KB_TOKEN_END || kb_at_class(&p->lexer)) {
			kb_expected(p, "';'", "end the declaration with ';'");
			return false;
		}
		if (!declaration_step(p, d))
			return false;
	}
	if (d->words > 1 && d->name.length)
		return true;
	kb_expected(
		p, "a type and a name", "a declaration is written TYPE NAME [= VALUE]; or TYPE NAME(PARAMETERS) ...");
	return false;
}

static bool parse_function(struct kb_parser *p, struct kb_member *member, const struct declaration *d)
{
	member->kind = KB_MEMBER_FUNCTION;
	member->type = trim((struct kb_span){ d->start, (size_t)(d->name_at - d->start) });
	if (member->param) {
		kb_diagnose(p->diagnostics, 162, (struct kb_place){ p->source, d->name_at }, "take the word param away",
			    "a C function cannot be a param");
		member->param = false;
	}
	if (!parse_parameters(p, &member->parameters, &member->parameter_count))
		return false;
	member->abstract = kb_skip_mark(p, ';');
	if (member->abstract)
		return true;
	if (!kb_at_mark(p, '{')) {
		kb_expected(
			p, "';' or '{'", "a C function has a body in braces, or ';' if a derived class supplies it");
		return false;
	}
	return kb_c_group(&p->lexer, &member->body);
}

static bool parse_data(struct kb_parser *p, struct kb_member *member, const struct declaration *d)
{
	member->kind = KB_MEMBER_DATA;
	member->type = kb_text_since(p, d->start);
	if (kb_skip_mark(p, '=')) {
		if (!kb_c_until(&p->lexer, ";", &member->init))
			return false;
		if (member->init.length == 0) {
			kb_expected(p, "a value", "write it behind '='");
			return false;
		}
	}
	return kb_take_mark(p, ';', "end the declaration with ';'");
}

static bool parse_declared(struct kb_parser *p, struct kb_member *member)
{
	struct declaration d = { 0 };

	member->param = kb_skip_word(p, "param");
	d.start = p->lexer.token.text.at;
	if (!read_declaration(p, &d))
		return false;
	member->name = d.name;
	member->name_at = d.name_at;
	kb_check_defined(p, d.name, d.name_at);
	return kb_at_mark(p, '(') ? parse_function(p, member, &d) : parse_data(p, member, &d);
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

static bool parse_other(struct kb_parser *p)
{
	struct kb_member *member = kb_arena_take(p->arena, sizeof *member);
	const char *start = p->lexer.token.text.at;
	struct kb_span above = p->lexer.token.comment;
	bool good;

	good = kb_token_is(&p->lexer.token, "bitstring") ? parse_bits(p, member) : parse_declared(p, member);
	/* What has a name is kept even if the rest is wrong, so that those who use it are not wrong, too. */
	if (member->name.length) {
		member->owner = p->class;
		member->text = kb_text_since(p, start);
		member->comment = comment_of(p, start + member->text.length, above);
		*p->members_end = member;
		p->members_end = &member->next;
	}
	return good;
}

void kb_parse_member(struct kb_parser *p)
{
	const char *start = p->lexer.token.text.at;
	struct kb_token behind = kb_lexer_peek(&p->lexer);
	bool good;

	if (kb_skip_mark(p, ';'))
		return;
	if (kb_token_is(&p->lexer.token, "import"))
		good = parse_import(p);
	else if (p->lexer.token.kind == KB_TOKEN_NAME && kb_token_mark(&behind, '='))
		good = parse_value(p);
	else
		good = parse_other(p);
	if (good)
		return;
	/* A member of which not even the first word was taken is skipped whole, or its line if that is for the
	   preprocessor. */
	if (kb_at_mark(p, '#') && p->lexer.token.first) {
		kb_lexer_skip_line(&p->lexer);
		return;
	}
	if (p->lexer.token.text.at == start && kb_token_in(&p->lexer.token, "bitstring,param"))
		kb_lexer_next(&p->lexer);
	recover(p);
}
