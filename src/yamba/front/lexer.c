/* See lexer.h. Nothing here looks beyond `end`, and every call makes progress: the text may hold any bytes. */
#include "yamba/front/lexer.h"

#include <string.h>

bool kb_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Bytes from 0x80 on are letters of other alphabets, which gnu17 takes in names; Yamba's own names are
   checked later. */
bool kb_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || kb_is_digit(c) ||
		(unsigned char)c >= 0x80;
}

bool kb_span_in(struct kb_span word, const char *words)
{
	for (size_t length; *words; words += length + (words[length] == ',')) {
		length = strcspn(words, ",");
		if (kb_span_equal(word, (struct kb_span){ words, length }))
			return true;
	}
	return false;
}

bool kb_token_is(const struct kb_token *token, const char *word)
{
	return token->kind == KB_TOKEN_NAME && kb_span_is(token->text, word);
}

bool kb_token_in(const struct kb_token *token, const char *words)
{
	return token->kind == KB_TOKEN_NAME && kb_span_in(token->text, words);
}

bool kb_token_mark(const struct kb_token *token, char mark)
{
	return token->kind == KB_TOKEN_MARK && token->mark == mark;
}

bool kb_token_marks(const struct kb_token *token, const char *marks)
{
	return token->kind == KB_TOKEN_MARK && strchr(marks, token->mark);
}

bool kb_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct kb_place kb_token_place(const struct kb_lexer *lexer)
{
	return (struct kb_place){ lexer->source, lexer->token.text.at };
}

static bool starts(const char *at, const char *end, const char *prefix)
{
	return kb_span_starts((struct kb_span){ at, (size_t)(end - at) }, prefix);
}

static void unterminated(struct kb_lexer *lexer, const char *opener, const char *what, const char *remedy)
{
	if (lexer->diagnostics && !lexer->broken)
		kb_diagnose(lexer->diagnostics, 102, (struct kb_place){ lexer->source, opener }, remedy,
			"this %s has no end", what);
}

/* ---- what has an end of its own -------------------------------------------------------------------------- */

/* A backslash at the end of a line joins it to the next one. Its length, or 0. */
static size_t splice(const char *at, const char *end)
{
	if (starts(at, end, "\\\r\n"))
		return 3;
	return starts(at, end, "\\\n") ? 2 : 0;
}

/* To the newline, over joined lines. */
static const char *line_end(const char *at, const char *end)
{
	while (at < end && *at != '\n') {
		size_t joined = splice(at, end);

		at += joined ? joined : 1;
	}
	return at;
}

const char *kb_skip_comment(const char *at, const char *end, bool *closed)
{
	*closed = true;
	if (starts(at, end, "//"))
		return line_end(at, end);
	if (!starts(at, end, "/*"))
		return at;
	for (at += 2; at < end; at++) {
		if (starts(at, end, "*/"))
			return at + 2;
	}
	*closed = false;
	return end;
}

const char *kb_skip_quoted(const char *at, const char *end, bool *closed)
{
	char quote = *at;

	*closed = false;
	for (at++; at < end && *at != '\n'; at++) {
		size_t joined = splice(at, end);

		if (joined)
			at += joined - 1;
		else if (*at == '\\' && at + 1 < end && at[1] != '\n')
			at++;
		else if (*at == quote) {
			*closed = true;
			return at + 1;
		}
	}
	return at;
}

/* R"delimiter( ... )delimiter", which gcc takes in gnu17, too; `at` is the quote. */
static const char *skip_raw(const char *at, const char *end, bool *closed)
{
	const char *open = at + 1, *close;
	size_t length = 0;

	*closed = false;
	while (open + length < end && length < 17 && !strchr("() \\\t\n\"", open[length]))
		length++;
	if (open + length >= end || open[length] != '(')
		return kb_skip_quoted(at, end, closed);
	for (close = open + length + 1; close < end; close++) {
		if (*close == ')' && (size_t)(end - close) > length + 1 && memcmp(close + 1, open, length) == 0 &&
		    close[length + 1] == '"') {
			*closed = true;
			return close + length + 2;
		}
	}
	return end;
}

