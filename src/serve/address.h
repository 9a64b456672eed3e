/* Addresses as people type them: of --address and --allow, and as a line shows them. Numbers only: no name service is asked. */
#ifndef KB_SERVE_ADDRESS_H
#define KB_SERVE_ADDRESS_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "types.h"

#define KB_ALLOW_MAX 64
#define KB_ADDRESS_TEXT 80

struct kb_address {
	struct sockaddr_storage at;
	socklen_t bytes;
};

/* "10.0.0.2", "::1", "fe80::1%eth0"; false: it is none. The port may be 0. */
bool kb_address_parse(struct kb_address *, const char *text, unsigned port);
unsigned kb_address_port(const struct kb_address *);
void kb_address_set_port(struct kb_address *, unsigned port);

/* "10.0.0.2", with_port: "10.0.0.2:7353", "[::1]:7353". Returns text. */
const char *kb_address_text(const struct kb_address *, bool with_port, char text[KB_ADDRESS_TEXT]);

/* Whether both are of one machine: the same but for the port. */
bool kb_address_same(const struct kb_address *, const struct kb_address *);

/* "10.0.0.0/24,192.0.2.7": who may connect. */
struct kb_allow {
	struct { unsigned char bytes[16]; int family; unsigned bits; } ranges[KB_ALLOW_MAX];
	unsigned count;         /* 0: everybody */
};

/* 0, or -EINVAL with the piece that is wrong in error, one line. */
int kb_allow_parse(struct kb_allow *, const char *text, char error[256]);
bool kb_allow_has(const struct kb_allow *, const struct kb_address *);

#endif
