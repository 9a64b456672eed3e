/* See server.h. */
#define _GNU_SOURCE
#include "serve/server.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"
#include "serve/session.h"

#define GREETING_NS UINT64_C(3000000000)        /* for the proof of the token */
#define GREETINGS_EACH 4u               /* of one address: one machine cannot keep the others out */
#define IDLE_S 60
#define DATA_S 5
#define LINES_MAX 20u                   /* for people; further refusals are counted */

/* ---- opening ------------------------------------------------------------------------------------------------ */

static int listen_at(struct kb_server *server, char error[256])
{
	int one = 1, family = server->at.at.ss_family;
	char text[KB_ADDRESS_TEXT];

	server->listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (server->listener >= 0) {
		setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
		if (family == AF_INET6)
			setsockopt(server->listener, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
	}
	if (server->listener >= 0 && !bind(server->listener, (struct sockaddr *)&server->at.at, server->at.bytes) &&
	    !listen(server->listener, SOMAXCONN) && !getsockname(server->listener, (struct sockaddr *)&server->at.at, &server->at.bytes))
		return 0;
	int problem = errno;

	snprintf(error, 256, "cannot listen at %s: %s", kb_address_text(&server->at, true, text), strerror(problem));
	return -problem;
}

static void watched(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGCHLD);
}

int kb_server_open(struct kb_server *server, const struct kb_serve_options *options, char error[256])
{
	size_t room = options->connections * sizeof *server->counts;
	sigset_t set;

	*server = (struct kb_server){ .options = options, .listener = -1, .signals = -1 };
	for (unsigned i = 0; i < KB_SERVE_GREETINGS_MAX; i++)
		server->greeters[i].fd = -1;
	if (!kb_address_parse(&server->at, options->address, options->port)) {
		snprintf(error, 256, "'%.80s' is no address (like 192.0.2.1 or 2001:db8::1)", options->address);
		return -EINVAL;
	}
	int result = listen_at(server, error);

	if (result) {
		kb_server_close(server);
		return result;
	}
	watched(&set);
	server->clients = calloc(options->connections, sizeof *server->clients);
	server->counts = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	server->signals = server->clients && server->counts != MAP_FAILED && !sigprocmask(SIG_BLOCK, &set, NULL) ?
		signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK) : -1;
	if (server->signals < 0) {
		snprintf(error, 256, "no memory for %u connections", options->connections);
		kb_server_close(server);
		return -ENOMEM;
	}
	server->ends_ns = kb_wall_ns() + options->time_ns;
	return 0;
}

/* ---- refusals ----------------------------------------------------------------------------------------------- */

static void refuse(struct kb_server *server, const struct kb_address *from, enum kb_partner_status why)
{
	const struct kb_serve_options *options = server->options;
	char text[256], address[KB_ADDRESS_TEXT];

	server->served.refused[why]++;
	if (!options->line || ++server->lines > LINES_MAX)
		return;
	snprintf(text, sizeof text, "refused %s: %s%s", kb_address_text(from, false, address), kb_partner_reason(why),
		 server->lines == LINES_MAX ? "; further refusals are only counted" : "");
	options->line(options->context, text);
}

