/*
 * Composed code is, byte for byte, what GNU as makes of the same program written out: random numbers of touches, all four
 * targets whose assembler is here. KB_FULL=1 makes 1000 cases of the 50. And both have the same disassembly.
 */
#include "ports.h"

#include <unistd.h>

#include "base/rng.h"
#include "assemble/disassemble.h"

/* The program without holes, as one block. */
static char *written_out(const struct port *port, int m, const long long *offsets)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	fprintf(file, "%s\n", port->prologue);
	for (int i = 0; i < m; i++) {
/* The format is one of ports.h. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		fprintf(file, port->written, offsets[i], offsets[i]);
#pragma GCC diagnostic pop
		fputc('\n', file);
	}
	fprintf(file, "%s\n", port->epilogue);
	assert_int_equal(fclose(file), 0);
	return text;
}

struct many { char **texts; struct kb_assemble_block *blocks; int *m; long long (*offsets)[64]; unsigned count; };

/* All cases are blocks of one program, so that the assembler starts once. */
static void make_cases(const struct port *port, struct kb_rng *rng, struct many *many)
{
	many->texts = calloc(many->count, sizeof(*many->texts));
	many->blocks = calloc(many->count, sizeof(*many->blocks));
	many->m = calloc(many->count, sizeof(*many->m));
	many->offsets = calloc(many->count, sizeof(*many->offsets));
	assert_true(many->texts && many->blocks && many->m && many->offsets);
	for (unsigned i = 0; i < many->count; i++) {
		many->m[i] = (int)kb_rng_below(rng, 64);
		for (int j = 0; j < many->m[i]; j++)
			many->offsets[i][j] =
				(long long)kb_rng_below(rng, (uint64_t)port->largest / (unsigned)port->step + 1) * port->step;
		many->texts[i] = written_out(port, many->m[i], many->offsets[i]);
		many->blocks[i] = block_of("written", 1, many->texts[i]);
	}
}

static void free_cases(struct many *many)
{
	for (unsigned i = 0; i < many->count; i++)
		free(many->texts[i]);
	free(many->texts);
	free(many->blocks);
	free(many->m);
	free(many->offsets);
}

static void compare_case(const struct port *port, const struct kb_assembly *parts, const struct kb_fragment *written,
	int m, const long long *offsets)
{
	struct kb_bits bits = { 0 };

	kb_bits_again(&bits, port->target, KB_BITS_LIMIT, true);
	kb_bits_append(&bits, &parts->blocks[0].fragment, NULL);
	for (int i = 0; i < m; i++)
		kb_bits_append(&bits, &parts->blocks[1].fragment, (struct kb_value[]){ KB_VALUE(offsets[i]) });
	kb_bits_append(&bits, &parts->blocks[2].fragment, NULL);
	assert_int_equal(kb_bits_finish(&bits), 0);
	assert_int_equal(bits.head.used, written->count);
	assert_memory_equal(bits.head.at, written->bytes, bits.head.used);
	kb_bits_free(&bits);
}

static void composed_is_what_the_assembler_writes(void **state)
{
	const char *full = getenv("KB_FULL");

	(void)state;
	for (unsigned i = 0; i < PORTS; i++) {
		struct many many = { .count = full && *full == '1' ? 1000 : 50 };
		struct kb_assembly parts, whole;
		struct kb_rng rng;

		if (!port_assembled(&ports[i], &parts))
			continue;
		kb_rng_seed(&rng, 1000 + i);
		make_cases(&ports[i], &rng, &many);
		assert_true(assembled(&whole, ports[i].target, many.blocks, many.count));
		for (unsigned j = 0; j < many.count; j++)
			compare_case(&ports[i], &parts, &whole.blocks[j].fragment, many.m[j], many.offsets[j]);
		kb_assemble_free(&whole);
		kb_assemble_free(&parts);
		free_cases(&many);
	}
}

static void listings_hold_every_byte(void **state)
{
	static const char *const loads[PORTS] = { "mov    rax,QWORD PTR [rbx+0x8]", "mov    eax,DWORD PTR [ebx+0x4]",
		"ldr\tx10, [x9, #8]", "ld\tt1,8(t1)" };
	static const unsigned load[PORTS] = { 7, 6, 5, 7 };

	(void)state;
	for (unsigned i = 0; i < PORTS; i++) {
		struct kb_code_listing listing;
		struct kb_assembly parts;
		struct kb_bits bits;
		size_t next = 0;

		if (!port_assembled(&ports[i], &parts))
			continue;
		port_compose(&ports[i], &parts, &bits, 40);
		assert_int_equal(kb_code_disassemble(&listing, ports[i].target, bits.head.at, bits.head.used), 0);
		for (size_t j = 0; j < listing.line_count; j++) {
			assert_int_equal(listing.lines[j].offset, next);
			next += listing.lines[j].count;
		}
		assert_int_equal(next, bits.head.used);
		assert_memory_equal(listing.lines[load[i]].text, loads[i], strlen(loads[i])); /* a comment may follow */
		assert_non_null(strstr(listing.lines[listing.line_count - 1].text, "ret"));
		kb_code_listing_free(&listing);
		kb_bits_free(&bits);
		kb_assemble_free(&parts);
	}
}

static void zeros_are_listed_too(void **state)
{
	static const uint8_t zeros[200];
	struct kb_code_listing listing;

	(void)state;
	if (kb_code_disassemble(&listing, kb_target_host(), zeros, sizeof(zeros)) == -ENOENT)
		skip();
	assert_true(listing.line_count >= 50);
	kb_code_listing_free(&listing);
	assert_int_equal(kb_code_disassemble(&listing, kb_target_host(), zeros, 0), 0);
	assert_int_equal(listing.line_count, 0);
	kb_code_listing_free(&listing);
}

static char *listed(const struct kb_bits *bits, int *result)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	*result = kb_bits_list(file, bits);
	assert_int_equal(fclose(file), 0);
	return text;
}

