/* What ping-pong and streams share: a number at both ends of a message. */
#ifndef KB_COLLECT_CHANNEL_H
#define KB_COLLECT_CHANNEL_H

#include "types.h"

void kb_message_stamp(unsigned char *message, uint64_t bytes, uint64_t number);
bool kb_message_holds(const unsigned char *message, uint64_t bytes, uint64_t number);

#endif
