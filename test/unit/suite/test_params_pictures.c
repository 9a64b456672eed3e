/* Where working sets pass the caches, on a machine whose caches are known. */
#include "suite/params/find.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define K 1024.0

static const double processes[] = { 2, 4, 8, 16 };

static void draw(struct kb_picture *picture, const struct kb_system *system, double bytes)
{
	memset(picture, 0, sizeof *picture);
	for (int i = 0; i < 4; i++)
		kb_curve_add(&picture->curves[0], processes[i], 1000);
	kb_picture_passing(picture, 0, system, bytes, processes[0]);
}

static void passing(void **state)
{
	static struct kb_picture picture;
	struct kb_system system = { .cache = { { .bytes = 32 << 10 }, { .bytes = 1 << 20 }, { .bytes = 32 << 20 } } };

	(void)state;
	draw(&picture, &system, 16 * K); /* 2 x 16 K fill the first cache and do not exceed it */
	assert_int_equal(picture.mark_count, 1);
	assert_float_equal(picture.marks[0].x, 4, 0);
	assert_string_equal(picture.marks[0].label, "1");
	assert_int_equal(picture.marks[0].curve, 0);
	draw(&picture, &system, 256 * K); /* beyond the first from the beginning */
	assert_int_equal(picture.mark_count, 1);
	assert_float_equal(picture.marks[0].x, 8, 0);
	assert_string_equal(picture.marks[0].label, "2");
	draw(&picture, &system, 0);
	assert_int_equal(picture.mark_count, 0);
	/* Both at one point: the larger comes first, and is what is drawn. */
	system.cache[1].bytes = 33 << 10;
	draw(&picture, &system, 16 * K);
	assert_int_equal(picture.mark_count, 2);
	assert_string_equal(picture.marks[0].label, "2");
	/* The first point beyond was not measured: the next one carries it. */
	memset(&picture, 0, sizeof picture);
	kb_curve_add(&picture.curves[0], 8, 1000);
	kb_picture_passing(&picture, 0, &system, 16 * K, 2);
	assert_float_equal(picture.marks[0].x, 8, 0);
}

/* A system that says nothing has nothing marked; CPUID or hwloc speak where sysfs is silent. */
static void who_says(void **state)
{
	static struct kb_picture picture;
	struct kb_system system = { .processor = { { .bytes = 32 << 10 } }, .topology = { { .bytes = 48 << 10 }, { .bytes = 1 << 20 } } };

	(void)state;
	assert_float_equal(kb_cache_bytes(&system, 1), 32 * K, 0);
	assert_float_equal(kb_cache_bytes(&system, 2), 1024 * K, 0);
	assert_float_equal(kb_cache_bytes(&system, 3), 0, 0);
	assert_float_equal(kb_cache_bytes(&system, 0), 0, 0);
	assert_float_equal(kb_cache_bytes(&system, 9), 0, 0);
	kb_picture_caches(&picture, &system);
	assert_int_equal(picture.mark_count, 2);
	for (int i = 0; i < 2 * KB_PICTURE_MARKS; i++)
		kb_picture_mark(&picture, -1, 1 + i, "many");
	assert_int_equal(picture.mark_count, KB_PICTURE_MARKS);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(passing), cmocka_unit_test(who_says) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
