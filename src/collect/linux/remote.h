/* The side of a benchmark whose partner is `kbench serve` on another machine (partner/wire.h). One a process; errors are kb_fail's. */
#ifndef KB_COLLECT_LINUX_REMOTE_H
#define KB_COLLECT_LINUX_REMOTE_H

#include <sys/socket.h>

#include "kbench.h"
#include "partner/wire.h"

/* Whether the benchmark has the parameter `host`, and it names one. */
bool kb_remote_named(const struct kb_run *);
bool kb_remote_is_open(void);

/* Says who it is, and asks for what is to be served. *answer has the port for data. */
int kb_remote_open(struct kb_run *, const struct kb_request *, struct kb_answer *);

/* The server's address, with another port. */
void kb_remote_address(struct sockaddr_storage *, socklen_t *bytes, unsigned port);

/* Opens the way for data, with the cookie. The descriptor, or -errno. */
int kb_remote_data(struct kb_run *, int type, const struct kb_answer *);

/* What follows is a round of n. Then all that the server counted. */
int kb_remote_round(struct kb_run *, uint64_t n, bool ends);
int kb_remote_counts(struct kb_run *, struct kb_partner_counts *);

/* After a round of messages: the server counted what this side did, and no segment was sent twice. */
int kb_remote_check(struct kb_run *, uint64_t n);

/* Refutes the sample where segments were sent again, by this side and by the server. */
int kb_remote_resent(struct kb_run *, uint64_t ours, uint64_t servers);
uint64_t kb_remote_segments_resent(int fd);

/* Puts what the server counted into the record. */
void kb_remote_close(struct kb_run *);

#endif
