/* What the benchmarks of bandwidth share: which loop runs, and how a working set is gone through piece by piece. */
#include "collect/linux/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kbench_memory.h"

kb_stream_loop *kb_stream_choose(struct kb_run *run, enum kb_stream what)
{
	const char *text = kb_param_text(run, "width");
	unsigned width = kb_param_is(run, "width", "auto") ? kb_stream_widest() : (unsigned)atoi(text);
	uint32_t hash;
	kb_stream_loop *loop = kb_stream(what, width, &hash);

	if (loop)
		kb_code_hash(run, hash);
	else
		kb_skip(run, "this processor has no such access of %u bytes; the widest is %u", width, kb_stream_widest());
	return loop;
}

int kb_chunks_make(struct kb_run *run, struct kb_chunks *chunks, uint64_t size, unsigned copies)
{
	if (size % (size < KB_CHUNK_BYTES ? 1024 : KB_CHUNK_BYTES) || !size)
		return kb_fail(run, EINVAL, "size must be a multiple of 64K, or below that of 1K");
	*chunks = (struct kb_chunks){ .piece = size < KB_CHUNK_BYTES ? size : KB_CHUNK_BYTES };
	chunks->per_op = KB_CHUNK_BYTES / chunks->piece;
	chunks->count = size / chunks->piece;
	run->bytes_per_op = chunks->per_op * chunks->piece;
	kb_working_set(run, size * copies, KB_ISSUE);
	return 0;
}

int kb_chunks_twin(struct kb_run *run, const struct kb_chunks *chunks, struct kb_chunks *twin)
{
	uint64_t size = chunks->count * chunks->piece, arrays = chunks->from ? 2 : 1;

	/* The system may announce more cache than there is, never less. */
	if (run->bound != KB_MEMORY || arrays * size < 2 * kb_last_cache(run))
		return 0;
	*twin = *chunks;
	twin->to = kb_memory_twin(run, arrays * size);
	if (!twin->to)
		return 0;
	memcpy(twin->to, chunks->to, size);
	if (chunks->from)
		memcpy(twin->from = twin->to + size, chunks->from, size);
	run->twin = "equal arrays on huge pages";
	return 0;
}

int kb_chunks_left(struct kb_run *run, const struct kb_chunks *chunks, uint64_t n, uint64_t *from)
{
	uint64_t pieces = n * chunks->per_op;

	*from = pieces > chunks->count ? chunks->next - chunks->count : chunks->first;
	if (chunks->next - chunks->first != pieces)
		return kb_fail(run, EILSEQ, "%llu pieces were moved, not %llu",
		               (unsigned long long)(chunks->next - chunks->first), (unsigned long long)pieces);
	return 0;
}
