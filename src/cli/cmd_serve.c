/* kbench serve: the partner of benchmarks that another machine runs with host=. */
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "serve/server.h"

struct request {
	struct kb_serve_options with;
	const char *token_file;
	char token_path[PATH_MAX];
};

static int read_allow(const char *value, void *place, struct kb_failure *failure)
{
	char problem[256];

	return kb_allow_parse(place, value, problem) ? kb_refuse_typed(failure, "--allow: %s", problem) : 0;
}

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

/* Behind the port there is one for data of each connection. */
static const struct kb_option options[] = {
	{ 0, "address", "ADDRESS", "serve here; 0.0.0.0 or ::, at every address of IPv4 or IPv6", NULL,
		INTO(WORD, with.address) },
	{ 0, "port", "PORT", "data takes the ports behind it, one a connection; 0: any", "7353",
		INTO(NUMBER, with.port, .most = 65535) },
	{ 0, "token-file", "FILE", "token of clients; made if missing",
		"$KBENCH_TOKEN_FILE or ~/.config/kbench/token", INTO(WORD, token_file) },
	{ 0, "time", "TIME", "end after it", "10m", INTO(TIME, with.time_ns, .least = KB_S) },
	{ 0, "connections", "N", "clients at once", "16", INTO(NUMBER, with.connections, .least = 1, .most = KB_SERVE_CONNECTIONS_MAX) },
	{ 0, "allow", "ADDRESSES", "serve only these: ADDRESS[/BITS],...", "all that have the token",
		INTO(READ, with.allow, .read = read_allow) },
	{ 0 }
};

static void print_refusal(void *context, const char *text)
{
	kb_complain(context, "%s", text);
}

static void print_begin(const struct request *request, const struct kb_server *server, bool made)
{
	time_t ends = time(NULL) + (time_t)(request->with.time_ns / KB_S);
	char at[KB_ADDRESS_TEXT], until[32], ports[64] = "";
	struct tm local;

	strftime(until, sizeof until, "%F %T", localtime_r(&ends, &local));
	if (request->with.port)
		snprintf(ports, sizeof ports, " (data: ports %u to %u)", request->with.port + 1, request->with.port + request->with.connections);
	printf("serving at %s%s until %s, token in %s%s\n", kb_address_text(&server->at, true, at), ports, until,
	       kb_shown(request->token_path).text, made ? " (new)" : "");
	fflush(stdout);
}

static void print_end(const struct kb_served *served)
{
	uint64_t refused = 0;

	for (int why = 0; why < KB_PARTNER_STATUSES; why++)
		refused += served->refused[why];
	printf("served %llu clients: %llu messages of %llu bytes, %llu connections; %llu refused\n", (unsigned long long)served->sessions,
	       (unsigned long long)served->counts.messages, (unsigned long long)served->counts.bytes,
	       (unsigned long long)served->counts.connections, (unsigned long long)refused);
	for (int why = 0; why < KB_PARTNER_STATUSES; why++) {
		if (served->refused[why])
			printf("  %llu: %s\n", (unsigned long long)served->refused[why], kb_partner_reason((enum kb_partner_status)why));
	}
}

static bool prepare(const struct kb_command *command, struct request *request)
{
	struct kb_serve_options *with = &request->with;
	char problem[256];
	bool made;

	if (!with->address)
		kb_usage(command, "missing --address ADDRESS: where to serve");
	if (with->port + with->connections > 65535)
		kb_usage(command, "--port %u: data of %u connections needs the ports behind it, up to 65535", with->port, with->connections);
	if (kb_token_path(request->token_path, request->token_file, problem) || kb_token_make(request->token_path, with->token, &made, problem))
		kb_die(command, KB_EXIT_USAGE, "%s", problem);
	return made;
}

static int serve_main(const struct kb_command *command, int argc, char **argv)
{
	static struct request request = { .with = { .port = KB_PARTNER_PORT, .connections = 16, .time_ns = 600 * KB_S } };
	static struct kb_server server;
	char problem[256];
	int number;

	kb_read_options(command, argc, argv, &request);
	kb_no_more(command, argc, argv);
	request.with.line = print_refusal;
	request.with.context = (void *)(uintptr_t)command;
	bool made = prepare(command, &request);

	if (kb_server_open(&server, &request.with, problem))
		kb_die(command, KB_EXIT_USAGE, "%s", problem);
	print_begin(&request, &server, made);
	number = kb_server_run(&server);
	kb_server_close(&server);
	print_end(&server.served);
	return number ? KB_EXIT_SIGNAL + number : KB_EXIT_DONE;
}

const struct kb_command kb_command_serve = {
	.name = "serve",
	.arguments = "",
	.summary = "Be the partner of network benchmarks that another machine runs",
	.text = "The other machine measures between both by 'kbench run ipc.tcp_latency -p host=ADDRESS'; ipc.udp_latency, ipc.tcp_bw,\n"
		"ipc.udp_bw and net.tcp_connect have host= as well. Copy the token file to it, to the same place, or name the copy in\n"
		"KBENCH_TOKEN_FILE. The token proves who connects and is never sent; the data is not encrypted.\n",
	.options = options,
	.examples = "  kbench serve --address 10.0.0.2\n"
		    "  kbench serve --address 10.0.0.2 --allow 10.0.0.1 --time 1h\n"
		    "  kbench serve --address 127.0.0.1 --port 0 --time 5s\n"
		    "  KBENCH_TOKEN_FILE=token kbench run ipc.tcp_latency -p host=10.0.0.2\n",
	.exits = "  0 its time is up; 2 usage, an address or port that is not available, a token file that others can read;\n"
		 "  128+n ended by signal n\n",
	.main = serve_main,
};