/* To a socket that is new: what is sent fits. */
static void send_hello(int fd, enum kb_partner_status status, const unsigned char nonce[KB_NONCE_BYTES])
{
	unsigned char hello[KB_HELLO_BYTES];

	kb_hello_write(hello, status, nonce);
	if (send(fd, hello, sizeof hello, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return; /* it left */
}

static void send_welcome(int fd, const unsigned char welcome[KB_WELCOME_BYTES])
{
	if (send(fd, welcome, KB_WELCOME_BYTES, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return; /* the same */
}

static void drop_greeter(struct kb_greeter *greeter)
{
	close(greeter->fd);
	*greeter = (struct kb_greeter){ .fd = -1 };
}

/* ---- clients ------------------------------------------------------------------------------------------------ */

static struct kb_served_client *free_client(struct kb_server *server)
{
	for (unsigned i = 0; i < server->options->connections; i++) {
		if (server->clients[i].pid == 0)
			return &server->clients[i];
	}
	return NULL;
}

/* In the child: nothing of the server's stays but the connection and the counts. */
static _Noreturn void serve_client(struct kb_server *server, int control, unsigned index, pid_t parent)
{
	struct kb_session session = {
		.control = control, .port = server->options->port ? server->options->port + 1 + index : 0, .counts = &server->counts[index],
		.idle_s = IDLE_S, .data_s = DATA_S,
	};
	sigset_t set;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(KB_PARTNER_OK);
	close(server->listener);
	close(server->signals);
	for (unsigned i = 0; i < KB_SERVE_GREETINGS_MAX; i++) {
		if (server->greeters[i].fd >= 0 && server->greeters[i].fd != control)
			close(server->greeters[i].fd);
	}
	watched(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	fcntl(control, F_SETFL, 0);
	_exit((int)kb_session_serve(&session));
}

static void begin_client(struct kb_server *server, struct kb_greeter *greeter, unsigned char welcome[KB_WELCOME_BYTES])
{
	struct kb_served_client *client = free_client(server);
	pid_t parent = getpid(), child;

	if (!client) {
		refuse(server, &greeter->from, KB_PARTNER_BUSY);
		kb_welcome_write(welcome, KB_PARTNER_BUSY, NULL);
		send_welcome(greeter->fd, welcome);
		return;
	}
	unsigned index = (unsigned)(client - server->clients);

	memset(&server->counts[index], 0, sizeof server->counts[index]);
	send_welcome(greeter->fd, welcome);
	child = fork();
	if (child == 0)
		serve_client(server, greeter->fd, index, parent);
	if (child < 0)
		return; /* the client sees its connection end */
	*client = (struct kb_served_client){ child, greeter->from };
	server->served.sessions++;
}

static void end_client(struct kb_server *server, struct kb_served_client *client, int status)
{
	const struct kb_partner_counts *from = &server->counts[client - server->clients];
	struct kb_partner_counts *to = &server->served.counts;
	int why = WIFEXITED(status) ? WEXITSTATUS(status) : KB_PARTNER_OK;

	to->messages += from->messages;
	to->bytes += from->bytes;
	to->connections += from->connections;
	if (why > KB_PARTNER_OK && why < KB_PARTNER_STATUSES)
		refuse(server, &client->from, (enum kb_partner_status)why);
	client->pid = 0;
}

static void reap(struct kb_server *server)
{
	for (unsigned i = 0; i < server->options->connections; i++) {
		int status;

		if (server->clients[i].pid > 0 && waitpid(server->clients[i].pid, &status, WNOHANG) == server->clients[i].pid)
			end_client(server, &server->clients[i], status);
	}
}

/* ---- greetings ---------------------------------------------------------------------------------------------- */

/* A place for one more; NULL: this address has enough. Where all are taken, the one that has waited longest makes room. */
static struct kb_greeter *place_for(struct kb_server *server, const struct kb_address *from)
{
	struct kb_greeter *place = NULL;
	unsigned same = 0;

	for (unsigned i = 0; i < KB_SERVE_GREETINGS_MAX; i++) {
		struct kb_greeter *one = &server->greeters[i];
		bool is_free = one->fd < 0;

		same += !is_free && kb_address_same(&one->from, from);
		if (!place || (place->fd >= 0 && (is_free || one->deadline_ns < place->deadline_ns)))
			place = one;
	}
	if (same >= GREETINGS_EACH)
		return NULL;
	if (place->fd >= 0) {
		refuse(server, &place->from, KB_PARTNER_LATE);
		drop_greeter(place);
	}
	return place;
}

static void greet(struct kb_server *server, int fd, const struct kb_address *from)
{
	enum kb_partner_status status = kb_allow_has(&server->options->allow, from) ? KB_PARTNER_OK : KB_PARTNER_ADDRESS;
	struct kb_greeter *place = status ? NULL : place_for(server, from);
	unsigned char nonce[KB_NONCE_BYTES] = { 0 };
	int one = 1;

	if (!status && (!place || getrandom(nonce, sizeof nonce, 0) != sizeof nonce))
		status = KB_PARTNER_BUSY;
	send_hello(fd, status, nonce);
	if (status) {
		refuse(server, from, status);
		close(fd);
		return;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	*place = (struct kb_greeter){ .fd = fd, .deadline_ns = kb_wall_ns() + GREETING_NS, .from = *from };
	memcpy(place->greeting.nonce, nonce, sizeof nonce);
}

static void accept_all(struct kb_server *server)
{
	for (unsigned i = 0; i < KB_SERVE_GREETINGS_MAX; i++) {
		struct kb_address from = { .bytes = sizeof from.at };
		int fd = accept4(server->listener, (struct sockaddr *)&from.at, &from.bytes, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0)
			return;
		greet(server, fd, &from);
	}
}

static void take_proof(struct kb_server *server, struct kb_greeter *greeter)
{
	unsigned char bytes[KB_PROOF_BYTES], welcome[KB_WELCOME_BYTES];
	ssize_t got = recv(greeter->fd, bytes, KB_PROOF_BYTES - greeter->greeting.have, MSG_DONTWAIT);
	enum kb_greeted greeted;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	greeted = got > 0 ? kb_greeting_take(&greeter->greeting, server->options->token, bytes, (size_t)got, welcome) : KB_GREETED_WRONG;
	if (greeted == KB_GREETED_MORE)
		return;
	if (greeted == KB_GREETED_RIGHT) {
		begin_client(server, greeter, welcome);
	} else if (got > 0) {
		refuse(server, &greeter->from, KB_PARTNER_TOKEN);
		send_welcome(greeter->fd, welcome);
	} else {
		refuse(server, &greeter->from, KB_PARTNER_LATE);
	}
	drop_greeter(greeter);
}

/* ---- until it ends ------------------------------------------------------------------------------------------ */

static void take_signals(struct kb_server *server)
{
	struct signalfd_siginfo info;

	while (read(server->signals, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo != SIGCHLD && !server->end_signal)
			server->end_signal = (int)info.ssi_signo;
	}
	reap(server);
}

/* Milliseconds until something is due. Late greeters are dropped. */
static int next_due(struct kb_server *server, uint64_t now)
{
	uint64_t due = server->ends_ns;

	for (unsigned i = 0; i < KB_SERVE_GREETINGS_MAX; i++) {
		struct kb_greeter *greeter = &server->greeters[i];

		if (greeter->fd >= 0 && greeter->deadline_ns <= now) {
			refuse(server, &greeter->from, KB_PARTNER_LATE);
			drop_greeter(greeter);
		}
		if (greeter->fd >= 0 && greeter->deadline_ns < due)
			due = greeter->deadline_ns;
	}
	return due > now ? (int)((due - now) / 1000000 < 1000000 ? (due - now) / 1000000 + 1 : 1000000) : 0;
}

static void wait_and_serve(struct kb_server *server, int most_ms)
{
	struct pollfd polled[2 + KB_SERVE_GREETINGS_MAX] = { { .fd = server->signals, .events = POLLIN }, { .fd = server->listener, .events = POLLIN } };

	for (unsigned i = 0; i < KB_SERVE_GREETINGS_MAX; i++)
		polled[2 + i] = (struct pollfd){ .fd = server->greeters[i].fd, .events = POLLIN };
	if (poll(polled, 2 + KB_SERVE_GREETINGS_MAX, most_ms) <= 0)
		return;
	if (polled[0].revents)
		take_signals(server);
	for (unsigned i = 0; i < KB_SERVE_GREETINGS_MAX; i++) {
		if (polled[2 + i].fd >= 0 && polled[2 + i].revents)
			take_proof(server, &server->greeters[i]);
	}
	if (polled[1].revents)
		accept_all(server);
}

int kb_server_run(struct kb_server *server)
{
	for (uint64_t now; !server->end_signal && (now = kb_wall_ns()) < server->ends_ns;)
		wait_and_serve(server, next_due(server, now));
	return server->end_signal;
}

void kb_server_close(struct kb_server *server)
{
	sigset_t set;

	if (server->listener >= 0)
		close(server->listener);
	for (unsigned i = 0; i < KB_SERVE_GREETINGS_MAX; i++) {
		if (server->greeters[i].fd >= 0)
			drop_greeter(&server->greeters[i]);
	}
	for (unsigned i = 0; server->signals >= 0 && i < server->options->connections; i++) {
		int status = 0;

		if (server->clients[i].pid == 0)
			continue;
		kill(server->clients[i].pid, SIGKILL);
		waitpid(server->clients[i].pid, &status, 0);
		end_client(server, &server->clients[i], status);
	}
	if (server->signals >= 0) {
		close(server->signals);
		watched(&set);
		/* One that came twice is not to end the program before it has said what it served. */
		while (sigtimedwait(&set, NULL, &(struct timespec){ 0, 0 }) > 0)
			;
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
	if (server->counts && server->counts != MAP_FAILED)
		munmap(server->counts, server->options->connections * sizeof *server->counts);
	free(server->clients);
	server->clients = NULL;
	server->counts = NULL;
}