/* ---- between tokens -------------------------------------------------------------------------------------- */

static const char *skip_comment(struct kb_lexer *lexer, const char *at)
{
	bool closed;
	const char *behind = kb_skip_comment(at, lexer->end, &closed);

	if (!closed)
		unterminated(lexer, at, "comment", "close it with */");
	lexer->broken |= !closed;
	return behind;
}

/* A line of the preprocessor. Apostrophes in #error are no literals: only what closes on the line is one. */
static const char *skip_hash(struct kb_lexer *lexer, const char *at)
{
	const char *end = lexer->end;
	bool closed;

	while (at < end && *at != '\n') {
		size_t joined = splice(at, end);

		if (joined) {
			at += joined;
		} else if (starts(at, end, "/*")) {
			at = skip_comment(lexer, at);
		} else if (starts(at, end, "//")) {
			return line_end(at, end);
		} else if (*at == '"' || *at == '\'') {
			const char *behind = kb_skip_quoted(at, end, &closed);

			at = closed ? behind : at + 1;
		} else {
			at++;
		}
	}
	return at;
}

/* What was read of blanks: whether a comment found now belongs to the token that follows. */
struct gap { const char *comment, *comment_end; unsigned newlines; };

static void note_comment(struct gap *gap, const char *at, const char *end, bool alone)
{
	/* Behind a token, on its line: that one's comment. */
	if (!alone)
		return;
	if (!gap->comment || gap->newlines > 1)
		gap->comment = at;
	gap->comment_end = end;
	gap->newlines = 0;
}

static void skip_blanks(struct kb_lexer *lexer, struct gap *gap)
{
	while (lexer->at < lexer->end) {
		char c = *lexer->at;
		size_t joined = splice(lexer->at, lexer->end);

		if (c == '\n') {
			lexer->newline = true;
			gap->newlines++;
			lexer->at++;
		} else if (joined) {
			lexer->at += joined;
		} else if (kb_is_blank(c) || c == '\0') {
			lexer->at++;
		} else if (starts(lexer->at, lexer->end, "//") || starts(lexer->at, lexer->end, "/*")) {
			const char *opener = lexer->at;

			/* Joined pieces of // end before their newline, which is counted next. */
			lexer->at = skip_comment(lexer, opener);
			note_comment(gap, opener, lexer->at, lexer->newline);
		} else if (lexer->skip_hash && lexer->newline && (c == '#' || starts(lexer->at, lexer->end, "%:"))) {
			lexer->at = skip_hash(lexer, lexer->at);
			gap->comment = NULL;
		} else {
			return;
		}
	}
}

/* ---- tokens ---------------------------------------------------------------------------------------------- */

/* A preprocessing number of C, with the digit separators of C23: 0x8B83, 1e-3, 1'000. */
static const char *skip_number(const char *at, const char *end)
{
	for (at++; at < end; at++) {
		if (*at == '\'' && at + 1 < end && kb_is_letter(at[1]))
			at++;
		else if ((*at == '+' || *at == '-') && at[-1] && strchr("eEpP", at[-1]))
			continue;
		else if (!kb_is_letter(*at) && *at != '.')
			break;
	}
	return at;
}

static void take_quoted(struct kb_lexer *lexer, bool raw)
{
	const char *opener = lexer->at;
	bool closed;

	lexer->token.kind = *opener == '"' ? KB_TOKEN_STRING : KB_TOKEN_CHARACTER;
	lexer->at = (raw ? skip_raw : kb_skip_quoted)(opener, lexer->end, &closed);
	if (!closed)
		unterminated(lexer, opener, *opener == '"' ? "string" : "character constant",
			     "close it on its line, or join lines with a backslash");
}

static void take_name(struct kb_lexer *lexer)
{
	const char *start = lexer->at;

	while (lexer->at < lexer->end && kb_is_letter(*lexer->at))
		lexer->at++;
	lexer->token.kind = KB_TOKEN_NAME;
	if (lexer->at < lexer->end && *lexer->at == '"' &&
		kb_span_in((struct kb_span){ start, (size_t)(lexer->at - start) }, "R,LR,uR,UR,u8R"))
		take_quoted(lexer, true);
}

