/*
 * store_look FILE LABEL: is the store sound, and which processes of that run are in it? Prints how many there are, and
 * how many of those are not whole. A store or a run that does not exist yet has none. Exit code 1: the store is damaged.
 */
#include "store/store.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/record.h"

struct seen { unsigned processes, broken; };

static int say(void *context, int count, char **values, char **names)
{
	(void)context, (void)names;
	if (count == 1 && values[0] && !strcmp(values[0], "ok"))
		return 0;
	printf("integrity_check: %s\n", count > 0 && values[0] ? values[0] : "nothing");
	return 1;
}

static int check_integrity(const char *path)
{
	sqlite3 *database = NULL;
	int error = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL);

	if (!error)
		error = sqlite3_exec(database, "PRAGMA integrity_check", say, NULL, NULL);
	if (error)
		printf("%s\n", sqlite3_errmsg(database));
	sqlite3_close(database);
	return error;
}

static int look(void *context, const struct kb_stored_process *process)
{
	struct seen *seen = context;
	struct kb_record_reader reader;
	struct kb_line line;

	kb_record_open(&reader, process->record, process->record_length);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE)
		;
	seen->processes++;
	seen->broken += reader.state != KB_RECORD_WHOLE || process->outcome[0];
	return 0;
}

int main(int argc, char **argv)
{
	struct kb_store *store = NULL;
	struct seen seen = { 0, 0 };
	char id[37];
	int error = 0;

	if (argc != 3)
		return 2;
	if (access(argv[1], F_OK) == 0) {
		if (check_integrity(argv[1]))
			return 1;
		error = kb_store_open(&store, argv[1], KB_STORE_READ);
		if (!error)
			error = kb_store_find_run(store, argv[2], id);
		if (!error)
			error = kb_store_all_processes(store, id, look, &seen);
		if (error && error != -ENOENT)
			printf("%s\n", kb_store_error(store));
		kb_store_close(store);
	}
	printf("%u %u\n", seen.processes, seen.broken);
	return error && error != -ENOENT;
}
