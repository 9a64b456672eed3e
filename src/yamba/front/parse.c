/* Files, classes and names; see parse.h. parse_member.c and parse_items.c read what stands in a class. */
#define _GNU_SOURCE
#include "yamba/front/parse.h"

#include <string.h>

#include "yamba/front/c_text.h"

bool kb_is_keyword(struct kb_span name)
{
	return kb_span_in(name, "yamba,abstract,extends,import,bitstring,param,super,unroll,asm,if,else,align");
}

/* ---- words ----------------------------------------------------------------------------------------------- */

/* How a message calls the present token. */
static const char *called(const struct kb_parser *p)
{
	const struct kb_token *token = &p->lexer.token;
	int length = token->text.length < 40 ? (int)token->text.length : 40;

	if (token->kind == KB_TOKEN_END)
		return "the end of the file";
	if (token->kind == KB_TOKEN_MARK && ((unsigned char)token->mark < ' ' || (unsigned char)token->mark > '~'))
		return "a byte that is no text";
	return kb_arena_format(p->arena, "'%.*s'", length, token->text.at);
}

void kb_expected(struct kb_parser *p, const char *what, const char *remedy)
{
	/* The end of the file is no news where a comment swallowed the rest. */
	if (p->lexer.token.kind == KB_TOKEN_END && p->lexer.broken)
		return;
	kb_diagnose(p->diagnostics, 100, kb_token_place(&p->lexer), remedy, "%s expected, not %s", what, called(p));
}

bool kb_at_mark(const struct kb_parser *p, char mark)
{
	return kb_token_mark(&p->lexer.token, mark);
}

bool kb_need_mark(struct kb_parser *p, char mark, const char *remedy)
{
	const char what[] = { '\'', mark, '\'', '\0' };

	if (!kb_at_mark(p, mark))
		kb_expected(p, what, remedy);
	return kb_at_mark(p, mark);
}

bool kb_take_mark(struct kb_parser *p, char mark, const char *remedy)
{
	return kb_need_mark(p, mark, remedy) && kb_skip_mark(p, mark);
}

bool kb_take_group(struct kb_parser *p, char mark, const char *remedy, struct kb_span *inside)
{
	return kb_need_mark(p, mark, remedy) && kb_c_group(&p->lexer, inside);
}

bool kb_skip_mark(struct kb_parser *p, char mark)
{
	bool there = kb_at_mark(p, mark);

	if (there)
		kb_lexer_next(&p->lexer);
	return there;
}

bool kb_skip_word(struct kb_parser *p, const char *word)
{
	bool there = kb_token_is(&p->lexer.token, word);

	if (there)
		kb_lexer_next(&p->lexer);
	return there;
}

bool kb_at_member(const struct kb_parser *p)
{
	struct kb_span word = p->lexer.token.text;
	bool type = kb_span_in(word, KB_C_TYPE_WORDS) || kb_span_in(word, "static,extern") ||
		(word.length > 2 && !strncmp(word.at + word.length - 2, "_t", 2));

	return p->lexer.token.first && p->lexer.token.kind == KB_TOKEN_NAME && (kb_span_in(word, "bitstring,param,import") || type);
}

struct kb_span kb_text_since(const struct kb_parser *p, const char *start)
{
	/* Nothing was read since: the token at `start` is the present one. */
	return (struct kb_span){ start, p->lexer.behind > start ? (size_t)(p->lexer.behind - start) : 0 };
}

/* '-' glued between words: they are one name that was misspelt. */
static bool dash_goes_on(const struct kb_lexer *lexer, const char *behind)
{
	return kb_token_mark(&lexer->token, '-') && lexer->token.text.at == behind && lexer->at < lexer->end &&
	       kb_is_letter(*lexer->at);
}

static struct kb_span corrected(struct kb_parser *p, struct kb_span dashed)
{
	char *name = kb_arena_string(p->arena, dashed);

	for (char *dash = strchr(name, '-'); dash; dash = strchr(dash, '-'))
		*dash = '_';
	kb_diagnose(p->diagnostics, 101, (struct kb_place){ p->source, dashed.at },
		kb_arena_format(p->arena, "write '%.200s'", name), "'-' is not part of a name");
	return (struct kb_span){ name, dashed.length };
}

