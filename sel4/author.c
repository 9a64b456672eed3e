/* The author's functions of kbench.h that a timed loop can use: parameters. Time, failures and counts are the root server's own. */
#include "timed_loop.h"

static int index_of(const char *name)
{
	return kb_param_index(kb_root.loop->about, (struct kb_span){ name, kb_strlen(name) });
}

uint64_t kb_param_number(const struct kb_run *run, const char *name)
{
	int i = index_of(name);

	(void)run;
	return i < 0 ? 0 : kb_root.settings.number[i];
}

const char *kb_param_text(const struct kb_run *run, const char *name)
{
	int i = index_of(name);

	(void)run;
	return i < 0 ? "" : kb_root.settings.text[i];
}

bool kb_param_is(const struct kb_run *run, const char *name, const char *value)
{
	return kb_streq(kb_param_text(run, name), value);
}

void kb_partner_priority(struct kb_root *root, const char *name)
{
	if (kb_param_is(&root->run, name, "same"))
		root->high_priority = root->low_priority;
	if (kb_param_is(&root->run, name, "lower"))
		root->high_priority = root->low_priority - 1;
}
