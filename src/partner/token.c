/* See token.h. */
#define _GNU_SOURCE
#include "partner/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "io.h"
#include "lacking.h"
#include "places.h"

#define DIGITS (2 * KB_TOKEN_BYTES)
#define SHOWN 120               /* bytes of a path in a line */

static int refuse(char error[256], int result, const char *path, const char *format, ...) __attribute__((format(printf, 4, 5)));

static int refuse(char error[256], int result, const char *path, const char *format, ...)
{
	char shown[SHOWN], reason[136];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof reason, format, arguments);
	va_end(arguments);
	snprintf(error, 256, "token file %s: %s", kb_visible_copy(shown, sizeof shown, path), reason);
	return result;
}

int kb_token_path(char path[PATH_MAX], const char *named, char error[256])
{
	if (!named || !named[0])
		named = getenv(KB_TOKEN_VARIABLE);
	if (named && named[0])
		return snprintf(path, PATH_MAX, "%s", named) < PATH_MAX ? 0 : refuse(error, -EINVAL, named, "the path is too long");
	if (kb_config_directory(path, "token"))
		return 0;
	snprintf(error, 256, "no place for the token file: neither XDG_CONFIG_HOME nor HOME is set; name one in " KB_TOKEN_VARIABLE);
	return -EINVAL;
}

/* ---- text ------------------------------------------------------------------------------------------------- */

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool kb_token_parse(const char *text, size_t length, unsigned char token[KB_TOKEN_BYTES])
{
	while (length > DIGITS && (text[length - 1] == '\n' || text[length - 1] == '\r' || text[length - 1] == ' '))
		length--;
	if (length != DIGITS)
		return false;
	for (size_t i = 0; i < KB_TOKEN_BYTES; i++) {
		int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		token[i] = (unsigned char)(high * 16 + low);
	}
	return true;
}

static void write_digits(const unsigned char token[KB_TOKEN_BYTES], char text[DIGITS + 2])
{
	for (size_t i = 0; i < KB_TOKEN_BYTES; i++)
		sprintf(text + 2 * i, "%02x", token[i]);
	strcpy(text + DIGITS, "\n");
}

/* ---- files ------------------------------------------------------------------------------------------------- */

/* Of the file that is open, for the name may be another one's by now. */
static int check_owner(int fd, const char *path, char error[256])
{
	struct stat info;

	if (fstat(fd, &info))
		return refuse(error, -errno, path, "%s", strerror(errno));
	if (!S_ISREG(info.st_mode))
		return refuse(error, -EINVAL, path, "not a file");
	if (info.st_uid != geteuid() && info.st_uid != 0)
		return refuse(error, -EPERM, path, "belongs to user %u, and not to root or to you", info.st_uid);
	if (info.st_mode & (S_IRWXG | S_IRWXO))
		return refuse(error, -EPERM, path, "others may read or write it; make it private: chmod 600");
	return 0;
}

int kb_token_read(const char *path, unsigned char token[KB_TOKEN_BYTES], char error[256])
{
	char text[DIGITS + 16];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return refuse(error, -errno, path, "%s%s", strerror(errno), errno == ENOENT ? "; copy the one that 'kbench serve' names" : "");

	int result = check_owner(fd, path, error);
	long length = result ? 0 : kb_read_at_start(fd, text, sizeof text);

	close(fd);
	if (!result && (length < 0 || !kb_token_parse(text, (size_t)length, token)))
		result = refuse(error, -EINVAL, path, "not 64 hexadecimal digits; remove it, and 'kbench serve' makes a new one");
	explicit_bzero(text, sizeof text);
	return result;
}

int kb_token_make(const char *path, unsigned char token[KB_TOKEN_BYTES], bool *made, char error[256])
{
	char text[DIGITS + 2], at[PATH_MAX];
	int fd, result;

	*made = false;
	if (access(path, F_OK) == 0)
		return kb_token_read(path, token, error);
	/* As private as the file. */
	result = kb_make_directories(path, 0700, at);
	if (result)
		return refuse(error, result, at, "cannot be made: %s", strerror(-result));
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return refuse(error, -errno, path, "cannot be made: %s", strerror(errno));
	if (getrandom(token, KB_TOKEN_BYTES, 0) != KB_TOKEN_BYTES) {
		result = refuse(error, -EIO, path, "the system has no random bytes");
	} else {
		write_digits(token, text);
		result = kb_write_all(fd, text, DIGITS + 1);
		explicit_bzero(text, sizeof text);
		if (result)
			refuse(error, result, path, "cannot be written: %s", kb_lack(-result));
	}
	close(fd);
	if (result)
		unlink(path);
	*made = !result;
	return result;
}
