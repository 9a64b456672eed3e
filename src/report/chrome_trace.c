#include "report/chrome_trace.h"

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

void kb_chrome_begin(struct kb_chrome_trace *trace, FILE *out, uint64_t first_ns)
{
	*trace = (struct kb_chrome_trace){ .out = out, .first_ns = first_ns };
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
}

/* A complete event, "X", or an instant one of its thread, "i". */
void kb_chrome_add(struct kb_chrome_trace *trace, const struct kb_entry *entry, const char *name)
{
	FILE *out = trace->out;

	begin_event(trace, name);
	fprintf(out, ",\"cat\":\"%s\",\"ph\":\"%s\",\"pid\":%u,\"tid\":%u", kb_entry_kind_names[entry->kind],
		entry->lasted ? "X" : "i\",\"s\":\"t", entry->process, entry->thread);
	put_us(out, "ts", entry->start_ns > trace->first_ns ? entry->start_ns - trace->first_ns : 0);
	if (entry->lasted)
		put_us(out, "dur", entry->duration_ns);
	fprintf(out, ",\"args\":{\"number\":%llu,\"cpu\":%u", (unsigned long long)entry->number, entry->cpu);
	if (entry->kind == KB_ENTRY_SYSCALL)
		fprintf(out, ",\"result\":%lld", (long long)entry->result);
	fputs("}}", out);
}

void kb_chrome_process(struct kb_chrome_trace *trace, uint32_t process, const char *name)
{
	begin_event(trace, "process_name");
	fprintf(trace->out, ",\"ph\":\"M\",\"pid\":%u,\"args\":{\"name\":", process);
	put_string(trace->out, name);
	fputs("}}", trace->out);
}

void kb_chrome_end(struct kb_chrome_trace *trace, uint64_t lost)
{
	fprintf(trace->out, "\n],\"otherData\":{\"clock\":\"CLOCK_MONOTONIC\",\"first_ns\":\"%llu\",\"lost\":\"%llu\"}}\n",
		(unsigned long long)trace->first_ns, (unsigned long long)lost);
}
