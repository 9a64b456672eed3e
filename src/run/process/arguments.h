/* The words of a launch's command line, made one by one. */
#ifndef KB_RUN_PROCESS_ARGUMENTS_H
#define KB_RUN_PROCESS_ARGUMENTS_H

#include "measure/params.h"
#include "run/run.h"

#define KB_ARGUMENTS_MAX 40

/* Owned; behind the last one stands NULL, as execv() wants it. What does not fit is left out. */
struct kb_arguments { char *at[KB_ARGUMENTS_MAX]; unsigned count; };

void kb_arguments_add(struct kb_arguments *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A -p for each parameter. */
void kb_arguments_add_params(struct kb_arguments *, const struct kb_settings *);

/* An --event for each that the benchmark declares or the run asks for. */
void kb_arguments_add_events(struct kb_arguments *, const struct kb_run_options *, const struct kb_settings *);

void kb_arguments_release(struct kb_arguments *);

#endif
