/* See own_folder.h. */
#include "cli/own_folder.h"

#include <string.h>
#include <unistd.h>

void kb_own_folder(char folder[KB_OWN_FOLDER_MAX])
{
	ssize_t length = readlink("/proc/self/exe", folder, KB_OWN_FOLDER_MAX - 1);
	char *slash;

	folder[length > 0 ? length : 0] = '\0';
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
}
