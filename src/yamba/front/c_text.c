/* See c_text.h. Only what can hide a closing mark is understood; what C text means is judged by the C compiler. */
#include "yamba/front/c_text.h"

#include <string.h>

/* Deeper than C text for any compiler goes, and less than the stack of groups. */
#define DEPTH_MAX 256

bool kb_at_class(const struct kb_lexer *lexer)
{
	struct kb_lexer ahead = *lexer;

	if (!kb_token_is(&lexer->token, "yamba") || !lexer->token.first)
		return false;
	ahead.diagnostics = NULL;
	kb_lexer_next(&ahead);
	if (kb_token_is(&ahead.token, "abstract"))
		kb_lexer_next(&ahead);
	if (ahead.token.kind != KB_TOKEN_NAME)
		return false;
	/* A name with a dash is an error of its own, and still a class. */
	for (kb_lexer_next(&ahead); kb_token_mark(&ahead.token, '-'); kb_lexer_next(&ahead)) {
		kb_lexer_next(&ahead);
		if (ahead.token.kind != KB_TOKEN_NAME && ahead.token.kind != KB_TOKEN_NUMBER)
			return false;
	}
	return kb_token_mark(&ahead.token, '{') || kb_token_is(&ahead.token, "extends");
}

/* ---- C --------------------------------------------------------------------------------------------------- */

static char partner(char opener)
{
	return opener == '{' ? '}' : opener == '(' ? ')' : ']';
}

static void unterminated(const struct kb_lexer *lexer, const char *opener, char mark)
{
	const char *remedy = mark == '{'
		? "close it with '}'; braces that balance only after the preprocessor belong in a header"
		: mark == '(' ? "close it with ')'"
			      : "close it with ']'";

	if (lexer->diagnostics && !lexer->broken)
		kb_diagnose(lexer->diagnostics, 102, (struct kb_place){ lexer->source, opener }, remedy,
			    "this '%c' has no end", mark);
}

struct opened { const char *at[DEPTH_MAX]; char mark[DEPTH_MAX]; unsigned depth; };

/*
 * One token of C. In a function body only braces count, for #if may open one parenthesis twice; in parentheses a
 * partner that does not match means that the inner one was never closed.
 */
static bool step(struct kb_lexer *lexer, struct opened *opened, bool braces_only)
{
	char mark = lexer->token.kind == KB_TOKEN_MARK ? lexer->token.mark : '\0';

	if (mark == '{' || (!braces_only && (mark == '(' || mark == '['))) {
		if (opened->depth == DEPTH_MAX) {
			if (lexer->diagnostics)
				kb_diagnose(lexer->diagnostics, 100, kb_token_place(lexer), "take the text apart",
					    "more than %d brackets are open", DEPTH_MAX);
			return false;
		}
		opened->at[opened->depth] = lexer->token.text.at;
		opened->mark[opened->depth++] = mark;
	} else if (mark == '}' || (!braces_only && (mark == ')' || mark == ']'))) {
		if (opened->depth == 0 || partner(opened->mark[opened->depth - 1]) != mark) {
			const char *opener = opened->depth ? opened->at[opened->depth - 1] : lexer->token.text.at;

			unterminated(lexer, opener, opened->depth ? opened->mark[opened->depth - 1] : mark);
			return false;
		}
		opened->depth--;
	}
	return true;
}

bool kb_c_group(struct kb_lexer *lexer, struct kb_span *inside)
{
	struct opened opened = { .depth = 0 };
	const char *opener = lexer->token.text.at, *start = lexer->at;
	char mark = lexer->token.mark;
	bool skip_hash = lexer->skip_hash, good = true;

	*inside = (struct kb_span){ start, 0 };
	lexer->skip_hash = true;
	do {
		if (lexer->token.kind == KB_TOKEN_END || kb_at_class(lexer)) {
			unterminated(lexer, opener, mark);
			good = false;
			break;
		}
		good = step(lexer, &opened, mark == '{');
		if (good && opened.depth == 0) {
			inside->length = (size_t)(lexer->token.text.at - start);
			lexer->skip_hash = skip_hash;
		}
		/* A brace that closes too much belongs to what stands around it. */
		if (good)
			kb_lexer_next(lexer);
	} while (good && opened.depth > 0);
	lexer->skip_hash = skip_hash;
	return good;
}

bool kb_c_until(struct kb_lexer *lexer, const char *marks, struct kb_span *text)
{
	const char *start = lexer->token.text.at, *end = start;
	bool skip_hash = lexer->skip_hash, good = true;
	struct kb_span inside;

	lexer->skip_hash = true;
	while (good && !kb_token_marks(&lexer->token, marks)) {
		if (lexer->token.kind == KB_TOKEN_END || kb_token_marks(&lexer->token, "})]") || kb_at_class(lexer)) {
			if (lexer->diagnostics && !lexer->broken)
				kb_diagnose(lexer->diagnostics, 100, kb_token_place(lexer),
					"end the declaration above with it", "'%c' expected", marks[0]);
			good = false;
		} else if (kb_token_marks(&lexer->token, "{([")) {
			good = kb_c_group(lexer, &inside);
			end = good ? inside.at + inside.length + 1 : end;
		} else {
			end = lexer->at;
			kb_lexer_next(lexer);
		}
	}
	lexer->skip_hash = skip_hash;
	*text = (struct kb_span){ start, (size_t)(end - start) };
	return good;
}

