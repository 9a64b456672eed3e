/*
 * The phases of giving memory to a program, each for all of its pages: tables, pages of untyped memory, mapping, taking the right to write
 * away, giving it back. What a phase leaves is taken back after each, outside the time.
 */
#include "pages.h"
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "a phase of making and mapping pages of 4 KiB, all of them one by one", .per = "phase", .portability = KB_PLATFORM,
	.assumes = "a kernel entry a call and no switch; all calls succeed", .bound = KB_KERNEL, .max_n = 4,
	.params = { { "pages", "how many", KB_NUMBER, "1;512", 1, 2048, 0 },
		{ "phase", "tables made and mapped; pages made, mapped, made read-only, made writable", KB_CHOICE,
		  "map;tables,make,protect,unprotect", 0, 0, "tables,make,map,protect,unprotect" }, KB_SEL4_FPU },
);

enum place { MEMORY, PAGES, TABLES, SPARE };

static seL4_Word small_tables(const struct kb_root *root)
{
	return (root->word + KB_PAGES_PER_TABLE - 1) / KB_PAGES_PER_TABLE;
}

static seL4_Word all_tables(const struct kb_root *root)
{
	return KB_TABLE_LEVELS - 1 + small_tables(root);
}

/* The calls of a phase, and of putting back: taking all back is two, whatever is deleted. */
static void choose(struct kb_root *root)
{
	root->word = kb_param_number(&root->run, "pages");
	if (kb_param_is(&root->run, "phase", "tables"))
		root->entries = (unsigned)(2 * all_tables(root) + 2);
	else
		root->entries = (unsigned)(kb_param_is(&root->run, "phase", "make") ? root->word + 2 : 2 * root->word);
}

/* Memory for so many pages, or tables, which are as large, and for one small object. */
static seL4_CPtr memory_for(struct kb_root *root, seL4_Word pages)
{
	seL4_Word bits = seL4_PageBits;

	while ((KB_PAGE << (bits - seL4_PageBits)) < (pages + 1) * KB_PAGE)
		bits++;
	return kb_memory(root, bits);
}

static void setup(struct kb_root *root)
{
	bool of_tables = kb_param_is(&root->run, "phase", "tables");

	root->object[MEMORY] = memory_for(root, of_tables ? all_tables(root) : root->word);
	root->object[PAGES] = kb_slot_row(root, root->word);
	root->object[TABLES] = kb_slot_row(root, all_tables(root));
	root->object[SPARE] = kb_slot(root);
	KB_MUST(kb_clear_memory(root->object[MEMORY], root->object[SPARE]));
	if (of_tables || kb_param_is(&root->run, "phase", "make"))
		return;
	KB_MUST(kb_make_tables(memory_for(root, all_tables(root)), root->object[TABLES], small_tables(root)));
	KB_MUST(kb_make_pages(root->object[MEMORY], root->object[PAGES], root->word));
	if (!kb_param_is(&root->run, "phase", "map"))
		KB_MUST(kb_map_pages(root->object[PAGES], root->word, kb_param_is(&root->run, "phase", "protect") ? seL4_AllRights : seL4_CanRead));
}

/* What a phase uses, loaded before its time begins. */
static struct kb_phase { seL4_CPtr memory, page, table, spare; seL4_Word pages, tables; } phase_of(const struct kb_root *root)
{
	return (struct kb_phase){ root->object[MEMORY], root->object[PAGES], root->object[TABLES], root->object[SPARE], root->word,
		small_tables(root) };
}

#define PHASE(name, statement, after) \
	KB_SEL4_ENTRY(name, struct kb_phase at = phase_of(root); seL4_Word wrong = 0; kb_own_buffer(root, KB_LOW), \
		KB_SEL4_SAMPLES(root, (void)0, kb_sel4_clock(), wrong |= statement, kb_sel4_clock(), wrong |= after), \
		kb_init_buffer(root); KB_SEL4_WRONG(root); kb_loop_done(root))

PHASE(tables, kb_make_tables(at.memory, at.table, at.tables), kb_take_memory_back(at.memory, at.spare))
PHASE(make, kb_make_pages(at.memory, at.page, at.pages), kb_take_memory_back(at.memory, at.spare))
PHASE(map, kb_map_pages(at.page, at.pages, seL4_AllRights), kb_unmap_pages(at.page, at.pages))
PHASE(protect, kb_map_pages(at.page, at.pages, seL4_CanRead), kb_map_pages(at.page, at.pages, seL4_AllRights))
PHASE(unprotect, kb_map_pages(at.page, at.pages, seL4_AllRights), kb_map_pages(at.page, at.pages, seL4_CanRead))

static void low(struct kb_root *root)
{
	static const struct { const char *name; kb_entry *entry; } phases[] = {
		{ "tables", tables }, { "make", make }, { "map", map }, { "protect", protect }, { "unprotect", unprotect },
	};

	for (unsigned i = 0; i < sizeof phases / sizeof phases[0]; i++) {
		if (kb_param_is(&root->run, "phase", phases[i].name))
			phases[i].entry(root);
	}
}

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 0, .needs = KB_NEED_BUFFER, .stamped = true, .choose = choose, .setup = setup, .low_single = low);
