/* See places.h. */
#include "places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void kb_exe_directory(char directory[KB_EXE_DIRECTORY_MAX])
{
	ssize_t length = readlink("/proc/self/exe", directory, KB_EXE_DIRECTORY_MAX - 1);
	char *slash;

	directory[length > 0 ? length : 0] = '\0';
	slash = strrchr(directory, '/');
	if (slash)
		*slash = '\0';
}

static bool users_directory(char directory[PATH_MAX], const char *variable, const char *below, const char *part)
{
	const char *named = getenv(variable), *home = getenv("HOME");
	int length = PATH_MAX;

	/* A relative one is to be ignored, says the specification. */
	if (named && named[0] == '/')
		length = snprintf(directory, PATH_MAX, "%s/kbench/%s", named, part);
	else if (home && home[0] == '/')
		length = snprintf(directory, PATH_MAX, "%s/%s/kbench/%s", home, below, part);
	if (length < PATH_MAX)
		return true;
	directory[0] = '\0';
	return false;
}

bool kb_cache_directory(char directory[PATH_MAX], const char *part)
{
	return users_directory(directory, "XDG_CACHE_HOME", ".cache", part);
}

bool kb_data_directory(char directory[PATH_MAX], const char *part)
{
	return users_directory(directory, "XDG_DATA_HOME", ".local/share", part);
}

bool kb_state_directory(char directory[PATH_MAX], const char *part)
{
	return users_directory(directory, "XDG_STATE_HOME", ".local/state", part);
}

bool kb_config_directory(char directory[PATH_MAX], const char *part)
{
	return users_directory(directory, "XDG_CONFIG_HOME", ".config", part);
}

int kb_make_directories(const char *path, unsigned mode, char at[PATH_MAX])
{
	for (const char *slash = *path ? strchr(path + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
		if (snprintf(at, PATH_MAX, "%.*s", (int)(slash - path), path) >= PATH_MAX)
			return -ENAMETOOLONG;
		if (mkdir(at, mode) && errno != EEXIST)
			return -errno;
	}
	return 0;
}
