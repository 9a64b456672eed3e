/* See doctor.h. */
#include "workflow/doctor.h"

#include <string.h>

#include "env/doctor.h"
#include "result/json/json.h"
#include "workflow/floor.h"
#include "workflow/machine.h"

/* As `run` would measure: the same CPU, the same clock, the same K. */
static void watch_core(const struct kb_env *env, const struct kb_cpus *cpus, uint64_t ns, const struct kb_notes *notes, struct kb_checkup *checkup)
{
	json_t *facts = kb_env_to_json(env);
	struct kb_run_options run = { .cpus = *cpus };

	kb_floor_start(facts, NULL, &run);
	json_decref(facts);
	int error = run.emulated ? 0 : kb_sharing_here(&run, ns, &checkup->sharing);

	if (error)
		kb_note(notes, "the core cannot be watched: %s", strerror(-error));
	checkup->measured = !run.emulated && !error;
	if (!error)
		kb_sharing_judge(checkup->measured ? &checkup->sharing : NULL, &checkup->findings[checkup->count++]);
}

int kb_check_machine(const char *list, uint64_t ns, const struct kb_notes *notes, struct kb_checkup *checkup, struct kb_failure *failure)
{
	struct kb_env env;
	struct kb_cpus cpus;

	*checkup = (struct kb_checkup){ .count = 0 };
	if (kb_choose_cpus(list, &cpus, failure))
		return failure->code;
	if (kb_env_read(&env))
		return kb_refuse_memory(failure);
	checkup->count = kb_doctor(&env, checkup->findings);
	kb_doctor_cpus(&cpus, &checkup->findings[checkup->count++]);
	if (ns > 0)
		watch_core(&env, &cpus, ns, notes, checkup);
	kb_env_free(&env);
	for (size_t i = 0; i < checkup->count; i++)
		checkup->unfit = checkup->unfit || checkup->findings[i].fitness == KB_UNFIT;
	return 0;
}
