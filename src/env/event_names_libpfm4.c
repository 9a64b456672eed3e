/* See event_names.h, with libpfm4. It looks at the processor once; a machine without counters still has software events. */
#include "env/event_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <perfmon/pfmlib_perf_event.h>

const char *kb_event_library(void)
{
	return "libpfm4"; /* its own version number stays at 4.0 */
}

int kb_event_find(const char *name, struct kb_event_code *code, char why[120])
{
	struct perf_event_attr attr;
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof arg };
	static int state = PFM_ERR_NOINIT;

	if (state == PFM_ERR_NOINIT)
		state = pfm_initialize();
	int error = state;

	memset(&attr, 0, sizeof attr);
	/* A comma would start a second event, which libpfm4 leaves out without a word. */
	if (!error && strpbrk(name, ", \t\n\""))
		error = PFM_ERR_INVAL;
	if (!error)
		error = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	if (error) {
		snprintf(why, 120, "libpfm4: %s", pfm_strerror(error));
		return -EINVAL;
	}
	if (strlen(name) >= sizeof code->name) {
		snprintf(why, 120, "longer than %zu characters", sizeof code->name - 1);
		return -ENAMETOOLONG;
	}
	*code = (struct kb_event_code){
		.type = attr.type, .config = attr.config, .config1 = attr.config1, .config2 = attr.config2,
		.no_user = attr.exclude_user, .no_kernel = attr.exclude_kernel, .no_hypervisor = attr.exclude_hv,
	};
	strcpy(code->name, name);
	return 0;
}
