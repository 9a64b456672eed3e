/*
 * A stream over the loopback in pieces of 64 KB, both sides on one CPU, written by hand: how far the sender runs ahead of the reader
 * decides what a piece costs. Where the reader asks for some pieces at a time, no more are on their way; where it never asks, the
 * buffers fill. tcp [CPU]; test/lmbench.py --why builds and runs it, doc/lmbench.md reads it.
 */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PIECE 65536u
#define PIECES 2048             /* of a sample: 128 MB */
#define SAMPLES 9
#define ALL PIECES              /* asked for once */

static char piece[PIECE];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void give_up(const char *what)
{
	perror(what);
	exit(1);
}

static int new_socket(int buffer)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer) || setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one))
		give_up("socket");
	return fd;
}

/* Sends as many pieces as a byte asks for, until nobody asks. */
static void send_pieces(int fd, int at_once)
{
	char asked;

	while (read(fd, &asked, 1) == 1) {
		for (int i = 0; i < at_once; i++) {
			for (size_t sent = 0; sent < PIECE;) {
				ssize_t some = write(fd, piece + sent, PIECE - sent);

				if (some <= 0)
					_exit(1);
				sent += (size_t)some;
			}
		}
	}
	_exit(0);
}

static double take_pieces(int fd, int at_once)
{
	double start = now();

	for (int i = 0; i < PIECES; i += at_once) {
		if (write(fd, "x", 1) != 1)
			give_up("write");
		for (size_t taken = 0; taken < PIECE * (size_t)at_once;) {
			size_t left = PIECE * (size_t)at_once - taken;
			ssize_t some = read(fd, piece, left < PIECE ? left : PIECE);

			if (some <= 0)
				give_up("read");
			taken += (size_t)some;
		}
	}
	return (now() - start) / PIECES;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The lower quartile of the samples: neighbours on the core only add. */
static void show(int buffer, int at_once)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof address;
	int listener = new_socket(buffer), fd = new_socket(buffer);
	double samples[SAMPLES];
	char asked[32];
	pid_t child;

	if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 1) || getsockname(listener, (struct sockaddr *)&address, &length) ||
	    connect(fd, (struct sockaddr *)&address, length))
		give_up("connect");
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fd);
		send_pieces(accept(listener, NULL, NULL), at_once);
	}
	for (int i = 0; i < SAMPLES; i++)
		samples[i] = take_pieces(fd, at_once);
	close(fd);
	waitpid(child, NULL, 0);
	close(listener);
	qsort(samples, SAMPLES, sizeof *samples, ascending);
	snprintf(asked, sizeof asked, at_once == ALL ? "all of them" : "%d", at_once);
	printf("TCP: 64 KB, asked for %11s at a time, buffers of %4d KB %10.2f ns\n", asked, buffer >> 10, samples[SAMPLES / 4]);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	cpu_set_t cpus;

	if (argc > 1) {
		CPU_ZERO(&cpus);
		CPU_SET((size_t)atoi(argv[1]), &cpus);
		sched_setaffinity(0, sizeof cpus, &cpus);
	}
	for (int at_once = 2; at_once <= ALL; at_once *= at_once == 64 ? ALL / 64 : 2)
		show(1 << 20, at_once);
	show(128 << 10, ALL);
	return 0;
}
