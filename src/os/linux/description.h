/*
 * What a plug-in says of itself, as text: the collector that loads it writes it, and kbench, which loads no code but its own, reads it.
 * `kbench kernel build --bench` keeps one next to each module of the user's.
 *
 *   kbench-description 3
 *   bench name=plugin.mine summary="..." per=call suite=0 ... hooks=op,base
 *   param name=size kind=1 values=64K,1M min=4096 max=1073741824
 *   expect counter=8 per_op=3ff0000000000000 ...
 *   event name=branch-misses:u ...
 *   end
 *
 * Or instead of all behind the first line: refused "why".
 */
#ifndef KB_OS_DESCRIPTION_H
#define KB_OS_DESCRIPTION_H

#include "base/text.h"
#include "kbench.h"

#define KB_DESCRIPTION_MAX (64u << 10)  /* bytes */
#define KB_DESCRIPTION_SUFFIX ".bench"  /* of its file */

/* A benchmark without code: its functions are there where the plug-in has such, and only fail. */
struct kb_described {
	struct kb_bench bench;
	char *words;                    /* its texts; lives as long as the benchmark */
};

void kb_description_write(struct kb_text *, const struct kb_bench *);
void kb_description_refuse(struct kb_text *, const char *why);

/* Whether all of it has come. */
bool kb_description_is_whole(struct kb_span text);

/* 0; else error has one line: -EINVAL, refused, or -EPROTO, no description or one of another version. What it says is not checked
   (evidence/descriptor.c). Free words in the first case only. */
int kb_description_read(struct kb_span text, struct kb_described *, char error[256]);

/* Loads a plug-in: a shared object with one benchmark, `kb_plugin`. Only collectors do.
   The benchmark lives until the program ends; its name becomes plugin.BASENAME unless it has one.
   -ENOENT, -ENOEXEC (not a shared object, or without kb_plugin), -EPROTO (another ABI), -ENOMEM; error gets one line. What it says of
   itself is not checked (evidence/descriptor.c). */
int kb_plugin_load(const char *path, struct kb_bench *bench, char error[256]);

#endif
