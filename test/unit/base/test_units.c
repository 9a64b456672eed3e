/* Sizes and durations as people type them. */
#include "base/units.h"
#include "helpers.h"

static void sizes(void **state)
{
	static const struct { const char *text; uint64_t bytes; } rows[] = {
		{ "0", 0 }, { "4096", 4096 }, { "4096B", 4096 }, { "64K", 65536 }, { "64k", 65536 }, { "64KB", 65536 },
		{ "64KiB", 65536 }, { "1M", 1048576 }, { "3G", 3221225472 }, { "2T", 2199023255552 },
		{ "16777215T", 16777215u * ((uint64_t)1 << 40) }, { "18446744073709551615", UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t bytes = 1;

		if (!kb_parse_size(rows[i].text, &bytes) || bytes != rows[i].bytes)
			fail_msg("%s gives %llu", rows[i].text, (unsigned long long)bytes);
	}
}

static void wrong_sizes(void **state)
{
	static const char *const bad[] = { "", "K", "-1", "1.5K", "4 K", "4iB", "4KX", "4KiBB", "4Ki", "4P", " 4", "4 ",
					   "16777216T", "18446744073709551616", "0x10" };
	uint64_t bytes;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (kb_parse_size(bad[i], &bytes))
			fail_msg("\"%s\" was accepted", bad[i]);
}

static void durations(void **state)
{
	static const struct { const char *text; uint64_t ns; } rows[] = {
		{ "60s", 60000000000 }, { "200ms", 200000000 }, { "15us", 15000 }, { "7ns", 7 }, { "2m", 120000000000 },
		{ "1h", 3600000000000 }, { "3", 3000000000 }, { "1.5s", 1500000000 }, { "0.25", 250000000 },
		{ "1.5ns", 1 }, { "0.000000001s", 1 }, { "0.3333333333333333333333s", 333333333 }, { "0", 0 },
		{ "0.999999999999999999999999h", 3599999999999 }, { "18446744073709551615ns", UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t ns = 1;

		if (!kb_parse_duration(rows[i].text, &ns) || ns != rows[i].ns)
			fail_msg("%s gives %llu ns", rows[i].text, (unsigned long long)ns);
	}
}

static void wrong_durations(void **state)
{
	static const char *const bad[] = { "", "s", ".5s", "1.s", "1.", "-1s", "1 s", "1S", "1min", "1s ", "1.5.5s", "1e3",
					   "18446744074s", "18446744073.709551616s" };
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (kb_parse_duration(bad[i], &ns))
			fail_msg("\"%s\" was accepted", bad[i]);
}

static void shortest_exact_size(void **state)
{
	static const struct { uint64_t bytes; const char *text; } rows[] = {
		{ 0, "0" }, { 1000, "1000" }, { 1024, "1K" }, { 65536, "64K" }, { 1536, "1536" }, { 1572864, "1536K" },
		{ (uint64_t)1 << 50, "1024T" }, { UINT64_MAX, "18446744073709551615" },
	};
	char buffer[32];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kb_text text = kb_text_in(buffer, sizeof(buffer));
		uint64_t back;

		kb_text_size(&text, rows[i].bytes);
		assert_string_equal(buffer, rows[i].text);
		assert_true(kb_parse_size(buffer, &back));
		assert_true(back == rows[i].bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(wrong_sizes),
		cmocka_unit_test(durations),
		cmocka_unit_test(wrong_durations),
		cmocka_unit_test(shortest_exact_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
