/* Machines made of files: the quota's stops are found in both versions of control groups, on the group and above it, or nothing is. */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "evidence/throttle.h"

static char root[64];

static void put(const char *path, const char *text)
{
	char full[256];

	snprintf(full, sizeof full, "%s%s", root, path);
	for (char *slash = strchr(full + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(!mkdir(full, 0700) || errno == EEXIST);
		*slash = '/';
	}
	FILE *file = fopen(full, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int begin(void **state)
{
	(void)state;
	snprintf(root, sizeof root, "/tmp/kbench-throttle-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status;
	(void)kind;
	(void)where;
	return remove(path);
}

static int end(void **state)
{
	(void)state;
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#define MOUNTS_1 "32 31 0:29 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n" \
	"33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n" \
	"41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
#define GROUPS_1 "9:name=systemd:/\n5:cpuset:/other\n1:cpu,cpuacct:/a/b\n0::/\n"

static void finds_version_1(void **state)
{
	struct kb_throttle throttle;

	(void)state;
	put("/proc/self/cgroup", GROUPS_1);
	put("/proc/self/mountinfo", MOUNTS_1);
	put("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.stat", "nr_periods 3\nnr_throttled 1\nthrottled_time 5000000\n");
	put("/sys/fs/cgroup/cpu,cpuacct/a/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
	put("/sys/fs/cgroup/unified/cpu.stat", "usage_usec 1\n");
	kb_throttle_open(&throttle, root);
	kb_throttle_start(&throttle);
	assert_int_equal(throttle.count, 2);
	assert_int_equal(kb_throttle_us(&throttle), 0);
	put("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.stat", "nr_periods 9\nnr_throttled 2\nthrottled_time 43000000\n");
	assert_int_equal(kb_throttle_us(&throttle), 38000);
	/* Times of groups above each other overlap. */
	put("/sys/fs/cgroup/cpu,cpuacct/a/cpu.stat", "nr_periods 9\nnr_throttled 2\nthrottled_time 40000000\n");
	assert_int_equal(kb_throttle_us(&throttle), 40000);
}

static void finds_version_2_above(void **state)
{
	struct kb_throttle throttle;

	(void)state;
	put("/proc/self/cgroup", "0::/user.slice/job\n");
	put("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n");
	put("/sys/fs/cgroup/user.slice/job/cpu.stat", "usage_usec 5\n");
	put("/sys/fs/cgroup/user.slice/cpu.stat", "usage_usec 5\nnr_periods 1\nnr_throttled 0\nthrottled_usec 100\n");
	put("/sys/fs/cgroup/cpu.stat", "usage_usec 5\n");
	kb_throttle_open(&throttle, root);
	kb_throttle_start(&throttle);
	assert_int_equal(throttle.count, 1);
	put("/sys/fs/cgroup/user.slice/cpu.stat", "usage_usec 9\nnr_periods 1\nnr_throttled 1\nthrottled_usec 350\n");
	assert_int_equal(kb_throttle_us(&throttle), 250);
}

/* The mount begins at the container's own group, whose path on the host /proc/self/cgroup tells. */
static void finds_its_group_in_a_container(void **state)
{
	struct kb_throttle throttle;

	(void)state;
	put("/proc/self/cgroup", "4:cpu:/docker/77/inner\n");
	put("/proc/self/mountinfo", "51 50 0:30 /docker/77 /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n"
	    "52 50 0:30 /docker/7 /elsewhere ro - cgroup cgroup rw,cpu\n");
	put("/sys/fs/cgroup/cpu/inner/cpu.stat", "throttled_time 1000\n");
	put("/sys/fs/cgroup/cpu/cpu.stat", "throttled_time 2000\n");
	put("/elsewhere/cpu.stat", "throttled_time 3000\n");
	kb_throttle_open(&throttle, root);
	assert_int_equal(throttle.count, 2);
}

static void says_nothing_without_files(void **state)
{
	struct kb_throttle throttle;

	(void)state;
	kb_throttle_open(&throttle, root);
	kb_throttle_start(&throttle);
	assert_int_equal(throttle.count, 0);
	assert_int_equal(kb_throttle_us(&throttle), 0);
	put("/proc/self/cgroup", "no line of this kind\n0::");
	put("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2\nx - cgroup2 a b\n\n - cgroup2 cgroup2 rw\n");
	kb_throttle_open(&throttle, root);
	assert_int_equal(throttle.count, 0);
	put("/proc/self/cgroup", "0::/a\n");
	put("/sys/fs/cgroup/a/cpu.stat", "");
	kb_throttle_open(&throttle, root);
	assert_int_equal(throttle.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_version_1, begin, end),
		cmocka_unit_test_setup_teardown(finds_version_2_above, begin, end),
		cmocka_unit_test_setup_teardown(finds_its_group_in_a_container, begin, end),
		cmocka_unit_test_setup_teardown(says_nothing_without_files, begin, end),
	};

	return cmocka_run_group_tests_name("throttle", tests, NULL, NULL);
}
