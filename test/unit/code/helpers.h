/* For the tests of this layer: fragments as the assembler would leave them, written out by hand. */
#ifndef TEST_CODE_HELPERS_H
#define TEST_CODE_HELPERS_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "code/bits.h"

static inline const struct kb_relocation *relocation(const struct kb_target *target, const char *name)
{
	for (unsigned i = 0; i < target->relocation_count; i++)
		if (!strcmp(target->relocations[i].name, name))
			return &target->relocations[i];
	fail_msg("%s has no relocation %s", target->name, name);
	return NULL;
}

static inline uint16_t relocation_index(const struct kb_target *target, const char *name)
{
	return (uint16_t)(relocation(target, name) - target->relocations);
}

/* A fragment of class C, written at line 10 of t.yamba. */
#define FRAGMENT(name, code, its_holes, hole_number, its_labels, label_number) { \
	.class = "C", .member = name, .file = "t.yamba", .line = 10, .bytes = (const uint8_t *)(code), \
	.count = sizeof(code) - 1, .holes = its_holes, .hole_count = hole_number, .labels = its_labels, \
	.label_count = label_number }

#define BYTES(code) (const uint8_t *)(code), sizeof(code) - 1

#define assert_code(bits, code) do { \
	assert_int_equal((bits)->head.used, sizeof(code) - 1); \
	assert_memory_equal((bits)->head.at, code, sizeof(code) - 1); \
} while (0)

#define assert_message(bits, expected) do { \
	char message_[600]; \
	kb_bits_message(bits, message_, sizeof(message_)); \
	assert_string_equal(message_, expected); \
} while (0)

#endif
