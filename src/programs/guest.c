/*
 * The first process of a guest that `kbench kernel insn` boots: loads modules, hands the lines of /plan to the framework's device, prints
 * the records on the console and ends the machine. The guest's clock counts instructions, and so does its time limit.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#define DEVICE "/dev/kbench"
#define LIMIT_S 300             /* of the guest: so many thousand million instructions */
#define END "end"

static int console = -1;

static void print(const char *bytes, size_t count)
{
	ssize_t put;

	while (count > 0 && (put = write(console, bytes, count)) > 0) {
		bytes += put;
		count -= (size_t)put;
	}
}

static void say(const char *what, const char *why)
{
	char line[400];
	int length = snprintf(line, sizeof line, "guest: %.200s: %.100s\n", what, why);

	print(line, (size_t)length);
}

static _Noreturn void leave(void)
{
	tcdrain(console);
	reboot(RB_AUTOBOOT);            /* the emulator is told to end instead */
	_exit(1);
}

static void over(int number)
{
	(void)number;
	say("limit", "the plan takes more than 300000 million instructions");
	leave();
}

/* The serial port of a PC, or that of Arm's. Bytes as they are: the reader takes lines. */
static void open_console(void)
{
	static const char *const ports[] = { "/dev/ttyAMA0", "/dev/ttyS0" };
	struct termios settings;

	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	for (size_t i = 0; i < sizeof ports / sizeof ports[0] && console < 0; i++)
		console = open(ports[i], O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (console < 0 || tcgetattr(console, &settings))
		return;
	cfmakeraw(&settings);
	tcsetattr(console, TCSANOW, &settings);
}

/* As on any machine: routes to this host are there. */
static void raise_loopback(void)
{
	struct ifreq loopback = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	ioctl(any, SIOCSIFFLAGS, &loopback);
	close(any);
}

static void load(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);

	if (file < 0 || syscall(SYS_finit_module, file, "", 0))
		say(path, strerror(errno));
	close(file);
}

/* ---- one record --------------------------------------------------------------------------------------------- */

/* Kept until the plan of the record is over: a console that transmits interrupts what is counted. */
struct record { char *text; size_t length, room; };

static void take(int device, struct record *record)
{
	ssize_t got;

	do {
		if (record->room - record->length < 65536) {
			char *text = realloc(record->text, record->room + (1 << 20));

			if (!text)
				return say("record", "out of memory");
			record->text = text;
			record->room += 1 << 20;
		}
		got = read(device, record->text + record->length, record->room - record->length);
		record->length += got > 0 ? (size_t)got : 0;
	} while (got > 0);
}

/* False: the device refuses the line, and its record may say why. */
static bool put(int device, struct record *record, const char *line, size_t length)
{
	bool done = write(device, line, length) == (ssize_t)length;
	int error = errno;

	take(device, record);
	if (!done && record->length == 0)
		say(line, strerror(error));
	return done;
}

/* The lines up to `end`; behind one that is refused they are only skipped. */
static void measure(FILE *plan, char **line, size_t *room, ssize_t length)
{
	struct record record = { NULL, 0, 0 };
	int device = open(DEVICE, O_RDWR | O_CLOEXEC);
	bool goes_on = device >= 0;

	if (!goes_on)
		say(DEVICE, strerror(errno));
	do {
		goes_on = goes_on && put(device, &record, *line, (size_t)length);
	} while (strcmp(*line, END "\n") != 0 && (length = getline(line, room, plan)) > 0);
	close(device);
	print(record.text, record.length);
	tcdrain(console);
	free(record.text);
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	FILE *plan = fopen("/plan", "re");

	open_console();
	raise_loopback();
	signal(SIGALRM, over);
	alarm(LIMIT_S);
	if (!plan)
		say("/plan", strerror(errno));
	while (plan && (length = getline(&line, &room, plan)) > 0) {
		if (strncmp(line, "module ", 7) == 0) {
			line[length - 1] = '\0';
			load(line + 7);
		} else {
			measure(plan, &line, &room, length);
		}
	}
	leave();
}
