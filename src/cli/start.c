/* See start.h. */
#define _GNU_SOURCE
#include "cli/start.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "report/json.h"
#include "run/run.h"

void kb_start_cpus(const struct kb_command *command, const char *list, struct kb_cpus *cpus)
{
	switch (kb_cpus_choose(list, cpus)) {
	case 0:
		return;
	case -EINVAL:
		kb_usage(command, "--cpus '%.40s': not a list such as 0,2-3", list ? list : "");
	case -ENODEV:
		kb_usage(command, "--cpus '%.40s': this process may not use all of them", list ? list : "");
	default:
		kb_die(command, KB_EXIT_USAGE, "cannot find out which CPUs there are");
	}
}

/* Beside this program in a build folder, below libexec when installed: both move together, so no path is built in. */
void kb_start_collector(const struct kb_command *command, char path[PATH_MAX])
{
	static const char *const places[] = { "kbench-collect", "../libexec/kbench/kbench-collect" };
	char folder[PATH_MAX / 2];
	ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);

	folder[length > 0 ? length : 0] = '\0';
	char *slash = strrchr(folder, '/');

	if (slash)
		*slash = '\0';
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		snprintf(path, PATH_MAX, "%s/%s", folder, places[i]);
		if (access(path, X_OK) == 0)
			return;
	}
	kb_die(command, KB_EXIT_USAGE, "no collector in %s or %s/../libexec/kbench; build or install kbench again", folder,
	       folder);
}

/* An unfit machine is measured all the same: the numbers carry their verdicts, and a script has the exit code. */
bool kb_start_look(const struct kb_command *command, bool strict, json_t **json, char **text)
{
	struct kb_finding findings[KB_FINDINGS_MAX];
	struct kb_env env;
	char unfit[200] = "";

	if (kb_env_read(&env))
		kb_die(command, KB_EXIT_USAGE, "out of memory");
	*json = kb_env_to_json(&env);
	*text = kb_json_text(*json);

	size_t count = strict ? kb_doctor(&env, findings) : 0;

	for (size_t i = 0; i < count; i++) {
		if (findings[i].fitness == KB_UNFIT) {
			size_t used = strlen(unfit);

			snprintf(unfit + used, sizeof unfit - used, "%s%s", used ? ", " : "", findings[i].id);
		}
	}
	kb_env_free(&env);
	if (unfit[0])
		kb_complain(command, "unfit environment: %s (see 'kbench doctor'); measuring all the same", unfit);
	return unfit[0] != '\0';
}

char *kb_start_command_line(int argc, char **argv)
{
	size_t room = sizeof "kbench";
	/* A byte takes four at most, as an escape. */
	for (int i = 0; i < argc; i++)
		room += 4 * strlen(argv[i]) + 3;

	char *line = malloc(room);
	struct kb_text text = kb_text_in(line, line ? room : 0);

	kb_text_str(&text, "kbench");
	for (int i = 0; line && i < argc; i++) {
		kb_text_str(&text, " ");
		kb_text_quoted(&text, argv[i]);
	}
	return line;
}

static void ignore(int number)
{
	(void)number;
}

/* Ctrl-C ends the run after the launch in flight, a second one at once. A handler for SIGPIPE, not SIG_IGN, which
   collectors would inherit: a closed pipe must not end the run before everything is saved. */
void kb_start_signals(void)
{
	static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = kb_run_stop, .sa_flags = SA_RESTART | (int)SA_RESETHAND }, old;

	for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
		/* Who started us with nohup or in the background of a script meant it. */
		if (sigaction(stops[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(stops[i], &action, NULL);
	}
	action = (struct sigaction){ .sa_handler = ignore, .sa_flags = SA_RESTART };
	sigaction(SIGPIPE, &action, NULL);
}
