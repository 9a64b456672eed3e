/*
 * One process as a process. The parent sleeps while blocks run: it looks at the record pipe every 100 ms only, because
 * its own wake-ups would be the disturbance that it reports. How a process ended is told by the wait status alone.
 */
#define _GNU_SOURCE
#include "run/process/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "env/event_names.h"
#include "io.h"
#include "lacking.h"
#include "result/sent.h"
#include "run/backend/backend.h"
#include "run/process/child.h"
#include "run/process/mark.h"
#include "run/process/symbol.h"

#define PIPE_BYTES (1 << 20)    /* a whole process fits: the collector never waits for its reader */
#define RECORD_MAX (16u << 20)  /* of a process, some 50 times the longest: a benchmark that floods must not fill the memory */
#define LOOK_MS 100
#define MANY_BLOCKS 16          /* to await */
#define SLEEP_NS 5000000u
#define ARGUMENTS_MAX 40
#define INHERITED_MAX 256       /* children that were ours before the run; of more the rest would be taken for strays */
#define CHILDREN_MAX 512

struct kb_process {
	const struct kb_run_options *options;
	struct kb_machine *machine;
	struct kb_process *next;        /* of the machine */
	const struct kb_row *row;       /* of the process in flight */
	pid_t inherited[INHERITED_MAX]; /* of a shell that started jobs and then became us: not the run's, left alone */
	unsigned inherited_count;
	int line;                       /* what copies share; below 0: nothing */
	unsigned process, copies, copy;  /* copies 0: it is not a parallel result */
	uint64_t started_ns, deadline_ns;
	pid_t pid;                      /* 0 between processes */
	int pidfd, plan, record;
	bool late, flooded;
	char *text;
	size_t length, room, counted;   /* counted: bytes of it whose ended blocks are */
	uint64_t blocks;
	struct kb_sent sent;
	char outcome[256];
	char unavailable_reason[KB_BACKEND_WHY];        /* why its backend cannot measure; "": it can */
};

/* ---- starting ------------------------------------------------------------------------------------ */

static const char *collector_of(const struct kb_process *process)
{
	return process->row->collector ? process->row->collector->path : process->options->collector;
}

/* Owned; behind the last one stands NULL, as execv() wants it. What does not fit is left out. */
struct arguments { char *at[ARGUMENTS_MAX]; unsigned count; };

static __attribute__((format(printf, 2, 3))) void add(struct arguments *arguments, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	if (arguments->count + 1 < ARGUMENTS_MAX && vasprintf(&arguments->at[arguments->count], format, list) >= 0)
		arguments->at[++arguments->count] = NULL;
	va_end(list);
}

static void add_event(struct arguments *arguments, const struct kb_event_code *code)
{
	char text[KB_EVENT_TEXT_MAX];

	kb_event_format(text, code);
	add(arguments, "--event=%s", text);
}

/* Of the benchmark and of the run, each once. Declared ones that have no name here are left out: the other evidence has to do. */
static void add_events(struct arguments *arguments, const struct kb_run_options *options, const struct kb_settings *settings)
{
	const struct kb_event *declared = settings->bench->events;
	struct kb_event_code code;
	uint64_t asked = 0;
	char why[120];

	for (int i = 0; i < KB_EVENTS_MAX && declared[i].name; i++) {
		if (!kb_settings_match(settings, declared[i].when))
			continue;
		for (unsigned k = 0; k < options->event_count; k++)
			asked |= (uint64_t)!strcmp(declared[i].name, options->events[k].name) << k;
		if (!kb_event_find(declared[i].name, &code, why))
			add_event(arguments, &code);
	}
	for (unsigned i = 0; i < options->event_count; i++) {
		if (!(asked >> i & 1))
			add_event(arguments, &options->events[i]);
	}
}