bool kb_c_part(struct kb_lexer *lexer, char mark, struct kb_span *part)
{
	const char *start = lexer->behind;
	struct kb_span inside;

	lexer->skip_hash = true;
	while (lexer->token.kind != KB_TOKEN_END && !kb_token_mark(&lexer->token, mark)) {
		if (kb_token_marks(&lexer->token, "({["))
			kb_c_group(lexer, &inside);
		else
			kb_lexer_next(lexer);
	}
	*part = (struct kb_span){ start, (size_t)(lexer->token.text.at - start) };
	if (lexer->token.kind == KB_TOKEN_END)
		return false;
	kb_lexer_next(lexer);
	return true;
}

/* ---- asm ------------------------------------------------------------------------------------------------- */

struct assembly {
	struct kb_lexer *lexer;
	struct kb_arena *arena;
	struct kb_asm_hole **holes;
	struct kb_asm_label **labels;
	const char *at, *end;
	bool hole_failed; /* one was told: what follows is not looked at, which would take its square in time */
};

/* $(expression) is C inside. */
static bool take_hole(struct assembly *a)
{
	struct kb_lexer inner;
	struct kb_span expression;
	struct kb_asm_hole *hole;

	kb_lexer_start(&inner, a->lexer->source, a->lexer->diagnostics,
		(struct kb_span){ a->at + 1, (size_t)(a->end - a->at - 1) });
	if (!kb_c_group(&inner, &expression)) {
		a->lexer->broken |= inner.broken;
		a->at = inner.broken ? a->end : a->at + 2;
		a->hole_failed = true;
		return !inner.broken;
	}
	hole = kb_arena_take(a->arena, sizeof *hole);
	*hole = (struct kb_asm_hole){
		.text = { a->at, (size_t)(expression.at + expression.length + 1 - a->at) }, .expression = expression,
	};
	*a->holes = hole;
	a->holes = &hole->next;
	a->at += hole->text.length;
	return true;
}

static void take_label(struct assembly *a)
{
	const char *end = a->at + 1;
	struct kb_asm_label *label = kb_arena_take(a->arena, sizeof *label);

	while (end < a->end && kb_is_letter(*end))
		end++;
	label->text = (struct kb_span){ a->at, (size_t)(end - a->at) };
	label->name = (struct kb_span){ a->at + 1, label->text.length - 1 };
	label->defines = end < a->end && *end == ':';
	*a->labels = label;
	a->labels = &label->next;
	a->at = end;
}

/* What hides braces: comments and strings. ' opens nothing: gas writes 'a for a character. */
static bool skip_hidden(struct assembly *a)
{
	bool closed = true, comment = *a->at == '/';
	const char *opener = a->at;

	a->at = comment ? kb_skip_comment(opener, a->end, &closed) : kb_skip_quoted(opener, a->end, &closed);
	if (closed) {
		a->at += a->at == opener;
		return true;
	}
	if (a->lexer->diagnostics)
		kb_diagnose(a->lexer->diagnostics, 102, (struct kb_place){ a->lexer->source, opener },
			    comment ? "close it with */" : "close it on its line", "this %s has no end",
			    comment ? "comment" : "string");
	a->lexer->broken |= comment;
	return !comment;
}

/* A class that begins inside: the block has no end. Cheap where no line begins so. */
static bool class_here(const struct assembly *a)
{
	struct kb_lexer lexer;
	const char *line = a->at;

	if ((size_t)(a->end - a->at) < 7 || memcmp(a->at, "yamba", 5) != 0)
		return false;
	while (line > a->lexer->source->text && (line[-1] == ' ' || line[-1] == '\t'))
		line--;
	if (line > a->lexer->source->text && line[-1] != '\n')
		return false;
	kb_lexer_start(&lexer, a->lexer->source, NULL, (struct kb_span){ line, (size_t)(a->end - line) });
	return kb_at_class(&lexer);
}

static bool asm_step(struct assembly *a, unsigned *depth)
{
	char c = *a->at;

	if (c == '/' || c == '"')
		return skip_hidden(a);
	if (c == '$' && a->at + 1 < a->end && a->at[1] == '(' && !a->hole_failed)
		return take_hole(a);
	/* foo@PLT is no label of ours. */
	if (c == '@' && a->at + 1 < a->end && kb_is_letter(a->at[1]) && !kb_is_digit(a->at[1]) &&
		!kb_is_letter(a->at[-1])) {
		take_label(a);
		return true;
	}
	if (c == 'y' && class_here(a))
		return false;
	*depth += c == '{';
	*depth -= c == '}';
	if (*depth > 0)
		a->at++;
	return true;
}

bool kb_asm_group(struct kb_lexer *lexer, struct kb_arena *arena, struct kb_item *item)
{
	const char *opener = lexer->token.text.at, *start = lexer->at;
	struct assembly a = {
		.lexer = lexer, .arena = arena, .holes = &item->assembly.holes, .labels = &item->assembly.labels,
		.at = start, .end = lexer->end,
	};
	unsigned depth = 1;
	bool good = true;

	while (good && depth > 0 && a.at < a.end)
		good = asm_step(&a, &depth);
	item->assembly.text = (struct kb_span){ start, (size_t)(a.at - start) };
	lexer->at = a.at;
	if (!good || depth > 0) {
		unterminated(lexer, opener, '{');
		/* What comes is a class, first on its line, or the end. */
		lexer->newline = true;
		kb_lexer_next(lexer);
		return false;
	}
	lexer->newline = false;
	lexer->at++;
	kb_lexer_next(lexer);
	return true;
}
