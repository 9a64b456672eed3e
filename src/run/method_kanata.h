/*
 * The method of the source document: one launch is one run of its application. G groups in order, S tests each, of I, I + D,
 * I + 2D ... operations; the first `skip` tests of a group are collected on top and not counted.
 */
#ifndef KB_RUN_METHOD_KANATA_H
#define KB_RUN_METHOD_KANATA_H

#include "run/method.h"
#include "run/run.h"

#define KB_KANATA "kanata"

/* Whether this benchmark can be measured so. False: why has one line for people. */
bool kb_kanata_possible(const struct kb_bench *, const struct kb_kanata_options *, char why[160]);

void kb_kanata_design(struct kb_design *, const struct kb_bench *, const struct kb_kanata_options *);

/* Block `index` of a launch: the first and the last are sentinels, between them come the groups. */
void kb_kanata_block(const struct kb_design *, uint64_t index, struct kb_block *);

/* After a launch: whether every group's interval is narrow enough; if not, the design gets the group size S' that
   equation (3.3) asks of the widest. A launch that did not end well changes nothing. */
bool kb_kanata_met(const struct kb_kanata_options *, const struct kb_launch_text *, struct kb_design *);

#endif
