/* The only user of hwloc. Discovery is cut down to what is asked for, or it takes much longer. */
#include "env/topology.h"

#include <hwloc.h>
#include <stdlib.h>

#include "env/pick.h"

struct kb_topology { hwloc_topology_t hwloc; };

/* HWLOC_XMLFILE in the environment may describe another machine: such an answer is none. */
static bool discover(hwloc_topology_t hwloc, bool cores_only)
{
	return !hwloc_topology_set_all_types_filter(hwloc, HWLOC_TYPE_FILTER_KEEP_NONE) &&
	       !hwloc_topology_set_type_filter(hwloc, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL) &&
	       (cores_only || (!hwloc_topology_set_cache_types_filter(hwloc, HWLOC_TYPE_FILTER_KEEP_ALL) &&
			       !hwloc_topology_set_type_filter(hwloc, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL))) &&
	       !hwloc_topology_load(hwloc) && hwloc_topology_is_thissystem(hwloc);
}

void kb_cores_find(struct kb_candidate *candidates, size_t count)
{
	hwloc_topology_t hwloc;

	for (size_t i = 0; i < count; i++)
		candidates[i].core = -1;
	if (hwloc_topology_init(&hwloc))
		return;
	for (size_t i = discover(hwloc, true) ? 0 : count; i < count; i++) {
		hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(hwloc, candidates[i].cpu);
		hwloc_obj_t core = pu ? hwloc_get_ancestor_obj_by_type(hwloc, HWLOC_OBJ_CORE, pu) : NULL;

		if (core)
			candidates[i].core = (int)core->logical_index;
	}
	hwloc_topology_destroy(hwloc);
}

struct kb_topology *kb_topology_open(void)
{
	struct kb_topology *topology = calloc(1, sizeof *topology);

	if (!topology || hwloc_topology_init(&topology->hwloc)) {
		free(topology);
		return NULL;
	}
	if (discover(topology->hwloc, false))
		return topology;
	kb_topology_close(topology);
	return NULL;
}

void kb_topology_close(struct kb_topology *topology)
{
	if (!topology)
		return;
	hwloc_topology_destroy(topology->hwloc);
	free(topology);
}

bool kb_topology_cache(const struct kb_topology *topology, unsigned cpu, unsigned level, struct kb_topology_cache *cache)
{
	static const hwloc_obj_type_t types[] = { HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE };
	hwloc_obj_t pu = topology ? hwloc_get_pu_obj_by_os_index(topology->hwloc, cpu) : NULL;
	hwloc_obj_t found = pu && level >= 1 && level <= 3 ? hwloc_get_ancestor_obj_by_type(topology->hwloc, types[level - 1], pu) : NULL;

	if (!found)
		return false;
	*cache = (struct kb_topology_cache){ .bytes = found->attr->cache.size, .line = found->attr->cache.linesize };
	if (found->attr->cache.associativity > 0) /* -1: one set */
		cache->ways = (unsigned)found->attr->cache.associativity;
	/* A list that is cut off would say of CPUs that they do not share it. */
	if (hwloc_bitmap_list_snprintf(cache->cpus, sizeof cache->cpus, found->cpuset) >= (int)sizeof cache->cpus)
		cache->cpus[0] = '\0';
	return true;
}

enum kb_kin kb_topology_kin(const struct kb_topology *topology, unsigned a, unsigned b)
{
	static const struct { hwloc_obj_type_t type; enum kb_kin kin; } ladder[] = {
		{ HWLOC_OBJ_CORE, KB_KIN_CORE }, { HWLOC_OBJ_L2CACHE, KB_KIN_L2 }, { HWLOC_OBJ_L3CACHE, KB_KIN_L3 },
	};
	hwloc_obj_t one = topology ? hwloc_get_pu_obj_by_os_index(topology->hwloc, a) : NULL;
	hwloc_obj_t two = topology ? hwloc_get_pu_obj_by_os_index(topology->hwloc, b) : NULL;

	if (!one || !two)
		return KB_KIN_UNKNOWN;
	for (size_t i = 0; i < sizeof ladder / sizeof ladder[0]; i++) {
		hwloc_obj_t above = hwloc_get_ancestor_obj_by_type(topology->hwloc, ladder[i].type, one);

		if (above && hwloc_bitmap_isset(above->cpuset, b))
			return ladder[i].kin;
	}
	hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology->hwloc, HWLOC_OBJ_PACKAGE, one);
	bool inside = package && hwloc_bitmap_isset(package->cpuset, b), node = hwloc_bitmap_isequal(one->nodeset, two->nodeset) != 0;

	return inside && node ? KB_KIN_NUMA : inside ? KB_KIN_PACKAGE : KB_KIN_MACHINE;
}

const char *kb_kin_name(enum kb_kin kin)
{
	static const char *const names[KB_KINS] = {
		[KB_KIN_CORE] = "one core", [KB_KIN_L2] = "one L2", [KB_KIN_L3] = "one L3", [KB_KIN_NUMA] = "one NUMA node",
		[KB_KIN_PACKAGE] = "one package", [KB_KIN_MACHINE] = "one machine", [KB_KIN_UNKNOWN] = "unknown",
	};

	return names[kin];
}
