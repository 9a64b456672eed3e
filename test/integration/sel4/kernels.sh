#!/bin/sh
# All benchmarks of seL4 on real kernels: SEL4_KERNELS has the install prefixes of kernels that track utilisation, with blanks between them
# (never in the default tests; no more than six at a time: a test has ten minutes). On each of them counts confirm every benchmark but
# sel4.lock, which has nothing to count, and there and back are the whole iteration, with a partner in either address space. The other address
# space is another one.
# runs: full, 1 s; with SEL4_KERNELS 80 s a kernel
set -u
. "$KB_SRC/test/support/check.sh"
[ "${SEL4_KERNELS:-}" ] || skip "SEL4_KERNELS names no kernel"
needs python3
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
ways="sel4.signal sel4.call sel4.send sel4.fault sel4.yield sel4.semaphore sel4.condition"

# run KERNEL-WORDS...: exit code 0, or 5 where a result is of no use, which is looked at below.
run() {
	"$KBENCH" run "$@" --defaults --processes 2 --budget 10m --store store.db >out 2>err
	case $? in 0 | 5) ;; *) fail "$SEL4_PREFIX: run $*: $(tail -n 2 err)" ;; esac
	"$KBENCH" show last --json --store store.db >results.json
}
for SEL4_PREFIX in $SEL4_KERNELS; do
	export SEL4_PREFIX
	"$KBENCH" sel4 build >built 2>&1 || fail "$SEL4_PREFIX: build: $(tail -n 2 built)"
	run 'sel4.*'
	python3 - <<'END' >wrong || fail "$SEL4_PREFIX: $(cat wrong)"
import json, sys
results = json.load(open("results.json"))["results"]
wrong = []
for r in results:
    status = r["verdict"]["status"]
    skips = r["benchmark"] in ("sel4.call_active", "sel4.null") and status == "skipped"
    if not skips and (r["verdict"]["evidence"] != "ok") != (r["benchmark"] == "sel4.lock"):
        wrong.append("%s: %s, %s" % (r["benchmark"], status, [x["detail"] + " " + x["evidence"] for x in r["verdict"]["reasons"][:1]]))
print("; ".join(wrong) or "%d results" % len(results))
sys.exit(len(wrong) > 0 or len(results) < 23)
END
	# shellcheck disable=SC2086 # names are words
	run $ways -p way=both,there,back -p space=same,other
	python3 - "$(sed -n 's/.*(\(x86_64\|riscv64\|aarch64\)) is in .*/\1/p' built)" <<'END' >wrong || fail "$SEL4_PREFIX: $(cat wrong)"
import json, sys
cost = {}
for r in json.load(open("results.json"))["results"]:
    if r["verdict"]["evidence"] == "ok":
        cost[r["benchmark"], r["params"]["space"], r["params"]["way"]] = r["estimate"]["value"]
# With a reading inside, the loop of x86_64 keeps other values in its few registers: some instructions more or less.
room = 5 if sys.argv[1] == "x86_64" else 0
wrong = ["%s space=%s" % key[:2] for key in cost if key[2] == "both"
         and abs(cost.get(key[:2] + ("there",), 0) + cost.get(key[:2] + ("back",), 0) - cost[key]) > room]
print("there and back are not both: %s; %d confirmed" % (", ".join(wrong) or "none", len(cost)))
sys.exit(len(wrong) > 0 or len(cost) != 42)
END
	echo "$SEL4_PREFIX: $(cat wrong)"
done

# The partner's other address space is another one: a page that only the first has is a fault there. In a copy of the sources.
for folder in bench include sel4 src; do cp -r "$KB_SRC/$folder" .; done
sed -i 's/^KB_SEL4_HIGH(high, .*/static void setup(struct kb_root *root) { kb_map(root, seL4_CapInitThreadVSpace, kb_object(root, KB_PAGE_OBJECT, 0), KB_FREE_ADDRESS); }\n&/
	s/, kb_bare_wait(signalled), kb_bare_wait(signalled))/, kb_bare_wait(signalled), *(volatile int *)KB_FREE_ADDRESS = 1; kb_bare_wait(signalled))/
	s/\.choose = choose, /&.setup = setup, /' bench/sel4/signal.c
cmp -s bench/sel4/signal.c "$KB_SRC/bench/sel4/signal.c" && fail "signal.c: nothing was changed"
KB_SOURCE=$PWD XDG_CACHE_HOME=$PWD/cache-touches
export KB_SOURCE XDG_CACHE_HOME
"$KBENCH" sel4 build >out 2>&1 || fail "$SEL4_PREFIX: build: $(tail -n 2 out)"
run sel4.signal -p space=same,other
grep -Eq 'sel4.signal same .* ok$' out && grep -q 'High: page fault at' out || fail "$SEL4_PREFIX: space=other is not apart: $(cat out)"