struct kb_span kb_parse_name(struct kb_parser *p, const char *what)
{
	struct kb_span name = p->lexer.token.text;
	const char *behind = name.at + name.length;

	if (p->lexer.token.kind != KB_TOKEN_NAME) {
		kb_expected(p, what, "a name is made of letters, digits and '_' and does not begin with a digit");
		return (struct kb_span){ name.at, 0 };
	}
	for (size_t i = 0; i < name.length; i++) {
		if ((unsigned char)name.at[i] >= 0x80) {
			kb_diagnose(p->diagnostics, 100, (struct kb_place){ p->source, name.at + i },
				    "use the letters A to Z", "a name has only ASCII letters");
			break;
		}
	}
	kb_lexer_next(&p->lexer);
	while (dash_goes_on(&p->lexer, behind)) {
		/* To C, 64.name in x86-64.name is one number. */
		for (behind = p->lexer.at; behind < p->lexer.end && kb_is_letter(*behind);)
			behind++;
		p->lexer.at = behind;
		kb_lexer_next(&p->lexer);
	}
	if (behind == name.at + name.length)
		return name;
	return corrected(p, (struct kb_span){ name.at, (size_t)(behind - name.at) });
}

static bool is_reserved(struct kb_span name)
{
	return kb_span_starts(name, "kb_") || kb_span_starts(name, "yamba_") || kb_span_starts(name, "y_") ||
		memmem(name.at, name.length, "__", 2);
}

/* `at` is where the name stands, which is not in the name where it was corrected. */
void kb_check_defined(struct kb_parser *p, struct kb_span name, const char *at)
{
	bool keyword = kb_is_keyword(name);

	if (keyword || is_reserved(name))
		kb_diagnose(p->diagnostics, 103, (struct kb_place){ p->source, at },
			keyword ? "choose another name" : "choose a name without kb_, yamba_ or y_ at its start and without __",
			keyword ? "'%.*s' is a word of the language" : "'%.*s' belongs to the implementation",
			name.length < 60 ? (int)name.length : 60, name.at);
}

struct kb_span kb_parse_new_name(struct kb_parser *p, const char *what)
{
	const char *at = p->lexer.token.text.at;
	struct kb_span name = kb_parse_name(p, what);

	if (name.length)
		kb_check_defined(p, name, at);
	return name;
}

/* ---- classes --------------------------------------------------------------------------------------------- */

static void parse_class(struct kb_parser *p)
{
	struct kb_yamba_class *class = kb_arena_take(p->arena, sizeof *class);
	const char *start = p->lexer.token.text.at, *opener;

	class->source = p->source;
	class->comment = p->lexer.token.comment;
	kb_lexer_next(&p->lexer);
	class->abstract = kb_skip_word(p, "abstract");
	class->name_at = p->lexer.token.text.at;
	class->name = kb_parse_new_name(p, "the name of a class");
	if (kb_skip_word(p, "extends")) {
		class->base_at = p->lexer.token.text.at;
		class->base_name = kb_parse_name(p, "the name of a class");
	}
	opener = p->lexer.token.text.at;
	p->class = class;
	p->members_end = &class->members;
	p->imports_end = &class->imports;
	p->values_end = &class->values;
	if (kb_take_mark(p, '{', "a class is written: yamba [abstract] NAME [extends NAME] { ... }")) {
		while (p->lexer.token.kind != KB_TOKEN_END && !kb_at_mark(p, '}') && !kb_at_class(&p->lexer))
			kb_parse_member(p);
		if (kb_skip_mark(p, '}'))
			kb_skip_mark(p, ';');
		else if (!p->lexer.broken)
			kb_diagnose(p->diagnostics, 102, (struct kb_place){ p->source, opener }, "close the class with '}'",
				"this '{' has no end");
	}
	p->class = NULL;
	class->text = kb_text_since(p, start);
	if (class->name.length == 0)
		return;
	*p->source->classes_end = class;
	p->source->classes_end = &class->next;
}

