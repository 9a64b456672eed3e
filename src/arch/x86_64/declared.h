/*
 * What the processor reports of its caches, translation caches and clocks: CPUID leaves 2, 4, 0x15, 0x16 and 0x18 (Intel,
 * Software Developer's Manual 2A), 0x80000005, 0x80000006 and 0x8000001D (AMD, Programmer's Manual 3, E.4). A hypervisor may
 * say what it likes here.
 */
#ifndef KB_ARCH_DECLARED_H
#define KB_ARCH_DECLARED_H

#include <cpuid.h>

#include "types.h"
#include "arch/declared_cache.h"

/* A leaf that this vendor defines at this number: Intel's end, AMD's begin at 0x80000000. */
static inline bool kb_arch_leaf(unsigned leaf, unsigned subleaf, unsigned word[4])
{
	unsigned base = leaf & 0x80000000u;

	if ((unsigned)__get_cpuid_max(base, NULL) < leaf)
		return false;
	__cpuid_count(leaf, subleaf, word[0], word[1], word[2], word[3]);
	return true;
}

/* ---- translation ----------------------------------------------------------------------------------------- */

/* Leaf 0x18: one translation cache a subleaf. */
static inline unsigned kb_arch_tlb_by_leaf(unsigned level, bool huge)
{
	unsigned word[4], subleaf = 0, last = 0;

	if (!kb_arch_leaf(0x18, 0, word) || word[0] >= 64)
		return 0;
	for (last = word[0]; subleaf <= last && kb_arch_leaf(0x18, subleaf, word); subleaf++) {
		unsigned type = word[3] & 31, at = word[3] >> 5 & 7;

		/* Data, unified or loads only, and that page among its sizes. */
		if (at == level && (type == 1 || type == 3 || type == 4) && word[1] & (huge ? 2 : 1))
			return (word[1] >> 16) * word[2];
	}
	return 0;
}

/* Leaf 2: a byte a translation cache, by Intel's table; older processors have nothing else. Processors whose bytes are not
   among these say nothing. */
static inline unsigned kb_arch_tlb_by_byte(unsigned level, bool huge)
{
	static const struct { unsigned char byte, level; unsigned short small, huge; } known[] = {
		{ 0x03, 1, 64, 0 }, { 0x57, 1, 16, 0 }, { 0x59, 1, 16, 0 }, { 0x5a, 1, 0, 32 }, { 0x63, 1, 0, 32 }, { 0x6a, 1, 64, 0 },
		{ 0xa0, 1, 32, 0 }, { 0xba, 1, 64, 0 }, { 0xc0, 1, 8, 0 }, { 0xc2, 1, 16, 16 }, { 0xc4, 1, 0, 32 }, { 0xb4, 2, 256, 0 },
		{ 0x64, 2, 512, 0 }, { 0x6b, 2, 256, 0 }, { 0x6c, 2, 0, 128 }, { 0xc1, 2, 1024, 1024 }, { 0xc3, 2, 1536, 1536 }, { 0xca, 2, 512, 0 },
	};
	unsigned word[4];

	if (!kb_arch_leaf(2, 0, word) || (word[0] & 255) != 1)
		return 0;
	word[0] &= ~255u;       /* how often to ask: once */
	for (unsigned i = 0; i < 16; i++) {
		unsigned byte = word[i / 4] >> 31 ? 0 : word[i / 4] >> (i % 4 * 8) & 255;

		for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
			unsigned entries = huge ? known[k].huge : known[k].small;

			if (known[k].byte == byte && known[k].level == level && entries)
				return entries;
		}
	}
	return 0;
}

/* Entries for data in pages of 4 KB, or of 2 MB, of level 1 or 2; 0: not reported. */
static inline unsigned kb_arch_tlb_entries(unsigned level, bool huge, const char **source)
{
	unsigned word[4], entries = kb_arch_tlb_by_leaf(level, huge);

	*source = "CPUID 0x18";
	if (entries)
		return entries;
	*source = "CPUID 2";
	entries = kb_arch_tlb_by_byte(level, huge);
	if (entries)
		return entries;
	*source = level == 1 ? "CPUID 0x80000005" : "CPUID 0x80000006";
	if (!kb_arch_leaf(level == 1 ? 0x80000005 : 0x80000006, 0, word))
		return 0;
	entries = word[huge ? 0 : 1] >> 16 & (level == 1 ? 255u : 4095u);
	if (level == 1)
		return entries;

	unsigned first[4] = { 0 }, features[4] = { 0 };

	kb_arch_leaf(1, 0, first);
	kb_arch_leaf(0x80000021, 0, features);
	if (kb_arch_tlb_unit(features[0], first[0], first[2] >> 31) == 1)
		return entries;
	*source = "CPUID 0x80000006, in 32s";
	return 32 * entries;
}

