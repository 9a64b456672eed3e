/* See type.h. Not a parser of C: words are counted where C lets them stand in any order, and everything else
   is kept. */
#include "yamba/front/type.h"

#include <string.h>

#include "yamba/front/lexer.h"

struct words {
	unsigned is_signed, is_unsigned, is_int, is_long, is_short, is_char, is_const, is_static;
	char *rest;             /* other tokens, each with a blank behind */
	size_t length;
	unsigned stars, others, arrays, aggregates;
	bool const_last;        /* behind the last star */
};

static bool count_word(struct words *words, const struct kb_token *token)
{
	struct { const char *word; unsigned *count; } counted[] = {
		{ "signed", &words->is_signed }, { "unsigned", &words->is_unsigned }, { "int", &words->is_int },
		{ "long", &words->is_long }, { "short", &words->is_short }, { "char", &words->is_char },
	};

	if (kb_token_in(token, "static,register,inline,auto"))
		return true;
	/* Before a star const may stand on both sides of the type. */
	if (kb_token_is(token, "const") && words->stars == 0) {
		words->is_const++;
		return true;
	}
	for (size_t i = 0; words->stars == 0 && i < sizeof counted / sizeof counted[0]; i++) {
		if (kb_token_is(token, counted[i].word)) {
			(*counted[i].count)++;
			return true;
		}
	}
	return false;
}

static void read_words(struct words *words, struct kb_arena *arena, struct kb_typed type)
{
	struct kb_lexer lexer;

	*words = (struct words){ .rest = kb_arena_take(arena, 2 * type.text.length + 2) };
	kb_lexer_start(&lexer, type.source, NULL, type.text);
	lexer.skip_hash = true;
	for (; lexer.token.kind != KB_TOKEN_END; kb_lexer_next(&lexer)) {
		const struct kb_token *token = &lexer.token;
		bool is_const = kb_token_is(token, "const");

		if (token->text.at == type.name) {
			/* The rest of a name with dashes, which was told where it was read. */
			while (lexer.at < lexer.end && *lexer.at == '-') {
				kb_lexer_next(&lexer);
				kb_lexer_next(&lexer);
			}
			continue;
		}
		if (is_const && words->stars)
			words->const_last = true;
		if (count_word(words, token))
			continue;
		if (kb_token_mark(token, '*')) {
			words->stars++;
			words->const_last = false;
		} else if (kb_token_mark(token, '[')) {
			words->arrays++;
		} else if (!is_const) {
			words->others++;
		}
		words->aggregates += kb_token_in(token, "struct,union");
		memcpy(words->rest + words->length, token->text.at, token->text.length);
		words->length += token->text.length;
		words->rest[words->length++] = ' ';
	}
}

static bool same_but_sign(const struct words *a, const struct words *b)
{
	/* short int is short; int alone and signed alone are int. */
	bool a_int = !(a->is_long || a->is_short || a->is_char) && (a->is_int || a->is_signed || a->is_unsigned);
	bool b_int = !(b->is_long || b->is_short || b->is_char) && (b->is_int || b->is_signed || b->is_unsigned);

	return a_int == b_int && a->is_long == b->is_long && !a->is_short == !b->is_short &&
		!a->is_char == !b->is_char && !a->is_const == !b->is_const && a->length == b->length &&
		memcmp(a->rest, b->rest, a->length) == 0;
}

enum kb_sameness kb_types_compare(struct kb_arena *arena, struct kb_typed a, struct kb_typed b)
{
	struct words x, y;

	read_words(&x, arena, a);
	read_words(&y, arena, b);
	if (!same_but_sign(&x, &y))
		return KB_DIFFERENT;
	/* Plain char is a third type, next to both with a sign. */
	if (!x.is_unsigned != !y.is_unsigned || (x.is_char && !x.is_signed != !y.is_signed))
		return KB_SAME_BUT_SIGN;
	return KB_SAME;
}

enum kb_param_type kb_type_of_param(struct kb_arena *arena, struct kb_typed type)
{
	struct words words;
	struct kb_span rest;

	read_words(&words, arena, type);
	rest = (struct kb_span){ words.rest, words.length };
	if (words.stars == 1 && words.is_char && !words.others && !words.arrays && !words.is_unsigned)
		return KB_PARAM_STRING;
	if (words.stars || words.arrays || words.aggregates || kb_span_in(rest, "float ,void "))
		return KB_PARAM_REFUSED;
	if (kb_span_is(rest, "double "))
		return words.is_long ? KB_PARAM_REFUSED : KB_PARAM_DOUBLE;
	if (kb_span_in(rest, "bool ,_Bool "))
		return KB_PARAM_BOOLEAN;
	if (!words.others && words.is_unsigned)
		return KB_PARAM_UNSIGNED;
	if (!words.others && (words.is_int || words.is_long || words.is_short || words.is_char || words.is_signed))
		return KB_PARAM_INTEGER;
	return KB_PARAM_OTHER;
}

bool kb_type_is_const(struct kb_typed type)
{
	struct kb_lexer lexer;
	bool is_const = false;

	kb_lexer_start(&lexer, type.source, NULL, type.text);
	lexer.skip_hash = true;
	for (; lexer.token.kind != KB_TOKEN_END; kb_lexer_next(&lexer)) {
		if (kb_token_mark(&lexer.token, '*'))
			is_const = false;
		is_const |= kb_token_is(&lexer.token, "const");
	}
	return is_const;
}
