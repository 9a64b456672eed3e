/* See arguments.h. */
#define _GNU_SOURCE
#include "run/process/arguments.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env/event_names.h"

void kb_arguments_add(struct kb_arguments *arguments, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	if (arguments->count + 1 < KB_ARGUMENTS_MAX && vasprintf(&arguments->at[arguments->count], format, list) >= 0)
		arguments->at[++arguments->count] = NULL;
	va_end(list);
}

static bool is_declared(const struct kb_settings *settings, const char *name)
{
	for (int i = 0; i < KB_EVENTS_MAX && settings->bench->events[i].name; i++) {
		const struct kb_event *event = &settings->bench->events[i];

		if (!strcmp(event->name, name) && kb_settings_match(settings, event->when))
			return true;
	}
	return false;
}

static void add_event(struct kb_arguments *arguments, const struct kb_event_code *code)
{
	char text[KB_EVENT_TEXT_MAX];

	kb_event_format(text, code);
	kb_arguments_add(arguments, "--event=%s", text);
}

/* Declared ones that have no name here are left out: the other evidence has to do. Each is counted once. */
void kb_arguments_add_events(struct kb_arguments *arguments, const struct kb_run_options *options,
                             const struct kb_settings *settings)
{
	struct kb_event_code code;
	char why[120];

	for (int i = 0; i < KB_EVENTS_MAX && settings->bench->events[i].name; i++) {
		const struct kb_event *event = &settings->bench->events[i];

		if (kb_settings_match(settings, event->when) && !kb_event_find(event->name, &code, why))
			add_event(arguments, &code);
	}
	for (unsigned i = 0; i < options->event_count; i++) {
		if (!is_declared(settings, options->events[i].name))
			add_event(arguments, &options->events[i]);
	}
}

void kb_arguments_release(struct kb_arguments *arguments)
{
	while (arguments->count > 0)
		free(arguments->at[--arguments->count]);
}

void kb_arguments_add_params(struct kb_arguments *arguments, const struct kb_settings *settings)
{
	for (int i = 0; i < KB_PARAM_MAX && settings->bench->params[i].name; i++)
		kb_arguments_add(arguments, "-p%s=%s", settings->bench->params[i].name, settings->text[i]);
}
