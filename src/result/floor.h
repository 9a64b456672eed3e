/* The floor of the contention probe: what its loops take on a core that nobody shares (result/contention.h). */
#ifndef KB_RESULT_FLOOR_H
#define KB_RESULT_FLOOR_H

/* Where K comes from: measured values that are shipped, three runs in the store that agree, this run. */
enum kb_floor_from { KB_FLOOR_UNKNOWN, KB_FLOOR_SHIPPED, KB_FLOOR_STORED, KB_FLOOR_RUN };

struct kb_floor {
	double k;                       /* core cycles a loop of the contention probe, its clock readings included; 0: not known */
	enum kb_floor_from from;
};

/* K of a CPU model that is shipped with the program; 0: of this one there is none. */
double kb_floor_shipped(const char *key);

/* "shipped" "stored" "run"; "unknown" */
const char *kb_floor_from_name(enum kb_floor_from);
enum kb_floor_from kb_floor_from_find(const char *name);

#endif
