/* Where kbench's own files lie, and the user's. Whether they are to be believed is not asked here (run/process/trust.h). */
#ifndef KB_OS_PLACES_H
#define KB_OS_PLACES_H

#include <limits.h>
#include <stdbool.h>

/* Half of a path, so that a name fits behind it. */
#define KB_EXE_DIRECTORY_MAX (PATH_MAX / 2)

/* The directory of the executable: a build directory, or bin of what is installed. Empty if it cannot be found. */
void kb_exe_directory(char directory[KB_EXE_DIRECTORY_MAX]);

/* Directories of the user's, as the XDG base directory specification has them: "kbench/PART" in XDG_CACHE_HOME or ~/.cache, in XDG_DATA_HOME
   or ~/.local/share, in XDG_STATE_HOME or ~/.local/state, in XDG_CONFIG_HOME or ~/.config. False, and "": neither variable names a whole path.
   There is no other place then: a shared one is anybody's. */
bool kb_cache_directory(char directory[PATH_MAX], const char *part);
bool kb_data_directory(char directory[PATH_MAX], const char *part);
bool kb_state_directory(char directory[PATH_MAX], const char *part);
bool kb_config_directory(char directory[PATH_MAX], const char *part);

/* Makes the directories above a file that are missing. 0, or -errno: `at` is the one that cannot be made. */
int kb_make_directories(const char *path, unsigned mode, char at[PATH_MAX]);

/* What to say when there is no cache. */
#define KB_NO_CACHE "neither XDG_CACHE_HOME nor HOME is set"

#endif
