/* Lints by the text of objdump: small tables of names for each family, and one walk over the lines. */
#define _GNU_SOURCE
#include "assemble/lint.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "assemble/disassemble.h"
#include "base/text.h"

/* ---- words of an instruction --------------------------------------------------------------------- */

struct words {
	char name[24];                  /* of the operation, without prefixes */
	char operand[3][40];
};

static const char *word_at(const char *at, char *word, size_t room)
{
	size_t length;

	at += strspn(at, " \t");
	length = strcspn(at, " \t");
	snprintf(word, room, "%.*s", (int)length, at);
	return at + length;
}

/* Commas in brackets do not part operands. */
static void split(const char *text, struct words *words)
{
	unsigned count = 0, depth = 0;
	size_t used = 0;

	memset(words, 0, sizeof *words);
	/* Behind the words that objdump puts before the operation. */
	do
		text = word_at(text, words->name, sizeof words->name);
	while (*text && kb_list_has("lock,rep,repz,repnz,bnd,notrack,cs,ds,es,fs,gs,ss,data16,addr32", words->name));
	for (; *text && *text != '#' && count < 3; text++) {
		depth += *text == '[' || *text == '(' || *text == '{';
		depth -= depth && (*text == ']' || *text == ')' || *text == '}');
		if (*text == ',' && !depth) {
			count++;
			used = 0;
		} else if (*text != ' ' && *text != '\t' && used + 1 < sizeof words->operand[0]) {
			words->operand[count][used++] = *text;
		}
	}
}

/* ---- what a family calls things ------------------------------------------------------------------ */

struct family {
	const char *name;
	const char *undecoded;          /* in the text */
	const char *ends;               /* operations after which nothing follows */
	const char *spares;             /* operations whose first operand is not written */
	const char *restores;           /* that bring back what was saved */
	const char *loads, *stack;      /* that do so from an operand on the stack, and what such an operand has in it */
	const char *both, *second;      /* operations that write the second operand, too; that write no other */
	const char *sets;               /* operations after which nothing is left of what the first operand was */
	const char *branches;           /* beginnings of the names of operations after which another may follow */
};

static const struct family families[] = {
	{ .name = "x86", .undecoded = "(bad)",
	  .ends = "ret,retf,jmp,iret,iretd,iretq,ud2,hlt,sysret,sysexit",
	  .spares = "cmp,test,push,call,jmp,bt,nop,comiss,comisd,ucomiss,ucomisd,vcomiss,vcomisd,vucomiss,vucomisd,ptest,vptest,out,bound,"
		"mul,div,idiv,prefetcht0,prefetchnta,endbr64,endbr32,clflush,clflushopt,clwb,invlpg,verr,verw,fld,fst,fstp",
	  .restores = "pop,leave", .loads = "mov", .stack = "[rsp,[rbp-,[esp,[ebp-",         /* above the frame lie arguments */
	  .both = "xchg,xadd,mulx", .second = "",
	  .sets = "mov,movabs,movzx,movsx,movsxd,lea,popcnt,lzcnt,tzcnt", .branches = "j,call,loop,syscall,int" },
	{ .name = "aarch64", .undecoded = "undefined",
	  .ends = "ret,retaa,retab,b,br,braa,brab,eret,brk,udf,hlt",
	  .spares = "cmp,cmn,tst,b,bl,blr,br,ret,cbz,cbnz,tbz,tbnz,str,strb,strh,stur,sturb,sturh,stp,stnp,stlr,stlrb,stlrh,ccmp,ccmn,"
		"prfm,msr,dc,ic,svc,brk,hint,fcmp,fcmpe,st1,st2,st3,st4,dsb,dmb,isb",
	  .restores = "", .loads = "ldp,ldr,ldur", .stack = "[sp,[x29",
	  .both = "ldp,ldpsw,ldxp,ldaxp",
	  .second = "ldadd,ldadda,ldaddl,ldaddal,ldclr,ldclra,ldclrl,ldclral,ldeor,ldeora,ldeorl,ldeoral,ldset,ldseta,ldsetl,ldsetal,"
		"swp,swpa,swpl,swpal",
	  .sets = "mov,movz,movn,ldr,ldrb,ldrh,ldrsw,adr,adrp,mrs,mvn", .branches = "b,cb,tb,svc,ret" },
	{ .name = "riscv64", .undecoded = ".4byte",
	  .ends = "ret,jr,j,mret,sret,uret,ebreak,unimp,c.j,c.jr,c.unimp",
	  .spares = "sb,sh,sw,sd,fsw,fsd,beq,bne,blt,bge,bltu,bgeu,beqz,bnez,blez,bgez,bltz,bgtz,j,jr,ret,fence,ecall,ebreak,call",
	  .restores = "", .loads = "ld,lw", .stack = "(sp),(s0),(fp)", .both = "", .second = "",
	  .sets = "li,lui,mv,la,ld,lw,lh,lb,lbu,lhu,lwu,auipc", .branches = "b,j,call,ret,ecall" },
};

