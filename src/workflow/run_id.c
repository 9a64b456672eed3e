/* See run_id.h. */
#include "workflow/run_id.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>

/* Two runs in one millisecond differ by their 74 random bits, and only their order is then left to chance. */
int kb_run_id(char id[37])
{
	struct timespec now;
	unsigned char b[16];

	if (clock_gettime(CLOCK_REALTIME, &now))
		return -errno;
	if (getrandom(b, sizeof b, 0) != sizeof b)
		return -EIO;

	uint64_t ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;

	for (int i = 0; i < 6; i++)
		b[i] = (unsigned char)(ms >> (40 - 8 * i));
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x70);   /* version 7 */
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);   /* variant 10 */
	snprintf(id, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3],
		 b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
	return 0;
}

void kb_date_now(char text[21])
{
	time_t now = time(NULL);
	struct tm fields;

	gmtime_r(&now, &fields);
	strftime(text, 21, "%Y-%m-%dT%H:%M:%SZ", &fields);
}
