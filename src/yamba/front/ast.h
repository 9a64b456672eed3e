/*
 * The contents of a file of Yamba, as trees. Spans point into the text of the source, so that every part has its place for
 * messages and for #line. Names and bases become pointers in class.c; a check changes only its own marks. What no check
 * reads (the labels of asm, the text of a signature, C text outside of classes) is for a translator.
 *
 *   source -> class -> member -> item -> item ...
 *          -> c_text (what is copied to the head of a translation unit)
 */
#ifndef KB_YAMBA_FRONT_AST_H
#define KB_YAMBA_FRONT_AST_H

#include "yamba/front/diagnostic.h"

enum kb_member_kind { KB_MEMBER_BITSTRING, KB_MEMBER_ENTRY, KB_MEMBER_DATA, KB_MEMBER_FUNCTION };

/* Of a Yamba function, a C function or an entry's signature. `...` and unnamed ones have no name. */
struct kb_yamba_parameter {
	struct kb_span text, name;
	struct kb_yamba_parameter *next;
};

/* $(expression) in an asm block: text is all of it. */
struct kb_asm_hole { struct kb_span text, expression; struct kb_asm_hole *next; };

/* @name or @name: in an asm block; text is with the '@', without the colon. */
struct kb_asm_label { struct kb_span text, name; bool defines; struct kb_asm_label *next; };

enum kb_item_kind { KB_ITEM_HEX, KB_ITEM_REFERENCE, KB_ITEM_ASM, KB_ITEM_UNROLL, KB_ITEM_IF, KB_ITEM_ALIGN };

/* Spans in parentheses or braces are without them. */
struct kb_item {
	enum kb_item_kind kind;
	struct kb_span text;            /* the whole item, which begins at its place; of hex the digits are in it */
	struct kb_item *next;
	/* C text: arguments of a reference (at == NULL: no parentheses), what `if` and `align` have in parentheses, or the three parts of
	   an unroll header: init, condition, step. */
	struct kb_span c_text[3];
	struct kb_item *body, *otherwise;       /* of unroll, if and else */
	union {
		struct { struct kb_span qualifier, name; } reference;   /* qualifier: empty, `super` or a class */
		struct {
			struct kb_span text;
			struct kb_asm_hole *holes;
			struct kb_asm_label *labels;
			unsigned block;         /* number in the assembly of the program; see yamba/emit/blocks.c */
		} assembly;
	};
};

struct kb_member {
	struct kb_span name;                    /* first, as of a class: see class.c */
	enum kb_member_kind kind;
	struct kb_yamba_class *owner;
	const char *name_at;                    /* where the name stands; the name itself may be a corrected one */
	struct kb_span text, comment;           /* text: the whole member; comment: with its marks, empty if none */
	struct kb_span type; /* data: declarator with the name; functions: what stands before the name */
	bool param, abstract;                   /* abstract: a bitstring or C function without a body */
	struct kb_span signature;               /* entry: what stands in < > */
	struct kb_span signature_type;          /* entry: its return type */
	struct kb_yamba_parameter *signature_parameters, *parameters;
	unsigned parameter_count;
	struct kb_span init;                    /* data: behind '='; at == NULL: none */
	struct kb_span body;                    /* C function: between the braces */
	struct kb_item *items;                  /* bitstring and entry */
	struct kb_member *next;
	unsigned mark;                          /* of the last walk that came by */
};

/* NAME = init; */
struct kb_yamba_value { struct kb_span name, text, init; const char *name_at; struct kb_yamba_value *next; };

struct kb_class_import {
	struct kb_span name;
	const char *at;
	struct kb_yamba_class *class;
	struct kb_class_import *next;
};

struct kb_yamba_class {
	struct kb_span name;
	struct kb_yamba_source *source;
	struct kb_span base_name, text, comment;        /* base_name: empty without extends */
	const char *name_at, *base_at;                  /* where these names stand */
	bool abstract;
	struct kb_class_import *imports;
	struct kb_member *members;
	struct kb_yamba_value *values;
	struct kb_yamba_class *next;                          /* of the source */

	/* What class.c finds out. */
	struct kb_yamba_class *base;
	struct kb_member **sorted;                      /* its own members, by name, each name once */
	size_t sorted_count;
	const struct kb_yamba_class *platform, *os, *processor;       /* NULL: none; processor: a microarchitecture */
	unsigned mark;
	bool complete;                                  /* no abstract member is left; known once it was checked */
	bool checked, twice;                            /* twice: another class of this name stands before it */
};

/* Whether composing it makes machine code. */
static inline bool kb_is_composed(const struct kb_member *member)
{
	return member->kind == KB_MEMBER_BITSTRING || member->kind == KB_MEMBER_ENTRY;
}

/* `bitstring b`: what is handed on is no number. */
bool kb_is_bitstring_parameter(const struct kb_yamba_parameter *);

/* The one of this name that is so; NULL: none. */
const struct kb_yamba_parameter *kb_bitstring_parameter(const struct kb_member *, struct kb_span name);

/* Whether it can be an argument. */
static inline bool kb_is_value(const struct kb_member *member)
{
	return member->kind == KB_MEMBER_BITSTRING && !member->parameters;
}

static inline const struct kb_asm_hole *kb_holes_of(const struct kb_item *item)
{
	return item->kind == KB_ITEM_ASM ? item->assembly.holes : NULL;
}

struct kb_c_text { struct kb_span text; struct kb_c_text *next; };

#endif
