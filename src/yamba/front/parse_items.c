/* The items of a bitstring's body: machine code, references, asm, unroll, if, align. See parse.h. */
#include "yamba/front/c_text.h"

#include <ctype.h>

#include "yamba/front/parse.h"

/* unroll and if inside each other, `else if` included: checks go down by recursion. */
#define DEPTH_MAX 64

/* ---- single items ---------------------------------------------------------------------------------------- */

/* 0x8B83, 0x48_8B_05: whole bytes, and '_' only between them. */
static void check_hex(struct kb_parser *p)
{
	struct kb_span text = p->lexer.token.text;
	size_t digits = 0, group = 0;
	bool odd = false;

	for (size_t i = 2; i < text.length; i++) {
		if (text.at[i] == '_' && group > 0 && i + 1 < text.length && text.at[i + 1] != '_') {
			odd |= group % 2;
			group = 0;
		} else if (isxdigit((unsigned char)text.at[i])) {
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
	if (odd || group % 2 || digits == 0)
		kb_diagnose(p->diagnostics, 110, kb_token_place(&p->lexer), "write two digits for each byte, as in 0x0F",
			digits == 0      ? "no digits stand behind 0x"
			: digits % 2 ? "machine code has an odd number of digits"
				     : "machine code has half a byte before a '_'");
}

static bool parse_reference(struct kb_parser *p, struct kb_item *item)
{
	bool is_super = kb_token_is(&p->lexer.token, "super");

	item->kind = KB_ITEM_REFERENCE;
	item->reference.name = kb_parse_name(p, "a name");
	if (kb_skip_mark(p, '.')) {
		item->reference.qualifier = item->reference.name;
		item->reference.name = kb_parse_name(p, "the name of a member");
	} else if (is_super) {
		kb_expected(p, "'.'", "write super.NAME for the definition next above");
		return false;
	}
	if (item->reference.name.length == 0)
		return false;
	return !kb_at_mark(p, '(') || kb_c_group(&p->lexer, &item->c_text[0]);
}

/* ---- unroll and if --------------------------------------------------------------------------------------- */

/* The three parts of `for`, in text of which the end is known. */
static void split_header(struct kb_parser *p, struct kb_item *item, struct kb_span text)
{
	struct kb_lexer inner;
	struct kb_span part;
	unsigned count = 0;
	bool more;

	kb_lexer_start(&inner, p->source, NULL, text);
	do {
		more = kb_c_part(&inner, ';', &part);
		if (count < 3)
			item->c_text[count] = part;
		count++;
	} while (more);
	if (count != 3)
		kb_diagnose(p->diagnostics, 100, (struct kb_place){ p->source, text.at - 1 },
			"write unroll(INIT; CONDITION; STEP) as in a for of C",
			"two ';' expected in this header, not %u", count - 1);
}

static bool parse_block(struct kb_parser *p, struct kb_item **items, const char *remedy)
{
	return kb_need_mark(p, '{', remedy) && kb_parse_items(p, items);
}

static bool parse_item(struct kb_parser *p, struct kb_item *item);

/* `else if` is an item of its own in the other branch. */
static bool parse_else(struct kb_parser *p, struct kb_item **otherwise)
{
	bool good;

	if (!kb_token_is(&p->lexer.token, "if"))
		return parse_block(p, otherwise, "the items of else stand in braces");
	*otherwise = kb_arena_take(p->arena, sizeof **otherwise);
	p->depth++;
	good = parse_item(p, *otherwise);
	p->depth--;
	return good;
}

/* ---- bodies ---------------------------------------------------------------------------------------------- */

static bool parse_word(struct kb_parser *p, struct kb_item *item)
{
	struct kb_span word = p->lexer.token.text;

	if (kb_skip_word(p, "asm")) {
		item->kind = KB_ITEM_ASM;
		return kb_need_mark(p, '{', "write asm { INSTRUCTIONS }") && kb_asm_group(&p->lexer, p->arena, item);
	}
	if (kb_skip_word(p, "unroll")) {
		struct kb_span header;

		item->kind = KB_ITEM_UNROLL;
		if (!kb_take_group(p, '(', "write unroll(INIT; CONDITION; STEP) { ... }", &header))
			return false;
		split_header(p, item, header);
		return parse_block(p, &item->body, "the items to repeat stand in braces");
	}
	if (kb_skip_word(p, "if")) {
		item->kind = KB_ITEM_IF;
		return kb_take_group(p, '(', "write if (CONDITION) { ... }", &item->c_text[0]) &&
			parse_block(p, &item->body, "the items of if stand in braces") &&
			(!kb_skip_word(p, "else") || parse_else(p, &item->otherwise));
	}
	if (kb_skip_word(p, "align")) {
		item->kind = KB_ITEM_ALIGN;
		return kb_take_group(p, '(', "write align(BYTES)", &item->c_text[0]);
	}
	if (!kb_is_keyword(word) || kb_span_is(word, "super"))
		return parse_reference(p, item);
	kb_expected(p, "an item", kb_span_is(word, "else") ? "else stands right behind the block of an if"
		: "items are 0x.., NAME(..), asm, unroll, if and align; close the body with '}' before");
	return false;
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
			check_hex(p);
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
	if (lexer->token.text.at == failed && lexer->token.kind != KB_TOKEN_END && !kb_token_marks(&lexer->token, "{}"))
		kb_lexer_next(lexer);
	while (lexer->token.kind != KB_TOKEN_END && !kb_token_marks(&lexer->token, ";}") &&
		!kb_token_is(&lexer->token, "bitstring") && !kb_at_class(lexer)) {
		if (kb_at_mark(p, '{')) {
			kb_c_group(lexer, &inside);
			return;
		}
		kb_lexer_next(lexer);
	}
}

static bool body_ends(const struct kb_parser *p)
{
	return kb_at_mark(p, '}') || p->lexer.token.kind == KB_TOKEN_END || kb_at_class(&p->lexer) || kb_at_member(p);
}

bool kb_parse_items(struct kb_parser *p, struct kb_item **items)
{
	const char *opener = p->lexer.token.text.at;

	p->depth++;
	kb_lexer_next(&p->lexer);
	while (!body_ends(p)) {
		const char *start = p->lexer.token.text.at;
		struct kb_item *item;

		if (kb_skip_mark(p, ';'))
			continue;
		item = kb_arena_take(p->arena, sizeof *item);
		if (parse_item(p, item)) {
			*items = item;
			items = &item->next;
			continue;
		}
		recover(p, start);
		/* A word of the class in the middle of a line cannot be skipped by anybody else. */
		if (p->lexer.token.text.at == start && !body_ends(p))
			kb_lexer_next(&p->lexer);
	}
	p->depth--;
	if (!kb_at_mark(p, '}') && !p->lexer.broken && p->depth == 0)
		kb_diagnose(p->diagnostics, 102, (struct kb_place){ p->source, opener }, "close the body with '}'",
			"this '{' has no end");
	return kb_skip_mark(p, '}');
}
