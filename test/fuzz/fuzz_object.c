/*
 * Any bytes as a file of the assembler, as a program with symbols, and as what objdump prints. What an object names lies in the object, and
 * the name of a function can be shown.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdio.h>

#include "assemble/disassemble.h"
#include "assemble/object.h"
#include "base/crc32.h"
#include "run/process/symbol.h"

static char path[40];

static void read_object(size_t size)
{
	struct kb_object object;
	uint32_t sum = 0;

	if (kb_object_read(&object, path) == 0) {
		for (size_t i = 0; i < object.section_count; i++) {
			require(object.sections[i].name != NULL && (i == 0 || !object.sections[i].bytes || object.sections[i].count <= size));
			sum = i > 0 && object.sections[i].bytes ? kb_crc32(sum, object.sections[i].bytes, object.sections[i].count) : sum;
			sum = kb_crc32(sum, object.sections[i].name, strlen(object.sections[i].name));
		}
		for (size_t i = 0; i < object.symbol_count; i++) {
			require(object.symbols[i].name != NULL);
			sum = kb_crc32(sum, object.symbols[i].name, strlen(object.symbols[i].name));
		}
		for (size_t i = 0; i < object.relocation_count; i++) {
			require(object.relocations[i].section < object.section_count);
			require(object.relocations[i].symbol == 0 || object.relocations[i].symbol < object.symbol_count);
		}
	}
	kb_object_free(&object);
}

static void name_function(void)
{
	static const char record[] = "kbench-record 2\nbench a.b\nmodule program base=0\nfault signal=11 pc=0x%x\n";
	static const unsigned places[] = { 0, 0x10, 0x40, 0x1000, 0x1139, 0x401000 };
	char text[sizeof record + 16], where[200];

	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		snprintf(text, sizeof text, record, places[i]);
		kb_symbol_of_fault(kb_span_of(text), path, path, where, sizeof where);
		require(strlen(where) < sizeof where);
	}
}

static void read_listing(char *text)
{
	size_t address;
	const char *instruction;
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		size_t length = strlen(line);

		if (kb_code_objdump_line(line, &address, &instruction))
			require(instruction >= line && instruction <= line + length && strlen(instruction) <= length);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int file = -1;
	char *text = fuzz_text(data, size);

	fuzz_file(&file, data, size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	read_object(size);
	name_function();
	read_listing(text);
	free(text);
	return 0;
}
