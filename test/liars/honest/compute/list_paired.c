/* Insertion into a list that must be empty before: in pairs with a walk over the same nodes. */
#include <errno.h>
#include <stddef.h>

#include <kbench.h>

#define COUNT 512u

struct node { struct node *next; unsigned key; };

static struct node nodes[COUNT], *first;

static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	first = NULL;
	for (unsigned i = 0; i < COUNT; i++)
		nodes[i] = (struct node){ NULL, (unsigned)((i * 193u + run->seed) % COUNT) };
	kb_clobber();
	return 0;
}

/* Behind the smaller ones among the first sixteen. */
static void insert(struct node *node)
{
	struct node **at = &first;

	for (unsigned k = 0; k < 16 && *at && (*at)->key < node->key; k++)
		at = &(*at)->next;
	node->next = *at;
	*at = node;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		insert(&nodes[i]);
	kb_clobber();
	return 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		kb_keep(nodes[i].key);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t count = 0;

	for (const struct node *node = first; node; node = node->next)
		count++;
	return count == n ? 0 : kb_fail(run, EILSEQ, "the list has %llu nodes", (unsigned long long)count);
}

KB_BENCHMARK(
	.summary = "insertion into a list", .per = "insertion", .bound = KB_LATENCY, .method = KB_PAIRED, .granule = COUNT,
	.before = before, .op = op, .base = base, .check = check,
);