/* Digraphs count as what they mean: <% is a brace that must be closed. */
static void take_mark(struct kb_lexer *lexer)
{
	static const struct { const char *text; char mark; } digraphs[] = {
		{ "<%", '{' }, { "%>", '}' }, { "<:", '[' }, { ":>", ']' }, { "%:", '#' },
	};

	lexer->token.kind = KB_TOKEN_MARK;
	lexer->token.mark = *lexer->at;
	for (size_t i = 0; i < sizeof digraphs / sizeof digraphs[0]; i++) {
		if (starts(lexer->at, lexer->end, digraphs[i].text)) {
			lexer->token.mark = digraphs[i].mark;
			lexer->at++;
			break;
		}
	}
	lexer->at++;
}

void kb_lexer_next(struct kb_lexer *lexer)
{
	struct gap gap = { 0 };
	const char *start;

	lexer->behind = lexer->at;
	skip_blanks(lexer, &gap);
	lexer->token = (struct kb_token){ .kind = KB_TOKEN_END, .first = lexer->newline };
	if (gap.comment && gap.newlines <= 1)
		lexer->token.comment = (struct kb_span){ gap.comment, (size_t)(gap.comment_end - gap.comment) };
	start = lexer->at;
	if (start < lexer->end) {
		lexer->newline = false;
		if (kb_is_digit(*start) || (*start == '.' && start + 1 < lexer->end && kb_is_digit(start[1]))) {
			lexer->token.kind = KB_TOKEN_NUMBER;
			lexer->at = skip_number(start, lexer->end);
		} else if (kb_is_letter(*start)) {
			take_name(lexer);
		} else if (*start == '"' || *start == '\'') {
			take_quoted(lexer, false);
		} else {
			take_mark(lexer);
		}
	}
	lexer->token.text = (struct kb_span){ start, (size_t)(lexer->at - start) };
}

void kb_lexer_start(struct kb_lexer *lexer, const struct kb_yamba_source *source, struct kb_diagnostics *diagnostics,
		    struct kb_span span)
{
	if (!span.at)
		span = (struct kb_span){ source->text, 0 };
	*lexer = (struct kb_lexer){
		.source = source, .diagnostics = diagnostics, .at = span.at, .end = span.at + span.length,
		.newline = span.at == source->text || span.at[-1] == '\n',
	};
	/* A byte order mark is no text. */
	if (span.at == source->text && starts(span.at, lexer->end, "\xef\xbb\xbf"))
		lexer->at += 3;
	kb_lexer_next(lexer);
}

struct kb_token kb_lexer_peek(const struct kb_lexer *lexer)
{
	struct kb_lexer ahead = *lexer;

	ahead.diagnostics = NULL;
	kb_lexer_next(&ahead);
	return ahead.token;
}

void kb_lexer_skip_line(struct kb_lexer *lexer)
{
	lexer->at = skip_hash(lexer, lexer->token.text.at);
	kb_lexer_next(lexer);
}

static bool is_comment_mark(char c)
{
	return c == '/' || c == '*' || kb_is_blank(c);
}

/* "/" and "*" go only where a line or the comment begins or ends: a/b stays. */
const char *kb_comment_text(struct kb_arena *arena, struct kb_span comment, bool first)
{
	char *text = kb_arena_take(arena, comment.length + 1);
	size_t length = 0;
	bool start = true;

	while (comment.length && is_comment_mark(comment.at[comment.length - 1]))
		comment.length--;
	for (size_t i = 0; i < comment.length; i++) {
		char c = comment.at[i];

		if (start && is_comment_mark(c))
			continue;
		start = c == '\n';
		if ((unsigned char)c <= ' ') {
			if (length && text[length - 1] != ' ')
				text[length++] = ' ';
			continue;
		}
		text[length++] = c;
		if (first && c == '.' && (i + 1 == comment.length || (unsigned char)comment.at[i + 1] <= ' '))
			break;
	}
	while (length && (text[length - 1] == ' ' || text[length - 1] == '.'))
		length--;
	text[length] = '\0';
	return text;
}
