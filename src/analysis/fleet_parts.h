/* What the store has of a result over fleets, before points are made of it. Only for src/analysis. */
#ifndef KB_ANALYSIS_FLEET_PARTS_H
#define KB_ANALYSIS_FLEET_PARTS_H

#include "analysis/history.h"

/* All fleets of the store, by their ids. */
struct fleet_age { char id[64], started[24]; size_t age; };     /* age: 0 of the newest */
struct fleet_ages { struct fleet_age *at; size_t count; };

/* A result on a node of a fleet. */
struct fleet_part { struct kb_stored_result result; size_t age, group; };

/* Results of one environment (group), its newest fleet first. */
struct fleet_parts { struct fleet_part *at; size_t count, groups; };

/* All, in one question. -ENOMEM or an error of the store; free ages->at in any case. */
int kb_fleet_ages(struct kb_store *, struct fleet_ages *ages);

/* Of the newest so many fleets, whole ones, in one question. Errors as above; free parts->at in any case. */
int kb_fleet_parts(struct kb_store *, const struct kb_history_wanted *, const struct kb_stored_result *row, struct fleet_ages *ages, size_t newest,
		   struct fleet_parts *parts);

/* Where the next fleet begins, and the next environment, with the number of fleets before that. */
size_t kb_fleet_parts_next(const struct fleet_parts *, size_t from);
size_t kb_fleet_parts_group(const struct fleet_parts *, size_t from, size_t *fleets);

#endif
