#include "report/json/chrome_trace.h"

#include <errno.h>

#define FIRST_IDLE_TRACK 4194305u       /* no thread of Linux has such an id (PID_MAX_LIMIT) */

/* A string of JSON; what is not ASCII becomes a question mark, for a process may be called anything. */
static void put_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			putc('\\', out);
		putc(c < ' ' || c > '~' ? '?' : c, out);
	}
	putc('"', out);
}

static void put_us(FILE *out, const char *key, uint64_t ns)
{
	fprintf(out, ",\"%s\":%llu.%03u", key, (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
}

static void begin_event(struct kb_chrome_trace *trace, const char *name)
{
	fputs(trace->some ? ",\n{\"name\":" : "\n{\"name\":", trace->out);
	trace->some = true;
	put_string(trace->out, name);
}

/* The stream only remembers that it failed, not why. */
static void end_event(struct kb_chrome_trace *trace)
{
	fputs("}}", trace->out);
	if (!trace->error && ferror(trace->out))
		trace->error = -errno;
}

void kb_chrome_begin(struct kb_chrome_trace *trace, FILE *out, uint64_t first_ns)
{
	*trace = (struct kb_chrome_trace){ .out = out, .first_ns = first_ns };
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
}

/* All idle threads are thread 0. Each gets a track of its own, or slices of several CPUs would overlap on one. */
static uint32_t track_of(struct kb_chrome_trace *trace, const struct kb_entry *entry)
{
	uint32_t track = FIRST_IDLE_TRACK + entry->cpu;
	bool *named = &trace->idle_named[entry->cpu % KB_CHROME_CPUS];

	if (entry->thread != 0)
		return entry->thread;
	if (!*named) {
		begin_event(trace, "thread_name");
		fprintf(trace->out, ",\"ph\":\"M\",\"pid\":0,\"tid\":%u,\"args\":{\"name\":\"idle, CPU %u\"", track, entry->cpu);
		end_event(trace);
		*named = true;
	}
	return track;
}

/* A complete event, "X", or an instant one of its thread, "i". */
void kb_chrome_add(struct kb_chrome_trace *trace, const struct kb_entry *entry, const char *name)
{
	FILE *out = trace->out;
	uint32_t track = track_of(trace, entry);

	begin_event(trace, name);
	fprintf(out, ",\"cat\":\"%s\",\"ph\":\"%s\",\"pid\":%u,\"tid\":%u", kb_entry_kind_names[entry->kind],
		entry->lasted ? "X" : "i\",\"s\":\"t", entry->process, track);
	put_us(out, "ts", entry->start_ns > trace->first_ns ? entry->start_ns - trace->first_ns : 0);
	if (entry->lasted)
		put_us(out, "dur", entry->duration_ns);
	fprintf(out, ",\"args\":{\"number\":%llu,\"cpu\":%u", (unsigned long long)entry->number, entry->cpu);
	if (entry->kind == KB_ENTRY_SYSCALL)
		fprintf(out, ",\"result\":%lld", (long long)entry->result);
	end_event(trace);
}

void kb_chrome_process(struct kb_chrome_trace *trace, uint32_t process, const char *name)
{
	begin_event(trace, "process_name");
	fprintf(trace->out, ",\"ph\":\"M\",\"pid\":%u,\"args\":{\"name\":", process);
	put_string(trace->out, name);
	end_event(trace);
}

int kb_chrome_end(struct kb_chrome_trace *trace, uint64_t lost)
{
	fprintf(trace->out, "\n],\"otherData\":{\"clock\":\"CLOCK_MONOTONIC\",\"first_ns\":\"%llu\",\"lost\":\"%llu\"}}\n",
		(unsigned long long)trace->first_ns, (unsigned long long)lost);
	if (!trace->error && (fflush(trace->out) || ferror(trace->out)))
		trace->error = -errno;
	return trace->error;
}
