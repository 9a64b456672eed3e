/* Where this program lies: what it needs lies beside it. */
#ifndef KB_CLI_OWN_FOLDER_H
#define KB_CLI_OWN_FOLDER_H

#include <limits.h>

/* Half of a path, so that a name fits behind it. */
#define KB_OWN_FOLDER_MAX (PATH_MAX / 2)

/* The folder of the executable: a build folder, or bin of what is installed. Empty if it cannot be found. */
void kb_own_folder(char folder[KB_OWN_FOLDER_MAX]);

#endif