static void build(struct arguments *arguments, const struct kb_process *process, const struct kb_process_request *request)
{
	const struct kb_run_options *options = process->options;
	const struct kb_clock *clock = request->clock;
	const struct kb_row *row = request->row;
	const struct kb_backend *backend = kb_backend_of(row);
	const char *emulator = kb_is_emulated(row) ? row->collector->emulator : NULL, *slash = emulator ? strrchr(emulator, '/') : NULL;

	if (emulator)
		add(arguments, "%s", emulator);
	add(arguments, "%s", collector_of(process));
	if (emulator) /* its times mean nothing */
		add(arguments, "--emulated=%s", slash ? slash + 1 : emulator);
	else if (clock->counts == KB_COUNTS_EMULATION)
		add(arguments, "--emulated=%s", options->emulated ? "qemu-tcg" : "an emulator");
	if (options->fork)
		add(arguments, "--forked");
	if (options->blocks && backend->native) /* points of a search */
		add(arguments, "--alone");
	if (backend->device)
		add(arguments, "--device=%s", request->prove > 0 && backend->witness ? backend->witness() : backend->device());
	if (backend->patience > 0)
		add(arguments, "--guest-limit=%llu", (unsigned long long)options->timeout_ns);
	if (process->unavailable_reason[0]) /* its collector records that: the result is skipped, with the reason */
		add(arguments, "--unavailable=%s", process->unavailable_reason);
	if (options->plugin && !strcmp(row->settings.bench->name, options->plugin_name))
		add(arguments, "--plugin=%s", options->plugin);
	else if (backend->description && backend->description(row->settings.bench))
		add(arguments, "--description=%s", backend->description(row->settings.bench));
	add(arguments, "--bench=%s", row->settings.bench->name);
	for (int i = 0; i < KB_PARAM_MAX && row->settings.bench->params[i].name; i++)
		add(arguments, "-p%s=%s", row->settings.bench->params[i].name, row->settings.text[i]);
	add(arguments, "--method=%s", request->method);
	add(arguments, "--seed=%llu", (unsigned long long)request->seed);
	add(arguments, "--process=%u", request->process);
	add(arguments, "--cpu=%u", options->cpus.measure);
	add(arguments, "--peer-cpu=%u", options->cpus.other);
	if (options->cpus.maybe_sibling)
		add(arguments, "--sibling");
	add(arguments, "--clock=%s:%llu:%llu:%llu:%d:%u:%llu:%llu", clock->name, (unsigned long long)clock->hz,
	    (unsigned long long)clock->quantum, (unsigned long long)clock->cost, clock->ladder_ok, (unsigned)clock->counts,
	    (unsigned long long)clock->insns, (unsigned long long)clock->ticks);
	add(arguments, "--scratch=%s", process->machine->scratch);
	add(arguments, "--guardian=%d", process->machine->guardian.settings);
	if (row->interference)
		add(arguments, "--interference=%s", row->interference);
	if (process->copies)
		add(arguments, "--barrier=%d:%u:%u", process->line, process->copies, process->copy);
	if (request->prove)
		add(arguments, "--prove=%llu", (unsigned long long)request->prove);
	else
		add_events(arguments, options, &row->settings);
}

/*
 * In the child: a session of its own, so that Ctrl-C reaches only the run, which then ends it in order. And so that others who want
 * this CPU stand outside its scheduling group (autogroup): inside, a third runnable task changes which of two processes that talk to
 * each other is preempted when, and their round trip takes 20 to 50 % longer.
 */
static void become(const struct kb_process *process, const struct arguments *arguments, const int plan[2], const int record[2], pid_t parent)
{
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	kb_default_signals();
	dup2(plan[0], STDIN_FILENO);
	dup2(record[1], STDOUT_FILENO);
	close(plan[1]);         /* a fork that stays one would never see the end of its plan */
	if (process->line >= 0)
		fcntl(process->line, F_SETFD, 0);
	fcntl(process->machine->guardian.settings, F_SETFD, 0);
	kb_guardian_leave(&process->machine->guardian);
	for (char *const *variable = process->options->environment; variable && *variable; variable++)
		putenv(*variable);
	kb_mark(process->options->id);
	if (process->options->fork)
		process->options->fork((int)arguments->count, (char **)arguments->at);
	execv(arguments->at[0], arguments->at);
	_exit(127);
}

static int spawn(struct kb_process *process, const struct arguments *arguments)
{
	int plan[2] = { -1, -1 }, record[2] = { -1, -1 }, error;
	pid_t parent = getpid();

	process->pid = pipe2(plan, O_CLOEXEC) < 0 || pipe2(record, O_CLOEXEC) < 0 ? -1 : fork();
	if (process->pid == 0)
		become(process, arguments, plan, record, parent);
	error = process->pid < 0 ? -errno : 0;
	close(plan[0]);
	close(record[1]);
	process->plan = plan[1];
	process->record = record[0];
	if (error) {
		process->pid = 0;
		close(plan[1]);
		close(record[0]);
		return error;
	}
	fcntl(process->record, F_SETPIPE_SZ, PIPE_BYTES);
	process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	fcntl(process->record, F_SETFL, O_NONBLOCK);
	return kb_guardian_group(&process->machine->guardian, process->pid);
}

