#!/bin/sh
# Rows of memory say which pages they are of. By default they are huge ones; a process that gets none makes rows of small pages, which
# say that page walks are inside, and whoever asks for huge ones there is told why there are none. A ring in memory has a twin.
# runs: slow, 6 s
set -eu
. "$KB_SRC/test/support/check.sh"

needs python3

# A process and its children for which transparent huge pages are switched off (prctl PR_SET_THP_DISABLE).
cat >without.py <<'EOF'
import ctypes, os, sys
if ctypes.CDLL(None, use_errno=True).prctl(41, 1, 0, 0, 0):
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
EOF
reserved=$(cat /proc/sys/vm/nr_hugepages 2>/dev/null || echo 0)

run() {
	"$KBENCH" run --no-store --json "$@" 2>err || [ $? -eq 5 ]
}
without() {
	python3 without.py "$KBENCH" run --no-store --json "$@" 2>err || [ $? -eq 5 ]
}

cat >look.py <<'EOF'
import json, sys
def fail(text):
    sys.exit("%s: %s" % (sys.argv[1], text))
result = json.load(open(sys.argv[1]))["results"][0]
codes = [reason["code"] for reason in result["verdict"]["reasons"]]
pages, walks = result["params"]["pages"], "page_walks" in codes
kind = sys.argv[2]
if kind == "skipped":
    if result["verdict"]["status"] != "skipped":
        fail("not skipped, but %s" % result["verdict"]["status"])
    sys.exit()
if pages != kind:
    fail("pages=%s, not %s" % (pages, kind))
if walks != (len(sys.argv) > 3 and sys.argv[3] == "walks"):
    fail("codes %s" % codes)
if "ring" in sys.argv[3:]:
    each = [p["ratio"] for p in result["process_costs"]]
    ratio, found, low, high = result["ratio"]["value"], result["found"], result["range"]["low"], result["range"]["high"]
    if not (0.5 < ratio < 2 and len(each) > 0 and result["ratio"]["to"]):
        fail("ratio %s of %s" % (ratio, each))
    if not (found["loads"] > 0 and 0 <= found["cache_share"] <= 1 and found["memory_ns"] > 5):
        fail("found %s" % found)
    # Of one process the range is that one's cost, of which the observed one is another estimate.
    if not 0.9 * low <= result["observed"]["value"] <= 1.1 * high:
        fail("observed %s is not in %s to %s" % (result["observed"]["value"], low, high))
elif "ratio" in result and kind != "huge":
    fail("a ratio of what no twin was made for")
EOF

# One process will do, however long a busy machine takes for it.
few="--processes 1 --precision 100% --budget 30s"
ring="mem.latency $few"

run mem.latency -p size=16K -p pages=small $few >small_16K
python3 look.py small_16K small
run mem.latency -p size=1M -p order=random -p pages=small $few >small_1M
python3 look.py small_1M small walks
run $ring -p size=128M -p order=local >ring
if grep -q need_unmet ring; then
	echo "no huge pages here: $(cat err)"
else
	case $(uname -m) in
	x86_64 | aarch64) python3 look.py ring huge no-walks ring ;;
	*) python3 look.py ring huge ;;
	esac
fi

# Reserved pages are taken where there are no others.
[ "$reserved" -eq 0 ] || exit 0
without mem.latency -p size=1M -p order=random $few >without_default
[ -s without_default ] || exit 77
python3 look.py without_default small walks
grep -q 'no huge pages can be had here' err || fail "nothing on standard error: $(cat err)"
without mem.latency -p size=1M -p order=random -p pages=huge $few >without_huge
python3 look.py without_huge skipped