static const struct family *family_of(const struct kb_target *target)
{
	for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
		if (!strcmp(families[i].name, target->family) || !strcmp(families[i].name, target->name))
			return &families[i];
	return NULL;
}

/* Callee-saved registers by the System V psABI of the target and AAPCS64; all names of one stand together. */
static const struct { const char *target, *name, *parts; } saved[] = {
	{ "x86_64", "rbx", "rbx,ebx,bx,bl,bh" }, { "x86_64", "rbp", "rbp,ebp,bp,bpl" },
	{ "x86_64", "r12", "r12,r12d,r12w,r12b" }, { "x86_64", "r13", "r13,r13d,r13w,r13b" },
	{ "x86_64", "r14", "r14,r14d,r14w,r14b" }, { "x86_64", "r15", "r15,r15d,r15w,r15b" },
	{ "x86_32", "ebx", "ebx,bx,bl,bh" }, { "x86_32", "esi", "esi,si" }, { "x86_32", "edi", "edi,di" }, { "x86_32", "ebp", "ebp,bp" },
	{ "aarch64", "x19", "x19,w19" }, { "aarch64", "x20", "x20,w20" }, { "aarch64", "x21", "x21,w21" },
	{ "aarch64", "x22", "x22,w22" }, { "aarch64", "x23", "x23,w23" }, { "aarch64", "x24", "x24,w24" },
	{ "aarch64", "x25", "x25,w25" }, { "aarch64", "x26", "x26,w26" }, { "aarch64", "x27", "x27,w27" },
	{ "aarch64", "x28", "x28,w28" }, { "aarch64", "x29", "x29,w29" }, { "aarch64", "x30", "x30,w30" },
	{ "riscv64", "s0", "s0,fp" }, { "riscv64", "s1", "s1" }, { "riscv64", "s2", "s2" }, { "riscv64", "s3", "s3" },
	{ "riscv64", "s4", "s4" }, { "riscv64", "s5", "s5" }, { "riscv64", "s6", "s6" }, { "riscv64", "s7", "s7" },
	{ "riscv64", "s8", "s8" }, { "riscv64", "s9", "s9" }, { "riscv64", "s10", "s10" }, { "riscv64", "s11", "s11" },
	{ "riscv64", "ra", "ra" },
};

#define SAVED (sizeof saved / sizeof saved[0])

/* ---- the walk ------------------------------------------------------------------------------------ */

struct lint {
	const struct kb_bits *bits;
	const struct family *family;
	void (*found)(void *, const struct kb_lint *);
	void *context;
	const struct kb_code_line *last[SAVED];         /* that wrote the register; NULL: nothing did */
	bool restored[SAVED];                           /* by that instruction */
	bool accessed[SAVED], lost[SAVED];              /* lost: the first access overwrote it */
	bool branched;
};