int kb_process_open(struct kb_process *process, const struct kb_process_request *request, int line, unsigned copy, char error[256])
{
	struct arguments arguments = { { NULL }, 0 };

	process->started_ns = kb_wall_ns();
	process->deadline_ns = request->deadline_ns;
	process->process = request->process;
	process->line = line;
	process->copies = request->row->copies;
	process->copy = copy;
	process->row = request->row;
	process->late = process->flooded = false;
	process->length = process->counted = 0;
	process->blocks = 0;
	process->sent = (struct kb_sent){ 0 };
	process->outcome[0] = '\0';
	kb_backend_ready(process->row, &process->machine->guardian, process->unavailable_reason);
	build(&arguments, process, request);
	int result = spawn(process, &arguments);

	while (arguments.count > 0)
		free(arguments.at[--arguments.count]);
	if (result)
		snprintf(error, 256, "cannot start %.120s: %s", collector_of(process), kb_start_lack(-result));
	return result;
}

/* ---- talking ------------------------------------------------------------------------------------- */

/* Takes what the pipe holds. False at its end, or when nothing more is wanted. */
static bool drain(struct kb_process *process)
{
	for (;;) {
		if (process->length >= RECORD_MAX) {
			process->flooded = true;
			kill(-process->pid, SIGKILL);
			return false;
		}
		if (process->room - process->length < 65536) {
			char *grown = realloc(process->text, process->room + (1 << 20));

			if (!grown)
				return false;
			process->text = grown;
			process->room += 1 << 20;
		}
		ssize_t got = read(process->record, process->text + process->length, process->room - process->length - 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 && errno == EAGAIN;
		process->length += (size_t)got;
	}
}

/* It ends by what it is asked, unless it hangs in the kernel: its time is over either way. */
static void ask_where(const struct kb_process *process)
{
	struct pollfd wait = { .fd = process->pidfd, .events = POLLIN };

	kill(process->pid, KB_WHERE_SIGNAL);
	poll(&wait, 1, 2 * LOOK_MS);
}

/* Past its time, or the run is to stop: the rest of the process is not waited for. */
static bool give_up(struct kb_process *process)
{
	process->late = kb_wall_ns() >= process->deadline_ns;
	if (!process->late && !kb_run_stop_signal())
		return false;
	if (process->late)
		ask_where(process);
	kill(-process->pid, SIGKILL);
	return true;
}

int kb_process_send(struct kb_process *process, const char *line, size_t length)
{
	kb_sent_add(&process->sent, (struct kb_span){ line, length });
	return kb_write_all(process->plan, line, length);
}

/* Goes on where it ended last time: a whole record is looked at a hundred times while it grows. */
static uint64_t ended_blocks(struct kb_process *process)
{
	const char *end = process->text + process->length, *at;

	while (process->text && (at = memmem(process->text + process->counted, process->length - process->counted, "\nk ", 3)) &&
	       memchr(at + 1, '\n', (size_t)(end - at - 1))) { /* the whole line is there */
		process->blocks++;
		process->counted = (size_t)(at + 3 - process->text);
	}
	return process->blocks;
}

/* `bound` is the last line of what set-up may change; the collector writes it when set-up is over. */
static bool has(struct kb_process *process, uint64_t blocks)
{
	const char *bound = process->length > 0 ? memmem(process->text, process->length, "\nbound ", 7) : NULL;

	if (blocks > 0)
		return process->length > 0 && ended_blocks(process) >= blocks;
	return bound && memchr(bound + 1, '\n', (size_t)(process->text + process->length - bound - 1));
}

bool kb_process_await(struct kb_process *process, uint64_t blocks)
{
	while (!has(process, blocks)) {
		struct pollfd wait = { .fd = process->record, .events = POLLIN };

		/* A block ends ten times a millisecond: not each of them is worth a wake-up in addition to those that follow. */
		if (blocks > ended_blocks(process) + MANY_BLOCKS)
			kb_sleep_ns(SLEEP_NS);
		poll(&wait, 1, LOOK_MS);
		kb_guardian_look(&process->machine->guardian);
		bool open = drain(process);

		if (has(process, blocks))
			break;
		if (!open || give_up(process))
			return false;
	}
	return true;
}

struct kb_span kb_process_record(const struct kb_process *process)
{
	return (struct kb_span){ process->text, process->length };
}

/* ---- ending -------------------------------------------------------------------------------------- */

static void describe_end(struct kb_process *process, int status)
{
	char *out = process->outcome;
	size_t room = sizeof process->outcome;
	char where[220];

	if (process->late || WIFSIGNALED(status))
		kb_symbol_of_fault((struct kb_span){ process->text, process->length }, collector_of(process),
		                   process->options->plugin, where, sizeof where);
	if (process->late)
		snprintf(out, room, "timeout after %.1f s%s%s", (double)(process->deadline_ns - process->started_ns) * 1e-9,
		         where[0] ? " in " : "", where);
	else if (process->flooded)
		snprintf(out, room, "killed after %u MB of output", RECORD_MAX >> 20);
	else if (WIFSIGNALED(status)) {
		snprintf(out, room, "signal=%d SIG%s%s%s", WTERMSIG(status), sigabbrev_np(WTERMSIG(status)),
		         where[0] ? " in " : "", where);
	} else if (WEXITSTATUS(status) == 127)
		snprintf(out, room, "cannot run %.200s", collector_of(process));
	else if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 5)
		snprintf(out, room, "exit=%d", WEXITSTATUS(status));
	else if (!kb_backend_of(process->row)->device) /* a machine behind a device keeps a plan of its own */
		kb_sent_all(&process->sent, kb_process_record(process), out, room);
	kb_make_visible(out, '?'); /* a symbol and a path may be called anything */
}

