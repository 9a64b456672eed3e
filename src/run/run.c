/* A run on this machine: calibration, guardian, scratch folder, then the engine over processes. */
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
#include "run/calibrate.h"
#include "run/engine.h"
#include "run/process/machine.h"
#include "run/process/parallel.h"

static int explain(char error[256], const char *what, int code)
{
	snprintf(error, 256, "%s: %s", what, strerror(-code));
	return code;
}

static const char *scratch_folder(void)
{
	const char *folder = getenv("TMPDIR");

	/* On a disk, not in memory, as /tmp may be: benchmarks of page faults from files need one. */
	return folder && folder[0] ? folder : "/var/tmp";
}

static int explain_scratch(char error[256], int code)
{
	snprintf(error, 256, "cannot make a scratch folder in %.120s: %s; set TMPDIR to a writable folder on a disk", scratch_folder(),
	         strerror(-code));
	return code;
}

/* What the guardian is to remove must be the whole path: one that was cut off would name another folder. */
static int make_scratch(struct kb_guardian *guardian, const char *id, char *path, size_t room)
{
	if ((size_t)snprintf(path, room, "%s/kbench-%s", scratch_folder(), id) >= room)
		return -ENAMETOOLONG;
	int error = kb_guardian_remove(guardian, path);

	if (error)
		return error;
	return mkdir(path, 0700) < 0 ? -errno : 0;
}

int kb_machine_open(struct kb_machine *machine, const struct kb_run_options *options, struct kb_run_outcome *outcome,
                    char error[256])
{
	machine->started_ns = kb_wall_ns();
	*outcome = (struct kb_run_outcome){ 0 };
	error[0] = '\0';
	if (access(options->collector, X_OK) < 0)
		return explain(error, options->collector, -errno);
	int result = kb_calibrate(options->clock, options->cpus.measure, outcome);

	if (result)
		return explain(error, "the clock cannot be used (try --clock ns)", result);
	if (options->emulated)
		outcome->probe = 0;
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* what a benchmark forks away becomes ours to find */
	result = kb_guardian_start(&machine->guardian, options->id);
	if (result)
		return explain(error, "cannot start the guardian", result);
	result = make_scratch(&machine->guardian, options->id, machine->scratch, sizeof machine->scratch);
	if (result) {
		kb_guardian_stop(&machine->guardian);
		return explain_scratch(error, result);
	}
	return 0;
}

void kb_machine_close(struct kb_machine *machine, struct kb_run_outcome *outcome)
{
	kb_guardian_stop(&machine->guardian);
	outcome->elapsed_ns = kb_wall_ns() - machine->started_ns;
}

int kb_run_rows(struct kb_row *rows, size_t count, const struct kb_run_options *options,
                const struct kb_run_observer *observer, struct kb_run_outcome *outcome, char error[256])
{
	struct kb_machine machine;
	int result = kb_machine_open(&machine, options, outcome, error);

	if (result)
		return result;
	struct kb_gang *gang = kb_gang_new(options, &machine.guardian, machine.scratch);
	struct kb_transport transport = gang ? kb_gang_transport(gang) : (struct kb_transport){ .context = NULL };
	struct kb_ratios ratios = { .all = 0 };
	struct kb_engine engine = {
		.transport = &transport, .options = options, .observer = observer, .clock = &outcome->clock,
		/* A hundredth is left for what comes before and after: the environment, the store, the guardian's end. */
		.deadline_ns = machine.started_ns + options->budget_ns - options->budget_ns / 100,
		.probe = outcome->probe, .floor = &outcome->floor, .ratios = &ratios,
	};

	outcome->floor = options->floor;
	result = gang ? kb_engine_run(&engine, rows, count, outcome, error) : explain(error, "starting", -ENOMEM);
	outcome->k = kb_ratios_mode(&ratios, &(bool){ false });
	kb_gang_free(gang);
	kb_machine_close(&machine, outcome);
	return result;
}