static void report(const struct lint *lint, unsigned number, bool error, size_t offset, const char *format, const char *word, const char *text)
{
	struct kb_lint found = { .number = number, .offset = offset, .error = error };
	struct kb_bits_span span = { .file = "?" };
	char single[200];
	size_t used = 0;

	/* Without what objdump remarks: "mov x19, #0x1  // #1". */
	for (const char *at = text; *at && strncmp(at, "//", 2) && used + 1 < sizeof single; at++)
		if (*at != ' ' || (used && single[used - 1] != ' '))
			single[used++] = *at == '\t' ? ' ' : *at;
	while (used && single[used - 1] == ' ')
		used--;
	single[used] = '\0';
	kb_bits_span_at(lint->bits, offset, &span);
	snprintf(found.place, sizeof found.place, "%s:%u", span.file, span.line);
/* The formats stand below, one for each number. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(found.text, sizeof found.text, format, word, single);
#pragma GCC diagnostic pop
	lint->found(lint->context, &found);
}

/* Whether one of the words of a list with commas stands in the text. */
static bool has_any(const char *text, const char *list)
{
	for (size_t length; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		if (length && memmem(text, strlen(text), list, length))
			return true;
	}
	return false;
}

static bool restores(const struct lint *lint, const struct words *words)
{
	const struct family *family = lint->family;

	return kb_list_has(family->restores, words->name) || (kb_list_has(family->loads, words->name) &&
		(has_any(words->operand[1], family->stack) || has_any(words->operand[2], family->stack)));
}

static bool writes(const struct lint *lint, const struct words *words, const char *parts)
{
	const struct family *family = lint->family;
	bool second = kb_list_has(family->second, words->name), both = kb_list_has(family->both, words->name);

	if (!strcmp(words->name, "cpuid") || !strcmp(words->name, "leave"))
		return kb_list_has(parts, words->name[0] == 'c' ? "ebx" : "ebp");
	if (words->name[0] == 'j' && lint->bits->target->intel)
		return false;
	/* With one operand imul writes rax and rdx. */
	if (kb_list_has(family->spares, words->name) || (!strcmp(words->name, "imul") && !words->operand[1][0]))
		return false;
	return (!second && kb_list_has(parts, words->operand[0])) || ((second || both) && kb_list_has(parts, words->operand[1]));
}

/* xor and its like of a register with itself need nothing of it. */
static bool overwrites(const struct lint *lint, const struct words *words, const char *parts)
{
	bool same = !strcmp(words->name, "xor") && !strcmp(words->operand[0], words->operand[1]) && !words->operand[2][0];
	bool sets = kb_list_has(lint->family->sets, words->name) && !has_any(words->operand[1], parts) && !has_any(words->operand[2], parts);

	return kb_list_has(parts, words->operand[0]) && (same || sets);
}

static void see_access(struct lint *lint, const struct words *words, size_t i)
{
	bool touched = false;

	for (size_t j = 0; j < 3; j++)
		touched |= has_any(words->operand[j], saved[i].parts);
	if (!touched || lint->accessed[i])
		return;
	lint->accessed[i] = true;
	lint->lost[i] = !lint->branched && overwrites(lint, words, saved[i].parts) && !restores(lint, words);
}

static bool begins_with_any(const char *name, const char *list)
{
	for (size_t length; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		if (!strncmp(name, list, length))
			return true;
	}
	return false;
}

static void look_at(struct lint *lint, const struct kb_code_line *line)
{
	struct words words;

	if (strstr(line->text, lint->family->undecoded))
		report(lint, 320, true, line->offset, "%sbytes that are no instruction: %s", "", line->text);
	split(line->text, &words);
	for (size_t i = 0; i < SAVED; i++) {
		if (strcmp(saved[i].target, lint->bits->target->name))
			continue;
		see_access(lint, &words, i);
		if (!writes(lint, &words, saved[i].parts))
			continue;
		lint->last[i] = line;
		lint->restored[i] = restores(lint, &words);
	}
	lint->branched |= begins_with_any(words.name, lint->family->branches) && strcmp(words.name, "bti") != 0;
}

/* A call leaves its return address in x30 and ra, which only a load brings back. */
static void conclude(struct lint *lint, const struct kb_code_line *last)
{
	struct words words;

	for (size_t i = 0; i < SAVED; i++)
		if (lint->last[i] && (!lint->restored[i] || lint->lost[i]))
			report(lint, 322, lint->lost[i], lint->last[i]->offset, "%s belongs to the caller and is not brought back after: %s", saved[i].name,
				lint->last[i]->text);
	split(last->text, &words);
	if (!kb_list_has(lint->family->ends, words.name))
		report(lint, 321, false, last->offset, "%sthe last instruction is no return or jump: %s", "", last->text);
}

int kb_lint(const struct kb_bits *bits, void (*found)(void *, const struct kb_lint *), void *context)
{
	struct lint lint = { .bits = bits, .family = family_of(bits->target), .found = found, .context = context };
	struct kb_code_listing listing;
	int error = kb_code_disassemble(&listing, bits->target, bits->head.at, bits->head.used);

	for (size_t i = 0; i < listing.line_count && !error && lint.family; i++)
		look_at(&lint, &listing.lines[i]);
	if (!error && listing.line_count && lint.family)
		conclude(&lint, &listing.lines[listing.line_count - 1]);
	kb_code_listing_free(&listing);
	return error;
}
