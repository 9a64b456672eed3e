/* What hwloc says of a machine that it is told to believe in: two packages of one L3, two L2 and two threads a core each. */
#define _GNU_SOURCE
#include "env/topology.h"
#include "env/cpulist.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void kin(void **state)
{
	struct kb_topology *topology;
	struct kb_topology_cache cache;

	(void)state;
	setenv("HWLOC_SYNTHETIC", "package:2 l3:2(size=33554432) l2:2(size=1048576) core:1 pu:2", 1);
	setenv("HWLOC_THISSYSTEM", "1", 1);
	topology = kb_topology_open();
	assert_non_null(topology);
	assert_int_equal(kb_topology_kin(topology, 0, 1), KB_KIN_CORE);
	assert_int_equal(kb_topology_kin(topology, 0, 2), KB_KIN_L3);
	assert_int_equal(kb_topology_kin(topology, 3, 7), KB_KIN_NUMA);
	assert_int_equal(kb_topology_kin(topology, 0, 99), KB_KIN_UNKNOWN);
	assert_true(kb_topology_cache(topology, 5, 3, &cache));
	assert_int_equal(cache.bytes, 32 << 20);
	assert_string_equal(cache.cpus, "4-7");
	assert_true(kb_topology_cache(topology, 5, 2, &cache));
	assert_int_equal(cache.bytes, 1 << 20);
	assert_string_equal(cache.cpus, "4-5");
	assert_false(kb_topology_cache(topology, 5, 1, &cache));
	assert_false(kb_topology_cache(topology, 5, 4, &cache));
	assert_false(kb_topology_cache(topology, 99, 2, &cache));
	kb_topology_close(topology);

	/* Two cores below one L2, and nodes: packages are apart, nodes of one package are not one node. */
	setenv("HWLOC_SYNTHETIC", "package:2 node:2 l2:1(size=1048576) core:2 pu:1", 1);
	topology = kb_topology_open();
	assert_non_null(topology);
	assert_int_equal(kb_topology_kin(topology, 0, 1), KB_KIN_L2);
	assert_int_equal(kb_topology_kin(topology, 0, 2), KB_KIN_PACKAGE);
	assert_int_equal(kb_topology_kin(topology, 0, 4), KB_KIN_MACHINE);
	kb_topology_close(topology);

	/* CPUs that are numbered in turn: each list names every second one, "0,2,4 ... 254". */
	setenv("HWLOC_SYNTHETIC", "package:2 l3:1(size=1048576) core:128 pu:1(indexes=package:core)", 1);
	topology = kb_topology_open();
	assert_non_null(topology);
	assert_true(kb_topology_cache(topology, 254, 3, &cache));
	assert_true(kb_cpulist_has(cache.cpus, 254));
	assert_false(kb_cpulist_has(cache.cpus, 253));
	kb_topology_close(topology);
}

/* A description of another machine is no word of this one. */
static void another_machine(void **state)
{
	struct kb_topology_cache cache;

	(void)state;
	setenv("HWLOC_THISSYSTEM", "0", 1);
	assert_null(kb_topology_open());
	assert_int_equal(kb_topology_kin(NULL, 0, 1), KB_KIN_UNKNOWN);
	assert_false(kb_topology_cache(NULL, 0, 1, &cache));
	kb_topology_close(NULL);
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_THISSYSTEM");
	for (enum kb_kin kin = 0; kin < KB_KINS; kin++)
		assert_non_null(kb_kin_name(kin));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(kin), cmocka_unit_test(another_machine) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
