/* See tasks.h. Few live at a time, so that they are searched one by one. */
#include "evidence/tasks.h"

#include <stdlib.h>

struct kb_task *kb_task_of(struct kb_tasks *tasks, pid_t pid)
{
	for (size_t i = 0; i < tasks->count; i++) {
		if (tasks->at[i].pid == pid)
			return &tasks->at[i];
	}
	if (tasks->count == tasks->room) {
		size_t room = tasks->room ? 2 * tasks->room : 16;
		struct kb_task *grown = realloc(tasks->at, room * sizeof *grown);

		if (!grown)
			return NULL;
		tasks->at = grown;
		tasks->room = room;
	}
	tasks->at[tasks->count] = (struct kb_task){ .pid = pid, .number = KB_NO_CALL };
	return &tasks->at[tasks->count++];
}

void kb_task_forget(struct kb_tasks *tasks, pid_t pid)
{
	struct kb_task *task = kb_task_of(tasks, pid);

	if (task)
		*task = tasks->at[--tasks->count];
}

void kb_tasks_free(struct kb_tasks *tasks)
{
	free(tasks->at);
	*tasks = (struct kb_tasks){ 0 };
}