/* ---- caches ---------------------------------------------------------------------------------------------- */

/* Leaf 4 of Intel and 0x8000001D of AMD have one layout: a cache a subleaf, until one of no type. */
static inline bool kb_arch_cache_by_leaf(unsigned leaf, unsigned level, struct kb_arch_cache *cache)
{
	unsigned word[4];

	for (unsigned subleaf = 0; subleaf < 16 && kb_arch_leaf(leaf, subleaf, word) && word[0] & 31; subleaf++) {
		unsigned type = word[0] & 31, line = (word[1] & 4095) + 1, parts = (word[1] >> 12 & 1023) + 1;

		if (type == 2 || (word[0] >> 5 & 7) != level)
			continue;       /* for instructions, or another level */
		cache->ways = (word[1] >> 22) + 1;
		cache->line = line;
		cache->bytes = (uint64_t)cache->ways * parts * line * ((uint64_t)word[2] + 1);
		cache->source = leaf == 4 ? "CPUID 4" : "CPUID 0x8000001D";
		return true;
	}
	return false;
}

/* AMD before that: size and line, and ways of the first level as a number. */
static inline bool kb_arch_cache_by_size(unsigned level, struct kb_arch_cache *cache)
{
	unsigned word[4], sizes;

	if (level < 1 || level > 3 || !kb_arch_leaf(level == 1 ? 0x80000005 : 0x80000006, 0, word))
		return false;
	sizes = word[level == 3 ? 3 : 2];
	cache->bytes = level == 1 ? (uint64_t)(sizes >> 24) << 10 : level == 2 ? (uint64_t)(sizes >> 16) << 10 : (uint64_t)(sizes >> 18) << 19;
	cache->ways = level == 1 ? sizes >> 16 & 255 : 0;
	cache->line = sizes & 255;
	cache->source = level == 1 ? "CPUID 0x80000005" : "CPUID 0x80000006";
	return cache->bytes > 0;
}

/* False: not reported. */
static inline bool kb_arch_cache(unsigned level, struct kb_arch_cache *cache)
{
	return kb_arch_cache_by_leaf(4, level, cache) || kb_arch_cache_by_leaf(0x8000001d, level, cache) ||
	       kb_arch_cache_by_size(level, cache);
}

/* ---- clocks ---------------------------------------------------------------------------------------------- */

/* MHz of the time stamp counter and of the core's base clock; 0: not reported. */
static inline unsigned kb_arch_tsc_mhz(void)
{
	unsigned word[4];

	if (!kb_arch_leaf(0x15, 0, word) || !word[0] || !word[1] || !word[2])
		return 0;
	return (unsigned)((uint64_t)word[2] * word[1] / word[0] / 1000000);
}

static inline unsigned kb_arch_base_mhz(void)
{
	unsigned word[4];

	return kb_arch_leaf(0x16, 0, word) ? word[0] & 0xffff : 0;
}

/* ---- a hypervisor ---------------------------------------------------------------------------------------- */

/*
 * Whether a hypervisor runs below us, as the processor reports. CPUID leaf 1, ECX bit 31 is 0 on real processors and
 * reserved for hypervisors, which name themselves in leaf 0x40000000 (EBX, ECX, EDX: twelve characters). A hypervisor
 * may hide both, so "no" is good evidence and no proof.
 */

/* Whether kb_arch_hypervisor() can tell at all. */
static inline bool kb_arch_sees_hypervisor(void)
{
	return true;
}

/* True and its signature ("" if it gives none), or false. In a guest each CPUID costs an exit of several us. */
static inline bool kb_arch_hypervisor(char name[13])
{
	unsigned a, b, c, d;

	name[0] = 0;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 31))
		return false;
	__cpuid(0x40000000, a, b, c, d);
	const unsigned words[3] = { b, c, d };

	for (unsigned i = 0; i < 12; i++)
		name[i] = (char)(words[i / 4] >> (8 * (i % 4)) & 0xff);
	name[12] = 0;
	return true;
}

#endif
