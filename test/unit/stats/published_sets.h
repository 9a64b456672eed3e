/*
 * Sample sets of published measurements (KBench document, tables 3.4, 3.5, A.2.1,
 * picture 4.1): exact means and variances of 30 values each. What a line through them must give was computed with
 * independent code.
 */
#ifndef KB_TEST_PUBLISHED_SETS_H
#define KB_TEST_PUBLISHED_SETS_H

#include "stats/series/grid.h"

static const struct kb_set published_sets[] = {
	{ .n = 1, .count = 30, .mean = 5100.9666666666662, .variance = 212987.34367816092 },
	{ .n = 2, .count = 30, .mean = 9605.6000000000004, .variance = 68695.972413793104 },
	{ .n = 3, .count = 30, .mean = 14508.033333333333, .variance = 176704.92988505747 },
	{ .n = 4, .count = 30, .mean = 19060.233333333334, .variance = 221864.04712643678 },
	{ .n = 5, .count = 30, .mean = 23549.466666666667, .variance = 151697.91264367817 },
	{ .n = 30, .count = 30, .mean = 137687.70000000001, .variance = 1155314.2172413792 },
	{ .n = 31, .count = 30, .mean = 142024.36666666667, .variance = 586184.17126436776 },
	{ .n = 32, .count = 30, .mean = 146716.5, .variance = 502475.8448275862 },
	{ .n = 33, .count = 30, .mean = 151142.76666666666, .variance = 560616.25402298849 },
	{ .n = 34, .count = 30, .mean = 155520.89999999999, .variance = 639456.02413793106 },
	{ .n = 30, .count = 30, .mean = 137225.60000000001, .variance = 685335.0068965517 },
	{ .n = 31, .count = 30, .mean = 141773.33333333334, .variance = 635954.64367816097 },
	{ .n = 32, .count = 30, .mean = 146168.46666666667, .variance = 469252.25747126434 },
	{ .n = 33, .count = 30, .mean = 150901.63333333333, .variance = 456124.86091954022 },
	{ .n = 34, .count = 30, .mean = 155629.23333333334, .variance = 959568.73678160924 },
	{ .n = 300, .count = 30, .mean = 1361987.7666666666, .variance = 6227560.9436781611 },
	{ .n = 300, .count = 30, .mean = 1362333.1666666667, .variance = 7777320.1436781613 },
	{ .n = 300, .count = 30, .mean = 1361994.3333333333, .variance = 6874037.6781609198 },
};

#define PUBLISHED_SETS (sizeof(published_sets) / sizeof(*published_sets))
#define PUBLISHED_SMALL 5       /* the first sets, n = 1..5, lie off the line */

#endif
