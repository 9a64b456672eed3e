/* A run on this machine: calibration, guardian, scratch directory, then engines over processes. */
#define _GNU_SOURCE
#include "run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"
#include "lacking.h"
#include "run/calibrate.h"
#include "run/process/machine.h"
#include "run/process/parallel.h"

static int explain(char error[256], const char *what, int code)
{
	snprintf(error, 256, "%s: %s", what, kb_start_lack(-code));
	return code;
}

/* What the guardian is to remove must be the whole path: one that was cut off would name another directory. */
static int make_scratch(struct kb_machine *machine, const char *id, char error[256])
{
	char directory[PATH_MAX];

	kb_run_directory(directory);
	int length = snprintf(machine->scratch, sizeof machine->scratch, "%s/kbench-%s", directory, id);
	int result = (size_t)length < sizeof machine->scratch ? kb_guardian_remove(&machine->guardian, machine->scratch) : -ENAMETOOLONG;

	if (!result && mkdir(machine->scratch, 0700) < 0)
		result = -errno;
	if (result)
		snprintf(error, 256, "cannot create a scratch directory in %.120s: %s; set TMPDIR to a writable directory on a disk", directory,
		         strerror(-result));
	return result;
}

/* Fills the outcome's clock. On error there is nothing to close. */
static int open_machine(struct kb_machine *machine, const struct kb_run_options *options, struct kb_run_outcome *outcome, char error[256])
{
	*machine = (struct kb_machine){ .started_ns = kb_wall_ns() };
	*outcome = (struct kb_run_outcome){ .floor = options->floor };
	error[0] = '\0';
	if (access(options->collector, X_OK) < 0)
		return explain(error, options->collector, -errno);
	int result = options->calibrated ? 0 : kb_calibrate(options->clock, options->cpus.measure, outcome);

	if (options->calibrated) {
		outcome->clock = options->calibrated->clock;
		outcome->probe = options->calibrated->probe;
		memcpy(outcome->ladder, options->calibrated->ladder, sizeof outcome->ladder);
	}
	if (result)
		return explain(error, "the clock cannot be used (try --clock ns)", result);
	if (options->emulated)
		outcome->probe = 0;
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* what a benchmark forks away becomes ours to find */
	result = kb_guardian_start(&machine->guardian, options->id);
	if (result)
		return explain(error, "cannot start the guardian", result);
	result = make_scratch(machine, options->id, error);
	if (result)
		kb_guardian_stop(&machine->guardian);
	return result;
}

int kb_machine_run(unsigned sides, const struct kb_run_options *options, const struct kb_run_observer *observers,
                   int (*run)(void *context, const struct kb_engine *, struct kb_run_outcome *, char error[256]), void *context,
                   struct kb_run_outcome *outcome, char error[256])
{
	struct kb_copies *copies[2] = { NULL };
	struct kb_transport transports[2];
	struct kb_engine engines[2];
	struct kb_ratios ratios = { .all = 0 };
	struct kb_machine machine;
	int result = open_machine(&machine, &options[0], outcome, error);

	if (result)
		return result;
	for (unsigned side = 0; side < sides && !result; side++) {
		copies[side] = kb_copies_new(&options[side], &machine);
		if (!copies[side]) {
			result = explain(error, "starting", -ENOMEM);
			break;
		}
		transports[side] = kb_copies_transport(copies[side]);
		engines[side] = (struct kb_engine){
			.transport = &transports[side], .options = &options[side], .observer = &observers[side], .clock = &outcome->clock,
			/* A hundredth is left for what comes before and after: the environment, the store, the guardian's end. */
			.deadline_ns = machine.started_ns + options[0].budget_ns - options[0].budget_ns / 100,
			.probe = outcome->probe, .floor = &outcome->floor, .ratios = &ratios,
		};
	}
	if (!result)
		result = run(context, engines, outcome, error);
	outcome->k = kb_ratios_mode(&ratios, &(bool){ false });
	for (unsigned side = 0; side < sides; side++)
		kb_copies_free(copies[side]);
	kb_guardian_stop(&machine.guardian);
	outcome->elapsed_ns = kb_wall_ns() - machine.started_ns;
	return result;
}

struct request { struct kb_row *rows; size_t count; };

static int run_rows(void *context, const struct kb_engine *engine, struct kb_run_outcome *outcome, char error[256])
{
	const struct request *request = context;

	return kb_engine_run(engine, request->rows, request->count, outcome, error);
}

int kb_run_rows(struct kb_row *rows, size_t count, const struct kb_run_options *options,
                const struct kb_run_observer *observer, struct kb_run_outcome *outcome, char error[256])
{
	return kb_machine_run(1, options, observer, run_rows, &(struct request){ rows, count }, outcome, error);
}