/* No stray: another process of the run, its guardian, or what was there before. */
static bool is_known(const struct kb_process *process, pid_t pid)
{
	bool known = pid == process->machine->guardian.pid;

	for (unsigned i = 0; i < process->inherited_count; i++)
		known |= process->inherited[i] == pid;
	for (const struct kb_process *other = process->machine->processes; other; other = other->next)
		known |= other->pid == pid;
	return known;
}

/* As a subreaper the parent gets what the process forked away. Kills and counts it; what is dead already is only reaped. */
static unsigned kill_strays(const struct kb_process *process)
{
	pid_t children[CHILDREN_MAX];
	unsigned strays = 0;

	for (int round = 0; round < 100; round++) {
		unsigned count = kb_child_list(children, CHILDREN_MAX), found = 0;

		for (unsigned i = 0; i < count; i++) {
			if (is_known(process, children[i]))
				continue;
			found++;
			if (waitpid(children[i], NULL, WNOHANG) == children[i])
				continue;
			kill(children[i], SIGKILL);
			waitpid(children[i], NULL, 0);
			strays++;
		}
		if (found == 0)
			break;
	}
	return strays;
}

static int wait_for_end(struct kb_process *process)
{
	int status = 0;

	for (;;) {
		struct pollfd wait = { .fd = process->pidfd, .events = POLLIN };

		poll(&wait, 1, LOOK_MS);
		kb_guardian_look(&process->machine->guardian);
		drain(process);
		/* Of the others, too: a copy whose pipe is full does not come to the line on which this one waits. A user has only so much
		   memory for pipes, and where it is used up they hold far less than a process. */
		for (struct kb_process *other = process->machine->processes; other; other = other->next) {
			if (other != process && other->pid > 0)
				drain(other);
		}
		pid_t got = waitpid(process->pid, &status, WNOHANG);

		if (got == process->pid || (got < 0 && errno != EINTR))
			break;
		give_up(process);
	}
	return status;
}

struct kb_process_text kb_process_close(struct kb_process *process)
{
	close(process->plan);
	int status = wait_for_end(process);

	drain(process);
	close(process->record);
	close(process->pidfd);
	describe_end(process, status);

	/* Partners die with the collector on their own; only what is still there a moment later was left behind. */
	if (process->outcome[0])
		kb_sleep_ns(2000000);
	unsigned strays = kill_strays(process);

	if (strays && !process->outcome[0])
		snprintf(process->outcome, sizeof process->outcome, "left %u process%s behind", strays, strays == 1 ? "" : "es");
	kb_guardian_settle(&process->machine->guardian, process->pid);
	process->pid = 0;
	kb_guardian_group(&process->machine->guardian, 0);
	return (struct kb_process_text){ process->process, process->outcome, process->text, process->length };
}

struct kb_process *kb_process_new(const struct kb_run_options *options, struct kb_machine *machine)
{
	struct kb_process *process = calloc(1, sizeof *process);

	if (!process)
		return NULL;
	*process = (struct kb_process){ .options = options, .machine = machine, .next = machine->processes, .line = -1 };
	machine->processes = process;
	process->inherited_count = kb_child_list(process->inherited, INHERITED_MAX);
	return process;
}

void kb_process_free(struct kb_process *process)
{
	struct kb_process **at = &process->machine->processes;

	while (*at != process)
		at = &(*at)->next;
	*at = process->next;
	free(process->text);
	free(process);
}
