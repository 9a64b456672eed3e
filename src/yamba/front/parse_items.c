/* The items of a bitstring's body: machine code, references, asm, unroll, if, align. See parse.h. */
#include "yamba/front/c_text.h"
#include "yamba/front/parse.h"

/* unroll and if inside each other, `else if` included: checks go down by recursion. */
#define DEPTH_MAX 64

/* ---- single items ---------------------------------------------------------------------------------------- */

static int hex_value(char c)
{
	if (kb_is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* 0x8B83, 0x48_8B_05: whole bytes, and '_' only between them. */
static void parse_hex(struct kb_parser *p, struct kb_item *item)
{
	struct kb_span text = p->lexer.token.text;
	size_t digits = 0, group = 0;
	bool odd = false;

	for (size_t i = 2; i < text.length; i++) {
		if (text.at[i] == '_' && group > 0 && i + 1 < text.length && text.at[i + 1] != '_') {
			odd |= group % 2;
			group = 0;
		} else if (hex_value(text.at[i]) >= 0) {
			group++;
			digits++;
		} else {
			kb_diagnose(p->diagnostics, 100, (struct kb_place){ p->source, text.at + i },
				"after 0x stand pairs of hexadecimal digits, with '_' between pairs at most",
				"a hexadecimal digit expected, not '%c'",
				text.at[i] < ' ' || text.at[i] > '~' ? '?' : text.at[i]);
			return;
		}
	}
	if (odd || group % 2)
		kb_diagnose(p->diagnostics, 110, kb_token_place(&p->lexer),
			"write two digits for each byte, as in 0x0F", "machine code has %s",
			digits % 2 ? "an odd number of digits" : "half a byte before a '_'");
	else if (digits == 0)
		kb_diagnose(p->diagnostics, 110, kb_token_place(&p->lexer),
			"write two digits for each byte, as in 0x0F", "no digits stand behind 0x");
	item->hex.bytes = digits / 2;
}

static bool parse_reference(struct kb_parser *p, struct kb_item *item)
{
	bool is_super = kb_token_is(&p->lexer.token, "super");

	item->kind = KB_ITEM_REFERENCE;
	item->reference.name = kb_parse_name(p, "a name");
	if (kb_token_mark(&p->lexer.token, '.')) {
		kb_lexer_next(&p->lexer);
		item->reference.qualifier = item->reference.name;
		item->reference.name = kb_parse_name(p, "the name of a member");
	} else if (is_super) {
		kb_expected(p, "'.'", "write super.NAME for the definition next above");
		return false;
	}
	if (item->reference.name.length == 0)
		return false;
	return !kb_token_mark(&p->lexer.token, '(') || kb_c_group(&p->lexer, &item->reference.arguments);
}

/* ---- unroll and if --------------------------------------------------------------------------------------- */

/* The three parts of `for`, in text of which the end is known. */
static bool split_header(struct kb_parser *p, struct kb_item *item, struct kb_span text)
{
	struct kb_span *const parts[] = { &item->unroll.init, &item->unroll.condition, &item->unroll.step };
	struct kb_lexer inner;
	struct kb_span inside;
	unsigned part = 0;
	const char *start = text.at;

	kb_lexer_start(&inner, p->source, NULL, text);
	inner.skip_hash = true;
	while (inner.token.kind != KB_TOKEN_END) {
		if (kb_token_mark(&inner.token, ';') && part < 3) {
			*parts[part++] = (struct kb_span){ start, (size_t)(inner.token.text.at - start) };
			start = inner.at;
		}
		if (kb_token_mark(&inner.token, '(') || kb_token_mark(&inner.token, '{') ||
			kb_token_mark(&inner.token, '['))
			kb_c_group(&inner, &inside);
		else
			kb_lexer_next(&inner);
	}
	if (part != 2) {
		kb_diagnose(p->diagnostics, 100, (struct kb_place){ p->source, text.at - 1 },
			"write unroll(INIT; CONDITION; STEP) as in a for of C",
			"two ';' expected in this header, not %u", part);
		return false;
	}
	item->unroll.step = (struct kb_span){ start, (size_t)(text.at + text.length - start) };
	return true;
}

static bool parse_block(struct kb_parser *p, struct kb_item **items, const char *remedy)
{
	if (!kb_token_mark(&p->lexer.token, '{')) {
		kb_expected(p, "'{'", remedy);
		return false;
	}
	return kb_parse_items(p, items);
}

static bool parse_item(struct kb_parser *p, struct kb_item *item);

/* `else if` is an item of its own in the other branch. */
static bool parse_else(struct kb_parser *p, struct kb_item **otherwise)
{
	struct kb_item *item;
	bool good;

	kb_lexer_next(&p->lexer);
	if (!kb_token_is(&p->lexer.token, "if"))
		return parse_block(p, otherwise, "the items of else stand in braces");
	item = kb_arena_take(p->arena, sizeof *item);
	p->depth++;
	good = parse_item(p, item);
	p->depth--;
	*otherwise = item;
	return good;
}

static bool parse_if(struct kb_parser *p, struct kb_item *item)
{
	item->kind = KB_ITEM_IF;
	kb_lexer_next(&p->lexer);
	if (!kb_token_mark(&p->lexer.token, '(')) {
		kb_expected(p, "'('", "write if (CONDITION) { ... }");
		return false;
	}
	if (!kb_c_group(&p->lexer, &item->choice.condition) ||
	    !parse_block(p, &item->choice.then, "the items of if stand in braces"))
		return false;
	return !kb_token_is(&p->lexer.token, "else") || parse_else(p, &item->choice.otherwise);
}

/* ---- bodies ---------------------------------------------------------------------------------------------- */

static bool parse_word(struct kb_parser *p, struct kb_item *item)
{
	struct kb_span word = p->lexer.token.text;

	if (kb_span_is(word, "asm")) {
		item->kind = KB_ITEM_ASM;
		kb_lexer_next(&p->lexer);
		if (!kb_token_mark(&p->lexer.token, '{')) {
			kb_expected(p, "'{'", "write asm { INSTRUCTIONS }");
			return false;
		}
		return kb_asm_group(&p->lexer, p->arena, item);
	}
	if (kb_span_is(word, "unroll")) {
		struct kb_span header;

		item->kind = KB_ITEM_UNROLL;
		kb_lexer_next(&p->lexer);
		if (!kb_token_mark(&p->lexer.token, '(')) {
			kb_expected(p, "'('", "write unroll(INIT; CONDITION; STEP) { ... }");
			return false;
		}
		if (!kb_c_group(&p->lexer, &header))
			return false;
		split_header(p, item, header);
		return parse_block(p, &item->unroll.body, "the items to repeat stand in braces");
	}
	if (kb_span_is(word, "if"))
		return parse_if(p, item);
	if (kb_span_is(word, "align")) {
		item->kind = KB_ITEM_ALIGN;
		kb_lexer_next(&p->lexer);
		if (!kb_token_mark(&p->lexer.token, '(')) {
			kb_expected(p, "'('", "write align(BYTES)");
			return false;
		}
		return kb_c_group(&p->lexer, &item->align.bytes);
	}
	if (kb_is_keyword(word) && !kb_span_is(word, "super")) {
		kb_expected(p, "an item",
			kb_span_is(word, "else") ? "else stands right behind the block of an if"
						 : "items are 0x.., NAME(..), asm, unroll, if and align; close the "
						   "body with '}' before");
		return false;
	}
	return parse_reference(p, item);
}

static bool parse_item(struct kb_parser *p, struct kb_item *item)
{
	const char *start = p->lexer.token.text.at;
	bool good = true;

	if (p->depth > DEPTH_MAX) {
		kb_diagnose(p->diagnostics, 100, kb_token_place(&p->lexer),
			"put the inner part into a bitstring of its own", "blocks are nested more than %d deep",
			DEPTH_MAX);
		return false;
	}
	if (p->lexer.token.kind == KB_TOKEN_NUMBER) {
		item->kind = KB_ITEM_HEX;
		if (kb_span_starts(p->lexer.token.text, "0x"))
			parse_hex(p, item);
		else
			kb_expected(p, "machine code",
				"machine code is written 0x and pairs of hexadecimal digits; le32(n) makes bytes of a number");
		kb_lexer_next(&p->lexer);
	} else if (p->lexer.token.kind == KB_TOKEN_NAME) {
		good = parse_word(p, item);
	} else {
		kb_expected(p, "an item", "items are 0x.., NAME(..), asm, unroll, if and align");
		good = false;
	}
	item->text = kb_text_since(p, start);
	return good;
}

/* To a place where an item may begin again. */
static void recover(struct kb_parser *p, const char *failed)
{
	struct kb_lexer *lexer = &p->lexer;
	struct kb_span inside;

	/* Somewhere, but ahead. */
	if (lexer->token.text.at == failed && lexer->token.kind != KB_TOKEN_END && !kb_token_mark(&lexer->token, '}') &&
	    !kb_token_mark(&lexer->token, '{'))
		kb_lexer_next(lexer);
	while (lexer->token.kind != KB_TOKEN_END && !kb_token_mark(&lexer->token, ';') &&
	       !kb_token_mark(&lexer->token, '}') && !kb_token_is(&lexer->token, "bitstring") && !kb_at_class(lexer)) {
		if (kb_token_mark(&lexer->token, '{')) {
			kb_c_group(lexer, &inside);
			return;
		}
		kb_lexer_next(lexer);
	}
}

/* A word that only a class may hold, first on its line: the body above was never closed. */
static bool body_ends(const struct kb_lexer *lexer)
{
	return lexer->token.kind == KB_TOKEN_END || kb_at_class(lexer) ||
	       (lexer->token.first && (kb_token_is(&lexer->token, "bitstring") || kb_token_is(&lexer->token, "param") ||
				       kb_token_is(&lexer->token, "import")));
}

bool kb_parse_items(struct kb_parser *p, struct kb_item **items)
{
	const char *opener = p->lexer.token.text.at;

	p->depth++;
	kb_lexer_next(&p->lexer);
	while (!kb_token_mark(&p->lexer.token, '}') && !body_ends(&p->lexer)) {
		const char *start = p->lexer.token.text.at;
		struct kb_item *item;

		if (kb_token_mark(&p->lexer.token, ';')) {
			kb_lexer_next(&p->lexer);
			continue;
		}
		item = kb_arena_take(p->arena, sizeof *item);
		if (parse_item(p, item)) {
			*items = item;
			items = &item->next;
		} else {
			recover(p, start);
			/* A word of the class in the middle of a line cannot be skipped by anybody else. */
			if (p->lexer.token.text.at == start && !kb_token_mark(&p->lexer.token, '}') &&
				!body_ends(&p->lexer))
				kb_lexer_next(&p->lexer);
		}
	}
	p->depth--;
	if (!kb_token_mark(&p->lexer.token, '}')) {
		if (!p->lexer.broken && p->depth == 0)
			kb_diagnose(p->diagnostics, 102, (struct kb_place){ p->source, opener },
				"close the body with '}'", "this '{' has no end");
		return false;
	}
	kb_lexer_next(&p->lexer);
	return true;
}
