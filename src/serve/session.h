/* One client that has shown the token, served until it leaves: by a process of its own, whose sockets wait as the partner of a channel does. */
#ifndef KB_SERVE_SESSION_H
#define KB_SERVE_SESSION_H

#include "partner/wire.h"
#include "serve/address.h"

struct kb_session {
	int control;                    /* the connection; stays the caller's */
	unsigned port;                  /* for data; 0: any */
	struct kb_partner_counts *counts;       /* of the client's, in memory that the server sees */
	unsigned idle_s, data_s;        /* seconds without a request, and without data that was announced */
};

/* Calls no function of the server's. 0: the client left; else why it was dropped. Uses SIGALRM. */
enum kb_partner_status kb_session_serve(const struct kb_session *);

#endif
