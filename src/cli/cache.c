/* See cache.h. */
#include "cli/cache.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "places.h"
#include "run/process/trust.h"

void kb_make_folders(const struct kb_command *command, char *path, const char *remedy)
{
	umask(umask(0) | 022);
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			kb_die(command, KB_EXIT_USAGE, "cannot make the folder %s: %s; %s", path, strerror(errno), remedy);
		*slash = '/';
	}
}

void kb_cache_make(const struct kb_command *command, bool known, char *path, const char *remedy)
{
	char real[PATH_MAX], why[KB_TRUST_WHY], *slash;

	if (!known)
		kb_die(command, KB_EXIT_USAGE, KB_NO_CACHE "; %s", remedy);
	kb_make_folders(command, path, remedy);
	slash = strrchr(path, '/');
	*slash = '\0';
	if (kb_trust(path, KB_TRUST_US, real, why))
		kb_die(command, KB_EXIT_USAGE, "%s; or %s", why, remedy);
	*slash = '/';
}
