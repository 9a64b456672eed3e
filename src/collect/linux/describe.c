/* Plug-ins: loaded, checked, described; see context.h. */
#define _GNU_SOURCE
#include "collect/linux/context.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "description.h"
#include "io.h"

int kb_collect_load(const char *plugin, struct kb_bench *bench, char error[256])
{
	char why[256];
	struct kb_text text = kb_text_in(why, sizeof why);
	int wrong = kb_plugin_load(plugin, bench, error);

	if (wrong)
		return wrong;
	wrong = kb_descriptor_check(bench, &text);
	if (wrong)
		snprintf(error, 256, "%.80s: %.170s", plugin, why);
	return wrong;
}

int kb_collect_describe(const char *plugin)
{
	static char answer[KB_DESCRIPTION_MAX];
	struct kb_text text = kb_text_in(answer, sizeof answer);
	struct kb_bench bench;
	char error[256];
	int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	dup2(null, STDOUT_FILENO); /* what a constructor prints goes nowhere */
	close(null);
	if (!kb_collect_load(plugin, &bench, error)) {
		kb_description_write(&text, &bench);
		if (!text.cut)
			return kb_write_all(output, answer, text.used) ? 1 : 0;
		snprintf(error, sizeof error, "%.120s: its texts have more than %u KB", plugin, KB_DESCRIPTION_MAX >> 10);
	}
	text = kb_text_in(answer, sizeof answer);
	kb_description_refuse(&text, error);
	return kb_write_all(output, answer, text.used) ? 1 : 0;
}
