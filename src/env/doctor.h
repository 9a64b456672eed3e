/* The judgement of doctor, apart from its two readings, so that it can be tested on machines that are not here. */
#ifndef KB_ENV_DOCTOR_H
#define KB_ENV_DOCTOR_H

#include "env/activity.h"
#include "env/env.h"

/* `boot`: counters since boot; `now`: their growth over the last tenth of a second. */
size_t kb_doctor_judge(const struct kb_env *env, const struct kb_activity *boot, const struct kb_activity *now,
		       struct kb_finding findings[KB_FINDINGS_MAX]);

/* What the choice of CPUs means for a run. */
void kb_doctor_cpus(const struct kb_cpus *, struct kb_finding *);

#endif