/* ---- files ----------------------------------------------------------------------------------------------- */

/* `yamba` where a declaration may begin, and a name behind it; elsewhere it is a word of C. */
static bool class_starts(const struct kb_parser *p, bool fresh)
{
	struct kb_token behind;

	if (!kb_token_is(&p->lexer.token, "yamba"))
		return false;
	behind = kb_lexer_peek(&p->lexer);
	return kb_at_class(&p->lexer) || (fresh && (behind.kind != KB_TOKEN_MARK || behind.mark == '{'));
}

static bool at_transclude(const struct kb_parser *p)
{
	struct kb_token behind;

	if (!kb_token_mark(&p->lexer.token, '#') || !p->lexer.token.first)
		return false;
	behind = kb_lexer_peek(&p->lexer);
	return kb_token_is(&behind, "transclude") && !behind.first;
}

static void parse_transclude(struct kb_parser *p)
{
	struct kb_token file;
	struct kb_place at;

	kb_lexer_next(&p->lexer);
	kb_lexer_next(&p->lexer);
	file = p->lexer.token;
	at = kb_token_place(&p->lexer);
	if (file.kind != KB_TOKEN_STRING || file.first || file.text.length < 2 || file.text.at[0] != '"' ||
	    file.text.at[file.text.length - 1] != '"') {
		kb_expected(p, "a file name in double quotes", "write #transclude \"FILE\" on a line of its own");
		return;
	}
	kb_lexer_next(&p->lexer);
	if (!p->lexer.token.first && p->lexer.token.kind != KB_TOKEN_END)
		kb_expected(p, "the end of the line", "#transclude stands on a line of its own");
	if (p->transclude)
		p->transclude(p, at, (struct kb_span){ file.text.at + 1, file.text.length - 2 });
}

/* C text outside classes, up to a class, a #transclude or the end. */
static void parse_c_text(struct kb_parser *p)
{
	const char *start = p->lexer.token.comment.length ? p->lexer.token.comment.at : p->lexer.token.text.at;
	struct kb_c_text *text = kb_arena_take(p->arena, sizeof *text);
	struct kb_span inside;
	bool fresh = true;

	while (p->lexer.token.kind != KB_TOKEN_END && !class_starts(p, fresh) && !at_transclude(p)) {
		const struct kb_token *token = &p->lexer.token;

		fresh = kb_token_marks(token, ";{");
		if (kb_token_mark(token, '#') && token->first) {
			fresh = true;
			kb_lexer_skip_line(&p->lexer);
		} else if (kb_token_marks(token, "{([")) {
			kb_c_group(&p->lexer, &inside);
		} else {
			if (kb_token_marks(token, "})]"))
				kb_diagnose(p->diagnostics, 100, kb_token_place(&p->lexer),
					"remove it, or find its partner above", "'%c' closes nothing", token->mark);
			kb_lexer_next(&p->lexer);
		}
	}
	text->text = kb_text_since(p, start);
	*p->source->texts_end = text;
	p->source->texts_end = &text->next;
}

/* The first byte that no text has; one is enough to tell what kind of file this is. */
static void check_bytes(struct kb_parser *p)
{
	const char *text = p->source->text;

	for (size_t i = 0; i < p->source->length; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c >= ' ' && c != 0x7f) || (c >= '\t' && c <= '\r'))
			continue;
		kb_diagnose(p->diagnostics, 100, (struct kb_place){ p->source, text + i },
			"remove it: Yamba is UTF-8 text", "byte 0x%02x is no text", c);
		return;
	}
}

void kb_parse(struct kb_parser *p)
{
	p->source->classes_end = &p->source->classes;
	p->source->texts_end = &p->source->texts;
	check_bytes(p);
	kb_lexer_start(&p->lexer, p->source, p->diagnostics, (struct kb_span){ p->source->text, p->source->length });
	while (p->lexer.token.kind != KB_TOKEN_END) {
		if (at_transclude(p))
			parse_transclude(p);
		else if (class_starts(p, true))
			parse_class(p);
		else
			parse_c_text(p);
	}
}
