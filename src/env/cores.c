/* With topology.c the only user of hwloc: which core a CPU belongs to. Discovery is cut down to cores, or it takes much longer. */
#include "env/pick.h"

#include <hwloc.h>

static void read_cores(hwloc_topology_t topology, struct kb_candidate *candidates, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(topology, candidates[i].cpu);
		hwloc_obj_t core = pu ? hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu) : NULL;

		if (core)
			candidates[i].core = (int)core->logical_index;
	}
}

void kb_cores_find(struct kb_candidate *candidates, size_t count)
{
	hwloc_topology_t topology;

	for (size_t i = 0; i < count; i++)
		candidates[i].core = -1;
	if (hwloc_topology_init(&topology))
		return;
	/* HWLOC_XMLFILE in the environment may describe another machine: such an answer is none. */
	if (!hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE) &&
	    !hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL) &&
	    !hwloc_topology_load(topology) && hwloc_topology_is_thissystem(topology))
		read_cores(topology, candidates, count);
	hwloc_topology_destroy(topology);
}
