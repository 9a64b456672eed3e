/*
 * The program that proc.fork_exec starts: as little as a program can do, and an exit code that says it was this one.
 * It is linked twice, with shared libraries and without: what the loader costs is the difference.
 */
#include <unistd.h>

#include "kbench.h"
#include "kbench_parties.h"

int main(void)
{
	static const char text[] = "hello\n";

	return write(STDOUT_FILENO, text, sizeof text - 1) == (ssize_t)sizeof text - 1 ? KB_HELLO_EXIT : 1;
}
