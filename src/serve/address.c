/* See address.h. */
#define _GNU_SOURCE
#include "serve/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

bool kb_address_parse(struct kb_address *address, const char *text, unsigned port)
{
	struct addrinfo wanted = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM }, *found;
	char number[8];
	in_addr_t dots;

	/* The library takes "1" and "0x7f.1" as addresses, too. */
	if (!strchr(text, ':') && inet_pton(AF_INET, text, &dots) != 1)
		return false;
	snprintf(number, sizeof number, "%u", port);
	if (getaddrinfo(text, number, &wanted, &found))
		return false;
	*address = (struct kb_address){ .bytes = found->ai_addrlen };
	memcpy(&address->at, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return true;
}

static in_port_t *port_of(const struct kb_address *address)
{
	const void *at = &address->at;

	if (address->at.ss_family == AF_INET6)
		return &((struct sockaddr_in6 *)(uintptr_t)at)->sin6_port;
	return &((struct sockaddr_in *)(uintptr_t)at)->sin_port;
}

unsigned kb_address_port(const struct kb_address *address)
{
	return ntohs(*port_of(address));
}

void kb_address_set_port(struct kb_address *address, unsigned port)
{
	*port_of(address) = htons((uint16_t)port);
}

const char *kb_address_text(const struct kb_address *address, bool with_port, char text[KB_ADDRESS_TEXT])
{
	char name[KB_ADDRESS_TEXT - 10];
	bool is_six = address->at.ss_family == AF_INET6;

	if (getnameinfo((const struct sockaddr *)&address->at, address->bytes, name, sizeof name, NULL, 0, NI_NUMERICHOST))
		strcpy(name, "?");
	if (with_port)
		snprintf(text, KB_ADDRESS_TEXT, is_six ? "[%s]:%u" : "%s:%u", name, kb_address_port(address));
	else
		snprintf(text, KB_ADDRESS_TEXT, "%s", name);
	return text;
}

/* The bytes of the address, in the order of the network; how many. */
static size_t bytes_of(const struct kb_address *address, unsigned char bytes[16])
{
	size_t count = address->at.ss_family == AF_INET6 ? 16 : 4;
	const void *at = &address->at;

	memcpy(bytes, count == 16 ? (const void *)&((const struct sockaddr_in6 *)at)->sin6_addr :
				    (const void *)&((const struct sockaddr_in *)at)->sin_addr, count);
	return count;
}

bool kb_address_same(const struct kb_address *a, const struct kb_address *b)
{
	unsigned char x[16], y[16];

	return a->at.ss_family == b->at.ss_family && bytes_of(a, x) == bytes_of(b, y) && !memcmp(x, y, bytes_of(a, x));
}

/* ---- who may ------------------------------------------------------------------------------------------------ */

static bool add_range(struct kb_allow *allow, const char *piece, size_t length)
{
	const char *slash = memchr(piece, '/', length);
	size_t name = slash ? (size_t)(slash - piece) : length;
	char text[64];
	uint64_t bits = 0;
	struct kb_address address;

	if (name >= sizeof text || memchr(piece, '\0', length) || memchr(piece, '%', length))
		return false;
	snprintf(text, sizeof text, "%.*s", (int)name, piece);
	if (!kb_address_parse(&address, text, 0))
		return false;
	unsigned most = address.at.ss_family == AF_INET6 ? 128 : 32;

	if (slash && (!kb_span_u64((struct kb_span){ slash + 1, length - name - 1 }, &bits) || bits > most))
		return false;
	bytes_of(&address, allow->ranges[allow->count].bytes);
	allow->ranges[allow->count].family = address.at.ss_family;
	allow->ranges[allow->count++].bits = slash ? (unsigned)bits : most;
	return true;
}

int kb_allow_parse(struct kb_allow *allow, const char *text, char error[256])
{
	char shown[80];

	allow->count = 0;
	for (const char *piece = text, *end; piece; piece = *end ? end + 1 : NULL) {
		end = piece + strcspn(piece, ",");
		if (allow->count == KB_ALLOW_MAX) {
			snprintf(error, 256, "more than %d addresses", KB_ALLOW_MAX);
			return -EINVAL;
		}
		if (!add_range(allow, piece, (size_t)(end - piece))) {
			snprintf(shown, sizeof shown, "%.*s", (int)(end - piece), piece);
			kb_make_visible(shown, '?');
			snprintf(error, 256, "'%s' is no address (like 192.0.2.1, 192.0.2.0/24 or 2001:db8::/32)", shown);
			return -EINVAL;
		}
	}
	return 0;
}

static bool same_bits(const unsigned char *a, const unsigned char *b, unsigned bits)
{
	unsigned rest = bits % 8;

	if (memcmp(a, b, bits / 8) != 0)
		return false;
	return rest == 0 || (a[bits / 8] ^ b[bits / 8]) >> (8 - rest) == 0;
}

bool kb_allow_has(const struct kb_allow *allow, const struct kb_address *address)
{
	unsigned char bytes[16];

	bytes_of(address, bytes);
	for (unsigned i = 0; i < allow->count; i++) {
		if (allow->ranges[i].family == address->at.ss_family && same_bits(allow->ranges[i].bytes, bytes, allow->ranges[i].bits))
			return true;
	}
	return allow->count == 0;
}