/* mov eax, [ebx + disp32] from literal bytes and a cast, as figure 3 of the paper has it, then an asm block. */
static void a_listing_says_who_wrote_what(void **state)
{
	static const struct kb_bits_place place = { "P", "touch", "p.yamba", 26 };
	static const struct kb_fragment load = FRAGMENT("touch", "\x8b\x00", NULL, 0, NULL, 0);
	static const char *const names[] = { "i" };
	static const struct kb_scope unroll = { "P", NULL, names, 1 }, function = { "P", "touch", names, 1 };
	struct kb_bits bits = { 0 };
	char *text;
	int result;

	(void)state;
	kb_bits_again(&bits, &kb_target_x86_32, KB_BITS_LIMIT, true);
	for (int i = 3; i < 5; i++) {
		kb_bits_enter(&bits, &unroll, (struct kb_value[]){ KB_VALUE(i) });
		if (i == 3)
			kb_bits_enter(&bits, &function, (struct kb_value[]){ KB_VALUE(i) });
		kb_bits_bytes(&bits, &place, BYTES("\x8b\x83"));
		kb_bits_le(&bits, &place, 32, KB_VALUE(4 * i));
		kb_bits_append(&bits, &load, NULL);
		kb_bits_leave(&bits);
		kb_bits_leave(&bits);
	}
	text = listed(&bits, &result);
	if (result == 0)
		assert_string_equal(text, "P.touch(i=3), unroll i=3  p.yamba:26\n"
			"       0  8b 83 0c 00 00 00             mov    eax,DWORD PTR [ebx+0xc]\n"
			"P.touch(i=3), unroll i=3  t.yamba:10\n"
			"       6  8b 00                         mov    eax,DWORD PTR [eax]\n"
			"P.touch, unroll i=4  p.yamba:26\n"
			"       8  8b 83 10 00 00 00             mov    eax,DWORD PTR [ebx+0x10]\n"
			"C.touch, unroll i=4  t.yamba:10\n"
			"       e  8b 00                         mov    eax,DWORD PTR [eax]\n");
	free(text);

	/* Without an objdump of the target there are still bytes and their authors. */
	struct kb_target nowhere = kb_target_x86_32;

	nowhere.family = "none";
	nowhere.prefix = "no-such-";
	bits.target = &nowhere;
	text = listed(&bits, &result);
	assert_int_equal(result, -ENOENT);
	assert_ptr_equal(strstr(text, "P.touch(i=3), unroll i=3  p.yamba:26\n       0  8b 83 \nP.touch"), text);
	free(text);
	kb_bits_free(&bits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(composed_is_what_the_assembler_writes),
		cmocka_unit_test(listings_hold_every_byte),
		cmocka_unit_test(a_listing_says_who_wrote_what),
		cmocka_unit_test(zeros_are_listed_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
