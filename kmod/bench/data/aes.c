// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One encryption of seeded bytes with AES-128 through the kernel's crypto interface, by the fastest synchronous implementation
 * that is registered. The first block is zero and the initial vector the plain text of FIPS-197 C.1, so in cbc as in ctr the
 * first block of each result must be the cipher text printed there; the rest must decrypt to what it was.
 */
#include <crypto/skcipher.h>
#include <linux/scatterlist.h>

#include "data.h"

#define BLOCK 16

static const u8 key[BLOCK] = { 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f };
static const u8 start[BLOCK] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
static const u8 answer[] = { 0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a };

static struct crypto_sync_skcipher *cipher;
static struct skcipher_request *request;
static struct scatterlist plain, secret;
static u8 *data, vector[BLOCK];         /* data: the plain text, behind it the cipher text */
static size_t size;

static void teardown(struct kb_run *run)
{
	(void)run;
	skcipher_request_free(request);
	crypto_free_sync_skcipher(cipher);
	kfree(data);
}

static int get_cipher(struct kb_run *run)
{
	bool ctr = kb_param_is(run, "mode", "ctr");

	cipher = crypto_alloc_sync_skcipher(ctr ? "ctr(aes)" : "cbc(aes)", 0, 0);
	if (IS_ERR(cipher))
		return kb_skip(run, "no such cipher here (error %ld); modprobe %s", -PTR_ERR(cipher), ctr ? "ctr" : "cbc");
	return 0;
}

static int setup(struct kb_run *run)
{
	int error = get_cipher(run);

	if (error)
		return error;
	size = kb_param_number(run, "size") & ~(size_t)(BLOCK - 1);
	run->bytes_per_op = size;
	data = kb_seeded_bytes(run, 2 * size);
	request = skcipher_request_alloc(&cipher->base, GFP_KERNEL);
	if (!data || !request || crypto_sync_skcipher_setkey(cipher, key, BLOCK)) {
		teardown(run);
		return kb_fail(run, ENOMEM, "no memory for %zu bytes and a cipher", size);
	}
	memset(data, 0, BLOCK);
	sg_init_one(&plain, data, size);
	sg_init_one(&secret, data + size, size);
	skcipher_request_set_sync_tfm(request, cipher);
	skcipher_request_set_callback(request, 0, NULL, NULL);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	int wrong = 0;

	KB_KERNEL_LOOP(n, {
		memcpy(vector, start, BLOCK);
		skcipher_request_set_crypt(request, &plain, &secret, size, vector);
		wrong |= crypto_skcipher_encrypt(request);
		wrong |= memcmp(data + size, answer, BLOCK);
	});
	return wrong ? kb_fail(run, EBADMSG, "the first block is not that of FIPS-197") : 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	int error;

	(void)n;
	memcpy(vector, start, BLOCK);
	skcipher_request_set_crypt(request, &secret, &secret, size, vector);
	error = crypto_skcipher_decrypt(request);
	if (error)
		return kb_fail(run, -error, "decryption failed");
	return memcmp(data + size, data, size) ? kb_fail(run, EBADMSG, "the text does not decrypt to what it was") : 0;
}

KB_KERNEL_ABOUT(
	.summary = "AES-128 by number of bytes, through the kernel's crypto interface",
	.per = "encryption", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "the first block is that of FIPS-197, and decryption gives the original bytes",
	.params = {
		{ "mode", "cbc or ctr", KB_CHOICE, "cbc;ctr", 0, 0, "cbc,ctr" },
		{ "size", "bytes, in whole blocks of 16", KB_SIZE, "64,4K;1K,64K", 16, 1 << 20, NULL },
	},
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .check = check, .teardown = teardown);
