// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One SHA-256 of seeded bytes through the kernel's crypto interface, by the fastest implementation that is registered. Each
 * digest is compared with that of the same bytes in two parts; the interface itself answers for "abc" before (FIPS 180-4).
 */
#include <crypto/hash.h>

#include "data.h"

#define DIGEST 32

static struct crypto_shash *hash;
static struct shash_desc *desc;
static u8 *data;
static u64 expected[DIGEST / 8];
static size_t size;

static void teardown(struct kb_run *run)
{
	(void)run;
	kfree(desc);
	kfree(data);
	crypto_free_shash(hash);
}

static int known(struct kb_run *run)
{
	static const u8 abc[] = { 0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea };
	u8 digest[DIGEST];
	int error = crypto_shash_digest(desc, (const u8 *)"abc", 3, digest);

	if (error)
		return kb_fail(run, -error, "the hash of \"abc\" failed");
	return memcmp(digest, abc, sizeof(abc)) ? kb_fail(run, EBADMSG, "the hash of \"abc\" is wrong") : 0;
}

static int expect(struct kb_run *run)
{
	size_t half = size / 2;
	int error = crypto_shash_init(desc);

	if (!error)
		error = crypto_shash_update(desc, data, half);
	if (!error)
		error = crypto_shash_update(desc, data + half, size - half);
	if (!error)
		error = crypto_shash_final(desc, (u8 *)expected);
	return error ? kb_fail(run, -error, "the hash in two parts failed") : 0;
}

static int setup(struct kb_run *run)
{
	int error;

	size = kb_param_number(run, "size");
	run->bytes_per_op = size;
	hash = crypto_alloc_shash("sha256", 0, 0);
	if (IS_ERR(hash))
		return kb_skip(run, "no sha256 here (error %ld); modprobe sha256_generic", -PTR_ERR(hash));
	desc = kzalloc(sizeof(*desc) + crypto_shash_descsize(hash), GFP_KERNEL);
	data = kb_seeded_bytes(run, size);
	error = desc && data ? 0 : kb_fail(run, ENOMEM, "no memory for %zu bytes", size);
	if (!error) {
		desc->tfm = hash;
		error = known(run);
	}
	if (!error)
		error = expect(run);
	if (error)
		teardown(run);
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	u64 digest[DIGEST / 8] = { 0 };
	int wrong = 0;

	KB_KERNEL_LOOP(n, {
		wrong |= crypto_shash_digest(desc, data, size, (u8 *)digest);
		for (unsigned i = 0; i < ARRAY_SIZE(digest); i++)       /* memcmp() here is a loop over bytes */
			wrong |= digest[i] != expected[i];
	});
	return wrong ? kb_fail(run, EBADMSG, "a digest is wrong") : 0;
}

KB_KERNEL_ABOUT(
	.summary = "SHA-256 by number of bytes, through the kernel's crypto interface",
	.per = "hash", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "each digest is that of the same bytes in two parts",
	.params = { { "size", "bytes to hash", KB_SIZE, "64,4K;1K,64K", 1, 1 << 20, NULL } },
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .teardown = teardown, .checked = true);
