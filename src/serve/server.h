/*
 * The partner of benchmarks of other machines. One process accepts, and asks for the token; who shows it gets a process of its own
 * (session.h). Everything is bounded: connections of both kinds, what each may wait, memory, and lines for people.
 */
#ifndef KB_SERVE_SERVER_H
#define KB_SERVE_SERVER_H

#include "partner/wire.h"
#include "serve/address.h"

#define KB_SERVE_CONNECTIONS_MAX 256u
#define KB_SERVE_GREETINGS_MAX 32u      /* connections that have not shown the token yet */

struct kb_serve_options {
	const char *address;            /* numbers; no default */
	unsigned port;                  /* data: those behind it, one a session; 0: any */
	unsigned connections;           /* sessions at once */
	uint64_t time_ns;
	struct kb_allow allow;
	unsigned char token[KB_TOKEN_BYTES];
	void (*line)(void *context, const char *text);  /* of a refusal; NULL: none */
	void *context;
};

struct kb_served {
	uint64_t sessions, refused[KB_PARTNER_STATUSES];
	struct kb_partner_counts counts;
};

struct kb_server {
	const struct kb_serve_options *options;
	struct kb_address at;           /* where it listens */
	int listener, signals;
	uint64_t ends_ns;               /* of kb_wall_ns */
	struct kb_served served;
	unsigned lines;
	struct kb_greeter { int fd; uint64_t deadline_ns; struct kb_address from; struct kb_greeting greeting; } greeters[KB_SERVE_GREETINGS_MAX];
	struct kb_served_client { int pid; struct kb_address from; } *clients;
	struct kb_partner_counts *counts;       /* of each, in shared memory */
	int end_signal;                 /* 0: its time is up */
};

/* 0, or -errno with one line in error. It has taken signals over: SIGINT, SIGTERM and SIGHUP end it. */
int kb_server_open(struct kb_server *, const struct kb_serve_options *, char error[256]);

/* Until its time is up, or a signal: the signal, or 0. */
int kb_server_run(struct kb_server *);

/* Ends clients that are still served, and gives the signals back. */
void kb_server_close(struct kb_server *);

#endif
