/*
 * Every built-in benchmark proves what it measures: by a check, or by a claim that the engine counts and that would fail if nothing
 * happened. Those that cannot stand in test/support/unverified.txt, each with its reason, and no others do.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/evidence.h"
#include "result/result.h"
#include "suite/select.h"

#define LISTED_MAX 64

static char listed[LISTED_MAX][128];
static bool met[LISTED_MAX];
static unsigned count;

/* "name TAB reason"; lines that begin with # are for people. */
static int read_list(void **state)
{
	char path[1024], line[512];
	const char *source = getenv("KB_SRC");

	(void)state;
	snprintf(path, sizeof path, "%s/test/support/unverified.txt", source ? source : "..");
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		char *tab = strchr(line, '\t');

		if (line[0] == '#' || line[0] == '\n')
			continue;
		assert_true(count < LISTED_MAX);
		if (!tab || strlen(tab) < 10)
			fail_msg("no reason: %s", line);
		snprintf(listed[count++], sizeof listed[0], "%.*s", (int)(tab - line), line);
	}
	fclose(file);
	return 0;
}

static bool vouches(const struct kb_row *row)
{
	const struct kb_bench *bench = row->settings.bench;

	if (bench->check || bench->bound == KB_NOTHING)
		return true;
	for (int i = 0; i < KB_EXPECT_MAX && bench->expect[i].counter; i++) {
		const struct kb_expect *expect = &bench->expect[i];
		struct kb_finding_evidence found = { .expected = expect->per_op, .tolerance = expect->tolerance };

		snprintf(found.counter, sizeof found.counter, "%s", kb_counter_name(expect->counter));
		if (kb_settings_match(&row->settings, expect->when) && kb_evidence_proves(&found))
			return true;
	}
	return false;
}

static bool is_listed(const char *name)
{
	for (unsigned i = 0; i < count; i++) {
		if (!strcmp(listed[i], name))
			return met[i] = true;
	}
	return false;
}

static void each_row_has_a_proof(void **state)
{
	struct kb_row *rows;
	size_t all;
	char error[256];
	unsigned missing = 0;

	(void)state;
	assert_int_equal(kb_select(KB_SELECT_FULL, kb_benches, NULL, 0, NULL, 0, &rows, &all, error), 0);
	assert_true(all > 300);
	for (size_t i = 0; i < all; i++) {
		if (vouches(&rows[i]) || is_listed(rows[i].settings.bench->name))
			continue;
		print_message("%s: no check, and no claim that would fail if nothing happened\n", rows[i].key);
		missing++;
	}
	assert_int_equal(missing, 0);
	free(rows);
}

static void no_line_is_left_over(void **state)
{
	(void)state;
	for (unsigned i = 0; i < count; i++) {
		if (!met[i])
			fail_msg("%s: is proven, or is no benchmark: take it out of test/support/unverified.txt", listed[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_row_has_a_proof), cmocka_unit_test(no_line_is_left_over) };

	return cmocka_run_group_tests(tests, read_list, NULL);
}
